/* Differences, derivatives and integrals along an axis, of slices. Entry points: heddle_diff_with,
 * heddle_gradient_with, heddle_trapezoid_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/statistics.h>

/* x[1:] op x[:-1]; nothing of less than two. */
static heddle_array *neighbours(heddle_array *(*op)(heddle_array *, heddle_array *),
                                heddle_array *x, int axis)
{
    const int64_t n = heddle_status_of(x) == HEDDLE_OK ? x->shape[axis] : 0;
    if (n == 0) return x;
    return op(heddle__slice(x, axis, 1, n), heddle__slice(x, axis, 0, n - 1));
}

static heddle_array *differences(heddle_array *x, int axis)
{
    const bool is_bool = heddle_status_of(x) == HEDDLE_OK && x->dtype == HEDDLE_BOOL;
    return neighbours(is_bool ? heddle_not_equal : heddle_subtract, x, axis);
}

/* `piece` as something to join to x: a scalar has extent 1 along the axis. */
static heddle_array *piece_of(heddle_array *piece, const heddle_array *x, int axis)
{
    if (piece->ndim > 0) return piece;
    const struct heddle_shape s = heddle__with_extent(x, axis, 1);
    return heddle_broadcast_to(piece, s.ndim, s.extent);
}

heddle_array *heddle_diff_with(heddle_array *a, const struct heddle_diff_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("diff", 1, &a);
    if (bad) return bad;
    struct heddle_diff_options o;
    int axis = 0, n = 0;
    if (heddle__options("diff", options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axis_option("diff", o.has_axis, o.axis, -1, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    if (o.n < 0) return heddle__error_array(HEDDLE_EARG, "heddle_diff: n is %d", o.n);
    heddle_array *joined[3];
    if (o.prepend) joined[n++] = o.prepend;
    joined[n++] = a;
    if (o.append) joined[n++] = o.append;
    heddle_array *const bad_piece = heddle__bad_operand("diff", n, joined);
    if (bad_piece) return bad_piece;

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    for (int i = 0; i < n; i++) joined[i] = piece_of(joined[i], a, axis);
    heddle_array *r = n > 1 ? heddle_concat(n, joined, axis) : a;
    for (int i = o.n ? o.n : 1; i > 0 && heddle_status_of(r) == HEDDLE_OK && r->shape[axis] > 0;
         i--)
        r = differences(r, axis);
    return heddle__scope_leave(&scope, r);
}

heddle_array *heddle_gradient_with(heddle_array *a, const struct heddle_gradient_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("gradient", 1, &a);
    if (bad) return bad;
    struct heddle_gradient_options o;
    int axis = 0;
    if (heddle__options("gradient", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    if (!o.has_axis && a->ndim > 1)
        return heddle__error_array(HEDDLE_EAXIS,
                                   "heddle_gradient: shape %s has %d axes: name one with .axis",
                                   HEDDLE_SHAPE_OF(a), a->ndim);
    if (heddle__axis_option("gradient", o.has_axis, o.axis, 0, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    const int64_t n = a->shape[axis];
    if (n < 2)
        return heddle__error_array(
            HEDDLE_ESHAPE, "heddle_gradient: shape %s has less than two elements on axis %d",
            HEDDLE_SHAPE_OF(a), axis);

    /* build: the ends, and what is between them */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const double h = o.step != 0 ? o.step : 1;
    heddle_array *x = heddle_astype(a, heddle__mean_dtype(a)), *parts[3];
    heddle_array *one = heddle_scalar_float(h), *two = heddle_scalar_float(2 * h);
    int n_parts = 0;
    parts[n_parts++] = heddle_divide(
        heddle_subtract(heddle__slice(x, axis, 1, 2), heddle__slice(x, axis, 0, 1)), one);
    if (n > 2)
        parts[n_parts++] = heddle_divide(
            heddle_subtract(heddle__slice(x, axis, 2, n), heddle__slice(x, axis, 0, n - 2)), two);
    parts[n_parts++] = heddle_divide(
        heddle_subtract(heddle__slice(x, axis, n - 1, n), heddle__slice(x, axis, n - 2, n - 1)),
        one);
    return heddle__scope_leave(&scope, heddle_concat(n_parts, parts, axis));
}

heddle_array *heddle_trapezoid_with(heddle_array *y, const struct heddle_trapezoid_options *options)
{
    /* check */
    heddle_array *bad = heddle__bad_operand("trapezoid", 1, &y);
    if (bad) return bad;
    struct heddle_trapezoid_options o;
    int axis = 0;
    if (heddle__options("trapezoid", options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axis_option("trapezoid", o.has_axis, o.axis, -1, y, &axis) != HEDDLE_OK)
        return heddle__error_last();
    if (o.x) bad = heddle__bad_operand("trapezoid", 1, &o.x);
    if (bad) return bad;
    if (o.x && o.x->ndim != 1 && o.x->ndim != y->ndim)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_trapezoid: .x has shape %s, y %s",
                                   HEDDLE_SHAPE_OF(o.x), HEDDLE_SHAPE_OF(y));

    /* build: the sum of widths times means of neighbours */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *width = heddle_scalar_float(o.dx != 0 ? o.dx : 1);
    if (o.x && o.x->ndim == 1) {
        struct heddle_shape s = {.ndim = y->ndim};
        for (int d = 0; d < s.ndim; d++) s.extent[d] = d == axis ? o.x->size : 1;
        o.x = heddle_reshape(o.x, s.ndim, s.extent);
    }
    if (o.x) width = differences(o.x, axis);
    heddle_array *r = heddle_multiply(width, neighbours(heddle_add, y, axis));
    r = heddle_divide(r, heddle_scalar_float(2));
    return heddle__scope_leave(
        &scope, heddle__reduce_mask(heddle_sum_with, r, 1u << axis, false, HEDDLE_DTYPE_NONE));
}
