/* Casts of float16 and bfloat16 for one instruction set (HD_ISA). Entry point: heddle__block_halves_<isa>. */
#include "base/half.h"
#include "cpu/blocks.h"
#include "cpu/loops.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

typedef uint16_t half;

#define CAST(name, From, To, function)                                                             \
    static void name(size_t n, void *out, const void *x, const void *y, const void *z)             \
    {                                                                                              \
        (void)y, (void)z;                                                                          \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) ((To *)out)[i] = function(((const From *)x)[i]);            \
    }

CAST(bfloat16_to_float, half, float, hd_bfloat16_to_float)
CAST(bfloat16_of_float, float, half, hd_bfloat16_of_float)
CAST(bfloat16_of_double, double, half, hd_bfloat16_of_double)
CAST(float16_of_double, double, half, hd_float16_of_double)

#ifdef __F16C__
#ifdef __AVX512F__
enum { WIDE = 16 };
static inline void widen(float *to, const half *from)
{
    _mm512_storeu_ps(to, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)from)));
}
static inline void narrow(half *to, const float *from)
{
    _mm256_storeu_si256((void *)to,
                        _mm512_cvtps_ph(_mm512_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
}
#else
enum { WIDE = 8 };
static inline void widen(float *to, const half *from)
{
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const void *)from)));
}
static inline void narrow(half *to, const float *from)
{
    _mm_storeu_si128((void *)to, _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT));
}
#endif

static void float16_to_float(size_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)y, (void)z;
    const half *from = x;
    float *to = out;
    size_t i = 0;
    for (; i + WIDE <= n; i += WIDE) widen(to + i, from + i);
    for (; i < n; i++) to[i] = hd_float16_to_float(from[i]);
}

static void float16_of_float(size_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)y, (void)z;
    const float *from = x;
    half *to = out;
    size_t i = 0;
    for (; i + WIDE <= n; i += WIDE) narrow(to + i, from + i);
    for (; i < n; i++) to[i] = hd_float16_of_float(from[i]);
}
#else
CAST(float16_to_float, half, float, hd_float16_to_float)
CAST(float16_of_float, float, half, hd_float16_of_float)
#endif

extern const struct heddle__block_halves HD_PASTE(heddle__block_, halves, HD_ISA);
const struct heddle__block_halves HD_PASTE(heddle__block_, halves, HD_ISA) = {
    .to_float = {float16_to_float, bfloat16_to_float},
    .of_float = {float16_of_float, bfloat16_of_float},
    .of_double = {float16_of_double, bfloat16_of_double},
};
