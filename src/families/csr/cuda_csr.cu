/* Products of sparse matrices on the GPU. With one column and short rows a block stages the products of its rows; of
 * longer rows a group of lanes adds up one. Rows of several chunks are left for the whole block, whose groups take a
 * chunk each: so a few long rows hold up nobody. With several columns a thread adds up one element. */
#include "families/csr/cuda_csr.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

enum { THREADS = 256, CHUNK = HEDDLE_CSR_CHUNK, STAGE = 24 * 1024 };

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

/* data[at] * x[indices[at]]. An index that is no row of x goes to *bad, and row 0 is read in its place: without a branch
 * several of them are on their way at once. */
template <class T, class I>
static __device__ T product(const heddle_csr_kernel &p, int64_t at, int64_t column, int64_t *bad)
{
    const int64_t i = ((const I *)p.indices)[at];
    const bool good = (uint64_t)i < (uint64_t)p.call.x_rows;
    *bad = good ? *bad : i;
    return hd_mul(((const T *)p.data)[at],
                  ((const T *)p.x)[(good ? i : 0) * p.call.columns + column]);
}

/* 0 is a row of x. */
static __device__ void report_index(const heddle_csr_kernel &p, int64_t bad)
{
    if (bad != 0) report(p, bad, p.call.x_rows);
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
static __device__ T chunk_sum(const heddle_csr_kernel &p, int64_t at, int64_t n, int lane,
                              int64_t *bad)
{
    T sum{};
#pragma unroll 4
    for (int64_t k = lane; k < n; k += L) sum = hd_add(sum, product<T, I>(p, at + k, 0, bad));
#pragma unroll
    for (int half = L / 2; half > 0; half /= 2) sum = hd_add(sum, shifted(sum, half, L));
    return sum;
}

/* Rows first..first + rows - 1 by the block, a group of lanes for each; at most THREADS rows. */
template <class T, class I, int L>
static __device__ void by_lanes(const heddle_csr_kernel &p, int64_t first, int rows)
{
    constexpr int groups = THREADS / L;
    __shared__ int n_long, long_row[THREADS];
    __shared__ alignas(16) unsigned char memory[groups * sizeof(T)];
    T *const sums = (T *)memory, *const y = (T *)p.y;
    const int group = threadIdx.x / L, lane = threadIdx.x % L;
    int64_t at = 0, bad = 0;
    if (threadIdx.x == 0) n_long = 0;
    __syncthreads();

    for (int i = group; i - group < rows; i += groups) {
        const int64_t r = first + i;
        const bool is_here = i < rows && r < p.call.n_rows;
        const int64_t n = is_here ? row_length<I>(p, r, &at) : 0;
        if (n < 0 && lane == 0) report(p, p.call.first_row + r, -1);
        const bool is_long = n > CHUNK;
        if (is_long && lane == 0) long_row[atomicAdd(&n_long, 1)] = i;
        const T sum = chunk_sum<T, I, L>(p, at, is_long ? 0 : n, lane, &bad);
        if (is_here && !is_long && lane == 0) y[r] = hd_add(T{}, sum);
    }
    __syncthreads();

    for (int i = 0; i < n_long; i++) {
        const int64_t n = row_length<I>(p, first + long_row[i], &at);
        T total{};
        for (int64_t chunk = 0; chunk < n; chunk += (int64_t)groups * CHUNK) {
            const int64_t mine = chunk + (int64_t)group * CHUNK, left = n - mine;
            const T part = chunk_sum<T, I, L>(p, at + mine,
                                              left < 0       ? 0
                                              : left < CHUNK ? left
                                                             : CHUNK,
                                              lane, &bad);
            if (lane == 0) sums[group] = part;
            __syncthreads();
            for (int g = 0; threadIdx.x == 0 && g < groups; g++)
                if (chunk + (int64_t)g * CHUNK < n) total = hd_add(total, sums[g]);
            __syncthreads();
        }
        if (threadIdx.x == 0) y[first + long_row[i]] = total;
    }
    report_index(p, bad);
}

template <class T, class I, int L>
static __global__ void __launch_bounds__(THREADS) one_column(const heddle_csr_kernel p)
{
    by_lanes<T, I, L>(p, (int64_t)blockIdx.x * p.rows_of_block, p.rows_of_block);
}

/* The sum of a row whose products are there, in the order of kernel.h. */
template <class T, int L>
static __device__ T sum_of(const T *products, int n)
{
    T total{};
    for (int chunk = 0; chunk < n; chunk += CHUNK) {
        const int end = n - chunk < CHUNK ? n : chunk + CHUNK;
        T lane[L] = {};
        for (int k = chunk; k < end; k += L)
#pragma unroll
            for (int l = 0; l < L; l++)
                if (k + l < end) lane[l] = hd_add(lane[l], products[k + l]);
#pragma unroll
        for (int half = L / 2; half > 0; half /= 2)
#pragma unroll
            for (int l = 0; l < half; l++) lane[l] = hd_add(lane[l], lane[l + half]);
        total = hd_add(total, lane[0]);
    }
    return total;
}

/* Of short rows: the block makes the products of all its entries, which lie together, and then a thread adds up a row. */
template <class T, class I, int L>
static __global__ void __launch_bounds__(THREADS) short_rows(const heddle_csr_kernel p)
{
    __shared__ alignas(16) unsigned char memory[STAGE];
    __shared__ int64_t ends[2];
    constexpr int64_t room = STAGE / sizeof(T);
    T *const products = (T *)memory;
    const int64_t first = (int64_t)blockIdx.x * p.rows_of_block, r = first + threadIdx.x;
    const int64_t after =
        first + p.rows_of_block < p.call.n_rows ? first + p.rows_of_block : p.call.n_rows;
    int64_t at = 0, n = 0, bad = 0;
    if (r < after) n = row_length<I>(p, r, &at);
    if (threadIdx.x == 0) ends[0] = at;
    if (r == after - 1) ends[1] = at + n;
    /* rows that are all good follow each other */
    if (__syncthreads_or(n < 0) || ends[1] - ends[0] > room) {
        by_lanes<T, I, L>(p, first, p.rows_of_block);
        return;
    }
    const int total = (int)(ends[1] - ends[0]);
#pragma unroll 4
    for (int k = threadIdx.x; k < total; k += THREADS)
        products[k] = product<T, I>(p, ends[0] + k, 0, &bad);
    report_index(p, bad);
    __syncthreads();
    if (r < after) ((T *)p.y)[r] = sum_of<T, L>(products + (at - ends[0]), (int)n);
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
    int64_t bad = 0;
#pragma unroll 4
    for (int64_t k = 0; k < n; k++)
        sum = hd_add(sum, product<T, I>(p, at + k, i - r * p.call.columns, &bad));
    ((T *)p.y)[i] = sum;
    report_index(p, bad);
}

typedef void (*function)(const heddle_csr_kernel);

template <class T, class I>
static function function_by(const heddle_csr_kernel *p)
{
    if (p->call.columns != 1) return columns<T, I>;
    return p->call.lanes == 1   ? short_rows<T, I, 1>
           : p->call.lanes == 2 ? short_rows<T, I, 2>
           : p->call.lanes == 4 ? short_rows<T, I, 4>
                                : one_column<T, I, 8>;
}

template <class T>
static function function_of(const heddle_csr_kernel *p)
{
    return p->call.index_bytes == 4 ? function_by<T, int>(p) : function_by<T, hd_int64>(p);
}

/* As many rows as a block has room to stage, with some to spare; a group of lanes for each if rows are long. */
static int rows_of_block(const struct heddle_csr_call *call)
{
    const int64_t room = STAGE / (int64_t)heddle_dtype_size((enum heddle_dtype)call->dtype);
    const int64_t average = call->n_entries / call->n_rows + 1;
    int rows = THREADS;
    if (call->lanes == HEDDLE_CSR_MAX_LANES) return THREADS / HEDDLE_CSR_MAX_LANES;
    while (rows > 32 && rows * average > room / 4 * 3) rows /= 2;
    return rows;
}

int heddle__csr_launch(const struct heddle_csr_kernel *arguments, void *stream)
{
    struct heddle_csr_kernel copy = *arguments, *const p = &copy;
    if (p->call.n_rows == 0) return (int)cudaSuccess;
    p->rows_of_block = rows_of_block(&p->call);
    const int64_t blocks = p->call.columns != 1
                               ? (p->call.n_rows * p->call.columns + THREADS - 1) / THREADS
                               : (p->call.n_rows + p->rows_of_block - 1) / p->rows_of_block;
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
    void *parameters[] = {p};
    return (int)cudaLaunchKernel((const void *)kernel, dim3((unsigned)blocks), dim3(THREADS),
                                 parameters, 0, (cudaStream_t)stream);
}
