/* A tiled matrix product for every dtype, by any strides: 64 x 64 of C for a block of 256 threads,
 * 4 x 4 for a thread. Integers wrap. Entry point: heddle__matmul_tiled. */
#include "families/matmul/cuda_integer.h"

#include "cuda/scalar.cuh"

#include <heddle/dtype.h>

enum { TILE = 64, DEPTH = 16 };

template <class T>
static __global__ void __launch_bounds__(256) matmul_tiled(const heddle_matmul_kernel p)
{
    __shared__ T a_tile[DEPTH][TILE + 1], b_tile[DEPTH][TILE + 1];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const hd_int64 columns = (p.n + TILE - 1) / TILE;
    const hd_int64 tiles = columns * ((p.m + TILE - 1) / TILE) * p.batch;
    for (hd_int64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const hd_int64 column = tile % columns * TILE, rest = tile / columns;
        const hd_int64 batch = rest % p.batch, row = rest / p.batch * TILE;
        const T *a = (const T *)p.a + batch * p.a_batch, *b = (const T *)p.b + batch * p.b_batch;
        T *c = (T *)p.c + batch * p.c_batch;
        T sum[4][4];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) sum[i][j] = T();
        for (hd_int64 k0 = 0; k0 < p.k; k0 += DEPTH) {
            for (int e = threadIdx.x; e < TILE * DEPTH; e += 256) {
                /* neighbouring threads along the axis of stride 1 */
                const int ai = p.a_column == 1 ? e / DEPTH : e % TILE;
                const int ak = p.a_column == 1 ? e % DEPTH : e / TILE;
                const int bj = p.b_column == 1 ? e % TILE : e / DEPTH;
                const int bk = p.b_column == 1 ? e / TILE : e % DEPTH;
                const bool has_a = row + ai < p.m && k0 + ak < p.k;
                const bool has_b = column + bj < p.n && k0 + bk < p.k;
                a_tile[ak][ai] = has_a ? a[(row + ai) * p.a_row + (k0 + ak) * p.a_column] : T();
                b_tile[bk][bj] = has_b ? b[(k0 + bk) * p.b_row + (column + bj) * p.b_column] : T();
            }
            __syncthreads();
            const int depth = p.k - k0 < DEPTH ? (int)(p.k - k0) : DEPTH;
            for (int k = 0; k < depth; k++) {
                T x[4], y[4];
#pragma unroll
                for (int i = 0; i < 4; i++) x[i] = a_tile[k][ty + 16 * i];
#pragma unroll
                for (int j = 0; j < 4; j++) y[j] = b_tile[k][tx + 16 * j];
#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++) sum[i][j] = hd_add(sum[i][j], hd_mul(x[i], y[j]));
            }
            __syncthreads();
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                const hd_int64 r = row + ty + 16 * i, s = column + tx + 16 * j;
                if (r >= p.m || s >= p.n) continue;
                T *out = c + r * p.c_row + s;
                *out = p.accumulate ? hd_add(*out, sum[i][j]) : sum[i][j];
            }
    }
}

typedef void (*function)(const heddle_matmul_kernel);

/* Signed and unsigned products have the same bits. */
static function kernel_of(int dtype)
{
    switch (dtype) {
    case HEDDLE_INT8:
    case HEDDLE_UINT8: return matmul_tiled<hd_uint8>;
    case HEDDLE_INT16:
    case HEDDLE_UINT16: return matmul_tiled<hd_uint16>;
    case HEDDLE_INT32:
    case HEDDLE_UINT32: return matmul_tiled<hd_uint32>;
    case HEDDLE_INT64:
    case HEDDLE_UINT64: return matmul_tiled<hd_uint64>;
    case HEDDLE_FLOAT32: return matmul_tiled<float>;
    case HEDDLE_FLOAT64: return matmul_tiled<double>;
    case HEDDLE_COMPLEX64: return matmul_tiled<hd_complex64>;
    case HEDDLE_COMPLEX128: return matmul_tiled<hd_complex128>;
    default: return nullptr;
    }
}

int heddle__matmul_tiled(const struct heddle_matmul_kernel *args, void *stream)
{
    const function kernel = kernel_of(args->dtype);
    const int64_t tiles =
        ((args->m + TILE - 1) / TILE) * ((args->n + TILE - 1) / TILE) * args->batch;
    if (!kernel) return (int)cudaErrorInvalidValue;
    if (tiles == 0) return (int)cudaSuccess;
    void *parameters[] = {const_cast<heddle_matmul_kernel *>(args)};
    const dim3 grid((unsigned)(tiles < (1 << 20) ? tiles : 1 << 20)), block(256);
    return (int)cudaLaunchKernel((const void *)kernel, grid, block, parameters, 0,
                                 (cudaStream_t)stream);
}
