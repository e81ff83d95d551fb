/* Quotients and roots of float32 and float64, correctly rounded, and exp of float64, with one check for many of them: each is computed by what is
 * right for ordinary operands, and notes in hd_quick how far from ordinary its own are; where any was too far, all
 * are computed once more by the exact operations. With a check for each, branches are a third of the time of programs
 * that have much arithmetic. Why the results are right: docs/decisions/0051-quick-quotients.md. May include scalar.cuh and cast.cuh only.
 * Entry points: hd_compute, and what it calls: hd_div, hd_reciprocal, hd_sqrt, hd_cast with an hd_quick or an hd_exact. */
#ifndef HEDDLE_CUDA_QUICK_CUH
#define HEDDLE_CUDA_QUICK_CUH

#include "cuda/cast.cuh"
#include "cuda/scalar.cuh"

#ifndef hd_near_reciprocal /* the emulator has its own */
/* Within 1 ulp of 1 / x; infinite for x below the normal numbers, 0 above 2^126. */
HD float hd_near_reciprocal(float x)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
/* Within 2^-22.9 of 1 / sqrt(x). */
HD float hd_near_root(float x)
{
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
/* As many digits as the high word has, and zeros after them. */
HD double hd_near_reciprocal(double x)
{
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}
HD double hd_near_root(double x)
{
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}
#endif

/* What has been seen of the operands and results. */
struct hd_quick {
    float most = 0; /* the sum of |divisors| and |quotients| */
    unsigned least_numerator = ~0u,
             least_radicand = ~0u; /* of numbers that order those that are too small first */
    /* The same of float64, by high words. */
    unsigned most_double = 0, least_double = ~0u, least_double_radicand = ~0u;
    int low_words = 0; /* of numerators whose high word is 0 */
    bool has_far_exp = false;
    unsigned most_whole = 0; /* the bits of |x| of what becomes an integer */

    __device__ __forceinline__ bool is_right() const
    {
        /* numerators from 2^-60, or 0; radicands from 2^-101; not so if `most` is NaN */
        return most <= 0x1p60f && least_numerator >= 0x43000000u && least_radicand >= 0x8d800000u &&
               /* from 2^-480 to 2^480; from 2^-900 */
               most_double < 0x5df00000u && least_double >= 0x43e00000u && low_words == 0 &&
               least_double_radicand >= 0x87c00000u && !has_far_exp &&
               most_whole < 0x4f000000u; /* below 2^31, where 32 bits have it */
    }
};
struct hd_exact {
};

/* A quotient of 0 has no sign of its own; *near: what has the sign. */
HD float hd_unsigned_quotient(float x, float y, hd_quick &quick, float *near)
{
    const float guess = hd_near_reciprocal(y);
    const float r = __fmaf_rn(guess, __fmaf_rn(-y, guess, 1.0f), guess);
    const float q = x * r;
    const float quotient = __fmaf_rn(r, __fmaf_rn(-q, y, x), q);
    quick.least_numerator = hd_minimum(quick.least_numerator,
                                       (__float_as_uint(x) << 1) - 1); /* 0 becomes the greatest */
    quick.most += fabsf(y);
    quick.most += fabsf(quotient);
    *near = q;
    return quotient;
}

HD float hd_div(float x, float y, hd_quick &quick)
{
    float near;
    const float quotient = hd_unsigned_quotient(x, y, quick, &near);
    return __int_as_float((int)(__float_as_uint(quotient) | (__float_as_uint(near) & 0x80000000u)));
}

HD float hd_reciprocal(float x, hd_quick &quick)
{
    float near;
    return hd_unsigned_quotient(1.0f, x, quick, &near);
}

HD float hd_sqrt(float x, hd_quick &quick)
{
    const float near = hd_near_root(x);
    const float root = x * near, half = near * 0.5f;
    /* negative numbers, infinity and NaN wrap to below what small ones become */
    quick.least_radicand = hd_minimum(quick.least_radicand, __float_as_uint(x) + 0x80800000u);
    return __fmaf_rn(__fmaf_rn(-root, root, x), half, root);
}

/* Within an ulp of 1 / y, nearly always 1 / y rounded. Of y with all digits 1 that needs a first guess above a power of two. */
HD double hd_refined_reciprocal(double y)
{
    const double near = __hiloint2double(__double2hiint(hd_near_reciprocal(y)), 1);
    double off = __fma_rn(-y, near, 1.0);
    off = __fma_rn(off, off, off);
    const double r = __fma_rn(near, off, near);
    return __fma_rn(r, __fma_rn(-y, r, 1.0), r);
}

HD unsigned hd_high_word(double x)
{
    return (unsigned)__double2hiint(x);
}

HD double hd_unsigned_quotient(double x, double y, hd_quick &quick, double *near)
{
    const double r = hd_refined_reciprocal(y);
    const double q = x * r;
    const double quotient = __fma_rn(r, __fma_rn(-q, y, x), q);
    const unsigned twice = hd_high_word(x) << 1;
    quick.least_double = hd_minimum(quick.least_double, twice - 1);
    if (twice == 0) quick.low_words |= __double2loint(x);
    quick.most_double = hd_maximum(quick.most_double, hd_high_word(y) & 0x7fffffffu);
    quick.most_double = hd_maximum(quick.most_double, hd_high_word(quotient) & 0x7fffffffu);
    *near = q;
    return quotient;
}

HD double hd_div(double x, double y, hd_quick &quick)
{
    double near;
    const double quotient = hd_unsigned_quotient(x, y, quick, &near);
    return __hiloint2double((int)(hd_high_word(quotient) | (hd_high_word(near) & 0x80000000u)),
                            __double2loint(quotient));
}

HD double hd_reciprocal(double x, hd_quick &quick)
{
    double near;
    return hd_unsigned_quotient(1.0, x, quick, &near);
}

HD double hd_sqrt(double x, hd_quick &quick)
{
    const double near = hd_near_root(x);
    const double off = __fma_rn(x, -(near * near), 1.0);
    const double inverse = __fma_rn(__fma_rn(off, 0.375, 0.5), near * off, near);
    const double root = x * inverse;
    /* as of float32 */
    quick.least_double_radicand =
        hd_minimum(quick.least_double_radicand, hd_high_word(x) + 0x80100000u);
    return __fma_rn(__fma_rn(-root, root, x), inverse * 0.5, root);
}

HD double hd_exp(double x, hd_quick &quick)
{
    quick.has_far_exp |= !hd_is_ordinary_exp(x);
    return hd_exp_ordinary(x);
}

template <class T>
HD T hd_div(T x, T y, hd_exact)
{
    return x / y;
}
template <class T>
HD T hd_reciprocal(T x, hd_exact)
{
    return 1 / x;
}
template <class T>
HD T hd_sqrt(T x, hd_exact)
{
    return hd_sqrt(x);
}
HD double hd_exp(double x, hd_exact)
{
    return hd_exp(x);
}

/* As many of the lowest bits as To has are the same of a conversion to 64 bits, which takes four times as long (cast.cuh). */
template <class To>
HD To hd_cast(float x, hd_quick &quick)
{
    quick.most_whole = hd_maximum(quick.most_whole, __float_as_uint(x) & 0x7fffffffu);
    return (To)(int)x;
}
template <class To>
HD To hd_cast(float x, hd_exact)
{
    return hd_cast<To>(x);
}

/* Calls `values`, which computes all that share a check, with an hd_quick if it may, and with an hd_exact if that did not do. */
template <class F>
HD void hd_compute(bool may_be_quick, F values)
{
    if (may_be_quick) {
        hd_quick quick;
        values(quick);
        if (quick.is_right()) return;
    }
    hd_exact exact;
    values(exact);
}

#endif
