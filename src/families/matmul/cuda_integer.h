/* The matrix product that cuBLAS has no routine for: integers, and strides that BLAS cannot take. */
#ifndef HEDDLE_FAMILIES_MATMUL_CUDA_INTEGER_H
#define HEDDLE_FAMILIES_MATMUL_CUDA_INTEGER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_matmul_kernel {
    int32_t dtype, accumulate; /* enum heddle_dtype */
    int64_t m, n, k, batch;
    int64_t a_row, a_column, a_batch, b_row, b_column, b_batch, c_row, c_batch;
    const void *a, *b;
    void *c;
};

/* Enqueues it; a cudaError_t. Floating sums run over k left to right. */
int heddle__matmul_tiled(const struct heddle_matmul_kernel *args, void *stream);

#ifdef __cplusplus
}
#endif

#endif
