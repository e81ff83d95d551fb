/* exp, exp2, log and log1p of vectors, and tanh of float32, in a loop without calls: half of SLEEF's time, within 1 ULP. Coefficients are interpolated at
 * Chebyshev's points; their errors are below 2^-57 of float64 and 2^-28 of float32. An element's bits do not depend on its
 * neighbours. Included by elementary.c, where v is a vector, and, as text, by compiled loops, where it is a number (in_loops.h); so casts have
 * names: INT_, UINT_ and REAL_ keep the bits, and NOT is that of comparisons. Defines exp_d, exp2_d, log_d, log1p_d, those of f, and tanh_f. */
#ifndef HEDDLE_CODELETS_CPU_EXPONENTIALS_H
#define HEDDLE_CODELETS_CPU_EXPONENTIALS_H

/* ---- exp, exp2 ------------------------------------------------------------------------------------------- */

/* exp(r) - 1 - r, |r| <= log(2) / 2; rest: what r lost by its rounding. */
static inline vd exp_rest_d(vd r, vd rest)
{
    const vd none = {0}, square = r * r, fourth = square * square;
    const vd q0 = FUSED_d(r, none + 0.1666666666666667, none + 0.5);
    const vd q2 = FUSED_d(r, none + 0.008333333333326136, none + 0.04166666666666667);
    const vd q4 = FUSED_d(r, none + 0.00019841269874820627, none + 0.0013888888888883748);
    const vd q6 = FUSED_d(r, none + 2.7557255400206422e-06, none + 2.4801587325547743e-05);
    const vd q8 = FUSED_d(r, none + 2.5105217004720745e-08, none + 2.75572736431103e-07);
    const vd top = FUSED_d(square, none + 2.0914686968086876e-09, q8);
    const vd q =
        FUSED_d(FUSED_d(top, fourth, FUSED_d(q6, square, q4)), fourth, FUSED_d(q2, square, q0));
    return FUSED_d(q, square, rest);
}

static inline vf exp_rest_f(vf r, vf rest)
{
    const vf none = {0}, square = r * r;
    const vf q0 = FUSED_f(r, none + 0.1666666716337204F, none + 0.5F);
    const vf q2 = FUSED_f(r, none + 0.00833331048488617F, none + 0.04166646674275398F);
    const vf q4 = FUSED_f(r, none + 0.00019890991097781807F, none + 0.0013933649752289057F);
    const vf q = FUSED_f(FUSED_f(q4, square, q2), square, q0);
    return FUSED_f(q, square, rest);
}

/* name_of_S(x, all): `all`: name_is_far_S(x) of none, which takes less, to the same bits. */
#define OF_ALL(name, S)                                                                            \
    static inline v##S name##_##S(v##S x)                                                          \
    {                                                                                              \
        return name##_of_##S(x, !ANY(name##_is_far_##S(x)));                                       \
    }

/* 2^n exp(r): x = n log(2) + r, log(2) in two parts of which n times the first is exact; of exp2 x = n + r / log(2). n is the last
 * bits of `biased`. While 2^n and all results are normal numbers (|x| < NORMAL, of exp2 NORMAL2: `all` elements), n is added to the
 * exponent, which is what the product gives. Beyond MOST and MOST2 results are infinite or 0. Of tiny numbers, below the normal ones, the
 * bits are how many of the least one they are, rounded as UNIT, whose last place is 1, is added: a product that underflows, to 0, too, takes a hundred
 * clocks. MANTISSA: its bits. */
#define EXPONENTIALS(S, T, MANTISSA, BIAS, MAGIC, UNIT, LOG2_E, HIGH, LOW, LOG2, LOG2_REST,        \
                     NORMAL, NORMAL2, MOST, MOST2)                                                 \
    static inline v##S clamped_##S(v##S x, T most)                                                 \
    {                                                                                              \
        const v##S none = {0}, y = select_##S(x < most, x, none + most);                           \
        return select_##S(y > -most, y, none - most);                                              \
    }                                                                                              \
    static inline v##S scaled_##S(v##S e, v##S biased, v##S x, bool all)                           \
    {                                                                                              \
        if (all) return REAL_##S(INT_##S(e) + (INT_##S(biased) << MANTISSA));                      \
        const v##S magic = (v##S){0} + (MAGIC); /* no shift of n: not all vectors have that */     \
        const v##S##i tiny = biased - magic <= -BIAS;                                              \
        const v##S up = select_##S(tiny, biased + (BIAS + MANTISSA - 1), biased);                  \
        const v##S halves = (up - magic) / 2 + magic, unit = (v##S){0} + (UNIT);                   \
        const v##S##i n = INT_##S(up) - INT_##S(magic);                                            \
        const v##S##i half = INT_##S(halves) - INT_##S(magic), rest = n - half;                    \
        e = e * REAL_##S((half + BIAS) << MANTISSA) * REAL_##S((rest + BIAS) << MANTISSA);         \
        e = select_##S(tiny, REAL_##S(INT_##S(e + unit) - INT_##S(unit)), e);                      \
        return select_##S(IS_NAN(x), x, e);                                                        \
    }                                                                                              \
    static inline v##S##i exp_is_far_##S(v##S x)                                                   \
    {                                                                                              \
        return NOT(MAGNITUDE_##S(x) < (NORMAL));                                                   \
    }                                                                                              \
    static inline v##S##i exp2_is_far_##S(v##S x)                                                  \
    {                                                                                              \
        return NOT(MAGNITUDE_##S(x) < (NORMAL2));                                                  \
    }                                                                                              \
    static inline v##S exp_of_##S(v##S x, bool all)                                                \
    {                                                                                              \
        const v##S none = {0}, magic = none + (MAGIC);                                             \
        const v##S y = all ? x : clamped_##S(x, MOST);                                             \
        const v##S biased = FUSED_##S(y, none + (LOG2_E), magic), n = biased - magic;              \
        const v##S high = FUSED_##S(n, none - (HIGH), y), r = FUSED_##S(n, none - (LOW), high);    \
        const v##S rest = FUSED_##S(n, none - (LOW), high - r);                                    \
        return scaled_##S(1 + (r + exp_rest_##S(r, rest)), biased, x, all);                        \
    }                                                                                              \
    static inline v##S exp2_of_##S(v##S x, bool all)                                               \
    {                                                                                              \
        const v##S none = {0}, magic = none + (MAGIC);                                             \
        const v##S y = all ? x : clamped_##S(x, MOST2);                                            \
        const v##S biased = y + magic, part = y - (biased - magic), r = part * (LOG2);             \
        const v##S rest = FUSED_##S(part, none + (LOG2_REST), LOST_##S(part, LOG2, r));            \
        return scaled_##S(1 + (r + exp_rest_##S(r, rest)), biased, x, all);                        \
    }

/* What the product r of x and y lost; where nothing is fused, nothing is known of it. */
#if HD_LEVEL >= 2
#define LOST_d(x, y, r) FMA_d(x, (vd){0} + (y), -(r))
#define LOST_f(x, y, r) FMA_f(x, (vf){0} + (y), -(r))
#else
#define LOST_d(x, y, r) ((vd){0})
#define LOST_f(x, y, r) ((vf){0})
#endif

EXPONENTIALS(d, double, 52, 1023, 0x1.8p52, 0x1p52, 1.4426950408889634, 0.6931471805592082,
             7.371002565167799e-13, 0.6931471805599453, 2.3190468138462996e-17, 708.0, 1021.0,
             760.0, 1100.0)
EXPONENTIALS(f, float, 23, 127, 0x1.8p23F, 0x1p23F, 1.44269504F, 0.693359375F, -2.12194440e-4F,
             0.693147182F, -1.90465430e-09F, 87.0F, 125.0F, 120.0F, 160.0F)

OF_ALL(exp, d)
OF_ALL(exp, f)
OF_ALL(exp2, d)
OF_ALL(exp2, f)

/* ---- log ------------------------------------------------------------------------------------------------- */

/* x = 2^k (1 + f), 1 + f from the root of 1/2 to that of 2; log(x) = k log(2) + log(1 + f), where log(1 + f) = f - (f^2 / 2 - ...) and
 * the first sum is k log(2) + f, with what it loses. Of float64 the rest is by s = f / (2 + f), as in fdlibm: one division. */
static inline vd log_near_d(vd f, vd rest)
{
    const vd none = {0}, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    const vd p0 = FUSED_d(z, none + 0.3999999999989938, none + 0.666666666666667);
    const vd p2 = FUSED_d(z, none + 0.2222221112572281, none + 0.28571428626031065);
    const vd p4 = FUSED_d(z, none + 0.15331699633543858, none + 0.18182889786191042);
    const vd square = z * z, top = FUSED_d(square, none + 0.14616721179861816, p4);
    const vd p = FUSED_d(FUSED_d(top, square, p2), square, p0);
    return FUSED_d(-0.5 * f, f, FUSED_d(s, FUSED_d(p, z, half), rest));
}

static inline vf log_near_f(vf f, vf rest)
{
    const vf none = {0}, square = f * f;
    const vf p0 = FUSED_f(f, none - 0.2499999701976776F, none + 0.3333333134651184F);
    const vf p2 = FUSED_f(f, none - 0.1666780263185501F, none + 0.20000715553760529F);
    const vf p4 = FUSED_f(f, none - 0.12425670772790909F, none + 0.14249052107334137F);
    const vf p6 = FUSED_f(f, none - 0.11479881405830383F, none + 0.11685456335544586F);
    const vf fourth = square * square, top = FUSED_f(square, none + 0.06971701979637146F, p6);
    const vf p = FUSED_f(FUSED_f(top, square, p4), fourth, FUSED_f(p2, square, p0));
    return FUSED_f(-0.5F * f, f, FUSED_f(p * f, square, rest));
}

/* k log(2) + log(1 + f) + more; and, where products lose nothing, that by log(2). */
#define LOG_SUM(S, HIGH, LOW)                                                                      \
    static inline v##S log_sum_##S(v##S k, v##S f, v##S more)                                      \
    {                                                                                              \
        const v##S none = {0}, high = k * (HIGH), sum = high + f, lost = f - (sum - high);         \
        return sum + log_near_##S(f, FUSED_##S(k, none + (LOW), lost + more));                     \
    }
LOG_SUM(d, 0.6931471805592082, 7.371002565167799e-13)
LOG_SUM(f, 0.693359375F, -2.12194440e-4F)

/* The function NAME of x, by SUM, with what ADDED adds to the result in its last place. ROOT, ONE: bits of the root of 1/2, and of 1; LEAST: the least
 * normal number; below it x is multiplied by 2^UP. k is the last bits of a number whose last place is 1, and `less` what else is in them. */
#define LOGARITHM(NAME, PARAMETERS, SUM, ADDED, S, T, MANTISSA, ROOT, ONE, LEAST, UP, SCALE,       \
                  WHOLE, BIAS)                                                                     \
    static inline v##S NAME PARAMETERS                                                             \
    {                                                                                              \
        const v##S none = {0}, infinite = none + (T)INFINITY, whole = none + (WHOLE);              \
        v##S y = x, less = whole + (BIAS);                                                         \
        if (!all) {                                                                                \
            const v##S##i small = x < (LEAST);                                                     \
            y = select_##S(small, x * (SCALE), x);                                                 \
            less = select_##S(small, less + (UP), less);                                           \
        }                                                                                          \
        const v##S##u mantissa = (((v##S##u){0} + 1) << (MANTISSA)) - 1;                           \
        const v##S##u moved = UINT_##S(y) + ((ONE) - (ROOT));                                      \
        const v##S k = REAL_##S(moved >> (MANTISSA) | UINT_##S(whole)) - less;                     \
        const v##S f = REAL_##S((moved & mantissa) + (ROOT)) - 1;                                  \
        const v##S r = SUM(k, f, ADDED);                                                           \
        if (all) return r;                                                                         \
        const v##S##i positive = x > none, zero = x == none;                                       \
        const v##S other = select_##S(x < none, none + (T)NAN, x + x);                             \
        return select_##S(positive & (x < infinite), r, select_##S(zero, -infinite, other));       \
    }
#define LOGARITHM_D(NAME, PARAMETERS, SUM, ADDED)                                                  \
    LOGARITHM(NAME, PARAMETERS, SUM, ADDED, d, double, 52, UINT64_C(0x3fe6a09e667f3bcd),           \
              UINT64_C(0x3ff0000000000000), 0x1p-1022, 54, 0x1p54, 0x1p52, 1023)
#define LOGARITHM_F(NAME, PARAMETERS, ADDED)                                                       \
    LOGARITHM(NAME, PARAMETERS, log_sum_f, ADDED, f, float, 23, UINT32_C(0x3f3504f3),              \
              UINT32_C(0x3f800000), 0x1p-126F, 25, 0x1p25F, 0x1p23F, 127)
LOGARITHM_D(log_of_d, (vd x, bool all), log_sum_d, none)
LOGARITHM_F(log_of_f, (vf x, bool all), none)
LOGARITHM_D(log_more_d, (vd x, vd more, bool all), log_sum_d, more)
LOGARITHM_F(log_more_f, (vf x, vf more, bool all), more)

/* log(1 + x): the logarithm of the rounded sum y, and what that lost, divided by y. Below TINY it is x, which keeps the sign of 0. */
#define LOG1P(S, T, LEAST, TINY)                                                                   \
    static inline v##S##i log_is_far_##S(v##S x)                                                   \
    {                                                                                              \
        return NOT((x >= (LEAST)) & (x < (T)INFINITY));                                            \
    }                                                                                              \
    static inline v##S##i log1p_is_far_##S(v##S x)                                                 \
    {                                                                                              \
        return log_is_far_##S(1 + x);                                                              \
    }                                                                                              \
    static inline v##S log1p_of_##S(v##S x, bool all)                                              \
    {                                                                                              \
        const v##S y = 1 + x, of_x = y - 1, lost = (1 - (y - of_x)) + (x - of_x);                  \
        const v##S r = log_more_##S(y, lost / y, all);                                             \
        return select_##S(MAGNITUDE_##S(x) < (TINY), x, r);                                        \
    }
LOG1P(d, double, 0x1p-1022, 0x1p-60)
LOG1P(f, float, 0x1p-126F, 0x1p-30F)
OF_ALL(log, d)
OF_ALL(log, f)
OF_ALL(log1p, d)
OF_ALL(log1p, f)

/* ---- tanh ------------------------------------------------------------------------------------------------ */

/* Up to 1 an odd polynomial, interpolated at Chebyshev's points to 2^-29; beyond 1 - 2 / (exp(2 x) + 1), with exp(2 x) =
 * 2^n exp(f), |f| < 0.35, to 2^-32. */
static inline vf tanh_f(vf x)
{
    const vf none = {0}, size = MAGNITUDE_f(x), z = x * x;
    vf p = none + 0.000142793188F;
    p = FUSED_f(p, z, none - 0.0009235008463F);
    p = FUSED_f(p, z, none + 0.003206803387F);
    p = FUSED_f(p, z, none - 0.008697847593F);
    p = FUSED_f(p, z, none + 0.02182954884F);
    p = FUSED_f(p, z, none - 0.05396341475F);
    p = FUSED_f(p, z, none + 0.1333331066F);
    p = FUSED_f(p, z, none - 0.3333333316F);
    const vf near = SIGNED_f(FUSED_f(x * z, p, x), x); /* of -0, too */
    const vfi is_near = size < 1;
    if (!ANY(NOT(size < 1))) return near;

    const vf most = none + 10, twice = 2 * select_f(size < most, size, most); /* tanh(10) is 1 */
    const vf magic = none + 0x1.8p23F,
             biased = FUSED_f(twice, none + 1.44269504F, magic); /* its last bits are n */
    const vf n = biased - magic;
    vf f =
        FUSED_f(n, none - 0.693359375F, twice); /* log 2 in two parts: n times the first is exact */
    f = FUSED_f(n, none + 2.12194440e-4F, f);
    vf e = none + 0.000198919813F;
    e = FUSED_f(e, f, none + 0.001393454193F);
    e = FUSED_f(e, f, none + 0.008333310024F);
    e = FUSED_f(e, f, none + 0.04166645681F);
    e = FUSED_f(e, f, none + 0.1666666668F);
    e = FUSED_f(e, f, none + 0.5000000014F);
    e = FUSED_f(e * f, f, f) + 1;
    e = REAL_f(INT_f(e) + (INT_f(biased) << 23));
    vf r = SIGNED_f(1 - 2 / (e + 1), x);
    r = select_f(is_near, near, r);
    return select_f(IS_NAN(x), x, r);
}

#endif
