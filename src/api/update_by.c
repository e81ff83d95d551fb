/* Writing by arrays: what is selected becomes positions in C order, of elements or of rows, and an operation writes
 * there. A mask alone whose value does not depend on what it selects is a choice, and is not evaluated.
 * Entry points: heddle__update_by, heddle_add_at, heddle_put_along_axis_with. */
#include "api/compose/compose.h"
#include "api/index.h"

#include "base/options.h"
#include "families/compact/compact.h"
#include "families/gather/gather.h"

#include <heddle/create.h>
#include <heddle/scatter.h>

/* ---- Positions --------------------------------------------------------------------------------------- */

/* What is selected, but for the last axes of the array if they are whole: those are a row. */
struct place {
    struct heddle_shape selected; /* with the axes of a row */
    int n_lead, n_axes;           /* of `selected` and of the array, without them */
    int64_t row;
};

/* How far rows along axis d of `a` are apart. */
static int64_t step_of(const heddle_array *a, const struct place *p, int d)
{
    int64_t step = 1;
    for (int k = d + 1; k < p->n_axes; k++) step *= a->shape[k];
    return step;
}

/* Positions along axis d by an array of indices, whose last axis is axis `last` of what is selected. Where one is out of
 * range *bad is true, and *code what stands for it (families/scatter/kernel.h). */
static heddle_array *by_array(const heddle_array *a, const struct place *p, int d, int last,
                              heddle_array *indices, heddle_array **bad, heddle_array **code)
{
    struct heddle_shape shape = {.ndim = p->n_lead - 1 - last + indices->ndim};
    for (int k = 0; k < shape.ndim; k++)
        shape.extent[k] = k < indices->ndim ? indices->shape[k] : 1;
    heddle_array *k = heddle_astype(heddle__hand_out(heddle__as_indices(indices)), HEDDLE_INT64);
    k = heddle_reshape(k, shape.ndim, shape.extent);
    heddle_array *const n = heddle_scalar_int(a->shape[d]);
    heddle_array *const negative = heddle_less(k, heddle_scalar_int(0));
    *bad = heddle_logical_or(heddle_less(k, heddle_scalar_int(-a->shape[d])),
                             heddle_greater_equal(k, n));
    *code = heddle_add(heddle_clip(k, heddle_scalar_int(-HEDDLE_SCATTER_FAR),
                                   heddle_scalar_int(HEDDLE_SCATTER_FAR)),
                       heddle_scalar_int(HEDDLE_SCATTER_BAD(d)));
    return heddle_multiply(heddle_where(negative, heddle_add(k, n), k),
                           heddle_scalar_int(step_of(a, p, d)));
}

/* The array's axes at the end that are taken whole. */
static struct place find_row(const heddle_array *a, const struct heddle__items *s)
{
    struct place p = {.n_axes = a->ndim, .row = 1};
    for (int i = s->n - 1; i >= 0 && heddle__is_all(&s->of[i]); i--) p.row *= a->shape[--p.n_axes];
    return p;
}

/* The positions of the rows that are selected, as an array of the first p->n_lead axes of p->selected. */
static heddle_array *positions_of(const char *name, heddle_array *a, const struct heddle__items *s,
                                  struct place *p)
{
    /* the axes of the arrays together, and of all that is selected */
    struct heddle__selection basic;
    struct heddle_index index[HEDDLE_MAX_ITEMS];
    struct heddle_shape common = {.ndim = 0};
    for (int i = 0; i < s->n; i++) {
        index[i] = s->of[i];
        if (s->of[i].by && !heddle__broadcast(&common, s->of[i].by->ndim, s->of[i].by->shape))
            return heddle__error_array(
                HEDDLE_ESHAPE, "heddle_%s: arrays of indices of shapes %s and %s do not broadcast",
                name, heddle__shape_text(common.ndim, common.extent).text,
                HEDDLE_SHAPE_OF(s->of[i].by));
        if (index[i].kind == HEDDLE_INDEX_ARRAY) index[i] = (struct heddle_index)HEDDLE_ALL;
    }
    if (heddle__select(name, a, s->n, index, &basic) != HEDDLE_OK) return heddle__error_last();
    *p = find_row(a, s);
    const int at = s->apart ? 0 : s->in_front;
    int n_slices = 0, of_result[HEDDLE_MAX_ITEMS]; /* the axis of what is selected, of each slice */
    for (int i = 0; i < s->n; i++) {
        if (s->of[i].by || s->of[i].kind == HEDDLE_INDEX_INT) continue;
        of_result[i] = n_slices < at ? n_slices : n_slices + common.ndim;
        n_slices++;
    }
    const int to = n_slices + common.ndim;
    if (to > HEDDLE_MAX_NDIM)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: more than %d axes are selected", name,
                                   HEDDLE_MAX_NDIM);
    for (int d = 0; d < common.ndim; d++) p->selected.extent[at + d] = common.extent[d];
    p->selected.ndim = to;
    p->n_lead = to - (a->ndim - p->n_axes);

    /* the sum of the positions along each axis */
    heddle_array *sum = heddle_scalar_int(0), *bad[HEDDLE_MAX_NDIM], *code[HEDDLE_MAX_NDIM];
    int n_bad = 0;
    for (int i = 0, d = 0, axis = 0; i < s->n; i++) {
        const struct heddle_index *x = &s->of[i];
        const bool is_new = x->kind == HEDDLE_INDEX_NEWAXIS;
        if (x->kind == HEDDLE_INDEX_INT) {
            sum = heddle_add(sum, heddle_scalar_int(basic.start[d] * step_of(a, p, d)));
        } else if (x->by && !is_new) {
            if (a->shape[d] > 0) {
                heddle_array *const along =
                    by_array(a, p, d, at + common.ndim - 1, x->by, &bad[n_bad], &code[n_bad]);
                n_bad++;
                sum = heddle_add(sum, along);
            }
        } else if (!x->by) {
            const int64_t extent = basic.shape.extent[axis];
            p->selected.extent[of_result[i]] = extent;
            if (!is_new && d < p->n_axes && extent > 0) {
                heddle_array *k = heddle__index_along(extent, of_result[i], p->n_lead);
                k = heddle_multiply(k, heddle_scalar_int(basic.step[d] * step_of(a, p, d)));
                sum = heddle_add(
                    sum, heddle_add(k, heddle_scalar_int(basic.start[d] * step_of(a, p, d))));
            }
        }
        axis += x->kind != HEDDLE_INDEX_INT;
        d += !is_new;
    }
    while (n_bad-- > 0) sum = heddle_where(bad[n_bad], code[n_bad], sum);
    for (int d = 0; d < p->selected.ndim; d++)
        if (p->selected.extent[d] == 0) return sum; /* nothing is selected */
    for (int d = 0; d < a->ndim; d++)
        if (a->shape[d] == 0)
            return heddle__error_array(HEDDLE_EINDEX, "heddle_%s: shape %s has no index", name,
                                       HEDDLE_SHAPE_OF(a));
    return heddle_broadcast_to(sum, p->n_lead, p->selected.extent);
}

/* ---- Updates ----------------------------------------------------------------------------------------- */

static heddle_array *update(enum heddle_indexing function, heddle_array *a, heddle_array *positions,
                            const struct place *p, heddle_array *value)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    heddle_array *v = heddle__fitted(heddle__indexing_name(function), value, dtype, &p->selected);
    if (!v) return heddle__error_last();
    v = heddle__hand_out(v);
    for (int d = 0; d < p->selected.ndim; d++)
        if (p->selected.extent[d] == 0) return heddle__hand_out(heddle__make_cast(a, dtype));
    v = heddle_broadcast_to(v, p->selected.ndim, p->selected.extent);
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

static heddle_array *update_mask(enum heddle_indexing function, heddle_array *a, heddle_array *mask,
                                 heddle_array *value)
{
    struct heddle_shape row;
    const bool choice = is_choice(a, mask, value, &row);
    if (choice) {
        heddle_array *v = heddle__fitted(heddle__indexing_name(function), value,
                                         (enum heddle_dtype)a->dtype, &row);
        if (!v) return heddle__error_last();
        v = heddle__hand_out(v);
        if (function == HEDDLE_SCATTER_ADD) v = heddle_add(a, v);
        struct heddle_shape shape = {.ndim = a->ndim};
        for (int d = 0; d < a->ndim; d++) shape.extent[d] = d < mask->ndim ? mask->shape[d] : 1;
        return heddle_where(heddle_reshape(mask, shape.ndim, shape.extent), v, a);
    }
    heddle_array *const positions = heddle__compact(heddle__indexing_name(function), mask, NULL);
    if (heddle_status_of(positions) != HEDDLE_OK) return positions;
    struct place p = {.n_lead = 1, .row = 1, .selected = {1 + row.ndim, {positions->shape[0]}}};
    for (int d = 0; d < row.ndim; d++) p.row *= p.selected.extent[1 + d] = row.extent[d];
    return update(function, a, positions, &p, value);
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
    struct place p;
    if (heddle__is_mask_alone(n, index)) {
        r = heddle__check_mask_alone(heddle__indexing_name(function), a, n, index) == HEDDLE_OK
                ? update_mask(function, a, index->by, value)
                : heddle__error_last();
    } else if (heddle__itemise(heddle__indexing_name(function), a, n, index, &s) == HEDDLE_OK) {
        heddle_array *const positions = positions_of(heddle__indexing_name(function), a, &s, &p);
        r = heddle_status_of(positions) == HEDDLE_OK ? update(function, a, positions, &p, value)
                                                     : positions;
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
