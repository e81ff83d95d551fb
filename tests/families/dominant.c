/* Well-conditioned matrices of random values. Entry points: dominant.h. */
#include "families/dominant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 48 }; /* rows and columns: oracles take the third power */

static heddle_array *corner(heddle_array *a, int ndim, int64_t m, int64_t n)
{
    return ndim == 2 ? heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(0, m), HEDDLE_SLICE(0, n)))
                     : heddle_getitem(
                           a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_SLICE(0, m), HEDDLE_SLICE(0, n)));
}

/* The same as an array. */
static heddle_array *build(const struct value *a, const struct dominant *d, double scale,
                           bool symmetric, bool flipped)
{
    heddle_array *x = corner(heddle_astype(a->array, d->dtype), d->ndim, d->m, d->n);
    x = heddle_multiply(x, heddle_scalar_float(scale));
    if (symmetric) x = heddle_add(x, heddle_matrix_transpose(x));
    heddle_array *diagonal = heddle_eye(d->m, d->n, .dtype = d->dtype);
    x = heddle_add(x, heddle_multiply(diagonal, heddle_scalar_float(4)));
    return flipped ? heddle_flip(x, .axis = d->ndim - 2) : x;
}

bool dominant_of(const struct value *a, bool square, bool symmetric, bool flipped,
                 struct dominant *d)
{
    if (a->ndim < 2 || a->ndim > 3 || heddle_dtype_size(a->dtype) == 2) return false;
    int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    const int64_t stride = n, all = m * n, batch = a->ndim == 3 ? a->shape[0] : 1;
    if (m > MOST) m = MOST;
    if (n > MOST) n = MOST;
    if (square) m = n = m < n ? m : n;
    const double largest = value_largest(a);
    if (m == 0 || n == 0 || batch == 0 || batch * m * n > 20000 || !(largest < 1e6)) return false;
    *d = (struct dominant){.dtype = value_is_float(a->dtype) ? a->dtype : HEDDLE_FLOAT64,
                           .ndim = a->ndim,
                           .batch = batch,
                           .m = m,
                           .n = n};
    int axes = 0;
    if (a->ndim == 3) d->shape[axes++] = batch;
    d->shape[axes++] = m;
    d->shape[axes] = n;
    int exponent; /* a power of two, so that scaling is exact */
    frexp((largest > 0 ? largest : 1) * (double)(m > n ? m : n), &exponent);
    const double scale = ldexp(1, -exponent);
    d->data = malloc((size_t)(batch * m * n) * sizeof *d->data);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                const double *from = a->data + b * all;
                double x = from[i * stride + j] * scale;
                if (symmetric) x = value_round(d->dtype, x + from[j * stride + i] * scale);
                if (i == j) x = value_round(d->dtype, x + 4);
                d->data[(b * m + (flipped ? m - 1 - i : i)) * n + j] = x;
            }
    d->spread = (a->spread + 64 * value_epsilon(d->dtype)) * (double)(m + n + 8);
    d->array = build(a, d, scale, symmetric, flipped);
    return true;
}

struct value dominant_result(const struct value *a, const struct dominant *d, int64_t rows,
                             int64_t columns)
{
    int64_t shape[3];
    int axes = 0;
    if (d->ndim == 3) shape[axes++] = d->batch;
    shape[axes++] = rows;
    shape[axes] = columns;
    struct value v = value_new(d->dtype, d->ndim, shape);
    value_inherit(&v, a);
    v.exact = false;
    v.by_blas = true;
    v.spread = d->spread;
    memset(v.data, 0, (size_t)v.size * sizeof *v.data);
    return v;
}

/* Applies the reflector v, of elements k .. m - 1 and scale tau, to a column. */
static void reflect(int64_t k, int64_t m, const double *v, double tau, double *column,
                    int64_t stride)
{
    double sum = 0;
    for (int64_t i = k; i < m; i++) sum += v[i] * column[i * stride];
    for (int64_t i = k; i < m; i++) column[i * stride] -= tau * v[i] * sum;
}

bool dominant_qr(int64_t m, int64_t n, double *a, double *q)
{
    double *v = malloc((size_t)m * sizeof *v);
    for (int64_t i = 0; q && i < m * m; i++) q[i] = i % (m + 1) == 0;
    for (int64_t k = 0; k < n && k < m; k++) {
        double below = 0;
        for (int64_t i = k + 1; i < m; i++) below += a[i * n + k] * a[i * n + k];
        if (k == m - 1) continue;                        /* LAPACK reflects nothing, */
        if (below < 1e-8 || fabs(a[k * n + k]) < 1e-4) { /* nor does it a column of zeros */
            free(v);
            return false;
        }
        const double x = a[k * n + k], norm = sqrt(x * x + below), beta = x > 0 ? -norm : norm;
        for (int64_t i = k; i < m; i++) v[i] = i == k ? x - beta : a[i * n + k];
        const double tau = 2 / (v[k] * v[k] + below);
        for (int64_t j = k; j < n; j++) reflect(k, m, v, tau, a + j, n);
        for (int64_t i = k + 1; i < m; i++) a[i * n + k] = 0;
        for (int64_t i = 0; q && i < m; i++) reflect(k, m, v, tau, q + i * m, 1); /* rows: Q H */
    }
    free(v);
    return true;
}
