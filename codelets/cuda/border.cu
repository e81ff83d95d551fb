/* A copy between memory at any strides. Entry point: heddle__cuda_launch_strided, for border.c. */
#include "cuda/border.h"

#include <cuda_runtime.h>

struct pair { /* of a complex128, which may lie at any multiple of 8 bytes */
    unsigned long long real, imaginary;
};

template <class T, class Index>
static __global__ void copy(T *to, const T *from, Index size, struct heddle_strided s)
{
    const Index step = (Index)gridDim.x * blockDim.x;
    for (Index i = (Index)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += step) {
        Index rest = i;
        long long at = 0, of = 0;
        for (int d = s.n - 1; d > 0; d--) {
            const Index extent = (Index)s.extent[d], k = rest % extent;
            rest /= extent;
            at += (long long)k * s.to[d];
            of += (long long)k * s.from[d];
        }
        to[at + (long long)rest * s.to[0]] = from[of + (long long)rest * s.from[0]];
    }
}

template <class T>
static void launch(void *to, const void *from, long long size, const struct heddle_strided &s,
                   cudaStream_t stream)
{
    const long long threads = 256, most = 1 << 16;
    const unsigned blocks = (unsigned)min((size + threads - 1) / threads, most);
    if (size < 1 << 30) /* twice that is an unsigned still: `i += step` does not wrap */
        copy<T, unsigned>
            <<<blocks, threads, 0, stream>>>((T *)to, (const T *)from, (unsigned)size, s);
    else
        copy<T, long long><<<blocks, threads, 0, stream>>>((T *)to, (const T *)from, size, s);
}

extern "C" int heddle__cuda_launch_strided(void *to, const void *from, long long size, int element,
                                           const struct heddle_strided *s, void *stream)
{
    cudaStream_t on = (cudaStream_t)stream;
    switch (element) {
    case 1: launch<unsigned char>(to, from, size, *s, on); break;
    case 2: launch<unsigned short>(to, from, size, *s, on); break;
    case 4: launch<unsigned>(to, from, size, *s, on); break;
    case 8: launch<unsigned long long>(to, from, size, *s, on); break;
    default: launch<pair>(to, from, size, *s, on); break;
    }
    return (int)cudaGetLastError();
}
