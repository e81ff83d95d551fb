/* Systems of 17 to 64 rows or columns, each by a block of threads in shared memory: elimination of the matrix and the right side together,
 * then substitution by warps that have some of its columns. Entry point: heddle__systems_launch_large. */
#include "families/factor/cuda_eliminate.cuh"
#include "families/factor/cuda_substitute.cuh"
#include "families/factor/cuda_systems.h"

#include <cuda_runtime.h>

enum { MOST_THREADS = 256 };

/* A row-major matrix to columns of shared memory. */
template <class T>
HD void load_rows(T *to, int pitch, const T *from, int rows, int columns)
{
    const int lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
    for (int i = threadIdx.x / WARP; i < rows; i += warps)
        for (int j = lane; j < columns; j += WARP) to[j * pitch + i] = from[i * columns + j];
}

/* What the pivots say of a system; its first thread's. */
template <class T>
struct pivots {
    T product, *all; /* all: where each of them goes, or NULL */
    int bad;         /* the first that is 0, + 1, or 0 */
    bool odd;
    __device__ __forceinline__ void operator()(int k, int at, T pivot)
    {
        product = k == 0 ? pivot : product * pivot;
        odd ^= at != k;
        if (pivot == 0 && bad == 0) bad = k + 1;
        if (all) all[k] = pivot;
    }
};

/* E: rows of a thread. */
template <class T, int E>
static __global__ void __launch_bounds__(MOST_THREADS) solve_large(const heddle_systems_launch s)
{
    HD_ROOMS;
    enum { C = TOGETHER };
    T *const a = (T *)hd_rooms;
    const int n = s.n, pitch = n | 1, lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
    const hd_int64 system = blockIdx.x;
    const bool of_matrix = s.what >= HEDDLE_SYSTEMS_PIVOTS;
    const int columns = of_matrix ? 0 : s.columns;
    T *const right = a + n * pitch;
    load_rows(a, pitch, (const T *)s.a + system * n * n, n, n);
    if (!of_matrix && s.what != HEDDLE_SYSTEMS_INVERT)
        load_rows(right, pitch, (const T *)s.b + system * n * columns, n, columns);
    for (int e = threadIdx.x; s.what == HEDDLE_SYSTEMS_INVERT && e < n * pitch; e += blockDim.x)
        right[e] = (T)(e % pitch == e / pitch);
    pivots<T> p = {1, s.what == HEDDLE_SYSTEMS_PIVOTS ? (T *)s.out + system * n : nullptr, 0,
                   false};
    __syncthreads();
    eliminate<false>(a, pitch, n, n + columns, n, [&](int k, int at, T pivot) { p(k, at, pivot); });
    if (of_matrix) {
        if (threadIdx.x > 0) return;
        if (p.all && p.odd) p.all[0] = -p.all[0];
        if (!p.all) ((T *)s.out)[system] = p.odd ? -p.product : p.product;
        return;
    }
    if (threadIdx.x == 0 && p.bad > 0)
        atomicMin(s.first, (unsigned long long)(system * n + p.bad - 1));
    T diagonal[E], inverse[E];
#pragma unroll
    for (int e = 0; e < E; e++) {
        const int row = n - 1 - (e * WARP + lane);
        diagonal[e] = row >= 0 ? a[row * (pitch + 1)] : (T)1;
        inverse[e] = inverse_of(diagonal[e]);
    }
    for (int first = (int)threadIdx.x / WARP * C; first < columns; first += warps * C) {
        T x[E][C];
#pragma unroll
        for (int e = 0; e < E; e++)
#pragma unroll
            for (int c = 0; c < C; c++) {
                const int row = n - 1 - (e * WARP + lane);
                x[e][c] = row >= 0 && first + c < columns ? right[(first + c) * pitch + row] : (T)0;
            }
        substitute(x, a + (n - 1) * (pitch + 1), pitch, diagonal, inverse, n, -1);
#pragma unroll
        for (int e = 0; e < E; e++)
#pragma unroll
            for (int c = 0; c < C; c++) {
                const int row = n - 1 - (e * WARP + lane);
                if (row >= 0 && first + c < columns) right[(first + c) * pitch + row] = x[e][c];
            }
    }
    __syncthreads();
    T *const out = (T *)s.out + system * n * columns; /* row-major again */
    for (int i = threadIdx.x / WARP; i < n; i += warps)
        for (int j = lane; j < columns; j += WARP) out[i * columns + j] = right[j * pitch + i];
}

template <class T, int E>
static int launch_large(const heddle_systems_launch &s, cudaStream_t stream)
{
    const int all = s.n + (s.what >= HEDDLE_SYSTEMS_PIVOTS ? 0 : s.columns);
    const int warps = all <= 24 ? 1 : all <= 48 ? 2 : all <= 80 ? 4 : 8;
    const size_t bytes = (size_t)(s.n | 1) * (size_t)all * sizeof(T);
    return launch_with_rooms((const void *)solve_large<T, E>, s.batch, warps * WARP, s, bytes,
                             stream);
}

template <class T>
static int launch_of(const heddle_systems_launch &s, cudaStream_t stream)
{
    return s.n <= WARP ? launch_large<T, 1>(s, stream) : launch_large<T, 2>(s, stream);
}

int heddle__systems_launch_large(const struct heddle_systems_launch *s, void *stream)
{
    return s->single ? launch_of<float>(*s, (cudaStream_t)stream)
                     : launch_of<double>(*s, (cudaStream_t)stream);
}
