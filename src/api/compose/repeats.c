/* Elements moved round and repeated. A repetition is a view over more axes, reshaped, so that it is written
 * once. Entry points: heddle_roll_with, heddle_tile, heddle_repeat_with. */
#include "api/compose/compose.h"

#include "base/memory.h"
#include "families/gather/gather.h"
#include "graph/evaluator.h"

#include <heddle/assemble.h>

#include <string.h>

/* ---- roll ----------------------------------------------------------------------------------------- */

/* Box `which` of the result: bit i says whether along the i-th axis that moves it is what does not
 * come round, which follows what does. */
static heddle_array *rolled_box(heddle_array *a, const int64_t *by, unsigned which,
                                struct heddle_landing *landing)
{
    struct heddle_index index[HEDDLE_MAX_NDIM];
    for (int d = 0, i = 0; d < a->ndim; d++) {
        const int64_t seam = a->shape[d] - by[d];
        const bool round = by[d] && !(which >> i & 1);
        index[d] = (struct heddle_index)HEDDLE_SLICE(round ? seam : 0, round ? a->shape[d] : seam);
        landing->start[d] = round ? 0 : by[d];
        landing->step[d] = 1;
        i += by[d] != 0;
    }
    return heddle_getitem(a, a->ndim, index);
}

heddle_array *heddle__rolled(heddle_array *a, const int64_t *shift)
{
    /* each axis that moves doubles the boxes: beyond some the others are a pass of their own */
    enum { AXES = 4, BOXES = 1 << AXES };
    int64_t by[HEDDLE_MAX_NDIM], later[HEDDLE_MAX_NDIM] = {0};
    int moved = 0;
    bool again = false;
    for (int d = 0; d < a->ndim; d++) {
        const int64_t n = a->shape[d];
        by[d] = n ? (shift[d] % n + n) % n : 0;
        if (by[d] && moved == AXES) {
            later[d] = by[d];
            by[d] = 0;
            again = true;
        }
        moved += by[d] != 0;
    }
    if (moved == 0 || a->size == 0) return a;
    heddle_array *in[BOXES + 1] = {NULL}; /* no background */
    struct heddle_landing landings[BOXES + 1] = {{{0}, {0}}};
    for (unsigned i = 0; i < 1u << moved; i++) {
        in[i + 1] = rolled_box(a, by, i, &landings[i + 1]);
        if (heddle_status_of(in[i + 1]) != HEDDLE_OK) return in[i + 1];
    }
    heddle_array *const r = heddle__hand_out(heddle__make_assemble(
        (enum heddle_dtype)a->dtype, a->ndim, a->shape, (1 << moved) + 1, in, landings));
    return again && heddle_status_of(r) == HEDDLE_OK ? heddle__rolled(r, later) : r;
}

heddle_array *heddle_roll_with(heddle_array *a, int64_t shift,
                               const struct heddle_along_options *options)
{
    heddle_array *const bad = heddle__bad_operand("roll", 1, &a);
    if (bad) return bad;
    int axis = 0;
    bool given = false;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle__named_axis("roll", a, options, &axis, &given);
    if (heddle_status_of(x) != HEDDLE_OK) return heddle__scope_leave(&scope, x);
    int64_t by[HEDDLE_MAX_NDIM] = {0};
    by[axis] = shift;
    heddle_array *const r = heddle__rolled(x, by);
    return heddle__scope_leave(&scope, given ? r : heddle_reshape(r, a->ndim, a->shape));
}

/* ---- tile ----------------------------------------------------------------------------------------- */

/* All of `a` reps[d] times along each axis d, by a view with an axis for each repetition and one for each run
 * of axes that lie together. */
static heddle_array *tiled(heddle_array *a, const int64_t *reps)
{
    struct heddle_shape in = {.ndim = 0}, out = {.ndim = 0}, result = {.ndim = a->ndim};
    bool run = false; /* whether the last axis of the view is a run */
    for (int d = 0; d < a->ndim; d++) {
        result.extent[d] = reps[d] * a->shape[d];
        const bool repeats = reps[d] != 1;
        if (in.ndim + repeats + (repeats || !run) > HEDDLE_MAX_NDIM) { /* the others later */
            int64_t first[HEDDLE_MAX_NDIM], others[HEDDLE_MAX_NDIM];
            for (int k = 0; k < a->ndim; k++) {
                first[k] = k < d ? reps[k] : 1;
                others[k] = k < d ? 1 : reps[k];
            }
            return tiled(tiled(a, first), others);
        }
        if (repeats) {
            in.extent[in.ndim++] = 1;
            out.extent[out.ndim++] = reps[d];
            run = false;
        }
        if (run) {
            in.extent[in.ndim - 1] *= a->shape[d];
            out.extent[out.ndim - 1] *= a->shape[d];
        } else {
            in.extent[in.ndim++] = out.extent[out.ndim++] = a->shape[d];
        }
        run = true;
    }
    heddle_array *r = heddle_reshape(a, in.ndim, in.extent);
    r = heddle_broadcast_to(r, out.ndim, out.extent);
    return heddle_reshape(r, result.ndim, result.extent);
}

heddle_array *heddle_tile(heddle_array *a, int n, const int64_t *reps)
{
    /* check: both get leading axes until they have as many */
    heddle_array *const bad = heddle__bad_operand("tile", 1, &a);
    if (bad) return bad;
    if (heddle__check_shape("tile", n, reps) != HEDDLE_OK) return heddle__error_last();
    const int ndim = n > a->ndim ? n : a->ndim;
    struct heddle_shape s = {.ndim = ndim}, all = {.ndim = ndim}, result = {.ndim = ndim};
    bool empty = a->size == 0, too_many = false;
    for (int d = 0; d < ndim; d++) {
        s.extent[d] = d < ndim - a->ndim ? 1 : a->shape[d - (ndim - a->ndim)];
        all.extent[d] = d < ndim - n ? 1 : reps[d - (ndim - n)];
        too_many |= __builtin_mul_overflow(s.extent[d], all.extent[d], &result.extent[d]);
        empty |= all.extent[d] == 0;
    }
    if (too_many) return heddle__error_array(HEDDLE_ESHAPE, "heddle_tile: too many elements");
    if (heddle__check_shape("tile", ndim, result.extent) != HEDDLE_OK) return heddle__error_last();
    if (empty) return heddle__zeros((enum heddle_dtype)a->dtype, &result);

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = heddle_reshape(a, ndim, s.extent);
    return heddle__scope_leave(&scope, tiled(r, all.extent));
}

/* ---- repeat ----------------------------------------------------------------------------------------- */

/* The view that an array is the reshaped elements of, each of whose axes is some of the view's, and the last of those that axis *axis is;
 * the array itself if there is none. So what is repeated along several axes is one view, and stored once. */
static heddle_array *before_merging(heddle_array *a, int *axis)
{
    if (a->kind != HEDDLE_NODE_RESHAPE || a->in[0]->kind != HEDDLE_NODE_VIEW) return a;
    heddle_array *const view = a->in[0];
    int next = 0, last = 0;
    for (int d = 0; d < a->ndim; d++) {
        int64_t extent = 1;
        while (next < view->ndim && extent * view->shape[next] <= a->shape[d])
            extent *= view->shape[next++];
        if (extent != a->shape[d] || next == 0) return a;
        if (d == *axis) last = next - 1;
    }
    if (next < view->ndim) return a;
    *axis = last;
    return view;
}

/* Each element `count` times along the axis. */
static heddle_array *repeated(heddle_array *a, int axis, int64_t count)
{
    struct heddle_shape s = heddle__with_extent(a, axis, 0);
    if (__builtin_mul_overflow(a->shape[axis], count, &s.extent[axis]) ||
        heddle__check_shape("repeat", s.ndim, s.extent) != HEDDLE_OK)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_repeat: too many elements");
    if (a->size == 0 || count == 0) return heddle__zeros((enum heddle_dtype)a->dtype, &s);
    /* one pass over what no cache holds; in a cache, CPUs repeat whole runs sooner in two */
    enum { IN_CACHE = 8 << 20 };
    const int64_t bytes = (int64_t)heddle_dtype_size((enum heddle_dtype)a->dtype);
    heddle_array *r = a;
    if (a->size > IN_CACHE / bytes / count) r = before_merging(a, &axis);
    int ndim = r->ndim + 1, at = axis + 1;
    int64_t shape[HEDDLE_MAX_NDIM] = {1, r->shape[axis], 1, 1};
    if (ndim <= HEDDLE_MAX_NDIM) {
        memcpy(shape, r->shape, (size_t)at * sizeof *shape);
        memcpy(shape + at + 1, r->shape + at, (size_t)(r->ndim - at) * sizeof *shape);
        r = heddle_expand_dims(r, at);
    } else { /* those before it are one, and so are those behind it */
        for (int d = 0; d < r->ndim; d++)
            if (d != axis) shape[d < axis ? 0 : 3] *= r->shape[d];
        ndim = 4;
        at = 2;
        r = heddle_reshape(r, ndim, shape);
    }
    shape[at] = count;
    return heddle_reshape(heddle_broadcast_to(r, ndim, shape), s.ndim, s.extent);
}

/* Element i of the axis counts[i] times: gathered by indices that are made here. */
static heddle_array *repeated_each(heddle_array *a, int axis, const int64_t *counts)
{
    int64_t total = 0, k = 0;
    for (int64_t i = 0; i < a->shape[axis]; i++) {
        if (counts[i] < 0)
            return heddle__error_array(HEDDLE_EARG, "heddle_repeat: count %lld of element %lld",
                                       (long long)counts[i], (long long)i);
        if (counts[i] > HEDDLE_MAX_SIZE - total)
            return heddle__error_array(HEDDLE_ESHAPE, "heddle_repeat: too many elements");
        total += counts[i];
    }
    int64_t *index = heddle__alloc((size_t)(total + 1) * sizeof *index);
    if (!index) return heddle__hand_out(heddle__no_memory());
    for (int64_t i = 0; i < a->shape[axis]; i++)
        for (int64_t j = 0; j < counts[i]; j++) index[k++] = i;
    heddle_array *indices = heddle_asarray_with(index, HEDDLE_INT64, 1, &total, NULL);
    heddle__free(index);
    return heddle__take(a, indices, axis);
}

/* By an array of counts, which is evaluated. */
static heddle_array *repeated_by(heddle_array *a, int axis, heddle_array *repeats)
{
    const int64_t n = a->shape[axis];
    if (repeats->size != 1 && repeats->size != n)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_repeat: repeats of shape %s for axis %d of shape %s",
                                   HEDDLE_SHAPE_OF(repeats), axis, HEDDLE_SHAPE_OF(a));
    int64_t *counts = heddle__alloc((size_t)(repeats->size + 1) * sizeof *counts);
    if (!counts) return heddle__hand_out(heddle__no_memory());
    heddle_array *r = heddle_astype(repeats, HEDDLE_INT64);
    enum heddle_status status = heddle_status_of(r);
    if (status == HEDDLE_OK && heddle__is_constant(r))
        for (int64_t i = 0; i < r->size; i++) counts[i] = r->value.i64;
    else
        status = heddle__read_now(r, counts, heddle_nbytes(r));
    if (status != HEDDLE_OK)
        r = heddle__error_last();
    else if (repeats->size == 1 && counts[0] < 0)
        r = heddle__error_array(HEDDLE_EARG, "heddle_repeat: count %lld", (long long)counts[0]);
    else
        r = repeats->size == 1 ? repeated(a, axis, counts[0]) : repeated_each(a, axis, counts);
    heddle__free(counts);
    return r;
}

heddle_array *heddle_repeat_with(heddle_array *a, heddle_array *repeats,
                                 const struct heddle_along_options *options)
{
    /* check */
    heddle_array *const both[2] = {a, repeats};
    heddle_array *const bad = heddle__bad_operand("repeat", 2, both);
    if (bad) return bad;
    if (heddle__kind_rank((enum heddle_dtype)repeats->dtype) > 1 || repeats->ndim > 1)
        return heddle__error_array(HEDDLE_EDTYPE,
                                   "heddle_repeat: repeats of dtype %s and shape %s; they are "
                                   "integers of at most one axis",
                                   heddle_dtype_name((enum heddle_dtype)repeats->dtype),
                                   HEDDLE_SHAPE_OF(repeats));
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    int axis = 0;
    bool given = false;
    heddle_array *x = heddle__named_axis("repeat", a, options, &axis, &given);
    if (heddle_status_of(x) == HEDDLE_OK) x = repeated_by(x, axis, repeats);
    return heddle__scope_leave(&scope, x);
}
