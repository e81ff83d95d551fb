/* scalar.h's functions of real floating numbers. The elementary ones are libm's: the CPU kernels
 * put vector versions in their place where there are any (elementary.c).
 * Included by scalar.h only. */
#ifndef HEDDLE_CODELETS_CPU_SCALAR_REAL_H
#define HEDDLE_CODELETS_CPU_SCALAR_REAL_H

#include "log_add_exp.h"

#include "bessel.h"

/* One line each, to be read as a table. */
/* clang-format off */
static inline bool hd_to_bool(HD_T x) { return x != 0; }
static inline int64_t hd_to_i64(HD_T x) { return hd_real_to_i64((double)x); }
static inline uint64_t hd_to_u64(HD_T x) { return hd_real_to_u64((double)x); }
#define HD_TO_FLOAT(type, x) ((type)(x))
#define HD_TO_COMPLEX(type, x) ((type)(x))
/* What is_far is not of converts to int32_t, for which processors have vectors, as to all integers. */
static inline bool hd_is_far(HD_T x) { return !(HD_M(fabs)(x) < (HD_T)0x1p31); }
static inline int32_t hd_near(HD_T x) { return (int32_t)(hd_is_far(x) ? 0 : x); }

static inline HD_T hd_add(HD_T x, HD_T y) { return x + y; }
static inline HD_T hd_mul(HD_T x, HD_T y) { return x * y; }
static inline HD_T hd_div(HD_T x, HD_T y) { return x / y; }
static inline HD_T hd_neg(HD_T x) { return -x; }
static inline HD_T hd_abs(HD_T x) { return HD_M(fabs)(x); }
static inline HD_T hd_reciprocal(HD_T x) { return 1 / x; }
static inline HD_T hd_sign(HD_T x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x; }
/* By two selections, both of which are made: GCC 12 makes branches of others where one function follows another. */
static inline HD_T hd_either(bool first, bool is_nan, HD_T x, HD_T y)
{
    const HD_T t = first ? x : y;
    return is_nan ? x : t;
}
/* Whether y is NaN is asked once where y is one number for a loop. */
static inline HD_T hd_maximum(HD_T x, HD_T y) { return hd_either(y > x, y != y, y, x); }
static inline HD_T hd_minimum(HD_T x, HD_T y) { return hd_either(y < x, y != y, y, x); }
static inline HD_T hd_fmax(HD_T x, HD_T y) { return hd_either(x >= y, y != y, x, y); }
static inline HD_T hd_fmin(HD_T x, HD_T y) { return hd_either(x <= y, y != y, x, y); }
static inline bool hd_first_nan(HD_T y, HD_T x) { return (y != y) & (x == x); }
static inline bool hd_above(HD_T y, HD_T x) { return (y > x) | hd_first_nan(y, x); }
static inline bool hd_below(HD_T y, HD_T x) { return (y < x) | hd_first_nan(y, x); }

static inline HD_T hd_ceil(HD_T x) { return HD_M(ceil)(x); }
static inline HD_T hd_floor(HD_T x) { return HD_M(floor)(x); }
static inline HD_T hd_trunc(HD_T x) { return HD_M(trunc)(x); }
static inline HD_T hd_round(HD_T x) { return HD_M(rint)(x); }
static inline HD_T hd_real(HD_T x) { return x; }
static inline HD_T hd_conj(HD_T x) { return x; }

static inline HD_T hd_imag(HD_T x)
{
    (void)x;
    return 0;
}

/* Python's, by way of fmod, which is exact; the same steps as NumPy's divmod. */
static inline HD_T hd_floor_divide(HD_T x, HD_T y)
{
    if (y == 0) return x / y;
    const HD_T mod = HD_M(fmod)(x, y);
    HD_T div = (x - mod) / y;
    if (mod != 0 && (y < 0) != (mod < 0)) div -= 1;
    if (div == 0) return HD_M(copysign)(0, x / y);
    const HD_T floored = HD_M(floor)(div);
    return div - floored > (HD_T)0.5 ? floored + 1 : floored;
}

static inline HD_T hd_remainder(HD_T x, HD_T y)
{
    const HD_T mod = HD_M(fmod)(x, y);
    if (y == 0) return mod;
    if (mod == 0) return HD_M(copysign)(0, y);
    return (y < 0) != (mod < 0) ? mod + y : mod;
}

static inline HD_T hd_fmod(HD_T x, HD_T y) { return HD_M(fmod)(x, y); }
static inline HD_T hd_pow(HD_T x, HD_T y) { return HD_M(pow)(x, y); }
static inline HD_T hd_sqrt(HD_T x) { return HD_M(sqrt)(x); }
static inline HD_T hd_cbrt(HD_T x) { return HD_M(cbrt)(x); }
static inline HD_T hd_exp2(HD_T x) { return HD_M(exp2)(x); }
static inline HD_T hd_exp(HD_T x) { return HD_M(exp)(x); }
static inline HD_T hd_expm1(HD_T x) { return HD_M(expm1)(x); }
static inline HD_T hd_log(HD_T x) { return HD_M(log)(x); }
static inline HD_T hd_log1p(HD_T x) { return HD_M(log1p)(x); }
static inline HD_T hd_log2(HD_T x) { return HD_M(log2)(x); }
static inline HD_T hd_log10(HD_T x) { return HD_M(log10)(x); }
static inline HD_T hd_hypot(HD_T x, HD_T y) { return HD_M(hypot)(x, y); }
static inline HD_T hd_sin(HD_T x) { return HD_M(sin)(x); }
static inline HD_T hd_cos(HD_T x) { return HD_M(cos)(x); }
static inline HD_T hd_tan(HD_T x) { return HD_M(tan)(x); }
static inline HD_T hd_asin(HD_T x) { return HD_M(asin)(x); }
static inline HD_T hd_acos(HD_T x) { return HD_M(acos)(x); }
static inline HD_T hd_atan(HD_T x) { return HD_M(atan)(x); }
static inline HD_T hd_atan2(HD_T x, HD_T y) { return HD_M(atan2)(x, y); }
static inline HD_T hd_sinh(HD_T x) { return HD_M(sinh)(x); }
static inline HD_T hd_cosh(HD_T x) { return HD_M(cosh)(x); }
static inline HD_T hd_tanh(HD_T x) { return HD_M(tanh)(x); }
static inline HD_T hd_asinh(HD_T x) { return HD_M(asinh)(x); }
static inline HD_T hd_acosh(HD_T x) { return HD_M(acosh)(x); }
static inline HD_T hd_atanh(HD_T x) { return HD_M(atanh)(x); }
static inline HD_T hd_erf(HD_T x) { return HD_M(erf)(x); }
static inline HD_T hd_erfc(HD_T x) { return HD_M(erfc)(x); }
static inline HD_T hd_copysign(HD_T x, HD_T y) { return HD_M(copysign)(x, y); }

/* Magnitudes are in the order of their bits, from 0 to infinity. Every step is a selection, so that loops become vectors. */
#if HD_SINGLE
#define HD_BITS uint32_t
#define HD_LEAST 0x1p-149F
#else
#define HD_BITS uint64_t
#define HD_LEAST 0x1p-1074
#endif
static inline HD_T hd_nextafter(HD_T x, HD_T y)
{
    const HD_T least = HD_M(copysign)(HD_LEAST, y), sum = x + y;
    HD_BITS bits;
    HD_T out, in;
    memcpy(&bits, &x, sizeof bits);
    const HD_BITS further = bits + 1, nearer = bits - 1;
    memcpy(&out, &further, sizeof out);
    memcpy(&in, &nearer, sizeof in);
    const HD_T above = x > 0 ? out : in, below = x > 0 ? in : out;
    HD_T next = x < y ? above : below;
    next = x == 0 ? least : next;
    next = x == y ? y : next;
    return ((x != x) | (y != y)) ? sum : next;
}

/* The exponent's bits become a whole number behind those of 2^52, or 2^23. */
#if HD_SINGLE
#define HD_NORMAL 0x1p-126F
#define HD_WHOLE 0x1p23F
enum { HD_MANTISSA = 23, HD_BIAS = 127 };
#else
#define HD_NORMAL 0x1p-1022
#define HD_WHOLE 0x1p52
enum { HD_MANTISSA = 52, HD_BIAS = 1023 };
#endif
static inline HD_T hd_logb(HD_T x)
{
    const HD_T size = HD_M(fabs)(x), whole = HD_WHOLE;
    const bool is_normal = size >= HD_NORMAL;
    const HD_T normal = is_normal ? size : size * whole;
    HD_BITS bits, above;
    memcpy(&bits, &normal, sizeof bits);
    memcpy(&above, &whole, sizeof above);
    bits = bits >> HD_MANTISSA | above;
    HD_T e;
    memcpy(&e, &bits, sizeof e);
    e -= whole + (is_normal ? HD_BIAS : HD_BIAS + HD_MANTISSA);
    e = size == 0 ? -(HD_T)INFINITY : e;
    return size - size == 0 ? e : size;
}

/* Exponents beyond what any number survives are cut. */
static inline HD_T hd_ldexp(HD_T x, HD_T y)
{
    if (y != y) return y;
    return HD_M(ldexp)(x, y > 5000 ? 5000 : y < -5000 ? -5000 : (int)y);
}

/* log(exp(x) + exp(y)), or of powers of two. Equal operands, infinite ones too, have no difference to take: x + log 2, of base e in
 * two parts. What rounding took from top - low counts where the result is small beside it. */
static inline HD_T hd_log_add(HD_T x, HD_T y, bool binary)
{
    const bool single = sizeof(HD_T) == sizeof(float);
    if (x == y)
        return binary ? x + 1
                      : x + (HD_T)0.693147180559945309417 +
                            (HD_T)(single ? -1.9046542121259336e-09 : 2.3190468138462996e-17);
    const HD_T d = x - y;
    if (d != d) return d;
    const HD_T top = d > 0 ? x : y, low = d > 0 ? y : x, size = top - low, part = size - top;
    const HD_T rest = (top - (size - part)) - (low + part);
    const HD_T e = binary ? HD_M(exp2)(-size) : HD_M(exp)(-size);
    const HD_T term = HD_M(log1p)(e) * (HD_T)(binary ? 1.44269504088896340736 : 1);
    const HD_T full = e > 0 ? term - rest * e * (1 - (HD_T)0.5 * e) : term;
    if (!hd_log_add_exp_cancels((double)top, (double)term)) return top + full;
    return (HD_T)(single ? hd_log_add_exp_small_f((double)top, (double)low, binary)
                         : hd_log_add_exp_small((double)top, (double)low, binary));
}
static inline HD_T hd_logaddexp(HD_T x, HD_T y) { return hd_log_add(x, y, false); }
static inline HD_T hd_logaddexp2(HD_T x, HD_T y) { return hd_log_add(x, y, true); }
static inline HD_T hd_i0(HD_T x) { return (HD_T)hd_bessel_i0((double)x); }

static inline HD_T hd_select(bool x, HD_T y, HD_T z) { return x ? y : z; }
#if HD_SINGLE
static inline bool hd_signbit(HD_T x) { return signbit(x) != 0; }
#else
/* GCC 12 makes no vectors of the builtin. */
static inline bool hd_signbit(HD_T x) { int64_t bits; __builtin_memcpy(&bits, &x, sizeof bits); return bits < 0; }
#endif
static inline bool hd_isfinite(HD_T x) { return x - x == 0; }
static inline bool hd_isinf(HD_T x) { return HD_M(fabs)(x) == (HD_T)INFINITY; }
static inline bool hd_isnan(HD_T x) { return x != x; }

/* clang-format on */

#endif
