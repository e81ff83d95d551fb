/* Elements by index: an operation over an array and its indices as int32 or int64. Entry points:
 * heddle_take_with, heddle_take_along_axis_with. */
#include "base/options.h"
#include "families/gather/gather.h"
#include "graph/axes.h"
#include "graph/make.h"

#include <heddle/assemble.h>
#include <heddle/create.h>
#include "kernels.h"
#include <heddle/elementwise.h>
#include <heddle/gather.h>

static enum heddle_status check_indices(const char *name, const heddle_array *indices)
{
    const char kind = heddle_dtype_kind((enum heddle_dtype)indices->dtype);
    HEDDLE_REQUIRE(kind == 'I' || kind == 'U', HEDDLE_EDTYPE,
                   "heddle_%s: indices of dtype %s; they are integers", name,
                   heddle_dtype_name((enum heddle_dtype)indices->dtype));
    return HEDDLE_OK;
}

/* The indices as int32 or int64, owned. A uint64 beyond int64 must not become a negative index. */
static heddle_array *as_indices(heddle_array *indices)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)indices->dtype;
    if (dtype == HEDDLE_INT32 || dtype == HEDDLE_INT64) return heddle__retain(indices);
    if (dtype != HEDDLE_UINT64)
        return heddle__make_cast(indices,
                                 heddle_dtype_size(dtype) < 4 ? HEDDLE_INT32 : HEDDLE_INT64);
    const struct heddle_shape shape = {0};
    struct heddle_shape all = shape;
    all.ndim = indices->ndim;
    for (int d = 0; d < indices->ndim; d++) all.extent[d] = indices->shape[d];
    heddle_array *most =
        heddle__make_constant((union heddle_scalar){.i64 = INT64_MAX}, HEDDLE_UINT64, 0, NULL);
    if (!most) return NULL;
    heddle_array *const in[2] = {indices, most};
    const enum heddle_dtype dtypes[2] = {HEDDLE_UINT64, HEDDLE_UINT64};
    heddle_array *least =
        heddle__make_map(HEDDLE_OP_MINIMUM, HEDDLE_UINT64, HEDDLE_UINT64, &all, 2, in, dtypes);
    heddle_array *r = least ? heddle__make_cast(least, HEDDLE_INT64) : NULL;
    heddle__release(most);
    heddle__release(least);
    return r;
}

/* The result goes to the scope or the caller. */
static heddle_array *gather(const char *name, heddle_array *a, heddle_array *indices, int axis,
                            bool along, const struct heddle_shape *shape)
{
    if (heddle__check_shape(name, shape->ndim, shape->extent) != HEDDLE_OK)
        return heddle__error_last();
    bool empty = false;
    for (int d = 0; d < shape->ndim; d++) empty |= shape->extent[d] == 0;
    if (empty)
        return heddle__hand_out(
            heddle__make_zeros((enum heddle_dtype)a->dtype, shape->ndim, shape->extent));
    if (a->shape[axis] == 0)
        return heddle__error_array(HEDDLE_EINDEX, "heddle_%s: shape %s has no index along axis %d",
                                   name, HEDDLE_SHAPE_OF(a), axis);
    const struct heddle_gather_params params = {.axis = axis, .along = along};
    heddle_array *const in[2] = {a, as_indices(indices)};
    heddle_array *r =
        in[1] ? heddle__make_operation(&heddle__gather_family, (enum heddle_dtype)a->dtype,
                                       shape->ndim, shape->extent, 2, in, &params, NULL)
              : NULL;
    heddle__release(in[1]);
    return heddle__hand_out(r);
}

heddle_array *heddle_take_with(heddle_array *a, heddle_array *indices,
                               const struct heddle_take_options *options)
{
    heddle_array *const x[2] = {a, indices};
    heddle_array *const bad = heddle__bad_operand("take", 2, x);
    if (bad) return bad;
    struct heddle_take_options o;
    int axis;
    if (heddle__options("take", options, &o, sizeof o) != HEDDLE_OK ||
        check_indices("take", indices) != HEDDLE_OK)
        return heddle__error_last();
    if (a->ndim != 1 && !o.has_axis && !o.axis)
        return heddle__error_array(HEDDLE_EAXIS,
                                   "heddle_take: shape %s has %d axes: name one with .axis",
                                   HEDDLE_SHAPE_OF(a), a->ndim);
    if (heddle__axis_option("take", o.has_axis, o.axis, 0, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    if (a->ndim - 1 + indices->ndim > HEDDLE_MAX_NDIM)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_take: shapes %s and %s give %d axes",
                                   HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(indices),
                                   a->ndim - 1 + indices->ndim);
    struct heddle_shape shape = {0};
    for (int d = 0; d < axis; d++) shape.extent[shape.ndim++] = a->shape[d];
    for (int d = 0; d < indices->ndim; d++) shape.extent[shape.ndim++] = indices->shape[d];
    for (int d = axis + 1; d < a->ndim; d++) shape.extent[shape.ndim++] = a->shape[d];
    return gather("take", a, indices, axis, false, &shape);
}

heddle_array *heddle_take_along_axis_with(heddle_array *a, heddle_array *indices,
                                          const struct heddle_take_options *options)
{
    heddle_array *const x[2] = {a, indices};
    heddle_array *const bad = heddle__bad_operand("take_along_axis", 2, x);
    if (bad) return bad;
    struct heddle_take_options o;
    int axis;
    if (heddle__options("take_along_axis", options, &o, sizeof o) != HEDDLE_OK ||
        check_indices("take_along_axis", indices) != HEDDLE_OK ||
        heddle__axis_option("take_along_axis", o.has_axis, o.axis, -1, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_shape shape = {.ndim = a->ndim};
    bool fits = a->ndim == indices->ndim;
    for (int d = 0; d < a->ndim && fits; d++) {
        const int64_t m = a->shape[d], n = indices->shape[d];
        shape.extent[d] = d == axis || m == 1 ? n : m;
        fits = d == axis || m == n || m == 1 || n == 1;
    }
    if (!fits)
        return heddle__error_array(
            HEDDLE_ESHAPE,
            "heddle_take_along_axis: shapes %s and %s do not broadcast but along axis %d",
            HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(indices), axis);
    return gather("take_along_axis", a, indices, axis, true, &shape);
}

heddle_array *heddle__gather_by(const char *name, heddle_array *a, int n, const int axes[],
                                heddle_array *const indices[], int at)
{
    if (n > 1)
        return heddle__error_array(HEDDLE_EUNSUPPORTED, "heddle_%s: %d arrays of integers", name,
                                   n);
    const int from = axes[0];
    if (from != at) a = heddle_moveaxis(a, 1, &from, &at);
    return heddle_take(a, indices[0], .axis = at);
}
