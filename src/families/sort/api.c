/* Sorting: an operation along the last axis, over a view that has the axis there. Entry points:
 * heddle_sort_with, heddle_argsort_with. */
#include "base/options.h"
#include "families/sort/sort.h"
#include "graph/axes.h"
#include "graph/make.h"

#include <heddle/sort.h>

/* The axes of `a` with `axis` the last, and back: owned. */
static heddle_array *with_axis_last(heddle_array *a, int axis, bool back)
{
    struct heddle_map map = {.n = (int8_t)a->ndim};
    int64_t shape[HEDDLE_MAX_NDIM];
    const int last = a->ndim - 1;
    if (axis == last) return heddle__retain(a);
    for (int d = 0; d < a->ndim; d++) { /* axis d of `a` is axis `to` of the view */
        const int to = back ? (d == last  ? axis
                               : d < axis ? d
                                          : d + 1)
                            : (d == axis  ? last
                               : d < axis ? d
                                          : d - 1);
        map.axis[d] = (int8_t)to;
        map.step[d] = 1;
        shape[to] = a->shape[d];
    }
    return heddle__make_view(a, &map, a->ndim, shape);
}

static heddle_array *sort(const char *name, heddle_array *a,
                          const struct heddle_sort_options *options, bool positions)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_sort_options o;
    int axis;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    if (heddle_dtype_kind((enum heddle_dtype)a->dtype) == 'C')
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: dtype %s has no order", name,
                                   heddle_dtype_name((enum heddle_dtype)a->dtype));
    if (heddle__axis_option(name, o.has_axis, o.axis, -1, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    const enum heddle_dtype dtype = positions ? HEDDLE_INT64 : (enum heddle_dtype)a->dtype;
    if (a->size == 0) return heddle__hand_out(heddle__make_zeros(dtype, a->ndim, a->shape));
    const struct heddle_sort_params params = {.descending = o.descending, .positions = positions};
    heddle_array *in = with_axis_last(a, axis, false);
    heddle_array *r = in ? heddle__make_operation(&heddle__sort_family, dtype, in->ndim, in->shape,
                                                  1, &in, &params, NULL)
                         : NULL;
    heddle_array *out = r ? with_axis_last(r, axis, true) : NULL;
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
