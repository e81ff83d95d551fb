/* Matrix products of one task: C[m, n] (+)= A[m, k] B[k, n], for each batch index. */
#ifndef HEDDLE_FAMILIES_MATMUL_KERNEL_H
#define HEDDLE_FAMILIES_MATMUL_KERNEL_H

#include "kernels.h"

#include <stdbool.h>

/* All strides in elements. C rows are contiguous (column stride 1). A and B have one of their two
 * strides equal to 1 (or an extent of 1), so that BLAS takes them as they are, transposed or not.
 * Results are numbered by two axes: there are `batch`, `outer` times. Their strides may be 0. Dtypes: any but bool;
 * integers wrap. */
struct heddle_matmul {
    uint8_t dtype;
    uint8_t accumulate; /* C += A B instead of C = A B */
    uint8_t halves;     /* dtype of A and B if it is a half (`dtype` is float32 then), else 0 */
    uint8_t rounded;    /* of halves: C has their dtype too; never with `accumulate` */
    uint8_t
        tf32; /* of float32: A and B have the digits of TF32, which tensor cores take as they are */
    int64_t m, n, k, batch, outer; /* outer is more than 1 only if batch is */
    int64_t a_offset, a_row, a_column, a_batch, a_outer;
    int64_t b_offset, b_row, b_column, b_batch, b_outer;
    int64_t c_offset, c_row, c_batch, c_outer;
    uint32_t buffer[3]; /* of A, B, C: numbers of the task's buffers */
    const struct heddle_launch
        *epilogue; /* a map of C's elements, once they are made; NULL: none */
};

/* Which axes of a map's box number the results, rows and columns; -1: there is only one. False: it is no such box. */
bool heddle__epilogue_axes(const struct heddle_matmul *mm, const struct heddle_launch *launch,
                           int axis[3]);
/* Whether `launch` is a map of C's elements, and reads and writes C only in place. */
bool heddle__matmul_takes(const struct heddle_matmul *mm, const struct heddle_launch *launch);

/* GPU: whether results are asked for all at once, by addresses; else there is a call for each index of the shorter axis, which is `outer` of
 * longer_axis, and of the other one if it goes back. */
bool heddle__matmul_takes_addresses(const struct heddle_matmul *mm);
bool heddle__matmul_goes_back(const struct heddle_matmul *mm);
struct heddle_matmul heddle__matmul_longer_axis(const struct heddle_matmul *mm);

/* CPU: A and B of halves, and C if it is rounded, as float32; panels (kernel_packed.h). GPU: partial results (kernel_thin.h), addresses of
 * what both axes number. */
size_t heddle__matmul_scratch(const void *arguments, int n_threads);

/* The twins, without the epilogue; on CPUs of outer = 1. `scratch`: of heddle__matmul_scratch, live until the stream has passed. Errors: HEDDLE_EARG for an extent or a
 * stride that BLAS cannot take. */
enum heddle_status heddle__cpu_matmul(const struct heddle_matmul *matmul, void *const buffers[],
                                      void *scratch, struct heddle_team *team);
enum heddle_status heddle__cuda_matmul(const struct heddle_matmul *matmul, void *const buffers[],
                                       void *scratch, void *stream);

#endif
