/* Vector versions of the elementary functions, for one instruction set (HD_ISA, and HD_LEVEL 1, 2
 * or 3 for baseline, avx2, avx512): SLEEF's, within 1 ULP or 1.5, a few of glibc's, and our own (also exponentials.h,
 * log_sums.h, polynomials.h, quotients.h, complex_vectors.h), with the special values of the standard. Whole vectors only: the last elements
 * go through a padded one, so that an element has the same result wherever it lies. Entry point: heddle__block_elementary_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"

#include <immintrin.h>
#include <math.h>
#include <sleef.h>
#include <string.h>

#define HD_SHARED static inline __attribute__((always_inline)) /* so that loops become vectors */
#include "log_add_exp.h"

#include "bessel.h"

#if HD_LEVEL == 3
typedef __m512d vd;
typedef __m512 vf;
#define SLEEF_D(name, acc) Sleef_##name##d8_##acc##avx512f
#define SLEEF_F(name, acc) Sleef_##name##f16_##acc##avx512f
#elif HD_LEVEL == 2
typedef __m256d vd;
typedef __m256 vf;
#define SLEEF_D(name, acc) Sleef_##name##d4_##acc##avx2
#define SLEEF_F(name, acc) Sleef_##name##f8_##acc##avx2
#else
typedef __m128d vd;
typedef __m128 vf;
#define SLEEF_D(name, acc) Sleef_##name##d2_##acc##sse4
#define SLEEF_F(name, acc) Sleef_##name##f4_##acc##sse4
#endif

/* glibc's vector functions, where SLEEF's take several times as long: within 3 ULP. */
#if HEDDLE_HAVE_LIBMVEC
#if HD_LEVEL == 3
#define MVEC_D(name) _ZGVeN8v_##name
#elif HD_LEVEL == 2
#define MVEC_D(name) _ZGVdN4v_##name
#else
#define MVEC_D(name) _ZGVbN2v_##name
#endif
vd MVEC_D(erf)(vd);
vd MVEC_D(erfc)(vd);
vd MVEC_D(tanh)(vd);
vd MVEC_D(asinh)(vd);
vd MVEC_D(acosh)(vd);
#define ERF_D MVEC_D(erf)
#define ERFC_D MVEC_D(erfc)
#define TANH_D MVEC_D(tanh)
#define ASINH_D MVEC_D(asinh)
#define ACOSH_D MVEC_D(acosh)
#else
#define ERF_D SLEEF_D(erf, u10)
#define ERFC_D SLEEF_D(erfc, u15)
#define TANH_D SLEEF_D(tanh, u10)
#define ASINH_D asinh_d
#define ACOSH_D acosh_d
#endif

enum { ND = sizeof(vd) / sizeof(double), NF = sizeof(vf) / sizeof(float) };

/* Comparisons of GCC vectors give integer vectors of ones and zeros. */
typedef int64_t vdi __attribute__((vector_size(sizeof(vd))));
typedef int32_t vfi __attribute__((vector_size(sizeof(vf))));
typedef uint64_t vdu __attribute__((vector_size(sizeof(vd))));
typedef uint32_t vfu __attribute__((vector_size(sizeof(vf))));

/* Whether any bit is set. */
#if HD_LEVEL == 3
#define ANY(mask) (_mm512_test_epi64_mask((__m512i)(mask), (__m512i)(mask)) != 0)
#elif HD_LEVEL == 2
#define ANY(mask) (!_mm256_testz_si256((__m256i)(mask), (__m256i)(mask)))
#else
#define ANY(mask) (!_mm_testz_si128((__m128i)(mask), (__m128i)(mask)))
#endif

#if HD_LEVEL == 3
#define SQRT_D(x) _mm512_sqrt_pd(x)
#define FMA_d(x, y, z) _mm512_fmadd_pd(x, y, z)
#define FMA_f(x, y, z) _mm512_fmadd_ps(x, y, z)
#define ROUGH_RECIPROCAL_D(x) _mm512_rcp14_pd(x)
#elif HD_LEVEL == 2
#define SQRT_D(x) _mm256_sqrt_pd(x)
#define FMA_d(x, y, z) _mm256_fmadd_pd(x, y, z)
#define FMA_f(x, y, z) _mm256_fmadd_ps(x, y, z)
#define ROUGH_RECIPROCAL_D(x) (1 / (x))
#else
#define SQRT_D(x) _mm_sqrt_pd(x)
#endif
/* Steps of polynomials, fused where the processor has that. */
#if HD_LEVEL >= 2
#define FUSED_d FMA_d
#define FUSED_f FMA_f
#else
#define FUSED_d(x, y, z) ((x) * (y) + (z))
#define FUSED_f(x, y, z) ((x) * (y) + (z))
#endif

static inline vd select_d(vdi mask, vd yes, vd no)
{
    return (vd)((mask & (vdi)yes) | (~mask & (vdi)no));
}

static inline vf select_f(vfi mask, vf yes, vf no)
{
    return (vf)((mask & (vfi)yes) | (~mask & (vfi)no));
}

/* out[i] = f(x[i]) and f(x[i], y[i]) with a function of vectors. */
#define LOOP_1(NAME, T, V, N, F)                                                                   \
    static void NAME(size_t n, void *out, const void *x, const void *y, const void *z)             \
    {                                                                                              \
        (void)y, (void)z;                                                                          \
        size_t i = 0;                                                                              \
        V a;                                                                                       \
        for (; i + N <= n; i += N) {                                                               \
            memcpy(&a, (const T *)x + i, sizeof a);                                                \
            a = F(a);                                                                              \
            memcpy((T *)out + i, &a, sizeof a);                                                    \
        }                                                                                          \
        if (i == n) return;                                                                        \
        memset(&a, 0, sizeof a);                                                                   \
        memcpy(&a, (const T *)x + i, (n - i) * sizeof(T));                                         \
        a = F(a);                                                                                  \
        memcpy((T *)out + i, &a, (n - i) * sizeof(T));                                             \
    }
#define LOOP_2(NAME, T, V, N, F)                                                                   \
    static void NAME(size_t n, void *out, const void *x, const void *y, const void *z)             \
    {                                                                                              \
        (void)z;                                                                                   \
        size_t i = 0;                                                                              \
        V a, b;                                                                                    \
        for (; i + N <= n; i += N) {                                                               \
            memcpy(&a, (const T *)x + i, sizeof a);                                                \
            memcpy(&b, (const T *)y + i, sizeof b);                                                \
            a = F(a, b);                                                                           \
            memcpy((T *)out + i, &a, sizeof a);                                                    \
        }                                                                                          \
        if (i == n) return;                                                                        \
        memset(&a, 0, sizeof a);                                                                   \
        memset(&b, 0, sizeof b);                                                                   \
        memcpy(&a, (const T *)x + i, (n - i) * sizeof(T));                                         \
        memcpy(&b, (const T *)y + i, (n - i) * sizeof(T));                                         \
        a = F(a, b);                                                                               \
        memcpy((T *)out + i, &a, (n - i) * sizeof(T));                                             \
    }

/* ---- functions of our own, and repairs of SLEEF's (3.5.1): name_d, name_f ----------------------- */

#define INT_d(x) ((vdi)(x))
#define INT_f(x) ((vfi)(x))
#define UINT_d(x) ((vdu)(x))
#define UINT_f(x) ((vfu)(x))
#define REAL_d(x) ((vd)(x))
#define REAL_f(x) ((vf)(x))
#define NOT(mask) (~(mask))
#define IS_NAN(x) ((x) != (x))
#define MAGNITUDE_d(x) ((vd)((vdi)(x)&INT64_MAX))
#define MAGNITUDE_f(x) ((vf)((vfi)(x)&INT32_MAX))
#define SIGNED_d(size, x) ((vd)((vdi)(size) | ((vdi)(x)&INT64_MIN)))
#define SIGNED_f(size, x) ((vf)((vfi)(size) | ((vfi)(x)&INT32_MIN)))
#define CALL_d(name, acc) SLEEF_D(name, acc)
#define CALL_f(name, acc) SLEEF_F(name, acc)

/* SLEEF chooses how to reduce an angle by the largest of a vector, so that an element's last bit
 * would depend on its neighbours. So each range goes by itself, with harmless angles of the same
 * range in the other lanes. Ranges of float64 end at 15 and 1e14, of float32 at 125. */
#define TRIGONOMETRIC(NAME, name, S, LOW, HIGH)                                                    \
    static inline v##S NAME##_##S(v##S x)                                                          \
    {                                                                                              \
        const v##S size = MAGNITUDE_##S(x), none = {0};                                            \
        const v##S##i low = (v##S##i)(size < LOW);                                                 \
        if (!ANY(~low)) return CALL_##S(name, u10)(x);                                             \
        v##S r = CALL_##S(name, u10)(select_##S(low, x, none));                                    \
        const v##S##i middle = ~low & (v##S##i)(size < HIGH);                                      \
        if (ANY(middle))                                                                           \
            r = select_##S(middle, CALL_##S(name, u10)(select_##S(middle, x, none + LOW)), r);     \
        const v##S##i high = ~(low | middle);                                                      \
        if (ANY(high))                                                                             \
            r = select_##S(high, CALL_##S(name, u10)(select_##S(high, x, none + HIGH)), r);        \
        return r;                                                                                  \
    }
#define TRIGONOMETRIC_BOTH(name)                                                                   \
    TRIGONOMETRIC(name, name, d, 15.0, 1e14)                                                       \
    TRIGONOMETRIC(other_##name, name, f, 125.0F, 125.0F)
TRIGONOMETRIC_BOTH(sin)
TRIGONOMETRIC_BOTH(cos)
TRIGONOMETRIC_BOTH(tan)

/* SLEEF's asinh and acosh give infinity near the largest numbers; there they are log(2x). */
#define LARGE(S, LARGE_ASINH, LOG_2)                                                               \
    static inline v##S asinh_##S(v##S x)                                                           \
    {                                                                                              \
        const v##S r = CALL_##S(asinh, u10)(x), size = MAGNITUDE_##S(x);                           \
        const v##S##i large = (v##S##i)(size > LARGE_ASINH);                                       \
        if (!ANY(large)) return r;                                                                 \
        return select_##S(large, SIGNED_##S(CALL_##S(log, u10)(size) + LOG_2, x), r);              \
    }                                                                                              \
    static inline v##S acosh_##S(v##S x)                                                           \
    {                                                                                              \
        const v##S r = CALL_##S(acosh, u10)(x);                                                    \
        const v##S##i large = (v##S##i)(x > LARGE_ASINH);                                          \
        return ANY(large) ? select_##S(large, CALL_##S(log, u10)(x) + LOG_2, r) : r;               \
    }
LARGE(d, 0x1p30, 0.693147180559945309417)
LARGE(f, 0x1p15F, 0.693147180559945309417F)

/* SLEEF's sinh and cosh overflow too early: from FROM on they are exp(|x| - log 2), with log 2 in
 * two parts of which the subtraction of the first is exact. */
#define HYPERBOLIC(S, FROM, LOG2_HIGH, LOG2_LOW)                                                   \
    static inline v##S half_exp_##S(v##S size)                                                     \
    {                                                                                              \
        const v##S e = CALL_##S(exp, u10)(size - LOG2_HIGH);                                       \
        return e * (1 - LOG2_LOW);                                                                 \
    }                                                                                              \
    static inline v##S other_sinh_##S(v##S x)                                                      \
    {                                                                                              \
        const v##S r = CALL_##S(sinh, u10)(x), size = MAGNITUDE_##S(x);                            \
        const v##S##i large = (v##S##i)(size > FROM);                                              \
        return ANY(large) ? select_##S(large, SIGNED_##S(half_exp_##S(size), x), r) : r;           \
    }                                                                                              \
    static inline v##S other_cosh_##S(v##S x)                                                      \
    {                                                                                              \
        const v##S r = CALL_##S(cosh, u10)(x), size = MAGNITUDE_##S(x);                            \
        const v##S##i large = (v##S##i)(size > FROM);                                              \
        return ANY(large) ? select_##S(large, half_exp_##S(size), r) : r;                          \
    }
HYPERBOLIC(d, 512.0, 6.93147180369123816490e-01, 1.90821492927058770002e-10)
HYPERBOLIC(f, 64.0F, 0.693145751953125F, 1.428606765330187e-06F)

/* r and, where `odd`, f(x, y), one lane after the other. */
#define ONE_BY_ONE(S, T, N)                                                                        \
    static inline v##S one_by_one_##S(v##S##i odd, v##S x, v##S y, v##S r, T (*f)(T, T))           \
    {                                                                                              \
        if (__builtin_expect(!ANY(odd), 1)) return r;                                              \
        T each[3][N];                                                                              \
        memcpy(each[0], &x, sizeof x);                                                             \
        memcpy(each[1], &y, sizeof y);                                                             \
        memcpy(each[2], &r, sizeof r);                                                             \
        for (int i = 0; i < N; i++)                                                                \
            if (odd[i]) each[2][i] = f(each[0][i], each[1][i]);                                    \
        memcpy(&r, each[2], sizeof r);                                                             \
        return r;                                                                                  \
    }
ONE_BY_ONE(d, double, ND)
ONE_BY_ONE(f, float, NF)

/* SLEEF's pow overflows near the largest numbers: infinite powers of finite numbers are libm's, of which
 * each is by itself. */
#define POWER(S, T, POW)                                                                           \
    static inline v##S other_pow_##S(v##S x, v##S y)                                               \
    {                                                                                              \
        const v##S r = CALL_##S(pow, u10)(x, y);                                                   \
        const v##S infinite = (v##S){0} + (T)INFINITY;                                             \
        const v##S##i odd = (v##S##i)(MAGNITUDE_##S(r) == infinite) &                              \
                            (v##S##i)(MAGNITUDE_##S(x) < infinite) &                               \
                            (v##S##i)(MAGNITUDE_##S(y) < infinite);                                \
        return one_by_one_##S(odd, x, y, r, POW);                                                  \
    }
POWER(d, double, pow)
POWER(f, float, powf)

/* Half an ULP. Of float64: the root of the rounded sum of squares, then one step of Newton's with what rounding lost, by fused
 * multiplication (C. Borges, "An improved algorithm for hypot(a, b)", 2019). Where squares would leave the range, and of what is no
 * number: SLEEF's, which takes four times as long; without fused multiplication, too. */
#if HD_LEVEL >= 2
static inline vd hypot_d(vd x, vd y)
{
    const vd none = {0}, p = MAGNITUDE_d(x), q = MAGNITUDE_d(y);
    const vdi first = (vdi)(p > q);
    const vd a = select_d(first, p, q), b = select_d(first, q, p), aa = a * a;
    const vd h = SQRT_D(FMA_d(b, b, aa)), hh = h * h;
    const vd lost = FMA_d(-b, b, hh - aa) + FMA_d(h, h, -hh) - FMA_d(a, a, -aa);
    vd r = h - lost * 0.5 * ROUGH_RECIPROCAL_D(h);
    r = select_d((vdi)(a > none), r, none);
    const vdi odd = ~(vdi)(a < 0x1p500) | ((vdi)(a < 0x1p-450) & (vdi)(a > none)) | (vdi)IS_NAN(b);
    return ANY(odd) ? select_d(odd, SLEEF_D(hypot, u05)(x, y), r) : r;
}
#else
#define hypot_d SLEEF_D(hypot, u05)
#endif

/* The root of a sum of two squares of float32. Where the hardware's takes as long as twenty operations: from its estimate of the
 * reciprocal by a step of the third order, to 2^-42; what is no normal number is its own root. */
static inline vd root_of_squares(vd s)
{
#if HD_LEVEL == 3
    const vd one = (vd){0} + 1, half = (vd){0} + 0.5, guess = _mm512_rsqrt14_pd(s);
    const vd root = s * guess, rest = FMA_d(-root, guess, one);
    const vd better = FMA_d(root * rest, FMA_d(rest, (vd){0} + 0.375, half), root);
    return select_d((vdi)(s > 0) & (vdi)(s < INFINITY), better, s);
#else
    return SQRT_D(s);
#endif
}

/* In float64 the squares are exact and stay in the range. */
static inline vf hypot_f(vf x, vf y)
{
    typedef float half __attribute__((vector_size(sizeof(vf) / 2)));
    half a[2], b[2];
    memcpy(a, &x, sizeof x);
    memcpy(b, &y, sizeof y);
    for (int i = 0; i < 2; i++) {
        const vd p = __builtin_convertvector(a[i], vd), q = __builtin_convertvector(b[i], vd);
        a[i] = __builtin_convertvector(root_of_squares(p * p + q * q), half);
    }
    vf r;
    memcpy(&r, a, sizeof r);
    const vfi odd =
        (vfi)(IS_NAN(x) | IS_NAN(y)); /* infinite beside what is no number is infinite */
    return ANY(odd) ? select_f(odd, SLEEF_F(hypot, u05)(x, y), r) : r;
}

#include "cpu/exponentials.h"
#include "cpu/exponentials_of_vectors.h"
#include "cpu/log_sums.h"
#include "cpu/polynomials.h"
#if HD_LEVEL == 3
#define TO_ZERO_d(x) _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define TO_ZERO_f(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#elif HD_LEVEL == 2
#define TO_ZERO_d(x) _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define TO_ZERO_f(x) _mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#endif
#if HD_LEVEL >= 2
extern const struct heddle__block_type HD_PASTE(heddle__block_, FLOAT32, HD_ISA),
    HD_PASTE(heddle__block_, FLOAT64, HD_ISA);
/* <name>_one_d and <name>_one_f: the operation on two numbers, as scalar_real.h has it. */
#define ONE_PAIR(name, ID)                                                                         \
    ONE_PAIR_OF(name##_one_d, double, FLOAT64, ID) ONE_PAIR_OF(name##_one_f, float, FLOAT32, ID)
#define ONE_PAIR_OF(NAME, T, DTYPE, ID)                                                            \
    static T NAME(T x, T y)                                                                        \
    {                                                                                              \
        T r;                                                                                       \
        HD_PASTE(heddle__block_, DTYPE, HD_ISA).ops[HEDDLE_OP_##ID].vector(1, &r, &x, &y, NULL);   \
        return r;                                                                                  \
    }
#include "cpu/powers.h"
#include "cpu/quotients.h"
#else
#define pow_d other_pow_d
#define pow_f other_pow_f
#define sinh_d other_sinh_d
#define sinh_f other_sinh_f
#define cosh_d other_cosh_d
#define cosh_f other_cosh_f
#define sin_f other_sin_f
#define cos_f other_cos_f
#define tan_f other_tan_f
#define cbrt_d SLEEF_D(cbrt, u10)
#define cbrt_f SLEEF_F(cbrt, u10)
#endif
#include "cpu/complex_vectors.h"

/* SLEEF's functions as they are: operation, arity, name, accuracy. */
#define SLEEF_FUNCTIONS(F)                                                                         \
    F(LOG10, 1, log10, u10)                                                                        \
    F(ASIN, 1, asin, u10)                                                                          \
    F(ACOS, 1, acos, u10)                                                                          \
    F(ATAN, 1, atan, u10)                                                                          \
    F(ATAN2, 2, atan2, u10)                                                                        \
    F(ATANH, 1, atanh, u10)
#define OWN_FUNCTIONS(F)                                                                           \
    F(EXP, 1, exp)                                                                                 \
    F(EXP2, 1, exp2)                                                                               \
    F(EXPM1, 1, expm1)                                                                             \
    F(LOG, 1, log)                                                                                 \
    F(LOG1P, 1, log1p)                                                                             \
    F(LOG2, 1, log2)                                                                               \
    F(CBRT, 1, cbrt)                                                                               \
    F(POW, 2, pow)                                                                                 \
    F(HYPOT, 2, hypot)                                                                             \
    F(SIN, 1, sin)                                                                                 \
    F(COS, 1, cos)                                                                                 \
    F(TAN, 1, tan)                                                                                 \
    F(SINH, 1, sinh)                                                                               \
    F(COSH, 1, cosh)                                                                               \
    F(I0, 1, i0)
#if HD_LEVEL >= 2
#define QUOTIENT_FUNCTIONS(F)                                                                      \
    F(FLOOR_DIVIDE, 2, floor_divide)                                                               \
    F(REMAINDER, 2, remainder)                                                                     \
    F(FMOD, 2, fmod)
#define EXPONENT_FUNCTIONS(F) F(LDEXP, 2, ldexp)
#define POWER_BY_ONE(F) F(POW)
#else
#define QUOTIENT_FUNCTIONS(F)
#define POWER_BY_ONE(F)
#define EXPONENT_FUNCTIONS(F)
#endif
/* Operation and the functions of the two types. */
#define MIXED_FUNCTIONS(F)                                                                         \
    F(ERF, SLEEF_F(erf, u10), ERF_D)                                                               \
    F(ERFC, SLEEF_F(erfc, u15), ERFC_D)                                                            \
    F(TANH, tanh_f, TANH_D)                                                                        \
    F(ASINH, asinh_f, ASINH_D)                                                                     \
    F(ACOSH, acosh_f, ACOSH_D)

#define DEFINE(ID, arity, name, acc)                                                               \
    LOOP_##arity(f32_##ID, float, vf, NF, SLEEF_F(name, acc))                                      \
        LOOP_##arity(f64_##ID, double, vd, ND, SLEEF_D(name, acc))
SLEEF_FUNCTIONS(DEFINE)
#undef DEFINE
#define DEFINE(ID, arity, name)                                                                    \
    LOOP_##arity(f32_##ID, float, vf, NF, name##_f) LOOP_##arity(f64_##ID, double, vd, ND, name##_d)
OWN_FUNCTIONS(DEFINE)
QUOTIENT_FUNCTIONS(DEFINE)
EXPONENT_FUNCTIONS(DEFINE)
#undef DEFINE
#define DEFINE(ID, arity, name)                                                                    \
    LOOP_BY(f32_##ID##_ys, float, vf, NF, name##_of_f, MAGNITUDE_f)                                \
    LOOP_BY(f64_##ID##_ys, double, vd, ND, name##_of_d, MAGNITUDE_d)
QUOTIENT_FUNCTIONS(DEFINE)
#undef DEFINE
#define DEFINE(ID, single, twice)                                                                  \
    LOOP_1(f32_##ID, float, vf, NF, single)                                                        \
    LOOP_1(f64_##ID, double, vd, ND, twice)
MIXED_FUNCTIONS(DEFINE)
#undef DEFINE

/* |x| of complex numbers: their parts go apart, then through hypot. */
#define COMPLEX_ABS(NAME, T, HYPOT)                                                                \
    static void NAME(size_t n, void *out, const void *x, const void *y, const void *z)             \
    {                                                                                              \
        (void)y, (void)z;                                                                          \
        enum { PART = 64 };                                                                        \
        T re[PART], im[PART];                                                                      \
        for (size_t i = 0; i < n; i += PART) {                                                     \
            const size_t m = n - i < PART ? n - i : PART;                                          \
            const T *from = (const T *)x + 2 * i;                                                  \
            for (size_t k = 0; k < m; k++) {                                                       \
                re[k] = from[2 * k];                                                               \
                im[k] = from[2 * k + 1];                                                           \
            }                                                                                      \
            HYPOT(m, (T *)out + i, re, im, NULL);                                                  \
        }                                                                                          \
    }
COMPLEX_ABS(c64_ABS, float, f32_HYPOT)
COMPLEX_ABS(c128_ABS, double, f64_HYPOT)

extern const struct heddle__block_elementary HD_PASTE(heddle__block_, elementary, HD_ISA);
const struct heddle__block_elementary
    HD_PASTE(heddle__block_, elementary, HD_ISA) =
        {
            .real =
                {
#define ENTRY(ID, ...) [HEDDLE_OP_##ID] = f32_##ID,
                    {SLEEF_FUNCTIONS(ENTRY) OWN_FUNCTIONS(ENTRY) MIXED_FUNCTIONS(ENTRY)
                         QUOTIENT_FUNCTIONS(ENTRY) EXPONENT_FUNCTIONS(ENTRY) ENTRY(LOGADDEXP) ENTRY(LOGADDEXP2)},
#undef ENTRY
#define ENTRY(ID, ...) [HEDDLE_OP_##ID] = f64_##ID,
                    {SLEEF_FUNCTIONS(ENTRY) OWN_FUNCTIONS(ENTRY) MIXED_FUNCTIONS(ENTRY)
                         QUOTIENT_FUNCTIONS(ENTRY) EXPONENT_FUNCTIONS(ENTRY) ENTRY(LOGADDEXP) ENTRY(LOGADDEXP2)},
#undef ENTRY
                },
            .y_scalar =
                {
#define ENTRY(ID, ...) [HEDDLE_OP_##ID] = f32_##ID##_ys,
                    {QUOTIENT_FUNCTIONS(ENTRY) POWER_BY_ONE(ENTRY)},
#undef ENTRY
#define ENTRY(ID, ...) [HEDDLE_OP_##ID] = f64_##ID##_ys,
                    {QUOTIENT_FUNCTIONS(ENTRY) POWER_BY_ONE(ENTRY)},
#undef ENTRY
                },
            .complex_ =
                {
#define ENTRY(ID, ...) [HEDDLE_OP_##ID] = c64_##ID,
                    {COMPLEX_FUNCTIONS(ENTRY) ENTRY(ABS)},
#undef ENTRY
#define ENTRY(ID, ...) [HEDDLE_OP_##ID] = c128_##ID,
                    {COMPLEX_FUNCTIONS(ENTRY) ENTRY(ABS)},
#undef ENTRY
                },
};
