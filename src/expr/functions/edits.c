/* Elements put in and taken out: insert, delete, trim_zeros. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>
#include <heddle/mask.h>

enum { MOST = 1000 }; /* positions */

/* Where: integers, a slice, or a mask, as positions along `n` elements. */
static bool to_positions(struct run *run, const struct value *v, int64_t n, int64_t *positions,
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
    return heddle__expr_to_ints(run, &where, "the positions", MOST, positions, count);
}

/* How many elements the axis has, or all. */
static int64_t extent_of(const heddle_array *a, const struct heddle_along_options *o)
{
    const int ndim = heddle_ndim(a), axis = o->axis < 0 ? o->axis + ndim : o->axis;
    if (!o->has_axis) return heddle_size(a);
    return axis >= 0 && axis < ndim ? heddle_shape(a)[axis] : 0;
}

/* Item i of values that are one for each of n positions along the axis, which is the first one then; one value is for
 * all. */
static heddle_array *value_of(heddle_array *values, int64_t i, int64_t n, int axis)
{
    const int first = 0;
    const struct heddle_index one = (struct heddle_index)HEDDLE_SLICE(i, i + 1);
    if (axis < 0 || axis >= heddle_ndim(values)) return values;
    values = heddle_moveaxis(values, 1, &axis, &first);
    return heddle_status_of(values) == HEDDLE_OK && heddle_shape(values)[0] == n
               ? heddle_getitem(values, 1, &one)
               : values;
}

/* At several positions, which are those of the array before: from the last one to the first, of equal ones too. */
CALL(call_insert)
{
    (void)f;
    heddle_array *a, *values;
    int64_t positions[MOST];
    int n = 0, order[MOST];
    struct heddle_along_options o;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array_of(run, &args[2], heddle_dtype_of(a), &values) ||
        !heddle__expr_to_along(run, &args[3], &o))
        return false;
    const int64_t extent = extent_of(a, &o);
    if (!to_positions(run, &args[1], extent, positions, &n)) return false;
    if (n == 1 && args[1].kind != VALUE_LIST)
        return heddle__expr_from_array(run, heddle_insert_with(a, positions[0], values, &o), at,
                                       out);
    for (int i = 0; i < n; i++) {
        if (positions[i] < 0) positions[i] += extent;
        int k = i; /* sorted by position, stable */
        for (; k > 0 && positions[order[k - 1]] > positions[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    const int ndim = heddle_ndim(a);
    const int axis = o.has_axis ? (o.axis < 0 ? o.axis + ndim : o.axis) : 0;
    while (o.has_axis && heddle_ndim(values) > 0 && heddle_ndim(values) < ndim &&
           heddle_status_of(values) == HEDDLE_OK)
        values = heddle_expand_dims(values, 0);
    for (int k = n - 1; k >= 0; k--)
        a = heddle_insert_with(a, positions[order[k]], value_of(values, order[k], n, axis), &o);
    return heddle__expr_from_array(run, a, at, out);
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
    int64_t positions[MOST];
    int n = 0;
    struct heddle_along_options o;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_along(run, &args[2], &o))
        return false;
    if (is_mask(&args[1])) return delete_by_mask(run, a, &args[1], &o, at, out);
    return to_positions(run, &args[1], extent_of(a, &o), positions, &n) &&
           heddle__expr_from_array(run, heddle_delete_with(a, n, positions, &o), at, out);
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
