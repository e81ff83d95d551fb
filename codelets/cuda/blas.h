/* cuBLAS, loaded when the first product needs it, with a handle for each stream (library.h). */
#ifndef HEDDLE_CUDA_BLAS_H
#define HEDDLE_CUDA_BLAS_H

#include <base/error.h>
#include <cublas_v2.h>

/* The functions that are used; one row each. */
#define HEDDLE_BLAS_MAP(X)                                                                         \
    X(cublasCreate_v2)                                                                             \
    X(cublasDestroy_v2)                                                                            \
    X(cublasSetStream_v2)                                                                          \
    X(cublasGetStatusString)                                                                       \
    X(cublasSgemmStridedBatched_64)                                                                \
    X(cublasDgemmStridedBatched_64)                                                                \
    X(cublasCgemmStridedBatched_64)                                                                \
    X(cublasZgemmStridedBatched_64)                                                                \
    X(cublasGemmStridedBatchedEx_64)                                                               \
    X(cublasGemmBatchedEx_64)

struct heddle_blas {
#define HEDDLE_BLAS_FIELD(name) __typeof__(&name) name;
    HEDDLE_BLAS_MAP(HEDDLE_BLAS_FIELD)
#undef HEDDLE_BLAS_FIELD
};

/* The functions, and the handle of a stream of the current device: default math (no TF32), scalars
 * in host memory. `who` wants it: "heddle_matmul". Errors: HEDDLE_EDEVICE when cuBLAS is not there or does not
 * start. */
enum heddle_status heddle__blas_get(const char *who, void *stream, const struct heddle_blas **blas,
                                    cublasHandle_t *handle);

#endif
