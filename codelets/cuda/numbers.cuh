/* Real and complex numbers for templates of families' kernels, sums over a warp, and launches with shared memory. */
#ifndef HEDDLE_CUDA_NUMBERS_CUH
#define HEDDLE_CUDA_NUMBERS_CUH

#include "cuda/kernel.cuh"

#include <cuda_runtime.h>
#include <stdint.h>

enum { WARP = 32 };

template <class T>
using real_of = typename hd_traits<T>::real;

HD float fused(float x, float y, float z)
{
    return fmaf(x, y, z);
}
HD double fused(double x, double y, double z)
{
    return fma(x, y, z);
}

/* z + x y and z - x y. */
template <class R>
HD R plus(R z, R x, R y)
{
    return fused(x, y, z);
}
template <class R>
HD hd_complex<R> plus(hd_complex<R> z, hd_complex<R> x, hd_complex<R> y)
{
    return hd_complex<R>{fused(-x.im, y.im, fused(x.re, y.re, z.re)),
                         fused(x.im, y.re, fused(x.re, y.im, z.im))};
}
template <class R>
HD R minus(R z, R x, R y)
{
    return fused(-x, y, z);
}
template <class R>
HD hd_complex<R> minus(hd_complex<R> z, hd_complex<R> x, hd_complex<R> y)
{
    return plus(z, hd_complex<R>{-x.re, -x.im}, y);
}

template <class R>
HD R scaled(R x, R by)
{
    return x * by;
}
template <class R>
HD hd_complex<R> scaled(hd_complex<R> x, R by)
{
    return hd_complex<R>{x.re * by, x.im * by};
}

HD void set(float &x, float re, float)
{
    x = re;
}
HD void set(double &x, double re, double)
{
    x = re;
}
template <class R>
HD void set(hd_complex<R> &x, R re, R im)
{
    x = hd_complex<R>{re, im};
}

/* LAPACK's measure of a pivot. */
template <class T>
HD real_of<T> magnitude(T x)
{
    return fabs(hd_real(x)) + fabs(hd_imag(x));
}
template <class T>
HD bool is_zero(T x)
{
    return hd_real(x) == 0 && hd_imag(x) == 0;
}

/* x / y; of complex numbers by the larger part of y (Smith). */
template <class R>
HD R quotient(R x, R y)
{
    return x / y;
}
template <class R>
HD hd_complex<R> quotient(hd_complex<R> x, hd_complex<R> y)
{
    if (fabs(y.re) >= fabs(y.im)) {
        const R q = y.im / y.re, d = fused(y.im, q, y.re);
        return hd_complex<R>{fused(x.im, q, x.re) / d, fused(-x.re, q, x.im) / d};
    }
    const R q = y.re / y.im, d = fused(y.re, q, y.im);
    return hd_complex<R>{fused(x.re, q, x.im) / d, fused(x.im, q, -x.re) / d};
}

/* The sum over a warp, for all of its threads the same. */
template <class T>
HD T sum_of_warp(T x)
{
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2) {
        const T other = hd_from_lane(x, (int)threadIdx.x % WARP ^ step);
        x = plus(x, other, T{1});
    }
    return x;
}

/* Launches a kernel of one argument with `bytes` of hd_rooms, of which more than any GPU has without being asked are asked for. */
template <class Argument>
static int launch_with_rooms(const void *kernel, int64_t blocks, int threads, Argument argument,
                             size_t bytes, void *stream)
{
    enum { UNASKED = 40 << 10 }; /* a kernel's own variables are in 48 KB, too */
    void *arguments[] = {&argument};
    if (bytes > UNASKED) {
        const cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        if (error != cudaSuccess) return (int)error;
    }
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), arguments,
                                 bytes, (cudaStream_t)stream);
}

/* Returns CALL of the type of a dtype of <heddle/dtype.h>. */
#define BY_DTYPE(dtype, CALL)                                                                      \
    switch (dtype) {                                                                               \
    case HEDDLE_FLOAT32: return CALL(float);                                                       \
    case HEDDLE_FLOAT64: return CALL(double);                                                      \
    case HEDDLE_COMPLEX64: return CALL(hd_complex64);                                              \
    default: return CALL(hd_complex128);                                                           \
    }

#endif
