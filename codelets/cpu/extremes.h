/* The larger and the smaller one of two vectors, for halving.c alone, which defines the types part<BYTES> of HD_KIND and SELECT: the first of
 * equal ones; NaN if one is (hd_maximum, hd_minimum), or only if both are (hd_fmax, hd_fmin). Of floating numbers a processor's instruction gives its second operand
 * if one is NaN, so that but one of them is looked at; compilers look at both, and at their order. */
#ifndef HEDDLE_CODELETS_CPU_EXTREMES_H
#define HEDDLE_CODELETS_CPU_EXTREMES_H

#if HD_KIND == HD_F
#if HD_BYTES == 8
#define REAL(NAME) NAME##_pd
#define REALS(V) V##d
#else
#define REAL(NAME) NAME##_ps
#define REALS(V) V
#endif

/* b where `of` is NaN, elsewhere the larger or the smaller one; a if they are equal. */
#define EXTREME_OF(W, V, NAME, TWO, OF, BLEND)                                                     \
    static inline part##W NAME##_##W(part##W x, part##W y)                                         \
    {                                                                                              \
        const REALS(V) a = (REALS(V))x, b = (REALS(V))y, t = REAL(TWO)(b, a);                      \
        return (part##W)BLEND(t, b, OF);                                                           \
    }
#define EXTREMES_OF(W, V, P, BLEND)                                                                \
    EXTREME_OF(W, V, maximum, P##_max, b, BLEND)                                                   \
    EXTREME_OF(W, V, minimum, P##_min, b, BLEND)                                                   \
    EXTREME_OF(W, V, fmax, P##_max, a, BLEND)                                                      \
    EXTREME_OF(W, V, fmin, P##_min, a, BLEND)
#define BLEND_16(t, b, of) REAL(_mm_blendv)(t, b, REAL(_mm_cmpunord)(of, of))
EXTREMES_OF(16, __m128, _mm, BLEND_16)
#if HD_WIDTH >= 32
#define BLEND_32(t, b, of) REAL(_mm256_blendv)(t, b, REAL(_mm256_cmp)(of, of, _CMP_UNORD_Q))
EXTREMES_OF(32, __m256, _mm256, BLEND_32)
#define EXTREME_32(NAME)                                                                           \
    part32:                                                                                        \
    NAME##_32,
#else
#define EXTREME_32(NAME)
#endif
#if HD_WIDTH >= 64
#if HD_BYTES == 8
#define NAN_64(of) _mm512_cmp_pd_mask(of, of, _CMP_UNORD_Q)
#else
#define NAN_64(of) _mm512_cmp_ps_mask(of, of, _CMP_UNORD_Q)
#endif
#define BLEND_64(t, b, of) REAL(_mm512_mask_mov)(t, NAN_64(of), b)
EXTREMES_OF(64, __m512, _mm512, BLEND_64)
#define EXTREME_64(NAME)                                                                           \
    part64:                                                                                        \
    NAME##_64,
#else
#define EXTREME_64(NAME)
#endif

/* Few elements that have no register of their own. */
#define EXTREME_FEW(W, NAME, ORDER, OF)                                                            \
    static inline part##W NAME##_##W(part##W x, part##W y)                                         \
    {                                                                                              \
        return SELECT((x ORDER y) | (OF != OF), x, y);                                             \
    }
#define EXTREMES_FEW(W)                                                                            \
    EXTREME_FEW(W, maximum, >=, x)                                                                 \
    EXTREME_FEW(W, minimum, <=, x)                                                                 \
    EXTREME_FEW(W, fmax, >=, y)                                                                    \
    EXTREME_FEW(W, fmin, <=, y)
EXTREMES_FEW(8)
#if HD_BYTES == 4
EXTREMES_FEW(4)
#define EXTREME_4(NAME)                                                                            \
    part4:                                                                                         \
    NAME##_4,
#else
#define EXTREME_4(NAME)
#endif
#define EXTREME(NAME, x, y)                                                                        \
    _Generic((x), EXTREME_64(NAME) EXTREME_32(NAME) EXTREME_4(NAME) part16                         \
             : NAME##_16, part8                                                                    \
             : NAME##_8)(x, y)
#define hd_maximum(x, y) EXTREME(maximum, x, y)
#define hd_minimum(x, y) EXTREME(minimum, x, y)
#define hd_fmax(x, y) EXTREME(fmax, x, y)
#define hd_fmin(x, y) EXTREME(fmin, x, y)
#else
#define hd_maximum(x, y) SELECT((x) >= (y), x, y)
#define hd_minimum(x, y) SELECT((x) <= (y), x, y)
#define hd_fmax(x, y) hd_maximum(x, y)
#define hd_fmin(x, y) hd_minimum(x, y)
#endif

#endif
