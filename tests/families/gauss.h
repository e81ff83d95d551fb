/* The oracle of equations: elimination after Gauss and Jordan, with partial pivoting, in long double. */
#ifndef HEDDLE_TESTS_FAMILIES_GAUSS_H
#define HEDDLE_TESTS_FAMILIES_GAUSS_H

#include <math.h>
#include <stdint.h>

static inline void gauss_swap(int64_t n, long double *x, long double *y)
{
    for (int64_t j = 0; j < n; j++) {
        const long double t = x[j];
        x[j] = y[j];
        y[j] = t;
    }
}

/* a x = b of n rows: the columns of b become those of x; a is destroyed. pivots: n, the first one negative if rows were exchanged
 * an odd number of times. Gives the first pivot that is 0, where nothing is eliminated, or n. */
static inline int64_t gauss(int64_t n, int64_t columns, long double *a, long double *b,
                            long double *pivots)
{
    int64_t zero = n;
    long double sign = 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t from = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabsl(a[i * n + k]) > fabsl(a[from * n + k])) from = i;
        if (from != k) {
            gauss_swap(n, a + k * n, a + from * n);
            gauss_swap(columns, b + k * columns, b + from * columns);
            sign = -sign;
        }
        pivots[k] = a[k * n + k];
        if (pivots[k] == 0) {
            if (zero == n) zero = k;
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            const long double by = i == k ? 0 : a[i * n + k] / pivots[k];
            for (int64_t j = k; j < n; j++) a[i * n + j] -= by * a[k * n + j];
            for (int64_t j = 0; j < columns; j++) b[i * columns + j] -= by * b[k * columns + j];
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < columns; j++) b[i * columns + j] /= pivots[i];
    pivots[0] *= sign;
    return zero;
}

#endif
