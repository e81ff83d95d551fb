/* From a call to launches, for each dtype. */
#ifndef HEDDLE_FAMILIES_SCAN_CUDA_LAUNCH_CUH
#define HEDDLE_FAMILIES_SCAN_CUDA_LAUNCH_CUH

#include "families/scan/cuda_columns.cuh"
#include "families/scan/cuda_scan.h"

#include "cuda/scan_dtypes.cuh"

template <class... Arguments>
static int scan_launch(const struct heddle_scan_shape *shape, const void *kernel, void *stream,
                       Arguments... arguments)
{
    if (shape->blocks == 0) return (int)cudaSuccess;
    if (shape->blocks > INT32_MAX) return (int)cudaErrorInvalidConfiguration;
    void *parameters[] = {(void *)arguments...};
    if (shape->shared_bytes > 48 << 10) { /* what every kernel may have */
        const cudaError_t error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shape->shared_bytes);
        if (error != cudaSuccess) return (int)error;
    }
    return (int)cudaLaunchKernel(kernel, dim3((unsigned)shape->blocks),
                                 dim3((unsigned)shape->threads), parameters, shape->shared_bytes,
                                 (cudaStream_t)stream);
}

template <class Op>
static const void *scan_kernel_of(int form, int phase)
{
    const bool totals = phase == HEDDLE_SCAN_TOTALS, apply = phase == HEDDLE_SCAN_APPLY;
    switch (form) {
    case HEDDLE_SCAN_CHUNKS:
        return totals  ? (const void *)scan_chunks<Op, HEDDLE_SCAN_TOTALS>
               : apply ? (const void *)scan_chunks<Op, HEDDLE_SCAN_APPLY>
                       : (const void *)scan_chunks<Op, HEDDLE_SCAN_WHOLE>;
    case HEDDLE_SCAN_WARP_ROWS: return (const void *)scan_rows<Op>;
    case HEDDLE_SCAN_SHORT_ROWS: return (const void *)scan_short_rows<Op>;
    case HEDDLE_SCAN_COLUMNS: return (const void *)scan_columns<Op>;
    case HEDDLE_SCAN_COLUMN_CHUNKS:
        return totals ? (const void *)scan_column_chunks<Op, HEDDLE_SCAN_TOTALS>
                      : (const void *)scan_column_chunks<Op, HEDDLE_SCAN_APPLY>;
    case HEDDLE_SCAN_ROW_PREFIXES: return (const void *)scan_combine<Op>;
    default: return (const void *)scan_column_combine<Op>;
    }
}

template <class Op>
static int scan_run(const heddle_scan_kernel *p, const struct heddle_scan_shape *shape,
                    void *stream)
{
    return scan_launch(shape, scan_kernel_of<Op>(shape->form, p->phase), stream, p, &shape->width);
}

/* Launches the operation that a dtype has (scan_dtypes.cuh). */
struct scan_start {
    const heddle_scan_kernel *p;
    const struct heddle_scan_shape *shape;
    void *stream;

    template <class Op>
    int operator()(Op) const
    {
        return scan_run<Op>(p, shape, stream);
    }
};

#endif
