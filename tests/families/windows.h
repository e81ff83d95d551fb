/* What tests of sums over windows share: elements, and the oracle. It takes one product after the other: of integers in words of 64 bits,
 * of numbers as they are rounded, to the last bit, and in long double, within what rounding can change. */
#ifndef HEDDLE_TESTS_FAMILIES_WINDOWS_H
#define HEDDLE_TESTS_FAMILIES_WINDOWS_H

#include "check.h"
#include "families/window/kernel.h"
#include "random_words.h"

#include <float.h>
#include <heddle/dtype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Random elements; of integers all bits, of numbers some that are large. */
static inline void windows_fill(enum heddle_dtype dtype, void *to, int64_t n)
{
    const char kind = heddle_dtype_kind(dtype);
    const int64_t size = (int64_t)heddle_dtype_size(dtype), parts = kind == 'C' ? 2 * n : n;
    for (int64_t i = 0; i < parts; i++) {
        const uint64_t word = random_word();
        const double x = (random_part() - 0.5) * (word % 16 ? 1 : 1e6);
        if (kind == 'B')
            ((uint8_t *)to)[i] = word % 8 == 0;
        else if (kind == 'I' || kind == 'U')
            memcpy((char *)to + i * size, &word, (size_t)size);
        else if (size / (kind == 'C' ? 2 : 1) == 4)
            ((float *)to)[i] = (float)x;
        else
            ((double *)to)[i] = x;
    }
}

/* Result i: from `start` on, which is 0 or, of a window that goes on, what is there. Parts of a complex number as two of 2; of others the second
 * one is 0. Rounds to float or double after each operation. */
struct windows_sum {
    double part[2];
    long double exact[2], magnitude;
};

static inline double windows_round(bool single, double x)
{
    volatile float narrow = (float)x;
    return single ? (double)narrow : x;
}

static inline double windows_part(enum heddle_dtype dtype, const void *at, int64_t i, int part)
{
    switch (dtype) {
    case HEDDLE_FLOAT32: return part ? 0 : (double)((const float *)at)[i];
    case HEDDLE_FLOAT64: return part ? 0 : ((const double *)at)[i];
    case HEDDLE_COMPLEX64: return (double)((const float *)at)[2 * i + part];
    default: return ((const double *)at)[2 * i + part];
    }
}

static inline void windows_add(bool single, bool complex, struct windows_sum *s, const double *x,
                               const double *g)
{
    volatile double product[4], term[2];
    for (int k = 0; k < 4; k++) product[k] = windows_round(single, x[k / 2] * g[k % 2]);
    term[0] = complex ? windows_round(single, product[0] - product[3]) : product[0];
    term[1] = complex ? windows_round(single, product[1] + product[2]) : 0;
    for (int k = 0; k < 2; k++) {
        volatile double sum = s->part[k] + term[k];
        s->part[k] = windows_round(single, sum);
    }
    s->exact[0] += (long double)x[0] * g[0] - (long double)x[1] * g[1];
    s->exact[1] += (long double)x[0] * g[1] + (long double)x[1] * g[0];
    for (int k = 0; k < 4; k++) s->magnitude += fabsl((long double)x[k / 2] * g[k % 2]);
}

/* The first result that is wrong; -1: none. `before`: what y had. All with their offsets. */
static inline int64_t windows_wrong(const struct heddle_window *w, const void *x, const void *taps,
                                    const void *before, const void *got)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)w->dtype;
    const char kind = heddle_dtype_kind(dtype);
    const size_t size = heddle_dtype_size(dtype);
    const bool single = dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_COMPLEX64;
    for (int64_t i = 0; i < w->n; i++) {
        const bool goes_on = w->adds && w->first + i < 0;
        struct windows_sum s = {.magnitude = 0};
        uint64_t sum = 0, is = 0;
        if (goes_on) memcpy(&sum, (const char *)before + (size_t)i * size, size < 8 ? size : 8);
        for (int k = 0; k < 2 && goes_on && kind != 'I' && kind != 'U' && kind != 'B'; k++) {
            s.exact[k] = s.part[k] = windows_part(dtype, before, i, k);
            s.magnitude += fabsl(s.exact[k]);
        }
        for (int64_t j = 0; j < w->m; j++) {
            const int64_t at = w->first + i + j, tap = w->turned ? w->m - 1 - j : j;
            if (at < 0 || at >= w->n_x) continue;
            if (kind == 'I' || kind == 'U' || kind == 'B') {
                uint64_t a = 0, b = 0;
                memcpy(&a, (const char *)x + (size_t)at * size, size);
                memcpy(&b, (const char *)taps + (size_t)tap * size, size);
                sum = kind == 'B' ? sum | (a & b) : sum + a * b;
                continue;
            }
            const double a[2] = {windows_part(dtype, x, at, 0), windows_part(dtype, x, at, 1)},
                         b[2] = {windows_part(dtype, taps, tap, 0),
                                 windows_part(dtype, taps, tap, 1)};
            windows_add(single, kind == 'C', &s, a, b);
        }
        if (kind == 'I' || kind == 'U' || kind == 'B') {
            memcpy(&is, (const char *)got + (size_t)i * size, size);
            if (is != (size == 8 ? sum : sum & ((UINT64_C(1) << 8 * size) - 1))) return i;
            continue;
        }
        const long double bound =
            s.magnitude * (long double)(w->m + 3) * (single ? FLT_EPSILON : DBL_EPSILON);
        for (int k = 0; k < (kind == 'C' ? 2 : 1); k++) {
            const double part = windows_part(dtype, got, i, k);
            if (part != s.part[k] || fabsl(part - s.exact[k]) > bound) return i;
        }
    }
    return -1;
}

/* That all results are right. */
static inline void windows_check(const struct heddle_window *w, const void *x, const void *taps,
                                 const void *before, const void *got)
{
    const int64_t wrong = windows_wrong(w, x, taps, before, got);
    CHECK(wrong < 0, "%s: %lld of %lld results, %lld taps%s, %lld elements from %lld%s",
          heddle_dtype_name((enum heddle_dtype)w->dtype), (long long)wrong, (long long)w->n,
          (long long)w->m, w->turned ? " turned" : "", (long long)w->n_x, (long long)w->first,
          w->adds ? ", others before" : "");
}

#endif
