/* Systems of more rows or columns than lanes have, by LAPACK one after the other, each in the thread's cache. Entry point:
 * heddle__systems_large. */
#include "families/factor/cpu_lapack.h"
#include "families/factor/cpu_systems.h"

#include "cpu/blas.h"

#include <string.h>

enum { N = HEDDLE_SYSTEMS_ROWS, COLUMNS = HEDDLE_SYSTEMS_COLUMNS };

/* Column-major `to` from row-major `from`, or the reverse with the extents exchanged. */
#define TRANSPOSE(T)                                                                               \
    for (int i = 0; i < rows; i++)                                                                 \
        for (int j = 0; j < columns; j++)                                                          \
    ((T *)to)[j * rows + i] = ((const T *)from)[i * columns + j]
static void transpose(bool single, int rows, int columns, const void *from, void *to)
{
    if (single)
        TRANSPOSE(float);
    else
        TRANSPOSE(double);
}

static double element(bool single, const void *x, int64_t i)
{
    return single ? (double)((const float *)x)[i] : ((const double *)x)[i];
}
static void put(bool single, void *x, int64_t i, double value)
{
    if (single)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

/* Pivots, the first with the sign of the exchanges, or their product, as the dtype rounds it. */
static void put_pivots(const struct heddle_systems *s, const void *a, const int *pivots, void *out)
{
    const bool single = s->dtype == HEDDLE_FLOAT32;
    double product = 1;
    bool odd = false;
    for (int k = 0; k < s->n; k++) odd ^= pivots[k] != k + 1;
    for (int k = 0; k < s->n; k++) {
        const double plain = element(single, a, (int64_t)k * (s->n + 1)),
                     pivot = k == 0 && odd ? -plain : plain;
        product = single ? (double)((float)product * (float)pivot) : product * pivot;
        if (s->what == HEDDLE_SYSTEMS_PIVOTS) put(single, out, k, pivot);
    }
    if (s->what == HEDDLE_SYSTEMS_DETERMINANT) put(single, out, 0, product);
}

int64_t heddle__systems_large(const struct heddle_systems *s, const void *a, const void *b,
                              void *out, int64_t from, int64_t to)
{
    static const double one64 = 1;
    static const float one32 = 1;
    double left[N * N], right[N * COLUMNS];
    int pivots[N], info, n = s->n, columns = s->columns;
    const int first = 1;
    const bool single = s->dtype == HEDDLE_FLOAT32;
    const size_t size = single ? sizeof(float) : sizeof(double);
    const size_t each = (size_t)heddle__systems_each(s) * size;
    const void *const one = single ? (const void *)&one32 : &one64;
    const struct heddle_lapack *l;
    int64_t bad = -1;
    if (heddle__factor_lapack((enum heddle_dtype)s->dtype, &l) != HEDDLE_OK) return -1;
    const int before = heddle__cpu_blas_begin(1);
    for (int64_t at = from; at < to; at++) {
        char *const x = (char *)out + (size_t)at * each;
        transpose(single, n, n, (const char *)a + (size_t)at * (size_t)(n * n) * size, left);
        l->getrf(&n, &n, left, &n, pivots, &info);
        if (heddle__systems_is_of_matrix(s)) {
            put_pivots(s, left, pivots, x);
            continue;
        }
        if (info > 0) {
            if (bad < 0) bad = at * n + info - 1;
            continue;
        }
        if (s->what == HEDDLE_SYSTEMS_INVERT) {
            memset(right, 0, (size_t)(n * n) * size);
            for (int i = 0; i < n; i++) put(single, right, (int64_t)i * (n + 1), 1);
        } else {
            transpose(single, n, columns, (const char *)b + (size_t)at * each, right);
        }
        l->laswp(&columns, right, &n, &first, &n, pivots, &first);
        l->trsm("L", "L", "N", "U", &n, &columns, one, left, &n, right, &n, 1, 1, 1, 1);
        l->trsm("L", "U", "N", "N", &n, &columns, one, left, &n, right, &n, 1, 1, 1, 1);
        transpose(single, columns, n, right, x);
    }
    heddle__cpu_blas_end(before);
    return bad;
}
