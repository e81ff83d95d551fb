/* Kernels beside cuSOLVER. Entry points: cuda_unpack.h. */
#include "families/spectral/cuda_unpack.h"

#include <cuda_runtime.h>

namespace
{

enum { THREADS = 256, MOST_BLOCKS = 4096 };

int blocks_for(int64_t n)
{
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return (int)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

template <class R>
__global__ void unpack(int64_t n, const R *values, const R *rows, R *vectors)
{
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x; at < n * n; at += step) {
        const int64_t i = at / n, k = at % n;
        const R im = values[2 * i + 1];
        const R *x = rows + (im < 0 ? i - 1 : i) * n; /* the second of a pair has the other sign */
        vectors[2 * at] = x[k];
        vectors[2 * at + 1] = im > 0 ? x[n + k] : im < 0 ? -x[n + k] : R(0);
    }
}

template <class R>
__global__ void adjoint(int parts, int64_t batch, int64_t n, const R *from, R *to)
{
    const int64_t step = (int64_t)gridDim.x * THREADS, size = n * n;
    for (int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x; at < batch * size; at += step) {
        const int64_t i = at % size / n, k = at % n;
        const R *x = from + parts * (at - at % size + k * n + i);
        to[parts * at] = x[0];
        if (parts == 2) to[2 * at + 1] = -x[1];
    }
}

template <class R>
__global__ void check(int64_t n, int64_t each, const R *x, int *bad)
{
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        if (x[i] * 0 != 0) bad[i / each] = 1;
}

/* A block for each matrix, a run of values for each thread. */
template <class R>
__global__ void order(R sign, int64_t n, R *values, int *bad)
{
    __shared__ R largest[THREADS];
    const int64_t run = (n + THREADS - 1) / THREADS, from = threadIdx.x * run,
                  to = from + run < n ? from + run : n;
    R *x = values + blockIdx.x * n, before = -INFINITY;
    for (int64_t i = from; i < to; i++) {
        if (x[i] * 0 != 0) bad[blockIdx.x] = 1;
        if (sign * x[i] > before) before = sign * x[i];
    }
    largest[threadIdx.x] = before;
    __syncthreads();
    before = -INFINITY;
    for (int t = 0; t < (int)threadIdx.x; t++)
        if (largest[t] > before) before = largest[t];
    for (int64_t i = from; i < to; i++) {
        if (sign * x[i] < before)
            x[i] = sign * before;
        else
            before = sign * x[i];
    }
}

} // namespace

int heddle__spectral_unpack(int is_double, int64_t n, const void *values, const void *rows,
                            void *vectors, void *stream)
{
    const auto s = static_cast<cudaStream_t>(stream);
    if (is_double)
        unpack<<<blocks_for(n * n), THREADS, 0, s>>>(n, static_cast<const double *>(values),
                                                     static_cast<const double *>(rows),
                                                     static_cast<double *>(vectors));
    else
        unpack<<<blocks_for(n * n), THREADS, 0, s>>>(n, static_cast<const float *>(values),
                                                     static_cast<const float *>(rows),
                                                     static_cast<float *>(vectors));
    return cudaGetLastError();
}

int heddle__spectral_adjoint(int is_double, int is_complex, int64_t batch, int64_t n,
                             const void *from, void *to, void *stream)
{
    const auto s = static_cast<cudaStream_t>(stream);
    const int parts = is_complex ? 2 : 1, blocks = blocks_for(batch * n * n);
    if (is_double)
        adjoint<<<blocks, THREADS, 0, s>>>(parts, batch, n, static_cast<const double *>(from),
                                           static_cast<double *>(to));
    else
        adjoint<<<blocks, THREADS, 0, s>>>(parts, batch, n, static_cast<const float *>(from),
                                           static_cast<float *>(to));
    return cudaGetLastError();
}

int heddle__spectral_check(int is_double, int64_t n, int64_t each, const void *x, int *bad,
                           void *stream)
{
    const auto s = static_cast<cudaStream_t>(stream);
    if (is_double)
        check<<<blocks_for(n), THREADS, 0, s>>>(n, each, static_cast<const double *>(x), bad);
    else
        check<<<blocks_for(n), THREADS, 0, s>>>(n, each, static_cast<const float *>(x), bad);
    return cudaGetLastError();
}

int heddle__spectral_order(int is_double, int descending, int64_t batch, int64_t n, void *values,
                           int *bad, void *stream)
{
    const auto s = static_cast<cudaStream_t>(stream);
    const int blocks = static_cast<int>(batch);
    if (is_double)
        order<<<blocks, THREADS, 0, s>>>(descending ? -1.0 : 1.0, n, static_cast<double *>(values),
                                         bad);
    else
        order<<<blocks, THREADS, 0, s>>>(descending ? -1.0F : 1.0F, n, static_cast<float *>(values),
                                         bad);
    return cudaGetLastError();
}
