/* Linear algebra. */
#ifndef HEDDLE_LINALG_H
#define HEDDLE_LINALG_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Matrix product over the last two axes, batched over broadcast leading axes; a 1-d operand is a
 *  row (left) or a column (right) and its axis is dropped from the result. Dtype: the common one;
 *  floating and complex by BLAS (CPU) and cuBLAS (GPU, no reduced precision), integers exactly.
 *  Errors: HEDDLE_ESHAPE inner extents differ or a 0-d operand, HEDDLE_EDTYPE bool.
 *  Cost: 2 m n k floating-point operations; views of transposed matrices are not copied. */
HEDDLE_API heddle_array *heddle_matmul(heddle_array *a, heddle_array *b);

#ifdef __cplusplus
}
#endif

#endif
