/* Writing by position on the GPU. To set: each row learns its last update, which then writes it. To add: by atomic
 * additions of integers, whose order does not matter; of others, whose updates are sorted by position, the first of a
 * row adds all, one after the other. */
#include "families/scatter/cuda_scatter.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

enum { THREADS = 256 };

struct alignas(16) scatter_16 {
    hd_uint64 word[2];
};

/* The part's row of a position; -1: it has not got it. A bad one is reported. */
static __device__ int64_t row_of(const heddle_scatter_kernel &p, int64_t position)
{
    const heddle_scatter &s = p.call;
    if (position < 0) {
        p.report[1] = HEDDLE_SCATTER_BAD_INDEX(position);
        p.report[2] = s.shape[HEDDLE_SCATTER_BAD_AXIS(position)];
        p.report[3] = s.name;
        __threadfence_system();
        p.report[0] = p.tag;
        return -1;
    }
    int64_t row = 0, along = 1;
    for (int d = s.n_axes - 1; d >= 0; d--) {
        int64_t i = position;
        if (d > 0) {
            position /= s.extent[d];
            i -= position * s.extent[d];
        }
        if (i < s.lo[d] || i >= s.hi[d]) return -1;
        row += (i - s.lo[d]) * along;
        along *= s.hi[d] - s.lo[d];
    }
    return row;
}

static __device__ int64_t thread_number()
{
    return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

static __global__ void __launch_bounds__(THREADS) find_owners(const heddle_scatter_kernel p)
{
    const int64_t i = thread_number();
    if (i >= p.call.n) return;
    const int64_t row = row_of(p, p.positions[i]);
    if (row >= 0) atomicMax(&p.owner[row], (unsigned)i + 1);
}

template <class T>
static __global__ void __launch_bounds__(THREADS) write_owned(const heddle_scatter_kernel p)
{
    const int64_t at = thread_number(), n = p.call.row;
    if (at >= p.call.n * n) return;
    const int64_t i = n == 1 ? at : at / n;
    if (p.positions[i] < 0) return; /* it is reported */
    const int64_t row = row_of(p, p.positions[i]);
    if (row >= 0 && p.owner[row] == (unsigned)i + 1)
        ((T *)p.out)[row * n + (at - i * n)] = ((const T *)p.values)[at];
}

template <class T>
static __global__ void __launch_bounds__(THREADS) add_each(const heddle_scatter_kernel p)
{
    const int64_t at = thread_number(), n = p.call.row;
    if (at >= p.call.n * n) return;
    const int64_t i = n == 1 ? at : at / n, row = row_of(p, p.positions[i]);
    if (row >= 0) atomicAdd(&((T *)p.out)[row * n + (at - i * n)], ((const T *)p.values)[at]);
}

struct plus {
    template <class T>
    static __device__ T apply(T x, T y)
    {
        return (T)(x + y);
    }
};
struct either {
    template <class T>
    static __device__ T apply(T x, T y)
    {
        return (T)(x | y);
    }
};

/* Each element has `parts` numbers of type T: a complex one has two. */
template <class T, class How>
static __global__ void __launch_bounds__(THREADS)
    add_in_order(const heddle_scatter_kernel p, int parts)
{
    const int64_t at = thread_number(), n = p.call.row * parts;
    if (at >= p.call.n * n) return;
    int64_t j = n == 1 ? at : at / n;
    const int64_t k = at - j * n, position = p.positions[p.order[j]];
    if (j > 0 && p.positions[p.order[j - 1]] == position) return;
    const int64_t row = row_of(p, position);
    if (row < 0) return;
    T sum = ((T *)p.out)[row * n + k];
    do sum = How::apply(sum, ((const T *)p.values)[p.order[j] * n + k]);
    while (++j < p.call.n && p.positions[p.order[j]] == position);
    ((T *)p.out)[row * n + k] = sum;
}

typedef void (*function)(const heddle_scatter_kernel);

static cudaError_t launch(const void *kernel, int64_t n, void **parameters, void *stream)
{
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    if (!kernel || blocks > INT32_MAX) return cudaErrorInvalidValue;
    if (blocks == 0) return cudaSuccess;
    return cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(THREADS), parameters, 0,
                            (cudaStream_t)stream);
}

int heddle__scatter_set(const struct heddle_scatter_kernel *p, void *stream)
{
    function write = nullptr;
    switch (p->call.element_bytes) {
    case 1: write = write_owned<hd_uint8>; break;
    case 2: write = write_owned<hd_uint16>; break;
    case 4: write = write_owned<hd_uint32>; break;
    case 8: write = write_owned<hd_uint64>; break;
    case 16: write = write_owned<scatter_16>; break;
    }
    if (p->call.n >= UINT32_MAX) return (int)cudaErrorInvalidValue; /* more than an owner counts */
    void *parameters[] = {(void *)p};
    const cudaError_t error = launch((const void *)find_owners, p->call.n, parameters, stream);
    if (error != cudaSuccess) return (int)error;
    return (int)launch((const void *)write, p->call.n * p->call.row, parameters, stream);
}

int heddle__scatter_add(const struct heddle_scatter_kernel *p, void *stream)
{
    typedef void (*ordered)(const heddle_scatter_kernel, int);
    function each = nullptr;
    ordered in_order = nullptr;
    int parts = 1;
    switch ((enum heddle_dtype)p->call.dtype) {
    case HEDDLE_INT32:
    case HEDDLE_UINT32: each = add_each<unsigned>; break;
    case HEDDLE_INT64:
    case HEDDLE_UINT64: each = add_each<unsigned long long>; break;
    case HEDDLE_BOOL: in_order = add_in_order<hd_uint8, either>; break;
    case HEDDLE_INT8:
    case HEDDLE_UINT8: in_order = add_in_order<hd_uint8, plus>; break;
    case HEDDLE_INT16:
    case HEDDLE_UINT16: in_order = add_in_order<hd_uint16, plus>; break;
    case HEDDLE_COMPLEX64:
        parts = 2;
        in_order = add_in_order<float, plus>;
        break;
    case HEDDLE_FLOAT32: in_order = add_in_order<float, plus>; break;
    case HEDDLE_COMPLEX128:
        parts = 2;
        in_order = add_in_order<double, plus>;
        break;
    case HEDDLE_FLOAT64: in_order = add_in_order<double, plus>; break;
    default: break;
    }
    void *parameters[] = {(void *)p, &parts};
    return (int)launch(each ? (const void *)each : (const void *)in_order,
                       p->call.n * p->call.row * parts, parameters, stream);
}
