/* The elementary hd_ functions of complex numbers. complex64 goes through complex128, so that one
 * set of formulas serves both. Compiled by nvcc and, as embedded text, by NVRTC: may include
 * scalar.cuh only. Formulas: Kahan, "Branch cuts for complex elementary functions"; C99 Annex G
 * for the special values that are cheap to get right. */
#ifndef HEDDLE_CUDA_COMPLEX_CUH
#define HEDDLE_CUDA_COMPLEX_CUH

#include "cuda/scalar.cuh"

typedef hd_complex128 hd_z;

HD hd_z hd_times_i(hd_z z)
{
    return hd_pair(-z.im, z.re);
}
HD hd_z hd_times_minus_i(hd_z z)
{
    return hd_pair(z.im, -z.re);
}
HD hd_z hd_scaled(hd_z z, double s)
{
    return hd_pair(z.re * s, z.im * s);
}
HD double hd_infinity()
{
    return __longlong_as_double(0x7ff0000000000000ll);
}
HD double hd_nan()
{
    return __longlong_as_double(0x7ff8000000000000ll);
}

HD_BIG hd_z hd_sqrt(hd_z z)
{
    const double a = z.re, b = z.im;
    if (a == 0 && b == 0) return hd_pair(0.0, b);
    if (isinf(b)) return hd_pair(hd_infinity(), b);
    if (isnan(a)) return hd_pair(a, hd_nan());
    if (isinf(a)) {
        const double c = isnan(b) ? b : 0.0;
        return a > 0 ? hd_pair(a, copysign(c, b))
                     : hd_pair(isnan(b) ? b : 0.0, copysign(hd_infinity(), b));
    }
    const bool large = fabs(a) > 4e307 || fabs(b) > 4e307;
    const bool tiny = fabs(a) < 1e-290 && fabs(b) < 1e-290;
    const double in = large ? 0.25 : tiny ? 0x1p60 : 1.0, out = large ? 2.0 : tiny ? 0x1p-30 : 1.0;
    const double x = a * in, y = b * in;
    const double t = sqrt((fabs(x) + hypot(x, y)) * 0.5), u = fabs(y) / (2 * t);
    return x >= 0 ? hd_pair(t * out, copysign(u, y) * out) : hd_pair(u * out, copysign(t, y) * out);
}

HD_BIG hd_z hd_exp(hd_z z)
{
    if (z.im == 0) return hd_pair(exp(z.re), z.im);
    if (!isfinite(z.im)) {
        if (z.re == hd_infinity()) return hd_pair(z.re, hd_nan());
        if (z.re == -hd_infinity()) return hd_pair(0.0, 0.0);
        return hd_pair(hd_nan(), hd_nan());
    }
    double s, c;
    sincos(z.im, &s, &c);
    if (z.re > 709 && z.re < 1500) { /* the modulus overflows before the parts do */
        const double e = exp(z.re - 700), big = exp(700.0);
        return hd_pair(e * c * big, e * s * big);
    }
    const double e = exp(z.re);
    return hd_pair(e * c, e * s);
}

HD_BIG hd_z hd_exp2(hd_z z)
{
    const double angle = z.im * 0.693147180559945309417;
    if (z.im == 0) return hd_pair(exp2(z.re), z.im);
    if (!(fabs(z.re) < 100 && isfinite(angle)))
        return hd_exp(hd_pair(z.re * 0.693147180559945309417, angle));
    double s, c;
    sincos(angle, &s, &c);
    const double size = exp2(z.re);
    return hd_pair(size * c, size * s);
}

HD_BIG hd_z hd_log(hd_z z)
{
    const double ax = fabs(z.re), ay = fabs(z.im), angle = atan2(z.im, z.re);
    const double hi = ax > ay ? ax : ay, lo = ax > ay ? ay : ax;
    if (isinf(ax) || isinf(ay)) return hd_pair(hd_infinity(), angle);
    if (hi > 0.5 && hi < 1.5 && lo < 1.5) { /* near the unit circle: hi^2 - 1 + lo^2 exactly */
        const double p = (hi - 1) * (hi + 1);
        const double perr = fma(hi - 1, hi + 1, -p);
        const double q = lo * lo, qerr = fma(lo, lo, -q);
        const double sum = p + q, bb = sum - p, err = (p - (sum - bb)) + (q - bb);
        return hd_pair(0.5 * log1p(sum + (err + perr + qerr)), angle);
    }
    if (hi > 1e300) return hd_pair(log(hypot(ax * 0.25, ay * 0.25)) + 1.3862943611198906, angle);
    if (hi < 1e-300)
        return hd_pair(log(hypot(ax * 0x1p200, ay * 0x1p200)) - 138.62943611198906, angle);
    return hd_pair(log(hypot(ax, ay)), angle);
}

HD_BIG hd_z hd_sinh(hd_z z)
{
    if (z.im == 0) return hd_pair(sinh(z.re), z.im);
    if (z.re == 0) return hd_pair(z.re, sin(z.im));
    double s, c;
    sincos(z.im, &s, &c);
    if (fabs(z.re) > 709) {
        const double e = exp(fabs(z.re) - 700), big = 0.5 * exp(700.0);
        return hd_pair(copysign(e, z.re) * c * big, e * s * big);
    }
    return hd_pair(sinh(z.re) * c, cosh(z.re) * s);
}

HD_BIG hd_z hd_cosh(hd_z z)
{
    if (z.im == 0) return hd_pair(cosh(z.re), hd_signbit(z.re) ? -z.im : z.im);
    if (z.re == 0) return hd_pair(cos(z.im), hd_signbit(z.im) != hd_signbit(z.re) ? -0.0 : 0.0);
    double s, c;
    sincos(z.im, &s, &c);
    if (fabs(z.re) > 709) {
        const double e = exp(fabs(z.re) - 700), big = 0.5 * exp(700.0);
        return hd_pair(e * c * big, copysign(e, z.re) * s * big);
    }
    return hd_pair(cosh(z.re) * c, sinh(z.re) * s);
}

HD_BIG hd_z hd_tanh(hd_z z)
{
    if (z.im == 0) return hd_pair(tanh(z.re), z.im);
    if (z.re == 0) return hd_pair(z.re, tan(z.im));
    if (isinf(z.re) && isfinite(z.im)) return hd_pair(copysign(1.0, z.re), copysign(0.0, z.im));
    if (fabs(z.re) > 22) {
        double s, c;
        sincos(z.im, &s, &c);
        return hd_pair(copysign(1.0, z.re), 4 * s * c * exp(-2 * fabs(z.re)));
    }
    const double t = tan(z.im), beta = 1 + t * t, s = sinh(z.re), rho = sqrt(1 + s * s);
    const double scale = 1 + beta * s * s;
    return isinf(t) ? hd_pair(rho / s, 1 / t) : hd_pair(beta * rho * s / scale, t / scale);
}

HD_BIG hd_z hd_sin(hd_z z)
{
    return hd_times_minus_i(hd_sinh(hd_times_i(z)));
}
HD_BIG hd_z hd_cos(hd_z z)
{
    return hd_cosh(hd_times_i(z));
}
HD_BIG hd_z hd_tan(hd_z z)
{
    return hd_times_minus_i(hd_tanh(hd_times_i(z)));
}

/* sqrt(1 + z) and sqrt(1 - z) meet in all inverse functions. The product's sign keeps the cut. */
HD_BIG hd_z hd_asin(hd_z z)
{
    const double size = fabs(z.re) + fabs(z.im);
    if (size > 1e150) { /* asin z = -i log(2 i z), by halves of the plane */
        const hd_z l = hd_log(hd_pair(fabs(z.re), fabs(z.im)));
        return hd_pair(copysign(atan2(fabs(z.re), fabs(z.im)), z.re),
                       copysign(l.re + 0.69314718055994531, z.im));
    }
    const hd_z m = hd_sqrt(hd_pair(1 - z.re, -z.im)), p = hd_sqrt(hd_pair(1 + z.re, z.im));
    return hd_pair(atan2(z.re, m.re * p.re - m.im * p.im), asinh(m.re * p.im - m.im * p.re));
}

HD_BIG hd_z hd_acos(hd_z z)
{
    const double size = fabs(z.re) + fabs(z.im);
    if (size > 1e150) {
        const hd_z l = hd_log(hd_pair(fabs(z.re), fabs(z.im)));
        return hd_pair(atan2(fabs(z.im), z.re), -copysign(l.re + 0.69314718055994531, z.im));
    }
    const hd_z m = hd_sqrt(hd_pair(1 - z.re, -z.im)), p = hd_sqrt(hd_pair(1 + z.re, z.im));
    return hd_pair(2 * atan2(m.re, p.re), asinh(p.re * m.im - p.im * m.re));
}

HD_BIG hd_z hd_acosh(hd_z z)
{
    const hd_z w = hd_acos(z); /* acosh z = i acos z or -i acos z: the one with real part >= 0 */
    return hd_signbit(w.im) ? hd_pair(-w.im, w.re) : hd_pair(w.im, -w.re);
}

HD_BIG hd_z hd_asinh(hd_z z)
{
    return hd_times_minus_i(hd_asin(hd_times_i(z)));
}

HD_BIG hd_z hd_atanh(hd_z z)
{
    const double x = fabs(z.re), y = z.im;
    if (x + fabs(y) > 1e150) {
        const hd_z r = hd_reciprocal(z);
        return hd_pair(r.re, copysign(1.5707963267948966, y));
    }
    const double re = 0.25 * log1p(4 * x / ((1 - x) * (1 - x) + y * y));
    const double im = 0.5 * atan2(2 * y, (1 - x) * (1 + x) - y * y);
    return hd_pair(copysign(re, z.re), y == 0 ? copysign(im, y) : im);
}

HD_BIG hd_z hd_atan(hd_z z)
{
    return hd_times_minus_i(hd_atanh(hd_times_i(z)));
}

HD_BIG hd_z hd_log2(hd_z z)
{
    return hd_scaled(hd_log(z), 1.44269504088896340736);
}
HD_BIG hd_z hd_log10(hd_z z)
{
    return hd_scaled(hd_log(z), 0.434294481903251827651);
}

/* exp(z) - 1 = (expm1(a) cos b - 2 sin(b/2)^2) + i exp(a) sin b: accurate near 0. */
HD_BIG hd_z hd_expm1(hd_z z)
{
    if (z.im == 0) return hd_pair(expm1(z.re) + 0, z.im); /* 0 of -0 */
    if (!(fabs(z.re) < 1)) {
        const hd_z e = hd_exp(z);
        return hd_pair(e.re - 1, e.im);
    }
    const double half = sin(z.im / 2);
    return hd_pair(expm1(z.re) * cos(z.im) - 2 * half * half, exp(z.re) * sin(z.im));
}

/* |1 + z|^2 - 1 = a (a + 2) + b^2: accurate near 0. */
HD_BIG hd_z hd_log1p(hd_z z)
{
    if (!(fabs(z.re) < 0.25 && fabs(z.im) < 0.25)) return hd_log(hd_pair(1 + z.re, z.im));
    return hd_pair(log1p(z.re * (z.re + 2) + z.im * z.im) / 2, atan2(z.im, 1 + z.re));
}

/* Small whole exponents by products, as NumPy does; exp(y log x) otherwise. */
template <class R>
HD_BIG hd_complex<R> hd_complex_pow(hd_complex<R> x, hd_complex<R> y)
{
    typedef hd_complex<R> T;
    if (y.re == 0 && y.im == 0) return T{1, 0};
    if (x.re == 0 && x.im == 0) return y.re > 0 ? T{0, 0} : T{(R)hd_nan(), (R)hd_nan()};
    if (y.im != 0 || !(fabs(y.re) <= 100) || rint(y.re) != y.re) {
        const hd_z l = hd_log(hd_pair((double)x.re, (double)x.im));
        const hd_z e = hd_exp(hd_mul(hd_pair((double)y.re, (double)y.im), l));
        return T{(R)e.re, (R)e.im};
    }
    T result = T{1, 0}, base = x;
    for (int n = (int)fabs(y.re);;) {
        if (n & 1) result = hd_mul(result, base);
        n >>= 1;
        if (n == 0) break;
        base = hd_mul(base, base);
    }
    return y.re < 0 ? hd_reciprocal(result) : result;
}

template <class T>
HD T hd_pow(T x, T y)
{
    if constexpr (hd_is_integer<T>)
        return hd_integer_pow(x, y);
    else if constexpr (hd_kind<T> == 'C')
        return hd_complex_pow(x, y);
    else
        return hd_float_pow(x, y);
}

#define HD_THROUGH_DOUBLE(name)                                                                    \
    HD hd_complex64 hd_##name(hd_complex64 z)                                                      \
    {                                                                                              \
        const hd_z r = hd_##name(hd_pair((double)z.re, (double)z.im));                             \
        return hd_pair((float)r.re, (float)r.im);                                                  \
    }
HD_THROUGH_DOUBLE(sqrt)
HD_THROUGH_DOUBLE(exp)
HD_THROUGH_DOUBLE(exp2)
HD_THROUGH_DOUBLE(expm1)
HD_THROUGH_DOUBLE(log)
HD_THROUGH_DOUBLE(log1p)
HD_THROUGH_DOUBLE(log2)
HD_THROUGH_DOUBLE(log10)
HD_THROUGH_DOUBLE(sin)
HD_THROUGH_DOUBLE(cos)
HD_THROUGH_DOUBLE(tan)
HD_THROUGH_DOUBLE(asin)
HD_THROUGH_DOUBLE(acos)
HD_THROUGH_DOUBLE(atan)
HD_THROUGH_DOUBLE(sinh)
HD_THROUGH_DOUBLE(cosh)
HD_THROUGH_DOUBLE(tanh)
HD_THROUGH_DOUBLE(asinh)
HD_THROUGH_DOUBLE(acosh)
HD_THROUGH_DOUBLE(atanh)
#undef HD_THROUGH_DOUBLE

#endif
