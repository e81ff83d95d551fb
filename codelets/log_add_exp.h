/* log(exp(x) + exp(y)) where it is small beside what makes it: exp(x) - 1 + exp(y) nearly cancels then, and is taken in
 * pairs of doubles. One text for C, for nvcc and, embedded, for NVRTC, where HD_SHARED is a device function's; nothing
 * may be contracted to fused multiply-adds. Entry points: hd_log_add_exp_cancels, hd_log_add_exp_small. */
#ifndef HEDDLE_CODELETS_LOG_ADD_EXP_H
#define HEDDLE_CODELETS_LOG_ADD_EXP_H

#ifndef HD_SHARED
#include <math.h>
#include <stdbool.h>
#define HD_SHARED static inline
#endif

/* high + low, |low| below half a unit in the last place of high. */
struct hd_pair_of_doubles {
    double high, low;
};
typedef struct hd_pair_of_doubles hd_dd;

HD_SHARED hd_dd hd_dd_of_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    hd_dd r;
    r.high = sum;
    r.low = (a - (sum - part)) + (b - part);
    return r;
}

/* Without a fused multiply-add, which not every processor has: by halves (Veltkamp, Dekker). */
HD_SHARED hd_dd hd_dd_of_product(double a, double b)
{
    const double split = 134217729.0, product = a * b;
    const double a_high = split * a - (split * a - a), a_low = a - a_high;
    const double b_high = split * b - (split * b - b), b_low = b - b_high;
    hd_dd r;
    r.high = product;
    r.low = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    return r;
}

HD_SHARED hd_dd hd_dd_add(hd_dd a, hd_dd b)
{
    const hd_dd high = hd_dd_of_sum(a.high, b.high), low = hd_dd_of_sum(a.low, b.low);
    const hd_dd sum = hd_dd_of_sum(high.high, high.low + low.high);
    return hd_dd_of_sum(sum.high, sum.low + low.low);
}

HD_SHARED hd_dd hd_dd_multiply(hd_dd a, hd_dd b)
{
    const hd_dd p = hd_dd_of_product(a.high, b.high);
    return hd_dd_of_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

HD_SHARED hd_dd hd_dd_divide(hd_dd a, double b)
{
    const double quotient = a.high / b;
    const hd_dd back = hd_dd_of_product(quotient, b);
    return hd_dd_of_sum(quotient, ((a.high - back.high) - back.low + a.low) / b);
}

/* exp(x) - 1 and, scaled by 2^*k, exp(x): x is in [-745, 1]. exp(f) - 1 of f = x - k log 2 by its series at f / 16, then
 * doubled four times: e^2f - 1 = (e^f - 1)(e^f - 1 + 2). */
HD_SHARED hd_dd hd_dd_exp_less_1(double x, double *k)
{
    const double log2_high = 6.93147180369123816490e-01; /* 33 bits: k times it is exact */
    const double log2_middle = 1.9082149292705877e-10, log2_low = 1.1612227229362532e-26;
    const double n = x > -0.3 && x < 0.3 ? 0 : rint(x * 1.44269504088896340736);
    const hd_dd middle = hd_dd_of_product(-n, log2_middle);
    hd_dd f = hd_dd_add(hd_dd_of_sum(x, -n * log2_high), middle), m;
    f = hd_dd_add(f, hd_dd_of_sum(-n * log2_low, 0));
    f.high *= 0.0625;
    f.low *= 0.0625;
    double tail = 1; /* of the series, to a double's precision */
    for (int i = 15; i >= 8; i--) tail = 1 + f.high / i * tail;
    m = hd_dd_of_sum(1, tail - 1);
    for (int i = 7; i >= 2; i--)
        m = hd_dd_add(hd_dd_of_sum(1, 0), hd_dd_divide(hd_dd_multiply(f, m), i));
    m = hd_dd_multiply(f, m);
    for (int i = 0; i < 4; i++) m = hd_dd_multiply(m, hd_dd_add(hd_dd_of_sum(2, 0), m));
    *k = n;
    return m;
}

/* The same times 2^k, plus `less`: 0 or -1 beside exp(x). */
HD_SHARED hd_dd hd_dd_exp(double x, double less)
{
    double k;
    const hd_dd m = hd_dd_exp_less_1(x, &k);
    if (k == 0 && less != 0) return m;
    hd_dd e = hd_dd_add(hd_dd_of_sum(1, 0), m);
    e.high = ldexp(e.high, (int)k);
    e.low = ldexp(e.low, (int)k);
    return hd_dd_add(e, hd_dd_of_sum(less, 0));
}

/* Whether top + term, term = log1p(exp(low - top)), loses digits, or the rounding of low - top shows: beside 0, as in a
 * softplus, neither does. */
HD_SHARED bool hd_log_add_exp_cancels(double top, double low, double term)
{
    const double apart = 0.5 * (top - low), r = fabs(top + term);
    return top != 0 && r < (apart > 1 ? apart : 1) * term;
}

HD_SHARED double hd_log_add_exp_small(double top, double low)
{
    if (low < -745) return top;
    if (top >= 0) return log1p(expm1(top) + exp(low));
    const hd_dd g = hd_dd_add(hd_dd_exp(top, -1), hd_dd_exp(low, 0));
    return log1p(g.high) + g.low / (1 + g.high);
}

#endif
