/* Tiles of products whose operands lie in the order in which they are read, for one instruction set (HD_ISA): of floating
 * numbers, where it has fused multiply-add, and of integers. A tile's sums stay in registers. After Goto and van de Geijn, Anatomy of
 * high-performance matrix multiplication (2008). Entry point: heddle__block_packed_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"

#include <string.h>

/* WIDEST: bytes of a vector. ROWS: of a tile; with HEDDLE_PANEL vectors each as many sums as registers hold beside the operands.
 * ADD: x y + z of a number and vectors; of floating numbers by name, as which sums of a loop a compiler fuses depends on its tuning. */
#if defined(__AVX512F__)
#include <immintrin.h>
#define WIDEST 64
#define ROWS 8
#define ADD_float(x, y, z)                                                                         \
    (lanes_float) _mm512_fmadd_ps(_mm512_set1_ps(x), (__m512)(y), (__m512)(z))
#define ADD_double(x, y, z)                                                                        \
    (lanes_double) _mm512_fmadd_pd(_mm512_set1_pd(x), (__m512d)(y), (__m512d)(z))
#elif defined(__FMA__)
#include <immintrin.h>
#define WIDEST 32
#define ROWS 4
#define ADD_float(x, y, z)                                                                         \
    (lanes_float) _mm256_fmadd_ps(_mm256_set1_ps(x), (__m256)(y), (__m256)(z))
#define ADD_double(x, y, z)                                                                        \
    (lanes_double) _mm256_fmadd_pd(_mm256_set1_pd(x), (__m256d)(y), (__m256d)(z))
#elif defined(__aarch64__)
#include <arm_neon.h>
#define WIDEST 16
#define ROWS 8
#define ADD_float(x, y, z) (lanes_float) vfmaq_n_f32((float32x4_t)(z), (float32x4_t)(y), x)
#define ADD_double(x, y, z) (lanes_double) vfmaq_n_f64((float64x2_t)(z), (float64x2_t)(y), x)
#else
#define WIDEST 16
#define ROWS 4
#endif
#define ADD_uint8_t(x, y, z) ((z) + (x) * (y))
#define ADD_uint16_t(x, y, z) ((z) + (x) * (y))
#define ADD_uint32_t(x, y, z) ((z) + (x) * (y))
#define ADD_uint64_t(x, y, z) ((z) + (x) * (y))

/* Bytes are multiplied in 16 bits, of which the upper eight are of no account: as they lie, which gives those in even places, and moved
 * down. So they are two parts of a vector, each with sums of its own. */
enum { PARTS_ONE = 1, PARTS_TWO = 2 };
#define SECOND_ONE(y) (y)
#define SECOND_TWO(y) ((y) >> 8)
#define WHOLE_ONE(sum) ((sum)[0])
#define WHOLE_TWO(sum) (((sum)[0] & 0xff) | (sum)[1] << 8)

/* A step in bytes, of which the compiler knows nothing: GCC 12 makes loops of their own for steps of one element, and tiles with 16
 * registers no longer keep their sums in them, which took 2.4 times as long. */
static inline int64_t bytes_of(int64_t step, size_t element_bytes)
{
    int64_t bytes = step * (int64_t)element_bytes;
    __asm__("" : "+r"(bytes));
    return bytes;
}

/* A vector from memory, and to it, as many bytes as there are; it is aligned as its elements are. */
#if defined(__AVX512BW__)
static inline uint64_t first_bytes(int64_t n)
{
    return n < WIDEST ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}
static inline void load_some(void *vector, const void *from, int64_t bytes)
{
    _mm512_storeu_si512(vector, _mm512_maskz_loadu_epi8(first_bytes(bytes), from));
}
static inline void store_some(void *to, const void *vector, int64_t bytes)
{
    _mm512_mask_storeu_epi8(to, first_bytes(bytes), _mm512_loadu_si512(vector));
}
#else
static inline void load_some(void *vector, const void *from, int64_t bytes)
{
    memcpy(vector, from, bytes < WIDEST ? (size_t)bytes : WIDEST);
}
static inline void store_some(void *to, const void *vector, int64_t bytes)
{
    memcpy(to, vector, bytes < WIDEST ? (size_t)bytes : WIDEST);
}
#endif

/* Terms. Of packed rows each has a cache line of its own, which comes late otherwise. */
#define AHEAD 64

/* T: of elements; S: of sums; PARTS: of a vector, ONE or TWO. */
#define PACKED(T, S, PARTS)                                                                        \
    enum { LANES_##T = WIDEST / (int)sizeof(T), COLUMNS_##T = HEDDLE_PANEL * LANES_##T };          \
    typedef T lanes_##T __attribute__((vector_size(WIDEST), aligned(sizeof(T))));                  \
    typedef S sums_##T __attribute__((vector_size(WIDEST), aligned(sizeof(T))));                   \
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
                      a_column = bytes_of(p->a_column, sizeof *a),                                 \
                      b_row = bytes_of(p->b_row ? p->b_row : vectors * LANES_##T, sizeof *b);      \
        const char *at = (const char *)a, *b_at = (const char *)b;                                 \
        sums_##T sum[ROWS][HEDDLE_PANEL][PARTS_##PARTS];                                           \
        HD_UNROLL for (int i = 0; i < rows; i++) HD_UNROLL for (int v = 0; v < vectors; v++)       \
            HD_UNROLL for (int h = 0; h < PARTS_##PARTS; h++) sum[i][v][h] = (sums_##T){0};        \
        for (int64_t l = 0; l < p->k; l++) {                                                       \
            sums_##T y[HEDDLE_PANEL][PARTS_##PARTS];                                               \
            HD_UNROLL for (int v = 0; v < vectors; v++)                                            \
            {                                                                                      \
                y[v][0] = *(const sums_##T *)(b_at + v * WIDEST);                                  \
                if (PARTS_##PARTS > 1) y[v][PARTS_##PARTS - 1] = SECOND_##PARTS(y[v][0]);          \
            }                                                                                      \
            HD_UNROLL for (int i = 0; i < rows; i++)                                               \
            {                                                                                      \
                const S x = *(const T *)(at + i * a_row);                                          \
                HD_UNROLL for (int v = 0; v < vectors; v++)                                        \
                    HD_UNROLL for (int h = 0; h < PARTS_##PARTS; h++) sum[i][v][h] =               \
                        ADD_##T(x, y[v][h], sum[i][v][h]);                                         \
            }                                                                                      \
            __builtin_prefetch(at + AHEAD * a_column);                                             \
            at += a_column;                                                                        \
            b_at += b_row;                                                                         \
        }                                                                                          \
        if (n == vectors * LANES_##T) {                                                            \
            HD_UNROLL for (int i = 0; i < rows; i++) HD_UNROLL for (int v = 0; v < vectors; v++)   \
            {                                                                                      \
                lanes_##T *to = (lanes_##T *)(c + i * p->c_row + v * LANES_##T);                   \
                const lanes_##T all = (lanes_##T)WHOLE_##PARTS(sum[i][v]);                         \
                *to = p->accumulate ? *to + all : all;                                             \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        HD_UNROLL for (int i = 0; i < rows; i++) HD_UNROLL for (int v = 0; v < vectors; v++)       \
        {                                                                                          \
            T *to = c + i * p->c_row + v * LANES_##T;                                              \
            const int64_t bytes = (n - v * LANES_##T) * (int64_t)sizeof(T);                        \
            lanes_##T all = (lanes_##T)WHOLE_##PARTS(sum[i][v]), before = {0};                     \
            if (bytes <= 0) continue;                                                              \
            if (p->accumulate) {                                                                   \
                load_some(&before, to, bytes);                                                     \
                all += before;                                                                     \
            }                                                                                      \
            store_some(to, &all, bytes);                                                           \
        }                                                                                          \
    }                                                                                              \
    static inline __attribute__((always_inline)) void panel_##T(                                   \
        int vectors, const struct heddle__packed *p, const T *b, T *c, int64_t n)                  \
    {                                                                                              \
        const T *a = p->a;                                                                         \
        int rows = p->rows;                                                                        \
        if (PARTS_##PARTS == 1 && rows == ROWS) { /* mostly */                                     \
            tile_##T(ROWS, vectors, p, a, b, c, n);                                                \
            return;                                                                                \
        }                                                                                          \
        enum { SOME_##T = ROWS / PARTS_##PARTS < 4 ? ROWS / PARTS_##PARTS : 4 };                   \
        for (; rows >= SOME_##T; rows -= SOME_##T) {                                               \
            tile_##T(SOME_##T, vectors, p, a, b, c, n);                                            \
            a += SOME_##T * p->a_row;                                                              \
            c += SOME_##T * p->c_row;                                                              \
        }                                                                                          \
        for (; rows >= 1; rows--, a += p->a_row, c += p->c_row)                                    \
            tile_##T(1, vectors, p, a, b, c, n);                                                   \
    }                                                                                              \
    static void multiply_##T(const struct heddle__packed *p)                                       \
    {                                                                                              \
        const int64_t columns = p->vectors * LANES_##T,                                            \
                      b_panel = p->b_row ? columns : columns * p->k;                               \
        const T *b = p->b;                                                                         \
        T *c = p->c;                                                                               \
        for (int64_t n = p->n; n > 0; n -= columns, c += columns, b += b_panel) {                  \
            if (n > 2 * LANES_##T && columns > 2 * LANES_##T)                                      \
                panel_##T(3, p, b, c, n < columns ? n : columns);                                  \
            else if (n > LANES_##T && columns > LANES_##T)                                         \
                panel_##T(2, p, b, c, n < columns ? n : columns);                                  \
            else                                                                                   \
                panel_##T(1, p, b, c, n < columns ? n : columns);                                  \
        }                                                                                          \
    }
#ifdef ADD_float
PACKED(float, float, ONE)
PACKED(double, double, ONE)
#endif
PACKED(uint8_t, uint16_t, TWO)
PACKED(uint16_t, uint16_t, ONE)
PACKED(uint32_t, uint32_t, ONE)
PACKED(uint64_t, uint64_t, ONE)

/* ---- Integers by a vector: lanes have sums of their own -------------------------------------------------- */

enum { AT_ONCE = 4 }; /* rows at once, which share what is loaded of b */

#define ADD_DOTS(T, PARTS, a, b)                                                                   \
    {                                                                                              \
        const sums_##T of_b = (sums_##T)(b);                                                       \
        HD_UNROLL for (int i = 0; i < rows; i++)                                                   \
        {                                                                                          \
            const sums_##T of_a = (sums_##T)(a);                                                   \
            sum[i][0] += of_a * of_b;                                                              \
            if (PARTS_##PARTS > 1)                                                                 \
                sum[i][PARTS_##PARTS - 1] += SECOND_##PARTS(of_a) * SECOND_##PARTS(of_b);          \
        }                                                                                          \
    }

#define DOTS(T, PARTS)                                                                             \
    static inline __attribute__((always_inline)) void dots_of_##T(                                 \
        int rows, const struct heddle__dots *p, const T *a, T *c)                                  \
    {                                                                                              \
        const T *b = p->b;                                                                         \
        const int64_t whole = p->k / LANES_##T * LANES_##T;                                        \
        sums_##T sum[AT_ONCE][PARTS_##PARTS];                                                      \
        HD_UNROLL for (int i = 0; i < rows; i++) HD_UNROLL for (int h = 0; h < PARTS_##PARTS; h++) \
            sum[i][h] = (sums_##T){0};                                                             \
        for (int64_t l = 0; l < whole; l += LANES_##T)                                             \
            ADD_DOTS(T, PARTS, *(const lanes_##T *)(a + i * p->a_row + l),                         \
                     *(const lanes_##T *)(b + l))                                                  \
        if (whole < p->k) {                                                                        \
            const size_t rest = (size_t)(p->k - whole) * sizeof(T);                                \
            lanes_##T x[AT_ONCE] = {{0}}, last = {0};                                              \
            memcpy(&last, b + whole, rest);                                                        \
            for (int i = 0; i < rows; i++) memcpy(&x[i], a + i * p->a_row + whole, rest);          \
            ADD_DOTS(T, PARTS, x[i], last)                                                         \
        }                                                                                          \
        HD_UNROLL for (int i = 0; i < rows; i++)                                                   \
        {                                                                                          \
            const lanes_##T all = (lanes_##T)WHOLE_##PARTS(sum[i]);                                \
            T total = 0, of[LANES_##T], *to = c + i * p->c_row;                                    \
            memcpy(of, &all, sizeof of);                                                           \
            for (int j = 0; j < LANES_##T; j++) total = (T)(total + of[j]);                        \
            *to = (T)(p->accumulate ? *to + total : total);                                        \
        }                                                                                          \
    }                                                                                              \
    static void dots_##T(const struct heddle__dots *p)                                             \
    {                                                                                              \
        const T *a = p->a;                                                                         \
        T *c = p->c;                                                                               \
        int64_t rows = p->rows;                                                                    \
        for (; rows >= AT_ONCE; rows -= AT_ONCE, a += AT_ONCE * p->a_row, c += AT_ONCE * p->c_row) \
            dots_of_##T(AT_ONCE, p, a, c);                                                         \
        for (; rows > 0; rows--, a += p->a_row, c += p->c_row) dots_of_##T(1, p, a, c);            \
    }
DOTS(uint8_t, TWO)
DOTS(uint16_t, ONE)
DOTS(uint32_t, ONE)
DOTS(uint64_t, ONE)

#ifdef ADD_float
#define OF_ALL(name)                                                                               \
    {                                                                                              \
        name##_float, name##_double, name##_uint8_t, name##_uint16_t, name##_uint32_t,             \
            name##_uint64_t                                                                        \
    }
#else /* BLAS has better ones of floating numbers */
#define OF_ALL(name)                                                                               \
    {                                                                                              \
        [HEDDLE_PACKED_1] = name##_uint8_t, name##_uint16_t, name##_uint32_t, name##_uint64_t      \
    }
#endif

extern const struct heddle__block_packed HD_PASTE(heddle__block_, packed, HD_ISA);
const struct heddle__block_packed HD_PASTE(heddle__block_, packed, HD_ISA) = {
    .rows = ROWS,
    .lanes = OF_ALL(LANES),
    .copy = OF_ALL(copy),
    .multiply = OF_ALL(multiply),
    .dots = {[HEDDLE_PACKED_1] = dots_uint8_t, dots_uint16_t, dots_uint32_t, dots_uint64_t},
};
