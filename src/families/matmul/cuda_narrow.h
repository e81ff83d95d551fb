/* Products with a matrix of few rows and columns, for which cuBLAS has no fast kernel. */
#ifndef HEDDLE_FAMILIES_MATMUL_CUDA_NARROW_H
#define HEDDLE_FAMILIES_MATMUL_CUDA_NARROW_H

#include "families/matmul/cuda_integer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n and k at most, and n k: cuBLAS is faster at 16 by 16, slower at 8 by 8 and 16 by 4. */
enum { HEDDLE_MATMUL_NARROW = 16, HEDDLE_MATMUL_NARROW_SIZE = 64 };

/* Enqueues it, of float32 or float64; a cudaError_t. */
int heddle__matmul_narrow(const struct heddle_matmul_kernel *args, void *stream);

#ifdef __cplusplus
}
#endif

#endif
