/* Sorting: an operation along the last axis, over a view that has the axis there. Entry points:
 * heddle_sort_with, heddle_argsort_with. */
#include "base/options.h"
#include "families/gather/gather.h"
#include "families/sort/sort.h"
#include "graph/axes.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/elementwise.h>
#include <heddle/sort.h>

/* NumPy's order: by the real parts, equal ones by the imaginary parts; after all of them what has a NaN as its
 * imaginary part, then as its real part, then both. */
static heddle_array *sort_complex(heddle_array *a, int axis, bool positions)
{
    const struct heddle_sort_options o = {.size = sizeof o, .axis = axis, .has_axis = true};
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *by_imag = heddle_argsort_with(heddle_imag(a), &o);
    heddle_array *real = heddle__take_along(heddle_real(a), by_imag, axis);
    heddle_array *order = heddle__take_along(by_imag, heddle_argsort_with(real, &o), axis);
    heddle_array *nans =
        heddle_add(heddle_astype(heddle_isnan(heddle_imag(a)), HEDDLE_UINT8),
                   heddle_multiply(heddle_astype(heddle_isnan(heddle_real(a)), HEDDLE_UINT8),
                                   heddle_scalar_int(2)));
    nans = heddle__take_along(nans, order, axis);
    order = heddle__take_along(order, heddle_argsort_with(nans, &o), axis);
    return heddle__scope_leave(&scope, positions ? order : heddle__take_along(a, order, axis));
}

static heddle_array *sort(const char *name, heddle_array *a,
                          const struct heddle_sort_options *options, bool positions);

/* float32 holds what halves hold, in the same order. */
static heddle_array *sort_halves(const char *name, heddle_array *a,
                                 const struct heddle_sort_options *o, bool positions)
{
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = sort(name, heddle_astype(a, HEDDLE_FLOAT32), o, positions);
    return heddle__scope_leave(&scope,
                               positions ? r : heddle_astype(r, (enum heddle_dtype)a->dtype));
}

static heddle_array *sort(const char *name, heddle_array *a,
                          const struct heddle_sort_options *options, bool positions)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_sort_options o;
    int axis;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    if (heddle__axis_option(name, o.has_axis, o.axis, -1, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    if (heddle__is_half((enum heddle_dtype)a->dtype)) return sort_halves(name, a, &o, positions);
    if (heddle_dtype_kind((enum heddle_dtype)a->dtype) == 'C') {
        if (!o.descending) return sort_complex(a, axis, positions);
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: dtype %s has no descending order",
                                   name, heddle_dtype_name((enum heddle_dtype)a->dtype));
    }
    const enum heddle_dtype dtype = positions ? HEDDLE_INT64 : (enum heddle_dtype)a->dtype;
    if (a->size == 0) return heddle__hand_out(heddle__make_zeros(dtype, a->ndim, a->shape));
    if (!positions && heddle__is_sorted_short(a, axis))
        return heddle__sort_short(a, axis, o.descending);
    const struct heddle_sort_params params = {.descending = o.descending, .positions = positions};
    heddle_array *in = heddle__make_moved_axis(a, axis, a->ndim - 1);
    heddle_array *r = in ? heddle__make_operation(&heddle__sort_family, dtype, in->ndim, in->shape,
                                                  1, &in, &params, NULL)
                         : NULL;
    heddle_array *out = r ? heddle__make_moved_axis(r, r->ndim - 1, axis) : NULL;
    heddle__release(in);
    heddle__release(r);
    return heddle__hand_out(out);
}

heddle_array *heddle_sort_with(heddle_array *a, const struct heddle_sort_options *o)
{
    return sort("sort", a, o, false);
}

heddle_array *heddle_argsort_with(heddle_array *a, const struct heddle_sort_options *o)
{
    return sort("argsort", a, o, true);
}
