/* Arrays of the tests beside their oracle: every operation is applied to a Heddle array and, eagerly
 * and one element after the other, to plain doubles. The oracle shares no code with the library. */
#ifndef HEDDLE_TESTS_ORACLE_H
#define HEDDLE_TESTS_ORACLE_H

#include <heddle.h>

struct value {
    heddle_array *array;
    enum heddle_dtype dtype; /* float64, float32, int64, int32 or bool */
    int ndim;
    int64_t shape[HEDDLE_MAX_NDIM], size;
    double *data;  /* C order; exactly representable in dtype */
    bool exact;    /* equal to the last bit: arithmetic and moves only */
    bool by_blas;  /* bits depend on how BLAS was called */
    bool by_libm;  /* bits depend on whose elementary functions: CPU's or GPU's */
    double spread; /* of the rounding that the oracle allows, relative to the largest element */
};

struct random {
    uint64_t state;
};
uint64_t random_next(struct random *r);
int64_t random_below(struct random *r, int64_t n); /* 0 when n < 1 */
double random_unit(struct random *r);

/* A random program: `n` values, later ones made from earlier ones. Release with values_free. Arrays
 * belong to the open scope. */
int random_program(struct random *r, int n, bool large, struct value *values);
/* Values of which the last is an operation of that family (families/cases.h) on others, and how many: at
 * most 9. 0: it applies to nothing. */
int random_case(struct random *r, int family, bool large, struct value *values);
/* Takes each array as it is made; gives one of the same values that is used instead. NULL: as is. */
extern heddle_array *(*random_wrap)(heddle_array *a);
void values_free(int n, struct value *values);

/* Compares evaluated elements (of the value's dtype, C order) with the oracle; -1 or the index of the
 * first wrong one. */
int64_t value_check(const struct value *v, const void *elements, double *got);

#endif
