/* Lanes of several vectors that change places, for halving.c alone, which defines `lanes`, N of them of HD_BYTES each, 4 or 8. */
#ifndef HEDDLE_CODELETS_CPU_EXCHANGES_H
#define HEDDLE_CODELETS_CPU_EXCHANGES_H

#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#if HD_BYTES == 8
typedef int64_t numbers __attribute__((vector_size(HD_WIDTH)));
#else
typedef int32_t numbers __attribute__((vector_size(HD_WIDTH)));
#endif
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (numbers){__VA_ARGS__})
#endif

/* An expression of each lane, in a list. */
#define EACH_2(f, s) f(s, 0), f(s, 1)
#define EACH_4(f, s) EACH_2(f, s), f(s, 2), f(s, 3)
#define EACH_8(f, s) EACH_4(f, s), f(s, 4), f(s, 5), f(s, 6), f(s, 7)
#define EACH_16(f, s)                                                                              \
    EACH_8(f, s), f(s, 8), f(s, 9), f(s, 10), f(s, 11), f(s, 12), f(s, 13), f(s, 14), f(s, 15)
#if HD_WIDTH == 16 * HD_BYTES
#define EACH EACH_16
#elif HD_WIDTH == 8 * HD_BYTES
#define EACH EACH_8
#elif HD_WIDTH == 4 * HD_BYTES
#define EACH EACH_4
#else
#define EACH EACH_2
#endif

/* The lanes l + step of a and l of b, for l without the bit `step`, change places: what a is then, and b. Numbers as steps: permutations
 * that the compiler does not know take several times as long. */
#define LOW(step, l) ((l) & (step) ? N + (l) - (step) : (l))
#define HIGH(step, l) ((l) & (step) ? N + (l) : (l) + (step))

/* Blocks of 2 x 2 of `step` of W vectors are transposed. */
#define EXCHANGE(step)                                                                             \
    HD_UNROLL for (int i = 0; i < W && (step) < W; i++)                                            \
    {                                                                                              \
        if (i & (step)) continue;                                                                  \
        const lanes a = x[i], b = x[i + (step)];                                                   \
        x[i] = SHUFFLE(a, b, EACH(LOW, step));                                                     \
        x[i + (step)] = SHUFFLE(a, b, EACH(HIGH, step));                                           \
    }

static inline __attribute__((always_inline)) void exchange_all(lanes *x, int W)
{
    EXCHANGE(1)
#if HD_WIDTH / HD_BYTES >= 4
    EXCHANGE(2)
#endif
#if HD_WIDTH / HD_BYTES >= 8
    EXCHANGE(4)
#endif
}

/* The lower halves of two vectors beside each other, combined with the upper ones. */
#define HALVE_TWO(step)                                                                            \
    HD_UNROLL for (int i = 0; i < (step); i++)                                                     \
    {                                                                                              \
        const lanes a = x[i], b = x[i + (step)];                                                   \
        x[i] = two(SHUFFLE(a, b, EACH(LOW, step)), SHUFFLE(a, b, EACH(HIGH, step)));               \
    }

/* Lane r: x[r], of N, by halves down to one element. */
static inline __attribute__((always_inline)) lanes halve_all(lanes *x, lanes (*two)(lanes, lanes))
{
#if HD_WIDTH / HD_BYTES >= 16
    HALVE_TWO(8)
#endif
#if HD_WIDTH / HD_BYTES >= 8
    HALVE_TWO(4)
#endif
#if HD_WIDTH / HD_BYTES >= 4
    HALVE_TWO(2)
#endif
    HALVE_TWO(1)
    return x[0];
}

#endif
