/* What functions of matrices share: operands, and results of matrices without elements. Names are without "heddle_",
 * as "linalg_svd". */
#ifndef HEDDLE_API_LINALG_MATRICES_H
#define HEDDLE_API_LINALG_MATRICES_H

#include "api/compose/compose.h"

/* The array, of matrices, as a strong one in the dtype that it is computed in; or an array in error: HEDDLE_ESHAPE,
 * HEDDLE_EDTYPE. Of the innermost scope or the caller's. */
heddle_array *heddle__matrices(const char *name, heddle_array *a, bool square);
/* Identity matrices of n rows, one for each matrix of `like`, in its dtype. */
heddle_array *heddle__identities(heddle_array *like, int64_t n);
/* Zeros in the shape of the batch of `like` and n more extents. */
heddle_array *heddle__zeros_beside(heddle_array *like, enum heddle_dtype dtype, int n,
                                   const int64_t *extents);

#endif
