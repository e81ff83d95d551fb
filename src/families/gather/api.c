/* Elements by index: an operation over an array and its indices as int32 or int64. Entry points:
 * heddle_take_with, heddle_take_along_axis_with, gather.h. */
#include "base/options.h"
#include "families/gather/gather.h"
#include "families/gather/lines.h"
#include "graph/axes.h"
#include "graph/cuts.h"
#include "graph/make.h"

#include "kernels.h"

#include <heddle/create.h>
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

/* A uint64 beyond int64 must not become a negative index. */
heddle_array *heddle__as_indices(heddle_array *indices)
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

/* The operation with n arrays of indices. The result goes to the scope or the caller. */
static heddle_array *gather(heddle_array *a, int n, heddle_array *const indices[],
                            const struct heddle_at_indices *params,
                            const struct heddle_shape *shape)
{
    const char *name = heddle__indexing_name((enum heddle_indexing)params->name);
    if (heddle__check_shape(name, shape->ndim, shape->extent) != HEDDLE_OK)
        return heddle__error_last();
    bool empty = false, same = true;
    for (int d = 0; d < shape->ndim; d++) empty |= shape->extent[d] == 0;
    if (empty)
        return heddle__hand_out(
            heddle__make_zeros((enum heddle_dtype)a->dtype, shape->ndim, shape->extent));
    for (int k = 0; k < n; k++)
        if (a->shape[params->axis[k]] == 0)
            return heddle__error_array(HEDDLE_EINDEX,
                                       "heddle_%s: shape %s has no index along axis %d", name,
                                       HEDDLE_SHAPE_OF(a), params->axis[k]);
    heddle_array *in[1 + HEDDLE_MAX_NDIM] = {a}, *r = NULL;
    int made = 0;
    while (made < n && (in[1 + made] = heddle__as_indices(indices[made]))) made++;
    for (int k = 1; k < made; k++) same &= in[1 + k]->dtype == in[1]->dtype;
    for (int k = 0; k < made && !same; k++) { /* of one dtype */
        in[1 + k] = heddle__recast(in[1 + k], HEDDLE_INT64);
        if (!in[1 + k]) n = -1;
    }
    if (made == n)
        r = heddle__make_operation(&heddle__gather_family, (enum heddle_dtype)a->dtype, shape->ndim,
                                   shape->extent, 1 + n, in, params, NULL);
    for (int k = 0; k < made; k++) heddle__release(in[1 + k]);
    return heddle__hand_out(r);
}

static struct heddle_at_indices params_of(enum heddle_indexing name)
{
    struct heddle_at_indices params = {.name = (int8_t)name};
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++) {
        params.from[d] = -1;
        for (int k = 0; k < HEDDLE_MAX_NDIM; k++) params.by[k][d] = -1;
    }
    return params;
}

/* What the graph tells of arrays of indices. */
struct told {
    bool is[HEDDLE_MAX_NDIM], all; /* whether array k is a line; whether each is */
    struct heddle_line line[HEDDLE_MAX_NDIM];
    int axis[HEDDLE_MAX_NDIM]; /* as heddle__line_axis */
};

/* Of array k along axes[k]. */
static void find_told(const heddle_array *a, int n, const int axes[], heddle_array *const indices[],
                      struct told *t)
{
    t->all = true;
    for (int k = 0; k < n; k++) {
        t->is[k] = heddle__find_indices(indices[k], a->shape[axes[k]], true, &t->line[k]);
        t->all = t->all && t->is[k];
        t->axis[k] =
            t->is[k] ? heddle__line_axis(&t->line[k], indices[k]->ndim, indices[k]->shape) : -1;
    }
}

/* The axis of array k along which it counts the indices of an axis of n, as arange(n) does; -1: it is no such array. */
static int counting_axis(const struct told *t, int k, const heddle_array *indices, int64_t n)
{
    const int axis = t->axis[k];
    if (axis < 0 || axis == HEDDLE_MAX_NDIM) return -1;
    return t->line[k].first == 0 && t->line[k].step[axis] == 1 && indices->shape[axis] == n ? axis
                                                                                            : -1;
}

/* ---- Runs of indices ---------------------------------------------------------------------------------- */

/* The run of index i of the axis. */
static const struct heddle_line *run_at(const struct heddle_runs *runs, int64_t i)
{
    int r = 0;
    while (runs->end[r] <= i) r++;
    return &runs->line[r];
}

/* What is read in a box of the result, whose axes those of the arrays end before `end`; `map` has the axes that no array indexes. */
static heddle_array *piece_of(heddle_array *a, int n, const int axes[],
                              heddle_array *const indices[], const struct heddle_runs runs[],
                              int end, struct heddle_map map, int ndim,
                              const struct heddle_box *box)
{
    int64_t extent[HEDDLE_MAX_NDIM];
    for (int d = 0; d < ndim; d++) extent[d] = box->hi[d] - box->lo[d];
    for (int k = 0; k < n; k++) {
        const int axis = runs[k].axis, d = axes[k],
                  to = axis < 0 ? -1 : end - indices[k]->ndim + axis;
        const int64_t from = axis < 0 ? 0 : box->lo[to];
        const struct heddle_line *const line = run_at(&runs[k], from);
        map.step[d] = axis < 0 ? 0 : line->step[axis];
        map.offset[d] = line->first + map.step[d] * from;
        map.axis[d] = (int8_t)to;
    }
    return heddle__make_view(a, &map, ndim, extent);
}

/* If all arrays of indices are runs, and none walks several axes: the elements as a view, to whose map the indexed axes are added, or put
 * together of views between the borders of runs, as neighbours in a period are; owned. NULL, and *found is false: they are not, or there would be
 * too many; else memory is gone. */
static heddle_array *views(heddle_array *a, int n, const int axes[], heddle_array *const indices[],
                           int end, const struct heddle_map *map, const struct heddle_shape *shape,
                           bool *found)
{
    struct heddle_runs runs[HEDDLE_MAX_NDIM];
    struct heddle_cuts cuts;
    heddle_array *in[HEDDLE_MOST_PIECES + 1] = {NULL}, *r = NULL; /* in[0]: no background */
    struct heddle_landing landings[HEDDLE_MOST_PIECES + 1] = {{{0}, {0}}};
    int made = 0;
    *found = false;
    heddle__cuts_begin(&cuts, shape->ndim, shape->extent);
    for (int k = 0; k < n; k++) {
        if (!heddle__find_runs(indices[k], a->shape[axes[k]], &runs[k])) return NULL;
        const int to = end - indices[k]->ndim + runs[k].axis;
        for (int run = 0; runs[k].axis >= 0 && run < runs[k].n; run++)
            if (!heddle__cut_at(&cuts, to, runs[k].end[run])) return NULL;
    }
    const int64_t n_pieces = heddle__n_pieces(&cuts);
    if (n_pieces > HEDDLE_MOST_PIECES) return NULL;
    *found = true;
    for (; made < n_pieces; made++) {
        const struct heddle_box box = heddle__piece(&cuts, made);
        for (int d = 0; d < shape->ndim; d++) {
            landings[made + 1].start[d] = box.lo[d];
            landings[made + 1].step[d] = 1;
        }
        in[made + 1] = piece_of(a, n, axes, indices, runs, end, *map, shape->ndim, &box);
        if (!in[made + 1]) goto fail;
    }
    r = n_pieces == 1 ? heddle__retain(in[1])
                      : heddle__make_assemble((enum heddle_dtype)a->dtype, shape->ndim,
                                              shape->extent, made + 1, in, landings);
fail:
    while (made > 0) heddle__release(in[made--]);
    return r;
}

/* Along `axes`, by arrays of indices that broadcast to `common`, whose axes stand at `at`. */
static heddle_array *gather_axes(enum heddle_indexing name, heddle_array *a, int n,
                                 const int axes[], heddle_array *const indices[],
                                 const struct heddle_shape *common, int at)
{
    struct heddle_at_indices params = params_of(name);
    struct heddle_shape shape = {.ndim = a->ndim - n + common->ndim};
    bool indexed[HEDDLE_MAX_NDIM] = {false};
    if (shape.ndim > HEDDLE_MAX_NDIM)
        return heddle__error_array(
            HEDDLE_ESHAPE, "heddle_%s: shapes %s and %s give %d axes", heddle__indexing_name(name),
            HEDDLE_SHAPE_OF(a), heddle__shape_text(common->ndim, common->extent).text, shape.ndim);
    for (int d = 0; d < common->ndim; d++) shape.extent[at + d] = common->extent[d];
    for (int k = 0; k < n; k++) indexed[axes[k]] = true;
    struct heddle_map map = {.n = (int8_t)a->ndim};
    for (int d = 0, to = 0; d < a->ndim; d++) {
        if (indexed[d]) continue;
        if (to == at) to += common->ndim;
        params.from[d] = map.axis[d] = (int8_t)to;
        map.step[d] = 1;
        shape.extent[to++] = a->shape[d];
    }
    bool empty = false, found = false;
    for (int d = 0; d < shape.ndim; d++) empty = empty || shape.extent[d] == 0;
    if (!empty &&
        heddle__check_shape(heddle__indexing_name(name), shape.ndim, shape.extent) == HEDDLE_OK) {
        heddle_array *const r = views(a, n, axes, indices, at + common->ndim, &map, &shape, &found);
        if (found) return r ? heddle__hand_out(r) : heddle__error_last();
    }
    struct told told;
    find_told(a, n, axes, indices, &told);
    heddle_array *left[HEDDLE_MAX_NDIM], *made[HEDDLE_MAX_NDIM], *r = NULL;
    int n_left = 0, n_walked = 0, n_made = 0;
    bool walks[HEDDLE_MAX_NDIM] = {false}; /* an axis of the result */
    for (int k = 0; k < n; k++) {
        const int shift = common->ndim - indices[k]->ndim;
        const int counts = counting_axis(&told, k, indices[k], a->shape[axes[k]]);
        const int walk = at + shift + counts;
        if (counts >= 0 && !walks[walk] && n_walked + 1 < n) { /* x[arange(n), t] walks along n */
            walks[walk] = true;
            n_walked++;
            params.from[axes[k]] = (int8_t)walk;
            continue;
        }
        params.axis[n_left] = (int8_t)axes[k];
        for (int d = 0; d < indices[k]->ndim; d++)
            if (indices[k]->shape[d] == common->extent[shift + d])
                params.by[n_left][d] = (int8_t)(at + shift + d);
        left[n_left] = indices[k];
        if (told.all) { /* without constants, whose values no plan knows */
            left[n_left] = made[n_made++] =
                heddle__make_line_of(&told.line[k], indices[k]->ndim, indices[k]->shape);
            if (!left[n_left]) goto fail;
        }
        n_left++;
    }
    r = gather(a, n_left, left, &params, &shape);
fail:
    while (n_made > 0) heddle__release(made[--n_made]);
    return r ? r : heddle__error_last();
}

heddle_array *heddle__gather_by(enum heddle_indexing name, heddle_array *a, int n, const int axes[],
                                heddle_array *const indices[], int at)
{
    struct heddle_shape common = {.ndim = 0};
    for (int k = 0; k < n; k++)
        if (!heddle__broadcast(&common, indices[k]->ndim, indices[k]->shape))
            return heddle__error_array(
                HEDDLE_ESHAPE, "heddle_%s: arrays of indices of shapes %s and %s do not broadcast",
                heddle__indexing_name(name), heddle__shape_text(common.ndim, common.extent).text,
                HEDDLE_SHAPE_OF(indices[k]));
    return gather_axes(name, a, n, axes, indices, &common, at);
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
    return heddle__gather_by(HEDDLE_GATHER_TAKE, a, 1, &axis, &indices, axis);
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
    struct heddle_at_indices params = params_of(HEDDLE_GATHER_ALONG);
    params.axis[0] = (int8_t)axis;
    for (int d = 0; d < a->ndim; d++) {
        if (d != axis && a->shape[d] == shape.extent[d]) params.from[d] = (int8_t)d;
        if (indices->shape[d] == shape.extent[d]) params.by[0][d] = (int8_t)d;
    }
    return gather(a, 1, &indices, &params, &shape);
}

heddle_array *heddle__take(heddle_array *a, heddle_array *indices, int axis)
{
    const struct heddle_take_options o = {.size = sizeof o, .axis = axis, .has_axis = true};
    return heddle_take_with(a, indices, &o);
}

heddle_array *heddle__take_along(heddle_array *a, heddle_array *indices, int axis)
{
    const struct heddle_take_options o = {.size = sizeof o, .axis = axis, .has_axis = true};
    return heddle_take_along_axis_with(a, indices, &o);
}
