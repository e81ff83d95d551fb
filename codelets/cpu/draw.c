/* Vector versions of the random rows of ops.def, for one instruction set (HD_ISA, and HD_LEVEL 1, 2 or 3 for baseline,
 * avx2, avx512): the key is one number, the indices mostly follow each other, so that a block of Philox serves all the
 * elements that it has words for. The bits are those of draw.h. Entry point: heddle__block_draws_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"
#include "draw.h"

#include <immintrin.h>

#if HD_LEVEL == 3
enum { LANES = 8 };
#define MULTIPLY(a, b) ((lanes)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define LOW_HALVES(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_HALVES(x, y) __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#elif HD_LEVEL == 2
enum { LANES = 4 };
#define MULTIPLY(a, b) ((lanes)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define LOW_HALVES(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define HIGH_HALVES(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#else
enum { LANES = 2 };
#define MULTIPLY(a, b) ((lanes)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#define LOW_HALVES(x, y) __builtin_shufflevector(x, y, 0, 2)
#define HIGH_HALVES(x, y) __builtin_shufflevector(x, y, 1, 3)
#endif

/* A 32-bit word in each lane; what is above it is no part of it. */
typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));

struct blocks {
    lanes first, second; /* two 64-bit results of each block */
};

/* The blocks of counters low, one for each lane: two vectors at a time hide the latency of the multiplications. */
static inline void philox(int n, const lanes low[], uint64_t key, struct blocks out[])
{
    lanes a[2], b[2], c[2], d[2];
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int v = 0; v < n; v++) {
        a[v] = low[v];
        b[v] = low[v] >> 32;
        c[v] = d[v] = (lanes){0};
    }
    for (int round = 0; round < 10; round++) {
        for (int v = 0; v < n; v++) {
            const lanes p = MULTIPLY(a[v], (lanes){0} + HD_PHILOX_MULTIPLY_0);
            const lanes q = MULTIPLY(c[v], (lanes){0} + HD_PHILOX_MULTIPLY_1);
            a[v] = (q >> 32) ^ b[v] ^ k0;
            b[v] = q;
            c[v] = (p >> 32) ^ d[v] ^ k1;
            d[v] = p;
        }
        k0 += HD_PHILOX_STEP_0;
        k1 += HD_PHILOX_STEP_1;
    }
    for (int v = 0; v < n; v++) {
        out[v].first = (a[v] & 0xffffffffu) | b[v] << 32;
        out[v].second = (c[v] & 0xffffffffu) | d[v] << 32;
    }
}

static inline lanes load(const uint64_t *from)
{
    lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline void store(uint64_t *to, lanes x)
{
    memcpy(to, &x, sizeof x);
}

/* Whether n indices follow each other. */
static inline int are_successive(const uint64_t *index, size_t n)
{
    uint64_t other = 0;
    HD_VECTOR
    for (size_t i = 0; i < n; i++) other |= index[i] ^ (index[0] + i);
    return other == 0;
}

/* 64 bits of each index; `bits` may be the indices. */
static void fill_bits(size_t n, uint64_t *bits, const uint64_t *index, uint64_t key)
{
    enum { STEP = 4 * LANES };
    lanes low[2] = {{0}};
    struct blocks b[2];
    size_t i = 0;
    while (i < n) {
        if (index[i] % 2 == 0 && n - i >= STEP && are_successive(index + i, STEP)) {
            for (int l = 0; l < LANES; l++) {
                low[0][l] = (index[i] >> 1) + (uint64_t)l;
                low[1][l] = (index[i] >> 1) + (uint64_t)(l + LANES);
            }
            philox(2, low, key, b);
            for (int v = 0; v < 2; v++, i += 2 * LANES) {
                store(bits + i, LOW_HALVES(b[v].first, b[v].second));
                store(bits + i + LANES, HIGH_HALVES(b[v].first, b[v].second));
            }
        } else if (index[i] % 2 == 1 && i + 1 < n && index[i + 1] == index[i] + 1) {
            bits[i] = hd_draw_bits((hd_i64)index[i], (hd_i64)key); /* an odd start */
            i++;
        } else {
            uint64_t some[LANES] = {0};
            const size_t m = n - i < LANES ? n - i : LANES;
            for (size_t l = 0; l < m; l++) some[l] = index[i + l];
            const lanes at = load(some), odd = 0 - (at & 1);
            low[0] = at >> 1;
            philox(1, low, key, b);
            store(some, (b[0].second & odd) | (b[0].first & ~odd));
            for (size_t l = 0; l < m; l++) bits[i + l] = some[l];
            i += m;
        }
    }
}

/* 32 bits of each index. */
static void fill_words(size_t n, uint32_t *words, const uint64_t *index, uint64_t key)
{
    enum { STEP = 8 * LANES };
    lanes low[2] = {{0}};
    struct blocks b[2];
    size_t i = 0;
    while (i < n) {
        if (index[i] % 4 == 0 && n - i >= STEP && are_successive(index + i, STEP)) {
            for (int l = 0; l < LANES; l++) {
                low[0][l] = (index[i] >> 2) + (uint64_t)l;
                low[1][l] = (index[i] >> 2) + (uint64_t)(l + LANES);
            }
            philox(2, low, key, b);
            for (int v = 0; v < 2; v++, i += 4 * LANES) {
                const lanes halves[2] = {LOW_HALVES(b[v].first, b[v].second),
                                         HIGH_HALVES(b[v].first, b[v].second)};
                memcpy(words + i, halves, sizeof halves);
            }
        } else {
            words[i] = hd_draw_word((hd_i64)index[i], (hd_i64)key);
            i++;
        }
    }
}

/* ---- Block functions: xs are indices, ys is one key -------------------------------------------------- */

#define FUNCTION(name)                                                                             \
    static void name(size_t n, void *out, const void *xs, const void *ys, const void *zs)
#define KEY ((void)zs, *(const uint64_t *)ys)
enum { PIECE = 256 }; /* elements at a time, whose bits stay in the nearest cache */

FUNCTION(draw_bits)
{
    fill_bits(n, out, xs, KEY);
}

/* out[i] = of(the bits of i), PIECE at a time. */
#define FUNCTION_OF_BITS(name, of)                                                                 \
    FUNCTION(name)                                                                                 \
    {                                                                                              \
        const uint64_t key = KEY;                                                                  \
        uint64_t bits[PIECE];                                                                      \
        for (size_t from = 0; from < n; from += PIECE) {                                           \
            const size_t m = n - from < PIECE ? n - from : PIECE;                                  \
            fill_bits(m, bits, (const uint64_t *)xs + from, key);                                  \
            HD_VECTOR                                                                              \
            for (size_t i = 0; i < m; i++) ((double *)out)[from + i] = of(bits[i]);                \
        }                                                                                          \
    }
FUNCTION_OF_BITS(draw_uniform, hd_unit_of)
FUNCTION_OF_BITS(draw_exponential, hd_exponential_of)

FUNCTION(draw_uniform32)
{
    const uint64_t key = KEY;
    uint32_t words[PIECE];
    for (size_t from = 0; from < n; from += PIECE) {
        const size_t m = n - from < PIECE ? n - from : PIECE;
        fill_words(m, words, (const uint64_t *)xs + from, key);
        HD_VECTOR
        for (size_t i = 0; i < m; i++) ((float *)out)[from + i] = hd_unit32_of(words[i]);
    }
}

/* The two 64-bit results of n blocks, n a multiple of LANES. */
static void fill_blocks(size_t n, const uint64_t *counter, uint64_t key, uint64_t *first,
                        uint64_t *second)
{
    for (size_t i = 0; i < n; i += LANES) {
        const lanes low = load(counter + i);
        struct blocks b;
        philox(1, &low, key, &b);
        store(first + i, b.first);
        store(second + i, b.second);
    }
}

/* A block for each pair of neighbours, or for each element if they are no neighbours. */
FUNCTION(draw_normal)
{
    const uint64_t key = KEY;
    uint64_t counter[PIECE + LANES] = {0}, first[PIECE + LANES], second[PIECE + LANES];
    double x[PIECE + LANES], y[PIECE + LANES];
    for (size_t from = 0; from < n; from += PIECE) {
        const uint64_t *index = (const uint64_t *)xs + from;
        double *r = (double *)out + from;
        const size_t m = n - from < PIECE ? n - from : PIECE;
        const bool pairs = m % 2 == 0 && index[0] % 2 == 0 && are_successive(index, m);
        uint64_t odd[PIECE];
        const size_t n_blocks = pairs ? m / 2 : m;
        for (size_t i = 0; i < n_blocks; i++)
            counter[i] = pairs ? (index[0] >> 1) + i : index[i] >> 1;
        for (size_t i = 0; i < m; i++) odd[i] = index[i] & 1;
        fill_blocks((n_blocks + LANES - 1) / LANES * LANES, counter, key, first, second);
        HD_VECTOR
        for (size_t i = 0; i < n_blocks; i++) {
            const double radius = hd_radius_of(first[i]);
            const struct hd_direction at = hd_direction_of(second[i]);
            x[i] = radius * at.x;
            y[i] = radius * at.y;
        }
        if (pairs)
            for (size_t i = 0; i < n_blocks; i++) r[2 * i] = x[i], r[2 * i + 1] = y[i];
        else
            for (size_t i = 0; i < m; i++) r[i] = odd[i] ? y[i] : x[i];
    }
}

FUNCTION(draw_seed)
{
    draw_bits(n, out, xs, ys, zs);
    uint64_t *r = out;
    HD_VECTOR
    for (size_t i = 0; i < n; i++) r[i] = hd_bits_of(hd_seed_of(r[i]));
}

extern const struct heddle__block_draws HD_PASTE(heddle__block_, draws, HD_ISA);
const struct heddle__block_draws HD_PASTE(heddle__block_, draws, HD_ISA) = {
    .key_scalar = {
        [HEDDLE_OP_RANDOM_BITS] = draw_bits,
        [HEDDLE_OP_RANDOM_UNIFORM] = draw_uniform,
        [HEDDLE_OP_RANDOM_UNIFORM32] = draw_uniform32,
        [HEDDLE_OP_RANDOM_NORMAL] = draw_normal,
        [HEDDLE_OP_RANDOM_EXPONENTIAL] = draw_exponential,
        [HEDDLE_OP_RANDOM_SEED] = draw_seed,
    }};
