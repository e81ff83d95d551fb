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
__global__ void check(int64_t n, const R *x, int *bad)
{
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        if (x[i] * 0 != 0) *bad = 1;
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

int heddle__spectral_check(int is_double, int64_t n, const void *x, int *bad, void *stream)
{
    const auto s = static_cast<cudaStream_t>(stream);
    if (is_double)
        check<<<blocks_for(n), THREADS, 0, s>>>(n, static_cast<const double *>(x), bad);
    else
        check<<<blocks_for(n), THREADS, 0, s>>>(n, static_cast<const float *>(x), bad);
    return cudaGetLastError();
}
