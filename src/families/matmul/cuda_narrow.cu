/* Products with a matrix of few rows and columns, of float32 and float64 by any strides: a thread for an element of C, so that stores are
 * dense whatever the number of columns; neighbours read the same row of A from the cache. Sums run over k left to right, fused. Entry
 * point: heddle__matmul_narrow. */
#include "families/matmul/cuda_narrow.h"

#include "families/matmul/cuda_small.cuh"

#include <heddle/dtype.h>

enum { THREADS = 256, ROWS = 4 /* of a thread */ };

/* K: terms of a sum; 0: p.k. A block takes as many rows as its threads divided by n, ROWS times. SAME: one B for all results. */
template <class T, int K, bool SAME>
static __global__ void __launch_bounds__(THREADS) matmul_narrow(const heddle_matmul_kernel p)
{
    __shared__ T b_shared[HEDDLE_MATMUL_NARROW_SIZE];
    const int n = (int)p.n, k = K ? K : (int)p.k;
    const int at_once = THREADS / n, i = (int)threadIdx.x / n, j = (int)threadIdx.x % n;
    if (SAME) {
        for (int e = threadIdx.x; e < n * k; e += THREADS)
            b_shared[e] = ((const T *)p.b)[e / n * p.b_row + e % n * p.b_column];
        __syncthreads();
    }
    if (i >= at_once) return;
    const hd_int64 n_rows = p.m * n_results(p), step = (hd_int64)gridDim.x * at_once * ROWS;
    for (hd_int64 first = (hd_int64)blockIdx.x * at_once * ROWS + i; first < n_rows;
         first += step) {
        const T *a[ROWS], *b[ROWS];
        T *c[ROWS], sum[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const hd_int64 row = first + r * at_once, in = row < n_rows ? row : first;
            const hd_int64 result = p.batch == 1 ? 0 : in / p.m, of_result = in - result * p.m;
            const result_at at(p, result);
            a[r] = at.a<T>(p) + of_result * p.a_row;
            b[r] = SAME ? b_shared + j : at.b<T>(p) + j * p.b_column;
            c[r] = row < n_rows ? at.c<T>(p) + of_result * p.c_row + j : nullptr;
            sum[r] = 0;
        }
#pragma unroll(K ? K : 4)
        for (int l = 0; l < k; l++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                sum[r] = multiply_add(a[r][l * p.a_column], b[r][l * (SAME ? n : p.b_row)], sum[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (c[r]) *c[r] = p.accumulate ? *c[r] + sum[r] : sum[r];
    }
}

typedef void (*function)(const heddle_matmul_kernel);

template <class T, bool SAME>
static function kernel_of(int64_t k)
{
    switch (k) {
    case 2: return matmul_narrow<T, 2, SAME>;
    case 3: return matmul_narrow<T, 3, SAME>;
    case 4: return matmul_narrow<T, 4, SAME>;
    case 8: return matmul_narrow<T, 8, SAME>;
    default: return matmul_narrow<T, 0, SAME>;
    }
}

int heddle__matmul_narrow(const struct heddle_matmul_kernel *args, void *stream)
{
    heddle_matmul_kernel p = *args;
    const bool same = heddle__matmul_has_one_b(&p);
    if (same) join_rows(p);
    const function kernel = p.dtype == HEDDLE_FLOAT64
                                ? (same ? kernel_of<double, true> : kernel_of<double, false>)(p.k)
                                : (same ? kernel_of<float, true> : kernel_of<float, false>)(p.k);
    void *parameters[] = {&p};
    return (int)cudaLaunchKernel((const void *)kernel,
                                 dim3(blocks_of(p.m * n_results(p), THREADS / p.n * ROWS)),
                                 dim3(THREADS), parameters, 0, (cudaStream_t)stream);
}
