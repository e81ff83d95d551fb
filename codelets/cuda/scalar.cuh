/* The hd_ functions of ops.def and reductions.def for integers, bool and real floating numbers. The
 * CUDA twin of codelets/cpu/scalar*.h: the same steps, so that arithmetic gives the same bits. Needs
 * --fmad=false. May include types.cuh, draw.h, log_add_exp.h and bessel.h only. Entry points: hd_<function>. */
#ifndef HEDDLE_CUDA_SCALAR_CUH
#define HEDDLE_CUDA_SCALAR_CUH

#include "cuda/types.cuh"
#include "draw.h"
#include "log_add_exp.h"

#include "bessel.h"

/* ---- arithmetic ------------------------------------------------------------------------------ */

template <class R>
HD hd_complex<R> hd_pair(R re, R im)
{
    return hd_complex<R>{re, im};
}
template <class R>
HD hd_complex<R> operator-(hd_complex<R> x, hd_complex<R> y)
{
    return hd_pair(x.re - y.re, x.im - y.im);
}

template <class T>
HD T hd_add(T x, T y)
{
    if constexpr (hd_kind<T> == 'B')
        return x | y;
    else if constexpr (hd_is_integer<T>)
        return (T)((hd_wrap<T>)x + (hd_wrap<T>)y);
    else if constexpr (hd_kind<T> == 'C')
        return hd_pair(x.re + y.re, x.im + y.im);
    else
        return x + y;
}

/* What the generator writes for x - y, so that signed integers wrap. */
template <class T>
HD T hd_sub(T x, T y)
{
    if constexpr (hd_is_integer<T>)
        return (T)((hd_wrap<T>)x - (hd_wrap<T>)y);
    else
        return x - y;
}

template <class T>
HD T hd_mul(T x, T y)
{
    if constexpr (hd_kind<T> == 'B')
        return x & y;
    else if constexpr (hd_is_integer<T>)
        return (T)((hd_wrap<T>)x * (hd_wrap<T>)y);
    else if constexpr (hd_kind<T> == 'C')
        return hd_pair(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
    else
        return x * y;
}

template <class T>
HD T hd_neg(T x)
{
#ifdef __CUDA_ARCH__
    /* The compiler narrows the subtraction to neg.s16, and ptxas 13.0 takes that for free of overflow:
     * the least int16, negated, compares as the largest. Assembly keeps it 32 bits wide. */
    if constexpr (hd_is_integer<T> && sizeof(T) == 2) {
        unsigned minus;
        asm("neg.s32 %0, %1;" : "=r"(minus) : "r"((unsigned)x));
        return (T)minus;
    }
#endif
    if constexpr (hd_is_integer<T>)
        return (T)(0 - (hd_wrap<T>)x);
    else if constexpr (hd_kind<T> == 'C')
        return hd_pair(-x.re, -x.im);
    else
        return -x;
}

/* Smith's quotient, with selections as in the CPU twin. */
template <class T>
HD T hd_div(T x, T y)
{
    if constexpr (hd_kind<T> == 'C') {
        typedef typename hd_traits<T>::real R;
        const R ac = fabs(y.re), ad = fabs(y.im);
        const bool wide = ac >= ad, zero = ac + ad == 0;
        const R big = zero ? ac : wide ? y.re : y.im;
        const R small = zero ? R(0) : wide ? y.im : y.re;
        const R ratio = zero ? R(0) : small / big;
        const R scale = 1 / (big + small * ratio);
        const R p = wide ? x.re : x.im, q = wide ? x.im : x.re;
        const R t = q - p * ratio;
        const R re = (p + q * ratio) * scale, im = (wide ? t : -t) * scale;
        return hd_pair(zero ? x.re / ac : re, zero ? x.im / ac : im);
    } else
        return x / y;
}

template <class T>
HD T hd_reciprocal(T x)
{
    if constexpr (hd_kind<T> == 'C')
        return hd_div(T{1, 0}, x);
    else
        return 1 / x;
}

/* Python's: towards minus infinity; x // 0 and x % 0 of integers are 0. Of floating numbers the
 * steps of NumPy's divmod. */
HD float hd_fused(float x, float y, float z)
{
    return fmaf(x, y, z);
}
HD double hd_fused(double x, double y, double z)
{
    return fma(x, y, z);
}
HD float hd_copysign(float x, float y)
{
    return copysignf(x, y);
}
HD double hd_copysign(double x, double y)
{
    return copysign(x, y);
}

/* x - q y of q = trunc(x / y), if q is small enough to be right or one too large: then it is exact in one step, and so is the step
 * back. q of what was too large is corrected. */
template <class T>
HD bool hd_quick_fmod(T x, T y, T *q, T *mod)
{
    const T quotient = x / y, whole = trunc(quotient);
    T r = whole == 0 ? x : hd_fused(-whole, y, x); /* beside an infinite y, too */
    const bool beyond = r != 0 && (r < 0) != (x < 0);
    *q = beyond ? whole - hd_copysign(T(1), quotient) : whole;
    if (beyond) r += hd_copysign(y, x);
    *mod = hd_copysign(r, x);
    return fabs(quotient) < T(sizeof(T) == 4 ? 0x1p20 : 0x1p49);
}
HD float hd_fmod(float x, float y)
{
    float q, mod;
    return hd_quick_fmod(x, y, &q, &mod) ? mod : fmodf(x, y);
}
HD double hd_fmod(double x, double y)
{
    double q, mod;
    return hd_quick_fmod(x, y, &q, &mod) ? mod : fmod(x, y);
}

template <class T>
HD_BIG T hd_floor_divide(T x, T y)
{
    if constexpr (hd_is_integer<T>) {
        if (y == 0) return 0;
        if constexpr (hd_kind<T> == 'I') {
            if (y == -1) return hd_neg(x);
            const T q = (T)(x / y), r = (T)(x % y);
            return (T)(q - (r != 0 && (r < 0) != (y < 0)));
        } else
            return (T)(x / y);
    } else {
        T quick, mod;
        if (hd_quick_fmod(x, y, &quick, &mod)) { /* what the steps below come to */
            const T whole = mod != 0 && (mod < 0) != (y < 0) ? quick - 1 : quick;
            return whole == 0 ? hd_copysign(T(0), x / y) : whole;
        }
        if (y == 0) return x / y;
        mod = hd_fmod(x, y);
        T div = (x - mod) / y;
        if (mod != 0 && (y < 0) != (mod < 0)) div -= 1;
        if (div == 0) return hd_copysign(T(0), x / y);
        const T floored = floor(div);
        return div - floored > T(0.5) ? floored + 1 : floored;
    }
}

template <class T>
HD_BIG T hd_remainder(T x, T y)
{
    if constexpr (hd_is_integer<T>) {
        if (y == 0) return 0;
        if constexpr (hd_kind<T> == 'I') {
            if (y == -1) return 0;
            const T r = (T)(x % y);
            return (T)(r != 0 && (r < 0) != (y < 0) ? r + y : r);
        } else
            return (T)(x % y);
    } else {
        const T mod = hd_fmod(x, y);
        if (y == 0) return mod;
        if (mod == 0) return hd_copysign(T(0), y);
        return (y < 0) != (mod < 0) ? mod + y : mod;
    }
}

/* C's, of integers: the sign of x. */
template <class T>
HD T hd_fmod(T x, T y)
{
    if (y == 0) return 0;
    if constexpr (hd_kind<T> == 'I')
        if (y == -1) return 0;
    return (T)(x % y);
}

template <class T>
HD_BIG T hd_integer_pow(T x, T y)
{
    if constexpr (hd_kind<T> == 'I')
        if (y < 0) return (T)(x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0);
    hd_wrap<T> result = 1, base = (hd_wrap<T>)x;
    for (hd_wrap<T> n = (hd_wrap<T>)y; n; n >>= 1) {
        if (n & 1) result *= base;
        base *= base;
    }
    return (T)result;
}

template <class T>
HD typename hd_traits<T>::real hd_abs(T x)
{
    if constexpr (hd_kind<T> == 'I')
        return x < 0 ? hd_neg(x) : x;
    else if constexpr (hd_kind<T> == 'F')
        return fabs(x);
    else if constexpr (hd_kind<T> == 'C')
        return hypot(x.re, x.im);
    else
        return x;
}

template <class T>
HD T hd_sign(T x)
{
    if constexpr (hd_kind<T> == 'C') {
        const auto size = hd_abs(x);
        if (size == 0) return T{0, 0};
        return hd_pair(x.re / size, x.im / size);
    } else if constexpr (hd_kind<T> == 'U')
        return (T)(x != 0);
    else
        return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
}

/* Whether y is NaN is asked once where y is one number for all, as of a clip. */
template <class T>
HD T hd_maximum(T x, T y)
{
    return y > x || y != y ? y : x;
}
template <class T>
HD T hd_minimum(T x, T y)
{
    return y < x || y != y ? y : x;
}
template <class T>
HD T hd_fmax(T x, T y)
{
    return x >= y || y != y ? x : y;
}
template <class T>
HD T hd_fmin(T x, T y)
{
    return x <= y || y != y ? x : y;
}
/* y replaces x in argmax, argmin. */
template <class T>
HD bool hd_above(T y, T x)
{
    return (y > x) | ((y != y) & (x == x));
}
template <class T>
HD bool hd_below(T y, T x)
{
    return (y < x) | ((y != y) & (x == x));
}

template <class T>
HD T hd_ceil(T x)
{
    if constexpr (hd_kind<T> == 'F')
        return ceil(x);
    else
        return x;
}

template <class T>
HD T hd_floor(T x)
{
    if constexpr (hd_kind<T> == 'F')
        return floor(x);
    else
        return x;
}

template <class T>
HD T hd_trunc(T x)
{
    if constexpr (hd_kind<T> == 'F')
        return trunc(x);
    else
        return x;
}

template <class T>
HD T hd_round(T x)
{
    if constexpr (hd_kind<T> == 'F')
        return rint(x);
    else if constexpr (hd_kind<T> == 'C')
        return hd_pair(rint(x.re), rint(x.im));
    else
        return x;
}

/* ---- tests, parts, bits ---------------------------------------------------------------------- */

HD bool hd_signbit(float x)
{
    return __float_as_int(x) < 0;
}
HD bool hd_signbit(double x)
{
    return __double_as_longlong(x) < 0;
}

template <class T>
HD bool hd_isfinite(T x)
{
    if constexpr (hd_kind<T> == 'C')
        return (x.re - x.re == 0) & (x.im - x.im == 0);
    else if constexpr (hd_kind<T> == 'F')
        return x - x == 0;
    else
        return true;
}

template <class T>
HD bool hd_isinf(T x)
{
    if constexpr (hd_kind<T> == 'C')
        return hd_isinf(x.re) | hd_isinf(x.im);
    else if constexpr (hd_kind<T> == 'F')
        return !(x - x == 0) & (x == x);
    else
        return false;
}

template <class T>
HD bool hd_isnan(T x)
{
    if constexpr (hd_kind<T> == 'C')
        return (x.re != x.re) | (x.im != x.im);
    else
        return x != x;
}

template <class T>
HD typename hd_traits<T>::real hd_real(T x)
{
    if constexpr (hd_kind<T> == 'C')
        return x.re;
    else
        return x;
}

template <class T>
HD typename hd_traits<T>::real hd_imag(T x)
{
    if constexpr (hd_kind<T> == 'C')
        return x.im;
    else
        return T(0);
}

template <class T>
HD T hd_conj(T x)
{
    if constexpr (hd_kind<T> == 'C')
        return hd_pair(x.re, -x.im);
    else
        return x;
}

template <class T>
HD bool hd_equal(T x, T y)
{
    if constexpr (hd_kind<T> == 'C')
        return (x.re == y.re) & (x.im == y.im);
    else
        return x == y;
}

template <class T>
HD bool hd_not_equal(T x, T y)
{
    return !hd_equal(x, y);
}

template <class T>
HD T hd_invert(T x)
{
    if constexpr (hd_kind<T> == 'B')
        return !x;
    else
        return (T)~x;
}

template <class T>
HD T hd_select(bool x, T y, T z)
{
    return x ? y : z;
}

#include "cuda/elementary.cuh"

#endif
