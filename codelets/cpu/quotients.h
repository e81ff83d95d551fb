/* fmod and Python's quotient and remainder of vectors, to the bits of scalar_real.h: of ordinary quotients they are two fused
 * multiplications, and each other element's is libm's. Only for processors that fuse. Included by elementary.c only.
 * Defines fmod_d, remainder_d and floor_divide_d of x and y, fmod_of_d, remainder_of_d and floor_divide_of_d of x, y and about |x| / |y|, and those of f; and
 * LOOP_BY. */
#ifndef HEDDLE_CODELETS_CPU_QUOTIENTS_H
#define HEDDLE_CODELETS_CPU_QUOTIENTS_H

ONE_PAIR(remainder, REMAINDER)
ONE_PAIR(floor_divide, FLOOR_DIVIDE)

/* Of |x|, |y| and a quotient of them whose error is below a half: q = trunc(|x| / |y|), and |x| - q |y|. The first q may be one too small or too large. What is left
 * by one that is too small is rounded, but not to below |y|, so that it shows; with the right q nothing is rounded, as it is a multiple of the smaller unit and not
 * above |y|. Ordinary are quotients below MOST: others are no numbers, too, or of an infinite y.
 *
 * Python's quotient is q with a sign, and one further down where signs differ and something is left; scalar_real.h comes to the same: its rounded quotient is less
 * than a half away from that. */
#define QUOTIENTS(S, T, FMOD, MOST)                                                                \
    static inline v##S rest_##S(v##S size, v##S by, v##S quotient, v##S *whole)                    \
    {                                                                                              \
        const v##S none = {0}, one = none + 1, q = TO_ZERO_##S(quotient);                          \
        const v##S r = FMA_##S(-q, by, size);                                                      \
        *whole = select_##S((v##S##i)(r < none), q - one, q);                                      \
        *whole = select_##S((v##S##i)(r >= by), q + one, *whole);                                  \
        return FMA_##S(-*whole, by, size);                                                         \
    }                                                                                              \
    static inline v##S quotient_##S(v##S x, v##S y)                                                \
    {                                                                                              \
        const v##S by = MAGNITUDE_##S(y);                                                          \
        return MAGNITUDE_##S(x) / by + (by - by);                                                  \
    }                                                                                              \
    static inline v##S##i differ_##S(v##S x, v##S y)                                               \
    {                                                                                              \
        const v##S##i none = {0};                                                                  \
        return ((v##S##i)x ^ (v##S##i)y) < none;                                                   \
    }                                                                                              \
    static inline v##S fmod_of_##S(v##S x, v##S y, v##S quotient)                                  \
    {                                                                                              \
        v##S q;                                                                                    \
        const v##S r = rest_##S(MAGNITUDE_##S(x), MAGNITUDE_##S(y), quotient, &q);                 \
        return one_by_one_##S(~(v##S##i)(quotient < (MOST)), x, y, SIGNED_##S(r, x), FMOD);        \
    }                                                                                              \
    static inline v##S remainder_of_##S(v##S x, v##S y, v##S quotient)                             \
    {                                                                                              \
        const v##S none = {0};                                                                     \
        v##S q;                                                                                    \
        const v##S r = rest_##S(MAGNITUDE_##S(x), MAGNITUDE_##S(y), quotient, &q);                 \
        v##S mod = SIGNED_##S(r, x);                                                               \
        mod = select_##S(differ_##S(x, y), mod + y, mod);                                          \
        mod = select_##S((v##S##i)(r == none), SIGNED_##S(none, y), mod);                          \
        return one_by_one_##S(~(v##S##i)(quotient < (MOST)), x, y, mod, remainder_one_##S);        \
    }                                                                                              \
    static inline v##S floor_divide_of_##S(v##S x, v##S y, v##S quotient)                          \
    {                                                                                              \
        const v##S none = {0};                                                                     \
        v##S q;                                                                                    \
        const v##S r = rest_##S(MAGNITUDE_##S(x), MAGNITUDE_##S(y), quotient, &q);                 \
        q = select_##S(differ_##S(x, y) & (v##S##i)(r != none), q + 1, q);                         \
        q = SIGNED_##S(q, (v##S)((v##S##i)x ^ (v##S##i)y));                                        \
        return one_by_one_##S(~(v##S##i)(quotient < (MOST)), x, y, q, floor_divide_one_##S);       \
    }
QUOTIENTS(d, double, fmod, 0x1p51)
QUOTIENTS(f, float, fmodf, 0x1p22F)
#define fmod_d(x, y) fmod_of_d(x, y, quotient_d(x, y))
#define fmod_f(x, y) fmod_of_f(x, y, quotient_f(x, y))
#define remainder_d(x, y) remainder_of_d(x, y, quotient_d(x, y))
#define remainder_f(x, y) remainder_of_f(x, y, quotient_f(x, y))
#define floor_divide_d(x, y) floor_divide_of_d(x, y, quotient_d(x, y))
#define floor_divide_f(x, y) floor_divide_of_f(x, y, quotient_f(x, y))

/* Of y, one number, whose reciprocal is computed once. */
#define LOOP_BY(NAME, T, V, N, F, MAGNITUDE)                                                       \
    static void NAME(size_t n, void *out, const void *x, const void *y, const void *z)             \
    {                                                                                              \
        (void)z;                                                                                   \
        const T divisor = *(const T *)y, reciprocal = 1 / divisor;                                 \
        const V by = divisor - (V){0}; /* a zero keeps its sign */                                 \
        const V inverse = MAGNITUDE((V){0} + (reciprocal == 0 ? (T)NAN : reciprocal));             \
        size_t i = 0;                                                                              \
        V a;                                                                                       \
        for (; i + N <= n; i += N) {                                                               \
            memcpy(&a, (const T *)x + i, sizeof a);                                                \
            a = F(a, by, MAGNITUDE(a) * inverse);                                                  \
            memcpy((T *)out + i, &a, sizeof a);                                                    \
        }                                                                                          \
        if (i == n) return;                                                                        \
        memset(&a, 0, sizeof a);                                                                   \
        memcpy(&a, (const T *)x + i, (n - i) * sizeof(T));                                         \
        a = F(a, by, MAGNITUDE(a) * inverse);                                                      \
        memcpy((T *)out + i, &a, (n - i) * sizeof(T));                                             \
    }

#endif
