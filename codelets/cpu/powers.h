/* pow, cbrt, sinh, cosh and ldexp of vectors, and sin, cos and tan of float32, within 1 ULP, in a loop without calls: half of SLEEF's time and less. Logarithms and exponentials are of float64, for float32 as short
 * as it allows, for pow of float64 in two parts. Coefficients are interpolated at Chebyshev's points. An element's bits do not depend on its neighbours:
 * what is not usual is SLEEF's. Whole powers are whole_powers.h's. Only for processors that fuse. Included by elementary.c only. Defines pow_d, cbrt_d, sinh_d, cosh_d, ldexp_d, f64_POW_ys, those of f, and sin_f, cos_f and tan_f. */
#ifndef HEDDLE_CODELETS_CPU_POWERS_H
#define HEDDLE_CODELETS_CPU_POWERS_H

/* x = 2^k (1 + f), 1 + f from the root of 1/2 to that of 2, of normal positive numbers. Returns k. */
static inline vd exponent_of(vd x, vd *f)
{
    const vdu none = {0}, one = none + UINT64_C(0x3ff0000000000000),
              root = none + UINT64_C(0x3fe6a09e667f3bcd);
    const vd whole = (vd){0} + 0x1p52;
    const vdu moved = (vdu)x + (one - root);
    *f = (vd)((moved & ((UINT64_C(1) << 52) - 1)) + root) - 1;
    return (vd)(moved >> 52 | (vdu)whole) - (whole + 1023);
}

/* 2^n p, of a p near 1: n is the last bits of `biased`, a number whose last place is 1. */
static inline vd times_power(vd p, vd biased)
{
    return (vd)((vdi)p + ((vdi)biased << 52));
}

/* x 2^y, of a power that is a normal number: then the product is rounded once, to what is none, too. */
#define LDEXP(S, MANTISSA, BIAS, MAGIC)                                                            \
    static inline v##S ldexp_##S(v##S x, v##S y)                                                   \
    {                                                                                              \
        const v##S magic = (v##S){0} + (MAGIC), whole = TO_ZERO_##S(y);                            \
        const v##S##i n = (v##S##i)(whole + magic) - (v##S##i)magic;                               \
        const v##S##i odd = ~(v##S##i)(MAGNITUDE_##S(whole) < (BIAS));                             \
        return one_by_one_##S(odd, x, y, x * (v##S)((n + BIAS) << MANTISSA), ldexp_one_##S);       \
    }
ONE_PAIR(ldexp, LDEXP)
LDEXP(d, 52, 1023, 0x1.8p52)
LDEXP(f, 23, 127, 0x1.8p23F)

/* The halves of a vector as float64, and back: through memory each would wait for the other. */
#if HD_LEVEL == 3
static inline vd lower_half(vf x)
{
    return _mm512_cvtps_pd(_mm512_castps512_ps256(x));
}
static inline vd upper_half(vf x)
{
    return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
}
static inline vf of_halves(vd lower, vd upper)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(lower)),
                              _mm512_cvtpd_ps(upper), 1);
}
#else
static inline vd lower_half(vf x)
{
    return _mm256_cvtps_pd(_mm256_castps256_ps128(x));
}
static inline vd upper_half(vf x)
{
    return _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
}
static inline vf of_halves(vd lower, vd upper)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(lower)),
                                _mm256_cvtpd_ps(upper), 1);
}
#endif

#include "cpu/whole_powers.h"

/* ---- for float32: errors below 2^-28 ---------------------------------------------------------------------- */

static inline vd short_log2(vd x)
{
    const vd none = {0};
    vd f;
    const vd k = exponent_of(x, &f), s = f / (2 + f), z = s * s, square = z * z;
    const vd p0 = FMA_d(z, none + 0.9617966941123595, none + 2.8853900817778504);
    const vd p2 = FMA_d(z, none + 0.4122092273305262, none + 0.5770779426302618);
    const vd p4 = FMA_d(z, none + 0.28288718263145973, none + 0.3199066608890888);
    return FMA_d(s, FMA_d(FMA_d(p4, square, p2), square, p0), k);
}

/* Numbers beyond any exponent of float32 become others that are. */
static inline vd short_exp2(vd x)
{
    const vd none = {0}, magic = none + 0x1.8p52, y = clamped_d(x, 1000.0);
    const vd biased = y + magic, r = y - (biased - magic), square = r * r;
    const vd p0 = FMA_d(r, none + 0.6931472067028326, none + 1.0);
    const vd p2 = FMA_d(r, none + 0.05550327226670302, none + 0.24022650922288757);
    const vd p4 = FMA_d(r, none + 0.0013400428177615838, none + 0.009618056678524637);
    const vd p6 = none + 0.0001546144469856913;
    return times_power(FMA_d(FMA_d(FMA_d(p6, square, p4), square, p2), square, p0), biased);
}

static inline vd short_power(vd x, vd y)
{
    return short_exp2(y * short_log2(x));
}

static inline vf short_power_f(vf x, vf y)
{
    return of_halves(short_power(lower_half(x), lower_half(y)),
                     short_power(upper_half(x), upper_half(y)));
}

static inline vf pow_f(vf x, vf y)
{
    const vf none = {0}, infinite = none + INFINITY, size = MAGNITUDE_f(x);
    const vfi whole = (vfi)(TO_ZERO_f(y) == y), few = is_product_f(y);
    if (!ANY(~few)) return product_f(x, y);
    const vfi usual = (vfi)(size > none) & (vfi)(size < infinite) &
                      (vfi)(MAGNITUDE_f(y) < infinite) & ((vfi)(x > none) | whole);
    const vfi odd = whole & ~(vfi)(TO_ZERO_f(y * 0.5F) == y * 0.5F);
    vf r = none;
    if (ANY(usual)) r = short_power_f(select_f(usual, size, none + 1), select_f(usual, y, none));
    r = select_f(odd, SIGNED_f(r, x), r);
    if (ANY(~(usual | few))) r = select_f(usual, r, other_pow_f(x, y));
    return ANY(few) ? select_f(few, product_f(x, select_f(few, y, none)), r) : r;
}

#define cbrt_f SLEEF_F(cbrt, u10)

/* x = n pi / 2 + r, |r| <= pi / 4, of |x| < 2^30: sin(r), cos(r) and the last bits of n. */
static inline vdi short_angle(vd x, vd *sine, vd *cosine)
{
    const vd none = {0}, magic = none + 0x1.8p52;
    const vd biased = FMA_d(x, none + 0.6366197723675814, magic), n = biased - magic;
    const vd r = FMA_d(n, none - 6.123233995736766e-17, FMA_d(n, none - 1.5707963267948966, x));
    const vd z = r * r, square = z * z;
    const vd s0 = FMA_d(z, none + 0.008333331874273714, none - 0.16666666663854168);
    const vd s2 = FMA_d(z, none + 2.7249895230611676e-06, none - 0.000198400864995936);
    const vd c0 = FMA_d(z, none + 0.041666650639724655, none - 0.49999999969106984);
    const vd c2 = FMA_d(z, none + 2.4463754730095443e-05, none - 0.0013887588896733915);
    *sine = FMA_d(r * z, FMA_d(s2, square, s0), r);
    *cosine = FMA_d(z, FMA_d(c2, square, c0), none + 1);
    return (vdi)biased;
}

/* The sine `quarters` quarters of a circle on: sin(r) or cos(r), negative in the second half. */
static inline vd short_sine(vd x, int64_t quarters)
{
    vd sine, cosine;
    const vdi none = {0}, q = short_angle(x, &sine, &cosine) + quarters;
    return (vd)((vdi)select_d(none - (q & 1), cosine, sine) ^ (q & 2) << 62);
}

static inline vd short_tangent(vd x)
{
    vd sine, cosine;
    const vdi none = {0}, q = short_angle(x, &sine, &cosine), odd = none - (q & 1);
    return select_d(odd, -cosine, sine) / select_d(odd, sine, cosine);
}
static inline vd sin_of_half(vd x)
{
    return short_sine(x, 0);
}
static inline vd cos_of_half(vd x)
{
    return short_sine(x, 1);
}

/* AT_ZERO has its sign. */
#define ANGLE(NAME, OF_HALF, AT_ZERO)                                                              \
    static inline vf NAME##_f(vf x)                                                                \
    {                                                                                              \
        const vf none = {0}, r = of_halves(OF_HALF(lower_half(x)), OF_HALF(upper_half(x)));        \
        const vf signed_r = select_f((vfi)(x == none), AT_ZERO, r);                                \
        const vfi odd = ~(vfi)(MAGNITUDE_f(x) < 0x1p30F);                                          \
        return ANY(odd) ? select_f(odd, other_##NAME##_f(x), signed_r) : signed_r;                 \
    }
ANGLE(sin, sin_of_half, x)
ANGLE(cos, cos_of_half, none + 1)
ANGLE(tan, short_tangent, x)

/* ---- float64 ----------------------------------------------------------------------------------------------- */

/* log(x) in two parts, with an error below 2^-65 of it: 2 s + s^3 (2/3 + ...) of s = f / (2 + f), also in two parts. */
static inline vd log_in_two(vd x, vd *rest)
{
    const vd none = {0}, thirds = none + 0.6666666666666666;
    vd f;
    const vd k = exponent_of(x, &f), t = 2 + f, t_rest = f - (t - 2), inverse = 1 / t;
    const vd s = f * inverse, s_rest = FMA_d(-s, t_rest, FMA_d(-s, t, f)) * inverse;
    const vd z = s * s, square = z * z;
    const vd cube = s * z, z_rest = FMA_d(2 * s, s_rest, FMA_d(s, s, -z));
    const vd cube_rest = FMA_d(s, z_rest, FMA_d(s_rest, z, FMA_d(s, z, -cube)));
    const vd p0 = FMA_d(z, none + 0.28571428571429364, none + 0.4);
    const vd p2 = FMA_d(z, none + 0.18181818335392802, none + 0.22222222221655885);
    const vd p4 = FMA_d(z, none + 0.1333480469384731, none + 0.1538459496251843);
    const vd p6 = FMA_d(z, none + 0.11723178623876518, none + 0.11706236339491206);
    const vd q = FMA_d(FMA_d(p6, square, p4), square * square, FMA_d(p2, square, p0)) * z;
    const vd a = thirds + q, a_rest = (thirds - a) + q + 3.700743415417188e-17;
    const vd g = cube * a, g_rest = FMA_d(cube, a_rest, FMA_d(cube_rest, a, FMA_d(cube, a, -g)));
    const vd of_k = k * 0.6931471805592082, sum = of_k + 2 * s, lost = 2 * s - (sum - of_k);
    const vd all = sum + g, more = g - (all - sum);
    const vd low_parts =
        FMA_d(k, none + 7.371002565167799e-13, lost + more + FMA_d(none + 2, s_rest, g_rest));
    const vd r = all + low_parts;
    *rest = low_parts - (r - all);
    return r;
}

/* x^y of any y; *usual where that is right. */
static inline vd power_by_log(vd x, vd y, vdi whole, vdi *usual)
{
    enum { MOST = 708 }; /* of exponents whose powers are normal numbers */
    const vd none = {0}, infinite = none + INFINITY, magic = none + 0x1.8p52, size = MAGNITUDE_d(x);
    const vdi finite =
        (vdi)(size >= 0x1p-1022) & (vdi)(size < infinite) & ((vdi)(x > none) | whole);
    vd log_rest;
    const vd log = log_in_two(select_d(finite, size, none + 1), &log_rest);
    const vd exponent = y * log, exponent_rest = FMA_d(y, log_rest, FMA_d(y, log, -exponent));
    const vd biased = FMA_d(exponent, none + 1.4426950408889634, magic), n = biased - magic;
    const vd high = FMA_d(n, none - 0.6931471805592082, exponent);
    const vd low = FMA_d(n, none - 7.371002565167799e-13, exponent_rest);
    const vd r = high + low, rest = low - (r - high);
    const vd sum = 1 + r, lost = r - (sum - 1);
    const vd power = times_power(sum + (lost + exp_rest_d(r, rest)), biased);
    const vdi odd = whole & ~(vdi)(TO_ZERO_d(y * 0.5) == y * 0.5);
    *usual = finite & (vdi)(MAGNITUDE_d(exponent) < none + MOST);
    return select_d(odd, SIGNED_d(power, x), power);
}

static inline vd pow_d(vd x, vd y)
{
    const vd none = {0};
    const vdi whole = (vdi)(TO_ZERO_d(y) == y), few = is_product_d(y);
    vd r = none;
    vdi done = (vdi)none, usual;
    if (ANY(few)) {
        r = product_d(x, select_d(few, y, none), &usual);
        done = few & usual;
    }
    if (ANY(~few)) {
        r = select_d(few, r, power_by_log(x, y, whole, &usual));
        done |= ~few & usual;
    }
    return ANY(~done) ? select_d(done, r, other_pow_d(x, y)) : r;
}

/* Where one exponent is that of all. */
struct one_exponent {
    double value;
    unsigned size; /* of a product; 0: it is none */
};

static inline struct one_exponent one_exponent(double value)
{
    const bool few = is_product_d((vd){0} + value)[0];
    return (struct one_exponent){value, few ? (unsigned)fabs(value) : 0};
}

static inline void raise_f(vf part[AT_ONCE / 2], struct one_exponent y)
{
    if (y.size > 0)
        products_f(part, y.size, y.value < 0);
    else
        for (int k = 0; k < AT_ONCE / 2; k++) part[k] = pow_f(part[k], (vf){0} + (float)y.value);
}

static inline void raise_d(vd part[AT_ONCE], struct one_exponent y)
{
    vd r[AT_ONCE];
    memcpy(r, part, sizeof r);
    if (y.size > 0 && products_d(r, y.size, y.value < 0)) {
        memcpy(part, r, sizeof r);
        return;
    }
    for (int k = 0; k < AT_ONCE; k++) part[k] = pow_d(part[k], (vd){0} + y.value);
}

#define POWERS_BY_ONE(NAME, T, V, N, RAISE)                                                        \
    static void NAME(size_t n, void *out, const void *x, const void *y, const void *z)             \
    {                                                                                              \
        const struct one_exponent exponent = one_exponent((double)*(const T *)y);                  \
        enum { STEP = (N) * (sizeof(V) / sizeof(T)) };                                             \
        V part[N];                                                                                 \
        size_t i = 0;                                                                              \
        (void)z;                                                                                   \
        for (; i + STEP <= n; i += STEP) {                                                         \
            memcpy(part, (const T *)x + i, sizeof part);                                           \
            RAISE(part, exponent);                                                                 \
            memcpy((T *)out + i, part, sizeof part);                                               \
        }                                                                                          \
        if (i == n) return;                                                                        \
        memset(part, 0, sizeof part);                                                              \
        memcpy(part, (const T *)x + i, (n - i) * sizeof(T));                                       \
        RAISE(part, exponent);                                                                     \
        memcpy((T *)out + i, part, (n - i) * sizeof(T));                                           \
    }
POWERS_BY_ONE(f32_POW_ys, float, vf, AT_ONCE / 2, raise_f)
POWERS_BY_ONE(f64_POW_ys, double, vd, AT_ONCE, raise_d)

/* The root of float32's accuracy, and a step of Newton's, which squares its error. */
static inline vd cbrt_d(vd x)
{
    const vd none = {0}, size = MAGNITUDE_d(x);
    const vdi usual = (vdi)(size >= 0x1p-1022) & (vdi)(size < none + INFINITY);
    const vd y = short_power(select_d(usual, size, none + 1), none + 1.0 / 3);
    const vd square = y * y, lost = FMA_d(y, y, -square);
    const vd missing = FMA_d(-lost, y, FMA_d(-square, y, size));
    const vd r = SIGNED_d(y + missing / (3 * square), x);
    return ANY(~usual) ? select_d(usual, r, SLEEF_D(cbrt, u10)(x)) : r;
}

/* ---- sinh, cosh -------------------------------------------------------------------------------------------- */

/* cosh(r) - 1 and sinh(r) - r of |r| <= log(2) / 2. */
static inline void hyperbolic_near_d(vd r, vd *cosh_rest, vd *sinh_rest)
{
    const vd none = {0}, z = r * r, square = z * z;
    const vd c0 = FMA_d(z, none + 0.04166666666666668, none + 0.5);
    const vd c2 = FMA_d(z, none + 2.4801587336431777e-05, none + 0.0013888888888879077);
    const vd c4 = FMA_d(z, none + 2.0918133596097454e-09, none + 2.755726329028275e-07);
    const vd s0 = FMA_d(z, none + 0.008333333333333333, none + 0.16666666666666666);
    const vd s2 = FMA_d(z, none + 2.755731924721176e-06, none + 0.000198412698412633);
    const vd s4 = FMA_d(z, none + 1.6086625196359725e-10, none + 2.5052071101754744e-08);
    *cosh_rest = z * FMA_d(FMA_d(c4, square, c2), square, c0);
    *sinh_rest = r * z * FMA_d(FMA_d(s4, square, s2), square, s0);
}

static inline void hyperbolic_near_f(vf r, vf *cosh_rest, vf *sinh_rest)
{
    const vf none = {0}, z = r * r;
    const vf c0 = FMA_f(z, none + 0.041666467F, none + 0.5F);
    const vf s0 = FMA_f(z, none + 0.0083333105F, none + 0.16666667F);
    *cosh_rest = z * FMA_f(z * z, none + 0.0013933645F, c0);
    *sinh_rest = r * z * FMA_f(z * z, none + 0.00019890985F, s0);
}

/* |x| = n log(2) + r: sinh is minus cosh(r) + plus sinh(r), cosh the other way round, of minus and plus the halves of 2^n - 2^-n and 2^n + 2^-n. What the
 * sum of the first terms loses is kept. Beyond NORMAL: SLEEF's. */
#define HYPERBOLIC_SUM(S, MANTISSA, BIAS, MAGIC, LOG2_E, HIGH, LOW, NORMAL)                        \
    static inline v##S hyperbolic_##S(v##S x, bool is_sinh)                                        \
    {                                                                                              \
        const v##S none = {0}, magic = none + (MAGIC), size = MAGNITUDE_##S(x);                    \
        const v##S biased = FMA_##S(size, none + (LOG2_E), magic), n = biased - magic;             \
        const v##S high = FMA_##S(n, none - (HIGH), size), r = FMA_##S(n, none - (LOW), high);     \
        const v##S rest = FMA_##S(n, none - (LOW), high - r);                                      \
        const v##S##i bits = (v##S##i)biased - (v##S##i)magic;                                     \
        const v##S up = (v##S)((BIAS - 1 + bits) << MANTISSA);                                     \
        const v##S down = (v##S)((BIAS - 1 - bits) << MANTISSA);                                   \
        const v##S plus = up + down, plus_rest = (up - plus) + down;                               \
        const v##S minus = up - down, minus_rest = (up - minus) - down;                            \
        const v##S whole = is_sinh ? minus : plus, whole_rest = is_sinh ? minus_rest : plus_rest;  \
        const v##S by_r = is_sinh ? plus : minus, by_r_rest = is_sinh ? plus_rest : minus_rest;    \
        v##S cosh_rest, sinh_rest;                                                                 \
        hyperbolic_near_##S(r, &cosh_rest, &sinh_rest);                                            \
        const v##S sum = FMA_##S(by_r, r, whole), lost = FMA_##S(by_r, r, whole - sum);            \
        const v##S of_rests = FMA_##S(by_r_rest, r, whole_rest);                                   \
        const v##S low = FMA_##S(by_r, sinh_rest + rest, lost + of_rests);                         \
        return sum + FMA_##S(whole, cosh_rest, low);                                               \
    }                                                                                              \
    static inline v##S sinh_##S(v##S x)                                                            \
    {                                                                                              \
        const v##S##i odd = ~(v##S##i)(MAGNITUDE_##S(x) < (NORMAL));                               \
        const v##S r = SIGNED_##S(MAGNITUDE_##S(hyperbolic_##S(x, true)), x);                      \
        return ANY(odd) ? select_##S(odd, other_sinh_##S(x), r) : r;                               \
    }                                                                                              \
    static inline v##S cosh_##S(v##S x)                                                            \
    {                                                                                              \
        const v##S##i odd = ~(v##S##i)(MAGNITUDE_##S(x) < (NORMAL));                               \
        const v##S r = hyperbolic_##S(x, false);                                                   \
        return ANY(odd) ? select_##S(odd, other_cosh_##S(x), r) : r;                               \
    }
HYPERBOLIC_SUM(d, 52, 1023, 0x1.8p52, 1.4426950408889634, 0.6931471805592082, 7.371002565167799e-13,
               708.0)
HYPERBOLIC_SUM(f, 23, 127, 0x1.8p23F, 1.44269504F, 0.693359375F, -2.12194440e-4F, 87.0F)

#endif
