/* An oracle for operations on one element, written by hand from the public descriptions: integers
 * in 128 bits, floating numbers in long double. It uses no expression of ops.def, and none of
 * reductions.def for what two values of a reduction combine to. */
#ifndef HEDDLE_TESTS_KERNELS_ORACLE_H
#define HEDDLE_TESTS_KERNELS_ORACLE_H

#include "program.h"

/* A number of any dtype: integers and bool in i, floating ones in re and im. */
struct number {
    __int128 i;
    long double re, im;
};

struct number oracle_get(enum heddle_dtype dtype, const void *data, int64_t index);
void oracle_set(enum heddle_dtype dtype, void *data, int64_t index, struct number v);

/* The result of an operation and its error bound in units in the last place (for complex numbers,
 * of the larger part): 0 where it is exact. */
struct number oracle_op(enum heddle_op op, enum heddle_dtype dtype, struct number x,
                        struct number y, struct number z, double *ulps);
enum heddle_dtype oracle_result(enum heddle_op op, enum heddle_dtype dtype);
/* Whether the row of ops.def is a function, which the oracle has; random rows have tests of their own (tests/random). */
static inline bool oracle_has(enum heddle_op op)
{
    return heddle__ops[op].accepts < HEDDLE_ACCEPTS_I64;
}

/* A value of a reduction, and the number of the element that it is, for argmax and argmin. */
struct oracle_partial {
    struct number value;
    int64_t index;
};
/* x = x op y, both of the dtype; floating numbers are rounded as kernels do, to the bit. */
void oracle_combine(enum heddle_reduction op, enum heddle_dtype dtype, struct oracle_partial *x,
                    const struct oracle_partial *y);

bool oracle_is_single(enum heddle_dtype dtype);
long double oracle_rounded(enum heddle_dtype dtype, long double x);
/* Distance of two adjacent numbers of the dtype at x. */
long double oracle_ulp(enum heddle_dtype dtype, long double x);

/* Whether `got` is `want` rounded to the dtype, give or take; NaN equals NaN, zeros differ. */
bool oracle_near(enum heddle_dtype dtype, struct number got, struct number want, double ulps);

/* Whether two elements are the same bits, any NaN for any other. */
bool oracle_same(enum heddle_dtype dtype, const void *a, int64_t i, const void *b, int64_t j);

/* Value number k of a sequence for tests: special values first, then numbers of all sizes. */
struct number oracle_value(enum heddle_dtype dtype, uint64_t k);
enum { ORACLE_SPECIAL = 24 }; /* values at the start of each sequence */

#endif
