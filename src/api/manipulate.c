/* Shapes: permute_dims, matrix_transpose, expand_dims, squeeze, flip and broadcast_to are VIEW nodes;
 * reshape is one where it can be. No data move. Entry points: heddle/manipulate.h, but for
 * concatenation (concat.c). */
#include "base/options.h"
#include "graph/axes.h"
#include "graph/make.h"

#include <heddle/manipulate.h>

/* Fills in the extent that is -1, and checks the number of elements. */
static enum heddle_status infer_extent(const heddle_array *a, int ndim, const int64_t *shape,
                                       struct heddle_shape *out)
{
    HEDDLE_REQUIRE(ndim >= 0, HEDDLE_EARG, "heddle_reshape: ndim is %d", ndim);
    HEDDLE_REQUIRE(ndim <= HEDDLE_MAX_NDIM, HEDDLE_ESHAPE, "heddle_reshape: %d axes, more than %d",
                   ndim, HEDDLE_MAX_NDIM);
    HEDDLE_REQUIRE(shape || ndim == 0, HEDDLE_EARG, "heddle_reshape: shape is NULL");
    int unknown = -1;
    *out = (struct heddle_shape){.ndim = ndim};
    for (int d = 0; d < ndim; d++) {
        out->extent[d] = shape[d];
        if (shape[d] != -1) continue;
        HEDDLE_REQUIRE(unknown < 0, HEDDLE_ESHAPE, "heddle_reshape: two extents of %s are -1",
                       heddle__shape_text(ndim, shape).text);
        unknown = d;
        out->extent[d] = 1;
    }
    const enum heddle_status status = heddle__check_shape("reshape", ndim, out->extent);
    if (status != HEDDLE_OK) return status;
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= out->extent[d];
    if (unknown >= 0 && size > 0 && a->size % size == 0) {
        out->extent[unknown] = a->size / size;
        size = a->size;
    }
    HEDDLE_REQUIRE(size == a->size &&
                       !(unknown >= 0 && size == 0 && a->size == 0 && out->extent[unknown] == 1),
                   HEDDLE_ESHAPE, "heddle_reshape: shape %s does not become %s", HEDDLE_SHAPE_OF(a),
                   heddle__shape_text(ndim, shape).text);
    return HEDDLE_OK;
}

heddle_array *heddle_reshape(heddle_array *a, int ndim, const int64_t *shape)
{
    heddle_array *const bad = heddle__bad_operand("reshape", 1, &a);
    if (bad) return bad;
    struct heddle_shape s;
    if (infer_extent(a, ndim, shape, &s) != HEDDLE_OK) return heddle__error_last();
    return heddle__hand_out(heddle__make_reshape(a, s.ndim, s.extent));
}

/* Axis d of the result is axis order[d], 0 <= order[d]. */
static heddle_array *permuted(heddle_array *a, const int *order)
{
    struct heddle_map map = {.n = (int8_t)a->ndim};
    int64_t shape[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++) {
        shape[d] = a->shape[order[d]];
        map.axis[order[d]] = (int8_t)d;
        map.step[order[d]] = 1;
    }
    return heddle__hand_out(heddle__make_view(a, &map, a->ndim, shape));
}

heddle_array *heddle_permute_dims(heddle_array *a, int n_axes, const int *axes)
{
    heddle_array *const bad = heddle__bad_operand("permute_dims", 1, &a);
    if (bad) return bad;
    unsigned mask = 0;
    if (heddle__axes_mask("permute_dims", n_axes, axes, a, &mask) != HEDDLE_OK)
        return heddle__error_last();
    if (n_axes != a->ndim)
        return heddle__error_array(HEDDLE_EAXIS, "heddle_permute_dims: %d axes for shape %s",
                                   n_axes, HEDDLE_SHAPE_OF(a));
    int order[HEDDLE_MAX_NDIM];
    for (int d = 0; d < n_axes; d++) order[d] = axes[d] < 0 ? axes[d] + a->ndim : axes[d];
    return permuted(a, order);
}

heddle_array *heddle_matrix_transpose(heddle_array *a)
{
    heddle_array *const bad = heddle__bad_operand("matrix_transpose", 1, &a);
    if (bad) return bad;
    if (a->ndim < 2)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_matrix_transpose: shape %s has less than two axes",
                                   HEDDLE_SHAPE_OF(a));
    int order[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++) order[d] = d;
    order[a->ndim - 2] = a->ndim - 1;
    order[a->ndim - 1] = a->ndim - 2;
    return permuted(a, order);
}

heddle_array *heddle_expand_dims(heddle_array *a, int axis)
{
    /* check: the axis is counted in the result */
    heddle_array *const bad = heddle__bad_operand("expand_dims", 1, &a);
    if (bad) return bad;
    if (a->ndim == HEDDLE_MAX_NDIM)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_expand_dims: shape %s has %d axes already",
                                   HEDDLE_SHAPE_OF(a), HEDDLE_MAX_NDIM);
    const int at = axis < 0 ? axis + a->ndim + 1 : axis;
    if (at < 0 || at > a->ndim)
        return heddle__error_array(HEDDLE_EAXIS,
                                   "heddle_expand_dims: axis %d is out of range of shape %s", axis,
                                   HEDDLE_SHAPE_OF(a));

    /* build */
    struct heddle_shape s = {.ndim = a->ndim + 1};
    for (int d = 0; d < s.ndim; d++) s.extent[d] = d == at ? 1 : a->shape[d - (d > at)];
    return heddle__hand_out(heddle__make_reshape(a, s.ndim, s.extent));
}

heddle_array *heddle_squeeze(heddle_array *a, int n_axes, const int *axes)
{
    heddle_array *const bad = heddle__bad_operand("squeeze", 1, &a);
    if (bad) return bad;
    unsigned mask = 0;
    if (heddle__axes_mask("squeeze", n_axes, axes, a, &mask) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_shape s = {.ndim = 0};
    for (int d = 0; d < a->ndim; d++) {
        if (!(mask & 1u << d)) {
            s.extent[s.ndim++] = a->shape[d];
        } else if (a->shape[d] != 1) {
            return heddle__error_array(HEDDLE_ESHAPE,
                                       "heddle_squeeze: axis %d of shape %s has not extent 1", d,
                                       HEDDLE_SHAPE_OF(a));
        }
    }
    return heddle__hand_out(heddle__make_reshape(a, s.ndim, s.extent));
}

heddle_array *heddle_flip_with(heddle_array *a, const struct heddle_flip_options *options)
{
    heddle_array *const bad = heddle__bad_operand("flip", 1, &a);
    if (bad) return bad;
    struct heddle_flip_options o;
    unsigned mask = 0;
    if (heddle__options("flip", options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axes_option("flip", o.has_axis, o.axis, &o.axes, a, &mask) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_map map = heddle__map_identity(a->ndim);
    for (int d = 0; d < a->ndim; d++) {
        if (!(mask & 1u << d) || a->shape[d] < 2) continue;
        map.offset[d] = a->shape[d] - 1;
        map.step[d] = -1;
    }
    return heddle__hand_out(heddle__make_view(a, &map, a->ndim, a->shape));
}

heddle_array *heddle_broadcast_to(heddle_array *a, int ndim, const int64_t *shape)
{
    heddle_array *const bad = heddle__bad_operand("broadcast_to", 1, &a);
    if (bad) return bad;
    if (heddle__check_shape("broadcast_to", ndim, shape) != HEDDLE_OK) return heddle__error_last();
    struct heddle_shape s = {.ndim = a->ndim};
    for (int d = 0; d < a->ndim; d++) s.extent[d] = a->shape[d];
    if (!heddle__broadcast(&s, ndim, shape) || !heddle__same_shape(s.ndim, s.extent, ndim, shape))
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_broadcast_to: shape %s does not broadcast to %s",
                                   HEDDLE_SHAPE_OF(a), heddle__shape_text(ndim, shape).text);
    return heddle__hand_out(heddle__make_broadcast(a, ndim, shape));
}
