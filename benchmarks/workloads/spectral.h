/* Eigenvalues and singular values. */
#ifndef SPECTRAL_H
#define SPECTRAL_H

#include <stdint.h>

/* The operation with which the name begins (eigh, eigvalsh, svd), of a matrix of n rows, f64; of n matrices of 32
 * rows, if it has "batched" in it. */
void run_spectral(const char *name, int64_t n);

#endif
