/* Products of float32 and float64 with sums of few terms, by a small matrix that many rows or many columns share: cuBLAS's tiles would be
 * mostly empty, so that neither memory nor arithmetic is busy. Sums run over k left to right, fused, as a narrow product's. Entry point:
 * heddle__matmul_short. */
#include "families/matmul/cuda_short.h"

#include "families/matmul/cuda_small.cuh"

#include <heddle/dtype.h>

enum { THREADS = 256, MOST = HEDDLE_MATMUL_SHORT, ROWS = 4 /* of a thread */, COLUMNS = 2 };

/* What one access moves. */
template <class T>
struct alignas(16) piece {
    enum { N = 16 / sizeof(T) };
    T at[N];
};

/* How a row's pieces of the result go to threads, in one number: how many threads have a row; which operands are accessed by whole
 * pieces. */
enum { PER_ROW = 7, WHOLE_A = 8, WHOLE_C = 16 };

/* n <= MOST. So many threads have a row, PIECES pieces each, with as many threads' between two of them, so that neighbours store what lies
 * together; a thread has ROWS rows, for which it reads B once. */
template <class T, int PIECES>
static __global__ void __launch_bounds__(THREADS)
    short_rows(const heddle_matmul_kernel p, const int ways)
{
    enum { N = piece<T>::N };
    __shared__ piece<T> b[MOST][MOST / N];
    const int per_row = ways & PER_ROW;
    const int n = (int)p.n, k = (int)p.k, groups = THREADS / per_row;
    for (int e = threadIdx.x; e < MOST * MOST; e += THREADS) {
        const int l = e / MOST, j = e % MOST;
        b[l][j / N].at[j % N] =
            l < k && j < n ? ((const T *)p.b)[l * p.b_row + j * p.b_column] : T();
    }
    __syncthreads();
    const int lane = (int)threadIdx.x % per_row, group = (int)threadIdx.x / per_row;
    const hd_int64 n_rows = p.m * n_results(p), step = (hd_int64)gridDim.x * groups * ROWS;
    for (hd_int64 first = (hd_int64)blockIdx.x * groups * ROWS + group; first < n_rows;
         first += step) {
        const T *a[ROWS];
        T *c[ROWS];
        piece<T> sum[ROWS][PIECES];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const hd_int64 row = first + r * groups, in = row < n_rows ? row : first;
            const hd_int64 result = p.batch == 1 ? 0 : in / p.m, of_result = in - result * p.m;
            const result_at at(p, result);
            a[r] = at.a<T>(p) + of_result * p.a_row;
            c[r] = row < n_rows ? at.c<T>(p) + of_result * p.c_row : nullptr;
#pragma unroll
            for (int v = 0; v < PIECES; v++)
#pragma unroll
                for (int j = 0; j < N; j++) sum[r][v].at[j] = T();
        }
#pragma unroll 2
        for (int l = 0; l < k; l += N) {
            piece<T> x[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (ways & WHOLE_A) {
                    x[r] = *(const piece<T> *)(a[r] + l);
                    continue;
                }
#pragma unroll
                for (int i = 0; i < N; i++)
                    x[r].at[i] = l + i < k ? a[r][(l + i) * p.a_column] : T();
            }
#pragma unroll
            for (int i = 0; i < N; i++) {
                if (l + i >= k) break;
#pragma unroll
                for (int v = 0; v < PIECES; v++) {
                    const piece<T> y = b[l + i][lane + v * per_row];
#pragma unroll
                    for (int r = 0; r < ROWS; r++)
#pragma unroll
                        for (int j = 0; j < N; j++)
                            sum[r][v].at[j] = multiply_add(x[r].at[i], y.at[j], sum[r][v].at[j]);
                }
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int v = 0; v < PIECES; v++) {
                const int j0 = (lane + v * per_row) * N;
                if (!c[r] || j0 >= n) continue;
                T *const to = c[r] + j0;
                if ((ways & WHOLE_C) && !p.accumulate) {
                    *(piece<T> *)to = sum[r][v];
                    continue;
                }
#pragma unroll
                for (int j = 0; j < N; j++)
                    if (j0 + j < n)
                        to[j] = p.accumulate ? to[j] + sum[r][v].at[j] : sum[r][v].at[j];
            }
    }
}

/* m <= MOST, k <= K. A thread has COLUMNS columns, whose elements of B it keeps in registers. */
template <class T, int K>
static __global__ void __launch_bounds__(THREADS) short_columns(const heddle_matmul_kernel p)
{
    enum { N = piece<T>::N };
    __shared__ piece<T> a[MOST][K / N];
    const int m = (int)p.m, k = (int)p.k;
    const hd_int64 wide = THREADS * COLUMNS, chunks = (p.n + wide - 1) / wide;
    for (hd_int64 item = blockIdx.x; item < chunks * n_results(p); item += gridDim.x) {
        const hd_int64 result = p.batch == 1 ? 0 : item / chunks;
        const hd_int64 first = (item - result * chunks) * wide + threadIdx.x;
        const result_at at(p, result);
        if (item == blockIdx.x || p.a_batch != 0 || p.a_outer != 0) {
            __syncthreads();
            for (int e = threadIdx.x; e < m * K; e += THREADS) {
                const int i = e / K, l = e % K;
                const T *const from = at.a<T>(p);
                a[i][l / N].at[l % N] = l < k ? from[i * p.a_row + l * p.a_column] : T();
            }
            __syncthreads();
        }
        T b[K][COLUMNS];
        T *const c = at.c<T>(p);
#pragma unroll
        for (int l = 0; l < K; l++)
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                const hd_int64 column = first + j * THREADS;
                b[l][j] = l < k && column < p.n ? at.b<T>(p)[l * p.b_row + column] : T();
            }
        for (int i = 0; i < m; i++) {
            T sum[COLUMNS] = {};
#pragma unroll
            for (int q = 0; q < K / N; q++) {
                const piece<T> x = a[i][q];
#pragma unroll
                for (int l = 0; l < N; l++) {
                    if (q * N + l >= k) break;
#pragma unroll
                    for (int j = 0; j < COLUMNS; j++)
                        sum[j] = multiply_add(x.at[l], b[q * N + l][j], sum[j]);
                }
            }
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                const hd_int64 column = first + j * THREADS;
                if (column >= p.n) continue;
                T *const to = c + i * p.c_row + column;
                *to = p.accumulate ? *to + sum[j] : sum[j];
            }
        }
    }
}

template <class T>
static cudaError_t launch_rows(heddle_matmul_kernel p, cudaStream_t stream)
{
    enum { N = piece<T>::N };
    join_rows(p);
    const int pieces = (int)(p.n + N - 1) / N;
    const bool has_batches = p.batch > 1;
    const int per_row = pieces <= 1 ? 1 : pieces <= 2 ? 2 : 4;
    int ways = per_row;
    if (p.a_column == 1 && p.k % N == 0 && p.a_row % N == 0 && (uintptr_t)p.a % 16 == 0 &&
        (!has_batches || (p.a_batch % N == 0 && p.a_outer % N == 0)))
        ways |= WHOLE_A;
    if (p.n % N == 0 && p.c_row % N == 0 && (uintptr_t)p.c % 16 == 0 &&
        (!has_batches || (p.c_batch % N == 0 && p.c_outer % N == 0)))
        ways |= WHOLE_C;
    const void *const kernel =
        pieces <= 4 ? (const void *)short_rows<T, 1> : (const void *)short_rows<T, 2>;
    void *parameters[] = {&p, &ways};
    return cudaLaunchKernel(kernel, dim3(blocks_of(p.m * n_results(p), THREADS / per_row * ROWS)),
                            dim3(THREADS), parameters, 0, stream);
}

template <class T>
static cudaError_t launch_columns(heddle_matmul_kernel p, cudaStream_t stream)
{
    const int64_t wide = THREADS * COLUMNS, chunks = (p.n + wide - 1) / wide;
    const void *const kernel = p.k <= 4   ? (const void *)short_columns<T, 4>
                               : p.k <= 8 ? (const void *)short_columns<T, 8>
                                          : (const void *)short_columns<T, 16>;
    void *parameters[] = {&p};
    return cudaLaunchKernel(kernel, dim3(blocks_of(chunks * n_results(p), 1)), dim3(THREADS),
                            parameters, 0, stream);
}

int heddle__matmul_short(const struct heddle_matmul_kernel *args, void *stream)
{
    const bool by_rows = args->n <= MOST, doubles = args->dtype == HEDDLE_FLOAT64;
    return (int)(by_rows ? (doubles ? launch_rows<double> : launch_rows<float>)
                         : (doubles ? launch_columns<double> : launch_columns<float>))(
        *args, (cudaStream_t)stream);
}
