/* expm1, and log2 of float64, as exponentials.h has exp and log, with SLEEF's where these do not serve: of vectors only. Included by
 * elementary.c. Defines expm1_d, expm1_f, log2_d, log2_f. */
#ifndef HEDDLE_CODELETS_CPU_EXPONENTIALS_OF_VECTORS_H
#define HEDDLE_CODELETS_CPU_EXPONENTIALS_OF_VECTORS_H

/* exp(x) - 1 = (2^n - 1) + 2^n r + ..., of which the first sum is kept with what it loses. Beyond NORMAL: SLEEF's. */
#define EXPM1(S, MANTISSA, BIAS, MAGIC, LOG2_E, HIGH, LOW, NORMAL)                                 \
    static inline v##S expm1_##S(v##S x)                                                           \
    {                                                                                              \
        const v##S none = {0}, magic = none + (MAGIC);                                             \
        const v##S biased = FUSED_##S(x, none + (LOG2_E), magic), n = biased - magic;              \
        const v##S high = FUSED_##S(n, none - (HIGH), x), r = FUSED_##S(n, none - (LOW), high);    \
        const v##S rest = FUSED_##S(n, none - (LOW), high - r);                                    \
        const v##S power = (v##S)(((v##S##i)biased - (v##S##i)magic + BIAS) << MANTISSA);          \
        const v##S less = power - 1, sum = FUSED_##S(power, r, less);                              \
        const v##S lost = FUSED_##S(power, r, less - sum) + ((power - less) - 1);                  \
        v##S e = sum + FUSED_##S(power, exp_rest_##S(r, rest), lost);                              \
        e = SIGNED_##S(MAGNITUDE_##S(e), x);                                                       \
        const v##S##i odd = ~(v##S##i)(MAGNITUDE_##S(x) < (NORMAL));                               \
        return ANY(odd) ? select_##S(odd, CALL_##S(expm1, u10)(x), e) : e;                         \
    }
EXPM1(d, 52, 1023, 0x1.8p52, 1.4426950408889634, 0.6931471805592082, 7.371002565167799e-13, 708.0)
EXPM1(f, 23, 127, 0x1.8p23F, 1.44269504F, 0.693359375F, -2.12194440e-4F, 87.0F)

static inline vd log2_sum_d(vd k, vd f, vd more)
{
    const vd none = {0}, by = none + 1.4426950408889634, p = f * by, sum = k + p;
    const vd lost = (p - (sum - k)) + LOST_d(f, 1.4426950408889634, p);
    const vd rest = FUSED_d(f, none + 2.0355273740931033e-17, lost + more);
    return sum + FUSED_d(log_near_d(f, none), by, rest);
}

#if HD_LEVEL >= 2
LOGARITHM_D(log2_of_d, (vd x, bool all), log2_sum_d, none)
static inline vd log2_d(vd x)
{
    return log2_of_d(x, !ANY(log_is_far_d(x)));
}
#else
#define log2_d SLEEF_D(log2, u10)
#endif
#define log2_f SLEEF_F(log2, u10)

#endif
