/* Functions given by samples or coefficients: between samples, without jumps. Entry points: heddle_interp_with,
 * heddle_polyval, heddle_unwrap_with. */
#include "api/compose/compose.h"

#include "base/options.h"
#include "families/gather/gather.h"
#include "families/search/search.h"

#include <heddle/scan.h>
#include <heddle/search.h>
#include <heddle/series.h>
#include <heddle/statistics.h>

#include <math.h>

/* ---- interp ----------------------------------------------------------------------------------------- */

/* On the line from point j to the next one, of complex heights; the same in a kernel: families/search/kernel_line.h. */
static heddle_array *on_line(heddle_array *x, heddle_array *xp, heddle_array *fp, heddle_array *j)
{
    heddle_array *next = heddle_add(j, heddle_scalar_int(1));
    heddle_array *x0 = heddle__take(xp, j, 0), *x1 = heddle__take(xp, next, 0),
                 *f0 = heddle__take(fp, j, 0), *f1 = heddle__take(fp, next, 0);
    heddle_array *slope = heddle_divide(heddle_subtract(f1, f0), heddle_subtract(x1, x0));
    heddle_array *r = heddle_add(heddle_multiply(slope, heddle_subtract(x, x0)), f0);
    heddle_array *other = heddle_add(heddle_multiply(slope, heddle_subtract(x, x1)), f1);
    other = heddle_where(heddle_logical_and(heddle_isnan(other), heddle_equal(f0, f1)), f0, other);
    r = heddle_where(heddle_isnan(r), other, r);
    return heddle_where(heddle_equal(x, x0), f0, r);
}

/* With the nearest height beside all points; NaN at NaN. */
static heddle_array *between(heddle_array *x, heddle_array *xp, heddle_array *fp)
{
    const int64_t n = xp->size;
    heddle_array *const least = heddle__item(xp, 0, 0), *const most = heddle__item(xp, 0, n - 1);
    heddle_array *const last = heddle__item(fp, 0, n - 1);
    heddle_array *r = last;
    if (n > 1) {
        struct heddle_searchsorted_options right = {.size = sizeof right,
                                                    .side = HEDDLE_SIDE_RIGHT};
        heddle_array *j =
            heddle_subtract(heddle_searchsorted_with(xp, x, &right), heddle_scalar_int(1));
        r = on_line(x, xp, fp, heddle_clip(j, heddle_scalar_int(0), heddle_scalar_int(n - 2)));
        r = heddle_where(heddle_greater_equal(x, most), last, r);
    }
    r = heddle_where(heddle_less(x, least), heddle__item(fp, 0, 0), r);
    return heddle_where(heddle_isnan(x), x, r);
}

heddle_array *heddle_interp_with(heddle_array *x, heddle_array *xp, heddle_array *fp,
                                 const struct heddle_interp_options *options)
{
    /* check */
    struct heddle_interp_options o;
    if (heddle__options("interp", options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    heddle_array *given[5] = {x, xp, fp};
    int n_given = 3;
    if (o.left) given[n_given++] = o.left;
    if (o.right) given[n_given++] = o.right;
    heddle_array *const bad = heddle__bad_operand("interp", n_given, given);
    if (bad) return bad;
    if (xp->ndim != 1 || fp->ndim != 1 || xp->size != fp->size || xp->size == 0)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_interp: points of shapes %s and %s",
                                   HEDDLE_SHAPE_OF(xp), HEDDLE_SHAPE_OF(fp));
    if (heddle__kind_rank((enum heddle_dtype)x->dtype) == 3 ||
        heddle__kind_rank((enum heddle_dtype)xp->dtype) == 3)
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_interp: complex numbers have no order");
    for (int i = 3; i < n_given; i++)
        if (given[i]->ndim > 0)
            return heddle__error_array(HEDDLE_ESHAPE, "heddle_interp: an end of shape %s",
                                       HEDDLE_SHAPE_OF(given[i]));

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const enum heddle_dtype dtype =
        heddle__kind_rank((enum heddle_dtype)fp->dtype) == 3 ? HEDDLE_COMPLEX128 : HEDDLE_FLOAT64;
    const int64_t n = xp->size;
    x = heddle_astype(x, HEDDLE_FLOAT64);
    xp = heddle_astype(xp, HEDDLE_FLOAT64);
    fp = heddle_astype(fp, dtype);
    heddle_array *r = dtype == HEDDLE_FLOAT64 && x->size > 0
                          ? heddle__search(HEDDLE_SEARCH_LINE, dtype, xp, x, fp)
                          : between(x, xp, fp);
    heddle_array *const least = heddle__item(xp, 0, 0), *const most = heddle__item(xp, 0, n - 1);
    if (o.right) r = heddle_where(heddle_greater(x, most), o.right, r);
    if (o.left) r = heddle_where(heddle_less(x, least), o.left, r);
    return heddle__scope_leave(&scope, heddle_astype(r, dtype));
}

/* ---- polyval ---------------------------------------------------------------------------------------- */

heddle_array *heddle_polyval(heddle_array *p, heddle_array *x)
{
    heddle_array *const both[2] = {p, x};
    heddle_array *const bad = heddle__bad_operand("polyval", 2, both);
    if (bad) return bad;
    if (p->ndim > 1)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_polyval: coefficients of shape %s",
                                   HEDDLE_SHAPE_OF(p));
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r =
        heddle__hand_out(heddle__make_zeros((enum heddle_dtype)x->dtype, x->ndim, x->shape));
    if (p->ndim == 0) r = heddle_add(heddle_multiply(r, x), p);
    for (int64_t i = 0; i < (p->ndim ? p->size : 0); i++)
        r = heddle_add(i ? heddle_multiply(r, x) : r, heddle__item(p, 0, i));
    return heddle__scope_leave(&scope, r);
}

/* ---- unwrap ------------------------------------------------------------------------------------------ */

heddle_array *heddle_unwrap_with(heddle_array *a, const struct heddle_unwrap_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("unwrap", 1, &a);
    if (bad) return bad;
    struct heddle_unwrap_options o;
    int axis = 0;
    if (heddle__options("unwrap", options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axis_option("unwrap", o.has_axis, o.axis, -1, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    if (heddle__kind_rank((enum heddle_dtype)a->dtype) == 3)
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_unwrap: complex numbers have no order");
    const int64_t n = a->shape[axis];
    const bool integers = heddle__kind_rank((enum heddle_dtype)a->dtype) < 2 && o.period != 0 &&
                          o.period == floor(o.period);
    const enum heddle_dtype dtype = !integers                 ? heddle__mean_dtype(a)
                                    : a->dtype == HEDDLE_BOOL ? HEDDLE_INT64
                                                              : (enum heddle_dtype)a->dtype;
    if (n < 2) return heddle_astype(a, dtype);

    /* build: each step, brought into half a period to both sides */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const double whole = o.period != 0 ? o.period : 2 * acos(-1.0), half = whole / 2;
    heddle_array *x = heddle_astype(a, heddle__mean_dtype(a));
    heddle_array *period = heddle_scalar_float(whole), *low = heddle_scalar_float(-half);
    heddle_array *step =
        heddle_subtract(heddle__slice(x, axis, 1, n), heddle__slice(x, axis, 0, n - 1));
    heddle_array *near = heddle_remainder(heddle_subtract(step, low), period);
    near = heddle_add(near, low);
    heddle_array *zero = heddle_scalar_int(0);
    near = heddle_where(heddle_logical_and(heddle_equal(near, low), heddle_greater(step, zero)),
                        heddle_scalar_float(half), near);
    heddle_array *added = heddle_subtract(near, step);
    const double discont = o.discont > half ? o.discont : half;
    added = heddle_where(heddle_less(heddle_abs(step), heddle_scalar_float(discont)), zero, added);
    const struct heddle_scan_options along = {.size = sizeof along, .axis = axis, .has_axis = true};
    heddle_array *const parts[2] = {
        heddle__slice(x, axis, 0, 1),
        heddle_add(heddle__slice(x, axis, 1, n), heddle_cumulative_sum_with(added, &along))};
    heddle_array *r = heddle_concat(2, parts, axis);
    if (integers)
        r = heddle_astype(r, HEDDLE_INT64); /* of which a narrower one has the last bits */
    return heddle__scope_leave(&scope, heddle_astype(r, dtype));
}
