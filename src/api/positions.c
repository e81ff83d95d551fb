/* What an index by arrays selects, as positions in C order of elements or of rows. Entry point: heddle__positions_of. */
#include "api/compose/compose.h"
#include "api/index.h"

#include "families/gather/gather.h"

#include <heddle/create.h>

/* How far rows along axis d of `a` are apart. */
static int64_t step_of(const heddle_array *a, const struct heddle__rows *p, int d)
{
    int64_t step = 1;
    for (int k = d + 1; k < p->n_axes; k++) step *= a->shape[k];
    return step;
}

/* Positions along axis d by an array of indices, whose last axis is axis `last` of what is selected. Where one is out of
 * range *bad is true, and *code what stands for it (families/scatter/kernel.h). */
static heddle_array *by_array(const heddle_array *a, const struct heddle__rows *p, int d, int last,
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
static struct heddle__rows find_row(const heddle_array *a, const struct heddle__items *s)
{
    struct heddle__rows p = {.n_axes = a->ndim, .row = 1};
    for (int i = s->n - 1; i >= 0 && heddle__is_all(&s->of[i]); i--) p.row *= a->shape[--p.n_axes];
    return p;
}

heddle_array *heddle__positions_of(const char *name, heddle_array *a, const struct heddle__items *s,
                                   struct heddle__rows *p)
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
