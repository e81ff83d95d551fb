/* Elements by index on the GPU: several a thread, so that enough reads are on their way at once. */
#include "families/gather/cuda_gather.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

enum { THREADS = 256, EACH = 4, MANY = HEDDLE_MAX_NDIM };

struct alignas(16) gather_16 {
    hd_uint64 word[2];
};

/* Where element `at` of the box is in `in`, in `out` and in each of up to N arrays of indices. */
template <class I, int N>
HD void gather_locate(const heddle_gather &g, I at, int64_t where[2 + N])
{
#pragma unroll
    for (int k = 0; k < 2 + N; k++) where[k] = 0;
    for (int d = g.ndim - 1; d >= 0; d--) {
        I i = at;
        if (d > 0) {
            const I extent = (I)g.extent[d];
            at = i / extent;
            i -= at * extent;
        }
        where[0] += i * g.in_stride[d];
        where[1] += i * g.out_stride[d];
#pragma unroll
        for (int b = 0; b < N; b++)
            if (N < MANY || b < g.n_by) where[2 + b] += i * g.by[b].stride[d];
    }
}

/* N arrays of indices; MANY: up to MANY. */
template <class T, class Index, class I, int N>
static __global__ void __launch_bounds__(THREADS) gather(const heddle_gather_kernel p)
{
    constexpr int each = N < MANY ? EACH : 1;
    const heddle_gather &g = p.call;
    const T *in = (const T *)p.in + g.in_offset;
    T *out = (T *)p.out + g.out_offset;
    const int64_t first = (int64_t)blockIdx.x * (THREADS * each) + threadIdx.x;
    int64_t where[each][2 + N], index[each][N];
    T value[each];
    bool is_here[each];
#pragma unroll
    for (int k = 0; k < each; k++) {
        const int64_t at = first + k * THREADS;
        is_here[k] = at < p.size;
        if (!is_here[k]) continue;
        gather_locate<I, N>(g, (I)at, where[k]);
#pragma unroll
        for (int b = 0; b < N; b++)
            if (N < MANY || b < g.n_by)
                index[k][b] = ((const Index *)p.indices[b])[g.by[b].offset + where[k][2 + b]];
    }
#pragma unroll
    for (int k = 0; k < each; k++) {
        if (!is_here[k]) continue;
#pragma unroll
        for (int b = 0; b < N; b++) {
            if (N == MANY && b >= g.n_by) continue;
            const heddle_gather_by &by = g.by[b];
            const int64_t i = index[k][b] < 0 ? index[k][b] + by.n : index[k][b];
            if (i < 0 || i >= by.n) {
                p.report[1] = index[k][b];
                p.report[2] = by.n;
                p.report[3] = g.name;
                __threadfence_system();
                p.report[0] = p.tag;
                is_here[k] = false;
                break;
            }
            const int64_t j = by.first + i * by.step;
            is_here[k] &= j >= by.lo && j < by.hi;
            where[k][0] += (j - by.lo) * by.in_stride;
        }
        if (is_here[k]) value[k] = in[where[k][0]];
    }
#pragma unroll
    for (int k = 0; k < each; k++)
        if (is_here[k]) out[where[k][1]] = value[k];
}

typedef void (*function)(const heddle_gather_kernel);

template <class T, class Index, class I>
static function function_by(const heddle_gather_kernel *p)
{
    return p->call.n_by == 1   ? gather<T, Index, I, 1>
           : p->call.n_by == 2 ? gather<T, Index, I, 2>
                               : gather<T, Index, I, MANY>;
}

template <class T>
static function function_of(const heddle_gather_kernel *p)
{
    const bool small = p->size <= INT32_MAX;
    if (p->call.index_bytes == 4)
        return small ? function_by<T, int, unsigned>(p) : function_by<T, int, hd_uint64>(p);
    return small ? function_by<T, hd_int64, unsigned>(p) : function_by<T, hd_int64, hd_uint64>(p);
}

int heddle__gather_launch(const struct heddle_gather_kernel *p, void *stream)
{
    const int64_t each = THREADS * (p->call.n_by <= 2 ? EACH : 1);
    const int64_t blocks = (p->size + each - 1) / each;
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
