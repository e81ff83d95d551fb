/* Elements put in and taken out, and counted anew: joins of slices, of many elements by their indices. Entry points: heddle_resize,
 * heddle_delete_with, heddle_insert_with. */
#include "api/compose/compose.h"

#include "base/memory.h"
#include "families/gather/gather.h"

#include <heddle/assemble.h>

#include <stdlib.h>

heddle_array *heddle_resize(heddle_array *a, int ndim, const int64_t *shape)
{
    heddle_array *const bad = heddle__bad_operand("resize", 1, &a);
    if (bad) return bad;
    if (heddle__check_shape("resize", ndim, shape) != HEDDLE_OK) return heddle__error_last();
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    if (size == 0 || a->size == 0)
        return heddle__hand_out(heddle__make_zeros((enum heddle_dtype)a->dtype, ndim, shape));
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const int64_t times = (size - 1) / a->size + 1;
    heddle_array *r = heddle__flat(a);
    if (times > 1) r = heddle_tile(r, 1, &times);
    r = heddle_reshape(heddle__slice(r, 0, 0, size), ndim, shape);
    return heddle__scope_leave(&scope, r);
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* What is not at the positions, which are sorted and within the axis, by its indices. */
static heddle_array *take_the_rest(heddle_array *x, int axis, int n, const int64_t *at)
{
    const int64_t extent = x->shape[axis];
    int64_t *stays = heddle__alloc((size_t)(extent ? extent : 1) * sizeof *stays), n_stays = 0;
    if (!stays)
        return heddle__error_array(HEDDLE_ENOMEM, "heddle_delete: no memory for %lld indices",
                                   (long long)extent);
    for (int64_t i = 0, next = 0; i < extent; i++) {
        while (next < n && at[next] < i) next++;
        if (next == n || at[next] != i) stays[n_stays++] = i;
    }
    heddle_array *const indices = heddle_asarray(stays, HEDDLE_INT64, 1, &n_stays);
    heddle__free(stays);
    return heddle__take(x, indices, axis);
}

/* The same, by what is between few of them. */
static heddle_array *without(heddle_array *x, int axis, int n, const int64_t *at)
{
    enum { FEW = 16 }; /* slices: a join of more takes longer than to take elements */
    if (n > FEW) return take_the_rest(x, axis, n, at);
    heddle_array **parts = heddle__alloc((size_t)(n + 1) * sizeof *parts);
    if (!parts)
        return heddle__error_array(HEDDLE_ENOMEM, "heddle_delete: no memory for %d positions", n);
    int64_t from = 0;
    int n_parts = 0;
    for (int i = 0; i <= n; i++) {
        const int64_t to = i < n ? at[i] : x->shape[axis];
        if (to > from) parts[n_parts++] = heddle__slice(x, axis, from, to);
        if (i < n) from = to + 1;
    }
    heddle_array *r = n_parts ? heddle_concat(n_parts, parts, axis) : heddle__slice(x, axis, 0, 0);
    heddle__free(parts);
    return r;
}

heddle_array *heddle_delete_with(heddle_array *a, int n, const int64_t *positions,
                                 const struct heddle_along_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("delete", 1, &a);
    if (bad) return bad;
    if (n < 0 || n == INT32_MAX || (n > 0 && !positions))
        return heddle__error_array(HEDDLE_EARG, "heddle_delete: %d positions at %s", n,
                                   positions ? "an address" : "NULL");
    int axis = 0;
    bool given;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle__named_axis("delete", a, options, &axis, &given);
    if (heddle_status_of(x) != HEDDLE_OK) return heddle__scope_leave(&scope, x);
    int64_t *at = heddle__alloc((size_t)(n ? n : 1) * sizeof *at);
    if (!at) {
        x = heddle__error_array(HEDDLE_ENOMEM, "heddle_delete: no memory for %d positions", n);
        return heddle__scope_leave(&scope, x);
    }
    for (int i = 0; i < n; i++) {
        at[i] = positions[i] < 0 ? positions[i] + x->shape[axis] : positions[i];
        if (at[i] >= 0 && at[i] < x->shape[axis]) continue;
        x = heddle__error_array(HEDDLE_EINDEX,
                                "heddle_delete: position %lld is out of range for an axis of %lld",
                                (long long)positions[i], (long long)x->shape[axis]);
        heddle__free(at);
        return heddle__scope_leave(&scope, x);
    }

    /* build */
    if (n > 1) qsort(at, (size_t)n, sizeof *at, ascending);
    heddle_array *r = without(x, axis, n, at);
    heddle__free(at);
    return heddle__scope_leave(&scope, r);
}

/* The values as a piece of the axis, along which their first axis goes, when they have as many as `x`. */
static heddle_array *piece_of(heddle_array *values, const heddle_array *x, int axis)
{
    heddle_array *v = values;
    while (heddle_status_of(v) == HEDDLE_OK && v->ndim < x->ndim) v = heddle_expand_dims(v, 0);
    bool fits = v->ndim == x->ndim;
    if (fits && heddle_status_of(v) == HEDDLE_OK) v = heddle__move(v, 0, axis);
    if (heddle_status_of(v) != HEDDLE_OK) return v;
    for (int d = 0; fits && d < x->ndim; d++)
        fits = d == axis || v->shape[d] == x->shape[d] || v->shape[d] == 1;
    if (!fits)
        return heddle__error_array(
            HEDDLE_ESHAPE, "heddle_insert: values of shape %s do not fit into shape %s on axis %d",
            HEDDLE_SHAPE_OF(values), HEDDLE_SHAPE_OF(x), axis);
    const struct heddle_shape s = heddle__with_extent(x, axis, v->shape[axis]);
    return heddle_broadcast_to(v, s.ndim, s.extent);
}

heddle_array *heddle_insert_with(heddle_array *a, int64_t position, heddle_array *values,
                                 const struct heddle_along_options *options)
{
    /* check */
    heddle_array *const both[2] = {a, values};
    heddle_array *const bad = heddle__bad_operand("insert", 2, both);
    if (bad) return bad;
    if (heddle__check_value("insert", values, (enum heddle_dtype)a->dtype) != HEDDLE_OK)
        return heddle__error_last();
    int axis = 0;
    bool given;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle__named_axis("insert", a, options, &axis, &given);
    if (heddle_status_of(x) != HEDDLE_OK) return heddle__scope_leave(&scope, x);
    const int64_t n = x->shape[axis], at = position < 0 ? position + n : position;
    if (at < 0 || at > n) {
        x = heddle__error_array(HEDDLE_EINDEX,
                                "heddle_insert: position %lld is out of range for an axis of %lld",
                                (long long)position, (long long)n);
        return heddle__scope_leave(&scope, x);
    }

    /* build */
    heddle_array *piece = piece_of(heddle_astype(values, (enum heddle_dtype)a->dtype), x, axis);
    if (heddle_status_of(piece) != HEDDLE_OK) return heddle__scope_leave(&scope, piece);
    heddle_array *const parts[3] = {heddle__slice(x, axis, 0, at), piece,
                                    heddle__slice(x, axis, at, n)};
    return heddle__scope_leave(&scope, heddle_concat(3, parts, axis));
}
