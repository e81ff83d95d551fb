/* Small systems: solutions, inverses and determinants. */
#include "families/dominant.h"
#include "families/gauss.h"

#include <stdlib.h>

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
    long double *x = calloc((size_t)(n * (n + columns + 1)), sizeof *x), *y = x + n * n,
                *pivots = y + n * columns;
    for (int64_t i = 0; i < d.batch; i++) {
        for (int64_t k = 0; k < n * n; k++) x[k] = d.data[i * n * n + k];
        for (int64_t k = 0; k < n * columns; k++)
            y[k] = way == SOLVE ? right.data[i * n * columns + k] : k / n == k % n;
        gauss(n, columns, x, y, pivots);
        for (int64_t k = 1; k < n; k++) pivots[0] *= pivots[k];
        if (way == DETERMINANT) out->data[i] = (double)pivots[0];
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
