/* Elementary functions of real numbers: CUDA's, and what is made of them, by the steps of the CPU twin (cpu/scalar_real.h).
 * Included by scalar.cuh only. Entry points: hd_<function>. */
#ifndef HEDDLE_CUDA_ELEMENTARY_CUH
#define HEDDLE_CUDA_ELEMENTARY_CUH

#define HD_MATH1(name)                                                                             \
    HD float hd_##name(float x)                                                                    \
    {                                                                                              \
        return name##f(x);                                                                         \
    }                                                                                              \
    HD double hd_##name(double x)                                                                  \
    {                                                                                              \
        return name(x);                                                                            \
    }
#define HD_MATH2(name)                                                                             \
    HD float hd_##name(float x, float y)                                                           \
    {                                                                                              \
        return name##f(x, y);                                                                      \
    }                                                                                              \
    HD double hd_##name(double x, double y)                                                        \
    {                                                                                              \
        return name(x, y);                                                                         \
    }
HD_MATH1(sqrt)
HD_MATH1(cbrt)
HD_MATH1(exp2)
HD_MATH1(expm1)
HD_MATH1(log)
HD_MATH1(log1p)
HD_MATH1(log2)
HD_MATH1(log10)
HD_MATH1(logb)
HD_MATH1(sin)
HD_MATH1(cos)
HD_MATH1(tan)
HD_MATH1(asin)
HD_MATH1(acos)
HD_MATH1(atan)
HD_MATH1(sinh)
HD_MATH1(cosh)
HD_MATH1(tanh)
HD_MATH1(asinh)
HD_MATH1(acosh)
HD_MATH1(atanh)
HD_MATH1(erf)
HD_MATH1(erfc)
HD_MATH2(hypot)
HD_MATH2(atan2)
HD_MATH2(nextafter)
#undef HD_MATH1
#undef HD_MATH2

/* exp of float64, without a branch for what is ordinary (hd_is_ordinary_exp), so that several are computed side by side: x = n log 2 + r,
 * and a polynomial in r of degree 11, whose coefficients are the nearest to a minimax fit of (exp(r) - 1 - r) / r^2 (Lawson's
 * algorithm, relative error 2^-57.9). Less than 1 ulp. */
HD float hd_exp(float x)
{
    return expf(x);
}
HD bool hd_is_ordinary_exp(double x)
{
    return (__double2hiint(x) & 0x7fffffff) <
           0x40862000; /* |x| < 708: results and their steps are normal numbers */
}
HD double hd_exp_reduced(double x, int *n)
{
    const double shifted = __fma_rn(x, 0x1.71547652b82fep+0, 0x1.8p52), whole = shifted - 0x1.8p52;
    double r = __fma_rn(whole, -0x1.62e42fefa39efp-1, x);
    r = __fma_rn(whole, -0x1.abc9e3b39803fp-56, r);
    *n = __double2loint(shifted);
    double p = 0x1.ad7f59fc19560p-26;
    p = __fma_rn(p, r, 0x1.28ad9d98736a3p-22);
    p = __fma_rn(p, r, 0x1.71df25a5a1cb5p-19);
    p = __fma_rn(p, r, 0x1.a01999dfe77f0p-16);
    p = __fma_rn(p, r, 0x1.a01a012a12e93p-13);
    p = __fma_rn(p, r, 0x1.6c16c18439b7ap-10);
    p = __fma_rn(p, r, 0x1.1111111127d0ep-7);
    p = __fma_rn(p, r, 0x1.5555555550839p-5);
    p = __fma_rn(p, r, 0x1.55555555554f9p-3);
    p = __fma_rn(p, r, 0x1.000000000000ap-1);
    p = __fma_rn(p, r, 1.0);
    return __fma_rn(p, r, 1.0);
}
HD double hd_exp_ordinary(double x)
{
    int n;
    const double p = hd_exp_reduced(x, &n);
    return __hiloint2double(__double2hiint(p) + (int)((unsigned)n << 20), __double2loint(p));
}
HD double hd_exp(double x)
{
    if (hd_is_ordinary_exp(x)) return hd_exp_ordinary(x);
    if (!(x > -1000)) return x != x ? x : 0.0;
    if (x > 1000) return 0x1p1000 * 0x1p1000;
    int n;
    const double p = hd_exp_reduced(x, &n);
    const int half = n / 2; /* a power at once would be no number */
    return p * __hiloint2double((1023 + half) << 20, 0) *
           __hiloint2double((1023 + n - half) << 20, 0);
}

/* Exponents beyond what any number survives are cut. */
HD float hd_ldexp(float x, float y)
{
    return y != y ? y : ldexpf(x, y > 5000 ? 5000 : y < -5000 ? -5000 : (int)y);
}
HD double hd_ldexp(double x, double y)
{
    return y != y ? y : ldexp(x, y > 5000 ? 5000 : y < -5000 ? -5000 : (int)y);
}

HD float hd_float_pow(float x, float y)
{
    return powf(x, y);
}
HD double hd_float_pow(double x, double y)
{
    return pow(x, y);
}

/* The steps of the CPU twin. */
template <class T>
HD T hd_log_add(T x, T y, bool binary)
{
    if (x == y)
        return binary ? x + 1
                      : x + T(0.693147180559945309417) +
                            T(sizeof(T) == 4 ? -1.9046542121259336e-09 : 2.3190468138462996e-17);
    const T d = x - y;
    if (d != d) return d;
    const T top = d > 0 ? x : y, low = d > 0 ? y : x, size = top - low, part = size - top;
    const T rest = (top - (size - part)) - (low + part);
    const T e = binary ? hd_exp2(-size) : hd_exp(-size);
    const T term = hd_log1p(e) * T(binary ? 1.44269504088896340736 : 1);
    const T full = e > 0 ? term - rest * e * (1 - T(0.5) * e) : term;
    if (!hd_log_add_exp_cancels(top, term)) return top + full;
    if constexpr (sizeof(T) == 4)
        return (T)hd_log_add_exp_small_f(top, low, binary);
    else
        return hd_log_add_exp_small(top, low, binary);
}
template <class T>
HD_BIG T hd_logaddexp(T x, T y)
{
    return hd_log_add(x, y, false);
}
template <class T>
HD_BIG T hd_logaddexp2(T x, T y)
{
    return hd_log_add(x, y, true);
}

template <class T>
HD_BIG T hd_i0(T x)
{
    return (T)hd_bessel_i0(x);
}

#endif
