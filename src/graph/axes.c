/* Axis arguments, normalised and checked. Entry points: axes.h. */
#include "graph/axes.h"

enum heddle_status heddle__axis(const char *name, int axis, int ndim, const int64_t *shape,
                                int *out)
{
    const int from_start = axis < 0 ? axis + ndim : axis;
    HEDDLE_REQUIRE(from_start >= 0 && from_start < ndim, HEDDLE_EAXIS,
                   "heddle_%s: axis %d is out of range of shape %s", name, axis,
                   heddle__shape_text(ndim, shape).text);
    *out = from_start;
    return HEDDLE_OK;
}

enum heddle_status heddle__axes_mask(const char *name, int n, const int *axes,
                                     const heddle_array *a, unsigned *mask)
{
    HEDDLE_REQUIRE(n >= 0 && (axes || n == 0), HEDDLE_EARG, "heddle_%s: %d axes at %s", name, n,
                   axes ? "an address" : "NULL");
    unsigned m = 0;
    for (int i = 0; i < n; i++) {
        int axis = 0;
        const enum heddle_status status = heddle__axis(name, axes[i], a->ndim, a->shape, &axis);
        if (status != HEDDLE_OK) return status;
        HEDDLE_REQUIRE(!(m & 1u << axis), HEDDLE_EAXIS, "heddle_%s: axis %d is given twice", name,
                       axis);
        m |= 1u << axis;
    }
    *mask = m;
    return HEDDLE_OK;
}

enum heddle_status heddle__axes_option(const char *name, const struct heddle_reduce_options *o,
                                       const heddle_array *a, unsigned *mask)
{
    if (o && o->axes) return heddle__axes_mask(name, o->n_axes, o->axes, a, mask);
    if (o && o->axis != HEDDLE_ALL_AXES) return heddle__axes_mask(name, 1, &o->axis, a, mask);
    *mask = (1u << a->ndim) - 1;
    return HEDDLE_OK;
}
