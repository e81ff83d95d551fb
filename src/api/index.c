/* Basic indexing: getitem is an access map, set_item assembles boxes. Neither looks at data.
 * Entry points: heddle_getitem, heddle_set_item. */
#include "api/index.h"

#include "graph/check.h"
#include "graph/make.h"

/* A slice of an axis by Python's rules: clamps its start, and gives step and count. */
static enum heddle_status select_slice(const char *name, const struct heddle_index *x,
                                       int64_t extent, struct heddle__selection *s, int axis)
{
    const int64_t step = x->step ? x->step : 1;
    HEDDLE_REQUIRE(step != INT64_MIN, HEDDLE_EARG, "heddle_%s: step %lld", name, (long long)step);
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    int64_t ends[2] = {x->start, x->stop};
    for (int i = 0; i < 2; i++) {
        if (ends[i] < 0) ends[i] += extent;
        if (ends[i] < low) ends[i] = low;
        if (ends[i] > high) ends[i] = high;
    }
    if (!x->has_start) ends[0] = step > 0 ? 0 : extent - 1;
    if (!x->has_stop) ends[1] = step > 0 ? extent : -1;
    const int64_t way = step > 0 ? ends[1] - ends[0] : ends[0] - ends[1];
    const int64_t stride = step > 0 ? step : -step;
    s->count[axis] = way > 0 ? (way - 1) / stride + 1 : 0;
    s->start[axis] = ends[0];
    s->step[axis] = s->count[axis] > 1 ? step : 1;
    return HEDDLE_OK;
}

static enum heddle_status add_axis(const char *name, struct heddle__selection *s, int axis,
                                   int64_t extent)
{
    HEDDLE_REQUIRE(s->shape.ndim < HEDDLE_MAX_NDIM, HEDDLE_ESHAPE,
                   "heddle_%s: the result has more than %d axes", name, HEDDLE_MAX_NDIM);
    s->axis_of[s->shape.ndim] = axis;
    s->shape.extent[s->shape.ndim++] = extent;
    return HEDDLE_OK;
}

/* One index that takes an axis of `a`: an integer or a slice. */
static enum heddle_status select_axis(const char *name, const heddle_array *a,
                                      const struct heddle_index *x, int axis,
                                      struct heddle__selection *s)
{
    const int64_t extent = a->shape[axis];
    if (x->kind == HEDDLE_INDEX_SLICE) {
        const enum heddle_status status = select_slice(name, x, extent, s, axis);
        return status == HEDDLE_OK ? add_axis(name, s, axis, s->count[axis]) : status;
    }
    const int64_t i = x->start < 0 ? x->start + extent : x->start;
    HEDDLE_REQUIRE(i >= 0 && i < extent, HEDDLE_EINDEX,
                   "heddle_%s: index %lld is out of range of axis %d of shape %s", name,
                   (long long)x->start, axis, HEDDLE_SHAPE_OF(a));
    s->start[axis] = i;
    s->step[axis] = s->count[axis] = 1;
    return HEDDLE_OK;
}

enum heddle_status heddle__select(const char *name, const heddle_array *a, int n,
                                  const struct heddle_index *index, struct heddle__selection *s)
{
    static const struct heddle_index all = HEDDLE_ALL;
    int taken = 0, axis = 0;
    enum heddle_status status;
    *s = (struct heddle__selection){.empty = false};
    HEDDLE_TRY(heddle__check_index(name, a, n, index, &taken));
    for (int i = 0; i < n; i++) {
        if (index[i].kind == HEDDLE_INDEX_ELLIPSIS) {
            for (int left = a->ndim - taken; left > 0; left--, axis++)
                HEDDLE_TRY(select_axis(name, a, &all, axis, s));
        } else if (index[i].kind == HEDDLE_INDEX_NEWAXIS) {
            HEDDLE_TRY(add_axis(name, s, -1, 1));
        } else {
            HEDDLE_TRY(select_axis(name, a, &index[i], axis, s));
            axis++;
        }
    }
    for (; axis < a->ndim; axis++) HEDDLE_TRY(select_axis(name, a, &all, axis, s));
    for (int d = 0; d < a->ndim; d++) s->empty |= s->count[d] == 0;
fail:
    return status;
}

heddle_array *heddle__selected(heddle_array *a, const struct heddle__selection *s)
{
    struct heddle_map map = {.n = (int8_t)a->ndim};
    for (int d = 0; d < a->ndim; d++) {
        map.axis[d] = -1;
        map.offset[d] = s->start[d];
    }
    for (int d = 0; d < s->shape.ndim; d++) {
        const int axis = s->axis_of[d];
        if (axis < 0) continue;
        map.axis[axis] = (int8_t)d;
        map.step[axis] = s->step[axis];
    }
    return heddle__make_view(a, &map, s->shape.ndim, s->shape.extent);
}

heddle_array *heddle_getitem(heddle_array *a, int n, const struct heddle_index *index)
{
    heddle_array *const bad = heddle__bad_operand("getitem", 1, &a);
    if (bad) return bad;
    if (heddle__has_array(n, index)) return heddle__getitem_by(a, n, index);
    struct heddle__selection s;
    if (heddle__select("getitem", a, n, index, &s) != HEDDLE_OK) return heddle__error_last();
    return heddle__hand_out(heddle__selected(a, &s));
}

/* ---- set_item ----------------------------------------------------------------------------------- */

/* A view of the value over the axes of the array, with the selection's extents, flipped where that makes
 * steps of the landing positive. Owned. The value has the array's dtype and broadcasts to s->shape. */
static heddle_array *value_box(heddle_array *value, int ndim, const struct heddle__selection *s)
{
    struct heddle_map map = {.n = (int8_t)value->ndim};
    const int shift = s->shape.ndim - value->ndim; /* axes align at the end */
    for (int d = 0; d < value->ndim; d++) {
        map.axis[d] = -1;
        if (value->shape[d] == 1) continue;
        const int axis = s->axis_of[d + shift];
        map.axis[d] = (int8_t)axis;
        map.step[d] = 1;
        if (s->step[axis] > 0) continue;
        map.step[d] = -1;
        map.offset[d] = s->count[axis] - 1;
    }
    return heddle__make_view(value, &map, ndim, s->count);
}

/* Where the box lands, and whether it is all of the array. */
static struct heddle_landing landing_of(const heddle_array *a, const struct heddle__selection *s,
                                        bool *whole)
{
    struct heddle_landing landing = {{0}, {0}};
    *whole = true;
    for (int d = 0; d < a->ndim; d++) {
        const bool back = s->step[d] < 0;
        landing.step[d] = back ? -s->step[d] : s->step[d];
        landing.start[d] = back ? s->start[d] + (s->count[d] - 1) * s->step[d] : s->start[d];
        *whole &= s->count[d] == a->shape[d];
    }
    return landing;
}

heddle_array *heddle__fitted(const char *name, heddle_array *value, enum heddle_dtype dtype,
                             const struct heddle_shape *target)
{
    /* without leading axes of extent 1 that the target lacks, as in NumPy */
    heddle_array *v = heddle__make_cast(value, dtype);
    int drop = 0;
    while (v && v->ndim - drop > target->ndim && v->shape[drop] == 1) drop++;
    if (v && drop > 0) {
        heddle_array *whole = v;
        v = heddle__make_reshape(whole, whole->ndim - drop, whole->shape + drop);
        heddle__release(whole);
    }
    if (!v) return NULL;
    struct heddle_shape both = *target;
    if (heddle__broadcast(&both, v->ndim, v->shape) &&
        heddle__same_shape(both.ndim, both.extent, target->ndim, target->extent))
        return v;
    heddle__release(v);
    heddle__fail(HEDDLE_ESHAPE,
                 "heddle_%s: value of shape %s does not broadcast to the selected %s", name,
                 HEDDLE_SHAPE_OF(value), heddle__shape_text(target->ndim, target->extent).text);
    return NULL;
}

/* Owned, or NULL with the error set. */
static heddle_array *set_box(heddle_array *a, heddle_array *value,
                             const struct heddle__selection *s)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    heddle_array *v = heddle__fitted("set_item", value, dtype, &s->shape);
    if (!v) return NULL;

    /* it sets nothing, all, or a box of the array */
    bool whole = false;
    const struct heddle_landing landings[2] = {{{0}, {0}}, landing_of(a, s, &whole)};
    heddle_array *box = s->empty ? heddle__make_cast(a, dtype) : value_box(v, a->ndim, s);
    heddle__release(v);
    if (!box || s->empty || whole) return box;
    heddle_array *base = heddle__make_cast(a, dtype); /* strong */
    heddle_array *const in[2] = {base, box};
    heddle_array *r =
        base ? heddle__make_assemble(dtype, a->ndim, a->shape, 2, in, landings) : NULL;
    heddle__release(base);
    heddle__release(box);
    return r;
}

heddle_array *heddle__bad_update(const char *name, heddle_array *a, heddle_array *value)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    if (!value) return heddle__error_array(HEDDLE_EARG, "heddle_%s: argument 4 is NULL", name);
    if (heddle__checking() && heddle__check_array(name, 4, value) != HEDDLE_OK)
        return heddle__error_last();
    if (value->kind == HEDDLE_NODE_ERROR) return heddle__adopt(heddle__retain(value));
    return heddle__check_value(name, value, (enum heddle_dtype)a->dtype) == HEDDLE_OK
               ? NULL
               : heddle__error_last();
}

heddle_array *heddle_set_item(heddle_array *a, int n, const struct heddle_index *index,
                              heddle_array *value)
{
    heddle_array *const bad = heddle__bad_update("set_item", a, value);
    if (bad) return bad;
    if (heddle__has_array(n, index))
        return heddle__update_by(HEDDLE_SCATTER_SET, a, n, index, value);
    struct heddle__selection s;
    if (heddle__select("set_item", a, n, index, &s) != HEDDLE_OK) return heddle__error_last();
    return heddle__hand_out(set_box(a, value, &s));
}
