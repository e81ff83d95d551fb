/* log(exp(x) + exp(y)) and its twin to the base 2 where they are small beside what makes them: exp(x) - 1 + exp(y) nearly
 * cancels then, and is taken in pairs of doubles: first to 68 bits, by what is little longer than two plain exponentials,
 * and, where even these cancel, to 100. One text for C, for nvcc and, embedded, for NVRTC, where HD_SHARED is a device
 * function's; nothing may be contracted to fused multiply-adds but what says so. Entry points: hd_log_add_exp_cancels,
 * hd_log_add_exp_small, and hd_log_add_exp_small_f of floats. */
#ifndef HEDDLE_CODELETS_LOG_ADD_EXP_H
#define HEDDLE_CODELETS_LOG_ADD_EXP_H

#ifndef HD_SHARED
#include <math.h>
#include <stdbool.h>
#include <string.h>
#define HD_SHARED static inline
#endif

/* Of terms whose last bits count for nothing: fused where the processor has that. */
#if defined(__CUDA_ARCH__) || defined(__FMA__)
#define HD_FUSED(a, b, c) fma(a, b, c)
#else
#define HD_FUSED(a, b, c) ((a) * (b) + (c))
#endif

/* high + low, where low is small beside high. */
struct hd_pair_of_doubles {
    double high, low;
};
typedef struct hd_pair_of_doubles hd_dd;

/* |a| is not below |b|, or a is 0 (Dekker). */
HD_SHARED hd_dd hd_dd_of_ordered(double a, double b)
{
    hd_dd r;
    r.high = a + b;
    r.low = b - (r.high - a);
    return r;
}

HD_SHARED hd_dd hd_dd_of_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    hd_dd r;
    r.high = sum;
    r.low = (a - (sum - part)) + (b - part);
    return r;
}

/* Without a fused multiply-add by halves (Veltkamp, Dekker), to the same bits. */
HD_SHARED hd_dd hd_dd_of_product(double a, double b)
{
    hd_dd r;
    r.high = a * b;
#if defined(__CUDA_ARCH__) || defined(__FMA__)
    r.low = fma(a, b, -r.high);
#else
    const double split = 134217729.0;
    const double a_high = split * a - (split * a - a), a_low = a - a_high;
    const double b_high = split * b - (split * b - b), b_low = b - b_high;
    r.low = ((a_high * b_high - r.high) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
    return r;
}

HD_SHARED hd_dd hd_dd_multiply(hd_dd a, hd_dd b)
{
    const hd_dd p = hd_dd_of_product(a.high, b.high);
    return hd_dd_of_ordered(p.high, HD_FUSED(a.high, b.low, HD_FUSED(a.low, b.high, p.low)));
}

/* high + low + a b, where a b is smaller; low need not be a rounding of high. */
HD_SHARED hd_dd hd_dd_step(hd_dd a, hd_dd b, double high, double low)
{
    const hd_dd p = hd_dd_of_product(a.high, b.high);
    const double rest = HD_FUSED(a.high, b.low, HD_FUSED(a.low, b.high, p.low));
    hd_dd r = hd_dd_of_ordered(high, p.high);
    r.low += low + rest;
    return r;
}

/* exp(2 f) - 1 of exp(f) - 1: the same with 2 m + m^2. */
HD_SHARED hd_dd hd_dd_doubled(hd_dd m)
{
    const double twice = 2 * m.high;
    const hd_dd p = hd_dd_of_product(m.high, m.high);
    hd_dd r = hd_dd_of_ordered(twice, p.high);
    r.low += HD_FUSED(2.0, m.low, HD_FUSED(twice, m.low, p.low));
    return r;
}

/* x = k log 2 + f, or, of powers of two, (k + f / log 2): f, |f| < 0.35. */
HD_SHARED hd_dd hd_dd_reduced(double x, bool binary, double *k)
{
    const double log2_high = 6.93147180369123816490e-01; /* 33 bits: k times it is exact */
    const double log2_middle = 1.9082149292705877e-10, log2_low = 1.1612227229362532e-26;
    const double log2_whole = 0.69314718055994529, log2_rest = 2.3190468138462996e-17;
    if (binary) {
        const double n = rint(x);
        const hd_dd p = hd_dd_of_product(x - n, log2_whole);
        *k = n;
        return hd_dd_of_ordered(p.high, HD_FUSED(x - n, log2_rest, p.low));
    }
    const double n = rint(x * 1.44269504088896340736);
    const hd_dd middle = hd_dd_of_product(-n, log2_middle);
    const hd_dd sum = hd_dd_of_sum(x - n * log2_high, middle.high);
    *k = n;
    return hd_dd_of_ordered(sum.high, sum.low + HD_FUSED(-n, log2_low, middle.low));
}

/* exp(f) - 1, |f| < 0.35, by its series at f / 16, then doubled four times: e^2f - 1 = (e^f - 1)(e^f - 1 + 2). The terms
 * from 1/3! on, of 100 bits from 1/8! on, are doubles. */
HD_SHARED hd_dd hd_dd_exp_less_1(hd_dd f, bool whole)
{
    const double u = f.high * 0.0625;
    double t;
    hd_dd m, by;
    by.high = u;
    by.low = f.low * 0.0625;
    if (whole) {
        t = 1.0 / 1307674368000;
        t = HD_FUSED(t, u, 1.0 / 87178291200);
        t = HD_FUSED(t, u, 1.0 / 6227020800);
        t = HD_FUSED(t, u, 1.0 / 479001600);
        t = HD_FUSED(t, u, 1.0 / 39916800);
        t = HD_FUSED(t, u, 1.0 / 3628800);
        t = HD_FUSED(t, u, 1.0 / 362880);
        t = HD_FUSED(t, u, 1.0 / 40320);
        m.high = t;
        m.low = 0;
        m = hd_dd_step(by, m, 1.0 / 5040, 1.7209558293420705e-22);
        m = hd_dd_step(by, m, 1.0 / 720, -5.300543954373577e-20);
        m = hd_dd_step(by, m, 1.0 / 120, 1.1564823173178714e-19);
        m = hd_dd_step(by, m, 1.0 / 24, 2.3129646346357427e-18);
        m = hd_dd_step(by, m, 1.0 / 6, 9.25185853854297e-18);
    } else {
        t = 1.0 / 3628800;
        t = HD_FUSED(t, u, 1.0 / 362880);
        t = HD_FUSED(t, u, 1.0 / 40320);
        t = HD_FUSED(t, u, 1.0 / 5040);
        t = HD_FUSED(t, u, 1.0 / 720);
        t = HD_FUSED(t, u, 1.0 / 120);
        t = HD_FUSED(t, u, 1.0 / 24);
        m.high = HD_FUSED(t, u, 1.0 / 6);
        m.low = 0;
    }
    m = hd_dd_step(by, m, 0.5, 0);
    m = hd_dd_step(by, m, 1, 0);
    m = hd_dd_multiply(by, m);
    m = hd_dd_doubled(m);
    m = hd_dd_doubled(m);
    m = hd_dd_doubled(m);
    return hd_dd_doubled(m);
}

/* 2^n, -1000 < n < 1000: by bits, as vectors have them, where a function would not be inlined. */
HD_SHARED double hd_dd_2_to(double n)
{
#ifdef __CUDA_ARCH__
    return ldexp(1.0, (int)n);
#else
    double power = n + (0x1.8p52 + 1023); /* its last 11 bits are the exponent */
    unsigned long long bits;
    memcpy(&bits, &power, sizeof bits);
    bits <<= 52;
    memcpy(&power, &bits, sizeof power);
    return power;
#endif
}

/* exp(top) - 1 + exp(low), or of powers of two: top is above -3, low above -1100. */
HD_SHARED hd_dd hd_dd_exp_sum_less_1(double top, double low, bool binary, bool whole)
{
    double k, n;
    const hd_dd f = hd_dd_reduced(top, binary, &k), g = hd_dd_reduced(low, binary, &n);
    const hd_dd a = hd_dd_exp_less_1(f, whole), b = hd_dd_exp_less_1(g, whole);
    const double half = n < -900 ? -900 : 0; /* a product of two may be subnormal */
    const double of_a = hd_dd_2_to(k), of_b = hd_dd_2_to(n - half) * hd_dd_2_to(half);
    const hd_dd ones = hd_dd_of_sum(of_a - 1, of_b),
                ends = hd_dd_of_sum(of_a * a.high, of_b * b.high);
    const hd_dd sum = hd_dd_of_sum(ones.high, ends.high);
    return hd_dd_of_ordered(sum.high,
                            sum.low + (ends.low + ones.low + HD_FUSED(of_a, a.low, of_b * b.low)));
}

/* Whether top + term, term = log1p(exp(low - top)), loses digits: beside 0, as in a softplus, it does not. */
HD_SHARED bool hd_log_add_exp_cancels(double top, double term)
{
    return top != 0 && fabs(top + term) < term;
}

/* Whether exp(top) - 1 + exp(low), of 68 bits, has lost too many of them, or its parts are out of its range. */
HD_SHARED bool hd_log_add_exp_cancels_again(double top, double low, double sum)
{
    return low < -1080 || fabs(sum) < 0x1p-12 * fabs(top);
}

/* Of what cancels: top < 0. */
HD_SHARED double hd_log_add_exp_small(double top, double low, bool binary)
{
    if (low < -1080) return top;
    hd_dd g = hd_dd_exp_sum_less_1(top, low, binary, false);
    if (hd_log_add_exp_cancels_again(top, low, g.high))
        g = hd_dd_exp_sum_less_1(top, low, binary, true);
    const double slope = (double)(1.0F / (float)(1 + g.high));
    const double r = log1p(g.high) + g.low * slope;
    return binary ? r * 1.44269504088896340736 : r;
}

/* The same to the precision of a float: by doubles, or, where these cancel, by 68 bits, which take fewer registers on GPUs
 * than all of the above. */
HD_SHARED double hd_log_add_exp_small_f(double top, double low, bool binary)
{
    const double scale = binary ? 0.69314718055994530942 : 1;
    double g = expm1(top * scale) + exp(low * scale);
    if (fabs(g) < 0x1p-20 * fabs(top)) g = hd_dd_exp_sum_less_1(top, low, binary, false).high;
    return log1p(g) / scale;
}

#endif
