/* Kernels beside cuSOLVER, for the host files. */
#ifndef HEDDLE_FAMILIES_SPECTRAL_CUDA_UNPACK_H
#define HEDDLE_FAMILIES_SPECTRAL_CUDA_UNPACK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of n complex eigenvalues of a real matrix and their eigenvectors as rows, of a conjugate pair the real and the imaginary
 * part of the first: makes complex rows. A cudaError_t. */
int heddle__spectral_unpack(int is_double, int64_t n, const void *values, const void *rows,
                            void *vectors, void *stream);
/* Makes *bad 1 if one of n numbers is not finite; else it stays. A cudaError_t. */
int heddle__spectral_check(int is_double, int64_t n, const void *x, int *bad, void *stream);

#ifdef __cplusplus
}
#endif

#endif
