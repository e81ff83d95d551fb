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

/* A struct filled by hand whose has_axis was forgotten would mean no axis. */
static enum heddle_status check_given(const char *name, bool has_axis, int axis)
{
    HEDDLE_REQUIRE(has_axis || axis == 0, HEDDLE_EARG,
                   "heddle_%s: .axis is %d, but .has_axis is false", name, axis);
    return HEDDLE_OK;
}

enum heddle_status heddle__axis_option(const char *name, bool has_axis, int given, int otherwise,
                                       const heddle_array *a, int *axis)
{
    const enum heddle_status status = check_given(name, has_axis, given);
    if (status != HEDDLE_OK) return status;
    return heddle__axis(name, has_axis ? given : otherwise, a->ndim, a->shape, axis);
}

enum heddle_status heddle__axes_option(const char *name, bool has_axis, int axis,
                                       const struct heddle_axes *axes, const heddle_array *a,
                                       unsigned *mask)
{
    const enum heddle_status status = check_given(name, has_axis, axis);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(axes->count >= -1 && axes->count <= HEDDLE_MAX_NDIM, HEDDLE_EARG,
                   "heddle_%s: %d axes; an array has at most %d", name, axes->count,
                   HEDDLE_MAX_NDIM);
    HEDDLE_REQUIRE(!has_axis || axes->count == 0, HEDDLE_EARG,
                   "heddle_%s: both .axis and .axes are given", name);
    if (has_axis) return heddle__axes_mask(name, 1, &axis, a, mask);
    if (axes->count)
        return heddle__axes_mask(name, axes->count < 0 ? 0 : axes->count, axes->at, a, mask);
    *mask = (1u << a->ndim) - 1;
    return HEDDLE_OK;
}
