/* Products of rows by a matrix of few rows and columns, for one instruction set (HD_ISA): a lane for each column of the result,
 * so that nothing is brought into another order. Entry point: heddle__block_narrow_<isa>. */
#include "cpu/blocks.h"
#include "cpu/loops.h"
#include "cpu/products/widest.h"

#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* Rows of at most BYTES: V vectors of L lanes. ROWS at once, so that an element of B is loaded for all of them, and as their sums fit
 * in registers. Of C all lanes of a row are stored where those too many are of rows that follow, which are stored later. */
#define NARROW(T, BYTES)                                                                           \
    typedef T lanes_##T##_##BYTES                                                                  \
        __attribute__((vector_size(MIN(BYTES, WIDEST)), aligned(sizeof(T))));                      \
    static inline __attribute__((always_inline)) void rows_##T##_##BYTES(                          \
        const struct heddle__narrow *p, int k)                                                     \
    {                                                                                              \
        enum {                                                                                     \
            L = MIN(BYTES, WIDEST) / (int)sizeof(T),                                               \
            V = BYTES / MIN(BYTES, WIDEST),                                                        \
            ROWS = V <= 2 ? 4 : 8 / V                                                              \
        };                                                                                         \
        T elements[HEDDLE_NARROW][L * V];                                                          \
        for (int l = 0; l < k; l++) {                                                              \
            const T *from = (const T *)p->b + l * p->b_row;                                        \
            for (int j = 0; j < L * V; j++) elements[l][j] = j < p->n ? from[j * p->b_column] : 0; \
        }                                                                                          \
        lanes_##T##_##BYTES b[HEDDLE_NARROW][V], sum[ROWS][V];                                     \
        for (int l = 0; l < k; l++)                                                                \
            HD_UNROLL for (int v = 0; v < V; v++) b[l][v] =                                        \
                *(const lanes_##T##_##BYTES *)(elements[l] + v * L);                               \
        const int64_t after = (L * V + p->n - 1) / p->n - 1; /* rows that are overwritten */       \
        const int64_t wide = p->c_row == p->n ? p->rows - after : 0;                               \
        int64_t r = 0;                                                                             \
        for (; r + ROWS <= wide; r += ROWS) {                                                      \
            const T *a = (const T *)p->a + r * p->a_row;                                           \
            T *c = (T *)p->c + r * p->c_row;                                                       \
            memset(sum, 0, sizeof sum);                                                            \
            for (int l = 0; l < k; l++) {                                                          \
                HD_UNROLL for (int i = 0; i < ROWS; i++) HD_UNROLL for (int v = 0; v < V; v++)     \
                    sum[i][v] += a[l + i * p->a_row] * b[l][v];                                    \
            }                                                                                      \
            HD_UNROLL for (int i = 0; i < ROWS; i++) memcpy(c + i * p->n, sum[i], sizeof sum[i]);  \
        }                                                                                          \
        for (; r < p->rows; r++) {                                                                 \
            const T *a = (const T *)p->a + r * p->a_row;                                           \
            T *c = (T *)p->c + r * p->c_row;                                                       \
            memset(sum[0], 0, sizeof sum[0]);                                                      \
            for (int l = 0; l < k; l++)                                                            \
                HD_UNROLL for (int v = 0; v < V; v++) sum[0][v] += a[l] * b[l][v];                 \
            memcpy(elements[0], sum[0], sizeof sum[0]);                                            \
            for (int j = 0; j < p->n; j++) c[j] = elements[0][j];                                  \
        }                                                                                          \
    }                                                                                              \
    static void narrow_##T##_##BYTES(const struct heddle__narrow *p)                               \
    {                                                                                              \
        switch (p->k) { /* loops of a known length */                                              \
        case 2: rows_##T##_##BYTES(p, 2); break;                                                   \
        case 3: rows_##T##_##BYTES(p, 3); break;                                                   \
        case 4: rows_##T##_##BYTES(p, 4); break;                                                   \
        case 8: rows_##T##_##BYTES(p, 8); break;                                                   \
        default: rows_##T##_##BYTES(p, p->k); break;                                               \
        }                                                                                          \
    }
NARROW(float, 16)
NARROW(float, 32)
NARROW(float, 64)
NARROW(double, 32)
NARROW(double, 64)
NARROW(double, 128)

static void narrow_f32(const struct heddle__narrow *p)
{
    (p->n <= 4 ? narrow_float_16 : p->n <= 8 ? narrow_float_32 : narrow_float_64)(p);
}

static void narrow_f64(const struct heddle__narrow *p)
{
    (p->n <= 4 ? narrow_double_32 : p->n <= 8 ? narrow_double_64 : narrow_double_128)(p);
}

extern const struct heddle__block_narrow HD_PASTE(heddle__block_, narrow, HD_ISA);
const struct heddle__block_narrow HD_PASTE(heddle__block_, narrow, HD_ISA) = {
    .real = {narrow_f32, narrow_f64},
};
