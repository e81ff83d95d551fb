/* Vector versions of the elementary functions, for one instruction set (HD_ISA, and HD_LEVEL 1, 2
 * or 3 for baseline, avx2, avx512): SLEEF's, within 1 ULP or 1.5, with the special values of the
 * standard. Whole vectors only: the last elements go through a padded one, so that an element has
 * the same result wherever it lies. Entry point: heddle__block_elementary_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"

#include <immintrin.h>
#include <sleef.h>
#include <string.h>

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
enum { ND = sizeof(vd) / sizeof(double), NF = sizeof(vf) / sizeof(float) };

/* Comparisons of GCC vectors give integer vectors of ones and zeros. */
typedef int64_t vdi __attribute__((vector_size(sizeof(vd))));
typedef int32_t vfi __attribute__((vector_size(sizeof(vf))));

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

/* Functions of our own: name_d and name_f. LOG2 is log(2) to the last bit of each type. */
#define LOGADDEXP(NAME, V, VI, SELECT, FABS_MASK, EXP, LOG1P, LOG2)                                \
    static inline V NAME(V x, V y)                                                                 \
    {                                                                                              \
        const V d = x - y;                                                                         \
        const V down = (V)((VI)d | FABS_MASK); /* -|d| */                                          \
        const V top = SELECT((VI)(x > y), x, y);                                                   \
        const V sum = top + LOG1P(EXP(down));                                                      \
        const V r = SELECT((VI)(x == y), x + LOG2, sum);                                           \
        return SELECT((VI)((x != x) | (y != y)), x + y, r);                                        \
    }
LOGADDEXP(logaddexp_d, vd, vdi, select_d, INT64_MIN, SLEEF_D(exp, u10), SLEEF_D(log1p, u10),
          0.693147180559945309417)
LOGADDEXP(logaddexp_f, vf, vfi, select_f, INT32_MIN, SLEEF_F(exp, u10), SLEEF_F(log1p, u10),
          0.693147180559945309417F)

/* The functions: operation, arity, SLEEF's name and accuracy, of both types. */
#define FUNCTIONS(F)                                                                               \
    F(POW, 2, pow, u10)                                                                            \
    F(EXP, 1, exp, u10)                                                                            \
    F(EXPM1, 1, expm1, u10)                                                                        \
    F(LOG, 1, log, u10)                                                                            \
    F(LOG1P, 1, log1p, u10)                                                                        \
    F(LOG2, 1, log2, u10)                                                                          \
    F(LOG10, 1, log10, u10)                                                                        \
    F(HYPOT, 2, hypot, u05)                                                                        \
    F(SIN, 1, sin, u10)                                                                            \
    F(COS, 1, cos, u10)                                                                            \
    F(TAN, 1, tan, u10)                                                                            \
    F(ASIN, 1, asin, u10)                                                                          \
    F(ACOS, 1, acos, u10)                                                                          \
    F(ATAN, 1, atan, u10)                                                                          \
    F(ATAN2, 2, atan2, u10)                                                                        \
    F(SINH, 1, sinh, u10)                                                                          \
    F(COSH, 1, cosh, u10)                                                                          \
    F(TANH, 1, tanh, u10)                                                                          \
    F(ASINH, 1, asinh, u10)                                                                        \
    F(ACOSH, 1, acosh, u10)                                                                        \
    F(ATANH, 1, atanh, u10)                                                                        \
    F(ERF, 1, erf, u10)                                                                            \
    F(ERFC, 1, erfc, u15)

#define DEFINE(ID, arity, name, acc)                                                               \
    LOOP_##arity(f32_##ID, float, vf, NF, SLEEF_F(name, acc))                                      \
        LOOP_##arity(f64_##ID, double, vd, ND, SLEEF_D(name, acc))
FUNCTIONS(DEFINE)
LOOP_2(f32_LOGADDEXP, float, vf, NF, logaddexp_f)
LOOP_2(f64_LOGADDEXP, double, vd, ND, logaddexp_d)

extern const struct heddle__block_elementary HD_PASTE(heddle__block_, elementary, HD_ISA);
const struct heddle__block_elementary HD_PASTE(heddle__block_, elementary, HD_ISA) = {
    .real =
        {
#define ENTRY(ID, arity, name, acc) [HEDDLE_OP_##ID] = f32_##ID,
            {FUNCTIONS(ENTRY)[HEDDLE_OP_LOGADDEXP] = f32_LOGADDEXP},
#undef ENTRY
#define ENTRY(ID, arity, name, acc) [HEDDLE_OP_##ID] = f64_##ID,
            {FUNCTIONS(ENTRY)[HEDDLE_OP_LOGADDEXP] = f64_LOGADDEXP},
#undef ENTRY
        },
};
