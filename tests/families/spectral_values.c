/* Proves eigenvalues and singular values: residuals and orthogonality within LAPACK's bounds, for all dtypes, forms and
 * kinds of matrices, batched, as views; matrices without elements; errors. The checks share no code with the library. */
#include "check_heddle.h"
#include "random_words.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 72, BATCH = 3 };
/* Of errors, in precisions times the extent times the norm; vectors by cuSOLVER's Jacobi method for 31 x 30 were off by 10.02. */
#ifdef ON_GPU
static const double bound = 16;
#else
static const double bound = 10;
#endif

typedef double complex number;

static enum heddle_dtype dtype;
static double precision;
static const char *kind_name;

static bool is_complex(void)
{
    return heddle_dtype_kind(dtype) == 'C';
}

static enum heddle_dtype real_dtype(void)
{
    return dtype == HEDDLE_FLOAT64 || dtype == HEDDLE_COMPLEX128 ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32;
}

/* ---- Matrices of numbers ------------------------------------------------------------------------------ */

struct matrix {
    int m, n;
    number at[MOST][MOST];
};

static struct matrix product(const struct matrix *a, const struct matrix *b)
{
    struct matrix c = {.m = a->m, .n = b->n};
    for (int i = 0; i < a->m; i++)
        for (int k = 0; k < a->n; k++)
            for (int j = 0; j < b->n; j++) c.at[i][j] += a->at[i][k] * b->at[k][j];
    return c;
}

static struct matrix adjoint(const struct matrix *a)
{
    struct matrix c = {.m = a->n, .n = a->m};
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) c.at[j][i] = conj(a->at[i][j]);
    return c;
}

static double length(const struct matrix *a)
{
    double sum = 0;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) sum += creal(a->at[i][j] * conj(a->at[i][j]));
    return sqrt(sum);
}

static double distance(const struct matrix *a, const struct matrix *b)
{
    struct matrix c = *a;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) c.at[i][j] -= b->at[i][j];
    return length(&c);
}

static double from_identity(const struct matrix *a)
{
    struct matrix c = *a;
    for (int i = 0; i < a->m; i++) c.at[i][i] -= 1;
    return length(&c);
}

static struct matrix scaled(const struct matrix *a, const number *columns)
{
    struct matrix c = *a;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++) c.at[i][j] *= columns[j];
    return c;
}

static number random_number(void)
{
    const double re = (double)(int64_t)random_word() * 0x1p-63,
                 im = is_complex() ? (double)(int64_t)random_word() * 0x1p-63 : 0;
    return re + im * I;
}

/* Columns that are orthogonal, of length 1. */
static struct matrix unitary(int n)
{
    struct matrix q = {.m = n, .n = n};
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) q.at[i][j] = random_number();
        for (int again = 0; again < 2; again++)
            for (int k = 0; k < j; k++) {
                number dot = 0;
                for (int i = 0; i < n; i++) dot += conj(q.at[i][k]) * q.at[i][j];
                for (int i = 0; i < n; i++) q.at[i][j] -= dot * q.at[i][k];
            }
        double sum = 0;
        for (int i = 0; i < n; i++) sum += creal(q.at[i][j] * conj(q.at[i][j]));
        for (int i = 0; i < n; i++) q.at[i][j] /= sqrt(sum);
    }
    return q;
}

enum kind { RANDOM, GRADED, CLUSTERED, DEFICIENT, ZERO, KINDS };
static const char *const kind_names[] = {"random", "graded", "clustered", "deficient", "zero"};

/* m x n; Hermitian, if that is wanted. */
static struct matrix make(enum kind kind, int m, int n, bool hermitian)
{
    struct matrix a = {.m = m, .n = n};
    number values[MOST] = {0};
    if (kind == ZERO) return a;
    if (kind == RANDOM && !hermitian) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) a.at[i][j] = random_number();
        return a;
    }
    for (int i = 0; i < n; i++)
        values[i] = kind == GRADED      ? pow(10, -2 * i)
                    : kind == CLUSTERED ? 1 + (i % 3) * 1e-9
                    : kind == DEFICIENT ? (i < 2)
                                        : creal(random_number());
    const struct matrix u = unitary(m > n ? m : n), v = unitary(n);
    struct matrix left = hermitian ? v : u;
    left.m = m;
    left.n = n;
    const struct matrix right = adjoint(&v), sized = scaled(&left, values);
    a = product(&sized, &right);
    for (int i = 0; i < m && hermitian; i++)
        for (int j = 0; j <= i; j++) {
            a.at[j][i] = conj(a.at[i][j]);
            if (i == j) a.at[i][j] = creal(a.at[i][j]);
        }
    return a;
}

/* ---- To arrays and back ------------------------------------------------------------------------------- */

static heddle_array *to_array(const struct matrix *a, int batch)
{
    static number flat[BATCH * MOST * MOST];
    const int64_t shape[3] = {batch, a->m, a->n};
    int64_t n = 0;
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < a->m; i++)
            for (int j = 0; j < a->n; j++) flat[n++] = a[b].at[i][j];
    heddle_array *x = heddle_asarray(flat, HEDDLE_COMPLEX128, 3, shape);
    return heddle_astype(is_complex() ? x : heddle_real(x), dtype);
}

/* What the dtype makes of it. */
static void from_array(heddle_array *x, struct matrix *a, int batch)
{
    static number flat[BATCH * MOST * MOST];
    heddle_array *wide = heddle_astype(x, HEDDLE_COMPLEX128);
    CHECK(heddle_read(wide, flat, heddle_nbytes(wide)) == HEDDLE_OK, "%s", heddle_error(wide));
    int64_t n = 0;
    for (int b = 0; b < batch; b++) {
        a[b].m = heddle_ndim(x) == 3 ? (int)heddle_shape(x)[1] : 1;
        a[b].n = (int)heddle_shape(x)[heddle_ndim(x) - 1];
        for (int i = 0; i < a[b].m; i++)
            for (int j = 0; j < a[b].n; j++) a[b].at[i][j] = flat[n++];
    }
}

static void small(double error, int n, double norm, const char *what)
{
    CHECK(error <= bound * precision * (n < 2 ? 2 : n) * norm,
          "%s %s, extent %d: %s: %g, in precisions %g", heddle_dtype_name(dtype), kind_name, n,
          what, error, error / (precision * n * norm));
}

/* ---- Singular values ---------------------------------------------------------------------------------- */

static void check_svd(const struct matrix *a, struct matrix u, const struct matrix *s,
                      struct matrix vh)
{
    const int k = a->m < a->n ? a->m : a->n, most = a->m > a->n ? a->m : a->n;
    const double norm = length(a) > 0 ? length(a) : 1;
    const struct matrix uh = adjoint(&u), v = adjoint(&vh), uu = product(&uh, &u),
                        vv = product(&vh, &v);
    small(from_identity(&uu), most, 1, "u is unitary");
    small(from_identity(&vv), most, 1, "vh is unitary");
    u.n = vh.m = k;
    const struct matrix us = scaled(&u, s->at[0]), again = product(&us, &vh);
    small(distance(&again, a), most, norm, "a - u s vh");
    for (int i = 0; i < k; i++)
        CHECK(creal(s->at[0][i]) >= 0 && (i == 0 || creal(s->at[0][i]) <= creal(s->at[0][i - 1])),
              "%s: s[%d] is %g", kind_name, i, creal(s->at[0][i]));
}

static void test_svd(enum kind kind, int m, int n, int batch, bool thin, bool transposed)
{
    static struct matrix a[BATCH], u[BATCH], s[BATCH], vh[BATCH], values[BATCH];
    heddle_scope scope = heddle_scope_open();
    const bool wide = m < n; /* made high, and turned */
    for (int b = 0; b < batch; b++) a[b] = wide ? make(kind, n, m, false) : make(kind, m, n, false);
    heddle_array *x = to_array(a, batch), *out[3];
    if (wide) x = heddle_matrix_transpose(x);
    if (transposed) x = heddle_matrix_transpose(heddle_astype(heddle_matrix_transpose(x), dtype));
    from_array(x, a, batch);
    CHECK_EQ(heddle_linalg_svd(x, &out[0], &out[1], &out[2], .thin = thin), HEDDLE_OK);
    const int k = m < n ? m : n;
    CHECK_EQ(heddle_shape(out[0])[2], thin ? k : m);
    CHECK_EQ(heddle_shape(out[2])[1], thin ? k : n);
    CHECK_EQ(heddle_dtype_of(out[0]), dtype);
    CHECK_EQ(heddle_dtype_of(out[1]), real_dtype());
    from_array(out[0], u, batch);
    from_array(out[2], vh, batch);
    heddle_array *alone = heddle_linalg_svdvals(x);
    for (int b = 0; b < batch; b++) {
        from_array(heddle_getitem(out[1], HEDDLE_INDEX(HEDDLE_AT(b))), &s[b], 1);
        from_array(heddle_getitem(alone, HEDDLE_INDEX(HEDDLE_AT(b))), &values[b], 1);
        check_svd(&a[b], u[b], &s[b], vh[b]);
        small(distance(&values[b], &s[b]), k, length(&s[b]) + precision, "svdvals");
    }
    heddle_scope_close(scope);
}

/* ---- Least squares ------------------------------------------------------------------------------------- */

/* What is left is orthogonal to the columns; of deficient matrices the solution is the shortest, as that of the pseudo-inverse,
 * which comes another way. */
static void test_lstsq(enum kind kind, int m, int n, int n_sides)
{
    static struct matrix a, b, x, other, s;
    int64_t rank = -1;
    heddle_scope scope = heddle_scope_open();
    a = make(kind, m, n, false);
    b = make(RANDOM, m, n_sides, false);
    heddle_array *const at = heddle_getitem(to_array(&a, 1), HEDDLE_INDEX(HEDDLE_AT(0))),
                        *const sides = heddle_getitem(to_array(&b, 1), HEDDLE_INDEX(HEDDLE_AT(0)));
    struct heddle_lstsq out;
    CHECK_EQ(heddle_linalg_lstsq(at, sides, &out), HEDDLE_OK);
    heddle_array *by_pinv = heddle_matmul(heddle_linalg_pinv(at), sides);
    from_array(heddle_expand_dims(at, 0), &a, 1);
    from_array(heddle_expand_dims(sides, 0), &b, 1);
    from_array(heddle_expand_dims(out.x, 0), &x, 1);
    from_array(heddle_expand_dims(by_pinv, 0), &other, 1);
    from_array(out.s, &s, 1);
    CHECK_EQ(heddle_item_int(out.rank, &rank), HEDDLE_OK);
    struct matrix left = product(&a, &x);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n_sides; j++) left.at[i][j] -= b.at[i][j];
    const struct matrix ah = adjoint(&a), rest = product(&ah, &left);
    const int extent = m > n ? m : n, least = m < n ? m : n;
    const double norm = length(&a), size = length(&x),
                 condition = norm / fabs(creal(s.at[0][(int)rank - 1]));
    small(length(&rest), extent, norm * (norm * size + length(&b)), "a^H (a x - b)");
    small(distance(&x, &other), extent, condition * (size + condition * length(&b) / norm),
          "x beside the pseudo-inverse's");
    CHECK_EQ(rank, kind == DEFICIENT && least > 2 ? 2 : least);
    heddle_scope_close(scope);
}

/* ---- Eigenvalues ---------------------------------------------------------------------------------------- */

static void test_eigh(enum kind kind, int n, int batch, bool upper)
{
    static struct matrix a[BATCH], spoilt[BATCH], w[BATCH], v[BATCH], values[BATCH];
    heddle_scope scope = heddle_scope_open();
    for (int b = 0; b < batch; b++) {
        a[b] = make(kind, n, n, true);
        spoilt[b] = a[b];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (i != j && (i < j) != upper) spoilt[b].at[i][j] = 7; /* which nobody reads */
    }
    heddle_array *x = to_array(a, batch), *y = to_array(spoilt, batch), *out[2];
    from_array(x, a, batch);
    CHECK_EQ(heddle_linalg_eigh(y, &out[0], &out[1], .upper = upper), HEDDLE_OK);
    heddle_array *alone = heddle_linalg_eigvalsh(y, .upper = upper);
    from_array(out[1], v, batch);
    for (int b = 0; b < batch; b++) {
        from_array(heddle_getitem(out[0], HEDDLE_INDEX(HEDDLE_AT(b))), &w[b], 1);
        from_array(heddle_getitem(alone, HEDDLE_INDEX(HEDDLE_AT(b))), &values[b], 1);
        const double norm = length(&a[b]) > 0 ? length(&a[b]) : 1;
        const struct matrix av = product(&a[b], &v[b]), vw = scaled(&v[b], w[b].at[0]),
                            vh = adjoint(&v[b]), vv = product(&vh, &v[b]);
        small(distance(&av, &vw), n, norm, "a v - v w");
        small(from_identity(&vv), n, 1, "v is unitary");
        small(distance(&values[b], &w[b]), n, norm, "eigvalsh");
        for (int i = 1; i < n; i++)
            CHECK(creal(w[b].at[0][i]) >= creal(w[b].at[0][i - 1]), "%s: order", kind_name);
    }
    heddle_scope_close(scope);
}

static void test_eig(enum kind kind, int n, int batch)
{
    static struct matrix a[BATCH], w[BATCH], v[BATCH], values[BATCH];
    heddle_scope scope = heddle_scope_open();
    for (int b = 0; b < batch; b++) a[b] = make(kind, n, n, false);
    heddle_array *x = to_array(a, batch), *out[2];
    from_array(x, a, batch);
    CHECK_EQ(heddle_linalg_eig(x, &out[0], &out[1]), HEDDLE_OK);
    heddle_array *alone = heddle_linalg_eigvals(x);
    CHECK_EQ(heddle_dtype_kind(heddle_dtype_of(out[0])), 'C');
    from_array(out[1], v, batch);
    for (int b = 0; b < batch; b++) {
        from_array(heddle_getitem(out[0], HEDDLE_INDEX(HEDDLE_AT(b))), &w[b], 1);
        from_array(heddle_getitem(alone, HEDDLE_INDEX(HEDDLE_AT(b))), &values[b], 1);
        const double norm = length(&a[b]) > 0 ? length(&a[b]) : 1;
        const struct matrix av = product(&a[b], &v[b]), vw = scaled(&v[b], w[b].at[0]);
        small(distance(&av, &vw), n, norm, "a v - v w");
        number sums[3] = {0};
        for (int i = 0; i < n; i++) {
            double column = 0;
            for (int k = 0; k < n; k++) column += creal(v[b].at[k][i] * conj(v[b].at[k][i]));
            small(fabs(sqrt(column) - 1), n, 1, "the length of a vector");
            sums[0] += a[b].at[i][i];
            sums[1] += w[b].at[0][i];
            sums[2] += values[b].at[0][i];
        }
        small(cabs(sums[0] - sums[1]), n, norm, "the trace");
        small(cabs(sums[0] - sums[2]), n, norm, "the trace, by eigvals");
    }
    heddle_scope_close(scope);
}

/* More 2 x 2 matrices than a library takes at a time: values of [[a, b], [b, c]] are (a + c) / 2 +- hypot((a - c) / 2, b). */
static void test_many(void)
{
    enum { MANY = 131072 + 7 };
    double *const x = malloc(4 * MANY * sizeof *x), *const got = malloc(2 * MANY * sizeof *got);
    for (int i = 0; i < MANY; i++) {
        for (int k = 0; k < 4; k++) x[4 * i + k] = (double)(int64_t)random_word() * 0x1p-63;
        x[4 * i + 2] = x[4 * i + 1];
    }
    for (int singular = 0; singular < 2; singular++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(MANY, 2, 2)),
                     *values = singular ? heddle_linalg_svdvals(a) : heddle_linalg_eigvalsh(a);
        int wrong = 0;
        CHECK(heddle_read(values, got, 2 * MANY * sizeof *got) == HEDDLE_OK, "%s",
              heddle_error(values));
        for (int i = 0; i < MANY; i++) {
            const double *m = x + 4 * i, mean = (m[0] + m[3]) / 2,
                         part = hypot((m[0] - m[3]) / 2, m[1]);
            const double low = singular ? fabs(mean) + part : mean - part,
                         high = singular ? fabs(fabs(mean) - part) : mean + part;
            wrong += !(fabs(got[2 * i] - low) < 1e-14 && fabs(got[2 * i + 1] - high) < 1e-14);
        }
        CHECK(wrong == 0, "%d of %d matrices, %s", wrong, MANY, singular ? "singular" : "eigen");
        heddle_scope_close(scope);
    }
    free(x);
    free(got);
}

/* ---- The rest ---------------------------------------------------------------------------------------------- */

static void shape_is(heddle_array *x, int ndim, int64_t m, int64_t n)
{
    CHECK(heddle_wait(x) == HEDDLE_OK, "%s", heddle_error(x));
    CHECK_EQ(heddle_ndim(x), ndim);
    CHECK_EQ(heddle_shape(x)[0], m);
    if (ndim > 1) CHECK_EQ(heddle_shape(x)[1], n);
}

/* The exponential of a Hermitian matrix is v * exp(w) * v^H. */
static void test_expm(double size)
{
    static struct matrix a, e, w, v;
    heddle_scope scope = heddle_scope_open();
    a = make(RANDOM, 8, 8, true);
    heddle_array *x = heddle_multiply(to_array(&a, 1), heddle_scalar(size)), *out[2];
    from_array(heddle_linalg_expm(x), &e, 1);
    CHECK_EQ(heddle_linalg_eigh(x, &out[0], &out[1]), HEDDLE_OK);
    from_array(heddle_getitem(out[0], HEDDLE_INDEX(HEDDLE_AT(0))), &w, 1);
    from_array(out[1], &v, 1);
    for (int i = 0; i < w.n; i++) w.at[0][i] = cexp(w.at[0][i]);
    const struct matrix vh = adjoint(&v), ve = scaled(&v, w.at[0]), expected = product(&ve, &vh);
    small(distance(&e, &expected), 8, (size > 1 ? 4 * size : 1) * length(&expected), "expm");
    heddle_scope_close(scope);
}

static void test_empty(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_zeros(HEDDLE_SHAPE(0, 3)), *none = heddle_zeros(HEDDLE_SHAPE(0, 0)),
                 *u, *s, *vh;
    double identity[9];
    CHECK_EQ(heddle_linalg_svd(a, &u, &s, &vh), HEDDLE_OK);
    shape_is(u, 2, 0, 0);
    shape_is(s, 1, 0, 0);
    shape_is(vh, 2, 3, 3);
    CHECK_EQ(heddle_read(vh, identity, sizeof identity), HEDDLE_OK);
    for (int i = 0; i < 9; i++) CHECK(identity[i] == (i % 4 == 0), "vh[%d]: %g", i, identity[i]);
    CHECK_EQ(heddle_linalg_svd(a, &u, &s, &vh, .thin = true), HEDDLE_OK);
    shape_is(u, 2, 0, 0);
    shape_is(vh, 2, 0, 3);
    shape_is(heddle_linalg_svdvals(heddle_matrix_transpose(a)), 1, 0, 0);
    CHECK_EQ(heddle_linalg_eigh(none, &s, &u), HEDDLE_OK);
    shape_is(s, 1, 0, 0);
    shape_is(u, 2, 0, 0);
    CHECK_EQ(heddle_linalg_eig(none, &s, &u), HEDDLE_OK);
    CHECK_EQ(heddle_dtype_of(s), HEDDLE_COMPLEX128);
    shape_is(heddle_linalg_pinv(a), 2, 3, 0);
    heddle_scope_close(scope);
}

static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *v = heddle_ones(HEDDLE_SHAPE(3)), *m = heddle_ones(HEDDLE_SHAPE(2, 3)), *w, *x;
    check_error(heddle_linalg_eigvalsh(v), HEDDLE_ESHAPE, "heddle_linalg_eigvalsh: shape (3,)");
    check_error(heddle_linalg_eigvals(m), HEDDLE_ESHAPE, "shape (2, 3): the last two extents");
    check_error(heddle_linalg_svdvals(heddle_astype(m, HEDDLE_FLOAT16)), HEDDLE_EDTYPE,
                "heddle_linalg_svdvals: dtype float16");
    CHECK_EQ(heddle_linalg_eigh(m, &w, &x), HEDDLE_ESHAPE);
    CHECK_HAS(heddle_last_error(), "heddle_linalg_eigh");
    heddle_array *bad = heddle_ones(HEDDLE_SHAPE(5, 2, 2));
    bad = heddle_set_item(bad, HEDDLE_INDEX(HEDDLE_AT(3)), heddle_scalar((double)INFINITY));
    heddle_array *values = heddle_linalg_eigvals(bad),
                 *good =
                     heddle_linalg_eigvals(heddle_getitem(bad, HEDDLE_INDEX(HEDDLE_SLICE(0, 3))));
    CHECK_EQ(heddle_wait(values), HEDDLE_ECONVERGE);
    CHECK_HAS(heddle_error(values),
              "heddle_linalg_eigvals: the iteration does not converge for matrix 3 of the batch");
    CHECK_EQ(heddle_wait(good), HEDDLE_OK);
    heddle_array *sum =
        heddle_sum(heddle_linalg_svdvals(heddle_multiply(m, heddle_scalar((double)NAN))));
    CHECK_EQ(heddle_wait(sum), HEDDLE_ECONVERGE);
    CHECK_HAS(heddle_error(sum), "heddle_linalg_svdvals: the iteration does not converge");
    heddle_array *infinite = heddle_linalg_eigvalsh(bad);
    CHECK_EQ(heddle_wait(infinite), HEDDLE_ECONVERGE);
    CHECK_HAS(heddle_error(infinite), "for matrix 3 of the batch");
    heddle_scope_close(scope);
}

#ifdef ON_GPU
/* Whether nothing is to be tested: 77 without a GPU. */
static int begin(void)
{
    int n_cpus, n_gpus = 0;
    if (heddle_count_places(&n_cpus, &n_gpus) == HEDDLE_OK && n_gpus > 0) return 0;
    fprintf(stderr, "skipped: no GPU\n");
    return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
}
#else
static int begin(void)
{
    return 0;
}
#endif

int main(void)
{
    static const int forms[][2] = {{1, 1},   {1, 5},   {7, 1},   {6, 6},   {9, 4},  {4, 9},
                                   {33, 12}, {30, 31}, {40, 36}, {34, 41}, {70, 66}};
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_COMPLEX64,
                                               HEDDLE_COMPLEX128};
    const int without = begin();
    if (without) return without;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        dtype = dtypes[d];
        precision = real_dtype() == HEDDLE_FLOAT64 ? 0x1p-52 : 0x1p-23;
        kind_name = "expm";
        test_expm(1e-3);
        test_expm(1);
        test_expm(20);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            for (int n_sides = 1; n_sides <= 5; n_sides += 2) {
                kind_name = "least squares";
                test_lstsq(RANDOM, forms[f][0], forms[f][1], n_sides);
                test_lstsq(DEFICIENT, forms[f][0], forms[f][1], n_sides);
            }
        for (int kind = 0; kind < KINDS; kind++) {
            kind_name = kind_names[kind];
            for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
                const int m = forms[f][0], n = forms[f][1], batch = 1 + (int)f % BATCH;
                test_svd((enum kind)kind, m, n, batch, (f + (size_t)kind) % 2, f % 3 == 0);
                test_eigh((enum kind)kind, m, batch, f % 2);
                if (kind != GRADED) test_eig((enum kind)kind, m, batch);
            }
        }
    }
    test_many();
    test_empty();
    test_errors();
    check_nothing_left();
    return check_done();
}
