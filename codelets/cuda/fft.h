/* cuFFT, loaded when the first transform needs it. A stream has plans of its own, which are kept for the geometries
 * that were used last; what a plan needs of memory beside its tables is the call's scratch. */
#ifndef HEDDLE_CUDA_FFT_H
#define HEDDLE_CUDA_FFT_H

#include <base/error.h>
#include <cufft.h>
#include <stdint.h>

/* The functions that are used; one row each. */
#define HEDDLE_FFT_MAP(X)                                                                          \
    X(cufftCreate)                                                                                 \
    X(cufftDestroy)                                                                                \
    X(cufftSetStream)                                                                              \
    X(cufftSetAutoAllocation)                                                                      \
    X(cufftSetWorkArea)                                                                            \
    X(cufftMakePlanMany64)                                                                         \
    X(cufftExecC2C)                                                                                \
    X(cufftExecZ2Z)                                                                                \
    X(cufftExecR2C)                                                                                \
    X(cufftExecD2Z)                                                                                \
    X(cufftExecC2R)                                                                                \
    X(cufftExecZ2D)

struct heddle_fft_functions {
#define HEDDLE_FFT_FIELD(name) __typeof__(&name) name;
    HEDDLE_FFT_MAP(HEDDLE_FFT_FIELD)
#undef HEDDLE_FFT_FIELD
};

enum { HEDDLE_FFT_RANK_MAX = 3 };

/* What a plan is made for: transforms along `rank` axes, `batch` of them; strides and distances in elements. Without
 * padding, so that it is compared by bytes. */
struct heddle_fft_geometry {
    int64_t n[HEDDLE_FFT_RANK_MAX];
    int64_t in[HEDDLE_FFT_RANK_MAX], out[HEDDLE_FFT_RANK_MAX]; /* extents in memory */
    int64_t in_stride, in_distance, out_stride, out_distance, batch;
    int32_t rank, type; /* cufftType */
};

struct heddle_fft_plan_cuda {
    struct heddle_fft_geometry geometry;
    cufftHandle handle;
    size_t work_bytes;
    uint64_t used;
};

/* The functions, and the plan of a geometry for the stream, of the current device. Valid until the next call for this
 * stream. One thread uses a stream at a time. Errors: HEDDLE_EDEVICE when cuFFT is not there or makes no such plan. */
enum heddle_status heddle__fft_plan_cuda(const char *who, void *stream,
                                         const struct heddle_fft_geometry *geometry,
                                         const struct heddle_fft_functions **functions,
                                         const struct heddle_fft_plan_cuda **plan);
/* HEDDLE_OK, or HEDDLE_EDEVICE with what cuFFT says. */
enum heddle_status heddle__fft_check(cufftResult result, const char *what);

#endif
