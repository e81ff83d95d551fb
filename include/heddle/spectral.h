/* Eigenvalues, singular values, and what is made of them: NumPy's np.linalg.
 *
 * Matrices are the last two axes of an array; the axes before them are a batch. Dtypes: float32, float64, complex64 and
 * complex128; integers and bool are computed in float64. Eigenvalues of Hermitian matrices, singular values and norms are
 * real. On CPUs LAPACK computes them, a batch by all threads, on GPUs cuSOLVER. A matrix for which the iteration does not
 * converge, as of one with an infinity or NaN, is HEDDLE_ECONVERGE of the results, with its place in the batch. Errors: HEDDLE_ESHAPE fewer than two axes, or
 * a matrix that is not square where it has to be; HEDDLE_EDTYPE float16, bfloat16.
 *
 * A matrix is decomposed as a whole by one device; a batch that is cut is decomposed where its parts are. */
#ifndef HEDDLE_SPECTRAL_H
#define HEDDLE_SPECTRAL_H

#include <heddle/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Hermitian matrices --------------------------------------------------------------------------------- */

struct heddle_linalg_eigh_options {
    size_t size; /* call.h */
    bool upper;  /* the upper triangle is read, not the lower one: UPLO='U' */
};

/** Eigenvalues in ascending order, (..., n), and eigenvectors of length 1 as columns, (..., n, n). Of each matrix one
 *  triangle is read, and of the diagonal the real parts. Cost: some 9 n^3. */
HEDDLE_API enum heddle_status heddle_linalg_eigh_with(heddle_array *a, heddle_array **values,
                                                      heddle_array **vectors,
                                                      const struct heddle_linalg_eigh_options *o);
#define heddle_linalg_eigh(...)                                                                    \
    HEDDLE_CALL3(heddle_linalg_eigh_with, heddle_linalg_eigh_options, __VA_ARGS__)

/** The eigenvalues alone. Cost: some 4/3 n^3. */
HEDDLE_API heddle_array *heddle_linalg_eigvalsh_with(heddle_array *a,
                                                     const struct heddle_linalg_eigh_options *o);
#define heddle_linalg_eigvalsh(...)                                                                \
    HEDDLE_CALL1(heddle_linalg_eigvalsh_with, heddle_linalg_eigh_options, __VA_ARGS__)

/* ---- Any matrices --------------------------------------------------------------------------------------- */

struct heddle_linalg_svd_options {
    size_t size; /* call.h */
    bool thin;   /* only the first min(m, n) columns of u and rows of vh: full_matrices=False */
};

/** a = u * diag(s) * vh: unitary u, (..., m, m), and vh, (..., n, n), and singular values s in descending order,
 *  (..., min(m, n)). Cost: some 20 m n min(m, n). */
HEDDLE_API enum heddle_status heddle_linalg_svd_with(heddle_array *a, heddle_array **u,
                                                     heddle_array **s, heddle_array **vh,
                                                     const struct heddle_linalg_svd_options *o);
#define heddle_linalg_svd(...)                                                                     \
    HEDDLE_CALL4(heddle_linalg_svd_with, heddle_linalg_svd_options, __VA_ARGS__)

/** The singular values alone. Cost: some 4 m n min(m, n). */
HEDDLE_API heddle_array *heddle_linalg_svdvals(heddle_array *a);

/** Eigenvalues of square matrices, (..., n), in no order, and eigenvectors of length 1 as columns; complex, also if all are
 *  real. Cost: some 27 n^3. */
HEDDLE_API enum heddle_status heddle_linalg_eig(heddle_array *a, heddle_array **values,
                                                heddle_array **vectors);
/** The eigenvalues alone. Cost: some 10 n^3. */
HEDDLE_API heddle_array *heddle_linalg_eigvals(heddle_array *a);

/* ---- Norms ---------------------------------------------------------------------------------------------- */

enum heddle_norm {
    HEDDLE_NORM_DEFAULT,   /* of vectors the Euclidean norm, of matrices Frobenius's */
    HEDDLE_NORM_P,         /* that of .p: any number for vectors; 1, -1, 2, -2, INFINITY, -INFINITY for matrices */
    HEDDLE_NORM_FROBENIUS, /* the root of the sum of squares; of matrices */
    HEDDLE_NORM_NUCLEAR    /* the sum of the singular values; of matrices */
};

struct heddle_linalg_norm_options {
    size_t size; /* call.h */
    enum heddle_norm kind;
    double p;                /* of HEDDLE_NORM_P */
    int axis;                /* one axis */
    bool has_axis;           /* whether it is given; set by the macros */
    bool keepdims;           /* reduced axes stay, with extent 1 */
    struct heddle_axes axes; /* several, instead of `axis` */
};

/** The norm of the vectors along .axis, or of all elements along .axes, or of all: sum(abs(a)**p)**(1/p); for p of 0 how many
 *  elements are not 0, for infinities the largest or least magnitude. Cost: one pass. */
HEDDLE_API heddle_array *heddle_linalg_vector_norm_with(heddle_array *a,
                                                        const struct heddle_linalg_norm_options *o);
#define heddle_linalg_vector_norm(...)                                                             \
    HEDDLE_CALL1_AXIS(heddle_linalg_vector_norm_with, heddle_linalg_norm_options, __VA_ARGS__)

/** The norm of each matrix; for p of 2 and -2 the largest and the least singular value, for 1 and infinity the largest
 *  sum of magnitudes of a column or a row (negative: the least). .axis and .axes are not given. */
HEDDLE_API heddle_array *heddle_linalg_matrix_norm_with(heddle_array *a,
                                                        const struct heddle_linalg_norm_options *o);
#define heddle_linalg_matrix_norm(...)                                                             \
    HEDDLE_CALL1_AXIS(heddle_linalg_matrix_norm_with, heddle_linalg_norm_options, __VA_ARGS__)

/** NumPy's norm: of vectors along one .axis, of matrices over two .axes; without them of a vector or a matrix, or of all
 *  elements if .kind is not given either. */
HEDDLE_API heddle_array *heddle_linalg_norm_with(heddle_array *a,
                                                 const struct heddle_linalg_norm_options *o);
#define heddle_linalg_norm(...)                                                                    \
    HEDDLE_CALL1_AXIS(heddle_linalg_norm_with, heddle_linalg_norm_options, __VA_ARGS__)

/* ---- Made of singular values ---------------------------------------------------------------------------- */

/** The condition number in the norm of .kind and .p (default: 2, the quotient of the largest and the least singular value,
 *  which takes matrices of any form); infinite for singular matrices. */
HEDDLE_API heddle_array *heddle_linalg_cond_with(heddle_array *a,
                                                 const struct heddle_linalg_norm_options *o);
#define heddle_linalg_cond(...)                                                                    \
    HEDDLE_CALL1_AXIS(heddle_linalg_cond_with, heddle_linalg_norm_options, __VA_ARGS__)

struct heddle_linalg_rank_options {
    size_t size;        /* call.h */
    heddle_array *rtol; /* singular values up to this part of the largest count as 0; one number for each matrix, or one
                         * for all. Default: max(m, n) times the precision of the dtype */
    heddle_array *tol;  /* matrix_rank: or up to this number */
    bool hermitian;     /* the matrices are Hermitian, which is faster */
};

/** How many singular values are not 0, int64. */
HEDDLE_API heddle_array *
heddle_linalg_matrix_rank_with(heddle_array *a, const struct heddle_linalg_rank_options *o);
#define heddle_linalg_matrix_rank(...)                                                             \
    HEDDLE_CALL1(heddle_linalg_matrix_rank_with, heddle_linalg_rank_options, __VA_ARGS__)

/** The pseudo-inverse of Moore and Penrose, (..., n, m). */
HEDDLE_API heddle_array *heddle_linalg_pinv_with(heddle_array *a,
                                                 const struct heddle_linalg_rank_options *o);
#define heddle_linalg_pinv(...)                                                                    \
    HEDDLE_CALL1(heddle_linalg_pinv_with, heddle_linalg_rank_options, __VA_ARGS__)

struct heddle_linalg_lstsq_options {
    size_t size;         /* call.h */
    heddle_array *rcond; /* a number: singular values up to this part of the largest count as 0; as .rtol above */
};

/* What heddle_linalg_lstsq gives. */
struct heddle_lstsq {
    heddle_array *x;         /* (n,) or (n, k) */
    heddle_array *residuals; /* the squared length of b - a @ x, of each column: (1,) or (k,) */
    heddle_array *rank;      /* of a; int64, () */
    heddle_array *s;         /* the singular values of a */
};

/** The x that makes b - a @ x shortest and, of these, is shortest itself; a is a matrix, b a vector or a matrix of as many
 *  rows. By singular values. */
HEDDLE_API enum heddle_status
heddle_linalg_lstsq_with(heddle_array *a, heddle_array *b, struct heddle_lstsq *out,
                         const struct heddle_linalg_lstsq_options *o);
#define heddle_linalg_lstsq(...)                                                                   \
    HEDDLE_CALL3(heddle_linalg_lstsq_with, heddle_linalg_lstsq_options, __VA_ARGS__)

/* ---- Polynomials ---------------------------------------------------------------------------------------- */

/** The coefficients of the polynomial of that degree, highest power first, that is nearest to values y at points x, in the
 *  sense of least squares: (degree + 1,), or (degree + 1, k) for y of (n, k). Errors: HEDDLE_ESHAPE, HEDDLE_EARG a negative
 *  degree. *np.polyfit* */
HEDDLE_API heddle_array *heddle_polyfit(heddle_array *x, heddle_array *y, int degree);
/** The zeros of the polynomial with coefficients p, highest power first, as complex numbers in no order. Reads p when it is
 *  called, as zeros before and behind do not count. *np.roots* */
HEDDLE_API heddle_array *heddle_roots(heddle_array *p);

/* ---- Powers --------------------------------------------------------------------------------------------- */

/** The product of n times each square matrix; of negative n times its inverse. Dtype: the array's, as heddle_matmul's; of
 *  negative n floating. Cost: log2(n) to 2 log2(n) products. */
HEDDLE_API heddle_array *heddle_linalg_matrix_power(heddle_array *a, int64_t n);

/** The exponential of each square matrix, by scaling and squaring; floating. Reads the largest norm when it is called.
 *  *scipy.linalg.expm* Cost: some 8 products and, for each factor of 2 of the norm beyond 5, one more. */
HEDDLE_API heddle_array *heddle_linalg_expm(heddle_array *a);

#ifdef __cplusplus
}
#endif

#endif
