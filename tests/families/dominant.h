/* Matrices for cases of factorisations: of random values, made well-conditioned by a large diagonal, so that bounds of
 * rounding are small and pivots are known. */
#ifndef HEDDLE_TESTS_FAMILIES_DOMINANT_H
#define HEDDLE_TESTS_FAMILIES_DOMINANT_H

#include "families/cases.h"

struct dominant {
    heddle_array *array; /* of the open scope */
    enum heddle_dtype dtype;
    int ndim; /* 2, or 3 of a batch */
    int64_t shape[3], batch, m, n;
    double *data; /* C order; to be freed */
    double spread;
};

/* Of the last two axes of `a`: m rows and n columns, elements below 1 / max(m, n), and 4 more on the diagonal.
 * `square`: m = n. `symmetric`: and equal to its transpose. `flipped`: its rows in the reverse order. False: `a` has no
 * such matrices. */
bool dominant_of(const struct value *a, bool square, bool symmetric, bool flipped,
                 struct dominant *d);
/* A value of matrices (rows, columns) of the same batch, with the bound of its rounding. */
struct value dominant_result(const struct value *a, const struct dominant *d, int64_t rows,
                             int64_t columns);
/* Householder's QR of an m x n matrix in place, with LAPACK's signs; q, m x m, may be NULL. False: rounding decides a
 * sign. */
bool dominant_qr(int64_t m, int64_t n, double *a, double *q);

#endif
