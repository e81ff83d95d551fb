/* Compares all elements of an array with what they must be. */
#ifndef HEDDLE_TESTS_PLAN_EXACT_VALUES_H
#define HEDDLE_TESTS_PLAN_EXACT_VALUES_H

#include "check_heddle.h"

#include <time.h>

CHECK_ORACLE static inline int64_t count_different(const double *got, const double *expected,
                                                   int64_t n, int64_t *first)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++)
        if (got[i] != expected[i] && wrong++ == 0) *first = i;
    return wrong;
}

static inline void check_values(const char *text, heddle_array *a, const double *expected,
                                int64_t n)
{
    double *got = malloc((size_t)n * sizeof *got + 8); /* of no elements, too */
    CHECK(heddle_size(a) == n && heddle_read_as(a, HEDDLE_FLOAT64, got, n * 8) == HEDDLE_OK,
          "%s: %s", text, heddle_error(a));
    int64_t first = -1;
    const int64_t wrong = heddle_size(a) == n ? count_different(got, expected, n, &first) : 0;
    CHECK(wrong == 0, "%s: %lld differ, the first is %lld: %g, not %g", text, (long long)wrong,
          (long long)first, got[first < 0 ? 0 : first], expected[first < 0 ? 0 : first]);
    free(got);
}

/* What the text is of `bindings`, by compiled kernels: until then, others run. */
static inline void check_compiled(const char *text, int n, const struct heddle_binding bindings[],
                                  const double *expected, int64_t size)
{
    enum { SECONDS = 20 };
    struct heddle_statistics s = {.gpu_interpreted = 1};
    for (const time_t begin = time(NULL); s.gpu_interpreted > 0 && time(NULL) - begin < SECONDS;) {
        heddle_scope scope = heddle_scope_open();
        heddle_statistics_reset();
        heddle_array *y = heddle_expr(text, n, bindings);
        CHECK(heddle_wait(y) == HEDDLE_OK, "%s: %s", text, heddle_error(y));
        heddle_statistics_get(&s);
        if (s.gpu_interpreted == 0) check_values(text, y, expected, size);
        heddle_scope_close(scope);
    }
    CHECK(s.gpu_interpreted == 0, "%s: not compiled", text);
}

#endif
