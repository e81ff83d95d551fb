/* A tiled matrix product for every dtype, by any strides: 64 x 64 of C for a block of 256 threads, 4 x 4 for a thread; of elements of up
 * to 4 bytes, where that makes enough tiles, 128 x 128 and 8 x 8. Integers wrap. Entry point: heddle__matmul_tiled. */
#include "families/matmul/cuda_integer.h"

#include "cuda/scalar.cuh"
#include "families/matmul/cuda_results.cuh"

#include <heddle/dtype.h>

enum { TILE = 64, DEPTH = 16 };

template <class T>
static __global__ void __launch_bounds__(256) matmul_tiled(const heddle_matmul_kernel p)
{
    __shared__ T a_tile[DEPTH][TILE + 1], b_tile[DEPTH][TILE + 1];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const hd_int64 columns = (p.n + TILE - 1) / TILE;
    const hd_int64 tiles = columns * ((p.m + TILE - 1) / TILE) * n_results(p);
    for (hd_int64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const hd_int64 column = tile % columns * TILE, rest = tile / columns;
        const result_at at(p, rest % n_results(p));
        const hd_int64 row = rest / n_results(p) * TILE;
        const T *a = at.a<T>(p), *b = at.b<T>(p);
        T *c = at.c<T>(p);
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

/* ---- Large tiles -------------------------------------------------------------------------------------- */

enum {
    LARGE = 128,
    TERMS = 16, /* of a tile */
    THREADS = 256,
    QUADS = LARGE / 4 + 1 /* one more, so that terms begin in other banks */
};

template <class S>
struct alignas(16) quad { /* what one instruction loads of shared memory */
    S of[4];
};
template <class S>
using large_tile = quad<S>[TERMS][QUADS];

enum { OF_THREAD = LARGE * TERMS / THREADS }; /* elements of a tile of A or B */

/* A thread's elements of A's or B's tiles: element i is `step` elements after the one before. Neighbouring threads are along the axis
 * whose stride is 1. */
template <class T>
struct source {
    const T *at;
    hd_int64 step;
    bool along_terms;
    unsigned has; /* bit i: element i is of a line that there is */

    __device__ __forceinline__ int line(int i) const
    {
        return along_terms ? threadIdx.x / TERMS + i * (THREADS / TERMS) : threadIdx.x % LARGE;
    }
    __device__ __forceinline__ int term(int i) const
    {
        return along_terms ? threadIdx.x % TERMS : threadIdx.x / LARGE + i * (THREADS / LARGE);
    }

    __device__ __forceinline__ source(const T *x, hd_int64 line_stride, hd_int64 term_stride,
                                      hd_int64 first, hd_int64 n)
    {
        along_terms = term_stride == 1;
        at = x + (first + line(0)) * line_stride + term(0) * term_stride;
        step = along_terms ? THREADS / TERMS * line_stride : THREADS / LARGE * term_stride;
        has = 0;
        for (int i = 0; i < OF_THREAD; i++) has |= (unsigned)(first + line(i) < n) << i;
    }

    /* Of a tile with so many terms left; then on to the next one. */
    template <class S>
    __device__ __forceinline__ void load(hd_int64 left, hd_int64 term_stride, S *element)
    {
        const T *x = at;
        unsigned some = has;
        if (left < TERMS)
            for (int i = 0; i < OF_THREAD; i++)
                if (term(i) >= left) some &= ~(1u << i);
#pragma unroll
        for (int i = 0; i < OF_THREAD; i++, x += step) element[i] = some >> i & 1 ? (S)*x : S();
        at += TERMS * term_stride;
    }

    template <class S>
    __device__ __forceinline__ void store(large_tile<S> &tile, const S *element) const
    {
#pragma unroll
        for (int i = 0; i < OF_THREAD; i++) ((S *)tile[term(i)])[line(i)] = element[i];
    }
};

template <class S>
static __device__ __forceinline__ void load_lines(const quad<S> *term, int t, S *line)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const quad<S> q = term[t + h * LARGE / 8];
#pragma unroll
        for (int i = 0; i < 4; i++) line[4 * h + i] = q.of[i];
    }
}

/* S: of sums, and of what is in shared memory: narrow integers are cut when they are stored. While a tile of A and B is read the next
 * one is on its way. */
template <class T, class S>
static __global__ void __launch_bounds__(THREADS, 2) matmul_large(const heddle_matmul_kernel p)
{
    __shared__ large_tile<S> a_tiles[2], b_tiles[2];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const hd_int64 columns = (p.n + LARGE - 1) / LARGE;
    const hd_int64 tiles = columns * ((p.m + LARGE - 1) / LARGE) * n_results(p);
    for (hd_int64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const hd_int64 column = tile % columns * LARGE, rest = tile / columns;
        const result_at at(p, rest % n_results(p));
        const hd_int64 row = rest / n_results(p) * LARGE;
        source<T> a(at.a<T>(p), p.a_row, p.a_column, row, p.m);
        source<T> b(at.b<T>(p), p.b_column, p.b_row, column, p.n);
        S sum[8][8], next_a[OF_THREAD], next_b[OF_THREAD];
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) sum[i][j] = S();
        a.load(p.k, p.a_column, next_a);
        b.load(p.k, p.b_row, next_b);
        int now = 0;
        for (hd_int64 left = p.k; left > 0; left -= TERMS, now ^= 1) {
            a.store(a_tiles[now], next_a);
            b.store(b_tiles[now], next_b);
            __syncthreads();
            if (left > TERMS) {
                a.load(left - TERMS, p.a_column, next_a);
                b.load(left - TERMS, p.b_row, next_b);
            }
#pragma unroll
            for (int k = 0; k < TERMS; k++) { /* those past the last one are zeros */
                S x[8], y[8];
                load_lines(a_tiles[now][k], ty, x);
                load_lines(b_tiles[now][k], tx, y);
#pragma unroll
                for (int i = 0; i < 8; i++)
#pragma unroll
                    for (int j = 0; j < 8; j++) sum[i][j] = hd_add(sum[i][j], hd_mul(x[i], y[j]));
            }
        }
        __syncthreads(); /* before the next one's first tile is stored */
        T *c = at.c<T>(p);
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 8; j++) {
                const hd_int64 r = row + 4 * ty + i % 4 + i / 4 * (LARGE / 2),
                               s = column + 4 * tx + j % 4 + j / 4 * (LARGE / 2);
                if (r >= p.m || s >= p.n) continue;
                T *out = c + r * p.c_row + s;
                *out = (T)(p.accumulate ? hd_add((S)*out, sum[i][j]) : sum[i][j]);
            }
    }
}

/* ---- Launches ----------------------------------------------------------------------------------------- */

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

/* NULL: of wider elements, which would need more registers than there are. */
static function large_kernel_of(int dtype)
{
    switch (dtype) {
    case HEDDLE_INT8:
    case HEDDLE_UINT8: return matmul_large<hd_uint8, hd_uint32>;
    case HEDDLE_INT16:
    case HEDDLE_UINT16: return matmul_large<hd_uint16, hd_uint32>;
    case HEDDLE_INT32:
    case HEDDLE_UINT32: return matmul_large<hd_uint32, hd_uint32>;
    case HEDDLE_FLOAT32: return matmul_large<float, float>;
    default: return nullptr;
    }
}

static int64_t tiles_of(const struct heddle_matmul_kernel *p, int64_t extent)
{
    return ((p->m + extent - 1) / extent) * ((p->n + extent - 1) / extent) * n_results(*p);
}

int heddle__matmul_tiled(const struct heddle_matmul_kernel *args, void *stream)
{
    enum { ENOUGH = 100 }; /* large tiles, for most multiprocessors */
    const function large = large_kernel_of(args->dtype);
    const int64_t n_small = tiles_of(args, TILE), n_large = tiles_of(args, LARGE);
    /* at the borders of C large ones may be empty for the most part */
    const bool is_large = large && n_large >= ENOUGH && 4 * n_large <= n_small + n_small / 3;
    const function kernel = is_large ? large : kernel_of(args->dtype);
    const int64_t tiles = is_large ? n_large : n_small;
    if (!kernel) return (int)cudaErrorInvalidValue;
    if (tiles == 0) return (int)cudaSuccess;
    void *parameters[] = {const_cast<heddle_matmul_kernel *>(args)};
    const dim3 grid((unsigned)(tiles < (1 << 20) ? tiles : 1 << 20)), block(256);
    return (int)cudaLaunchKernel((const void *)kernel, grid, block, parameters, 0,
                                 (cudaStream_t)stream);
}
