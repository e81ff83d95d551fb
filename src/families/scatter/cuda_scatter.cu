/* Writing by position on the GPU. To set: each row learns its last update, which then writes it. To add: by atomic
 * additions of integers, whose order does not matter; others are sorted by row, and the first update of a row adds all,
 * one after the other. Where a row has many, a warp fetches them together. */
#include "families/scatter/cuda_scatter.h"

#include "cuda/scalar.cuh"

#include "cuda/kernel.cuh"

enum {
    THREADS = 256,
    WARP = 32,
    OWN = 8, /* updates that a thread adds without the help of its warp */
    NARROW =
        16, /* numbers of a row; in wider ones the threads of a warp fetch what lies side by side */
};

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

/* Where element k of the values of update i is. */
static __device__ int64_t value_of(const heddle_scatter_kernel &p, int64_t i, int64_t k)
{
    return i * p.call.per_update + k * p.call.per_element;
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
        ((T *)p.out)[row * n + (at - i * n)] = ((const T *)p.values)[value_of(p, i, at - i * n)];
}

template <class T>
static __global__ void __launch_bounds__(THREADS) add_each(const heddle_scatter_kernel p)
{
    const int64_t at = thread_number(), n = p.call.row;
    if (at >= p.call.n * n) return;
    const int64_t i = n == 1 ? at : at / n, row = row_of(p, p.positions[i]);
    if (row >= 0)
        atomicAdd(&((T *)p.out)[row * n + (at - i * n)],
                  ((const T *)p.values)[value_of(p, i, at - i * n)]);
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

static __global__ void __launch_bounds__(THREADS) number_rows(const heddle_scatter_kernel p)
{
    const int64_t i = thread_number();
    if (i >= p.call.n) return;
    const int64_t row = row_of(p, p.positions[i]);
    p.rows[0][i] = (unsigned)(row < 0 ? p.call.n_rows : row);
    p.updates[0][i] = (unsigned)i;
}

/* A lane's number of the next updates, from `from` on, if they are of row `row`, and how many are, up to a warp's. `step` and
 * `place`: between the updates' numbers, and of this one. All lanes of the warp call it. */
template <class T>
static __device__ T fetch_together(const heddle_scatter_kernel &p, unsigned row, int64_t from,
                                   int64_t step, int64_t place, int *count)
{
    const int64_t i = from + threadIdx.x % WARP;
    const bool has = i < p.call.n && p.rows[1][i] == row;
    *count = __popc(__ballot_sync(0xffffffffu, has));
    return has ? ((const T *)p.values)[p.updates[1][i] * step + place] : T(0);
}

/* Each element has `parts` numbers of type T: a complex one has two. */
template <class T, class How>
static __global__ void __launch_bounds__(THREADS)
    add_in_order(const heddle_scatter_kernel p, int parts)
{
    const int64_t at = thread_number(), n = p.call.row * parts, size = p.call.n;
    const int64_t j = n == 1 ? at : at / n, k = at - j * n, step = p.call.per_update * parts,
                  place = k / parts * p.call.per_element * parts + k % parts; /* of a value's */
    const unsigned *rows = p.rows[1], *updates = p.updates[1];
    const T *values = (const T *)p.values;
    const unsigned row = j < size ? rows[j] : 0;
    const bool first = j < size && row < p.call.n_rows && (j == 0 || rows[j - 1] != row);
    T *const out = (T *)p.out + row * n + k;
    T sum = T(0);
    int64_t next = j;
    if (first) {
        const int64_t end = n > NARROW || size - j < OWN ? size : j + OWN;
        sum = *out;
        do sum = How::apply(sum, values[updates[next] * step + place]);
        while (++next < end && rows[next] == row);
    }
    const bool more = first && next < size && rows[next] == row;
    for (unsigned waiting = __ballot_sync(0xffffffffu, more); waiting; waiting &= waiting - 1) {
        const int lane = __ffs((int)waiting) - 1;
        const unsigned its_row = hd_from_lane(row, lane);
        const int64_t its_place = hd_from_lane(place, lane);
        int64_t from = hd_from_lane(next, lane);
        T its_sum = hd_from_lane(sum, lane);
        int count, after;
        T value = fetch_together<T>(p, its_row, from, step, its_place, &count);
        for (; count > 0; count = after) {
            from += WARP;
            const T later = fetch_together<T>(p, its_row, from, step, its_place, &after);
            if (count == WARP) { /* lanes are read ahead of what is added */
#pragma unroll
                for (int l = 0; l < WARP; l++)
                    its_sum = How::apply(its_sum, hd_from_lane(value, l));
            } else {
                for (int l = 0; l < count; l++)
                    its_sum = How::apply(its_sum, hd_from_lane(value, l));
            }
            value = later;
        }
        if (threadIdx.x % WARP == lane) sum = its_sum;
    }
    if (first) *out = sum;
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
    const function add =
        p->call.element_bytes == 4 ? add_each<unsigned> : add_each<unsigned long long>;
    void *parameters[] = {(void *)p};
    return (int)launch((const void *)add, p->call.n * p->call.row, parameters, stream);
}

int heddle__scatter_number_rows(const struct heddle_scatter_kernel *p, void *stream)
{
    if (p->call.n >= UINT32_MAX || p->call.n_rows >= UINT32_MAX) return (int)cudaErrorInvalidValue;
    void *parameters[] = {(void *)p};
    return (int)launch((const void *)number_rows, p->call.n, parameters, stream);
}

int heddle__scatter_add_in_order(const struct heddle_scatter_kernel *p, void *stream)
{
    void (*add)(const heddle_scatter_kernel, int) = nullptr;
    const enum heddle_dtype dtype = (enum heddle_dtype)p->call.dtype;
    int parts = dtype == HEDDLE_COMPLEX64 || dtype == HEDDLE_COMPLEX128 ? 2 : 1;
    switch (dtype) {
    case HEDDLE_BOOL: add = add_in_order<hd_uint8, either>; break;
    case HEDDLE_INT8:
    case HEDDLE_UINT8: add = add_in_order<hd_uint8, plus>; break;
    case HEDDLE_INT16:
    case HEDDLE_UINT16: add = add_in_order<hd_uint16, plus>; break;
    case HEDDLE_FLOAT32:
    case HEDDLE_COMPLEX64: add = add_in_order<float, plus>; break;
    case HEDDLE_FLOAT64:
    case HEDDLE_COMPLEX128: add = add_in_order<double, plus>; break;
    default: break;
    }
    void *parameters[] = {(void *)p, &parts};
    return (int)launch((const void *)add, p->call.n * p->call.row * parts, parameters, stream);
}
