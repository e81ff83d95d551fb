/* The matrix product that cuBLAS has no routine for: integers, and strides that BLAS cannot take. */
#ifndef HEDDLE_FAMILIES_MATMUL_CUDA_INTEGER_H
#define HEDDLE_FAMILIES_MATMUL_CUDA_INTEGER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_matmul_kernel {
    int32_t dtype, accumulate; /* enum heddle_dtype */
    int64_t m, n, k, batch, outer;
    int64_t a_row, a_column, a_batch, a_outer, b_row, b_column, b_batch, b_outer;
    int64_t c_row, c_batch, c_outer;
    const void *a, *b;
    void *c;
};

/* Whether all results have the same B. */
static inline int heddle__matmul_has_one_b(const struct heddle_matmul_kernel *p)
{
    return (p->batch == 1 || p->b_batch == 0) && (p->outer == 1 || p->b_outer == 0);
}

/* Enqueues it; a cudaError_t. Floating sums run over k left to right. */
int heddle__matmul_tiled(const struct heddle_matmul_kernel *args, void *stream);

#ifdef __cplusplus
}
#endif

#endif
