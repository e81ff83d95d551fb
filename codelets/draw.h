/* Random numbers of a counter: what the random rows of ops.def compute. The block of a counter and a key is
 * Philox4x32-10 (J. Salmon and others, Parallel random numbers: as easy as 1, 2, 3, 2011); the rest makes values of its
 * words. One text for C, for nvcc and, embedded, for NVRTC, of + - * / and sqrt alone and without fused multiply-adds,
 * so that the bits are the same everywhere (decision 40). Entry points: hd_draw_<row>. */
#ifndef HEDDLE_CODELETS_DRAW_H
#define HEDDLE_CODELETS_DRAW_H
#if !defined(__CUDACC_RTC__) || defined(HD_DRAWS) /* generated programs have it if they draw */

#ifdef __CUDACC__
typedef hd_uint32 hd_u32;
typedef hd_uint64 hd_u64;
typedef hd_int64 hd_i64;
#define HD_DRAW HD
/* Terms of series are operands of instructions there; a literal would be two moves before one. */
#define HD_TERMS static __constant__ double
#define HD_DRAW_CALL static __device__ __noinline__ /* much code, many times in a program */
HD double hd_double_of(hd_u64 bits)
{
    return __longlong_as_double((long long)bits);
}
HD hd_u64 hd_bits_of(double x)
{
    return (hd_u64)__double_as_longlong(x);
}
/* As two halves, which become one instruction: the compiler would make 64-bit arithmetic of all ten rounds. */
HD void hd_multiply(hd_u32 x, hd_u32 y, hd_u32 *high, hd_u32 *low)
{
    *high = __umulhi(x, y);
    *low = x * y;
}
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef uint32_t hd_u32;
typedef uint64_t hd_u64;
typedef int64_t hd_i64;
#define HD_DRAW static inline
#define HD_TERMS static const double
#define HD_DRAW_CALL static inline
static inline double hd_double_of(hd_u64 bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline void hd_multiply(hd_u32 x, hd_u32 y, hd_u32 *high, hd_u32 *low)
{
    const hd_u64 product = (hd_u64)x * y;
    *high = (hd_u32)(product >> 32);
    *low = (hd_u32)product;
}
static inline hd_u64 hd_bits_of(double x)
{
    hd_u64 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
#endif

/* ---- Words --------------------------------------------------------------------------------------------- */

#define HD_PHILOX_MULTIPLY_0 0xD2511F53u
#define HD_PHILOX_MULTIPLY_1 0xCD9E8D57u
#define HD_PHILOX_STEP_0 0x9E3779B9u
#define HD_PHILOX_STEP_1 0xBB67AE85u

struct hd_philox {
    hd_u32 word[4];
};

/* The block of the counter low + 2^64 high. */
HD_DRAW struct hd_philox hd_philox(hd_u64 low, hd_u64 high, hd_u64 key)
{
    hd_u32 a = (hd_u32)low, b = (hd_u32)(low >> 32), c = (hd_u32)high, d = (hd_u32)(high >> 32);
    hd_u32 k0 = (hd_u32)key, k1 = (hd_u32)(key >> 32);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (int round = 0; round < 10; round++) {
        hd_u32 p_high, p_low, q_high, q_low;
        hd_multiply(HD_PHILOX_MULTIPLY_0, a, &p_high, &p_low);
        hd_multiply(HD_PHILOX_MULTIPLY_1, c, &q_high, &q_low);
        a = q_high ^ b ^ k0;
        b = q_low;
        c = p_high ^ d ^ k1;
        d = p_low;
        k0 += HD_PHILOX_STEP_0;
        k1 += HD_PHILOX_STEP_1;
    }
    const struct hd_philox block = {{a, b, c, d}};
    return block;
}

HD_DRAW hd_u64 hd_joined(hd_u32 low, hd_u32 high)
{
    return low | (hd_u64)high << 32;
}

/* 64 bits of index i: a block has two neighbours, the even one first. */
HD_DRAW hd_u64 hd_draw_bits(hd_i64 index, hd_i64 key)
{
    const struct hd_philox r = hd_philox((hd_u64)index >> 1, 0, (hd_u64)key);
    return index & 1 ? hd_joined(r.word[2], r.word[3]) : hd_joined(r.word[0], r.word[1]);
}

/* 32 bits of index i: a block has four neighbours. */
HD_DRAW hd_u32 hd_draw_word(hd_i64 index, hd_i64 key)
{
    const struct hd_philox r = hd_philox((hd_u64)index >> 2, 0, (hd_u64)key);
    const hd_u32 low = index & 1 ? r.word[1] : r.word[0], high = index & 1 ? r.word[3] : r.word[2];
    return index & 2 ? high : low;
}

/* ---- Uniform ------------------------------------------------------------------------------------------- */

/* The low 52 bits as the fraction of a number in [1, 2): a mask of a word, where a shift would take both. */
HD_DRAW double hd_one_and_fraction(hd_u64 bits)
{
    return hd_double_of((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
}

/* 53 bits times 2^-53, without a conversion of 64-bit integers, which few processors are fast at: the top one decides
 * whether 1 or the number before it is taken from 1 and the fraction. */
HD_DRAW double hd_unit_of(hd_u64 bits)
{
    const hd_u64 top = (hd_u64)((hd_i64)bits >> 63);
    return hd_one_and_fraction(bits) - hd_double_of(0x3ff0000000000000u + top);
}

HD_DRAW float hd_unit32_of(hd_u32 bits)
{
    return (float)(int)(bits >> 8) * 0x1p-24f;
}

HD_DRAW double hd_draw_uniform(hd_i64 index, hd_i64 key)
{
    return hd_unit_of(hd_draw_bits(index, key));
}

HD_DRAW float hd_draw_uniform32(hd_i64 index, hd_i64 key)
{
    return hd_unit32_of(hd_draw_word(index, key));
}

/* In (0, 1), 2^52 of them, none of which is 0 or 1: (k + 1/2) 2^-52. */
HD_DRAW double hd_open_unit_of(hd_u64 bits)
{
    return hd_one_and_fraction(bits) - (1.0 - 0x1p-53);
}

/* ---- Logarithm ----------------------------------------------------------------------------------------- */

/* 2/21, 2/19 ... 2/3 */
HD_TERMS hd_log_terms[10] = {2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                             2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};

/* Of a positive normal number, within two units in the last place: x = 2^k (1 + f), and log(1 + f) = f - (f^2 / 2 -
 * s (f^2 / 2 + r)) with s = f / (2 + f) and r = 2 s^2 / 3 + 2 s^4 / 5 + ... */
HD_DRAW double hd_own_log(double x)
{
    const hd_u64 half_root = 0x3fe6a09e667f3bcdu; /* of sqrt(1/2) */
    const hd_u64 bits = hd_bits_of(x) - half_root;
    /* an integer of few bits as a double, in the fraction of 2^52: k + 2048 is not negative */
    const hd_u64 biased = (bits + 0x8000000000000000u) >> 52;
    const double k = hd_double_of(0x4330000000000000u | biased) - (0x1p52 + 2048.0);
    const double f = hd_double_of((bits & 0xfffffffffffffu) + half_root) - 1.0;
    const double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    double r = hd_log_terms[0];
    r = r * z + hd_log_terms[1];
    r = r * z + hd_log_terms[2];
    r = r * z + hd_log_terms[3];
    r = r * z + hd_log_terms[4];
    r = r * z + hd_log_terms[5];
    r = r * z + hd_log_terms[6];
    r = r * z + hd_log_terms[7];
    r = r * z + hd_log_terms[8];
    r = r * z + hd_log_terms[9];
    r = r * z;
    const double log2_high = 6.93147180369123816490e-01, log2_low = 1.90821492927058770002e-10;
    return k * log2_high - ((half - (s * (half + r) + k * log2_low)) - f);
}

/* ---- Normal and exponential ---------------------------------------------------------------------------- */

/* A point on the unit circle at random. */
struct hd_direction {
    double x, y;
};

/* 1/17!, 1/15! ... 1/3!, and 1/16!, 1/14! ... 1/2! */
HD_TERMS hd_sine_terms[8] = {
    1.0 / 355687428096000.0, 1.0 / 1307674368000.0, 1.0 / 6227020800.0, 1.0 / 39916800.0,
    1.0 / 362880.0,          1.0 / 5040.0,          1.0 / 120.0,        1.0 / 6.0};
HD_TERMS hd_cosine_terms[8] = {
    1.0 / 20922789888000.0, 1.0 / 87178291200.0, 1.0 / 479001600.0, 1.0 / 3628800.0,
    1.0 / 40320.0,          1.0 / 720.0,         1.0 / 24.0,        1.0 / 2.0};

/* Of the first two bits a quarter of the circle, of 52 others a place in it: an angle a within 1/8 of a turn from the
 * middle of the quarter's axis, whose sine and cosine are their series; then quarters swap and turn signs. */
HD_DRAW struct hd_direction hd_direction_of(hd_u64 bits)
{
    const double a = (hd_open_unit_of(bits) - 0.5) * 1.57079632679489661923, z = a * a;
    double s = hd_sine_terms[0], c = hd_cosine_terms[0];
    s = hd_sine_terms[1] - z * s;
    c = hd_cosine_terms[1] - z * c;
    s = hd_sine_terms[2] - z * s;
    c = hd_cosine_terms[2] - z * c;
    s = hd_sine_terms[3] - z * s;
    c = hd_cosine_terms[3] - z * c;
    s = hd_sine_terms[4] - z * s;
    c = hd_cosine_terms[4] - z * c;
    s = hd_sine_terms[5] - z * s;
    c = hd_cosine_terms[5] - z * c;
    s = hd_sine_terms[6] - z * s;
    c = hd_cosine_terms[6] - z * c;
    s = hd_sine_terms[7] - z * s;
    c = hd_cosine_terms[7] - z * c;
    const hd_u64 sine = hd_bits_of(a - a * z * s), cosine = hd_bits_of(1.0 - z * c);
    const hd_u64 odd = 0 - (bits >> 62 & 1), top = 0x8000000000000000u;
    const hd_u64 turned = bits & top, other = turned ^ (bits << 1 & top);
    struct hd_direction r;
    r.x = hd_double_of(((sine & odd) | (cosine & ~odd)) ^ other);
    r.y = hd_double_of(((cosine & odd) | (sine & ~odd)) ^ turned);
    return r;
}

/* How far a point of two normal coordinates is from 0: up to 8.6. */
HD_DRAW double hd_radius_of(hd_u64 bits)
{
    return sqrt(-2.0 * hd_own_log(hd_open_unit_of(bits)));
}

/* Neighbours are the coordinates of one point (G. Box, M. Muller, A note on the generation of random normal deviates,
 * 1958), which a block makes: no rejection, no branch. */
HD_DRAW double hd_normal_of(struct hd_philox r, hd_u64 odd)
{
    const double radius = hd_radius_of(hd_joined(r.word[0], r.word[1]));
    const struct hd_direction at = hd_direction_of(hd_joined(r.word[2], r.word[3]));
    return radius * (odd ? at.y : at.x);
}

HD_DRAW double hd_draw_normal(hd_i64 index, hd_i64 key)
{
    return hd_normal_of(hd_philox((hd_u64)index >> 1, 0, (hd_u64)key), (hd_u64)index & 1);
}

HD_DRAW double hd_exponential_of(hd_u64 bits)
{
    return -hd_own_log(hd_open_unit_of(bits));
}

HD_DRAW double hd_draw_exponential(hd_i64 index, hd_i64 key)
{
    return hd_exponential_of(hd_draw_bits(index, key));
}

/* ---- Integers ------------------------------------------------------------------------------------------ */

HD_DRAW hd_u64 hd_high_product(hd_u64 x, hd_u64 y)
{
#ifdef __CUDACC__
    return __umul64hi(x, y);
#else
    return (hd_u64)((unsigned __int128)x * y >> 64);
#endif
}

enum { /* what blocks are for: words of their counters */
       HD_DRAW_INTEGER = 1,
       HD_DRAW_GAMMA,
       HD_DRAW_SHARE,
       HD_DRAW_POISSON,
       HD_DRAW_BINOMIAL
};
enum { HD_DRAW_ATTEMPTS = 128 };

/* Below `range`, where 0 stands for 2^64, of 64 bits: the high word of their product, unless its low word is one of those that
 * would make some results likelier (D. Lemire, Fast random integer generation in an interval, 2019). Then the bits are
 * the counter of others. */
HD_DRAW hd_u64 hd_draw_below(hd_u64 bits, hd_u64 range)
{
    hd_u64 low = bits * range, high = hd_high_product(bits, range);
    if (range == 0) return bits;
    if (low >= range) return high;
    const hd_u64 least = (0 - range) % range;
    for (hd_u64 attempt = 1; low < least && attempt <= HD_DRAW_ATTEMPTS; attempt++) {
        const struct hd_philox r = hd_philox(bits, HD_DRAW_INTEGER, attempt);
        const hd_u64 other = hd_joined(r.word[0], r.word[1]);
        low = other * range;
        high = hd_high_product(other, range);
    }
    return high;
}

/* ---- Streams of elements --------------------------------------------------------------------------------- */

/* A number that names a stream of the element's own: 62 bits, as a finite float64, so that it can stand beside
 * parameters. */
HD_DRAW double hd_seed_of(hd_u64 bits)
{
    return hd_double_of((bits & 0x9fffffffffffffffu) | 0x2000000000000000u);
}

HD_DRAW double hd_draw_seed(hd_i64 index, hd_i64 key)
{
    return hd_seed_of(hd_draw_bits(index, key));
}

/* Attempt `number` of what an element tries: two 64-bit words. */
HD_DRAW struct hd_philox hd_attempt(double seed, int purpose, int number)
{
    return hd_philox(hd_bits_of(seed), hd_joined((hd_u32)purpose, (hd_u32)number), 0);
}

/* In (0, 1). */
HD_DRAW double hd_first_unit(struct hd_philox r)
{
    return hd_open_unit_of(hd_joined(r.word[0], r.word[1]));
}

HD_DRAW double hd_second_unit(struct hd_philox r)
{
    return hd_open_unit_of(hd_joined(r.word[2], r.word[3]));
}

/* exp(x), x <= 0: 2^k times the series of the rest. */
HD_DRAW double hd_own_exp(double x)
{
    if (x < -708.0) return 0.0;
    const double shift = 0x1.8p52, k = (x * 1.44269504088896340736 + shift) - shift;
    const double r = x - k * 6.93147180369123816490e-01 - k * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int i = 14; i > 0; i--) sum = 1.0 + r / i * sum;
    return sum * hd_double_of((hd_u64)((hd_i64)k + 1023) << 52);
}

/* log(gamma(x)), x >= 1, by Stirling's series from 10 on. */
HD_DRAW double hd_own_log_gamma(double x)
{
    double product = 1.0;
    while (x < 10.0) {
        product *= x;
        x += 1.0;
    }
    const double y = 1.0 / x, z = y * y;
    const double series =
        y * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188)))));
    return (x - 0.5) * hd_own_log(x) - x + 0.918938533204672741780 + series - hd_own_log(product);
}

/* Of scale 1 (G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables, 2000). */
HD_DRAW_CALL double hd_draw_gamma(double shape, double seed)
{
    if (!(shape > 0.0) || !(shape < 1e300)) return shape == 0.0 ? 0.0 : shape - shape;
    const double d = (shape < 1.0 ? shape + 1.0 : shape) - 1.0 / 3, c = 1.0 / sqrt(9.0 * d);
    double v = 1.0;
    for (int i = 1; i <= HD_DRAW_ATTEMPTS; i++) {
        const double x = hd_normal_of(hd_attempt(seed, HD_DRAW_GAMMA, i), 0), t = 1.0 + c * x;
        if (!(t > 0.0)) continue;
        v = t * t * t;
        const double u = hd_first_unit(hd_attempt(seed, HD_DRAW_SHARE, i));
        if (u < 1.0 - 0.0331 * (x * x) * (x * x)) break; /* the next test is true, too */
        if (hd_own_log(u) < 0.5 * x * x + d - d * v + d * hd_own_log(v)) break;
    }
    if (shape >= 1.0) return d * v;
    const double u = hd_first_unit(hd_attempt(seed, HD_DRAW_SHARE, 0));
    return d * v * hd_own_exp(hd_own_log(u) / shape);
}

/* Up to 10 as many uniform numbers as have a product above exp(-mean); beyond it transformed rejection (W. Hoermann, The
 * transformed rejection method for generating Poisson random variables, 1993: PTRS). */
HD_DRAW_CALL double hd_draw_poisson(double mean, double seed)
{
    if (!(mean > 0.0) || !(mean < 1e18))
        return mean == 0.0 ? 0.0 : hd_double_of(0x7ff8000000000000u);
    if (mean < 10.0) {
        const double least = hd_own_exp(-mean);
        double product = 1.0, k = 0.0;
        for (int i = 0; i < 4 * HD_DRAW_ATTEMPTS; i++) {
            const struct hd_philox r = hd_attempt(seed, HD_DRAW_POISSON, i);
            product *= hd_first_unit(r);
            if (product <= least) return k;
            product *= hd_second_unit(r);
            if (product <= least) return k + 1.0;
            k += 2.0;
        }
        return k;
    }
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    const double inverse = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2.0);
    const double log_mean = hd_own_log(mean);
    double k = mean;
    for (int i = 0; i < HD_DRAW_ATTEMPTS; i++) {
        const struct hd_philox r = hd_attempt(seed, HD_DRAW_POISSON, i);
        const double u = hd_first_unit(r) - 0.5, v = hd_second_unit(r);
        const double side = 0.5 - (u < 0.0 ? -u : u);
        k = floor((2.0 * a / side + b) * u + mean + 0.43);
        if (side >= 0.07 && v <= squeeze) return k;
        if (k < 0.0 || (side < 0.013 && v > side)) continue;
        if (hd_own_log(v * inverse / (a / (side * side) + b)) <=
            k * log_mean - mean - hd_own_log_gamma(k + 1.0))
            return k;
    }
    return k < 0.0 ? 0.0 : k;
}

/* Of n trials with p <= 1/2. Few successes by the inverse of their distribution; else transformed rejection (W. Hoermann,
 * The generation of binomial random variates, 1993: BTRS). */
HD_DRAW double hd_binomial_of(double n, double p, double seed)
{
    const double q = 1.0 - p;
    if (n * p < 10.0) {
        double u = hd_first_unit(hd_attempt(seed, HD_DRAW_BINOMIAL, 0));
        double share = hd_own_exp(n * hd_own_log(q)), k = 0.0;
        for (int i = 0; i < HD_DRAW_ATTEMPTS && u > share && k < n; i++) {
            u -= share;
            share *= (n - k) * p / ((k + 1.0) * q);
            k += 1.0;
        }
        return k;
    }
    const double size = sqrt(n * p * q), b = 1.15 + 2.53 * size,
                 a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double squeeze = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * size,
                 m = floor((n + 1.0) * p);
    const double odds = hd_own_log(p / q);
    const double top = hd_own_log_gamma(m + 1.0) + hd_own_log_gamma(n - m + 1.0);
    for (int i = 0; i < HD_DRAW_ATTEMPTS; i++) {
        const struct hd_philox r = hd_attempt(seed, HD_DRAW_BINOMIAL, i);
        const double u = hd_first_unit(r) - 0.5, v = hd_second_unit(r);
        const double side = 0.5 - (u < 0.0 ? -u : u);
        const double k = floor((2.0 * a / side + b) * u + n * p + 0.5);
        if (k < 0.0 || k > n) continue;
        if (side >= 0.07 && v <= squeeze) return k;
        if (hd_own_log(v * alpha / (a / (side * side) + b)) <=
            top - hd_own_log_gamma(k + 1.0) - hd_own_log_gamma(n - k + 1.0) + (k - m) * odds)
            return k;
    }
    return m;
}

HD_DRAW_CALL double hd_draw_binomial(double n, double p, double seed)
{
    if (!(n >= 0.0 && n < 1e18 && p >= 0.0 && p <= 1.0)) return hd_double_of(0x7ff8000000000000u);
    if (n < 1.0 || p == 0.0) return 0.0;
    if (p == 1.0) return floor(n);
    return p <= 0.5 ? hd_binomial_of(floor(n), p, seed)
                    : floor(n) - hd_binomial_of(floor(n), 1.0 - p, seed);
}

#endif
#endif
