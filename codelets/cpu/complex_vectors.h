/* Elementary functions of complex numbers by vectors of real and of imaginary parts. What is far from ordinary (zeros, infinities,
 * magnitudes near the ends of the range) goes one by one to libm. Within a few units in the last place of the larger part.
 * Included by elementary.c only. Defines c64_<OP> and c128_<OP> of COMPLEX_FUNCTIONS. */
#ifndef HEDDLE_CODELETS_CPU_COMPLEX_VECTORS_H
#define HEDDLE_CODELETS_CPU_COMPLEX_VECTORS_H

#include <complex.h>
#undef I

/* Operation, name, and the function of one number. */
#define COMPLEX_FUNCTIONS(F)                                                                       \
    F(SQRT, sqrt, csqrt)                                                                           \
    F(EXP, exp, cexp)                                                                              \
    F(LOG, log, clog)                                                                              \
    F(SIN, sin, csin)                                                                              \
    F(COS, cos, ccos)                                                                              \
    F(SINH, sinh, csinh)                                                                           \
    F(COSH, cosh, ccosh)                                                                           \
    F(TANH, tanh, tanh_of_one)

/* The scalar's, which has the limits of the standard. */
static double _Complex tanh_of_one(double _Complex x)
{
    const double parts[2] = {copysign(1, creal(x)), copysign(0, cimag(x))};
    double _Complex limit;
    memcpy(&limit, parts, sizeof limit);
    return isinf(creal(x)) && isfinite(cimag(x)) ? limit : ctanh(x);
}

static float _Complex tanh_of_onef(float _Complex x)
{
    const float parts[2] = {copysignf(1, crealf(x)), copysignf(0, cimagf(x))};
    float _Complex limit;
    memcpy(&limit, parts, sizeof limit);
    return isinf(crealf(x)) && isfinite(cimagf(x)) ? limit : ctanhf(x);
}

#define SQRT_d SQRT_D
#define SQRT_f SQRT_F

/* complex_<name>(a, b, &re, &im): lanes that it computes, as ones. MOST: exp of it is far from overflow; SMALL, LARGE: their squares are
 * far from the ends of the range. */
#define COMPLEX_OF(S, T, MOST, SMALL, LARGE)                                                       \
    static inline v##S##i complex_exp_##S(v##S a, v##S b, v##S *re, v##S *im)                      \
    {                                                                                              \
        const v##S size = CALL_##S(exp, u10)(a);                                                   \
        *re = size * cos_##S(b);                                                                   \
        *im = size * sin_##S(b);                                                                   \
        return (v##S##i)(MAGNITUDE_##S(a) < (MOST)) & (v##S##i)(MAGNITUDE_##S(b) < (T)INFINITY);   \
    }                                                                                              \
    static inline v##S##i complex_sinh_##S(v##S a, v##S b, v##S *re, v##S *im)                     \
    {                                                                                              \
        *re = sinh_##S(a) * cos_##S(b);                                                            \
        *im = cosh_##S(a) * sin_##S(b);                                                            \
        return (v##S##i)(MAGNITUDE_##S(a) < (MOST)) & (v##S##i)(MAGNITUDE_##S(b) < (T)INFINITY);   \
    }                                                                                              \
    static inline v##S##i complex_cosh_##S(v##S a, v##S b, v##S *re, v##S *im)                     \
    {                                                                                              \
        *re = cosh_##S(a) * cos_##S(b);                                                            \
        *im = sinh_##S(a) * sin_##S(b);                                                            \
        return (v##S##i)(MAGNITUDE_##S(a) < (MOST)) & (v##S##i)(MAGNITUDE_##S(b) < (T)INFINITY);   \
    }                                                                                              \
    /* sin z = -i sinh(i z), cos z = cosh(i z) */                                                  \
    static inline v##S##i complex_sin_##S(v##S a, v##S b, v##S *re, v##S *im)                      \
    {                                                                                              \
        return complex_sinh_##S(b, a, im, re);                                                     \
    }                                                                                              \
    static inline v##S##i complex_cos_##S(v##S a, v##S b, v##S *re, v##S *im)                      \
    {                                                                                              \
        const v##S##i done = complex_cosh_##S(b, a, re, im);                                       \
        *im = -*im;                                                                                \
        return done;                                                                               \
    }                                                                                              \
    /* W. Kahan, "Branch cuts for complex elementary functions", 1987. */                          \
    static inline v##S##i complex_tanh_##S(v##S a, v##S b, v##S *re, v##S *im)                     \
    {                                                                                              \
        const v##S t = tan_##S(b), s = sinh_##S(a), beta = 1 + t * t, rho = SQRT_##S(1 + s * s);   \
        const v##S below = 1 + beta * (s * s);                                                     \
        *re = beta * rho * s / below;                                                              \
        *im = t / below;                                                                           \
        return (v##S##i)(MAGNITUDE_##S(a) < (T)(MOST) / 10) &                                      \
               (v##S##i)(MAGNITUDE_##S(a) > (SMALL)) & (v##S##i)(MAGNITUDE_##S(b) < (T)INFINITY) & \
               (v##S##i)(MAGNITUDE_##S(b) > (SMALL));                                              \
    }                                                                                              \
    /* The larger part by half the sum of |a| and |z|, which cannot cancel. */                     \
    static inline v##S##i complex_sqrt_##S(v##S a, v##S b, v##S *re, v##S *im)                     \
    {                                                                                              \
        const v##S none = {0}, size = MAGNITUDE_##S(a), other = MAGNITUDE_##S(b);                  \
        const v##S large = SQRT_##S((size + hypot_##S(a, b)) * (T)0.5),                            \
                   less = other / (2 * large);                                                     \
        const v##S##i right = (v##S##i)(a > none);                                                 \
        *re = select_##S(right, large, less);                                                      \
        *im = SIGNED_##S(select_##S(right, less, large), b);                                       \
        return (v##S##i)(size > (T)(SMALL)) & (v##S##i)(size < (T)(LARGE)) &                       \
               (v##S##i)(other < (T)(LARGE));                                                      \
    }
#if HD_LEVEL == 3
#define SQRT_F(x) _mm512_sqrt_ps(x)
#elif HD_LEVEL == 2
#define SQRT_F(x) _mm256_sqrt_ps(x)
#else
#define SQRT_F(x) _mm_sqrt_ps(x)
#endif
COMPLEX_OF(d, double, 700, 0x1p-400, 0x1p400)
COMPLEX_OF(f, float, 80, 0x1p-50, 0x1p50)

/* log |z| + i atan2(b, a). Near |z| = 1, by log1p(|z|^2 - 1) / 2 with squares in two parts (Dekker's sums). */
static inline vdi complex_log_d(vd a, vd b, vd *re, vd *im)
{
    const vd p = MAGNITUDE_d(a), q = MAGNITUDE_d(b);
    const vdi first = (vdi)(p > q);
    const vd x = select_d(first, p, q), y = select_d(first, q, p), xx = x * x, yy = y * y;
    vd r = SLEEF_D(log, u10)(xx + yy) * 0.5;
    const vdi near = (vdi)(xx + yy > 0.5) & (vdi)(xx + yy < 2);
    *im = SLEEF_D(atan2, u10)(b, a);
#if HD_LEVEL >= 2
    if (ANY(near)) { /* xx is 1/4 to 2, and yy is below */
        const vd less = xx - 1, sum = less + yy, part = sum - less;
        const vd rest = (xx - (less + 1)) + ((less - (sum - part)) + (yy - part));
        const vd low = FMA_d(x, x, -xx) + FMA_d(y, y, -yy) + rest;
        const vd whole = sum + low;
        r = select_d(near, SLEEF_D(log1p, u10)(whole) * 0.5, r);
    }
    const vdi odd = near & 0;
#else
    const vdi odd = near;
#endif
    *re = r;
    return (vdi)(x > 0x1p-400) & (vdi)(x < 0x1p400) & (vdi)(y < 0x1p400) & ~odd;
}

/* In float64, where squares are exact and their sums nearly are. */
static inline vfi complex_log_f(vf a, vf b, vf *re, vf *im)
{
    typedef float half __attribute__((vector_size(sizeof(vf) / 2)));
    half x[2], y[2];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 2; i++) {
        const vd p = __builtin_convertvector(x[i], vd), q = __builtin_convertvector(y[i], vd);
        const vdi first = (vdi)(MAGNITUDE_d(p) > MAGNITUDE_d(q));
        const vd large = select_d(first, p, q), little = select_d(first, q, p);
        const vd less = (large - 1) * (large + 1), square = little * little;
        const vd sum = large * large + square;
        const vdi near = (vdi)(sum > 0.5) & (vdi)(sum < 2);
        const vd l = select_d(near, SLEEF_D(log1p, u10)(less + square), SLEEF_D(log, u10)(sum));
        x[i] = __builtin_convertvector(l * 0.5, half);
    }
    memcpy(re, x, sizeof x);
    *im = SLEEF_F(atan2, u10)(b, a);
    const vf none = {0}, p = MAGNITUDE_f(a), q = MAGNITUDE_f(b);
    return (vfi)(p < (float)INFINITY) & (vfi)(q < (float)INFINITY) & (vfi)(p + q > none);
}

#define COMPLEX_LOOP(NAME, T, S, N, F, LIBM)                                                       \
    static void NAME(size_t n, void *out, const void *x, const void *y, const void *z)             \
    {                                                                                              \
        (void)y, (void)z;                                                                          \
        enum { PART = 64 };                                                                        \
        T re[PART] = {0}, im[PART] = {0}, new_re[PART], new_im[PART];                              \
        for (size_t i = 0; i < n; i += PART) {                                                     \
            const size_t m = n - i < PART ? n - i : PART;                                          \
            const T *const from = (const T *)x + 2 * i;                                            \
            T *const to = (T *)out + 2 * i;                                                        \
            bool odd[PART], any = false;                                                           \
            for (size_t k = 0; k < m; k++) {                                                       \
                re[k] = from[2 * k];                                                               \
                im[k] = from[2 * k + 1];                                                           \
            }                                                                                      \
            for (size_t k = 0; k < m; k += N) {                                                    \
                v##S a, b, c, d;                                                                   \
                memcpy(&a, re + k, sizeof a);                                                      \
                memcpy(&b, im + k, sizeof b);                                                      \
                const v##S##i done = F(a, b, &c, &d);                                              \
                memcpy(new_re + k, &c, sizeof c);                                                  \
                memcpy(new_im + k, &d, sizeof d);                                                  \
                const bool some = ANY(~done);                                                      \
                any |= some;                                                                       \
                for (size_t j = 0; j < N; j++) odd[k + j] = some && !done[j];                      \
            }                                                                                      \
            for (size_t k = 0; k < m; k++) {                                                       \
                to[2 * k] = new_re[k];                                                             \
                to[2 * k + 1] = new_im[k];                                                         \
            }                                                                                      \
            for (size_t k = 0; any && k < m; k++) {                                                \
                if (!odd[k]) continue;                                                             \
                const T parts[2] = {re[k], im[k]};                                                 \
                T _Complex w;                                                                      \
                memcpy(&w, parts, sizeof w);                                                       \
                w = LIBM(w);                                                                       \
                memcpy(to + 2 * k, &w, sizeof w);                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define DEFINE(ID, name, one)                                                                      \
    COMPLEX_LOOP(c64_##ID, float, f, NF, complex_##name##_f, one##f)                               \
    COMPLEX_LOOP(c128_##ID, double, d, ND, complex_##name##_d, one)
COMPLEX_FUNCTIONS(DEFINE)
#undef DEFINE

#endif
