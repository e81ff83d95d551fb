/* Polynomials through points, and their zeros. Entry points: heddle_polyfit, heddle_roots. */
#include "api/linalg/matrices.h"
#include "graph/evaluator.h"

#include <heddle/create.h>
#include <heddle/series.h>
#include <heddle/spectral.h>

#include <float.h>
#include <limits.h>

/* The powers of x as columns of length 1, and what they were divided by. */
static heddle_array *scaled_powers(heddle_array *x, int n, heddle_array **scale)
{
    heddle_array *powers = heddle_vander_with(x, n, NULL);
    *scale = heddle_sqrt(
        heddle__reduce_mask(heddle_sum_with, heddle_square(powers), 1, false, HEDDLE_DTYPE_NONE));
    return heddle_divide(powers, *scale);
}

heddle_array *heddle_polyfit(heddle_array *x, heddle_array *y, int degree)
{
    heddle_array *const both[2] = {x, y};
    heddle_array *bad = heddle__bad_operand("polyfit", 2, both);
    if (bad) return bad;
    if (x->ndim != 1 || x->size == 0 || y->ndim < 1 || y->ndim > 2 || y->shape[0] != x->size)
        return heddle__error_array(
            HEDDLE_ESHAPE,
            "heddle_polyfit: shapes %s and %s: points, and a value or a row of "
            "values for each",
            HEDDLE_SHAPE_OF(x), HEDDLE_SHAPE_OF(y));
    if (degree < 0 || degree == INT_MAX)
        return heddle__error_array(HEDDLE_EARG, "heddle_polyfit: the degree is %d", degree);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *scale, *points = heddle_astype(x, heddle__mean_dtype(x));
    heddle_array *powers = scaled_powers(points, degree + 1, &scale);
    struct heddle_lstsq found = {NULL, NULL, NULL, NULL};
    const double precision = points->dtype == HEDDLE_FLOAT32 || points->dtype == HEDDLE_COMPLEX64
                                 ? (double)FLT_EPSILON
                                 : DBL_EPSILON;
    const struct heddle_linalg_lstsq_options o = {
        .size = sizeof o, .rcond = heddle_scalar((double)x->size * precision)};
    if (heddle_linalg_lstsq_with(powers, y, &found, &o) != HEDDLE_OK)
        return heddle__scope_leave(&scope, heddle__error_last());
    if (y->ndim == 2) scale = heddle_expand_dims(scale, -1);
    return heddle__scope_leave(&scope, heddle_divide(found.x, scale));
}

/* The first and the last coefficient that is not 0; *first > *last: there is none. */
static enum heddle_status find_ends(heddle_array *p, int64_t *first, int64_t *last)
{
    heddle_array *is_some = heddle_not_equal(p, heddle_scalar(0));
    heddle_array *ends[3] = {heddle_argmax_with(is_some, NULL),
                             heddle_argmax_with(heddle_flip_with(is_some, NULL), NULL),
                             heddle_any_with(is_some, NULL)};
    int64_t at[2];
    bool some;
    enum heddle_status status = heddle__evaluate_now(3, ends);
    for (int i = 0; i < 2 && status == HEDDLE_OK; i++)
        status = heddle__read_now(ends[i], &at[i], sizeof at[i]);
    if (status == HEDDLE_OK) status = heddle__read_now(ends[2], &some, sizeof some);
    if (status != HEDDLE_OK) return status;
    *first = some ? at[0] : p->size;
    *last = p->size - 1 - at[1];
    return HEDDLE_OK;
}

/* The eigenvalues of the companion matrix. */
static heddle_array *zeros_of(heddle_array *p)
{
    const int64_t n = p->size - 1;
    heddle_array *row =
        heddle_negative(heddle_divide(heddle__slice(p, 0, 1, n + 1), heddle__slice(p, 0, 0, 1)));
    heddle_array *matrix = heddle_expand_dims(row, 0);
    const struct heddle_eye_options o = {.size = sizeof o, .dtype = (enum heddle_dtype)p->dtype};
    if (n > 1)
        matrix = heddle_concat(2, (heddle_array *[]){matrix, heddle_eye_with(n - 1, n, &o)}, 0);
    return heddle_linalg_eigvals(matrix);
}

heddle_array *heddle_roots(heddle_array *p)
{
    heddle_array *bad = heddle__bad_operand("roots", 1, &p);
    if (bad) return bad;
    if (p->ndim != 1)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_roots: shape %s: coefficients have one axis",
                                   HEDDLE_SHAPE_OF(p));
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    int64_t first = p->size, last = 0;
    heddle_array *x = heddle_astype(p, heddle__mean_dtype(p));
    const bool is_single = x->dtype == HEDDLE_FLOAT32 || x->dtype == HEDDLE_COMPLEX64;
    const enum heddle_dtype dtype = is_single ? HEDDLE_COMPLEX64 : HEDDLE_COMPLEX128;
    if (p->size > 0 && find_ends(x, &first, &last) != HEDDLE_OK)
        return heddle__scope_leave(&scope, heddle__error_last());
    const int64_t at_zero = first < p->size ? p->size - 1 - last : 0;
    heddle_array *r = heddle__zeros(dtype, &(struct heddle_shape){.ndim = 1, .extent = {at_zero}});
    if (first < last)
        r = heddle_concat(2, (heddle_array *[]){zeros_of(heddle__slice(x, 0, first, last + 1)), r},
                          0);
    return heddle__scope_leave(&scope, r);
}
