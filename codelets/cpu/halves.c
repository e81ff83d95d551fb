/* Casts of float16 and bfloat16, and operations on them, for one instruction set (HD_ISA). Entry point: heddle__block_halves_<isa>. */
#include "base/half.h"
#include "cpu/blocks.h"
#include "cpu/loops.h"

#include <string.h>

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
/* ---- Vectors of floats ------------------------------------------------------------------------------ */

#ifdef __AVX512F__
enum { WIDE = 16 };
typedef __m512 floats;
static inline floats read_floats(const float *x)
{
    return _mm512_loadu_ps(x);
}
static inline void write_floats(float *to, floats x)
{
    _mm512_storeu_ps(to, x);
}
static inline floats spread(float x)
{
    return _mm512_set1_ps(x);
}
static inline floats float16_load(const half *x)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)x));
}
static inline void float16_store(half *to, floats x)
{
    _mm256_storeu_si256((void *)to, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
static inline floats bfloat16_load(const half *x)
{
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)x));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
static inline void bfloat16_store(half *to, floats x)
{
    const __m512i u = _mm512_castps_si512(x), high = _mm512_srli_epi32(u, 16),
                  even = _mm512_and_si512(high, _mm512_set1_epi32(1)),
                  up = _mm512_add_epi32(u, _mm512_add_epi32(even, _mm512_set1_epi32(0x7fff))),
                  nan = _mm512_or_si512(high, _mm512_set1_epi32(0x40));
    const __m512i r = _mm512_mask_mov_epi32(_mm512_srli_epi32(up, 16),
                                            _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), nan);
    _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16(r));
}
static inline floats root(floats x)
{
    return _mm512_sqrt_ps(x);
}
/* as hd_maximum, hd_minimum */
static inline floats largest(floats x, floats y)
{
    const __mmask16 first =
        _mm512_cmp_ps_mask(x, y, _CMP_GE_OQ) | _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    return _mm512_mask_blend_ps(first, y, x);
}
static inline floats least(floats x, floats y)
{
    const __mmask16 first =
        _mm512_cmp_ps_mask(x, y, _CMP_LE_OQ) | _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    return _mm512_mask_blend_ps(first, y, x);
}
#else
enum { WIDE = 8 };
typedef __m256 floats;
static inline floats read_floats(const float *x)
{
    return _mm256_loadu_ps(x);
}
static inline void write_floats(float *to, floats x)
{
    _mm256_storeu_ps(to, x);
}
static inline floats spread(float x)
{
    return _mm256_set1_ps(x);
}
static inline floats float16_load(const half *x)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const void *)x));
}
static inline void float16_store(half *to, floats x)
{
    _mm_storeu_si128((void *)to, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
static inline floats bfloat16_load(const half *x)
{
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)x));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
static inline void bfloat16_store(half *to, floats x)
{
    const __m256i u = _mm256_castps_si256(x), high = _mm256_srli_epi32(u, 16),
                  even = _mm256_and_si256(high, _mm256_set1_epi32(1)),
                  up = _mm256_add_epi32(u, _mm256_add_epi32(even, _mm256_set1_epi32(0x7fff))),
                  nan = _mm256_or_si256(high, _mm256_set1_epi32(0x40)),
                  is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)),
                  r = _mm256_blendv_epi8(_mm256_srli_epi32(up, 16), nan, is_nan);
    _mm_storeu_si128((void *)to,
                     _mm_packus_epi32(_mm256_castsi256_si128(r), _mm256_extracti128_si256(r, 1)));
}
static inline floats root(floats x)
{
    return _mm256_sqrt_ps(x);
}
/* as hd_maximum, hd_minimum */
static inline floats largest(floats x, floats y)
{
    const floats first =
        _mm256_or_ps(_mm256_cmp_ps(x, y, _CMP_GE_OQ), _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    return _mm256_blendv_ps(y, x, first);
}
static inline floats least(floats x, floats y)
{
    const floats first =
        _mm256_or_ps(_mm256_cmp_ps(x, y, _CMP_LE_OQ), _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    return _mm256_blendv_ps(y, x, first);
}
#endif

/* ---- Casts ------------------------------------------------------------------------------------------ */

static void float16_to_float(size_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)y, (void)z;
    const half *from = x;
    float *to = out;
    size_t i = 0;
    for (; i + WIDE <= n; i += WIDE) write_floats(to + i, float16_load(from + i));
    for (; i < n; i++) to[i] = hd_float16_to_float(from[i]);
}

static void float16_of_float(size_t n, void *out, const void *x, const void *y, const void *z)
{
    (void)y, (void)z;
    const float *from = x;
    half *to = out;
    size_t i = 0;
    for (; i + WIDE <= n; i += WIDE) float16_store(to + i, read_floats(from + i));
    for (; i < n; i++) to[i] = hd_float16_of_float(from[i]);
}

/* ---- Operations ------------------------------------------------------------------------------------- */

enum operand { EACH, ONE, NO }; /* n halves, one float, none */

/* `a` and `b` are vectors of the operands. What is left of a vector goes by way of arrays. */
#define OPERATION(type, name, X, Y, ...)                                                           \
    static void type##_##name(size_t n, void *out, const void *x, const void *y, const void *z)    \
    {                                                                                              \
        (void)y, (void)z;                                                                          \
        half p[WIDE] = {0}, q[WIDE] = {0}, r[WIDE];                                                \
        const floats one = spread((X) == ONE   ? *(const float *)x                                 \
                                  : (Y) == ONE ? *(const float *)y                                 \
                                               : 0);                                               \
        for (size_t i = 0; i < n; i += WIDE) {                                                     \
            const half *from_x = (X) == EACH ? (const half *)x + i : p,                            \
                       *from_y = (Y) == EACH ? (const half *)y + i : q;                            \
            half *to = (half *)out + i;                                                            \
            const size_t left = n - i;                                                             \
            if (left < WIDE) {                                                                     \
                if ((X) == EACH) memcpy(p, from_x, left * sizeof *p);                              \
                if ((Y) == EACH) memcpy(q, from_y, left * sizeof *q);                              \
                from_x = p, from_y = q, to = r;                                                    \
            }                                                                                      \
            const floats a = (X) == ONE ? one : type##_load(from_x),                               \
                         b = (Y) == ONE ? one : type##_load(from_y);                               \
            (void)b;                                                                               \
            type##_store(to, __VA_ARGS__);                                                         \
            if (left < WIDE) memcpy((half *)out + i, r, left * sizeof *r);                         \
        }                                                                                          \
    }
#define UNARY(name, ...)                                                                           \
    OPERATION(float16, name, EACH, NO, __VA_ARGS__)                                                \
    OPERATION(bfloat16, name, EACH, NO, __VA_ARGS__)
#define BINARY(name, ...)                                                                          \
    OPERATION(float16, name, EACH, EACH, __VA_ARGS__)                                              \
    OPERATION(float16, name##_by, EACH, ONE, __VA_ARGS__)                                          \
    OPERATION(float16, name##_of, ONE, EACH, __VA_ARGS__)                                          \
    OPERATION(bfloat16, name, EACH, EACH, __VA_ARGS__)                                             \
    OPERATION(bfloat16, name##_by, EACH, ONE, __VA_ARGS__)                                         \
    OPERATION(bfloat16, name##_of, ONE, EACH, __VA_ARGS__)

BINARY(add, a + b)
BINARY(subtract, a - b)
BINARY(multiply, a *b)
BINARY(divide, a / b)
BINARY(maximum, largest(a, b))
BINARY(minimum, least(a, b))
UNARY(square, a *a)
UNARY(reciprocal, spread(1) / a)
UNARY(sqrt, root(a))

#define OF_SIGN(name, EXPRESSION)                                                                  \
    static void name(size_t n, void *out, const void *x_, const void *y, const void *z)            \
    {                                                                                              \
        (void)y, (void)z;                                                                          \
        HD_VECTOR                                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const half x = ((const half *)x_)[i];                                                  \
            ((half *)out)[i] = (half)(EXPRESSION);                                                 \
        }                                                                                          \
    }
OF_SIGN(opposite, x ^ 0x8000)
OF_SIGN(magnitude, x & 0x7fff)

#define ONE_OPERAND(type, ID, name) [HEDDLE_OP_##ID] = {.vector = type##_##name}
#define TWO_OPERANDS(type, ID, name)                                                               \
    [HEDDLE_OP_##ID] = {type##_##name, type##_##name##_by, type##_##name##_of}
#define OPERATIONS(type)                                                                           \
    {                                                                                              \
        TWO_OPERANDS(type, ADD, add), TWO_OPERANDS(type, SUBTRACT, subtract),                      \
            TWO_OPERANDS(type, MULTIPLY, multiply), TWO_OPERANDS(type, DIVIDE, divide),            \
            TWO_OPERANDS(type, MAXIMUM, maximum), TWO_OPERANDS(type, MINIMUM, minimum),            \
            ONE_OPERAND(type, SQUARE, square), ONE_OPERAND(type, RECIPROCAL, reciprocal),          \
            ONE_OPERAND(type, SQRT, sqrt), [HEDDLE_OP_NEGATIVE] = {.vector = opposite},            \
                                           [HEDDLE_OP_ABS] = {.vector = magnitude},                \
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
#ifdef __F16C__
    .ops = {OPERATIONS(float16), OPERATIONS(bfloat16)},
#endif
};
