/* Products with sums of few terms by a matrix that is small and not narrow (cuda_narrow.h). */
#ifndef HEDDLE_FAMILIES_MATMUL_CUDA_SHORT_H
#define HEDDLE_FAMILIES_MATMUL_CUDA_SHORT_H

#include "families/matmul/cuda_integer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most terms, and columns of B, or else rows of A. */
enum { HEDDLE_MATMUL_SHORT = 16 };

/* Enqueues it, of float32 or float64; a cudaError_t. If n is more than HEDDLE_MATMUL_SHORT, m is not and B's columns have stride 1; else all
 * results have one B. */
int heddle__matmul_short(const struct heddle_matmul_kernel *args, void *stream);

#ifdef __cplusplus
}
#endif

#endif
