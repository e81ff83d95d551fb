/* Arrays of doubles compared with expected ones, by evaluation: for what is made of operations that meaning.c
 * does not follow. */
#ifndef HEDDLE_TESTS_READ_H
#define HEDDLE_TESTS_READ_H

#include "api/values.h"

#include <math.h>

/* dtype, shape as text, and all elements, each within `ulps` of float64. */
static inline void check_read(const char *file, int line, heddle_array *a, enum heddle_dtype dtype,
                              const char *shape, double ulps, int n, const double *values)
{
    double got[64];
    if (check_count(heddle_status_of(a) == HEDDLE_OK)) {
        fprintf(stderr, "%s:%d: %s\n", file, line, heddle_error(a));
        return;
    }
    if (check_count(heddle_dtype_of(a) == dtype && !strcmp(HEDDLE_SHAPE_OF(a), shape)))
        fprintf(stderr, "%s:%d: %s %s, not %s %s\n", file, line,
                heddle_dtype_name(heddle_dtype_of(a)), HEDDLE_SHAPE_OF(a), heddle_dtype_name(dtype),
                shape);
    if (check_count(a->size == n && heddle_read_as(a, HEDDLE_FLOAT64, got, 8 * n) == HEDDLE_OK)) {
        fprintf(stderr, "%s:%d: %lld elements: %s\n", file, line, (long long)a->size,
                heddle_error(a));
        return;
    }
    for (int i = 0; i < n; i++) {
        const double room = ulps * 2.3e-16 * fabs(values[i]);
        const bool same = got[i] == values[i] || (isnan(got[i]) && isnan(values[i]));
        if (check_count(same || fabs(got[i] - values[i]) <= room))
            fprintf(stderr, "%s:%d: element %d is %.17g, not %.17g\n", file, line, i, got[i],
                    values[i]);
    }
}
#define CHECK_READ(array, dtype, shape, ...)                                                       \
    check_read(__FILE__, __LINE__, array, dtype, shape, 0, __VA_ARGS__)
#define CHECK_NEAR(array, dtype, shape, ulps, ...)                                                 \
    check_read(__FILE__, __LINE__, array, dtype, shape, ulps, __VA_ARGS__)

#endif
