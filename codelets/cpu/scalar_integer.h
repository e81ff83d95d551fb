/* scalar.h's functions of integers and bool. Signed arithmetic wraps: compile with -fwrapv.
 * Included by scalar.h only. */
#ifndef HEDDLE_CODELETS_CPU_SCALAR_INTEGER_H
#define HEDDLE_CODELETS_CPU_SCALAR_INTEGER_H

/* One line each, to be read as a table. */
/* clang-format off */
#define HD_BITS ((int)(8 * sizeof(HD_T)))
/* Narrow types promote to int, so that even uint16 squared would overflow: go through uint64. */
#define HD_WRAP(x, op, y) ((HD_T)((uint64_t)(x)op(uint64_t)(y)))

static inline bool hd_to_bool(HD_T x) { return x != 0; }
#if HD_KIND == HD_B
/* Selections, and bits below: GCC 12 makes no vectors of conversions and comparisons of bools. */
static inline int64_t hd_to_i64(bool x) { return x ? 1 : 0; }
static inline uint64_t hd_to_u64(bool x) { return x ? 1 : 0; }
#define HD_TO_FLOAT(type, x) ((x) ? (type)1 : (type)0)
#else
static inline int64_t hd_to_i64(HD_T x) { return (int64_t)x; }
static inline uint64_t hd_to_u64(HD_T x) { return (uint64_t)x; }
#endif
#if HD_BYTES == 8 && HD_KIND == HD_I && !defined(__AVX512DQ__)
/* As (double)x, which AVX2 has no instruction for. Each half becomes a double by its bits, exactly: 2^84 + 2^63 + 2^32 high,
 * 2^52 + low; the sum of high and low rounds once. */
static inline double hd_of_bits(uint64_t bits) { double x; __builtin_memcpy(&x, &bits, sizeof x); return x; }
static inline double hd_to_double(HD_T x)
{
    const double high = hd_of_bits((uint64_t)x >> 32 ^ 0x4530000080000000u), low = hd_of_bits(((uint64_t)x & 0xffffffffu) | 0x4330000000000000u);
    return high - 0x1.00000801p84 + low;
}
#define HD_TO_FLOAT(type, x) (sizeof(type) == sizeof(double) ? (type)hd_to_double(x) : (type)(x))
#elif HD_KIND != HD_B
#define HD_TO_FLOAT(type, x) ((type)(x))
#endif
#define HD_TO_COMPLEX(type, x) ((type)(double)(x))

#if HD_KIND == HD_B
static inline bool hd_add(bool x, bool y) { return x | y; }
static inline bool hd_mul(bool x, bool y) { return x & y; }
static inline bool hd_invert(bool x) { return !x; }
static inline bool hd_select(bool x, bool y, bool z) { return (x & y) | (!x & z); }
static inline bool hd_maximum(bool x, bool y) { return x | y; }
static inline bool hd_minimum(bool x, bool y) { return x & y; }
static inline bool hd_abs(bool x) { return x; }
static inline bool hd_imag(bool x) { return x & false; }
#else
static inline HD_T hd_add(HD_T x, HD_T y) { return HD_WRAP(x, +, y); }
static inline HD_T hd_mul(HD_T x, HD_T y) { return HD_WRAP(x, *, y); }
static inline HD_T hd_neg(HD_T x) { return HD_WRAP(0, -, x); }
static inline HD_T hd_invert(HD_T x) { return (HD_T)~x; }
static inline HD_T hd_select(bool x, HD_T y, HD_T z) { return x ? y : z; }
static inline HD_T hd_maximum(HD_T x, HD_T y) { return x >= y ? x : y; }
static inline HD_T hd_minimum(HD_T x, HD_T y) { return x <= y ? x : y; }
#if HD_KIND == HD_I
/* Not a selection, after which GCC 12 goes on in 32-bit lanes. */
static inline HD_T hd_abs(HD_T x) { const HD_T sign = (HD_T)(x >> (HD_BITS - 1)); return HD_WRAP(x ^ sign, -, sign); }
#else
static inline HD_T hd_abs(HD_T x) { return x; }
#endif

/* The bits set in |x|: of pairs, of fours and of bytes at once (H. S. Warren, Hacker's Delight, 5-1), in the width of the
 * dtype, so that vectors have as many elements; their processors count bits by no instruction but with AVX-512. */
#if HD_BYTES == 1
#define HD_UNSIGNED uint8_t
#elif HD_BYTES == 2
#define HD_UNSIGNED uint16_t
#elif HD_BYTES == 4
#define HD_UNSIGNED uint32_t
#else
#define HD_UNSIGNED uint64_t
#endif
static inline uint8_t hd_bit_count(HD_T x)
{
    HD_UNSIGNED n = (HD_UNSIGNED)hd_abs(x);
    n = (HD_UNSIGNED)(n - (n >> 1 & (HD_UNSIGNED)-1 / 3));
    n = (HD_UNSIGNED)((n & (HD_UNSIGNED)-1 / 5) + (n >> 2 & (HD_UNSIGNED)-1 / 5));
    n = (HD_UNSIGNED)(n + (n >> 4)) & (HD_UNSIGNED)-1 / 17;
#if HD_BYTES >= 8
    n += n >> 32;
#endif
#if HD_BYTES >= 4
    n = (HD_UNSIGNED)(n + (n >> 16));
#endif
#if HD_BYTES >= 2
    n = (HD_UNSIGNED)(n + (n >> 8));
#endif
    return (uint8_t)(n & 0x7f);
}
#undef HD_UNSIGNED
static inline HD_T hd_sign(HD_T x) { return (HD_T)(x > 0 ? 1 : x == 0 ? 0 : -1); }
static inline HD_T hd_conj(HD_T x) { return x; }

static inline HD_T hd_imag(HD_T x)
{
    (void)x;
    return 0;
}

/* x / y towards zero, if y != 0 and the quotient fits. Up to 32 bits by floating division, because vector units have no
 * other. It is exact: a quotient that is not whole is at least 1 / y below the next whole number, relatively
 * 1 / (x + y), which is more than rounding adds (2^-24 in float, where x + y < 2^17; 2^-53 in double, 2^33). */
#if HD_BYTES <= 2
static inline HD_T hd_quotient(HD_T x, HD_T y) { return (HD_T)(int32_t)((float)x / (float)y); }
#elif HD_BYTES == 4
static inline HD_T hd_quotient(HD_T x, HD_T y) { return (HD_T)((double)x / (double)y); }
#else
static inline HD_T hd_quotient(HD_T x, HD_T y) { return x / y; }
#endif
#define HD_REST(x, q, y) HD_WRAP(x, -, HD_WRAP(q, *, y))

/* Python's: towards minus infinity; x // 0 and x % 0 are 0. */
static inline HD_T hd_floor_divide(HD_T x, HD_T y)
{
    if (y == 0) return 0;
#if HD_KIND == HD_I
    if (y == -1) return hd_neg(x);
    const HD_T q = hd_quotient(x, y), r = HD_REST(x, q, y);
    return (HD_T)(q - (r != 0 && (r < 0) != (y < 0)));
#else
    return hd_quotient(x, y);
#endif
}

/* C's: the sign of x. */
static inline HD_T hd_fmod(HD_T x, HD_T y)
{
    if (y == 0) return 0;
#if HD_KIND == HD_I
    if (y == -1) return 0;
#endif
    return HD_REST(x, hd_quotient(x, y), y);
}

static inline HD_T hd_remainder(HD_T x, HD_T y)
{
    const HD_T r = hd_fmod(x, y);
#if HD_KIND == HD_I
    return (HD_T)(r != 0 && (r < 0) != (y < 0) ? r + y : r);
#else
    return r;
#endif
}

static inline HD_T hd_pow(HD_T x, HD_T y)
{
#if HD_KIND == HD_I
    if (y < 0) return (HD_T)(x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0);
#endif
    uint64_t result = 1, base = (uint64_t)x;
    for (uint64_t n = (uint64_t)y; n; n >>= 1) {
        if (n & 1) result *= base;
        base *= base;
    }
    return (HD_T)result;
}

static inline uint64_t hd_magnitude(HD_T x)
{
#if HD_KIND == HD_I
    if (x < 0) return 0 - (uint64_t)x;
#endif
    return (uint64_t)x;
}

/* Euclid's. */
static inline HD_T hd_gcd(HD_T x, HD_T y)
{
    uint64_t a = hd_magnitude(x), b = hd_magnitude(y);
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (HD_T)a;
}

static inline HD_T hd_lcm(HD_T x, HD_T y)
{
    const uint64_t divisor = hd_magnitude(hd_gcd(x, y));
    return (HD_T)(divisor ? hd_magnitude(x) / divisor * hd_magnitude(y) : 0);
}

/* Shifts past the width give 0, or -1 of negative numbers to the right; a negative count is past
 * every width. */
static inline HD_T hd_shift_left(HD_T x, HD_T y)
{
    const bool inside = (uint64_t)y < (uint64_t)HD_BITS;
    return (HD_T)(inside ? (uint64_t)x << (inside ? y : 0) : 0);
}

static inline HD_T hd_shift_right(HD_T x, HD_T y)
{
    const bool inside = (uint64_t)y < (uint64_t)HD_BITS;
#if HD_KIND == HD_I
    return (HD_T)(x >> (inside ? y : HD_BITS - 1));
#else
    return (HD_T)(inside ? x >> (inside ? y : 0) : 0);
#endif
}
#endif

static inline HD_T hd_ceil(HD_T x) { return x; }
static inline HD_T hd_floor(HD_T x) { return x; }
static inline HD_T hd_trunc(HD_T x) { return x; }
static inline HD_T hd_round(HD_T x) { return x; }
static inline HD_T hd_real(HD_T x) { return x; }
static inline HD_T hd_fmax(HD_T x, HD_T y) { return hd_maximum(x, y); }
static inline HD_T hd_fmin(HD_T x, HD_T y) { return hd_minimum(x, y); }
static inline bool hd_above(HD_T y, HD_T x) { return y > x; }
static inline bool hd_below(HD_T y, HD_T x) { return y < x; }

static inline bool hd_isfinite(HD_T x)
{
    (void)x;
    return true;
}

static inline bool hd_isinf(HD_T x)
{
    (void)x;
    return false;
}

static inline bool hd_isnan(HD_T x)
{
    (void)x;
    return false;
}

/* clang-format on */

#endif
