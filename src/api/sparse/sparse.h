/* What functions of sparse matrices share. */
#ifndef HEDDLE_API_SPARSE_SPARSE_H
#define HEDDLE_API_SPARSE_SPARSE_H

#include "api/compose/compose.h"

#include <heddle/sparse.h>

/* The matrix whose arrays are in error. */
struct heddle_csr heddle__csr_error(heddle_array *error);
heddle_array *heddle__csr_null(const char *name);
/* The error array to return if one of the matrix's arrays or `x`, which may be one of them, is in error; NULL: all are
 * good. */
heddle_array *heddle__csr_bad(const char *name, const struct heddle_csr *a, heddle_array *x);
/* The arrays as a matrix, which they are. They, made in the scope that ends here, go to the outer one. */
struct heddle_csr heddle__csr_leave(struct heddle_scope_state *scope, heddle_array *data,
                                    heddle_array *indices, heddle_array *indptr, int64_t rows,
                                    int64_t columns);
/* Indices without negative ones: these are `extent` then, which reading and writing by index refuse. */
heddle_array *heddle__csr_checked(heddle_array *indices, int64_t extent);
/* Where each of n sorted lines begins, and where the last one ends. */
heddle_array *heddle__csr_starts(heddle_array *sorted, int64_t n);

#endif
