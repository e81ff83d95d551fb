/* log(exp(x) + exp(y)) of vectors, and its twin to the base 2: the steps of hd_log_add in scalar_real.h. What cancels, some
 * elements in many vectors, is set aside and computed by whole vectors of such elements. Included by elementary.c only.
 * Defines f32_LOGADDEXP, f64_LOGADDEXP, f32_LOGADDEXP2, f64_LOGADDEXP2. */
#ifndef HEDDLE_CODELETS_CPU_LOG_SUMS_H
#define HEDDLE_CODELETS_CPU_LOG_SUMS_H

enum { ASIDE = 64 }; /* elements that cancel, at most */

/* A bit for each lane of ones. */
#if HD_LEVEL == 3
#define LANES_d(mask) (unsigned)_mm512_test_epi64_mask((__m512i)(mask), (__m512i)(mask))
#define LANES_f(mask) (unsigned)_mm512_test_epi32_mask((__m512i)(mask), (__m512i)(mask))
#elif HD_LEVEL == 2
#define LANES_d(mask) (unsigned)_mm256_movemask_pd((__m256d)(mask))
#define LANES_f(mask) (unsigned)_mm256_movemask_ps((__m256)(mask))
#else
#define LANES_d(mask) (unsigned)_mm_movemask_pd((__m128d)(mask))
#define LANES_f(mask) (unsigned)_mm_movemask_ps((__m128)(mask))
#endif

/* r[i] of the first elements. The arrays have ASIDE, of which all are computed. */
HD_SHARED void log_add_aside_d(size_t n, const double *top, const double *low, double *r,
                               bool binary)
{
    double high[ASIDE], rest[ASIDE];
    HD_VECTOR
    for (int i = 0; i < ASIDE; i++) {
        const hd_dd g = hd_dd_exp_sum_less_1(top[i], low[i], binary, false);
        high[i] = g.high;
        rest[i] = g.low / (1 + g.high);
    }
    const double scale = binary ? 1.44269504088896340736 : 1;
    for (int i = 0; i < ASIDE; i += ND) {
        vd g, more;
        memcpy(&g, high + i, sizeof g);
        memcpy(&more, rest + i, sizeof more);
        g = (SLEEF_D(log1p, u10)(g) + more) * scale;
        memcpy(r + i, &g, sizeof g);
    }
    for (size_t i = 0; i < n; i++)
        if (hd_log_add_exp_cancels_again(top[i], low[i], high[i]))
            r[i] = hd_log_add_exp_small(top[i], low[i], binary);
}

/* Of floats by libm's functions of doubles, one by one: SLEEF's, with all their bits, take longer. */
static void log_add_aside_f(size_t n, const float *top, const float *low, float *r, bool binary)
{
    for (size_t i = 0; i < n; i++)
        r[i] = (float)hd_log_add_exp_small_f((double)top[i], (double)low[i], binary);
}

#define LOG_ADD(NAME, S, T, N, EXP, SCALE, BINARY, LOG_2, LOG_2_REST)                              \
    /* but where it cancels, of which *bad says so */                                              \
    static inline v##S NAME##_quick(v##S x, v##S y, v##S *top, v##S *low, v##S##i *bad)            \
    {                                                                                              \
        const v##S none = {0};                                                                     \
        const v##S##i first = (v##S##i)(x > y), equal = (v##S##i)(x == y);                         \
        const v##S a = select_##S(first, x, y), b = select_##S(first, y, x);                       \
        const v##S size = a - b, part = size - a, rest = (a - (size - part)) - (b + part);         \
        const v##S e = CALL_##S(EXP, u10)(-size), term = CALL_##S(log1p, u10)(e) * (T)(SCALE);     \
        const v##S full =                                                                          \
            select_##S((v##S##i)(e > none), term - rest * e * (1 - (T)0.5 * e), term);             \
        *top = a;                                                                                  \
        *low = b;                                                                                  \
        *bad = (v##S##i)(MAGNITUDE_##S(a + term) < term) & ~equal & (v##S##i)(a != none);          \
        const v##S r = select_##S(equal, x + LOG_2 + LOG_2_REST, a + full);                        \
        return select_##S((v##S##i)(IS_NAN(x) | IS_NAN(y)), x + y, r);                             \
    }                                                                                              \
    static void NAME(size_t n, void *out, const void *x, const void *y, const void *z)             \
    {                                                                                              \
        (void)z;                                                                                   \
        T top[ASIDE] = {0}, low[ASIDE] = {0}, r[ASIDE], each[2][N];                                \
        size_t at[ASIDE], n_aside = 0, i = 0;                                                      \
        v##S a, b, high, lower;                                                                    \
        v##S##i bad;                                                                               \
        for (; i + N <= n; i += N) {                                                               \
            memcpy(&a, (const T *)x + i, sizeof a);                                                \
            memcpy(&b, (const T *)y + i, sizeof b);                                                \
            a = NAME##_quick(a, b, &high, &lower, &bad);                                           \
            memcpy((T *)out + i, &a, sizeof a);                                                    \
            unsigned left = LANES_##S(bad);                                                        \
            if (left == 0) continue;                                                               \
            memcpy(each[0], &high, sizeof high);                                                   \
            memcpy(each[1], &lower, sizeof lower);                                                 \
            for (; left != 0; left &= left - 1, n_aside++) {                                       \
                const int k = __builtin_ctz(left);                                                 \
                top[n_aside] = each[0][k];                                                         \
                low[n_aside] = each[1][k];                                                         \
                at[n_aside] = i + (size_t)k;                                                       \
            }                                                                                      \
            if (n_aside < ASIDE - N) continue;                                                     \
            log_add_aside_##S(n_aside, top, low, r, BINARY);                                       \
            for (size_t k = 0; k < n_aside; k++) ((T *)out)[at[k]] = r[k];                         \
            n_aside = 0;                                                                           \
        }                                                                                          \
        if (n_aside > 0) log_add_aside_##S(n_aside, top, low, r, BINARY);                          \
        for (size_t k = 0; k < n_aside; k++) ((T *)out)[at[k]] = r[k];                             \
        if (i == n) return;                                                                        \
        T last[3][N] = {{0}}; /* whole vectors, of which the last one's lanes beyond n are 0 */    \
        memcpy(last[0], (const T *)x + i, (n - i) * sizeof(T));                                    \
        memcpy(last[1], (const T *)y + i, (n - i) * sizeof(T));                                    \
        NAME(N, last[2], last[0], last[1], NULL);                                                  \
        memcpy((T *)out + i, last[2], (n - i) * sizeof(T));                                        \
    }
LOG_ADD(f64_LOGADDEXP, d, double, ND, exp, 1, false, 0.693147180559945309417,
        2.3190468138462996e-17)
LOG_ADD(f32_LOGADDEXP, f, float, NF, exp, 1, false, 0.693147180559945309417F,
        -1.9046542121259336e-09F)
LOG_ADD(f64_LOGADDEXP2, d, double, ND, exp2, 1.44269504088896340736, true, 1, 0)
LOG_ADD(f32_LOGADDEXP2, f, float, NF, exp2, 1.44269504088896340736, true, 1, 0)

#endif
