/* fmod and Python's quotient and remainder of vectors, to the bits of scalar_real.h: of ordinary quotients fmod is one fused
 * multiplication, and each other element's is libm's. Only for processors that fuse. Included by elementary.c only.
 * Defines fmod_d, remainder_d, floor_divide_d, and those of f. */
#ifndef HEDDLE_CODELETS_CPU_QUOTIENTS_H
#define HEDDLE_CODELETS_CPU_QUOTIENTS_H

#if HD_LEVEL == 3
#define TO_ZERO_d(x) _mm512_roundscale_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define TO_ZERO_f(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define DOWN_d(x) _mm512_roundscale_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define DOWN_f(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#else
#define TO_ZERO_d(x) _mm256_round_pd(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define TO_ZERO_f(x) _mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define DOWN_d(x) _mm256_round_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define DOWN_f(x) _mm256_round_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#endif

/* fmod: x - q y of q = trunc(x / y), which is right or one too large while the rounding of x / y is below a half; then it is
 * exact in one step, as it is a multiple of the smaller unit and not above y, and so is the step back. Where q is 0 it is x,
 * beside an infinite y, too. */
#define QUOTIENTS(S, T, FMOD, MOST)                                                                \
    static inline v##S fmod_##S(v##S x, v##S y)                                                    \
    {                                                                                              \
        const v##S none = {0}, quotient = x / y, q = TO_ZERO_##S(quotient);                        \
        v##S r = select_##S((v##S##i)(q == none), x, FMA_##S(-q, y, x));                           \
        const v##S##i beyond = (v##S##i)(r != none) & ((v##S##i)(r < none) ^ (v##S##i)(x < none)); \
        r = select_##S(beyond, r + SIGNED_##S(MAGNITUDE_##S(y), x), r);                            \
        r = SIGNED_##S(MAGNITUDE_##S(r), x);                                                       \
        const v##S##i odd = ~(v##S##i)(MAGNITUDE_##S(quotient) < (MOST));                          \
        return one_by_one_##S(odd, x, y, r, FMOD);                                                 \
    }                                                                                              \
    static inline v##S remainder_##S(v##S x, v##S y)                                               \
    {                                                                                              \
        const v##S none = {0}, mod = fmod_##S(x, y);                                               \
        const v##S##i apart = (v##S##i)(y < none) ^ (v##S##i)(mod < none);                         \
        v##S r = select_##S(apart, mod + y, mod);                                                  \
        r = select_##S((v##S##i)(mod == none), SIGNED_##S(none, y), r);                            \
        return select_##S((v##S##i)(y == none), mod, r);                                           \
    }                                                                                              \
    static inline v##S floor_divide_##S(v##S x, v##S y)                                            \
    {                                                                                              \
        const v##S none = {0}, mod = fmod_##S(x, y), quotient = x / y;                             \
        const v##S##i apart = (v##S##i)(y < none) ^ (v##S##i)(mod < none);                         \
        v##S div = (x - mod) / y;                                                                  \
        div = select_##S((v##S##i)(mod != none) & apart, div - 1, div);                            \
        const v##S floored = DOWN_##S(div);                                                        \
        v##S r = select_##S((v##S##i)(div - floored > (T)0.5), floored + 1, floored);              \
        r = select_##S((v##S##i)(div == none), SIGNED_##S(none, quotient), r);                     \
        return select_##S((v##S##i)(y == none), quotient, r);                                      \
    }
QUOTIENTS(d, double, fmod, 0x1p51)
QUOTIENTS(f, float, fmodf, 0x1p22F)

#endif
