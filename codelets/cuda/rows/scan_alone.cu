/* Scans of rows, a block each, and of columns, a thread each. Entry point: heddle__cuda_scan_alone. */
#include "cuda/rows/scan_alone.h"

#include <heddle/dtype.h>
#include <stdint.h>

#include "cuda/scan.cuh"

enum { THREADS = 256, SLOTS = HEDDLE_SCAN_CHUNK / THREADS };

/* Where a row begins. */
static __device__ __forceinline__ void begin(const struct heddle_scan_alone &rows, long long row,
                                             long long &of, long long &at)
{
    at = of = 0;
    for (int d = rows.n_axes - 1; d >= 0; d--) {
        const long long k = row % rows.extent[d];
        row /= rows.extent[d];
        at += k * rows.to[d];
        of += k * rows.from[d];
    }
}

template <class Op>
static __global__ void __launch_bounds__(THREADS)
    scan_columns_alone(typename Op::type *to, const typename Op::type *from,
                       struct heddle_scan_alone rows)
{
    typedef typename Op::type T;
    const long long step = (long long)gridDim.x * THREADS;
    for (long long row = (long long)blockIdx.x * THREADS + threadIdx.x; row < rows.n_rows;
         row += step) {
        long long of, at;
        begin(rows, row, of, at);
        T local = T(), before = T();
        for (int f = 0; f < rows.n; f++) {
            const T x = from[of + f * rows.from_apart];
            if (f > 0 && f % HEDDLE_SCAN_COLUMN_CHUNK == 0)
                before = f > HEDDLE_SCAN_COLUMN_CHUNK ? Op::apply(before, local) : local;
            local = f % HEDDLE_SCAN_COLUMN_CHUNK > 0 ? Op::apply(local, x) : x;
            to[at + f * rows.to_apart] =
                f >= HEDDLE_SCAN_COLUMN_CHUNK ? Op::apply(before, local) : local;
        }
    }
}

template <class Op>
static __global__ void __launch_bounds__(THREADS)
    scan_alone(typename Op::type *to, const typename Op::type *from, struct heddle_scan_alone rows)
{
    typedef typename Op::type T;
    __shared__ T lane_totals[HEDDLE_SCAN_CHUNK / HEDDLE_SCAN_ITEMS];
    const int lane = (int)threadIdx.x;
    for (long long row = blockIdx.x; row < rows.n_rows; row += gridDim.x) {
        long long of, at;
        begin(rows, row, of, at);
        T x[SLOTS];
#pragma unroll
        for (int t = 0; t < SLOTS; t++) {
            const int f = (t / HEDDLE_SCAN_ITEMS * THREADS + lane) * HEDDLE_SCAN_ITEMS +
                          t % HEDDLE_SCAN_ITEMS;
            x[t] = f < rows.n ? from[of + f] : T();
        }
        scan_held_row<Op, THREADS, HEDDLE_SCAN_ITEMS>(x, lane, lane_totals);
#pragma unroll
        for (int t = 0; t < SLOTS; t++) {
            const int f = (t / HEDDLE_SCAN_ITEMS * THREADS + lane) * HEDDLE_SCAN_ITEMS +
                          t % HEDDLE_SCAN_ITEMS;
            if (f < rows.n) to[at + f] = x[t];
        }
    }
}

template <class Op>
static const void *kernel_of(int columns)
{
    return columns ? (const void *)scan_columns_alone<Op> : (const void *)scan_alone<Op>;
}

/* Signed and unsigned integers have the same bits. */
template <template <class> class Op>
static const void *of_dtype(int dtype, int columns)
{
    switch (dtype) {
    case HEDDLE_INT32:
    case HEDDLE_UINT32: return kernel_of<Op<hd_uint32>>(columns);
    case HEDDLE_INT64:
    case HEDDLE_UINT64: return kernel_of<Op<hd_uint64>>(columns);
    case HEDDLE_FLOAT32: return kernel_of<Op<float>>(columns);
    case HEDDLE_FLOAT64: return kernel_of<Op<double>>(columns);
    case HEDDLE_COMPLEX64: return kernel_of<Op<hd_complex64>>(columns);
    case HEDDLE_COMPLEX128: return kernel_of<Op<hd_complex128>>(columns);
    default: return NULL;
    }
}

/* Extremes: of dtypes that have an order. */
template <template <class> class Op>
static const void *of_ordered(int dtype, int columns)
{
    switch (dtype) {
    case HEDDLE_INT32: return kernel_of<Op<hd_int32>>(columns);
    case HEDDLE_INT64: return kernel_of<Op<hd_int64>>(columns);
    case HEDDLE_UINT32: return kernel_of<Op<hd_uint32>>(columns);
    case HEDDLE_UINT64: return kernel_of<Op<hd_uint64>>(columns);
    case HEDDLE_FLOAT32: return kernel_of<Op<float>>(columns);
    case HEDDLE_FLOAT64: return kernel_of<Op<double>>(columns);
    default: return NULL;
    }
}

extern "C" int heddle__cuda_scan_alone(void *to, const void *from, int operation, int dtype,
                                       const struct heddle_scan_alone *rows, void *stream)
{
    const int columns = rows->columns;
    const long long most = 1 << 16,
                    blocks = columns ? (rows->n_rows + THREADS - 1) / THREADS : rows->n_rows;
    const void *kernel = NULL;
    switch (operation) {
    case HEDDLE_SCAN_ADD: kernel = of_dtype<scan_add>(dtype, columns); break;
    case HEDDLE_SCAN_MULTIPLY: kernel = of_dtype<scan_multiply>(dtype, columns); break;
    case HEDDLE_SCAN_MAXIMUM: kernel = of_ordered<scan_maximum>(dtype, columns); break;
    default: kernel = of_ordered<scan_minimum>(dtype, columns); break;
    }
    void *arguments[] = {&to, &from, (void *)rows};
    if (!kernel || (!columns && rows->n > HEDDLE_SCAN_CHUNK)) return (int)cudaErrorInvalidValue;
    if (rows->n_rows == 0) return (int)cudaSuccess;
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)(blocks < most ? blocks : most)),
                                 dim3(THREADS), arguments, 0, (cudaStream_t)stream);
}
