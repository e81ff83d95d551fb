/* What is done around cuFFT: factors, and what C2R is given. */
#include "families/fft/cuda_fft.h"

#include "cuda/scalar.cuh"

enum { THREADS = 256 };
static const int64_t blocks_max = 1 << 16;

template <class T>
struct pair {
    T r, i;
};

template <class T>
static __global__ void __launch_bounds__(THREADS) scale(T *x, hd_int64 n, T factor)
{
    const hd_int64 step = (hd_int64)gridDim.x * THREADS;
    for (hd_int64 i = (hd_int64)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        x[i] *= factor;
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    hermitian(const pair<T> *in, pair<T> *out, hd_int64 size, hd_int64 extent, hd_int64 inner,
              hd_int64 n, T factor)
{
    const hd_int64 step = (hd_int64)gridDim.x * THREADS;
    for (hd_int64 i = (hd_int64)blockIdx.x * THREADS + threadIdx.x; i < size; i += step) {
        const hd_int64 k = i / inner % extent;
        const pair<T> x = in[i];
        out[i].r = x.r * factor;
        out[i].i = k == 0 || 2 * k == n ? (T)0 : x.i * factor;
    }
}

static unsigned blocks(int64_t n)
{
    const int64_t b = (n + THREADS - 1) / THREADS;
    return (unsigned)(b < blocks_max ? b : blocks_max);
}

int heddle__fft_scale(void *x, int is_double, int64_t n, double factor, void *stream)
{
    cudaStream_t s = (cudaStream_t)stream;
    if (n == 0) return 0;
    if (is_double)
        scale<<<blocks(n), THREADS, 0, s>>>((double *)x, (hd_int64)n, factor);
    else
        scale<<<blocks(n), THREADS, 0, s>>>((float *)x, (hd_int64)n, (float)factor);
    return (int)cudaGetLastError();
}

int heddle__fft_hermitian(const void *in, void *out, int is_double, int64_t outer, int64_t extent,
                          int64_t inner, int64_t n, double factor, void *stream)
{
    cudaStream_t s = (cudaStream_t)stream;
    const int64_t size = outer * extent * inner;
    if (size == 0) return 0;
    if (is_double)
        hermitian<<<blocks(size), THREADS, 0, s>>>((const pair<double> *)in, (pair<double> *)out,
                                                   size, extent, inner, n, factor);
    else
        hermitian<<<blocks(size), THREADS, 0, s>>>((const pair<float> *)in, (pair<float> *)out,
                                                   size, extent, inner, n, (float)factor);
    return (int)cudaGetLastError();
}
