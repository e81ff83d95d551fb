/* Strided copies into and out of blocks, and copies past the caches, for one instruction set (HD_ISA).
 * Entry point: heddle__block_moves_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"
#include "cpu/picks.h"
#include "cpu/places.h"

#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

struct element16 {
    uint64_t part[2];
};

/* Strides that vector code does well get loops of their own. */
#define MOVES(T, SIZE)                                                                             \
    static void gather_##SIZE(size_t n, void *out_, const void *x_, int64_t stride)                \
    {                                                                                              \
        T *out = out_;                                                                             \
        const T *x = x_;                                                                           \
        if (stride == 1) {                                                                         \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[i];                                          \
        } else if (stride == 0) {                                                                  \
            const T value = x[0];                                                                  \
            for (size_t i = 0; i < n; i++) out[i] = value;                                         \
        } else if (stride == -1) {                                                                 \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[-(int64_t)i];                                \
        } else if (pick_strided(n, SIZE, out, x, stride)) {                                        \
            return;                                                                                \
        } else if (stride == 2) {                                                                  \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[2 * i];                                      \
        } else if (stride == 3) {                                                                  \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[3 * i];                                      \
        } else if (stride == 4) {                                                                  \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[4 * i];                                      \
        } else {                                                                                   \
            for (size_t i = 0; i < n; i++, x += stride) out[i] = x[0];                             \
        }                                                                                          \
    }                                                                                              \
    static void scatter_##SIZE(size_t n, void *out_, const void *x_, int64_t stride)               \
    {                                                                                              \
        T *out = out_;                                                                             \
        const T *x = x_;                                                                           \
        if (stride == 1) {                                                                         \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < n; i++) out[i] = x[i];                                          \
        } else {                                                                                   \
            for (size_t i = 0; i < n; i++, out += stride) out[0] = x[i];                           \
        }                                                                                          \
    }

/* Each number of fields has a loop of its own, which vector code does well. */
#define WEAVE(T, SIZE)                                                                             \
    static void weave_##SIZE(size_t m, int n, void *out_, const void *const x[])                   \
    {                                                                                              \
        T *out = out_;                                                                             \
        const T *a = x[0], *b = x[1], *c = x[n > 2 ? 2 : 1], *d = x[n - 1];                        \
        if (n == 2) {                                                                              \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < m; i++) {                                                       \
                out[2 * i] = a[i];                                                                 \
                out[2 * i + 1] = b[i];                                                             \
            }                                                                                      \
        } else if (n == 3) {                                                                       \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < m; i++) {                                                       \
                out[3 * i] = a[i];                                                                 \
                out[3 * i + 1] = b[i];                                                             \
                out[3 * i + 2] = c[i];                                                             \
            }                                                                                      \
        } else {                                                                                   \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < m; i++) {                                                       \
                out[4 * i] = a[i];                                                                 \
                out[4 * i + 1] = b[i];                                                             \
                out[4 * i + 2] = c[i];                                                             \
                out[4 * i + 3] = d[i];                                                             \
            }                                                                                      \
        }                                                                                          \
    }
WEAVE(uint8_t, 1)
WEAVE(uint16_t, 2)
WEAVE(uint32_t, 4)
WEAVE(uint64_t, 8)

/* What a table has for each byte. Not HD_VECTOR: loads of 16 addresses at once take longer than 16 loads. */
#define LOOKUP(T, SIZE)                                                                            \
    static void lookup_##SIZE(size_t n, void *out, const void *x_, const void *y, const void *z)   \
    {                                                                                              \
        (void)z;                                                                                   \
        const uint8_t *x = x_;                                                                     \
        for (size_t i = 0; i < n; i++) ((T *)out)[i] = ((const T *)y)[x[i]];                       \
    }

CHECKED(32)
CHECKED(64)

MOVES(uint8_t, 1)
MOVES(uint16_t, 2)
MOVES(uint32_t, 4)
MOVES(uint64_t, 8)
MOVES(struct element16, 16)
LOOKUP(uint8_t, 1)
LOOKUP(uint16_t, 2)
LOOKUP(uint32_t, 4)
LOOKUP(uint64_t, 8)
LOOKUP(struct element16, 16)
LOAD_AT(uint8_t, 1)
LOAD_AT(uint16_t, 2)
LOAD_AT(uint32_t, 4)
LOAD_AT(uint64_t, 8)
LOAD_AT(struct element16, 16)

#if defined(__AVX512BW__)
/* The table in four registers: two permutations, each of one half, and the byte's highest bit chooses. */
__attribute__((target("avx512vbmi"))) static void permute(size_t n, uint8_t *out, const uint8_t *x,
                                                          const uint8_t *table)
{
    const __m512i t0 = _mm512_loadu_si512(table), t1 = _mm512_loadu_si512(table + 64),
                  t2 = _mm512_loadu_si512(table + 128), t3 = _mm512_loadu_si512(table + 192);
    for (size_t i = 0; i < n; i += 64) {
        const __mmask64 some = n - i < 64 ? ~UINT64_C(0) >> (64 - (n - i)) : ~UINT64_C(0);
        const __m512i at = _mm512_maskz_loadu_epi8(some, x + i),
                      low = _mm512_permutex2var_epi8(t0, at, t1),
                      high = _mm512_permutex2var_epi8(t2, at, t3);
        _mm512_mask_storeu_epi8(out + i, some,
                                _mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low, high));
    }
}

static void lookup_bytes(size_t n, void *out, const void *x, const void *y, const void *z)
{
    if (__builtin_cpu_supports("avx512vbmi"))
        permute(n, out, x, y);
    else
        lookup_1(n, out, x, y, z);
}
#elif defined(__AVX2__)
/* The table in pieces of 16, each looked into for all bytes: a shuffle gives 0 for a number whose highest bit is set, and 0x70 more, at
 * most 0xff, sets it in all but 0..15. */
static void lookup_bytes(size_t n, void *out, const void *x, const void *y, const void *z)
{
    enum { VECTORS = 4, EACH = VECTORS * 32 };
    const __m256i past = _mm256_set1_epi8(0x70), piece = _mm256_set1_epi8(16);
    size_t i = 0;
    for (; i + EACH <= n; i += EACH) {
        const __m256i *from = (const __m256i *)((const uint8_t *)x + i);
        __m256i *to = (__m256i *)((uint8_t *)out + i), at[VECTORS], found[VECTORS];
        HD_UNROLL for (int v = 0; v < VECTORS; v++)
        {
            at[v] = _mm256_loadu_si256(from + v);
            found[v] = _mm256_setzero_si256();
        }
        for (int k = 0; k < 16; k++) {
            const __m256i table =
                _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)y + k));
            HD_UNROLL for (int v = 0; v < VECTORS; v++)
            {
                found[v] = _mm256_or_si256(
                    found[v], _mm256_shuffle_epi8(table, _mm256_adds_epu8(at[v], past)));
                at[v] = _mm256_sub_epi8(at[v], piece);
            }
        }
        HD_UNROLL for (int v = 0; v < VECTORS; v++) _mm256_storeu_si256(to + v, found[v]);
    }
    lookup_1(n - i, (uint8_t *)out + i, (const uint8_t *)x + i, y, z);
}
#else
#define lookup_bytes lookup_1
#endif

/* ---- what lies across ---------------------------------------------------------------------------- */

/* Turned over one by one. */
#define TURN_EACH(T, SIZE)                                                                         \
    static void turn_each_##SIZE(size_t n, size_t m, T *out, int64_t out_stride, const T *x,       \
                                 int64_t stride)                                                   \
    {                                                                                              \
        for (size_t j = 0; j < m; j++)                                                             \
            for (size_t i = 0; i < n; i++)                                                         \
                out[(int64_t)i * out_stride + (int64_t)j] = x[(int64_t)j * stride + (int64_t)i];   \
    }

TURN_EACH(uint8_t, 1)
TURN_EACH(uint16_t, 2)
TURN_EACH(uint32_t, 4)
TURN_EACH(uint64_t, 8)

static void turn_16(size_t n, size_t m, void *out, int64_t out_stride, const void *x,
                    int64_t stride)
{
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < n; i++)
            ((struct element16 *)out)[(int64_t)i * out_stride + (int64_t)j] =
                ((const struct element16 *)x)[(int64_t)j * stride + (int64_t)i];
}

/* Two to four runs, element by element side by side. */
#define MERGE_SOME(T, M)                                                                           \
    HD_VECTOR                                                                                      \
    for (size_t i = 0; i < n; i++)                                                                 \
        for (int j = 0; j < (M); j++) out[i * (M) + (size_t)j] = x[j * stride + (int64_t)i];
#define MERGE(T, SIZE)                                                                             \
    static void merge_##SIZE(size_t n, size_t m, T *out, const T *x, int64_t stride)               \
    {                                                                                              \
        if (m == 2) {                                                                              \
            MERGE_SOME(T, 2)                                                                       \
        } else if (m == 3) {                                                                       \
            MERGE_SOME(T, 3)                                                                       \
        } else {                                                                                   \
            MERGE_SOME(T, 4)                                                                       \
        }                                                                                          \
    }

MERGE(uint8_t, 1)
MERGE(uint16_t, 2)
MERGE(uint32_t, 4)
MERGE(uint64_t, 8)

/* Squares of N elements in as many registers: each round interleaves the first half of them with the second. Of N runs
 * all elements are read before the next N runs are, and so each cache line while it is near. Short runs that lie far apart
 * no processor fetches by itself before they are read. */
enum { AHEAD = 64 /* runs */, FEW_LINES = 4 };
/* What squares of N elements make of n by m, and REST of what is left of it. */
#define TURN_BY(NAME, T, SIZE, N, SQUARE, REST)                                                    \
    static void NAME(size_t n, size_t m, T *out, int64_t out_stride, const T *x, int64_t stride)   \
    {                                                                                              \
        const size_t n_whole = n / (N) * (N), m_whole = m / (N) * (N);                             \
        for (size_t j = 0; j < m_whole; j += (N)) {                                                \
            const T *from = x + (int64_t)j * stride;                                               \
            for (int q = 0; q < (N) && n * (SIZE) <= FEW_LINES * HEDDLE_CACHE_LINE; q++)           \
                for (size_t i = 0; i < n; i += HEDDLE_CACHE_LINE / (SIZE))                         \
                    __builtin_prefetch(from + (AHEAD + q) * stride + i);                           \
            for (size_t i = 0; i < n_whole; i += (N))                                              \
                SQUARE(out + (int64_t)i * out_stride + j, out_stride, from + i, stride);           \
            if (n > n_whole)                                                                       \
                REST(n - n_whole, (N), out + (int64_t)n_whole * out_stride + j, out_stride,        \
                     from + n_whole, stride);                                                      \
        }                                                                                          \
        REST(n, m - m_whole, out + m_whole, out_stride, x + (int64_t)m_whole * stride, stride);    \
    }

#ifdef __SSE2__
#define TURN_SQUARES(T, SIZE, N, BITS)                                                             \
    static inline void turn_square_##SIZE(T *out, int64_t out_stride, const T *x, int64_t stride)  \
    {                                                                                              \
        __m128i a[N], b[N];                                                                        \
        for (int j = 0; j < (N); j++) a[j] = _mm_loadu_si128((const void *)(x + j * stride));      \
        for (int half = 1; half < (N); half *= 2) {                                                \
            for (int j = 0; j < (N) / 2; j++) {                                                    \
                b[2 * j] = _mm_unpacklo_epi##BITS(a[j], a[j + (N) / 2]);                           \
                b[2 * j + 1] = _mm_unpackhi_epi##BITS(a[j], a[j + (N) / 2]);                       \
            }                                                                                      \
            for (int j = 0; j < (N); j++) a[j] = b[j];                                             \
        }                                                                                          \
        for (int i = 0; i < (N); i++) _mm_storeu_si128((void *)(out + i * out_stride), a[i]);      \
    }                                                                                              \
    TURN_BY(turn_squares_##SIZE, T, SIZE, N, turn_square_##SIZE, turn_each_##SIZE)

TURN_SQUARES(uint8_t, 1, 16, 8)
TURN_SQUARES(uint16_t, 2, 8, 16)
TURN_SQUARES(uint32_t, 4, 4, 32)
TURN_SQUARES(uint64_t, 8, 2, 64)
#else
#define turn_squares_1 turn_each_1
#define turn_squares_2 turn_each_2
#define turn_squares_4 turn_each_4
#define turn_squares_8 turn_each_8
#endif

/* Squares of wide registers first, for each of which whole lines, or halves of them, are read and written once: how far they lie apart,
 * and so in which sets of the cache, matters little. */
#ifdef __SSE2__
#include "cpu/squares.h"
#endif
#ifdef __AVX2__
TURN_BY(turn_wide_4, uint32_t, 4, WIDE_SQUARE / 4, wide_square_4, turn_squares_4)
TURN_BY(turn_wide_8, uint64_t, 8, WIDE_SQUARE / 8, wide_square_8, turn_squares_8)
#else
#define turn_wide_4 turn_squares_4
#define turn_wide_8 turn_squares_8
#endif
#include "cpu/columns.h"
#define turn_wide_1 turn_squares_1
#define turn_wide_2 turn_squares_2

#ifdef __SSE2__
/* Rows that are shorter than a cache line. False: they are not. */
static bool turn_columns(size_t size, size_t n, size_t m, void *out, int64_t out_stride,
                         const void *x, int64_t stride)
{
    void *row[HEDDLE_COLUMNS];
    int64_t at[HEDDLE_COLUMNS];
    if (size < 4 || n < 2 || n * size >= HEDDLE_CACHE_LINE || stride <= 0) return false;
    for (size_t i = 0; i < n; i++) {
        row[i] = (char *)out + (int64_t)(i * size) * out_stride;
        at[i] = (int64_t)i;
    }
    (size == 4 ? columns_4 : columns_8)(m, (int)n, row, at, x, stride);
    return true;
}
#else
#define columns_8 NULL
#define turn_columns(size, n, m, out, out_stride, x, stride) false
#endif

/* Steps that vector code does well, of bytes and pairs of them by permutations. */
#define GATHERED(SIZE) ((SIZE) <= 2 ? 16 / (SIZE)-1 : (SIZE) == 4 ? 3 : 2)
#define TURN(T, SIZE)                                                                              \
    static void turn_##SIZE(size_t n, size_t m, void *out_, int64_t out_stride, const void *x_,    \
                            int64_t stride)                                                        \
    {                                                                                              \
        T *out = out_;                                                                             \
        const T *x = x_;                                                                           \
        if (m >= 2 && m <= 4 && out_stride == (int64_t)m) {                                        \
            merge_##SIZE(n, m, out, x, stride);                                                    \
        } else if (stride > 0 && stride <= GATHERED(SIZE)) {                                       \
            for (size_t i = 0; i < n; i++)                                                         \
                gather_##SIZE(m, out + (int64_t)i * out_stride, x + i, stride);                    \
        } else if (!turn_columns(SIZE, n, m, out, out_stride, x, stride)) {                        \
            turn_wide_##SIZE(n, m, out, out_stride, x, stride);                                    \
        }                                                                                          \
    }

TURN(uint8_t, 1)
TURN(uint16_t, 2)
TURN(uint32_t, 4)
TURN(uint64_t, 8)

/* ---- registers ----------------------------------------------------------------------------------- */

#if defined(__AVX512F__)
typedef __m512i wide;
#define LOAD(x) _mm512_loadu_si512(x)
#define STREAM(out, v) _mm512_stream_si512(out, v)
#elif defined(__AVX__)
typedef __m256i wide;
#define LOAD(x) _mm256_loadu_si256(x)
#define STREAM(out, v) _mm256_stream_si256(out, v)
#elif defined(__SSE2__)
typedef __m128i wide;
#define LOAD(x) _mm_loadu_si128(x)
#define STREAM(out, v) _mm_stream_si128(out, v)
#endif

#ifdef STREAM
enum { WIDTH = sizeof(wide) };
#else
enum { WIDTH = 16 };
#endif

/* ---- one after the other ------------------------------------------------------------------------ */

/* The last vector of a run may overlap the one before. */
#define REPEAT_BY(T, BYTES)                                                                        \
    {                                                                                              \
        typedef T vector __attribute__((vector_size(BYTES), aligned(sizeof(T)), may_alias));       \
        const size_t last = m - BYTES / sizeof(T);                                                 \
        for (size_t i = 0; i < n; i++, x += step, out += pad) {                                    \
            const vector all = (vector){0} + x[0];                                                 \
            for (size_t j = 0; j < last; j += BYTES / sizeof(T)) *(vector *)(out + j) = all;       \
            *(vector *)(out + last) = all;                                                         \
        }                                                                                          \
    }
#define REPEAT(T, SIZE)                                                                            \
    static void repeat_##SIZE(size_t n, size_t m, void *out_, int64_t pad, const void *x_,         \
                              int64_t step)                                                        \
    {                                                                                              \
        T *out = out_;                                                                             \
        const T *x = x_;                                                                           \
        if (m * (SIZE) >= WIDTH)                                                                   \
            REPEAT_BY(T, WIDTH)                                                                    \
        else if (m * (SIZE) >= 16)                                                                 \
            REPEAT_BY(T, 16)                                                                       \
        else                                                                                       \
            for (size_t i = 0; i < n; i++, x += step, out += pad)                                  \
                for (size_t j = 0; j < m; j++) out[j] = x[0];                                      \
    }

REPEAT(uint8_t, 1)
REPEAT(uint16_t, 2)
REPEAT(uint32_t, 4)
REPEAT(uint64_t, 8)

static void repeat_16(size_t n, size_t m, void *out_, int64_t pad, const void *x_, int64_t step)
{
    struct element16 *out = out_;
    const struct element16 *x = x_;
    for (size_t i = 0; i < n; i++, x += step, out += pad)
        for (size_t j = 0; j < m; j++) out[j] = x[0];
}

static void iota(size_t n, int64_t *out, int64_t first, int64_t step)
{
    for (size_t i = 0; i < n; i++) out[i] = first + (int64_t)i * step;
}

/* ---- past the caches ---------------------------------------------------------------------------- */

#ifdef STREAM
/* Whole cache lines; what is before and after them goes through the caches. */
static void stream(size_t size_bytes, void *out, const void *x)
{
    char *to = out;
    const char *from = x;
    size_t before = (HEDDLE_CACHE_LINE - (uintptr_t)to % HEDDLE_CACHE_LINE) % HEDDLE_CACHE_LINE;
    if (before > size_bytes) before = size_bytes;
    memcpy(to, from, before);
    const size_t after = (size_bytes - before) % HEDDLE_CACHE_LINE, end = size_bytes - after;
    for (size_t at = before; at < end; at += sizeof(wide))
        STREAM((wide *)(void *)(to + at), LOAD((const void *)(from + at)));
    memcpy(to + end, from + end, after);
}

static void settle(void)
{
    _mm_sfence();
}
#else
static void stream(size_t size_bytes, void *out, const void *x)
{
    memcpy(out, x, size_bytes);
}

static void settle(void) {}
#endif

extern const struct heddle__block_moves HD_PASTE(heddle__block_, moves, HD_ISA);
const struct heddle__block_moves HD_PASTE(heddle__block_, moves, HD_ISA) = {
    .gather = {gather_1, gather_2, gather_4, gather_8, gather_16},
    .scatter = {scatter_1, scatter_2, scatter_4, scatter_8, scatter_16},
    .turn = {turn_1, turn_2, turn_4, turn_8, turn_16},
    .columns = {split_columns_1, split_columns_2, columns_of_4, columns_8, NULL},
    .weave = {weave_1, weave_2, weave_4, weave_8, NULL},
    .repeat = {repeat_1, repeat_2, repeat_4, repeat_8, repeat_16},
    .pick = pick_groups,
    .lookup = {lookup_bytes, lookup_2, lookup_4, lookup_8, lookup_16},
    .load_at = {load_at_1, load_at_2, load_at_4, load_at_8, load_at_16},
    .checked = {checked_32, checked_64},
    .iota = iota,
    .stream = stream,
    .settle = settle,
};
