/* Squares of elements of 4 and 8 bytes that are turned over in registers: out[i * out_stride + j] = x[j * stride + i], i, j < WIDE_SQUARE /
 * size. Pairs of rows are interleaved within lanes of 16 bytes, then lanes change places: with AVX2. Included by moves.c only, with SSE2. */
#ifndef HEDDLE_CODELETS_CPU_SQUARES_H
#define HEDDLE_CODELETS_CPU_SQUARES_H

#if defined(__AVX512F__)
enum { WIDE_SQUARE = 64 };
typedef __m512i square_row;
#define LOW_32(a, b) _mm512_unpacklo_epi32(a, b)
#define HIGH_32(a, b) _mm512_unpackhi_epi32(a, b)
#define LOW_64(a, b) _mm512_unpacklo_epi64(a, b)
#define HIGH_64(a, b) _mm512_unpackhi_epi64(a, b)
#define PUT_ROW(out, a) _mm512_storeu_si512(out, a)
#define GET_ROW(x) _mm512_loadu_si512(x)

/* Of four groups of rows, lanes k of all to the row of out that begins at column k * step of x. */
static inline void put_lanes(char *out, int64_t step, square_row a, square_row b, square_row c,
                             square_row d)
{
    const square_row even = _mm512_shuffle_i32x4(a, b, 0x88),
                     more_even = _mm512_shuffle_i32x4(c, d, 0x88);
    const square_row odd = _mm512_shuffle_i32x4(a, b, 0xdd),
                     more_odd = _mm512_shuffle_i32x4(c, d, 0xdd);
    PUT_ROW(out, _mm512_shuffle_i32x4(even, more_even, 0x88));
    PUT_ROW(out + step, _mm512_shuffle_i32x4(odd, more_odd, 0x88));
    PUT_ROW(out + 2 * step, _mm512_shuffle_i32x4(even, more_even, 0xdd));
    PUT_ROW(out + 3 * step, _mm512_shuffle_i32x4(odd, more_odd, 0xdd));
}
#define PUT_LANES(out, step, rows, at, apart)                                                      \
    put_lanes(out, step, (rows)[at], (rows)[(at) + (apart)], (rows)[(at) + 2 * (apart)],           \
              (rows)[(at) + 3 * (apart)])
#elif defined(__AVX2__)
enum { WIDE_SQUARE = 32 };
typedef __m256i square_row;
#define LOW_32(a, b) _mm256_unpacklo_epi32(a, b)
#define HIGH_32(a, b) _mm256_unpackhi_epi32(a, b)
#define LOW_64(a, b) _mm256_unpacklo_epi64(a, b)
#define HIGH_64(a, b) _mm256_unpackhi_epi64(a, b)
#define PUT_ROW(out, a) _mm256_storeu_si256((__m256i *)(out), a)
#define GET_ROW(x) _mm256_loadu_si256((const __m256i *)(x))

static inline void put_lanes(char *out, int64_t step, square_row a, square_row b)
{
    PUT_ROW(out, _mm256_permute2x128_si256(a, b, 0x20));
    PUT_ROW(out + step, _mm256_permute2x128_si256(a, b, 0x31));
}
#define PUT_LANES(out, step, rows, at, apart)                                                      \
    put_lanes(out, step, (rows)[at], (rows)[(at) + (apart)])
#else /* one lane: columns.h alone needs it */
typedef __m128i square_row;
#define LOW_32(a, b) _mm_unpacklo_epi32(a, b)
#define HIGH_32(a, b) _mm_unpackhi_epi32(a, b)
#define LOW_64(a, b) _mm_unpacklo_epi64(a, b)
#define HIGH_64(a, b) _mm_unpackhi_epi64(a, b)
#define PUT_ROW(out, a) _mm_storeu_si128((__m128i *)(out), a)
#endif

#ifdef __AVX2__
static inline void wide_square_8(uint64_t *out, int64_t out_stride, const uint64_t *x,
                                 int64_t stride)
{
    enum { N = WIDE_SQUARE / 8 };
    square_row a[N], b[N];
    for (int j = 0; j < N; j++) a[j] = GET_ROW(x + j * stride);
    for (int j = 0; j < N; j += 2) { /* b[j + c]: of two rows, column c of each lane */
        b[j] = LOW_64(a[j], a[j + 1]);
        b[j + 1] = HIGH_64(a[j], a[j + 1]);
    }
    for (int c = 0; c < 2; c++)
        PUT_LANES((char *)(out + c * out_stride), 2 * out_stride * 8, b, c, 2);
}

static inline void wide_square_4(uint32_t *out, int64_t out_stride, const uint32_t *x,
                                 int64_t stride)
{
    enum { N = WIDE_SQUARE / 4 };
    square_row a[N], b[N];
    for (int j = 0; j < N; j++) a[j] = GET_ROW(x + j * stride);
    for (int j = 0; j < N; j += 2) {
        b[j] = LOW_32(a[j], a[j + 1]);
        b[j + 1] = HIGH_32(a[j], a[j + 1]);
    }
    for (int j = 0; j < N; j += 4) { /* a[j + c]: of four rows, column c of each lane */
        a[j] = LOW_64(b[j], b[j + 2]);
        a[j + 1] = HIGH_64(b[j], b[j + 2]);
        a[j + 2] = LOW_64(b[j + 1], b[j + 3]);
        a[j + 3] = HIGH_64(b[j + 1], b[j + 3]);
    }
    for (int c = 0; c < 4; c++)
        PUT_LANES((char *)(out + c * out_stride), 4 * out_stride * 4, a, c, 4);
}

#endif

#endif
