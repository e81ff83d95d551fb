/* Sets: distinct elements, and which are members.
 *
 * They sort all elements, of whatever shape; results have one axis and ascend, as in sort.h. How many elements a set has is
 * part of its shape, so functions that make one evaluate their arguments when they are called. NaN equals nothing, as in
 * the standard, so each NaN is an element of its own, unless .equal_nan; -0 is 0. Complex numbers are
 * in the order of sort.h; heddle_isin of them evaluates both. Cost: that of a sort of each argument. */
#ifndef HEDDLE_SETS_H
#define HEDDLE_SETS_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_isin_options {
    size_t size; /* call.h */
    bool invert; /* whether it is none of them */
};

/** Whether each element of `x` is one of `among`, of any shape; bool, in the shape of `x`. Lazy. */
HEDDLE_API heddle_array *heddle_isin_with(heddle_array *x, heddle_array *among,
                                          const struct heddle_isin_options *o);
#define heddle_isin(...) HEDDLE_CALL2(heddle_isin_with, heddle_isin_options, __VA_ARGS__)

struct heddle_unique_options {
    size_t size;    /* call.h */
    bool equal_nan; /* all NaNs are one, as NumPy's unique has it */
    bool has_axis;  /* whether .axis is given; set by the macros */
    int axis;       /* what lies along it is compared as a whole, rows of a matrix for 0; then .equal_nan does not count */
};

/* With .axis the values keep the other axes, and the rest has one axis: the inverse is of the extent. Cost: a sort for
 * each number of a row. */

/** The distinct elements. */
HEDDLE_API heddle_array *heddle_unique_values_with(heddle_array *x,
                                                   const struct heddle_unique_options *o);
/** The same, and how often each is there, int64. */
HEDDLE_API enum heddle_status heddle_unique_counts_with(heddle_array *x, heddle_array **values,
                                                        heddle_array **counts,
                                                        const struct heddle_unique_options *o);
/** The same, and for each element of `x`, in its shape, which of them it is, int64. */
HEDDLE_API enum heddle_status heddle_unique_inverse_with(heddle_array *x, heddle_array **values,
                                                         heddle_array **inverse,
                                                         const struct heddle_unique_options *o);

/* What heddle_unique_all gives. */
struct heddle_unique {
    heddle_array *values, *counts, *inverse;
    heddle_array *indices; /* where each is first in `x`, among all elements in C order; int64 */
};

/** All of it. */
HEDDLE_API enum heddle_status heddle_unique_all_with(heddle_array *x, struct heddle_unique *out,
                                                     const struct heddle_unique_options *o);
#define heddle_unique_values(...)                                                                  \
    HEDDLE_CALL1_AXIS(heddle_unique_values_with, heddle_unique_options, __VA_ARGS__)
#define heddle_unique_counts(...)                                                                  \
    HEDDLE_CALL3_AXIS(heddle_unique_counts_with, heddle_unique_options, __VA_ARGS__)
#define heddle_unique_inverse(...)                                                                 \
    HEDDLE_CALL3_AXIS(heddle_unique_inverse_with, heddle_unique_options, __VA_ARGS__)
#define heddle_unique_all(...)                                                                     \
    HEDDLE_CALL2_AXIS(heddle_unique_all_with, heddle_unique_options, __VA_ARGS__)

/* Of two arrays, in their common dtype (NumPy names). Each has all NaNs as one; those of one array are none of the
 * other's. */

/** What is in either. */
HEDDLE_API heddle_array *heddle_union1d(heddle_array *a, heddle_array *b);
/** What is in both. */
HEDDLE_API heddle_array *heddle_intersect1d(heddle_array *a, heddle_array *b);
/** What is in `a` and not in `b`; in a's dtype. */
HEDDLE_API heddle_array *heddle_setdiff1d(heddle_array *a, heddle_array *b);
/** What is in one of them alone. */
HEDDLE_API heddle_array *heddle_setxor1d(heddle_array *a, heddle_array *b);

#ifdef __cplusplus
}
#endif

#endif
