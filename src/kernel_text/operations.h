/* What C sources of kernels are made of: hd_<operation>_<dtype>, one number at a time. The interpreter's loops call them,
 * and this text stands before the source that a compiler is given at run time, so that both give the same bits; the CUDA
 * twin has templates of the same names (codelets/cuda). Includes nothing but the C library. */
#ifndef HEDDLE_KERNEL_TEXT_OPERATIONS_H
#define HEDDLE_KERNEL_TEXT_OPERATIONS_H

#include <complex.h>
#include <math.h>
#include <stdint.h>

#undef bool /* inside of macros it would become a part of names: hd_cast__Bool_int32 */

typedef _Bool hd_bool;
typedef int8_t hd_int8;
typedef int16_t hd_int16;
typedef int32_t hd_int32;
typedef int64_t hd_int64;
typedef uint8_t hd_uint8;
typedef uint16_t hd_uint16;
typedef uint32_t hd_uint32;
typedef uint64_t hd_uint64;
typedef float hd_float32;
typedef double hd_float64;
typedef struct {
    float re, im;
} hd_complex64;
typedef struct {
    double re, im;
} hd_complex128;

#define HD static inline __attribute__((unused))

/* Elements by index: those that are not there read as 0, and are not written. */
#define HD_ELEMENTS(T)                                                                             \
    HD hd_##T hd_element_##T(const hd_##T *p, int64_t n, int64_t i)                                \
    {                                                                                              \
        const hd_##T none = {0};                                                                   \
        return (uint64_t)i < (uint64_t)n ? p[i] : none;                                            \
    }                                                                                              \
    HD void hd_set_element_##T(hd_##T *p, int64_t n, int64_t i, hd_##T x)                          \
    {                                                                                              \
        if ((uint64_t)i < (uint64_t)n) p[i] = x;                                                   \
    }
HD_ELEMENTS(bool)
HD_ELEMENTS(int8)
HD_ELEMENTS(int16)
HD_ELEMENTS(int32)
HD_ELEMENTS(int64)
HD_ELEMENTS(uint8)
HD_ELEMENTS(uint16)
HD_ELEMENTS(uint32)
HD_ELEMENTS(uint64)
HD_ELEMENTS(float32)
HD_ELEMENTS(float64)
HD_ELEMENTS(complex64)
HD_ELEMENTS(complex128)

/* Rows of an index, one after the other, to the place of an element; -1: it is not there. */
HD int64_t hd_step(int64_t extent, int64_t at, int64_t i)
{
    return at < 0 || i < 0 || i >= extent ? -1 : at * extent + i;
}

/* ---- Integers: they wrap; by 0 all is 0 ------------------------------------------------------------ */

/* What complex numbers have parts for. */
#define HD_OF_REAL(T)                                                                              \
    HD hd_##T hd_real_##T(hd_##T x)                                                                \
    {                                                                                              \
        return x;                                                                                  \
    }                                                                                              \
    HD hd_##T hd_imag_##T(hd_##T x)                                                                \
    {                                                                                              \
        return (void)x, 0;                                                                         \
    }                                                                                              \
    HD hd_##T hd_conj_##T(hd_##T x)                                                                \
    {                                                                                              \
        return x;                                                                                  \
    }                                                                                              \
    HD hd_##T hd_norm_##T(hd_##T x)                                                                \
    {                                                                                              \
        return hd_mul_##T(x, x);                                                                   \
    }

#define HD_INTEGER(T, U, BITS, SIGNED)                                                             \
    HD hd_##T hd_add_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return (hd_##T)((hd_##U)x + (hd_##U)y);                                                    \
    }                                                                                              \
    HD hd_##T hd_sub_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return (hd_##T)((hd_##U)x - (hd_##U)y);                                                    \
    }                                                                                              \
    HD hd_##T hd_mul_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return (hd_##T)((hd_##U)x * (hd_##U)y);                                                    \
    }                                                                                              \
    HD hd_##T hd_neg_##T(hd_##T x)                                                                 \
    {                                                                                              \
        return (hd_##T)(0 - (hd_##U)x);                                                            \
    }                                                                                              \
    HD hd_##T hd_quotient_##T(hd_##T x, hd_##T y)                                                  \
    {                                                                                              \
        return y == 0 ? 0 : SIGNED && y == (hd_##T) - 1 ? hd_neg_##T(x) : x / y;                   \
    }                                                                                              \
    HD hd_##T hd_fmod_##T(hd_##T x, hd_##T y)                                                      \
    {                                                                                              \
        return y == 0 || (SIGNED && y == (hd_##T) - 1) ? 0 : x % y;                                \
    }                                                                                              \
    HD hd_##T hd_shift_left_##T(hd_##T x, hd_##T y)                                                \
    {                                                                                              \
        return (uint64_t)y < BITS ? (hd_##T)((hd_##U)x << y) : 0;                                  \
    }                                                                                              \
    HD hd_##T hd_shift_right_##T(hd_##T x, hd_##T y)                                               \
    {                                                                                              \
        return (uint64_t)y < BITS ? x >> y : SIGNED ? x >> (BITS - 1) : 0;                         \
    }                                                                                              \
    HD hd_##T hd_fmin_##T(hd_##T x, hd_##T y)                                                      \
    {                                                                                              \
        return x <= y ? x : y;                                                                     \
    }                                                                                              \
    HD hd_##T hd_fmax_##T(hd_##T x, hd_##T y)                                                      \
    {                                                                                              \
        return x >= y ? x : y;                                                                     \
    }                                                                                              \
    HD hd_##T hd_abs_##T(hd_##T x)                                                                 \
    {                                                                                              \
        return SIGNED && x < (hd_##T)1 ? hd_neg_##T(x) : x;                                        \
    }                                                                                              \
    HD_OF_REAL(T)
HD_INTEGER(int32, uint32, 32, 1)
HD_INTEGER(int64, uint64, 64, 1)
HD_INTEGER(uint32, uint32, 32, 0)
HD_INTEGER(uint64, uint64, 64, 0)

/* ---- Floating numbers ------------------------------------------------------------------------------- */

#define HD_FUNCTION(T, name, function)                                                             \
    HD hd_##T hd_##name##_##T(hd_##T x)                                                            \
    {                                                                                              \
        return function(x);                                                                        \
    }
#define HD_FUNCTION2(T, name, function)                                                            \
    HD hd_##T hd_##name##_##T(hd_##T x, hd_##T y)                                                  \
    {                                                                                              \
        return function(x, y);                                                                     \
    }
#define HD_FLOATING(T, F)                                                                          \
    HD hd_##T hd_add_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return x + y;                                                                              \
    }                                                                                              \
    HD hd_##T hd_sub_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return x - y;                                                                              \
    }                                                                                              \
    HD hd_##T hd_mul_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return x * y;                                                                              \
    }                                                                                              \
    HD hd_##T hd_div_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return x / y;                                                                              \
    }                                                                                              \
    HD hd_##T hd_neg_##T(hd_##T x)                                                                 \
    {                                                                                              \
        return -x;                                                                                 \
    }                                                                                              \
    HD hd_##T hd_fmin_##T(hd_##T x, hd_##T y)                                                      \
    {                                                                                              \
        return x <= y || y != y ? x : y;                                                           \
    }                                                                                              \
    HD hd_##T hd_fmax_##T(hd_##T x, hd_##T y)                                                      \
    {                                                                                              \
        return x >= y || y != y ? x : y;                                                           \
    }                                                                                              \
    HD_OF_REAL(T)                                                                                  \
    HD hd_##T hd_rsqrt_##T(hd_##T x)                                                               \
    {                                                                                              \
        return 1 / F(sqrt)(x);                                                                     \
    }                                                                                              \
    HD hd_bool hd_isnan_##T(hd_##T x)                                                              \
    {                                                                                              \
        return x != x;                                                                             \
    }                                                                                              \
    HD hd_bool hd_isinf_##T(hd_##T x)                                                              \
    {                                                                                              \
        return !(x - x == 0) && x == x;                                                            \
    }                                                                                              \
    HD hd_bool hd_isfinite_##T(hd_##T x)                                                           \
    {                                                                                              \
        return x - x == 0;                                                                         \
    }                                                                                              \
    HD hd_bool hd_signbit_##T(hd_##T x)                                                            \
    {                                                                                              \
        return signbit(x) != 0;                                                                    \
    }                                                                                              \
    HD_FUNCTION(T, sqrt, F(sqrt))                                                                  \
    HD_FUNCTION(T, cbrt, F(cbrt))                                                                  \
    HD_FUNCTION(T, exp, F(exp))                                                                    \
    HD_FUNCTION(T, exp2, F(exp2))                                                                  \
    HD_FUNCTION(T, expm1, F(expm1))                                                                \
    HD_FUNCTION(T, log, F(log))                                                                    \
    HD_FUNCTION(T, log1p, F(log1p))                                                                \
    HD_FUNCTION(T, log2, F(log2))                                                                  \
    HD_FUNCTION(T, log10, F(log10))                                                                \
    HD_FUNCTION(T, sin, F(sin))                                                                    \
    HD_FUNCTION(T, cos, F(cos))                                                                    \
    HD_FUNCTION(T, tan, F(tan))                                                                    \
    HD_FUNCTION(T, asin, F(asin))                                                                  \
    HD_FUNCTION(T, acos, F(acos))                                                                  \
    HD_FUNCTION(T, atan, F(atan))                                                                  \
    HD_FUNCTION(T, sinh, F(sinh))                                                                  \
    HD_FUNCTION(T, cosh, F(cosh))                                                                  \
    HD_FUNCTION(T, tanh, F(tanh))                                                                  \
    HD_FUNCTION(T, asinh, F(asinh))                                                                \
    HD_FUNCTION(T, acosh, F(acosh))                                                                \
    HD_FUNCTION(T, atanh, F(atanh))                                                                \
    HD_FUNCTION(T, erf, F(erf))                                                                    \
    HD_FUNCTION(T, erfc, F(erfc))                                                                  \
    HD_FUNCTION(T, floor, F(floor))                                                                \
    HD_FUNCTION(T, ceil, F(ceil))                                                                  \
    HD_FUNCTION(T, trunc, F(trunc))                                                                \
    HD_FUNCTION(T, round_away, F(round))                                                           \
    HD_FUNCTION(T, round, F(rint))                                                                 \
    HD_FUNCTION(T, abs, F(fabs))                                                                   \
    HD_FUNCTION2(T, pow, F(pow))                                                                   \
    HD_FUNCTION2(T, hypot, F(hypot))                                                               \
    HD_FUNCTION2(T, atan2, F(atan2))                                                               \
    HD_FUNCTION2(T, fmod, F(fmod))                                                                 \
    HD hd_##T hd_fma_##T(hd_##T x, hd_##T y, hd_##T z)                                             \
    {                                                                                              \
        return F(fma)(x, y, z);                                                                    \
    }                                                                                              \
    HD_FUNCTION2(T, copysign, F(copysign))                                                         \
    HD_FUNCTION2(T, nextafter, F(nextafter))
#define HD_SINGLE(name) name##f
#define HD_DOUBLE(name) name
HD_FLOATING(float32, HD_SINGLE)
HD_FLOATING(float64, HD_DOUBLE)

/* ---- Complex numbers: the quotient is Smith's; functions go through complex128 ------------------- */

/* CMPLX, which is not everywhere. */
HD double _Complex hd_pair(double re, double im)
{
    const union {
        double parts[2];
        double _Complex z;
    } pair = {{re, im}};
    return pair.z;
}

#define HD_COMPLEX_FUNCTION(T, R, name)                                                            \
    HD hd_##T hd_##name##_##T(hd_##T x)                                                            \
    {                                                                                              \
        const double _Complex z = c##name(hd_pair((double)x.re, (double)x.im));                    \
        return (hd_##T){(R)creal(z), (R)cimag(z)};                                                 \
    }
#define HD_COMPLEX(T, R, F)                                                                        \
    HD hd_##T hd_make_##T(R re, R im)                                                              \
    {                                                                                              \
        return (hd_##T){re, im};                                                                   \
    }                                                                                              \
    HD hd_##T hd_add_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return (hd_##T){x.re + y.re, x.im + y.im};                                                 \
    }                                                                                              \
    HD hd_##T hd_sub_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return (hd_##T){x.re - y.re, x.im - y.im};                                                 \
    }                                                                                              \
    HD hd_##T hd_mul_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        return (hd_##T){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};                     \
    }                                                                                              \
    HD hd_##T hd_div_##T(hd_##T x, hd_##T y)                                                       \
    {                                                                                              \
        const R ac = F(fabs)(y.re), ad = F(fabs)(y.im);                                            \
        const hd_bool wide = ac >= ad, zero = ac + ad == 0;                                        \
        const R big = zero ? ac : wide ? y.re : y.im, small = zero ? 0 : wide ? y.im : y.re;       \
        const R ratio = zero ? 0 : small / big, scale = 1 / (big + small * ratio);                 \
        const R p = wide ? x.re : x.im, q = wide ? x.im : x.re, t = q - p * ratio;                 \
        const R re = (p + q * ratio) * scale, im = (wide ? t : -t) * scale;                        \
        return (hd_##T){zero ? x.re / ac : re, zero ? x.im / ac : im};                             \
    }                                                                                              \
    HD hd_##T hd_neg_##T(hd_##T x)                                                                 \
    {                                                                                              \
        return (hd_##T){-x.re, -x.im};                                                             \
    }                                                                                              \
    HD hd_##T hd_conj_##T(hd_##T x)                                                                \
    {                                                                                              \
        return (hd_##T){x.re, -x.im};                                                              \
    }                                                                                              \
    HD R hd_real_##T(hd_##T x)                                                                     \
    {                                                                                              \
        return x.re;                                                                               \
    }                                                                                              \
    HD R hd_imag_##T(hd_##T x)                                                                     \
    {                                                                                              \
        return x.im;                                                                               \
    }                                                                                              \
    HD R hd_norm_##T(hd_##T x)                                                                     \
    {                                                                                              \
        return x.re * x.re + x.im * x.im;                                                          \
    }                                                                                              \
    HD R hd_abs_##T(hd_##T x)                                                                      \
    {                                                                                              \
        return F(hypot)(x.re, x.im);                                                               \
    }                                                                                              \
    HD hd_bool hd_equal_##T(hd_##T x, hd_##T y)                                                    \
    {                                                                                              \
        return x.re == y.re && x.im == y.im;                                                       \
    }                                                                                              \
    HD hd_bool hd_not_equal_##T(hd_##T x, hd_##T y)                                                \
    {                                                                                              \
        return !hd_equal_##T(x, y);                                                                \
    }                                                                                              \
    HD hd_bool hd_isnan_##T(hd_##T x)                                                              \
    {                                                                                              \
        return x.re != x.re || x.im != x.im;                                                       \
    }                                                                                              \
    HD hd_bool hd_isfinite_##T(hd_##T x)                                                           \
    {                                                                                              \
        return x.re - x.re == 0 && x.im - x.im == 0;                                               \
    }                                                                                              \
    HD hd_bool hd_isinf_##T(hd_##T x)                                                              \
    {                                                                                              \
        return (!(x.re - x.re == 0) && x.re == x.re) || (!(x.im - x.im == 0) && x.im == x.im);     \
    }                                                                                              \
    HD_COMPLEX_FUNCTION(T, R, sqrt)                                                                \
    HD_COMPLEX_FUNCTION(T, R, exp)                                                                 \
    HD_COMPLEX_FUNCTION(T, R, log)                                                                 \
    HD_COMPLEX_FUNCTION(T, R, sin)                                                                 \
    HD_COMPLEX_FUNCTION(T, R, cos)
HD_COMPLEX(complex64, float, HD_SINGLE)
HD_COMPLEX(complex128, double, HD_DOUBLE)

/* ---- Conversions, hd_cast_<to>_<from>: floating to integer saturates to 64 bits, then wraps ------- */

HD int64_t hd_to_int64(double x)
{
    return !(x > -0x1p63) ? INT64_MIN : x >= 0x1p63 ? INT64_MAX : (int64_t)x;
}
HD uint64_t hd_to_uint64(double x)
{
    return !(x >= 0) ? (uint64_t)hd_to_int64(x) : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

#define HD_CAST(TO, FROM, expression)                                                              \
    HD hd_##TO hd_cast_##TO##_##FROM(hd_##FROM x)                                                  \
    {                                                                                              \
        return expression;                                                                         \
    }
#define HD_CASTS_FROM_INTEGER(FROM)                                                                \
    HD_CAST(bool, FROM, x != 0)                                                                    \
    HD_CAST(int8, FROM, (hd_int8)x)                                                                \
    HD_CAST(int16, FROM, (hd_int16)x)                                                              \
    HD_CAST(int32, FROM, (hd_int32)x)                                                              \
    HD_CAST(int64, FROM, (hd_int64)x)                                                              \
    HD_CAST(uint8, FROM, (hd_uint8)x)                                                              \
    HD_CAST(uint16, FROM, (hd_uint16)x)                                                            \
    HD_CAST(uint32, FROM, (hd_uint32)x)                                                            \
    HD_CAST(uint64, FROM, (hd_uint64)x)                                                            \
    HD_CASTS_TO_FLOATING(FROM)
#define HD_CASTS_TO_FLOATING(FROM)                                                                 \
    HD_CAST(float32, FROM, (float)x)                                                               \
    HD_CAST(float64, FROM, (double)x)                                                              \
    HD_CAST(complex64, FROM, ((hd_complex64){(float)(double)x, 0}))                                \
    HD_CAST(complex128, FROM, ((hd_complex128){(double)x, 0}))
#define HD_CASTS_FROM_FLOATING(FROM)                                                               \
    HD_CAST(bool, FROM, x != 0)                                                                    \
    HD_CAST(int8, FROM, (hd_int8)hd_to_int64((double)x))                                           \
    HD_CAST(int16, FROM, (hd_int16)hd_to_int64((double)x))                                         \
    HD_CAST(int32, FROM, (hd_int32)hd_to_int64((double)x))                                         \
    HD_CAST(int64, FROM, hd_to_int64((double)x))                                                   \
    HD_CAST(uint8, FROM, (hd_uint8)hd_to_uint64((double)x))                                        \
    HD_CAST(uint16, FROM, (hd_uint16)hd_to_uint64((double)x))                                      \
    HD_CAST(uint32, FROM, (hd_uint32)hd_to_uint64((double)x))                                      \
    HD_CAST(uint64, FROM, hd_to_uint64((double)x))                                                 \
    HD_CASTS_TO_FLOATING(FROM)
#define HD_CASTS_FROM_COMPLEX(FROM)                                                                \
    HD_CAST(complex64, FROM, ((hd_complex64){(float)x.re, (float)x.im}))                           \
    HD_CAST(complex128, FROM, ((hd_complex128){(double)x.re, (double)x.im}))
HD_CASTS_FROM_INTEGER(bool)
HD_CASTS_FROM_INTEGER(int8)
HD_CASTS_FROM_INTEGER(int16)
HD_CASTS_FROM_INTEGER(int32)
HD_CASTS_FROM_INTEGER(int64)
HD_CASTS_FROM_INTEGER(uint8)
HD_CASTS_FROM_INTEGER(uint16)
HD_CASTS_FROM_INTEGER(uint32)
HD_CASTS_FROM_INTEGER(uint64)
HD_CASTS_FROM_FLOATING(float32)
HD_CASTS_FROM_FLOATING(float64)
HD_CASTS_FROM_COMPLEX(complex64)
HD_CASTS_FROM_COMPLEX(complex128)

#endif
