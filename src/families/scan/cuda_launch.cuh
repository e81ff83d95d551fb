/* From a call to launches, for each dtype. */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_LAUNCH_CUH
#define HEDDLE_FAMILIES_SCAN_CUDA_LAUNCH_CUH

#include "families/scan/cuda_columns.cuh"

#include <heddle/dtype.h>

template <class... Arguments>
static int scan_launch_with(size_t shared_bytes, const void *kernel, int64_t blocks, int threads,
                            void *stream, Arguments... arguments)
{
    if (blocks == 0) return (int)cudaSuccess;
    if (blocks > INT32_MAX) return (int)cudaErrorInvalidConfiguration;
    void *parameters[] = {(void *)arguments...};
    if (shared_bytes > 48 << 10) { /* what every kernel may have */
        const cudaError_t error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes);
        if (error != cudaSuccess) return (int)error;
    }
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads),
                                 parameters, shared_bytes, (cudaStream_t)stream);
}
template <class... Arguments>
static int scan_launch(const void *kernel, int64_t blocks, int threads, void *stream,
                       Arguments... arguments)
{
    return scan_launch_with(0, kernel, blocks, threads, stream, arguments...);
}

static int64_t scan_blocks(int64_t threads)
{
    return (threads + 255) / 256;
}

template <class Op>
static int scan_run_lanes(const heddle_scan_kernel *p, void *stream)
{
    const int64_t chunks = p->outer * p->chunks;
    constexpr int block = 32 * HEDDLE_SCAN_WARPS;
    constexpr size_t shares = HEDDLE_SCAN_WARPS * scan_share<typename Op::type>::bytes;
    switch (p->phase) {
    case HEDDLE_SCAN_TOTALS:
        return scan_launch_with(shares, (const void *)scan_chunks<Op, HEDDLE_SCAN_TOTALS>, chunks,
                                block, stream, p);
    case HEDDLE_SCAN_APPLY:
        return scan_launch_with(shares, (const void *)scan_chunks<Op, HEDDLE_SCAN_APPLY>, chunks,
                                block, stream, p);
    case HEDDLE_SCAN_COMBINE:
        return scan_launch((const void *)scan_combine<Op>, p->outer, 1024, stream, p);
    default: break;
    }
    if (p->notes > 0 || p->n > HEDDLE_SCAN_ROWS * HEDDLE_SCAN_ROW)
        return scan_launch_with(shares, (const void *)scan_chunks<Op, HEDDLE_SCAN_WHOLE>, chunks,
                                block, stream, p);
    if (p->n > HEDDLE_SCAN_ROW)
        return scan_launch_with(shares, (const void *)scan_rows<Op>,
                                (p->outer + HEDDLE_SCAN_WARPS - 1) / HEDDLE_SCAN_WARPS, block,
                                stream, p);
    int width = 1;
    while (width * HEDDLE_SCAN_ITEMS < p->n) width *= 2;
    return scan_launch((const void *)scan_short_rows<Op>, scan_blocks(p->outer * width), 256,
                       stream, p, &width);
}

template <class Op>
static int scan_run_columns(const heddle_scan_kernel *p, void *stream)
{
    const int64_t columns = p->outer * p->inner;
    switch (p->phase) {
    case HEDDLE_SCAN_TOTALS:
        return scan_launch((const void *)scan_column_chunks<Op, HEDDLE_SCAN_TOTALS>,
                           scan_blocks(columns * p->chunks), 256, stream, p);
    case HEDDLE_SCAN_APPLY:
        return scan_launch((const void *)scan_column_chunks<Op, HEDDLE_SCAN_APPLY>,
                           scan_blocks(columns * p->chunks), 256, stream, p);
    case HEDDLE_SCAN_COMBINE:
        return scan_launch((const void *)scan_column_combine<Op>,
                           (columns + HEDDLE_SCAN_COMBINED - 1) / HEDDLE_SCAN_COMBINED, 256, stream,
                           p);
    default:
        return scan_launch((const void *)scan_columns<Op>, scan_blocks(columns), 256, stream, p);
    }
}

template <class Op>
static int scan_run(const heddle_scan_kernel *p, int columns, void *stream)
{
    return columns ? scan_run_columns<Op>(p, stream) : scan_run_lanes<Op>(p, stream);
}

/* Signed and unsigned integers have the same bits. */
template <template <class> class Op>
static int scan_of_dtype(const heddle_scan_kernel *p, int dtype, int columns, void *stream)
{
    switch (dtype) {
    case HEDDLE_INT32: return scan_run<Op<hd_uint32>>(p, columns, stream);
    case HEDDLE_INT64: return scan_run<Op<hd_uint64>>(p, columns, stream);
    case HEDDLE_FLOAT32: return scan_run<Op<float>>(p, columns, stream);
    case HEDDLE_FLOAT64: return scan_run<Op<double>>(p, columns, stream);
    case HEDDLE_COMPLEX64: return scan_run<Op<hd_complex64>>(p, columns, stream);
    case HEDDLE_COMPLEX128: return scan_run<Op<hd_complex128>>(p, columns, stream);
    default: return (int)cudaErrorInvalidValue;
    }
}

/* Extremes: of dtypes that have an order. */
template <template <class> class Op>
static int scan_of_ordered(const heddle_scan_kernel *p, int dtype, int columns, void *stream)
{
    switch (dtype) {
    case HEDDLE_INT32: return scan_run<Op<hd_int32>>(p, columns, stream);
    case HEDDLE_INT64: return scan_run<Op<hd_int64>>(p, columns, stream);
    case HEDDLE_UINT32: return scan_run<Op<hd_uint32>>(p, columns, stream);
    case HEDDLE_UINT64: return scan_run<Op<hd_uint64>>(p, columns, stream);
    case HEDDLE_FLOAT32: return scan_run<Op<float>>(p, columns, stream);
    case HEDDLE_FLOAT64: return scan_run<Op<double>>(p, columns, stream);
    default: return (int)cudaErrorInvalidValue;
    }
}

#endif
