/* Tiles of products whose operands lie in the order in which they are read, for one instruction set (HD_ISA) with fused
 * multiply-add: a tile's sums stay in registers. After Goto and van de Geijn, Anatomy of high-performance matrix multiplication
 * (2008). Entry point: heddle__block_packed_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"

#include <string.h>

/* WIDEST: bytes of a vector. ROWS: of a tile; with HEDDLE_PANEL vectors each as many sums as registers hold beside the operands.
 * FMA: x y + z of a number and vectors, by name, as which sums of a loop a compiler fuses depends on its tuning. */
#if defined(__AVX512F__)
#include <immintrin.h>
#define WIDEST 64
#define ROWS 8
#define FMA_float(x, y, z)                                                                         \
    (lanes_float) _mm512_fmadd_ps(_mm512_set1_ps(x), (__m512)(y), (__m512)(z))
#define FMA_double(x, y, z)                                                                        \
    (lanes_double) _mm512_fmadd_pd(_mm512_set1_pd(x), (__m512d)(y), (__m512d)(z))
#elif defined(__FMA__)
#include <immintrin.h>
#define WIDEST 32
#define ROWS 4
#define FMA_float(x, y, z)                                                                         \
    (lanes_float) _mm256_fmadd_ps(_mm256_set1_ps(x), (__m256)(y), (__m256)(z))
#define FMA_double(x, y, z)                                                                        \
    (lanes_double) _mm256_fmadd_pd(_mm256_set1_pd(x), (__m256d)(y), (__m256d)(z))
#elif defined(__aarch64__)
#include <arm_neon.h>
#define WIDEST 16
#define ROWS 8
#define FMA_float(x, y, z) (lanes_float) vfmaq_n_f32((float32x4_t)(z), (float32x4_t)(y), x)
#define FMA_double(x, y, z) (lanes_double) vfmaq_n_f64((float64x2_t)(z), (float64x2_t)(y), x)
#else
#define ROWS 0 /* BLAS has better ones */
#endif

#if ROWS
/* A step in bytes, of which the compiler knows nothing: GCC 12 makes loops of their own for steps of one element, and tiles with 16
 * registers no longer keep their sums in them, which took 2.4 times as long. */
static inline int64_t bytes_of(int64_t step, size_t element_bytes)
{
    int64_t bytes = step * (int64_t)element_bytes;
    __asm__("" : "+r"(bytes));
    return bytes;
}

/* Terms. Of packed rows each has a cache line of its own, which comes late otherwise. */
#define AHEAD 64

#define PACKED(T)                                                                                  \
    enum { LANES_##T = WIDEST / (int)sizeof(T), COLUMNS_##T = HEDDLE_PANEL * LANES_##T };          \
    typedef T lanes_##T __attribute__((vector_size(WIDEST), aligned(sizeof(T))));                  \
    static void copy_##T(int64_t k, int64_t n, int64_t width, void *out_, const void *x_,          \
                         int64_t step)                                                             \
    {                                                                                              \
        T *out = out_;                                                                             \
        const T *x = x_;                                                                           \
        const int64_t whole = n / LANES_##T * LANES_##T;                                           \
        for (; k > 0; k--, out += width, x += step) {                                              \
            for (int64_t j = 0; j < whole; j += LANES_##T)                                         \
                *(lanes_##T *)(out + j) = *(const lanes_##T *)(x + j);                             \
            if (whole < n) memcpy(out + whole, x + whole, (size_t)(n - whole) * sizeof(T));        \
        }                                                                                          \
    }                                                                                              \
    static inline __attribute__((always_inline)) void tile_##T(                                    \
        int rows, int vectors, const struct heddle__packed *p, const T *a, const T *b, T *c,       \
        int64_t n)                                                                                 \
    {                                                                                              \
        const int64_t a_row = bytes_of(p->a_row, sizeof *a),                                       \
                      a_column = bytes_of(p->a_column, sizeof *a);                                 \
        const char *at = (const char *)a;                                                          \
        lanes_##T sum[ROWS][HEDDLE_PANEL];                                                         \
        HD_UNROLL for (int i = 0; i < rows; i++) HD_UNROLL for (int v = 0; v < vectors; v++)       \
            sum[i][v] = (lanes_##T){0};                                                            \
        for (int64_t l = 0; l < p->k; l++) {                                                       \
            lanes_##T y[HEDDLE_PANEL];                                                             \
            HD_UNROLL for (int v = 0; v < vectors; v++) y[v] =                                     \
                *(const lanes_##T *)(b + v * LANES_##T);                                           \
            HD_UNROLL for (int i = 0; i < rows; i++)                                               \
            {                                                                                      \
                const T x = *(const T *)(at + i * a_row);                                          \
                HD_UNROLL for (int v = 0; v < vectors; v++) sum[i][v] =                            \
                    FMA_##T(x, y[v], sum[i][v]);                                                   \
            }                                                                                      \
            __builtin_prefetch(at + AHEAD * a_column);                                             \
            at += a_column;                                                                        \
            b += vectors * LANES_##T;                                                              \
        }                                                                                          \
        if (n == vectors * LANES_##T) {                                                            \
            HD_UNROLL for (int i = 0; i < rows; i++) HD_UNROLL for (int v = 0; v < vectors; v++)   \
            {                                                                                      \
                lanes_##T *to = (lanes_##T *)(c + i * p->c_row + v * LANES_##T);                   \
                *to = p->accumulate ? *to + sum[i][v] : sum[i][v];                                 \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        HD_UNROLL for (int i = 0; i < rows; i++)                                                   \
        {                                                                                          \
            T row[COLUMNS_##T] = {0}, *to = c + i * p->c_row;                                      \
            HD_UNROLL for (int v = 0; v < vectors; v++)                                            \
                memcpy(row + v * LANES_##T, &sum[i][v], sizeof sum[i][v]);                         \
            for (int64_t j = 0; j < n; j++) to[j] = p->accumulate ? to[j] + row[j] : row[j];       \
        }                                                                                          \
    }                                                                                              \
    static inline __attribute__((always_inline)) void panel_##T(                                   \
        int vectors, const struct heddle__packed *p, const T *b, T *c, int64_t n)                  \
    {                                                                                              \
        const T *a = p->a;                                                                         \
        int rows = p->rows;                                                                        \
        if (rows == ROWS) { /* mostly */                                                           \
            tile_##T(ROWS, vectors, p, a, b, c, n);                                                \
            return;                                                                                \
        }                                                                                          \
        for (; rows >= 4; rows -= 4, a += 4 * p->a_row, c += 4 * p->c_row)                         \
            tile_##T(4, vectors, p, a, b, c, n);                                                   \
        for (; rows >= 1; rows--, a += p->a_row, c += p->c_row)                                    \
            tile_##T(1, vectors, p, a, b, c, n);                                                   \
    }                                                                                              \
    static void multiply_##T(const struct heddle__packed *p)                                       \
    {                                                                                              \
        const int64_t columns = p->vectors * LANES_##T;                                            \
        const T *b = p->b;                                                                         \
        T *c = p->c;                                                                               \
        for (int64_t n = p->n; n > 0; n -= columns, c += columns, b += columns * p->k) {           \
            if (n > 2 * LANES_##T && columns > 2 * LANES_##T)                                      \
                panel_##T(3, p, b, c, n < columns ? n : columns);                                  \
            else if (n > LANES_##T && columns > LANES_##T)                                         \
                panel_##T(2, p, b, c, n < columns ? n : columns);                                  \
            else                                                                                   \
                panel_##T(1, p, b, c, n < columns ? n : columns);                                  \
        }                                                                                          \
    }
PACKED(float)
PACKED(double)
#endif

extern const struct heddle__block_packed HD_PASTE(heddle__block_, packed, HD_ISA);
const struct heddle__block_packed HD_PASTE(heddle__block_, packed, HD_ISA) = {
#if ROWS
    .rows = ROWS,
    .lanes = {LANES_float, LANES_double},
    .copy = {copy_float, copy_double},
    .multiply = {multiply_float, multiply_double},
#else
    .rows = 0,
#endif
};
