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
/* Makes n x n matrices `to` of the conjugate transposes of `from`. A cudaError_t. */
int heddle__spectral_adjoint(int is_double, int is_complex, int64_t batch, int64_t n,
                             const void *from, void *to, void *stream);
/* Of matrices of `each` numbers, n in all: makes bad[i] 1 if matrix i has one that is not finite; else it stays. A
 * cudaError_t. */
int heddle__spectral_check(int is_double, int64_t n, int64_t each, const void *x, int *bad,
                           void *stream);
/* Puts n values of each matrix in order, from which they differ by rounding: each becomes the largest (or least) up to
 * there. bad[i] becomes 1, as above. A cudaError_t. */
int heddle__spectral_order(int is_double, int descending, int64_t batch, int64_t n, void *values,
                           int *bad, void *stream);

#ifdef __cplusplus
}
#endif

#endif
