/* More constants and more inputs in one evaluation than 16 bits count, and one fewer and more. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>

static void test_constants(int64_t n)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_zeros(HEDDLE_SHAPE(3), .dtype = HEDDLE_INT64);
    for (int64_t i = 0; i < n; i++) a = heddle_add(a, heddle_scalar(i));
    int64_t v[3] = {0};
    CHECK_EQ(heddle_read(a, v, sizeof v), HEDDLE_OK);
    CHECK_EQ(v[2], n * (n - 1) / 2);
    heddle_scope_close(scope);
}

/* Computed as they are joined, or data, of which the last of each three is the same as the first. */
static void test_inputs(int64_t n, bool computed)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array **parts = malloc((size_t)n * sizeof(heddle_array *));
    int64_t *v = malloc((size_t)n * sizeof *v);
    heddle_array *zero = heddle_zeros(HEDDLE_SHAPE(1), .dtype = HEDDLE_INT64);
    for (int64_t i = 0; i < n; i++)
        parts[i] = computed     ? heddle_add(zero, heddle_scalar(i))
                   : i % 3 == 2 ? parts[i - 2]
                                : heddle_asarray(&i, HEDDLE_INT64, HEDDLE_SHAPE(1));
    CHECK_EQ(heddle_read(heddle_concat((int)n, parts, 0), v, n * (int64_t)sizeof *v), HEDDLE_OK);
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) wrong += v[i] != (computed || i % 3 < 2 ? i : i - 2);
    CHECK_EQ(wrong, 0);
    free(v);
    free(parts);
    heddle_scope_close(scope);
}

int main(void)
{
    for (int64_t n = 65535; n <= 65538; n++) test_constants(n);
    test_inputs(65535, true);
    test_inputs(65538, true);
    test_inputs(70000, false);
    return check_done();
}
