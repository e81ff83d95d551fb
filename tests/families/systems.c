/* Small systems: solutions, inverses and determinants, by Gauss's and Jordan's elimination in long double. */
#include "families/dominant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The n x columns solution of a x = b, in place of b; a is destroyed. Gives the determinant. */
static long double eliminate(int64_t n, int64_t columns, long double *a, long double *b)
{
    long double product = 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t from = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabsl(a[i * n + k]) > fabsl(a[from * n + k])) from = i;
        for (int64_t j = 0; j < n && from != k; j++) {
            const long double x = a[k * n + j];
            a[k * n + j] = a[from * n + j];
            a[from * n + j] = x;
        }
        for (int64_t j = 0; j < columns && from != k; j++) {
            const long double x = b[k * columns + j];
            b[k * columns + j] = b[from * columns + j];
            b[from * columns + j] = x;
        }
        product *= from != k ? -a[k * n + k] : a[k * n + k];
        for (int64_t i = 0; i < n; i++) {
            const long double by = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (int64_t j = 0; j < n; j++) a[i * n + j] -= by * a[k * n + j];
            for (int64_t j = 0; j < columns; j++) b[i * columns + j] -= by * b[k * columns + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < columns; j++) b[i * columns + j] /= a[i * n + i];
    return product;
}

bool systems_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    enum { SOLVE, INVERT, DETERMINANT, WAYS };
    const int way = (int)random_below(r, WAYS);
    struct dominant d, right = {.data = NULL};
    if (!dominant_of(a, true, false, random_below(r, 2), &d)) return false;
    if (way == SOLVE &&
        (!dominant_of(a, false, false, random_below(r, 2), &right) || right.m != d.n)) {
        free(d.data);
        free(right.data);
        return false;
    }
    const int64_t n = d.n, columns = way == SOLVE ? right.n : way == INVERT ? n : 0;
    *out = dominant_result(a, &d, way == DETERMINANT ? 1 : n, way == DETERMINANT ? 1 : columns);
    out->spread = 4 * (d.spread + right.spread);
    long double *x = calloc((size_t)(n * (n + columns) + 1), sizeof *x), *y = x + n * n;
    for (int64_t i = 0; i < d.batch; i++) {
        for (int64_t k = 0; k < n * n; k++) x[k] = d.data[i * n * n + k];
        for (int64_t k = 0; k < n * columns; k++)
            y[k] = way == SOLVE ? right.data[i * n * columns + k] : k / n == k % n;
        const long double det = eliminate(n, columns, x, y);
        if (way == DETERMINANT) out->data[i] = (double)det;
        for (int64_t k = 0; k < n * columns; k++) out->data[i * n * columns + k] = (double)y[k];
    }
    free(x);
    if (way == DETERMINANT) {
        out->ndim = d.ndim - 2;
        out->size = d.batch;
    }
    out->array = way == SOLVE    ? heddle_linalg_solve(d.array, right.array)
                 : way == INVERT ? heddle_linalg_inv(d.array)
                                 : heddle_linalg_det(d.array);
    free(d.data);
    free(right.data);
    return true;
}
