/* Writing by arrays: an operation writes to the positions that are selected (positions.c). A mask alone whose value does
 * not depend on what it selects is a choice, and is not evaluated; one whose value is computed of what it selects is a choice, too.
 * Entry points: heddle__update_by, heddle_add_at, heddle_put_along_axis_with. */
#include "api/compose/compose.h"
#include "api/index.h"

#include "base/options.h"
#include "families/compact/compact.h"
#include "families/gather/lines.h"

#include <heddle/scatter.h>
#include <math.h>

/* Whether all updates have the value, which is one element or one row: the operation reads it as often as it needs. */
static bool is_shared(const heddle_array *v, const struct heddle__rows *p)
{
    const int n = p->selected.ndim - p->n_lead; /* axes of a row */
    if (heddle_status_of(v) != HEDDLE_OK) return false;
    if (v->size == 1) return true;
    bool same = v->ndim >= n && v->size == p->row;
    for (int d = 1; d <= n && same; d++)
        same = v->shape[v->ndim - d] == p->selected.extent[p->selected.ndim - d];
    return same;
}

static heddle_array *update(enum heddle_indexing function, heddle_array *a, heddle_array *positions,
                            const struct heddle__rows *p, heddle_array *value)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    heddle_array *v = heddle__fitted(heddle__indexing_name(function), value, dtype, &p->selected);
    if (!v) return heddle__error_last();
    v = heddle__hand_out(v);
    for (int d = 0; d < p->selected.ndim; d++)
        if (p->selected.extent[d] == 0) return heddle__hand_out(heddle__make_cast(a, dtype));
    if (!is_shared(v, p)) v = heddle_broadcast_to(v, p->selected.ndim, p->selected.extent);
    positions = heddle_astype(positions, HEDDLE_INT64);
    if (heddle_status_of(v) != HEDDLE_OK) return v;
    if (heddle_status_of(positions) != HEDDLE_OK) return positions;
    return heddle__scatter(function, a, positions, v, p->row);
}

/* The shape of a row behind a mask, and whether the value has it whatever the mask selects. */
static bool is_choice(const heddle_array *a, const heddle_array *mask, const heddle_array *value,
                      struct heddle_shape *row)
{
    *row = (struct heddle_shape){.ndim = a->ndim - mask->ndim};
    for (int d = 0; d < row->ndim; d++) row->extent[d] = a->shape[mask->ndim + d];
    int64_t outer = 1; /* of what is in front of a row */
    for (int d = 0; d < value->ndim - row->ndim; d++) outer *= value->shape[d];
    return outer == 1;
}

/* A choice for each element: the value, or what is added to it, where the mask is true. */
static heddle_array *choose(enum heddle_indexing function, heddle_array *a, heddle_array *mask,
                            heddle_array *v)
{
    if (function == HEDDLE_SCATTER_ADD) v = heddle_add(a, v);
    struct heddle_shape shape = {.ndim = a->ndim};
    for (int d = 0; d < a->ndim; d++) shape.extent[d] = d < mask->ndim ? mask->shape[d] : 1;
    return heddle_where(heddle_reshape(mask, shape.ndim, shape.extent), v, a);
}

/* A value that is computed of what the mask selects, as one of all elements, owned: these lie where they are written. To select and
 * to write take some passes over all data; so it may compute more, but for very few elements, which can be written in place. NULL: it is
 * another value, or not worth it. */
static heddle_array *value_before(heddle_array *a, heddle_array *mask, heddle_array *value,
                                  const struct heddle_shape *row)
{
    enum { FEW = 64, MORE_FLOPS = 24 };
    if (value->ndim != 1 + row->ndim || value->shape[0] < mask->size / FEW) return NULL;
    for (int d = 0; d < row->ndim; d++)
        if (value->shape[1 + d] != row->extent[d] && value->shape[1 + d] != 1) return NULL;
    const double share = (double)value->shape[0] / (double)mask->size;
    heddle_array *const v =
        heddle__before_compact(value, mask, MORE_FLOPS / (1 - fmin(share, 0.99)));
    return heddle__recast(v, (enum heddle_dtype)a->dtype);
}

static heddle_array *update_mask(enum heddle_indexing function, heddle_array *a, heddle_array *mask,
                                 heddle_array *value)
{
    struct heddle_shape row;
    const bool choice = is_choice(a, mask, value, &row);
    if (choice) {
        heddle_array *v = heddle__fitted(heddle__indexing_name(function), value,
                                         (enum heddle_dtype)a->dtype, &row);
        if (!v) return heddle__error_last();
        return choose(function, a, mask, heddle__hand_out(v));
    }
    heddle_array *const whole = value_before(a, mask, value, &row);
    if (whole) return choose(function, a, mask, heddle__hand_out(whole));
    heddle_array *const positions = heddle__compact(heddle__indexing_name(function), mask, NULL);
    if (heddle_status_of(positions) != HEDDLE_OK) return positions;
    struct heddle__rows p = {
        .n_lead = 1, .row = 1, .selected = {1 + row.ndim, {positions->shape[0]}}};
    for (int d = 0; d < row.ndim; d++) p.row *= p.selected.extent[1 + d] = row.extent[d];
    return update(function, a, positions, &p, value);
}

/* Whether the items are slices beside one array of one axis that the graph tells, each index once; then a slice takes its place. */
static bool are_slices(const heddle_array *a, struct heddle__items *s)
{
    int axis = 0;
    struct heddle_index *which = NULL;
    for (int i = 0; i < s->n; i++) {
        const enum heddle_index_kind kind = s->of[i].kind;
        if (kind == HEDDLE_INDEX_INT || (kind == HEDDLE_INDEX_ARRAY && which)) return false;
        if (kind == HEDDLE_INDEX_ARRAY) which = &s->of[i];
        axis += !which && kind == HEDDLE_INDEX_SLICE;
    }
    struct heddle_line line;
    heddle_array *const by = which ? which->by : NULL;
    if (!by || by->ndim != 1 || !heddle__find_indices(by, a->shape[axis], true, &line) ||
        heddle__line_axis(&line, 1, by->shape) != 0)
        return false;
    const int64_t end = line.first + line.step[0] * by->shape[0];
    *which = (struct heddle_index){.kind = HEDDLE_INDEX_SLICE,
                                   .has_start = true,
                                   .has_stop = end >= 0,
                                   .start = line.first,
                                   .stop = end,
                                   .step = line.step[0]};
    return true;
}

heddle_array *heddle__update_by(enum heddle_indexing function, heddle_array *a, int n,
                                const struct heddle_index *index, heddle_array *value)
{
    heddle_array *const bad = heddle__bad_index(heddle__indexing_name(function), n, index);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r;
    struct heddle__items s;
    struct heddle__rows p;
    if (heddle__is_mask_alone(n, index)) {
        r = heddle__check_mask_alone(heddle__indexing_name(function), a, n, index) == HEDDLE_OK
                ? update_mask(function, a, index->by, value)
                : heddle__error_last();
    } else if (heddle__itemise(heddle__indexing_name(function), a, n, index, &s) == HEDDLE_OK) {
        if (function != HEDDLE_SCATTER_PUT && are_slices(a, &s)) {
            r = function == HEDDLE_SCATTER_SET ? heddle_set_item(a, s.n, s.of, value)
                                               : heddle_add_at(a, s.n, s.of, value);
        } else {
            heddle_array *const positions =
                heddle__positions_of(heddle__indexing_name(function), a, &s, &p);
            r = heddle_status_of(positions) == HEDDLE_OK ? update(function, a, positions, &p, value)
                                                         : positions;
        }
    } else {
        r = heddle__error_last();
    }
    return heddle__scope_leave(&scope, r);
}

heddle_array *heddle_add_at(heddle_array *a, int n, const struct heddle_index *index,
                            heddle_array *value)
{
    heddle_array *const bad = heddle__bad_update("add_at", a, value);
    if (bad) return bad;
    if (heddle__kind_rank((enum heddle_dtype)value->dtype) >
        heddle__kind_rank((enum heddle_dtype)a->dtype))
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_add_at: %s cannot be added to %s",
                                   heddle_dtype_name((enum heddle_dtype)value->dtype),
                                   heddle_dtype_name((enum heddle_dtype)a->dtype));
    if (heddle__has_array(n, index))
        return heddle__update_by(HEDDLE_SCATTER_ADD, a, n, index, value);
    struct heddle__selection s;
    if (heddle__select("add_at", a, n, index, &s) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *v = heddle__fitted("add_at", value, (enum heddle_dtype)a->dtype, &s.shape);
    heddle_array *r =
        v ? heddle_set_item(a, n, index,
                            heddle_add(heddle_getitem(a, n, index), heddle__hand_out(v)))
          : heddle__error_last();
    return heddle__scope_leave(&scope, r);
}

heddle_array *heddle_put_along_axis_with(heddle_array *a, heddle_array *indices,
                                         heddle_array *values,
                                         const struct heddle_take_options *options)
{
    heddle_array *const x[3] = {a, indices, values};
    heddle_array *const bad = heddle__bad_operand("put_along_axis", 3, x);
    if (bad) return bad;
    struct heddle_take_options o;
    int axis;
    if (heddle__options("put_along_axis", options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axis_option("put_along_axis", o.has_axis, o.axis, -1, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    heddle_array *const no = heddle__bad_update("put_along_axis", a, values);
    if (no) return no;
    const char kind = heddle_dtype_kind((enum heddle_dtype)indices->dtype);
    if (kind != 'I' && kind != 'U')
        return heddle__error_array(HEDDLE_EDTYPE,
                                   "heddle_put_along_axis: indices of dtype %s; they are integers",
                                   heddle_dtype_name((enum heddle_dtype)indices->dtype));
    if (indices->ndim != a->ndim)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_put_along_axis: indices of shape %s for shape %s",
                                   HEDDLE_SHAPE_OF(indices), HEDDLE_SHAPE_OF(a));
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    struct heddle_index index[HEDDLE_MAX_NDIM];
    for (int d = 0; d < a->ndim; d++)
        index[d] = (struct heddle_index)HEDDLE_BY(
            d == axis ? indices : heddle__index_along(a->shape[d], d, a->ndim));
    return heddle__scope_leave(&scope,
                               heddle__update_by(HEDDLE_SCATTER_PUT, a, a->ndim, index, values));
}
