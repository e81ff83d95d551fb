/* Products of sparse matrices on the GPU. With one column a group of lanes adds up a row; rows of several chunks are
 * left for the whole block, whose groups take a chunk each: so a few long rows hold up nobody. With several columns a
 * thread adds up one element. */
#include "families/csr/cuda_csr.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

enum { THREADS = 256, CHUNK = HEDDLE_CSR_CHUNK };

static __device__ void report(const heddle_csr_kernel &p, int64_t what, int64_t of)
{
    p.report[1] = what;
    p.report[2] = of;
    __threadfence_system();
    p.report[0] = p.tag;
}

/* Where row r of the call begins among the entries, and how many it has; -1: they are not there. */
template <class I>
static __device__ int64_t row_length(const heddle_csr_kernel &p, int64_t r, int64_t *at)
{
    const I *starts = (const I *)p.starts + p.call.first_row;
    const int64_t begin = starts[r], end = starts[r + 1];
    *at = begin - p.call.first_entry;
    const bool good =
        begin >= p.call.first_entry && end >= begin && end <= p.call.first_entry + p.call.n_entries;
    return good ? end - begin : -1;
}

/* data[at] * x[indices[at]]; 0 if that is no row of x. */
template <class T, class I>
static __device__ T product(const heddle_csr_kernel &p, int64_t at, int64_t column)
{
    const int64_t i = ((const I *)p.indices)[at];
    if ((uint64_t)i >= (uint64_t)p.call.x_rows) {
        report(p, i, p.call.x_rows);
        return T{};
    }
    return hd_mul(((const T *)p.data)[at], ((const T *)p.x)[i * p.call.columns + column]);
}

template <class T>
static __device__ T shifted(T v, int by, int lanes)
{
    union {
        T value;
        unsigned word[sizeof(T) / 4];
    } from, to;
    from.value = v;
#pragma unroll
    for (int w = 0; w < (int)(sizeof(T) / 4); w++)
        to.word[w] = __shfl_down_sync(0xffffffff, from.word[w], by, lanes);
    return to.value;
}

/* The sum of n <= CHUNK entries, in lane 0; all threads of a warp come here together. */
template <class T, class I, int L>
static __device__ T chunk_sum(const heddle_csr_kernel &p, int64_t at, int64_t n, int lane)
{
    T sum{};
    for (int64_t k = lane; k < n; k += L) sum = hd_add(sum, product<T, I>(p, at + k, 0));
#pragma unroll
    for (int half = L / 2; half > 0; half /= 2) sum = hd_add(sum, shifted(sum, half, L));
    return sum;
}

template <class T, class I, int L>
static __global__ void __launch_bounds__(THREADS) one_column(const heddle_csr_kernel p)
{
    constexpr int groups = THREADS / L;
    __shared__ int n_long, long_row[groups];
    __shared__ alignas(16) unsigned char memory[groups * sizeof(T)];
    T *const sums = (T *)memory, *const y = (T *)p.y;
    const int group = threadIdx.x / L, lane = threadIdx.x % L;
    const int64_t first = (int64_t)blockIdx.x * groups, r = first + group;
    if (threadIdx.x == 0) n_long = 0;
    __syncthreads();

    int64_t at = 0, n = r < p.call.n_rows ? row_length<I>(p, r, &at) : 0;
    if (n < 0 && lane == 0) report(p, p.call.first_row + r, -1);
    const bool is_long = n > CHUNK;
    if (is_long && lane == 0) long_row[atomicAdd(&n_long, 1)] = group;
    const T sum = chunk_sum<T, I, L>(p, at, is_long ? 0 : n, lane);
    if (r < p.call.n_rows && !is_long && lane == 0) y[r] = hd_add(T{}, sum);
    __syncthreads();

    for (int i = 0; i < n_long; i++) {
        n = row_length<I>(p, first + long_row[i], &at);
        T total{};
        for (int64_t chunk = 0; chunk < n; chunk += (int64_t)groups * CHUNK) {
            const int64_t mine = chunk + (int64_t)group * CHUNK, left = n - mine;
            const T part = chunk_sum<T, I, L>(p, at + mine,
                                              left < 0       ? 0
                                              : left < CHUNK ? left
                                                             : CHUNK,
                                              lane);
            if (lane == 0) sums[group] = part;
            __syncthreads();
            for (int g = 0; threadIdx.x == 0 && g < groups; g++)
                if (chunk + (int64_t)g * CHUNK < n) total = hd_add(total, sums[g]);
            __syncthreads();
        }
        if (threadIdx.x == 0) y[first + long_row[i]] = total;
    }
}

template <class T, class I>
static __global__ void __launch_bounds__(THREADS) columns(const heddle_csr_kernel p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, r = i / p.call.columns;
    if (r >= p.call.n_rows) return;
    int64_t at;
    const int64_t n = row_length<I>(p, r, &at);
    if (n < 0) {
        report(p, p.call.first_row + r, -1);
        return;
    }
    T sum{};
    for (int64_t k = 0; k < n; k++)
        sum = hd_add(sum, product<T, I>(p, at + k, i - r * p.call.columns));
    ((T *)p.y)[i] = sum;
}

typedef void (*function)(const heddle_csr_kernel);

template <class T, class I>
static function function_by(const heddle_csr_kernel *p)
{
    if (p->call.columns != 1) return columns<T, I>;
    return p->call.lanes == 1   ? one_column<T, I, 1>
           : p->call.lanes == 2 ? one_column<T, I, 2>
           : p->call.lanes == 4 ? one_column<T, I, 4>
                                : one_column<T, I, 8>;
}

template <class T>
static function function_of(const heddle_csr_kernel *p)
{
    return p->call.index_bytes == 4 ? function_by<T, int>(p) : function_by<T, hd_int64>(p);
}

int heddle__csr_launch(const struct heddle_csr_kernel *p, void *stream)
{
    const int64_t threads =
        p->call.n_rows * (p->call.columns != 1 ? p->call.columns : p->call.lanes);
    const int64_t blocks = (threads + THREADS - 1) / THREADS;
    function kernel = nullptr;
    switch (p->call.dtype) {
    case HEDDLE_INT64: kernel = function_of<hd_int64>(p); break;
    case HEDDLE_FLOAT32: kernel = function_of<float>(p); break;
    case HEDDLE_FLOAT64: kernel = function_of<double>(p); break;
    case HEDDLE_COMPLEX64: kernel = function_of<hd_complex64>(p); break;
    case HEDDLE_COMPLEX128: kernel = function_of<hd_complex128>(p); break;
    }
    if (!kernel || blocks > INT32_MAX) return (int)cudaErrorInvalidValue;
    if (blocks == 0) return (int)cudaSuccess;
    void *parameters[] = {(void *)p};
    return (int)cudaLaunchKernel((const void *)kernel, dim3((unsigned)blocks), dim3(THREADS),
                                 parameters, 0, (cudaStream_t)stream);
}
