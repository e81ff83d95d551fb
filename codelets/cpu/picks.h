/* Groups of bytes that lie close, brought together by permutations of whole registers, for moves.c alone: for one instruction
 * set. A register has several groups; each write goes as far as the register does, and what is too much of it is written again.
 * Entry points: pick_groups, pick_strided. */
#ifndef HEDDLE_CPU_PICKS_H
#define HEDDLE_CPU_PICKS_H

#include "cpu/blocks.h"

#include <string.h>
#ifdef __SSSE3__
#include <immintrin.h>

/* Groups that `window` bytes of x have whole, and for which a register has room. */
static size_t groups_in(size_t window, size_t room, const struct heddle__groups *g)
{
    if (g->span > window) return 0;
    const size_t of_x = (window - g->span) / g->step + 1, of_out = room / g->n;
    return of_x < of_out ? of_x : of_out;
}

/* Bytes of x that are read. */
static size_t end_of(const struct heddle__groups *g)
{
    return (g->count - 1) * g->step + g->span;
}

/* Groups that whole windows have whose writes end in `out`. */
static size_t groups_by(size_t window, size_t room, size_t groups, const struct heddle__groups *g)
{
    const size_t end = end_of(g), bytes = g->count * g->n;
    if (end < window || bytes < room || g->count < groups) return 0;
    size_t times = (end - window) / (groups * g->step) + 1;
    const size_t of_out = (bytes - room) / (groups * g->n) + 1, of_count = g->count / groups;
    if (times > of_out) times = of_out;
    return (times < of_count ? times : of_count) * groups;
}

/* Which bytes of a window go to that many groups, each written over what is too much of the one before. */
enum { PICK_TABLE = 64 + HEDDLE_GROUP / 2 };
static void fill_table(uint8_t table[PICK_TABLE], size_t groups, const struct heddle__groups *g)
{
    const size_t n = g->n, elements = n / g->size;
    uint8_t *at = table;
    for (size_t j = 0; j < elements; j++)
        for (size_t b = 0; b < g->size; b++) *at++ = (uint8_t)(g->from[j] + b);
    for (size_t i = 1; i < groups; i++, at += n) /* the group before, moved on */
        for (size_t p = 0; p < n; p += 16)
            _mm_storeu_si128((void *)(at + p),
                             _mm_add_epi8(_mm_loadu_si128((const void *)(at + p - n)),
                                          _mm_set1_epi8((char)g->step)));
}

static void pick_rest(size_t i, uint8_t *out, const uint8_t *x, const struct heddle__groups *g)
{
    for (; i < g->count; i++)
        for (size_t b = 0; b < g->n; b++)
            out[i * g->n + b] = x[i * g->step + g->from[b / g->size] + b % g->size];
}

static bool pick_by_16(uint8_t *out, const uint8_t *x, const struct heddle__groups *g)
{
    const size_t groups = groups_in(16, 16, g);
    if (groups < 2) return false;
    const size_t whole = groups_by(16, 16, groups, g);
    uint8_t table[PICK_TABLE] = {0};
    fill_table(table, groups, g);
    const __m128i at = _mm_loadu_si128((const void *)table);
    for (size_t i = 0; i < whole; i += groups)
        _mm_storeu_si128((void *)(out + i * g->n),
                         _mm_shuffle_epi8(_mm_loadu_si128((const void *)(x + i * g->step)), at));
    pick_rest(whole, out, x, g);
    return true;
}
#endif

#if defined(__AVX512BW__)
/* As many as n, up to a register's bytes. */
static __mmask64 first_bytes(size_t n)
{
    return n == 0 ? 0 : n < 64 ? ~UINT64_C(0) >> (64 - n) : ~UINT64_C(0);
}

/* A window is one register or two. */
#define PICK(NAME, TARGET, WINDOW, PERMUTE)                                                        \
    TARGET static void NAME(uint8_t *out, const uint8_t *x, const struct heddle__groups *g,        \
                            size_t groups, __m512i at)                                             \
    {                                                                                              \
        const size_t whole = groups_by(WINDOW, 64, groups, g), end = end_of(g);                    \
        const size_t step = groups * g->step, n = groups * g->n;                                   \
        for (size_t i = 0; i < whole; i += groups, x += step, out += n) {                          \
            const __m512i low = _mm512_loadu_si512(x);                                             \
            const __m512i high = (WINDOW) > 64 ? _mm512_loadu_si512(x + 64) : low;                 \
            _mm512_storeu_si512(out, PERMUTE);                                                     \
        }                                                                                          \
        for (size_t i = whole; i < g->count; i += groups, x += step, out += n) {                   \
            const size_t left = end - i * g->step, more = left > 64 ? left - 64 : 0;               \
            const size_t some = g->count - i < groups ? g->count - i : groups;                     \
            const __m512i low = _mm512_maskz_loadu_epi8(first_bytes(left), x);                     \
            const __m512i high =                                                                   \
                (WINDOW) > 64 ? _mm512_maskz_loadu_epi8(first_bytes(more), x + 64) : low;          \
            _mm512_mask_storeu_epi8(out, first_bytes(some * g->n), PERMUTE);                       \
        }                                                                                          \
    }
#define ONE(SUFFIX) ((void)high, _mm512_permutexvar_##SUFFIX(at, low))
#define TWO(SUFFIX) _mm512_permutex2var_##SUFFIX(low, at, high)
#define WITH_BYTES __attribute__((target("avx512vbmi")))
PICK(pick_bytes_64, WITH_BYTES, 64, ONE(epi8))
PICK(pick_bytes_128, WITH_BYTES, 128, TWO(epi8))
PICK(pick_words_64, , 64, ONE(epi32))
PICK(pick_words_128, , 128, TWO(epi32))

/* The same of 4 bytes each, of elements of 4 bytes or 8. */
static __m512i table_of_words(size_t groups, const struct heddle__groups *g)
{
    const size_t n = g->n / g->size;
    uint32_t table[16] = {0};
    for (size_t i = 0, at = 0; i < groups; i++)
        for (size_t j = 0; j < n; j++) {
            const uint32_t from = (uint32_t)(i * g->step + g->from[j]) / 4;
            table[at++] = from;
            if (g->size == 8) table[at++] = from + 1;
        }
    return _mm512_loadu_si512(table);
}

static __m512i table_of_bytes(size_t groups, const struct heddle__groups *g)
{
    uint8_t table[PICK_TABLE] = {0};
    const int shift = heddle__log2_size(g->size), step = (int)g->step, within = (1 << shift) - 1;
    if (g->n == g->size) /* by vectors */
        for (int b = 0; b < 64; b++)
            table[b] = (uint8_t)(g->from[0] + (b >> shift) * step + (b & within));
    else
        fill_table(table, groups, g);
    return _mm512_loadu_si512(table);
}

/* By one register at a time, if that has as many groups as two have. False: even two have fewer than two. */
static bool pick_groups(void *out, const void *x, const struct heddle__groups *g)
{
    const size_t near = groups_in(64, 64, g), groups = groups_in(128, 64, g);
    if (g->size < 4 && !__builtin_cpu_supports("avx512vbmi")) return pick_by_16(out, x, g);
    if (groups < 2 || g->size > 8) return false;
    if (g->size >= 4)
        (groups > near ? pick_words_128 : pick_words_64)(out, x, g, groups,
                                                         table_of_words(groups, g));
    else
        (groups > near ? pick_bytes_128 : pick_bytes_64)(out, x, g, groups,
                                                         table_of_bytes(groups, g));
    return true;
}

/* Elements of `size` bytes that are `stride` apart. */
static bool pick_strided(size_t count, size_t size, void *out, const void *x, int64_t stride)
{
    enum { LEAST = 32 /* elements */ };
    if (stride < (size == 1 ? 2 : 3) || size > 8 || count < LEAST) return false;
    if (stride == 4 || (stride == 3 && size >= 4))
        return false; /* loops of vectors do these well */
    const struct heddle__groups g = {
        .count = count, .n = size, .step = (size_t)stride * size, .span = size, .size = size};
    return g.step <= HEDDLE_GROUP && pick_groups(out, x, &g);
}
#else
#ifdef __SSSE3__
static bool pick_groups(void *out, const void *x, const struct heddle__groups *g)
{
    return pick_by_16(out, x, g);
}
#else
#define pick_groups NULL
#endif
#define pick_strided(count, size, out, x, stride) false
#endif

#endif
