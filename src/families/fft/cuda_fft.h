/* What the host gives the CUDA kernels beside cuFFT's. */
#ifndef HEDDLE_FAMILIES_FFT_CUDA_FFT_H
#define HEDDLE_FAMILIES_FFT_CUDA_FFT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each enqueues its work and gives a cudaError_t. */

/* Multiplies n numbers. */
int heddle__fft_scale(void *x, int is_double, int64_t n, double factor, void *stream);
/* Copies complex numbers of shape (outer, extent, inner) times the factor, with imaginary parts of 0 where elements of
 * the transform of n real numbers have none: C2R may not find others there. */
int heddle__fft_hermitian(const void *in, void *out, int is_double, int64_t outer, int64_t extent,
                          int64_t inner, int64_t n, double factor, void *stream);

/* Copies elements of 4, 8 or 16 bytes of shape (outer, rows, columns) to (outer, columns, rows). */
int heddle__fft_transpose(const void *in, void *out, int element_bytes, int64_t outer, int64_t rows,
                          int64_t columns, void *stream);

#ifdef __cplusplus
}
#endif

#endif
