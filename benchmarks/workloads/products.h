/* Matrix products. */
#ifndef PRODUCTS_H
#define PRODUCTS_H

#include <stdint.h>

/* n x n by n x n, of the dtype that the name ends with: f32, f64, bf16. */
void run_matmul(const char *name, int64_t n);
/* n products of 64 x 64, f32. */
void run_matmul_batched(const char *name, int64_t n);
/* X^T X, X^T y and X^T v of X with n rows and few columns: long sums, small results. */
void run_normal_equations(const char *name, int64_t n);
void run_thin_transposed(const char *name, int64_t n);
void run_thin_vector(const char *name, int64_t n);

#endif
