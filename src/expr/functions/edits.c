/* Elements put in and taken out: insert, delete, trim_zeros. */
#include "base/memory.h"
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>
#include <heddle/mask.h>

#include <stdlib.h>

/* Where: integers, a slice, or a mask, as positions along `n` elements, to be freed with heddle__free. */
static bool to_positions(struct run *run, const struct value *v, int64_t n, int64_t **positions,
                         int *count)
{
    struct value where = *v;
    if (v->kind == VALUE_SLICE) {
        const struct subscript s = {true, v->items[0], v->items[1], v->items[2]};
        struct value all;
        heddle_array *const numbers = heddle_arange(heddle_scalar_int(n), NULL, NULL);
        if (!heddle__expr_from_array(run, numbers, v->at, &all) ||
            !heddle__expr_getitem(run, &all, v->at, &s, 1, &where))
            return false;
    } else if (heddle__expr_is_list(v) && v->n > 0 &&
               !heddle__expr_to_array(run, v, true, &where.array)) {
        return false;
    } else if (heddle__expr_is_list(v) && v->n > 0) {
        where.kind = VALUE_ARRAY;
    }
    if (where.kind == VALUE_ARRAY && heddle_dtype_of(where.array) == HEDDLE_BOOL &&
        heddle_ndim(where.array) > 0 &&
        !heddle__expr_from_array(run, heddle_flatnonzero(where.array), v->at, &where))
        return false;
    int64_t found;
    if (!heddle__expr_to_many_ints(run, &where, "the positions", positions, &found)) return false;
    *count = (int)found;
    if (found < INT32_MAX) return true;
    heddle__free(*positions);
    return heddle__expr_fail(run, HEDDLE_ERANGE, v->at, "%lld positions", (long long)found);
}

/* How many elements the axis has, or all. */
static int64_t extent_of(const heddle_array *a, const struct heddle_along_options *o)
{
    const int ndim = heddle_ndim(a), axis = o->axis < 0 ? o->axis + ndim : o->axis;
    if (!o->has_axis) return heddle_size(a);
    return axis >= 0 && axis < ndim ? heddle_shape(a)[axis] : 0;
}

struct position {
    int64_t at, number;
};

static int by_position(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->number < y->number ? -1 : 1;
}

/* Where what the result has along the axis is among the elements and, after these, the values: those of a position before the element
 * there, in the order in which they are given. NULL: no memory. */
static heddle_array *merged(int64_t extent, int n, const int64_t *positions)
{
    const int64_t size = extent + n;
    struct position *p = heddle__alloc((size_t)(n + 1) * sizeof *p);
    int64_t *order = heddle__alloc((size_t)(size + 1) * sizeof *order), to = 0;
    heddle_array *r = NULL;
    if (p && order) {
        for (int i = 0; i < n; i++)
            p[i] = (struct position){positions[i] < 0 ? positions[i] + extent : positions[i], i};
        qsort(p, (size_t)n, sizeof *p, by_position);
        for (int64_t i = 0, next = 0; i <= extent; i++) {
            for (; next < n && p[next].at == i; next++) order[to++] = extent + p[next].number;
            if (i < extent) order[to++] = i;
        }
        r = heddle_asarray(order, HEDDLE_INT64, 1, &size);
    }
    heddle__free(p);
    heddle__free(order);
    return r;
}

/* Several values at positions of the array before. `values`: one for each along the axis, or one for all. NULL: no memory. */
static heddle_array *insert_several(heddle_array *a, int64_t extent, int n,
                                    const int64_t *positions, heddle_array *values,
                                    const struct heddle_along_options *o)
{
    for (int i = 0; i < n; i++) /* says what is out of range */
        if (positions[i] < -extent || positions[i] > extent)
            return heddle_insert_with(a, positions[i], values, o);
    const int64_t all = heddle_size(a);
    heddle_array *const x = o->has_axis ? a : heddle_reshape(a, 1, &all);
    const int ndim = heddle_ndim(x), axis = o->axis < 0 ? o->axis + ndim : o->axis;
    if (o->has_axis && (axis < 0 || axis >= ndim)) return heddle_insert_with(a, 0, values, o);
    int64_t shape[HEDDLE_MAX_NDIM];
    for (int d = 0; d < ndim; d++) shape[d] = d == axis ? n : heddle_shape(x)[d];
    while (heddle_status_of(values) == HEDDLE_OK && heddle_ndim(values) < ndim)
        values = heddle_expand_dims(values, 0);
    heddle_array *const parts[2] = {x, heddle_broadcast_to(values, ndim, shape)};
    heddle_array *const order = merged(extent, n, positions);
    return order ? heddle_take(heddle_concat(2, parts, axis), order, .axis = axis) : NULL;
}

/* At several positions, which are those of the array before. */
CALL(call_insert)
{
    (void)f;
    heddle_array *a, *values;
    int64_t *positions;
    int n = 0;
    struct heddle_along_options o;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array_of(run, &args[2], heddle_dtype_of(a), &values) ||
        !heddle__expr_to_along(run, &args[3], &o))
        return false;
    const int64_t extent = extent_of(a, &o);
    if (!to_positions(run, &args[1], extent, &positions, &n)) return false;
    const bool one = n == 1 && args[1].kind != VALUE_LIST;
    heddle_array *const r = one ? heddle_insert_with(a, positions[0], values, &o)
                                : insert_several(a, extent, n, positions, values, &o);
    heddle__free(positions);
    return r ? heddle__expr_from_array(run, r, at, out) : heddle__expr_no_memory(run);
}

/* Whether it is an array or a list of bool: a mask of what goes. */
static bool is_mask(const struct value *v)
{
    if (v->kind == VALUE_ARRAY) return heddle_dtype_of(v->array) == HEDDLE_BOOL;
    bool is = v->kind == VALUE_BOOL || (heddle__expr_is_list(v) && v->n > 0);
    for (int64_t i = 0; heddle__expr_is_list(v) && i < v->n; i++)
        is = is && v->items[i].kind == VALUE_BOOL;
    return is;
}

/* What stays is what the mask does not have. */
static bool delete_by_mask(struct run *run, heddle_array *a, const struct value *given,
                           const struct heddle_along_options *along, size_t at, struct value *out)
{
    heddle_array *mask;
    const struct heddle_compress_options o = {
        .size = sizeof o, .axis = along->axis, .has_axis = along->has_axis};
    if (!heddle__expr_to_array(run, given, true, &mask)) return false;
    const int axis = along->axis < 0 ? along->axis + heddle_ndim(a) : along->axis;
    const bool is_axis = axis >= 0 && axis < heddle_ndim(a); /* else heddle_compress says so */
    const int64_t n = !along->has_axis ? heddle_size(a) : is_axis ? heddle_shape(a)[axis] : 0;
    if (heddle_ndim(mask) != 1 || ((!along->has_axis || is_axis) && heddle_size(mask) != n))
        return heddle__expr_fail(run, HEDDLE_ESHAPE, given->at,
                                 "a mask has one axis of %lld elements here", (long long)n);
    return heddle__expr_from_array(run, heddle_compress_with(heddle_logical_not(mask), a, &o), at,
                                   out);
}

CALL(call_delete)
{
    (void)f;
    heddle_array *a;
    int64_t *positions;
    int n = 0;
    struct heddle_along_options o;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_along(run, &args[2], &o))
        return false;
    if (is_mask(&args[1])) return delete_by_mask(run, a, &args[1], &o, at, out);
    if (!to_positions(run, &args[1], extent_of(a, &o), &positions, &n)) return false;
    heddle_array *const r = heddle_delete_with(a, n, positions, &o);
    heddle__free(positions);
    return heddle__expr_from_array(run, r, at, out);
}

/* A vector from the first element that is not 0 to the last, which are evaluated. */
CALL(call_trim_zeros)
{
    (void)f;
    heddle_array *a;
    struct value places, whole, first, last;
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    const struct value *trim = &args[1];
    const bool none = trim->kind == VALUE_ABSENT;
    const bool front = none || heddle__expr_is_text(trim, "fb") ||
                       heddle__expr_is_text(trim, "bf") || heddle__expr_is_text(trim, "f");
    const bool back = none || heddle__expr_is_text(trim, "fb") ||
                      heddle__expr_is_text(trim, "bf") || heddle__expr_is_text(trim, "b");
    if (!front && !back)
        return heddle__expr_fail(run, HEDDLE_EARG, trim->at, "trim is 'fb', 'f' or 'b'");
    if (heddle_ndim(a) != 1)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "it takes a vector");
    if (!heddle__expr_from_array(run, a, at, &whole) ||
        !heddle__expr_from_array(run, heddle_flatnonzero(a), at, &places))
        return false;
    const int64_t found = heddle_size(places.array);
    const struct value none_value = {.kind = VALUE_NONE, .at = at};
    struct subscript s = {true, none_value, none_value, none_value};
    heddle__expr_from_int(&s.value, at, 0);
    heddle__expr_from_int(&s.stop, at, found ? heddle_size(a) : 0);
    if (found) {
        const struct subscript at_first = {.value = {.kind = VALUE_INT}};
        const struct subscript at_last = {.value = {.kind = VALUE_INT, .integer = -1}};
        if (!heddle__expr_getitem(run, &places, at, &at_first, 1, &first) ||
            !heddle__expr_getitem(run, &places, at, &at_last, 1, &last) ||
            !heddle__expr_item(run, first.array, at, &first) ||
            !heddle__expr_item(run, last.array, at, &last))
            return false;
        if (front) s.value.integer = first.integer;
        if (back) s.stop.integer = last.integer + 1;
    }
    const bool list = heddle__expr_is_list(&args[0]);
    return heddle__expr_getitem(run, &whole, at, &s, 1, out) &&
           (!list || heddle__expr_to_list(run, out->array, at, out));
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(insert, "arr/a obj values axis=", call_insert),
    PLAIN(delete, "arr/a obj axis=", call_delete),
    PLAIN(trim_zeros, "filt trim=", call_trim_zeros),
};

TABLE(edits);
