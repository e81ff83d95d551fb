/* Division of integers by one divisor without a division for each element, for loops.c (HD_T, HD_KIND, HD_BYTES):
 * a multiplication and shifts, T. Granlund and P. Montgomery, Division by Invariant Integers using Multiplication,
 * 1994, figure 4.1. The results are those of scalar_integer.h. Defines floor_divide_by, remainder_by and fmod_by. */
#ifndef HEDDLE_CODELETS_CPU_DIVISION_H
#define HEDDLE_CODELETS_CPU_DIVISION_H

#if HD_BYTES == 1
typedef uint8_t hd_size;
typedef uint16_t hd_wide;
#elif HD_BYTES == 2
typedef uint16_t hd_size;
typedef uint32_t hd_wide;
#elif HD_BYTES == 4
typedef uint32_t hd_size;
typedef uint64_t hd_wide;
#else
typedef uint64_t hd_size;
__extension__ typedef unsigned __int128 hd_wide;
#endif

enum { HD_WIDTH = 8 * HD_BYTES };

/* A divisor of magnitude 2 at least: 2^l is the least power of two that is not less. The multiplier is 2^(width + l) /
 * magnitude, rounded up, without its bit 2^width; of signed types half of that quotient, rounded up, which has no such
 * bit. The shift is masked, because GCC 12 shifts in narrow lanes only if it sees that the count is less than the width. */
struct hd_divisor {
    hd_size negative; /* all ones below 0 */
    hd_size multiplier;
    int shift; /* l - 1 */
};

/* All ones below 0, else 0. */
static inline hd_size hd_negative(HD_T x)
{
#if HD_KIND == HD_I
    return (hd_size)(x >> (HD_WIDTH - 1));
#else
    (void)x;
    return 0;
#endif
}

static inline hd_size hd_size_of(HD_T x)
{
    return (hd_size)(((hd_size)x ^ hd_negative(x)) - hd_negative(x));
}

/* Not inline: GCC 12 uses instructions for the high half of a product only if it sees a factor of the narrow type. */
__attribute__((noinline)) static hd_size hd_multiplier_of(hd_size size, int log)
{
#if HD_KIND == HD_I
    const hd_wide dividend = (hd_wide)(((hd_wide)1 << (HD_WIDTH - 1 + log)) + size - 1);
    return (hd_size)(dividend / size);
#else
    const hd_size rest = (hd_size)(((hd_wide)1 << log) - size);
    return (hd_size)(((hd_wide)rest << HD_WIDTH) / size + 1);
#endif
}

static inline struct hd_divisor hd_divisor_of(HD_T y)
{
    const hd_size size = hd_size_of(y);
    const int log = 64 - __builtin_clzll((uint64_t)size - 1);
    return (struct hd_divisor){hd_negative(y), hd_multiplier_of(size, log),
                               (log - 1) & (HD_WIDTH - 1)};
}

/* The high half of n * m. Of 64 bits by products of their halves where vectors have such, which no vector has whole. */
static inline hd_size hd_high(hd_size n, hd_size m)
{
#if HD_BYTES == 8 && defined(__AVX512DQ__)
    const hd_size n0 = (uint32_t)n, n1 = n >> 32, m0 = (uint32_t)m, m1 = m >> 32;
    const hd_size first = n1 * m0 + ((n0 * m0) >> 32), second = n0 * m1 + (uint32_t)first;
    return n1 * m1 + (first >> 32) + (second >> 32);
#else
    return (hd_size)(((hd_wide)n * m) >> HD_WIDTH);
#endif
}

/* n / size, rounded down. Signed: n is 2^(width - 1) at most, for which as many bits of the multiplier are enough. */
static inline hd_size hd_multiplied(hd_size n, const struct hd_divisor *d)
{
    const hd_size high = hd_high(n, d->multiplier);
#if HD_KIND == HD_I
    return (hd_size)(high >> d->shift);
#else
    const hd_size mean = (hd_size)((hd_size)(n - high) >> 1); /* the sum high + n may not fit */
    return (hd_size)((hd_size)(high + mean) >> d->shift);
#endif
}

/* x / y, down to minus infinity, as of -x / -y: what is less than 0 is -1 - n, and so is its quotient. -x does not fit
 * if x is the least number, but its bits as a magnitude are right, and ~x tells that it is not negative. */
static inline HD_T hd_floor_quotient(HD_T x, const struct hd_divisor *d)
{
    const hd_size inverted = (hd_size)x ^ d->negative;
    const hd_size same = (hd_size)(inverted - d->negative);
    const hd_size sign = hd_negative((HD_T)(inverted & same));
    return (HD_T)(hd_multiplied(same ^ sign, d) ^ sign);
}

/* x / y, towards zero. */
static inline HD_T hd_trunc_quotient(HD_T x, const struct hd_divisor *d)
{
    const hd_size differ = hd_negative(x) ^ d->negative;
    return (HD_T)((hd_multiplied(hd_size_of(x), d) ^ differ) - differ);
}

/* x in xs; y is one number, q the quotient. PLAIN: the loop that divides, for 0, 1 and -1. */
#define HD_DIVIDE_BY(NAME, PLAIN, QUOTIENT, ...)                                                   \
    static void NAME(size_t n, void *out, const void *xs, const void *ys, const void *zs)          \
    {                                                                                              \
        const HD_T y = *(const HD_T *)ys;                                                          \
        if (hd_size_of(y) < 2) {                                                                   \
            PLAIN(n, out, xs, ys, zs);                                                             \
            return;                                                                                \
        }                                                                                          \
        const struct hd_divisor d = hd_divisor_of(y);                                              \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const HD_T x = ((const HD_T *)xs)[i], q = QUOTIENT(x, &d);                             \
            ((HD_T *)out)[i] = (HD_T)(__VA_ARGS__);                                                \
        }                                                                                          \
    }
HD_DIVIDE_BY(floor_divide_by, op_FLOOR_DIVIDE_ys, hd_floor_quotient, q)
HD_DIVIDE_BY(remainder_by, op_REMAINDER_ys, hd_floor_quotient, HD_REST(x, q, y))
HD_DIVIDE_BY(fmod_by, op_FMOD_ys, hd_trunc_quotient, HD_REST(x, q, y))

#endif
