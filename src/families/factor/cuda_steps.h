/* cuSOLVER's and cuBLAS's functions by dtype, and a call that is under way. */
#ifndef HEDDLE_FAMILIES_FACTOR_CUDA_STEPS_H
#define HEDDLE_FAMILIES_FACTOR_CUDA_STEPS_H

#include "cuda/blas.h"
#include "cuda/solver.h"
#include "families/factor/cuda_factor.h"
#include "families/factor/kernel.h"

/* In the order of their names in cuda_steps.c. */
struct heddle_factor_blas {
    cublasStatus_t (*trsm)(cublasHandle_t, cublasSideMode_t, cublasFillMode_t, cublasOperation_t,
                           cublasDiagType_t, int64_t m, int64_t n, const void *alpha, const void *a,
                           int64_t lda, void *b, int64_t ldb);
    cublasStatus_t (*trsm_batched)(cublasHandle_t, cublasSideMode_t, cublasFillMode_t,
                                   cublasOperation_t, cublasDiagType_t, int64_t m, int64_t n,
                                   const void *alpha, void *const a[], int64_t lda, void *const b[],
                                   int64_t ldb, int64_t n_matrices);
    cublasStatus_t (*gemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int64_t m,
                           int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda,
                           const void *b, int64_t ldb, const void *beta, void *c, int64_t ldc);
    cublasStatus_t (*getrf_batched)(cublasHandle_t, int n, void *const a[], int lda, int *pivots,
                                    int *info, int n_matrices);
};
struct heddle_factor_solver {
    cusolverStatus_t (*orgqr_size)(cusolverDnHandle_t, int m, int n, int k, const void *a, int lda,
                                   const void *tau, int *elements);
    cusolverStatus_t (*orgqr)(cusolverDnHandle_t, int m, int n, int k, void *a, int lda,
                              const void *tau, void *work, int elements, int *info);
    cusolverStatus_t (*ormqr_size)(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int m,
                                   int n, int k, const void *a, int lda, const void *tau,
                                   const void *c, int ldc, int *elements);
    cusolverStatus_t (*ormqr)(cusolverDnHandle_t, cublasSideMode_t, cublasOperation_t, int m, int n,
                              int k, const void *a, int lda, const void *tau, void *c, int ldc,
                              void *work, int elements, int *info);
    cusolverStatus_t (*potrf_batched)(cusolverDnHandle_t, cublasFillMode_t, int n, void *a[],
                                      int lda, int *info, int n_matrices);
};
struct heddle_factor_any {
    __typeof__(&cusolverDnCreateParams) create_params;
    __typeof__(&cusolverDnDestroyParams) destroy_params;
    __typeof__(&cusolverDnXpotrf_bufferSize) potrf_size;
    __typeof__(&cusolverDnXpotrf) potrf;
    __typeof__(&cusolverDnXgetrf_bufferSize) getrf_size;
    __typeof__(&cusolverDnXgetrf) getrf;
    __typeof__(&cusolverDnXgeqrf_bufferSize) geqrf_size;
    __typeof__(&cusolverDnXgeqrf) geqrf;
};

/* A call under way. */
struct heddle_factor_cuda {
    const struct heddle_factor *f;
    const struct heddle_factor_blas *blas;
    const struct heddle_factor_solver *solver;
    const struct heddle_factor_any *any;
    cublasHandle_t blas_handle;
    cusolverDnHandle_t solver_handle;
    cudaDataType type;
    int size, real; /* bytes of an element, and of its real part */
    cublasOperation_t adjoint;
    const void *one, *minus_one;
    char *panel, *block, *below;
    char *scales;
    int64_t *order, *signs;
    int64_t panel_bytes, block_bytes, scale_bytes; /* from matrix to matrix */
    struct heddle_factor_report report;
    void *stream;
    /* scratch */
    void **pointers[2];
    int *info, *pivots;
    int64_t *long_pivots;
    char *room;
    size_t room_bytes;
};

/* Fills in the functions and handles. Errors: HEDDLE_EDEVICE. */
enum heddle_status heddle__factor_libraries(struct heddle_factor_cuda *c);
/* HEDDLE_OK, or an error with the number. */
enum heddle_status heddle__factor_solved(cusolverStatus_t status, const char *what);
enum heddle_status heddle__factor_multiplied(cublasStatus_t status, const char *what);

/* One matrix, number i of the batch. */
enum heddle_status heddle__cuda_cholesky(const struct heddle_factor_cuda *c, int64_t i);
enum heddle_status heddle__cuda_lu(const struct heddle_factor_cuda *c, int64_t i);
enum heddle_status heddle__cuda_qr(const struct heddle_factor_cuda *c, int64_t i);
/* The block becomes Q times it, by the panel. */
enum heddle_status heddle__cuda_expand(const struct heddle_factor_cuda *c, int64_t i);

/* Memory for a step: the call's scratch, if it is enough. `put` after `get`, whether that succeeded or not. */
struct heddle_factor_room {
    size_t device_bytes, host_bytes;
    void *device, *host;
    bool taken; /* `device` is memory of the stream's order */
};
enum heddle_status heddle__factor_room_get(const struct heddle_factor_cuda *c,
                                           struct heddle_factor_room *w);
void heddle__factor_room_put(const struct heddle_factor_cuda *c, struct heddle_factor_room *w);

/* Panels that are sent (cuda_reflect.c): V and T; and the block becomes Q times it, or Q^H times it. */
enum heddle_status heddle__cuda_qr_send(const struct heddle_factor_cuda *c);
enum heddle_status heddle__cuda_qr_reflect(const struct heddle_factor_cuda *c, bool adjoint);

#endif
