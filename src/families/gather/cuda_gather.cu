/* Elements by index on the GPU: several a thread, so that enough reads are on their way at once. */
#include "families/gather/cuda_gather.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

enum { THREADS = 256, EACH = 4 };

struct alignas(16) gather_16 {
    hd_uint64 word[2];
};

/* Where element `at` of the box is in each of the three. */
template <class I>
HD void gather_locate(const heddle_gather &g, I at, int64_t where[3])
{
    where[0] = where[1] = where[2] = 0;
    for (int d = g.ndim - 1; d >= 0; d--) {
        I i = at;
        if (d > 0) {
            const I extent = (I)g.extent[d];
            at = i / extent;
            i -= at * extent;
        }
        where[0] += i * g.in_stride[d];
        where[1] += i * g.index_stride[d];
        where[2] += i * g.out_stride[d];
    }
}

template <class T, class Index, class I>
static __global__ void __launch_bounds__(THREADS) gather(const heddle_gather_kernel p)
{
    const heddle_gather &g = p.call;
    const T *in = (const T *)p.in + g.in_offset;
    const Index *indices = (const Index *)p.indices + g.index_offset;
    T *out = (T *)p.out + g.out_offset;
    const int64_t first = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    int64_t where[EACH][3], index[EACH];
    T value[EACH];
    bool is_here[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t at = first + k * THREADS;
        is_here[k] = at < p.size;
        if (!is_here[k]) continue;
        gather_locate<I>(g, (I)at, where[k]);
        index[k] = indices[where[k][1]];
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (!is_here[k]) continue;
        const int64_t i = index[k] < 0 ? index[k] + g.n : index[k];
        if (i < 0 || i >= g.n) {
            p.report[1] = index[k];
            p.report[2] = g.n;
            p.report[3] = g.along;
            __threadfence_system();
            p.report[0] = p.tag;
        }
        is_here[k] = i >= g.lo && i < g.hi;
        if (is_here[k]) value[k] = in[where[k][0] + (i - g.lo) * g.axis_stride];
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (is_here[k]) out[where[k][2]] = value[k];
}

typedef void (*function)(const heddle_gather_kernel);

template <class T>
static function function_of(const heddle_gather_kernel *p)
{
    const bool small = p->size <= INT32_MAX;
    if (p->call.index_bytes == 4)
        return small ? gather<T, int, unsigned> : gather<T, int, hd_uint64>;
    return small ? gather<T, hd_int64, unsigned> : gather<T, hd_int64, hd_uint64>;
}

int heddle__gather_launch(const struct heddle_gather_kernel *p, void *stream)
{
    const int64_t blocks = (p->size + THREADS * EACH - 1) / (THREADS * EACH);
    function kernel = nullptr;
    switch (p->call.element_bytes) {
    case 1: kernel = function_of<hd_uint8>(p); break;
    case 2: kernel = function_of<hd_uint16>(p); break;
    case 4: kernel = function_of<hd_uint32>(p); break;
    case 8: kernel = function_of<hd_uint64>(p); break;
    case 16: kernel = function_of<gather_16>(p); break;
    }
    if (!kernel || blocks > INT32_MAX) return (int)cudaErrorInvalidValue;
    if (blocks == 0) return (int)cudaSuccess;
    void *parameters[] = {(void *)p};
    return (int)cudaLaunchKernel((const void *)kernel, dim3((unsigned)blocks), dim3(THREADS),
                                 parameters, 0, (cudaStream_t)stream);
}
