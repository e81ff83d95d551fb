/* scalar.h's functions of complex numbers: products and quotients written out (plain product,
 * Smith's quotient), no recovery of infinities; elementary functions from libm.
 * Included by scalar.h only. */
#ifndef HEDDLE_CODELETS_CPU_SCALAR_COMPLEX_H
#define HEDDLE_CODELETS_CPU_SCALAR_COMPLEX_H

/* One line each, to be read as a table. */
/* clang-format off */
#define HD_RE(x) (__real__(x))
#define HD_IM(x) (__imag__(x))

static inline HD_T hd_pair(HD_REAL re, HD_REAL im)
{
    HD_T r;
    __real__ r = re;
    __imag__ r = im;
    return r;
}

static inline bool hd_to_bool(HD_T x) { return (HD_RE(x) != 0) | (HD_IM(x) != 0); }
static inline int64_t hd_to_i64(HD_T x) { return hd_real_to_i64((double)HD_RE(x)); }
static inline uint64_t hd_to_u64(HD_T x) { return hd_real_to_u64((double)HD_RE(x)); }
#define HD_TO_FLOAT(type, x) ((type)HD_RE(x))
#define HD_TO_COMPLEX(type, x) ((type)(x))

/* Part by part: GCC 12 makes no vectors of selections of complex numbers. */
static inline HD_T hd_select(bool x, HD_T y, HD_T z) { return hd_pair(x ? HD_RE(y) : HD_RE(z), x ? HD_IM(y) : HD_IM(z)); }
static inline HD_T hd_add(HD_T x, HD_T y) { return x + y; }
static inline HD_T hd_neg(HD_T x) { return hd_pair(-HD_RE(x), -HD_IM(x)); }
static inline HD_T hd_conj(HD_T x) { return hd_pair(HD_RE(x), -HD_IM(x)); }
static inline HD_REAL hd_real(HD_T x) { return HD_RE(x); }
static inline HD_REAL hd_imag(HD_T x) { return HD_IM(x); }
static inline HD_REAL hd_abs(HD_T x) { return HD_M(hypot)(HD_RE(x), HD_IM(x)); }

static inline HD_T hd_mul(HD_T x, HD_T y)
{
    return hd_pair(HD_RE(x) * HD_RE(y) - HD_IM(x) * HD_IM(y),
                   HD_RE(x) * HD_IM(y) + HD_IM(x) * HD_RE(y));
}

/* Smith: divide by the larger part of y first. Written with selections, so that loops of it are
 * vector code. */
static inline HD_T hd_div(HD_T x, HD_T y)
{
    const HD_REAL c = HD_RE(y), d = HD_IM(y), ac = HD_M(fabs)(c), ad = HD_M(fabs)(d);
    const bool wide = ac >= ad, zero = ac + ad == 0;
    const HD_REAL big = zero ? ac : wide ? c : d, small = zero ? 0 : wide ? d : c;
    const HD_REAL ratio = zero ? 0 : small / big;
    const HD_REAL scale = 1 / (big + small * ratio);
    const HD_REAL p = wide ? HD_RE(x) : HD_IM(x), q = wide ? HD_IM(x) : HD_RE(x);
    const HD_REAL t = q - p * ratio;
    const HD_REAL re = (p + q * ratio) * scale, im = (wide ? t : -t) * scale;
    return hd_pair(zero ? HD_RE(x) / ac : re, zero ? HD_IM(x) / ac : im);
}

static inline HD_T hd_reciprocal(HD_T x) { return hd_div(hd_pair(1, 0), x); }

static inline HD_T hd_sign(HD_T x)
{
    const HD_REAL size = hd_abs(x);
    if (size == 0) return hd_pair(0, 0);
    return hd_pair(HD_RE(x) / size, HD_IM(x) / size);
}

static inline HD_T hd_round(HD_T x)
{
    return hd_pair(HD_M(rint)(HD_RE(x)), HD_M(rint)(HD_IM(x)));
}

static inline bool hd_isfinite(HD_T x)
{
    return (HD_RE(x) - HD_RE(x) == 0) & (HD_IM(x) - HD_IM(x) == 0);
}

static inline bool hd_isinf(HD_T x)
{
    return (HD_M(fabs)(HD_RE(x)) == (HD_REAL)INFINITY) |
           (HD_M(fabs)(HD_IM(x)) == (HD_REAL)INFINITY);
}

static inline bool hd_isnan(HD_T x) { return (HD_RE(x) != HD_RE(x)) | (HD_IM(x) != HD_IM(x)); }

static inline HD_T hd_sqrt(HD_T x) { return HD_M(csqrt)(x); }
static inline HD_T hd_exp(HD_T x) { return HD_M(cexp)(x); }
static inline HD_T hd_log(HD_T x) { return HD_M(clog)(x); }
static inline HD_T hd_sin(HD_T x) { return HD_M(csin)(x); }
static inline HD_T hd_cos(HD_T x) { return HD_M(ccos)(x); }
static inline HD_T hd_tan(HD_T x) { return HD_M(ctan)(x); }
static inline HD_T hd_asin(HD_T x) { return HD_M(casin)(x); }
static inline HD_T hd_acos(HD_T x) { return HD_M(cacos)(x); }
static inline HD_T hd_atan(HD_T x) { return HD_M(catan)(x); }
static inline HD_T hd_sinh(HD_T x) { return HD_M(csinh)(x); }
static inline HD_T hd_cosh(HD_T x) { return HD_M(ccosh)(x); }
static inline HD_T hd_asinh(HD_T x) { return HD_M(casinh)(x); }
static inline HD_T hd_acosh(HD_T x) { return HD_M(cacosh)(x); }
static inline HD_T hd_atanh(HD_T x) { return HD_M(catanh)(x); }

/* The standard's limits at infinity have no sign of sin(2b). */
static inline HD_T hd_tanh(HD_T x)
{
    if (HD_M(fabs)(HD_RE(x)) == (HD_REAL)INFINITY && HD_IM(x) - HD_IM(x) == 0)
        return hd_pair(HD_M(copysign)(1, HD_RE(x)), HD_M(copysign)(0, HD_IM(x)));
    return HD_M(ctanh)(x);
}

/* 2^a in the modulus, so that it is exact where it is of real numbers. */
static inline HD_T hd_exp2(HD_T x)
{
    const HD_REAL a = HD_RE(x), b = HD_IM(x), angle = b * (HD_REAL)0.693147180559945309417;
    if (b == 0) return hd_pair(HD_M(exp2)(a), b);
    if (!(HD_M(fabs)(a) < 100 && angle - angle == 0))
        return HD_M(cexp)(hd_pair(a * (HD_REAL)0.693147180559945309417, angle));
    const HD_REAL size = HD_M(exp2)(a);
    return hd_pair(size * HD_M(cos)(angle), size * HD_M(sin)(angle));
}

static inline HD_T hd_log2(HD_T x)
{
    const HD_T l = HD_M(clog)(x);
    const HD_REAL scale = (HD_REAL)1.44269504088896340736;
    return hd_pair(HD_RE(l) * scale, HD_IM(l) * scale);
}

static inline HD_T hd_log10(HD_T x)
{
    const HD_T l = HD_M(clog)(x);
    const HD_REAL scale = (HD_REAL)0.434294481903251827651;
    return hd_pair(HD_RE(l) * scale, HD_IM(l) * scale);
}

/* exp(z) - 1 = (expm1(a) cos b - 2 sin(b/2)^2) + i exp(a) sin b: accurate near 0. */
static inline HD_T hd_expm1(HD_T x)
{
    const HD_REAL a = HD_RE(x), b = HD_IM(x);
    if (b == 0) return hd_pair(HD_M(expm1)(a) + 0, b); /* 0 of -0, as the standard says */
    const HD_REAL half = HD_M(sin)(b / 2);
    if (!(HD_M(fabs)(a) < 1)) {
        const HD_T e = HD_M(cexp)(x);
        return hd_pair(HD_RE(e) - 1, HD_IM(e));
    }
    return hd_pair(HD_M(expm1)(a) * HD_M(cos)(b) - 2 * half * half, HD_M(exp)(a) * HD_M(sin)(b));
}

/* |1 + z|^2 - 1 = a (a + 2) + b^2: accurate near 0. */
static inline HD_T hd_log1p(HD_T x)
{
    const HD_REAL a = HD_RE(x), b = HD_IM(x);
    if (!(HD_M(fabs)(a) < (HD_REAL)0.25 && HD_M(fabs)(b) < (HD_REAL)0.25)) {
        return HD_M(clog)(hd_pair(1 + a, b));
    }
    return hd_pair(HD_M(log1p)(a * (a + 2) + b * b) / 2, HD_M(atan2)(b, 1 + a));
}

/* Small whole exponents by products, as NumPy does; libm otherwise. */
static inline HD_T hd_pow(HD_T x, HD_T y)
{
    const HD_REAL re = HD_RE(y);
    if (re == 0 && HD_IM(y) == 0) return hd_pair(1, 0);
    if (HD_RE(x) == 0 && HD_IM(x) == 0)
        return re > 0 ? hd_pair(0, 0) : hd_pair((HD_REAL)NAN, (HD_REAL)NAN);
    if (HD_IM(y) != 0 || !(HD_M(fabs)(re) <= 100) || HD_M(rint)(re) != re) return HD_M(cpow)(x, y);
    HD_T result = hd_pair(1, 0), base = x;
    for (int n = (int)HD_M(fabs)(re);;) {
        if (n & 1) result = hd_mul(result, base);
        n >>= 1;
        if (n == 0) break;
        base = hd_mul(base, base);
    }
    return re < 0 ? hd_reciprocal(result) : result;
}

/* clang-format on */

#endif
