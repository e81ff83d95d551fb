/* Elements at computed places, and checks of these, for moves.c alone: for one instruction set. Entry points: LOAD_AT, CHECKED. */
#ifndef HEDDLE_CPU_PLACES_H
#define HEDDLE_CPU_PLACES_H

#include "cpu/blocks.h"
#include "cpu/loops.h"

#include <string.h>

/* Whether a strip of places are one after the other, or all the same; the ends mostly tell that they are not. */
enum { STRIP_AT = 32 };
static inline bool is_run_at(const int64_t *x, int64_t step)
{
    uint64_t apart = 0;
    if (x[1] - x[0] != step || x[STRIP_AT - 1] - x[0] != (STRIP_AT - 1) * step) return false;
    HD_VECTOR
    for (int64_t j = 0; j < STRIP_AT; j++) apart |= (uint64_t)(x[j] - x[0] - j * step);
    return apart == 0;
}

/* Rows of a table, or windows, are strips that lie together. Else four at a time, all loads first: one by one a processor takes more than
 * twice as long, as each store may be where the next load is. */
#define LOAD_AT(T, SIZE)                                                                           \
    static void load_places_##SIZE(size_t n, T *out, const int64_t *x, const T *y)                 \
    {                                                                                              \
        size_t i = 0;                                                                              \
        for (; i + 4 <= n; i += 4) {                                                               \
            const T a = y[x[i]], b = y[x[i + 1]], c = y[x[i + 2]], d = y[x[i + 3]];                \
            out[i] = a;                                                                            \
            out[i + 1] = b;                                                                        \
            out[i + 2] = c;                                                                        \
            out[i + 3] = d;                                                                        \
        }                                                                                          \
        for (; i < n; i++) out[i] = y[x[i]];                                                       \
    }                                                                                              \
    static void load_at_##SIZE(size_t n, void *out_, const void *x_, const void *y_,               \
                               const void *z)                                                      \
    {                                                                                              \
        (void)z;                                                                                   \
        const int64_t *x = x_;                                                                     \
        const T *y = y_;                                                                           \
        T *out = out_; /* or x */                                                                  \
        size_t from = 0;                                                                           \
        for (size_t i = 0; i + STRIP_AT <= n; i += STRIP_AT) {                                     \
            const bool is_run = is_run_at(x + i, 1);                                               \
            if (!is_run && !is_run_at(x + i, 0)) continue;                                         \
            load_places_##SIZE(i - from, out + from, x + from, y);                                 \
            from = i + STRIP_AT;                                                                   \
            const T *const first = y + x[i], same = *first;                                        \
            if (is_run)                                                                            \
                memcpy(out + i, first, STRIP_AT * sizeof *first);                                  \
            else                                                                                   \
                for (size_t j = 0; j < STRIP_AT; j++) out[i + j] = same;                           \
        }                                                                                          \
        load_places_##SIZE(n - from, out + from, x + from, y);                                     \
    }

/* Sets indices that are out of range to 0, of which there are some. */
#define CHECKED(BITS)                                                                              \
    static void note_bad_##BITS(size_t n, int64_t *out, const int##BITS##_t *x, int64_t extent,    \
                                struct heddle__bad_index *bad)                                     \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int64_t k = x[i] < 0 ? x[i] + extent : x[i];                                     \
            const bool good = k >= 0 && k < extent;                                                \
            if (!good && bad->n == 0)                                                              \
                *bad = (struct heddle__bad_index){.index = x[i], .n = extent};                     \
            out[i] = good ? k : 0;                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void checked_##BITS(size_t n, void *out_, const void *x_, const void *y, const void *z) \
    {                                                                                              \
        const int##BITS##_t *x = x_;                                                               \
        int64_t *out = out_; /* not x */                                                           \
        const int64_t extent = *(const int64_t *)y;                                                \
        uint64_t signs = 0; /* of two numbers, of which a bad index makes one negative */          \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const int64_t k = x[i] + (x[i] < 0 ? extent : 0);                                      \
            signs |= (uint64_t)k | ((uint64_t)extent - 1 - (uint64_t)k);                           \
            out[i] = k;                                                                            \
        }                                                                                          \
        if (signs >> 63) note_bad_##BITS(n, out, x, extent, (void *)(uintptr_t)z);                 \
    }

#endif
