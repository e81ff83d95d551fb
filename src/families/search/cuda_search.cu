/* Searching on the GPU: a thread for each few values, which are halved in at the same time, so that their reads are
 * on their way together. */
#include "families/search/cuda_search.h"

#include "cuda/scalar.cuh"

#include <heddle/dtype.h>

enum { THREADS = 256, EACH = 4 };

/* NaNs are last. */
template <class T>
HD bool search_less(T x, T y)
{
    return x < y || (y != y && x == x);
}

template <class T, bool Right>
static __global__ void __launch_bounds__(THREADS) search(const heddle_search_kernel p)
{
    const T *a = (const T *)p.sorted, *values = (const T *)p.values;
    const hd_int64 first = (hd_int64)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    T x[EACH];
    hd_int64 at[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS;
        at[k] = 0;
        x[k] = i < p.call.size ? values[i] : (T)0;
    }
    for (hd_int64 rest = p.call.n; rest > 1; rest -= rest / 2) {
        const hd_int64 half = rest / 2;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const T y = a[at[k] + half - 1];
            if (Right ? !search_less(x[k], y) : search_less(y, x[k])) at[k] += half;
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const hd_int64 i = first + k * THREADS;
        if (i >= p.call.size) return;
        const T y = a[at[k]];
        p.out[i] = at[k] + (Right ? !search_less(x[k], y) : search_less(y, x[k]));
    }
}

template <class T>
static int launch(const heddle_search_kernel *p, void *stream)
{
    const hd_int64 blocks = (p->call.size + THREADS * EACH - 1) / (THREADS * EACH);
    if (blocks > INT32_MAX || p->call.n < 1) return (int)cudaErrorInvalidValue;
    if (blocks == 0) return (int)cudaSuccess;
    void *parameters[] = {(void *)p};
    const void *kernel =
        p->call.right ? (const void *)search<T, true> : (const void *)search<T, false>;
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(THREADS), parameters, 0,
                                 (cudaStream_t)stream);
}

int heddle__search_launch(const struct heddle_search_kernel *p, void *stream)
{
    switch ((enum heddle_dtype)p->call.dtype) {
    case HEDDLE_BOOL:
    case HEDDLE_UINT8: return launch<hd_uint8>(p, stream);
    case HEDDLE_INT8: return launch<hd_int8>(p, stream);
    case HEDDLE_UINT16: return launch<hd_uint16>(p, stream);
    case HEDDLE_INT16: return launch<hd_int16>(p, stream);
    case HEDDLE_UINT32: return launch<hd_uint32>(p, stream);
    case HEDDLE_INT32: return launch<hd_int32>(p, stream);
    case HEDDLE_UINT64: return launch<hd_uint64>(p, stream);
    case HEDDLE_INT64: return launch<hd_int64>(p, stream);
    case HEDDLE_FLOAT32: return launch<float>(p, stream);
    case HEDDLE_FLOAT64: return launch<double>(p, stream);
    default: return (int)cudaErrorInvalidValue;
    }
}
