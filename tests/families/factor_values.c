/* Factorisations and equations: residuals and orthogonality within LAPACK's bounds for every dtype, of random and of
 * ill-conditioned matrices, tall, wide and in batches, whole and in panels; and which matrix is named that has no factor. */
#include "check_heddle.h"
#include "families/ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_COMPLEX64,
                                           HEDDLE_COMPLEX128};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

static bool is_complex(enum heddle_dtype dtype)
{
    return dtype == HEDDLE_COMPLEX64 || dtype == HEDDLE_COMPLEX128;
}

static double epsilon(enum heddle_dtype dtype)
{
    return dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_COMPLEX64 ? 0x1p-23 : 0x1p-52;
}

/* ---- Matrices ---------------------------------------------------------------------------------------------- */

static uint64_t state = 1;

static double random_number(void) /* in [-1, 1) */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) * 0x1p-52 - 1;
}

/* `scale` is by how much column j of n is smaller than the first: 1 for none. */
static heddle_array *matrix(enum heddle_dtype dtype, int ndim, const int64_t *shape, double scale)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    const int64_t n = shape[ndim - 1];
    double *data = malloc((size_t)(2 * size + 1) * sizeof *data);
    for (int64_t i = 0; i < size; i++) {
        const double by = pow(scale, n > 1 ? (double)(i % n) / (double)(n - 1) : 0);
        data[2 * i] = random_number() * by;
        data[2 * i + 1] = random_number() * by;
    }
    heddle_array *x = heddle_asarray(data, HEDDLE_COMPLEX128, ndim, shape);
    free(data);
    return heddle_astype(is_complex(dtype) ? x : heddle_real(x), dtype);
}

static heddle_array *adjoint(heddle_array *a)
{
    return heddle_conj(heddle_matrix_transpose(a));
}

/* The largest Frobenius norm of a batch. */
static double norm(heddle_array *a)
{
    double x = -1;
    CHECK(heddle_status_of(a) == HEDDLE_OK, "%s", heddle_error(a)); /* an error has no elements */
    if (heddle_size(a) == 0) return 0;
    heddle_array *squares = heddle_square(heddle_astype(heddle_abs(a), HEDDLE_FLOAT64));
    heddle_array *sums = heddle_sum(squares, .axes = HEDDLE_AXES(-2, -1));
    CHECK_EQ(heddle_read(heddle_sqrt(heddle_max(sums)), &x, sizeof x), HEDDLE_OK);
    return x;
}

static heddle_array *identity(heddle_array *like, int64_t n)
{
    return heddle_eye(n, n, .dtype = heddle_dtype_of(like));
}

/* ---- Bounds ------------------------------------------------------------------------------------------------- */

static int n_checked;
static double worst;

/* LAPACK's tests accept 30 for such ratios. */
static void bound(const char *what, enum heddle_dtype dtype, double error, double size, int64_t n)
{
    const double ratio = error / (size * (double)(n > 0 ? n : 1) * epsilon(dtype));
    n_checked++;
    if (ratio > worst) worst = ratio;
    if (ratio < 10) return;
    CHECK(false, "%s of %s: %g times n eps", what, heddle_dtype_name(dtype), ratio);
}

static void check_qr(enum heddle_dtype dtype, int ndim, const int64_t *shape, double scale)
{
    const int64_t m = shape[ndim - 2], n = shape[ndim - 1];
    heddle_array *a = matrix(dtype, ndim, shape, scale), *q, *r;
    for (int complete = 0; complete < 2; complete++) {
        CHECK_EQ(heddle_linalg_qr(a, &q, &r, .complete = complete), HEDDLE_OK);
        bound("QR", dtype, norm(heddle_subtract(a, heddle_matmul(q, r))), norm(a), m > n ? m : n);
        const int64_t k = heddle_shape(q)[ndim - 1];
        bound("Q", dtype, norm(heddle_subtract(heddle_matmul(adjoint(q), q), identity(q, k))),
              sqrt((double)k), m);
        CHECK_EQ(norm(heddle_tril(r, -1)) == 0, 1);
    }
}

static void check_lu(enum heddle_dtype dtype, int ndim, const int64_t *shape, double scale)
{
    const int64_t m = shape[ndim - 2], n = shape[ndim - 1];
    heddle_array *a = matrix(dtype, ndim, shape, scale), *order, *l, *u;
    CHECK_EQ(heddle_linalg_lu(a, &order, &l, &u), HEDDLE_OK);
    heddle_array *rows = heddle_broadcast_to(heddle_expand_dims(order, ndim - 1), ndim, shape);
    heddle_array *moved = heddle_take_along_axis(a, rows, .axis = ndim - 2);
    bound("LU", dtype, norm(heddle_subtract(moved, heddle_matmul(l, u))), norm(a), m > n ? m : n);
    double largest = 0; /* partial pivoting: no element of L is beyond 1 */
    CHECK_EQ(heddle_read(heddle_max(heddle_astype(heddle_abs(l), HEDDLE_FLOAT64)), &largest,
                         sizeof largest),
             HEDDLE_OK);
    CHECK(largest <= (is_complex(dtype) ? 1.5 : 1), "an element of L is %g", largest);
}

static void check_cholesky(enum heddle_dtype dtype, int ndim, const int64_t *shape, double scale)
{
    const int64_t n = shape[ndim - 1];
    heddle_array *x = matrix(dtype, ndim, shape, scale);
    heddle_array *a =
        heddle_add(heddle_matmul(adjoint(x), x),
                   heddle_multiply(identity(x, n), heddle_scalar(scale < 1 ? 1e-3 : 1e-1)));
    for (int upper = 0; upper < 2; upper++) {
        heddle_array *l = heddle_linalg_cholesky(a, .upper = upper);
        heddle_array *product = upper ? heddle_matmul(adjoint(l), l) : heddle_matmul(l, adjoint(l));
        bound("Cholesky", dtype, norm(heddle_subtract(a, product)), norm(a), n);
        CHECK_EQ(norm(upper ? heddle_tril(l, -1) : heddle_triu(l, 1)) == 0, 1);
    }
}

/* |a x - b| / (|a| |x|), small even if x is far off. */
static void check_solve(enum heddle_dtype dtype, int ndim, const int64_t *shape, double scale,
                        int64_t columns)
{
    const int64_t n = shape[ndim - 1];
    int64_t right[3];
    memcpy(right, shape, (size_t)ndim * sizeof *right);
    right[ndim - 1] = columns;
    heddle_array *a = matrix(dtype, ndim, shape, scale), *b = matrix(dtype, ndim, right, 1);
    heddle_array *x = heddle_linalg_solve(a, b);
    bound("solve", dtype, norm(heddle_subtract(heddle_matmul(a, x), b)), norm(a) * norm(x), n);
    if (ndim == 2) { /* right sides in a batch, of one matrix */
        const int64_t several[4] = {2, 3, n, columns};
        b = matrix(dtype, 4, several, 1);
        x = heddle_linalg_solve(a, b);
        CHECK_EQ(heddle_ndim(x), 4);
        bound("solve beside", dtype, norm(heddle_subtract(heddle_matmul(a, x), b)),
              norm(a) * norm(x), n);
        b = matrix(dtype, ndim, right, 1);
    }
    heddle_array *i = heddle_linalg_inv(a);
    bound("inv", dtype, norm(heddle_subtract(heddle_matmul(a, i), identity(a, n))),
          norm(a) * norm(i), n);
    for (int way = 0; way < 8; way++) {
        heddle_array *t = way & 1 ? heddle_tril(a, 0) : heddle_triu(a, 0);
        t = heddle_add(t, heddle_multiply(identity(a, n), heddle_scalar(2)));
        x = heddle_linalg_solve_triangular(t, b, .lower = way & 1,
                                           .transposed = way == 2 || way == 3,
                                           .adjoint = way == 4 || way == 5);
        heddle_array *applied = way == 2 || way == 3   ? heddle_matrix_transpose(t)
                                : way == 4 || way == 5 ? adjoint(t)
                                                       : t;
        bound("triangular", dtype, norm(heddle_subtract(heddle_matmul(applied, x), b)),
              norm(t) * norm(x), n);
    }
}

static void check_all(int ndim, const int64_t *shape, double scale)
{
    for (int i = 0; i < N_DTYPES; i++) {
        heddle_scope scope = heddle_scope_open();
        check_qr(dtypes[i], ndim, shape, scale);
        check_lu(dtypes[i], ndim, shape, scale);
        if (shape[ndim - 1] == shape[ndim - 2]) {
            check_cholesky(dtypes[i], ndim, shape, scale);
            check_solve(dtypes[i], ndim, shape, scale, 1 + shape[ndim - 1] / 3);
        }
        heddle_scope_close(scope);
    }
}

/* ---- Errors ------------------------------------------------------------------------------------------------- */

static void check_fails(heddle_array *x, enum heddle_status code, const char *text)
{
    const enum heddle_status status = heddle_wait(x);
    CHECK_EQ(status, code);
    CHECK_STR(heddle_error(x), text);
}

/* Six matrices of n rows, of which number 4 has rank n - 1 and is not positive definite. */
static heddle_array *with_one_bad(int64_t n)
{
    const int64_t shape[3] = {6, n, n};
    heddle_array *eye = heddle_broadcast_to(heddle_eye(n, n), 3, shape);
    heddle_array *number =
        heddle_reshape(heddle_arange(heddle_scalar(6), NULL, NULL), 3, (const int64_t[]){6, 1, 1});
    heddle_array *last =
        heddle_equal(heddle_cumulative_sum(eye, .axis = 1), heddle_cumulative_sum(eye, .axis = 2));
    heddle_array *row = heddle_arange(heddle_scalar(n), NULL, NULL);
    last = heddle_logical_and(last, heddle_equal(row, heddle_scalar(n - 1)));
    return heddle_where(heddle_logical_and(last, heddle_equal(number, heddle_scalar(4))),
                        heddle_scalar(0.0), eye);
}

static void check_errors(int64_t n)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *bad = with_one_bad(n), *good = heddle_eye(n, n);
    char text[120];
    snprintf(text, sizeof text, "heddle_linalg_solve: matrix 4 is singular: pivot %lld is 0",
             (long long)n - 1);
    check_fails(heddle_linalg_solve(bad, good), HEDDLE_ESINGULAR, text);
    snprintf(text, sizeof text, "heddle_linalg_inv: matrix 4 is singular: pivot %lld is 0",
             (long long)n - 1);
    check_fails(heddle_linalg_inv(bad), HEDDLE_ESINGULAR, text);
    snprintf(text, sizeof text,
             "heddle_linalg_solve_triangular: matrix 4 is singular: pivot %lld is 0",
             (long long)n - 1);
    check_fails(heddle_linalg_solve_triangular(bad, good), HEDDLE_ESINGULAR, text);
    snprintf(
        text, sizeof text,
        "heddle_linalg_cholesky: matrix 4 is not positive definite: pivot %lld is not positive",
        (long long)n - 1);
    check_fails(heddle_linalg_cholesky(bad), HEDDLE_ESINGULAR, text);
    /* who does not need the factor has no error; the determinant of a singular matrix is 0 */
    CHECK_EQ(heddle_wait(heddle_linalg_det(bad)), HEDDLE_OK);
    CHECK_EQ(heddle_wait(heddle_linalg_solve_triangular(bad, good, .unit_diagonal = true)),
             HEDDLE_OK);
    heddle_scope_close(scope);
}

static void check_arguments(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(2, 3)), *row = heddle_ones(HEDDLE_SHAPE(3)), *q;
    check_fails(heddle_linalg_cholesky(a), HEDDLE_ESHAPE,
                "heddle_linalg_cholesky: matrices of shape (2, 3) are not square");
    check_fails(heddle_linalg_inv(row), HEDDLE_ESHAPE,
                "heddle_linalg_inv: shape (3,) has no matrices");
    check_fails(heddle_linalg_solve(heddle_eye(2, 2), row), HEDDLE_ESHAPE,
                "heddle_linalg_solve: shapes (2, 2) and (3,): there are 2 equations");
    check_fails(
        heddle_linalg_solve(heddle_ones(HEDDLE_SHAPE(2, 2, 2)), heddle_ones(HEDDLE_SHAPE(3, 2, 1))),
        HEDDLE_ESHAPE,
        "heddle_linalg_solve: shapes (2, 2, 2) and (3, 2, 1): leading axes do not broadcast");
    check_fails(heddle_linalg_det(heddle_ones(HEDDLE_SHAPE(2, 2), .dtype = HEDDLE_FLOAT16)),
                HEDDLE_EDTYPE,
                "heddle_linalg_det: dtype float16 is not factored; convert it to float32");
    CHECK_EQ(heddle_linalg_qr(row, &q, NULL), HEDDLE_ESHAPE);
    CHECK_STR(heddle_last_error(), "heddle_linalg_qr: shape (3,) has no matrices");
    heddle_scope_close(scope);
}

#ifdef ON_GPU
static const struct heddle_config chosen[] = {
    {.inline_bytes = -1, .devices = "gpu"},
    {.inline_bytes = -1, .devices = "gpu", .partition = "3"},
};
enum { N_CHOSEN = sizeof chosen / sizeof *chosen, LARGE = 700 };
#else
#define chosen ways
enum { N_CHOSEN = N_WAYS, LARGE = 100 };
#endif

int main(void)
{
#ifdef ON_GPU
    int n_cpus, n_gpus = 0;
    if (heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK || n_gpus == 0) return 77;
#endif
    for (int w = 0; w < N_CHOSEN; w++) {
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        CHECK_EQ(heddle_configure(&chosen[w]), HEDDLE_OK);
        check_all(2, (const int64_t[]){1, 1}, 1);
        check_all(2, (const int64_t[]){7, 7}, 1);
        check_all(2, (const int64_t[]){LARGE, LARGE}, 1);
        check_all(2, (const int64_t[]){LARGE, LARGE}, 1e-5);
        check_all(2, (const int64_t[]){110, 30}, 1);
        check_all(2, (const int64_t[]){30, 110}, 1e-5);
        check_all(3, (const int64_t[]){5, 12, 12}, 1);
        check_all(3, (const int64_t[]){4, 33, 9}, 1);
        check_errors(1);
        check_errors(5);
        check_errors(70);
        check_arguments();
    }
    printf("%d bounds, the worst is %.3g n eps\n", n_checked, worst);
    check_nothing_left();
    return check_done();
}
