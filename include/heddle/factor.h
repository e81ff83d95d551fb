/* Factorisations of matrices, and what is made of them.
 *
 * Matrices are the last two axes; the leading axes are a batch, whose matrices are independent. Dtypes: float32,
 * float64, complex64, complex128; integers and bool count as float64; halves are HEDDLE_EDTYPE, as in NumPy. A matrix
 * that has no such factor or no solution is the error HEDDLE_ESINGULAR of the array, whose text says which matrix of
 * the batch it is; it is found when the array is evaluated. Errors at the call: HEDDLE_ESHAPE for less than two axes,
 * for matrices that are not square where they must be, and for shapes that do not fit.
 *
 * By LAPACK (CPU) and cuSOLVER (GPU). A large matrix is factored by several workers together, in panels of columns:
 * they need not fit in the memory of one. Digits then depend on the number of panels, as those of products do. */
#ifndef HEDDLE_FACTOR_H
#define HEDDLE_FACTOR_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Factorisations ------------------------------------------------------------------------------- */

struct heddle_linalg_cholesky_options {
    size_t size; /* call.h */
    bool upper;  /* the factor is upper triangular, and the upper triangle of `a` is read */
};

/** The Cholesky factor L, lower triangular with a positive diagonal: a = L L^H; or U, where a = U^H U. Of `a`, which is
 *  Hermitian, one triangle is read. Errors: HEDDLE_ESINGULAR not positive definite. Cost: n^3 / 3. */
HEDDLE_API heddle_array *heddle_linalg_cholesky_with(heddle_array *a,
                                                     const struct heddle_linalg_cholesky_options *o);
#define heddle_linalg_cholesky(...)                                                                \
    HEDDLE_CALL1(heddle_linalg_cholesky_with, heddle_linalg_cholesky_options, __VA_ARGS__)

/** Row `order[i]` of `a` (int64, m) is row i of L U, where `lower` (m, k) has ones on its diagonal and `upper` is (k, n),
 *  k = min(m, n); with partial pivoting. NULL: it is not wanted. Never singular. Cost: 2 n^3 / 3 of a square matrix. */
HEDDLE_API enum heddle_status heddle_linalg_lu(heddle_array *a, heddle_array **order,
                                               heddle_array **lower, heddle_array **upper);

struct heddle_linalg_qr_options {
    size_t size;   /* call.h */
    bool complete; /* Q is (m, m) and R is (m, n); else they are (m, k) and (k, n), k = min(m, n) */
};

/** a = Q R, where the columns of Q are orthonormal and R is upper triangular. NULL: it is not wanted; R alone is
 *  cheaper. The signs are LAPACK's. Cost: 4 n^3 / 3 of a square matrix, twice as much with Q. */
HEDDLE_API enum heddle_status heddle_linalg_qr_with(heddle_array *a, heddle_array **q,
                                                    heddle_array **r,
                                                    const struct heddle_linalg_qr_options *o);
#define heddle_linalg_qr(...)                                                                      \
    HEDDLE_CALL3(heddle_linalg_qr_with, heddle_linalg_qr_options, __VA_ARGS__)

/* ---- Equations ------------------------------------------------------------------------------------ */

/** The x for which a x = b. `b` is one vector (n,), or matrices (n, k) of a batch that broadcasts with that of `a`, as
 *  in NumPy. By Gauss's elimination with partial pivoting; one `a` beside a batch of b is factored once. Errors:
 *  HEDDLE_ESINGULAR a pivot is 0. Cost: 2 n^3 / 3 of each matrix of `a`, 2 n^2 of each column of b. */
HEDDLE_API heddle_array *heddle_linalg_solve(heddle_array *a, heddle_array *b);
/** The inverse. Errors: HEDDLE_ESINGULAR. To solve equations, heddle_linalg_solve is cheaper and more accurate. */
HEDDLE_API heddle_array *heddle_linalg_inv(heddle_array *a);

struct heddle_linalg_solve_triangular_options {
    size_t size;         /* call.h */
    bool lower;          /* the lower triangle of `a` is read, else the upper one */
    bool transposed;     /* a^T x = b is solved */
    bool adjoint;        /* a^H x = b is solved */
    bool unit_diagonal;  /* the diagonal counts as ones, and is not read */
};

/** The x for which a x = b, where `a` is triangular; the other triangle is not read. `b` as in heddle_linalg_solve. Errors:
 *  HEDDLE_ESINGULAR an element of the diagonal is 0. */
HEDDLE_API heddle_array *heddle_linalg_solve_triangular_with(
    heddle_array *a, heddle_array *b, const struct heddle_linalg_solve_triangular_options *o);
#define heddle_linalg_solve_triangular(...)                                                        \
    HEDDLE_CALL2(heddle_linalg_solve_triangular_with, heddle_linalg_solve_triangular_options,      \
                 __VA_ARGS__)

/* ---- Determinants --------------------------------------------------------------------------------- */

/** The determinant of each matrix. */
HEDDLE_API heddle_array *heddle_linalg_det(heddle_array *a);
/** The same as its sign, a complex number of absolute value 1 if `a` is complex, or 0, and the natural logarithm of its
 *  absolute value, which is real: for determinants that no dtype holds. */
HEDDLE_API enum heddle_status heddle_linalg_slogdet(heddle_array *a, heddle_array **sign,
                                                    heddle_array **logabsdet);

#ifdef __cplusplus
}
#endif

#endif
