/* LU with pivoting: of matrices whose pivots are known, since one element of each column is by far the largest. */
#include "families/dominant.h"

#include <stdlib.h>
#include <string.h>

/* Row i of P A. */
static int64_t row_of(bool flipped, int64_t m, int64_t i)
{
    return flipped ? m - 1 - i : i;
}

/* Gauss without pivoting. */
static void eliminate(int64_t m, int64_t n, double *a)
{
    for (int64_t k = 0; k < m && k < n; k++)
        for (int64_t i = k + 1; i < m; i++) {
            a[i * n + k] /= a[k * n + k];
            for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
}

bool lu_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    struct dominant d;
    const bool flipped = random_below(r, 2), lower = random_below(r, 2),
               square = flipped; /* only then is the reverse order the one of pivoting */
    if (!dominant_of(a, square, false, flipped, &d)) return false;
    const int64_t m = d.m, n = d.n, k = m < n ? m : n;
    *out = lower ? dominant_result(a, &d, m, k) : dominant_result(a, &d, k, n);
    double *x = malloc((size_t)(m * n) * sizeof *x);
    for (int64_t i = 0; i < d.batch; i++) {
        for (int64_t row = 0; row < m; row++)
            memcpy(x + row * n, d.data + (i * m + row_of(flipped, m, row)) * n,
                   (size_t)n * sizeof *x);
        eliminate(m, n, x);
        double *to = out->data + i * (lower ? m * k : k * n);
        for (int64_t row = 0; row < (lower ? m : k); row++)
            for (int64_t j = 0; j < (lower ? k : n); j++) {
                const double e = x[row * n + j];
                to[row * (lower ? k : n) + j] = lower ? (row > j ? e : row == j) : row <= j ? e : 0;
            }
    }
    free(x);
    free(d.data);
    return heddle_linalg_lu(d.array, NULL, lower ? &out->array : NULL,
                            lower ? NULL : &out->array) == HEDDLE_OK;
}
