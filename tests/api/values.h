/* Comparison of an array with expected values, and arrays to start from. */
#ifndef HEDDLE_TESTS_VALUES_H
#define HEDDLE_TESTS_VALUES_H

#include "array/parts.h"
#include "graph/meaning.h"
#include "graph/infer.h"

#include "check.h"

#include <heddle.h>

#define VALUES(...)                                                                                \
    (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), ((const double[]){__VA_ARGS__})

/* dtype, shape as text, and all elements. */
static inline void check_array(const char *file, int line, heddle_array *a, enum heddle_dtype dtype,
                               const char *shape, int n, const double *values)
{
    if (check_count(heddle_status_of(a) == HEDDLE_OK)) {
        fprintf(stderr, "%s:%d: %s\n", file, line, heddle_error(a));
        return;
    }
    if (check_count(heddle_dtype_of(a) == dtype))
        fprintf(stderr, "%s:%d: dtype %s, not %s\n", file, line,
                heddle_dtype_name(heddle_dtype_of(a)), heddle_dtype_name(dtype));
    if (check_count(!strcmp(HEDDLE_SHAPE_OF(a), shape)) || a->size != n) {
        check_count(a->size == n);
        fprintf(stderr, "%s:%d: shape %s, not %s\n", file, line, HEDDLE_SHAPE_OF(a), shape);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const double x = meaning_nth(a, i);
        if (check_count(x == values[i] || (isnan(x) && isnan(values[i]))))
            fprintf(stderr, "%s:%d: element %lld is %.17g, not %.17g\n", file, line, (long long)i,
                    x, values[i]);
    }
}
#define CHECK_ARRAY(array, dtype, shape, ...)                                                      \
    check_array(__FILE__, __LINE__, array, dtype, shape, __VA_ARGS__)
#define NOTHING 0, NULL

#define CHECK_ERROR(array, code, text)                                                             \
    do {                                                                                           \
        heddle_array *check_x = (array);                                                           \
        CHECK_EQ(heddle_status_of(check_x), code);                                                 \
        CHECK_STR(heddle_error(check_x), text);                                                    \
    } while (0)

/* 0, 1, 2, ... as data, not as a range. */
static inline heddle_array *counting(enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    double values[720];
    for (int i = 0; i < 720; i++) values[i] = i;
    heddle_array *a = heddle_asarray(values, HEDDLE_FLOAT64, ndim, shape);
    return heddle_astype(a, dtype);
}

#endif
