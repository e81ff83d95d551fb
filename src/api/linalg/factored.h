/* What functions of matrices share: checks of arguments, and nodes of factorisations. Nodes have column-major matrices
 * (families/factor/kernel.h), so a matrix of the user's is transposed, which is a view. The functions that give arrays
 * give those of the innermost scope, in error if an argument is; the caller opens a scope. */
#ifndef HEDDLE_API_LINALG_FACTORED_H
#define HEDDLE_API_LINALG_FACTORED_H

#include "api/compose/compose.h"
#include "families/factor/factor.h"

/* Whether `a` has matrices as its last two axes, square ones if it must: HEDDLE_ESHAPE. */
enum heddle_status heddle__check_matrices(const char *name, const heddle_array *a, bool square);
/* The dtype in which n arrays are factored: their common one, where integers and bool count as float64. HEDDLE_EDTYPE
 * of halves. */
enum heddle_status heddle__factor_dtype(const char *name, int n, heddle_array *const arrays[],
                                        enum heddle_dtype *dtype);

/* Rows 0 .. rows - 1 and columns 0 .. columns - 1 of each matrix: a view. */
heddle_array *heddle__corner(heddle_array *a, int64_t rows, int64_t columns);
/* The identity as a matrix of those extents. */
heddle_array *heddle__identity(int64_t rows, int64_t columns, enum heddle_dtype dtype);
/* An operation of one output; zeros if it has no elements. */
heddle_array *heddle__factor_node(const struct heddle_family_info *family, enum heddle_dtype dtype,
                                  int ndim, const int64_t *shape, int n, heddle_array *const in[],
                                  const void *params);
/* An operation of several, of the shape and dtype of `in`, which has elements; false: all are in error. */
bool heddle__factor_nodes(const struct heddle_family_info *family, heddle_array *in, int n,
                          heddle_array *outputs[]);

/* L and U of P a in one matrix, the order of rows, and the sign of the order; of `a` with elements, of a dtype that is
 * factored. */
struct heddle_lu {
    heddle_array *packed, *order, *sign;
};
bool heddle__make_lu(heddle_array *a, struct heddle_lu *lu);
/* T^-1 b for triangular matrices T (..., n, n) and b (..., n, k) of one batch and dtype. */
heddle_array *heddle__make_triangular(heddle_array *t, heddle_array *b, bool lower, bool unit,
                                      enum heddle_factor_name name);

#endif
