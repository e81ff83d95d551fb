/* Columns of records, elements of 1 to 8 bytes: out[k][j] = x[j * stride + at[k]], k < n, j < m, for moves.c alone, which has squares.h. Records of
 * few elements are loaded whole, and each column picked out of the registers. Else columns of 4 and 8 bytes that lie within 16 bytes
 * are brought into registers together, those bytes of one row in each lane, and turned over within the lanes. */
#ifndef HEDDLE_CODELETS_CPU_COLUMNS_H
#define HEDDLE_CODELETS_CPU_COLUMNS_H

#include "cpu/blocks.h"

#include <stdbool.h>

/* ---- Records of 2 to 4 elements ------------------------------------------------------------------------- */

enum { MOST_SPLIT = 4 };

#if defined(__AVX512BW__)
/* Out of `each` registers, elements of `size` bytes each so many apart. */
WITH_BYTES static inline size_t split_by(size_t m, int n, void *const out[], const int64_t *at,
                                         const char *x, int each, int size)
{
    const size_t records = 64 / (size_t)size;
    __m512i bytes[MOST_SPLIT]; /* where a column's are among those of all registers */
    __mmask64 far[MOST_SPLIT]; /* in the third or fourth */
    uint8_t byte[64];
    for (int b = 0; b < 64; b++) byte[b] = (uint8_t)((b & -size) * each + (b & (size - 1)));
    const __m512i first = _mm512_loadu_si512(byte);
    for (int k = 0; k < MOST_SPLIT; k++) {
        bytes[k] =
            _mm512_add_epi8(first, _mm512_set1_epi8((char)((at[k < n ? k : 0] - at[0]) * size)));
        far[k] = _mm512_movepi8_mask(bytes[k]);
    }
    size_t i = 0;
    x += at[0] * size; /* before the first column nothing may be there */
    for (; i + records < m; i += records, x += 64 * each) {
        const __m512i a = _mm512_loadu_si512(x), b = _mm512_loadu_si512(x + 64),
                      c = each > 2 ? _mm512_loadu_si512(x + 128) : b,
                      d = each > 3 ? _mm512_loadu_si512(x + 192) : c;
        HD_UNROLL for (int k = 0; k < MOST_SPLIT; k++)
        {
            if (k >= n) break;
            __m512i column = _mm512_permutex2var_epi8(a, bytes[k], b);
            if (each > 2)
                column = _mm512_mask_blend_epi8(far[k], column,
                                                _mm512_permutex2var_epi8(c, bytes[k], d));
            _mm512_storeu_si512((char *)out[k] + i * (size_t)size, column);
        }
    }
    return i;
}

static bool splits_records(int64_t stride)
{
    return stride >= 2 && stride <= MOST_SPLIT && __builtin_cpu_supports("avx512vbmi");
}

/* How many records' columns are written: whole registers of them before the last record, which may end at the last column. */
WITH_BYTES static size_t split_records(size_t m, int n, void *const out[], const int64_t *at,
                                       const void *x, int64_t stride, int size)
{
    if (!splits_records(stride)) return 0;
    return (stride == 2   ? split_by(m, n, out, at, x, 2, size)
            : stride == 3 ? split_by(m, n, out, at, x, 3, size)
                          : split_by(m, n, out, at, x, 4, size));
}
#else
#define splits_records(stride) false
#define split_records(m, n, out, at, x, stride, size) 0
#endif

/* What is left one column after the other. */
#define SPLIT(T, SIZE)                                                                             \
    static void split_columns_##SIZE(size_t m, int n, void *const out[], const int64_t *at,        \
                                     const void *x, int64_t stride)                                \
    {                                                                                              \
        const size_t done = split_records(m, n, out, at, x, stride, SIZE);                         \
        const T *rest = (const T *)x + (int64_t)done * stride;                                     \
        for (int k = 0; k < n; k++)                                                                \
            gather_##SIZE(m - done, (T *)out[k] + done, rest + at[k], stride);                     \
    }
SPLIT(uint8_t, 1)
SPLIT(uint16_t, 2)
SPLIT(uint32_t, 4)

/* ---- Columns within 16 bytes ---------------------------------------------------------------------------- */

#ifdef __SSE2__
/* A register of 16 bytes of each of as many rows as it has lanes, `step` bytes apart. */
static inline square_row lanes_of(const char *x, int64_t step)
{
    const __m128i first = _mm_loadu_si128((const void *)x);
#if defined(__AVX512F__)
    __m512i all = _mm512_castsi128_si512(first);
    all = _mm512_inserti32x4(all, _mm_loadu_si128((const void *)(x + step)), 1);
    all = _mm512_inserti32x4(all, _mm_loadu_si128((const void *)(x + 2 * step)), 2);
    return _mm512_inserti32x4(all, _mm_loadu_si128((const void *)(x + 3 * step)), 3);
#elif defined(__AVX2__)
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first),
                                   _mm_loadu_si128((const void *)(x + step)), 1);
#else
    (void)step;
    return first;
#endif
}

/* As many rows as a register has elements: their first columns, as many as 16 bytes have, to so many runs. */
static inline void turn_lanes_4(uint32_t *const *out, const uint32_t *x, int64_t stride)
{
    square_row a[4], b[4];
    for (int r = 0; r < 4; r++) a[r] = lanes_of((const char *)(x + r * stride), 16 * stride);
    for (int r = 0; r < 4; r += 2) {
        b[r] = LOW_32(a[r], a[r + 1]);
        b[r + 1] = HIGH_32(a[r], a[r + 1]);
    }
    PUT_ROW(out[0], LOW_64(b[0], b[2]));
    PUT_ROW(out[1], HIGH_64(b[0], b[2]));
    PUT_ROW(out[2], LOW_64(b[1], b[3]));
    PUT_ROW(out[3], HIGH_64(b[1], b[3]));
}

static inline void turn_lanes_8(uint64_t *const *out, const uint64_t *x, int64_t stride)
{
    const square_row even = lanes_of((const char *)x, 16 * stride),
                     odd = lanes_of((const char *)(x + stride), 16 * stride);
    PUT_ROW(out[0], LOW_64(even, odd));
    PUT_ROW(out[1], HIGH_64(even, odd));
}

/* Bytes between rows of which all lines are read, and from those that are turned to those that are fetched. */
enum { NEAR_ROWS = 2 * HEDDLE_CACHE_LINE, AHEAD_BYTES = 4096 };
/* Registers of rows that a piece has one after the other, while their lines are near. */
enum { TOGETHER = 8 };

/* A piece: columns `first` and those beside it, as many as 16 bytes have, of which those that are not asked for are written to one place
 * again and again; or one column alone. Whole registers of rows end before the row whose 16 bytes could go past the last element. */
#define COLUMNS(T, SIZE)                                                                           \
    struct columns_##SIZE {                                                                        \
        int64_t first;                                                                             \
        bool is_alone;                                                                             \
        T *out[16 / (SIZE)];                                                                       \
        size_t step[16 / (SIZE)];                                                                  \
    };                                                                                             \
    static int find_columns_##SIZE(struct columns_##SIZE *piece, T *waste, int n,                  \
                                   void *const out[], const int64_t *at)                           \
    {                                                                                              \
        enum { EACH = 16 / (SIZE), ROWS = sizeof(square_row) / (SIZE) };                           \
        const int64_t last = at[n - 1] - (EACH - 1);                                               \
        int n_pieces = 0;                                                                          \
        for (int k = 0, next; k < n; k = next) {                                                   \
            struct columns_##SIZE *p = &piece[n_pieces++];                                         \
            for (next = k + 1; next < n && at[next] - at[k] < EACH;) next++;                       \
            p->is_alone = next == k + 1;                                                           \
            p->first = p->is_alone || last > at[k] || last < at[0] ? at[k] : last;                 \
            for (int c = 0; c < EACH; c++) {                                                       \
                p->out[c] = waste;                                                                 \
                p->step[c] = 0;                                                                    \
            }                                                                                      \
            for (int i = k; i < next; i++) {                                                       \
                p->out[at[i] - p->first] = out[i];                                                 \
                p->step[at[i] - p->first] = ROWS;                                                  \
            }                                                                                      \
        }                                                                                          \
        return n_pieces;                                                                           \
    }                                                                                              \
    static inline void put_columns_##SIZE(const struct columns_##SIZE *p, size_t j, size_t end,    \
                                          const T *x, int64_t stride, int64_t lines)               \
    {                                                                                              \
        enum { EACH = 16 / (SIZE), ROWS = sizeof(square_row) / (SIZE) };                           \
        const T *from = x + (int64_t)j * stride + p->first;                                        \
        T *out[EACH];                                                                              \
        for (int c = 0; c < EACH; c++) out[c] = p->out[c] + (p->step[c] > 0 ? j : 0);              \
        for (; j < end; j += ROWS, from += ROWS * stride) {                                        \
            for (int64_t b = 0; b < lines; b += HEDDLE_CACHE_LINE)                                 \
                __builtin_prefetch((const char *)from + AHEAD_BYTES + b);                          \
            if (p->is_alone)                                                                       \
                for (int r = 0; r < ROWS; r++) out[0][r] = from[r * stride];                       \
            else                                                                                   \
                turn_lanes_##SIZE(out, from, stride);                                              \
            HD_UNROLL for (int c = 0; c < EACH; c++) out[c] += p->step[c];                         \
        }                                                                                          \
    }                                                                                              \
    static void columns_##SIZE(size_t m, int n, void *const out[], const int64_t *at,              \
                               const void *x_, int64_t stride)                                     \
    {                                                                                              \
        enum { EACH = 16 / (SIZE), ROWS = sizeof(square_row) / (SIZE) };                           \
        const T *x = x_;                                                                           \
        T waste[ROWS];                                                                             \
        struct columns_##SIZE piece[HEDDLE_COLUMNS];                                               \
        const int n_pieces = find_columns_##SIZE(piece, waste, n, out, at);                        \
        const int64_t past = piece[n_pieces - 1].first + EACH - 1 - at[n - 1];                     \
        const size_t unsafe = past <= 0 ? 0 : (size_t)((past + stride - 1) / stride);              \
        const size_t whole = m > unsafe ? (m - unsafe) / ROWS * ROWS : 0;                          \
        const int64_t lines = stride * (SIZE) <= NEAR_ROWS ? ROWS * stride * (SIZE) : 0;           \
        for (size_t j = 0; j < whole; j += TOGETHER * ROWS) {                                      \
            const size_t end = whole - j < TOGETHER * ROWS ? whole : j + TOGETHER * ROWS;          \
            for (int k = 0; k < n_pieces; k++)                                                     \
                put_columns_##SIZE(&piece[k], j, end, x, stride, k == 0 ? lines : 0);              \
        }                                                                                          \
        for (int k = 0; k < n; k++)                                                                \
            for (size_t j = whole; j < m; j++) ((T *)out[k])[j] = x[(int64_t)j * stride + at[k]];  \
    }

COLUMNS(uint32_t, 4)
COLUMNS(uint64_t, 8)

static void columns_of_4(size_t m, int n, void *const out[], const int64_t *at, const void *x,
                         int64_t stride)
{
    (stride == 2 || splits_records(stride) ? split_columns_4 : columns_4)(m, n, out, at, x, stride);
}
#else
#define columns_of_4 split_columns_4
#endif

#endif
