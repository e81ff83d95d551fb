/* Strided copies into and out of blocks, and copies past the caches, for one instruction set (HD_ISA).
 * Entry point: heddle__block_moves_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"

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

MOVES(uint8_t, 1)
MOVES(uint16_t, 2)
MOVES(uint32_t, 4)
MOVES(uint64_t, 8)
MOVES(struct element16, 16)

static void iota(size_t n, int64_t *out, int64_t first, int64_t step)
{
    for (size_t i = 0; i < n; i++) out[i] = first + (int64_t)i * step;
}

/* ---- past the caches ---------------------------------------------------------------------------- */

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
/* Whole cache lines; what is before and after them goes through the caches. */
static void stream(size_t size_bytes, void *out, const void *x)
{
    enum { LINE = 64 };
    char *to = out;
    const char *from = x;
    size_t before = (LINE - (uintptr_t)to % LINE) % LINE;
    if (before > size_bytes) before = size_bytes;
    memcpy(to, from, before);
    const size_t after = (size_bytes - before) % LINE, end = size_bytes - after;
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
    .iota = iota,
    .stream = stream,
    .settle = settle,
};
