/* Scans of rows, a block each, and of columns, a thread each. Entry point: heddle__cuda_scan_alone. */
#include "cuda/rows/scan_alone.h"

#include <stdint.h>

#include "cuda/scan_dtypes.cuh"

enum { THREADS = 256, SLOTS = HEDDLE_SCAN_CHUNK / THREADS };

/* The element of a row in slot t of a thread (scan_held_row). */
static __device__ __forceinline__ int element(int t, int lane)
{
    return (t / HEDDLE_SCAN_ITEMS * THREADS + lane) * HEDDLE_SCAN_ITEMS + t % HEDDLE_SCAN_ITEMS;
}

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
static __global__ void __launch_bounds__(THREADS) scan_columns_alone(struct heddle_scan_alone rows)
{
    typedef typename Op::type T;
    const T *const from = (const T *)rows.in;
    T *const to = (T *)rows.out;
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
static __global__ void __launch_bounds__(THREADS) scan_alone(struct heddle_scan_alone rows)
{
    typedef typename Op::type T;
    const T *const from = (const T *)rows.in;
    T *const to = (T *)rows.out;
    __shared__ T lane_totals[HEDDLE_SCAN_CHUNK / HEDDLE_SCAN_ITEMS];
    const int lane = (int)threadIdx.x;
    for (long long row = blockIdx.x; row < rows.n_rows; row += gridDim.x) {
        long long of, at;
        begin(rows, row, of, at);
        T x[SLOTS];
#pragma unroll
        for (int t = 0; t < SLOTS; t++) {
            const int f = element(t, lane);
            x[t] = f < rows.n ? from[of + f] : T();
        }
        scan_held_row<Op, THREADS, HEDDLE_SCAN_ITEMS>(x, lane, lane_totals);
#pragma unroll
        for (int t = 0; t < SLOTS; t++) {
            const int f = element(t, lane);
            if (f < rows.n) to[at + f] = x[t];
        }
    }
}

/* The kernel of an operation. */
struct kernel_of {
    int columns;

    template <class Op>
    const void *operator()(Op) const
    {
        return columns ? (const void *)scan_columns_alone<Op> : (const void *)scan_alone<Op>;
    }
};

extern "C" int heddle__cuda_scan_alone(const struct heddle_scan_alone *rows, int operation,
                                       int dtype, void *stream)
{
    const int columns = rows->columns;
    const kernel_of of = {columns};
    const long long most = 1 << 16,
                    blocks = columns ? (rows->n_rows + THREADS - 1) / THREADS : rows->n_rows;
    const void *const none = NULL, *kernel = none;
    switch (operation) {
    case HEDDLE_SCAN_ADD: kernel = scan_of_dtype<scan_sum>(dtype, none, of); break;
    case HEDDLE_SCAN_MULTIPLY: kernel = scan_of_dtype<scan_product>(dtype, none, of); break;
    case HEDDLE_SCAN_MAXIMUM: kernel = scan_of_ordered<scan_maximum>(dtype, none, of); break;
    default: kernel = scan_of_ordered<scan_minimum>(dtype, none, of); break;
    }
    void *arguments[] = {(void *)rows};
    if (!kernel || (!columns && rows->n > HEDDLE_SCAN_CHUNK)) return (int)cudaErrorInvalidValue;
    if (rows->n_rows == 0) return (int)cudaSuccess;
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)(blocks < most ? blocks : most)),
                                 dim3(THREADS), arguments, 0, (cudaStream_t)stream);
}
