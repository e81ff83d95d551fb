/* Sums over windows that slide over a row, for one instruction set (HD_ISA): a lane for each result, so that the terms of a window are
 * added in order, and several vectors of results at once, so that a tap is loaded for all of them. Entry point:
 * heddle__block_windows_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"
#include "cpu/products/widest.h"

#include <string.h>

enum { AT_ONCE = 8 }; /* vectors of sums in registers */

/* Elements: T, of which E make one. v_N is a vector of sums, of LANES_N results; load_N makes it of elements, store_N the other way round;
 * term_N adds x times the tap at g. */
#define VECTOR(N, T, BYTES) typedef T v_##N __attribute__((vector_size(BYTES), aligned(sizeof(T))));

/* Of the same T as the sums. */
#define LOADED(N, T)                                                                               \
    VECTOR(N, T, WIDEST)                                                                           \
    static inline v_##N load_##N(const T *x)                                                       \
    {                                                                                              \
        return *(const v_##N *)x;                                                                  \
    }                                                                                              \
    static inline void store_##N(T *y, v_##N sums)                                                 \
    {                                                                                              \
        *(v_##N *)y = sums;                                                                        \
    }

#define NUMBERS(N, T)                                                                              \
    enum { LANES_##N = WIDEST / (int)sizeof(T) };                                                  \
    LOADED(N, T)                                                                                   \
    static inline v_##N term_##N(v_##N sums, v_##N x, const T *g)                                  \
    {                                                                                              \
        return sums + x * g[0];                                                                    \
    }
NUMBERS(w2, uint16_t)
NUMBERS(w4, uint32_t)
NUMBERS(w8, uint64_t)
NUMBERS(f4, float)
NUMBERS(f8, double)

enum { LANES_b1 = WIDEST };
LOADED(b1, uint8_t)
static inline v_b1 term_b1(v_b1 sums, v_b1 x, const uint8_t *g)
{
    return sums | (x & g[0]);
}

/* Bytes have no product of their own: they are the low halves of sums of 16 bits. */
enum { LANES_w1 = WIDEST / 2 };
VECTOR(w1, uint16_t, WIDEST)
VECTOR(bytes, uint8_t, WIDEST / 2)
static inline v_w1 load_w1(const uint8_t *x)
{
    return __builtin_convertvector(*(const v_bytes *)x, v_w1);
}
static inline void store_w1(uint8_t *y, v_w1 sums)
{
    *(v_bytes *)y = __builtin_convertvector(sums, v_bytes);
}
static inline v_w1 term_w1(v_w1 sums, v_w1 x, const uint8_t *g)
{
    return sums + x * (uint16_t)g[0];
}

/* Of x g the real parts are re re - im im, as re re + im (-im); so the parts of x are turned round for the second product. */
#define PAIRS_2 1, 0
#define PAIRS_4 PAIRS_2, 3, 2
#define PAIRS_8 PAIRS_4, 5, 4, 7, 6
#define PAIRS_16 PAIRS_8, 9, 8, 11, 10, 13, 12, 15, 14
#define SIGNS_2 -1, 1
#define SIGNS_4 SIGNS_2, SIGNS_2
#define SIGNS_8 SIGNS_4, SIGNS_4
#define SIGNS_16 SIGNS_8, SIGNS_8
#define COMPLEX(N, T, LANES)                                                                       \
    enum { LANES_##N = WIDEST / (int)sizeof(T) / 2 };                                              \
    LOADED(N, T)                                                                                   \
    static inline v_##N term_##N(v_##N sums, v_##N x, const T *g)                                  \
    {                                                                                              \
        const v_##N sign = {SIGNS_##LANES}, turned = __builtin_shufflevector(x, x, PAIRS_##LANES); \
        return sums + (x * g[0] + turned * (sign * g[1]));                                         \
    }
#if WIDEST == 64
COMPLEX(c4, float, 16)
COMPLEX(c8, double, 8)
#elif WIDEST == 32
COMPLEX(c4, float, 8)
COMPLEX(c8, double, 4)
#else
COMPLEX(c4, float, 4)
COMPLEX(c8, double, 2)
#endif

/* ---- Sums ----------------------------------------------------------------------------------------------- */

/* vectors_N: the results of a few vectors. sum_N: as blocks.h says. */
#define WINDOWS(N, T, E)                                                                           \
    static inline __attribute__((always_inline)) void vectors_##N(                                 \
        int vectors, int64_t m, const T *x, const T *g, T *y, bool adds)                           \
    {                                                                                              \
        v_##N sums[AT_ONCE];                                                                       \
        HD_UNROLL for (int i = 0; i < vectors; i++) sums[i] =                                      \
            adds ? load_##N(y + i * LANES_##N * E) : (v_##N){0};                                   \
        for (int64_t j = 0; j < m; j++, x += E, g += E)                                            \
            HD_UNROLL for (int i = 0; i < vectors; i++) sums[i] =                                  \
                term_##N(sums[i], load_##N(x + i * LANES_##N * E), g);                             \
        HD_UNROLL for (int i = 0; i < vectors; i++) store_##N(y + i * LANES_##N * E, sums[i]);     \
    }                                                                                              \
    static void sum_##N(int64_t n, int64_t m, const void *x_, const void *g_, void *y_, bool adds) \
    {                                                                                              \
        enum { L = LANES_##N, BYTES = E * (int)sizeof(T) };                                        \
        const T *x = x_, *g = g_;                                                                  \
        T *y = y_;                                                                                 \
        int64_t i = 0;                                                                             \
        for (; i + AT_ONCE * L <= n; i += AT_ONCE * L)                                             \
            vectors_##N(AT_ONCE, m, x + i * E, g, y + i * E, adds);                                \
        for (; i + L <= n; i += L) vectors_##N(1, m, x + i * E, g, y + i * E, adds);               \
        if (i == n) return;                                                                        \
        if (i > 0 && !adds) { /* some of them once more */                                         \
            i = n - L;                                                                             \
            vectors_##N(1, m, x + i * E, g, y + i * E, false);                                     \
            return;                                                                                \
        }                                                                                          \
        T near[2 * L * E] = {0},                                                                   \
                       last[L * E] = {0}; /* x by pieces, with elements behind its end */          \
        if (adds) memcpy(last, y + i * E, (size_t)(n - i) * BYTES);                                \
        for (int64_t j = 0; j < m; j += L) {                                                       \
            const int64_t terms = m - j < L ? m - j : L;                                           \
            memcpy(near, x + (i + j) * E, (size_t)(n - i + terms - 1) * BYTES);                    \
            vectors_##N(1, terms, near, g + j * E, last, true);                                    \
        }                                                                                          \
        memcpy(y + i * E, last, (size_t)(n - i) * BYTES);                                          \
    }
WINDOWS(b1, uint8_t, 1)
WINDOWS(w1, uint8_t, 1)
WINDOWS(w2, uint16_t, 1)
WINDOWS(w4, uint32_t, 1)
WINDOWS(w8, uint64_t, 1)
WINDOWS(f4, float, 1)
WINDOWS(f8, double, 1)
WINDOWS(c4, float, 2)
WINDOWS(c8, double, 2)

extern const struct heddle__block_windows HD_PASTE(heddle__block_, windows, HD_ISA);
const struct heddle__block_windows HD_PASTE(heddle__block_, windows, HD_ISA) = {
    .sum = {sum_b1, sum_w1, sum_w2, sum_w4, sum_w8, sum_f4, sum_f8, sum_c4, sum_c8},
};
