/* Factors of small matrices of a batch are applied to blocks of columns, by warps that keep some columns in registers: reflections of QR, and
 * triangular equations. Entry points: heddle__batch_applies, heddle__batch_expand, heddle__batch_triangular. */
#include "families/factor/cuda_batch.h"

#include "families/factor/cuda_substitute.cuh"

#include <cuda_runtime.h>
#include <heddle/dtype.h>

namespace
{

struct blocks {
    const void *a, *scales;
    void *to;
    int rows, columns, n_reflectors, groups; /* groups: of columns, a warp each */
    hd_int64 a_step, warps;                  /* from matrix to matrix; all */
    bool lower, unit, begins;
};

/* Which columns a warp has, and where. */
template <class T, int C>
struct share {
    const T *a;
    T *to;
    hd_int64 matrix;
    int first, n; /* columns; none if the warp has nothing */
};
template <class T, int C>
HD share<T, C> share_of(const blocks &b)
{
    share<T, C> s;
    const hd_int64 warp = ((hd_int64)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    s.matrix = warp < b.warps ? warp / b.groups : 0;
    s.first = (int)(warp - s.matrix * b.groups) * C;
    s.n = warp < b.warps ? (b.columns - s.first < C ? b.columns - s.first : C) : 0;
    s.a = (const T *)b.a + s.matrix * b.a_step;
    s.to = (T *)b.to + (s.matrix * b.columns + s.first) * b.rows;
    return s;
}

/* Reflector k: 1 at its row, zeros before it; nothing of -1. */
template <class T, int E>
HD void load_reflector(T (&v)[E], const T *a, int k, int rows)
{
    const T *const x = a + (hd_int64)k * rows;
#pragma unroll
    for (int e = 0; e < E; e++) {
        const int row = e * WARP + (int)threadIdx.x % WARP;
        v[e] = k >= 0 && row > k && row < rows ? x[row] : T{(real_of<T>)(row == k)};
    }
}

/* Rows lane, lane + 32, .. of C columns, E of them, for each thread. */
template <class T, int E, int C>
__global__ void __launch_bounds__(128) expand(const blocks b)
{
    const share<T, C> s = share_of<T, C>(b);
    const int lane = threadIdx.x % WARP, rows = b.rows;
    if (s.n == 0) return;
    T x[E][C];
#pragma unroll
    for (int e = 0; e < E; e++)
#pragma unroll
        for (int c = 0; c < C; c++) {
            const int row = e * WARP + lane;
            x[e][c] = b.begins                ? T{(real_of<T>)(row == s.first + c)}
                      : c < s.n && row < rows ? s.to[c * rows + row]
                                              : T{0};
        }
    const T *const scales = (const T *)b.scales + s.matrix * b.n_reflectors;
    /* reflectors behind a column of the identity do not reach it */
    const int last = s.first + s.n, n = b.begins && last < b.n_reflectors ? last : b.n_reflectors;
    T v[E], tau = n > 0 ? scales[n - 1] : T{0};
    load_reflector(v, s.a, n - 1, rows);
    for (int k = n - 1; k >= 0; k--) {
        T next[E], sum[C]; /* what the next step reads is on its way */
        const T next_tau = k > 0 ? scales[k - 1] : T{0};
        load_reflector(next, s.a, k - 1, rows);
#pragma unroll
        for (int c = 0; c < C; c++) {
            sum[c] = T{0};
#pragma unroll
            for (int e = 0; e < E; e++) sum[c] = plus(sum[c], hd_conj(v[e]), x[e][c]);
        }
#pragma unroll
        for (int c = 0; c < C; c++) sum[c] = plus(T{0}, tau, sum_of_warp(sum[c]));
#pragma unroll
        for (int e = 0; e < E; e++) {
#pragma unroll
            for (int c = 0; c < C; c++) x[e][c] = minus(x[e][c], v[e], sum[c]);
            v[e] = next[e];
        }
        tau = next_tau;
    }
#pragma unroll
    for (int e = 0; e < E; e++)
#pragma unroll
        for (int c = 0; c < C; c++)
            if (c < s.n && e * WARP + lane < rows) s.to[c * rows + e * WARP + lane] = x[e][c];
}

/* An upper triangle is a lower one from its last row and column on: step k is about row and column k, or n - 1 - k. */
template <class T, int E, int C>
__global__ void __launch_bounds__(128) triangular(const blocks b)
{
    const share<T, C> s = share_of<T, C>(b);
    const int lane = threadIdx.x % WARP, rows = b.rows;
    const int sign = b.lower ? 1 : -1, origin = b.lower ? 0 : rows - 1;
    const T *const a = s.a + (hd_int64)origin * (rows + 1);
    if (s.n == 0) return;
    T x[E][C], diagonal[E], inverse[E];
#pragma unroll
    for (int e = 0; e < E; e++) {
        const int row = e * WARP + lane;
        diagonal[e] = row < rows && !b.unit ? a[(hd_int64)sign * row * (rows + 1)] : T{1};
        inverse[e] = inverse_of(diagonal[e]);
#pragma unroll
        for (int c = 0; c < C; c++)
            x[e][c] = c < s.n && row < rows ? s.to[c * rows + origin + sign * row] : T{0};
    }
    substitute(x, a, rows, diagonal, inverse, rows, sign);
#pragma unroll
    for (int e = 0; e < E; e++)
#pragma unroll
        for (int c = 0; c < C; c++) {
            const int row = e * WARP + lane;
            if (c < s.n && row < rows) s.to[c * rows + origin + sign * row] = x[e][c];
        }
}

template <class T>
int launch_blocks(void (*kernel)(blocks), int columns, const heddle_batch *b, void *stream)
{
    blocks k = {};
    k.a = b->panel;
    k.scales = b->scales;
    k.to = b->block;
    k.rows = b->rows;
    k.columns = b->block_columns;
    k.n_reflectors = b->rows < b->columns ? b->rows : b->columns;
    k.groups = (b->block_columns + columns - 1) / columns;
    k.a_step = (hd_int64)b->rows * b->columns;
    k.warps = k.groups * b->n;
    k.lower = b->lower;
    k.unit = b->unit;
    k.begins = b->begins;
    const int warps = k.groups < 4 ? (k.groups == 3 ? 1 : k.groups)
                                   : 4; /* those of a block read the same factor */
    void *arguments[] = {&k};
    return (int)cudaLaunchKernel(
        (const void *)kernel, dim3((unsigned)((k.warps + warps - 1) / warps)),
        dim3((unsigned)(warps * WARP)), arguments, 0, (cudaStream_t)stream);
}

#define OF_BLOCKS(kernel, E, C) launch_blocks<T>(kernel<T, E, C>, C, b, stream)
/* By how many rows a thread has; of complex128 fewer columns, which are as many registers. */
#define BY_ROWS(kernel)                                                                            \
    const int each = (b->rows + WARP - 1) / WARP;                                                  \
    enum { WIDE = sizeof(T) == 16 ? 2 : 1 };                                                       \
    return each <= 2 && b->block_columns == 1 ? OF_BLOCKS(kernel, 2, 1)                            \
           : each <= 1                        ? OF_BLOCKS(kernel, 1, 4)                            \
           : each <= 2                        ? OF_BLOCKS(kernel, 2, 4)                            \
           : each <= 4                        ? OF_BLOCKS(kernel, 4, 4 / WIDE)                     \
           : each <= 8                        ? OF_BLOCKS(kernel, 8, 2 / WIDE)                     \
                                              : OF_BLOCKS(kernel, 16, 1)

template <class T>
int expand_of(const heddle_batch *b, void *stream)
{
    BY_ROWS(expand);
}
template <class T>
int triangular_of(const heddle_batch *b, void *stream)
{
    BY_ROWS(triangular);
}

} // namespace

bool heddle__batch_applies(const struct heddle_batch *b)
{
    return b->n > 1 && b->rows > 0 && b->rows <= HEDDLE_BATCH_ROWS && b->block_columns > 0 &&
           b->n * b->block_columns <= INT32_MAX;
}

int heddle__batch_expand(const struct heddle_batch *b, void *stream)
{
#define EXPAND(T) expand_of<T>(b, stream)
    BY_DTYPE(b->dtype, EXPAND)
}

int heddle__batch_triangular(const struct heddle_batch *b, void *stream)
{
#define TRIANGULAR(T) triangular_of<T>(b, stream)
    BY_DTYPE(b->dtype, TRIANGULAR)
}
