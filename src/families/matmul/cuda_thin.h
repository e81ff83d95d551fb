/* The kernels around products with cut sums (kernel_thin.h). */
#ifndef HEDDLE_FAMILIES_MATMUL_CUDA_THIN_H
#define HEDDLE_FAMILIES_MATMUL_CUDA_THIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HEDDLE_THIN_THREADS = 256 }; /* of a block */

struct heddle_thin_kernel {
    int32_t of, result; /* dtypes of A and B, and of C */
    int32_t accumulate;
    int64_t m, n, k, slices, length, rest; /* as struct heddle_thin_cut says */
    int64_t a_row, a_column, b_row, b_column, c_row;
    const void *a, *b;
    void *partial; /* [slices][m][n]: of A's dtype, but float32 of halves */
    void *c;
};

/* Each enqueues a kernel and returns a cudaError_t. */

/* C (+)= the partial results and the products of the last `rest` terms. */
int heddle__thin_sums(const struct heddle_thin_kernel *p, void *stream);
/* The partial results of A with the vector B; n is 1. `along`: as HEDDLE_THIN_ALONG says. */
int heddle__thin_vector(const struct heddle_thin_kernel *p, int along, void *stream);
/* C (+)= A with the vector B, by HEDDLE_THIN_ROWS; n and a_column are 1. */
int heddle__thin_rows(const struct heddle_thin_kernel *p, void *stream);

#ifdef __cplusplus
}
#endif

#endif
