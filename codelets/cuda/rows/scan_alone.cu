/* Scans of rows, a block each. Entry point: heddle__cuda_scan_alone. */
#include "cuda/rows/scan_alone.h"

#include <heddle/dtype.h>
#include <stdint.h>

#include "cuda/scan.cuh"

enum { THREADS = 256, SLOTS = HEDDLE_SCAN_CHUNK / THREADS };

template <class Op>
static __global__ void __launch_bounds__(THREADS)
    scan_alone(typename Op::type *to, const typename Op::type *from, struct heddle_scan_alone rows)
{
    typedef typename Op::type T;
    __shared__ T lane_totals[HEDDLE_SCAN_CHUNK / HEDDLE_SCAN_ITEMS];
    const int lane = (int)threadIdx.x;
    for (long long row = blockIdx.x; row < rows.n_rows; row += gridDim.x) {
        long long rest = row, at = 0, of = 0;
        for (int d = rows.n_axes - 1; d >= 0; d--) {
            const long long k = rest % rows.extent[d];
            rest /= rows.extent[d];
            at += k * rows.to[d];
            of += k * rows.from[d];
        }
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

/* Signed and unsigned integers have the same bits. */
template <template <class> class Op>
static const void *of_dtype(int dtype)
{
    switch (dtype) {
    case HEDDLE_INT32:
    case HEDDLE_UINT32: return (const void *)scan_alone<Op<hd_uint32>>;
    case HEDDLE_INT64:
    case HEDDLE_UINT64: return (const void *)scan_alone<Op<hd_uint64>>;
    case HEDDLE_FLOAT32: return (const void *)scan_alone<Op<float>>;
    case HEDDLE_FLOAT64: return (const void *)scan_alone<Op<double>>;
    case HEDDLE_COMPLEX64: return (const void *)scan_alone<Op<hd_complex64>>;
    case HEDDLE_COMPLEX128: return (const void *)scan_alone<Op<hd_complex128>>;
    default: return NULL;
    }
}

/* Extremes: of dtypes that have an order. */
template <template <class> class Op>
static const void *of_ordered(int dtype)
{
    switch (dtype) {
    case HEDDLE_INT32: return (const void *)scan_alone<Op<hd_int32>>;
    case HEDDLE_INT64: return (const void *)scan_alone<Op<hd_int64>>;
    case HEDDLE_UINT32: return (const void *)scan_alone<Op<hd_uint32>>;
    case HEDDLE_UINT64: return (const void *)scan_alone<Op<hd_uint64>>;
    case HEDDLE_FLOAT32: return (const void *)scan_alone<Op<float>>;
    case HEDDLE_FLOAT64: return (const void *)scan_alone<Op<double>>;
    default: return NULL;
    }
}

extern "C" int heddle__cuda_scan_alone(void *to, const void *from, int operation, int dtype,
                                       const struct heddle_scan_alone *rows, void *stream)
{
    const long long most = 1 << 16;
    const void *const kernel = operation == HEDDLE_SCAN_ADD        ? of_dtype<scan_add>(dtype)
                               : operation == HEDDLE_SCAN_MULTIPLY ? of_dtype<scan_multiply>(dtype)
                               : operation == HEDDLE_SCAN_MAXIMUM  ? of_ordered<scan_maximum>(dtype)
                                                                  : of_ordered<scan_minimum>(dtype);
    void *arguments[] = {&to, &from, (void *)rows};
    if (!kernel || rows->n > HEDDLE_SCAN_CHUNK) return (int)cudaErrorInvalidValue;
    if (rows->n_rows == 0) return (int)cudaSuccess;
    return (int)cudaLaunchKernel(kernel,
                                 dim3((unsigned)(rows->n_rows < most ? rows->n_rows : most)),
                                 dim3(THREADS), arguments, 0, (cudaStream_t)stream);
}
