/* Division of integers by one divisor without a division for each element, for loops.c and sources of programs (HD_T, HD_KIND,
 * HD_BYTES): a multiplication and shifts, T. Granlund and P. Montgomery, Division by Invariant Integers using Multiplication,
 * 1994, figure 4.1. And shifts by one count. The results are those of scalar_integer.h: hd_divisor_of or hd_shift_of before the
 * loop; for its elements hd_floor_divide_by, hd_remainder_by and hd_fmod_by, or hd_bitwise_left_shift_by and
 * hd_bitwise_right_shift_by. */
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

/* Of a magnitude of 2 at least 2^l is the least power of two that is not less. The multiplier is 2^(width + l) / magnitude,
 * rounded up, without its bit 2^width; of signed types half of that quotient, rounded up, which has no such bit. The
 * shift is masked, because GCC 12 shifts in narrow lanes only if it sees that the count is less than the width. Divisors of less
 * have the multiplier of 2, and masks instead of branches: quotients by 1 and -1 are x and -x, by 0 all results are 0. */
struct hd_divisor {
    HD_T value;
    hd_size negative;    /* all ones below 0 */
    hd_size large, unit; /* all ones from magnitude 2 on, and of magnitude 1 */
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
    const hd_size magnitude = hd_size_of(y), size = magnitude < 2 ? 2 : magnitude;
    const int log = 64 - __builtin_clzll((uint64_t)size - 1);
    return (struct hd_divisor){.value = y,
                               .negative = hd_negative(y),
                               .large = (hd_size) - (magnitude > 1),
                               .unit = (hd_size) - (magnitude == 1),
                               .multiplier = hd_multiplier_of(size, log),
                               .shift = (log - 1) & (HD_WIDTH - 1)};
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

/* Of a quotient by a magnitude of 2 at least, and x or -x, what the quotient is. */
static inline HD_T hd_chosen(hd_size quotient, hd_size same, const struct hd_divisor *d)
{
    return (HD_T)((quotient & d->large) | (same & d->unit));
}

/* x / y, down to minus infinity, as of -x / -y: what is less than 0 is -1 - n, and so is its quotient. -x does not fit
 * if x is the least number, but its bits as a magnitude are right, and ~x tells that it is not negative. */
static inline HD_T hd_floor_divide_by(HD_T x, const struct hd_divisor *d)
{
    const hd_size inverted = (hd_size)x ^ d->negative;
    const hd_size same = (hd_size)(inverted - d->negative);
    const hd_size sign = hd_negative((HD_T)(inverted & same));
    return hd_chosen(hd_multiplied(same ^ sign, d) ^ sign, same, d);
}

/* What remains of x. */
static inline HD_T hd_rest_of(HD_T x, HD_T quotient, const struct hd_divisor *d)
{
    return (HD_T)((hd_size)HD_REST(x, quotient, d->value) & (d->large | d->unit));
}

static inline HD_T hd_remainder_by(HD_T x, const struct hd_divisor *d)
{
    return hd_rest_of(x, hd_floor_divide_by(x, d), d);
}

/* Of x / y towards zero. */
static inline HD_T hd_fmod_by(HD_T x, const struct hd_divisor *d)
{
    const hd_size differ = hd_negative(x) ^ d->negative, same = (hd_size)x;
    const hd_size quotient = (hd_multiplied(hd_size_of(x), d) ^ differ) - differ;
    return hd_rest_of(x, hd_chosen(quotient, (same ^ d->negative) - d->negative, d), d);
}

/* A count that is seen to be less than the width: then GCC 12 shifts in narrow lanes. */
struct hd_shift {
    int count;
    hd_size inside; /* all ones if the count is less than the width */
};

static inline struct hd_shift hd_shift_of(HD_T y)
{
    const uint64_t n = (uint64_t)y;
    const unsigned count = n < HD_WIDTH ? (unsigned)n : HD_WIDTH - 1u;
    return (struct hd_shift){(int)(count & (HD_WIDTH - 1u)), (hd_size) - (n < HD_WIDTH)};
}

static inline HD_T hd_bitwise_left_shift_by(HD_T x, const struct hd_shift *s)
{
    return (HD_T)((hd_size)((hd_size)x << s->count) & s->inside);
}

static inline HD_T hd_bitwise_right_shift_by(HD_T x, const struct hd_shift *s)
{
#if HD_KIND == HD_I
    return (HD_T)(x >> s->count);
#else
    return (HD_T)((x >> s->count) & s->inside);
#endif
}

#endif
