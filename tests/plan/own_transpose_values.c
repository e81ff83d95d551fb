/* Products of a matrix and its own transpose, of which one half is computed and copied: all elements, against sums of whole numbers that C
 * adds up. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "each_way.h"
#include "exact_values.h"

#include <heddle.h>
#include <stdlib.h>

static double element(int64_t i, int64_t j)
{
    return (double)((i * 31 + j * 17) % 23 - 11);
}

/* x.T @ x of (k, n), the same by rows, and both with elementwise work behind. */
static void check_products(enum heddle_dtype dtype, int64_t k, int64_t n)
{
    double *data = malloc((size_t)(k * n) * sizeof *data),
           *sums = calloc((size_t)(n * n), sizeof *sums),
           *more = malloc((size_t)(n * n) * sizeof *more);
    for (int64_t i = 0; i < k; i++)
        for (int64_t a = 0; a < n; a++) {
            data[i * n + a] = element(i, a);
            for (int64_t b = 0; b < n; b++) sums[a * n + b] += element(i, a) * element(i, b);
        }
    for (int64_t i = 0; i < n * n; i++) more[i] = sums[i] > 5 ? 2 * sums[i] + 1 : 11;
    heddle_scope scope = heddle_scope_open();
    heddle_array *x =
        heddle_astype(heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(k, n)), dtype);
    CHECK(heddle_wait(x) == HEDDLE_OK, "%s", heddle_error(x));
    heddle_array *t =
        heddle_add(heddle_matrix_transpose(x), heddle_scalar(0)); /* (n, k) in memory */
    CHECK(heddle_wait(t) == HEDDLE_OK, "%s", heddle_error(t));
    const struct {
        const char *text;
        const double *expected;
    } cases[] = {{"x.T @ x", sums},
                 {"t @ t.T", sums},
                 {"maximum(x.T @ x, 5) * 2 + 1", more},
                 {"maximum(t @ t.T, 5) * 2 + 1", more}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_values(cases[i].text, heddle_expr(cases[i].text, HEDDLE_BIND_ALL({"x", x}, {"t", t})),
                     cases[i].expected, n * n);
    heddle_scope_close(scope);
    free(data);
    free(sums);
    free(more);
}

static void test(void)
{
    check_products(HEDDLE_FLOAT32, 300, 70);
    check_products(HEDDLE_FLOAT64, 300, 131);
    check_products(HEDDLE_FLOAT32, 1100, 201); /* sums in three pieces */
    check_products(HEDDLE_FLOAT64, 40, 400);
    check_products(HEDDLE_FLOAT32, 17, 333);
}

int main(void)
{
    return check_each_way(test);
}
