/* Matrix product of one task: C[m, n] (+)= A[m, k] B[k, n], for each batch index. */
#ifndef HEDDLE_CODELETS_MATMUL_H
#define HEDDLE_CODELETS_MATMUL_H

#include <base/dtype.h>

/* All strides in elements. C rows are contiguous (column stride 1). A and B have one of their two
 * strides equal to 1 (or an extent of 1), so that BLAS takes them as they are, transposed or not.
 * Batch strides may be 0. Dtypes: any but bool; integers wrap. */
struct heddle_matmul {
    uint8_t dtype;
    uint8_t accumulate; /* C += A B instead of C = A B */
    int64_t m, n, k, batch;
    int64_t a_offset, a_row, a_column, a_batch;
    int64_t b_offset, b_row, b_column, b_batch;
    int64_t c_offset, c_row, c_batch;
    uint16_t buffer[3]; /* A, B, C: index into the task's buffers */
};

#endif
