/* What tells small singular values from 0. Entry points: heddle_linalg_cond_with, heddle_linalg_matrix_rank_with,
 * heddle_linalg_pinv_with, heddle_linalg_lstsq_with. */
#include "api/linalg/matrices.h"
#include "base/dtype.h"
#include "base/options.h"

#include <heddle/create.h>
#include <heddle/factor.h>
#include <heddle/linalg.h>
#include <heddle/spectral.h>

#include <float.h>
#include <math.h>

/* x of (...) as (..., 1). */
static heddle_array *with_axis(heddle_array *x)
{
    return heddle_status_of(x) == HEDDLE_OK ? heddle_expand_dims(x, -1) : x;
}

/* The conjugate transposes. */
static heddle_array *adjoint(heddle_array *a)
{
    return heddle_conj(heddle_matrix_transpose(a));
}

/* What each singular value is to be greater than, (..., 1): `rtol` of the largest, or `tol`. The matrices have m rows and
 * n columns. */
static heddle_array *threshold(heddle_array *s, heddle_array *rtol, heddle_array *tol, int64_t m,
                               int64_t n)
{
    const double precision = s->dtype == HEDDLE_FLOAT64 ? DBL_EPSILON : (double)FLT_EPSILON;
    if (tol) return with_axis(tol);
    heddle_array *largest =
        heddle__reduce_mask(heddle_max_with, s, 1u << (s->ndim - 1), true, HEDDLE_DTYPE_NONE);
    if (rtol) return heddle_multiply(largest, with_axis(rtol));
    return heddle_multiply(largest, heddle_scalar((double)(m > n ? m : n) * precision));
}

/* 1 / s, or 0 where s is not greater than the threshold. */
static heddle_array *inverse_values(heddle_array *s, heddle_array *least)
{
    heddle_array *keep = heddle_greater(heddle_abs(s), least);
    return heddle_where(keep, heddle_divide(heddle_scalar(1.0), s), heddle_scalar(0.0));
}

/* ---- Condition numbers --------------------------------------------------------------------------------- */

/* By singular values: with infinities or NaNs if one of these is 0, where the inverse by equations is an error. */
static heddle_array *inverse_of(heddle_array *a)
{
    heddle_array *u, *s, *vh;
    if (heddle_linalg_svd_with(a, &u, &s, &vh, NULL) != HEDDLE_OK) return heddle__error_last();
    return heddle_matmul(heddle_divide(adjoint(vh), heddle_expand_dims(s, -2)), adjoint(u));
}

/* The norm times that of the inverse. */
static heddle_array *by_inverse(heddle_array *a, enum heddle_norm kind, double p)
{
    const struct heddle_linalg_norm_options norm = {.size = sizeof norm, .kind = kind, .p = p};
    heddle_array *inverse = inverse_of(a);
    return heddle_multiply(heddle_linalg_matrix_norm_with(a, &norm),
                           heddle_linalg_matrix_norm_with(inverse, &norm));
}

/* The quotient of the largest singular value and the least; or the other way round. */
static heddle_array *by_values(heddle_array *a, bool inverted)
{
    heddle_array *s = heddle_linalg_svdvals(a);
    if (heddle_status_of(s) != HEDDLE_OK) return s;
    const int axis = s->ndim - 1;
    heddle_array *const ends[2] = {heddle__item(s, axis, 0),
                                   heddle__item(s, axis, s->shape[axis] - 1)};
    return heddle_divide(ends[inverted], ends[!inverted]);
}

heddle_array *heddle_linalg_cond_with(heddle_array *a,
                                      const struct heddle_linalg_norm_options *options)
{
    static const char name[] = "linalg_cond";
    struct heddle_linalg_norm_options o;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    if (o.has_axis || o.axis || o.axes.count || o.keepdims)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: matrices are the last two axes", name);
    const bool is_quotient = o.kind == HEDDLE_NORM_DEFAULT ||
                             (o.kind == HEDDLE_NORM_P && fabs(o.p) >= 2 && fabs(o.p) <= 2);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = heddle__matrices(name, a, !is_quotient);
    if (heddle_status_of(a) == HEDDLE_OK && a->size == 0)
        a = heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: shape %s has no elements", name,
                                HEDDLE_SHAPE_OF(a));
    if (heddle_status_of(a) != HEDDLE_OK) return heddle__scope_leave(&scope, a);
    heddle_array *r =
        is_quotient ? by_values(a, o.kind == HEDDLE_NORM_P && o.p < 0) : by_inverse(a, o.kind, o.p);
    r = heddle_where(heddle_isnan(r), heddle_scalar((double)INFINITY), r); /* 0 / 0, inf - inf */
    return heddle__scope_leave(&scope, r);
}

/* ---- Ranks and pseudo-inverses -------------------------------------------------------------------------- */

heddle_array *heddle_linalg_matrix_rank_with(heddle_array *a,
                                             const struct heddle_linalg_rank_options *options)
{
    static const char name[] = "linalg_matrix_rank";
    struct heddle_linalg_rank_options o;
    heddle_array *bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    if (o.rtol && o.tol)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: both .rtol and .tol", name);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    if (a->ndim < 2) {
        a = heddle__reduce_mask(heddle_any_with, heddle_not_equal(a, heddle_scalar(0)),
                                (1u << a->ndim) - 1, false, HEDDLE_DTYPE_NONE);
        return heddle__scope_leave(&scope, heddle_astype(a, HEDDLE_INT64));
    }
    heddle_array *s =
        o.hermitian ? heddle_abs(heddle_linalg_eigvalsh_with(a, NULL)) : heddle_linalg_svdvals(a);
    if (heddle_status_of(s) != HEDDLE_OK) return heddle__scope_leave(&scope, s);
    const unsigned last = 1u << (s->ndim - 1);
    if (s->shape[s->ndim - 1] > 0)
        s = heddle_greater(
            s, threshold(s, o.rtol, o.tol, a->shape[a->ndim - 2], a->shape[a->ndim - 1]));
    return heddle__scope_leave(
        &scope, heddle__reduce_mask(heddle_count_nonzero_with, s, last, false, HEDDLE_DTYPE_NONE));
}

static heddle_array *pinv(heddle_array *a, const struct heddle_linalg_rank_options *o)
{
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1], shape[2] = {n, m};
    heddle_array *u, *s, *v; /* a = u * s * v, and v has rows */
    if (a->size == 0) return heddle__zeros_beside(a, (enum heddle_dtype)a->dtype, 2, shape);
    if (o->hermitian) {
        if (heddle_linalg_eigh_with(a, &s, &u, NULL) != HEDDLE_OK) return heddle__error_last();
        v = adjoint(u);
    } else {
        const struct heddle_linalg_svd_options thin = {.size = sizeof thin, .thin = true};
        if (heddle_linalg_svd_with(a, &u, &s, &v, &thin) != HEDDLE_OK) return heddle__error_last();
    }
    heddle_array *inverse = inverse_values(s, threshold(heddle_abs(s), o->rtol, NULL, m, n));
    return heddle_matmul(heddle_multiply(adjoint(v), heddle_expand_dims(inverse, -2)), adjoint(u));
}

heddle_array *heddle_linalg_pinv_with(heddle_array *a,
                                      const struct heddle_linalg_rank_options *options)
{
    static const char name[] = "linalg_pinv";
    struct heddle_linalg_rank_options o;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    if (o.tol) return heddle__error_array(HEDDLE_EARG, "heddle_%s: .tol", name);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = heddle__matrices(name, a, o.hermitian);
    return heddle__scope_leave(&scope, heddle_status_of(a) == HEDDLE_OK ? pinv(a, &o) : a);
}

/* ---- Least squares -------------------------------------------------------------------------------------- */

enum { X, RESIDUALS, RANK, S };

static enum heddle_status check_system(heddle_array *a, heddle_array *b)
{
    heddle_array *const x[2] = {a, b};
    heddle_array *bad = heddle__bad_operand("linalg_lstsq", 2, x);
    if (bad) return heddle__failed(bad);
    HEDDLE_REQUIRE(
        a->ndim == 2 && (b->ndim == 1 || b->ndim == 2) && a->shape[0] == b->shape[0], HEDDLE_ESHAPE,
        "heddle_linalg_lstsq: shapes %s and %s: a matrix, and a vector or a matrix of as "
        "many rows",
        HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(b));
    return HEDDLE_OK;
}

/* Of more equations than unknowns: R and Q^H b have the same solution, as many equations as unknowns, and the same singular
 * values. Both are in R of [a b], so that there is no Q. */
static bool shorten(heddle_array **a, heddle_array **b)
{
    const int64_t n = (*a)->shape[1], n_sides = (*b)->shape[1];
    heddle_array *r, *const sides[2] = {*a, *b};
    if (heddle_linalg_qr_with(heddle_concat(2, sides, 1), NULL, &r, NULL) != HEDDLE_OK)
        return false;
    r = heddle__slice(r, 0, 0, n);
    *a = heddle__slice(r, 1, 0, n);
    *b = heddle__slice(r, 1, n, n + n_sides);
    return true;
}

/* Of matrices of one dtype. */
static void solve_least(heddle_array *a, heddle_array *b, heddle_array *rcond,
                        heddle_array *results[4])
{
    const int64_t m = a->shape[0], n = a->shape[1], shape[2] = {n, b->shape[1]};
    const struct heddle_linalg_svd_options thin = {.size = sizeof thin, .thin = true};
    heddle_array *u, *s, *vh, *x = a, *y = b;
    const bool is_tall = m > n && a->size > 0 && shape[1] > 0 && shape[1] <= n;
    if ((is_tall && !shorten(&x, &y)) ||
        heddle_linalg_svd_with(x, &u, &s, &vh, &thin) != HEDDLE_OK) {
        for (int i = 0; i < 4; i++) results[i] = heddle__error_last();
        return;
    }
    results[S] = s;
    results[X] = heddle__zeros_beside(a, (enum heddle_dtype)a->dtype, 2, shape);
    results[RANK] = heddle_scalar_int(0);
    if (a->size > 0) {
        heddle_array *least = threshold(s, rcond, NULL, m, n);
        heddle_array *inverse = heddle_expand_dims(inverse_values(s, least), -1);
        results[X] =
            heddle_matmul(adjoint(vh), heddle_multiply(inverse, heddle_matmul(adjoint(u), y)));
        results[RANK] = heddle_count_nonzero_with(heddle_greater(s, least), NULL);
    }
    results[RANK] = heddle_astype(results[RANK], HEDDLE_INT64);
    heddle_array *rest = heddle_abs(heddle_subtract(b, heddle_matmul(a, results[X])));
    results[RESIDUALS] = heddle__reduce_mask(heddle_sum_with, heddle_square(rest), 1u << 0, false,
                                             HEDDLE_DTYPE_NONE);
}

enum heddle_status heddle_linalg_lstsq_with(heddle_array *a, heddle_array *b,
                                            struct heddle_lstsq *out,
                                            const struct heddle_linalg_lstsq_options *options)
{
    heddle_array *results[4];
    struct heddle_linalg_lstsq_options o;
    enum heddle_status status = check_system(a, b);
    if (status == HEDDLE_OK) status = heddle__options("linalg_lstsq", options, &o, sizeof o);
    if (status != HEDDLE_OK) return status;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const bool is_vector = b->ndim == 1;
    const int64_t column[2] = {b->shape[0], 1}, n = a->shape[1];
    const enum heddle_dtype dtype =
        heddle_result_type(heddle__mean_dtype(a), heddle__mean_dtype(b));
    heddle_array *x = is_vector ? heddle_reshape(b, 2, column) : b;
    solve_least(heddle_astype(a, dtype), heddle_astype(x, dtype), o.rcond, results);
    if (is_vector && heddle_status_of(results[X]) == HEDDLE_OK)
        results[X] = heddle_reshape(results[X], 1, &n);
    return heddle__leave_with(
        &scope, 4, results,
        (heddle_array * *const[]){&out->x, &out->residuals, &out->rank, &out->s});
}
