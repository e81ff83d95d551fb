/* Products whose results two axes number, as cuBLAS takes them: by the addresses of their matrices. */
#ifndef HEDDLE_FAMILIES_MATMUL_CUDA_ADDRESSES_H
#define HEDDLE_FAMILIES_MATMUL_CUDA_ADDRESSES_H

#include "families/matmul/cuda_integer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues the writing of `to`, on the GPU: the addresses of A of all results, then those of B, then those of C. Sizes are of an element of
 * A and B, and of C. A cudaError_t. */
int heddle__matmul_addresses(const struct heddle_matmul_kernel *args, int64_t size, int64_t c_size,
                             void *to, void *stream);

#ifdef __cplusplus
}
#endif

#endif
