/* Calls that change an array in NumPy: np.put(a, i, v), np.add.at(a, i, v), a.sort(). Each makes the new value of its
 * first argument, which the parser gives to the place that the text names (places.c). */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>
#include <heddle/mask.h>
#include <heddle/scatter.h>

/* Whether the first argument is an array. */
static bool is_array(struct run *run, const struct function *f, const struct value *v)
{
    return v->kind == VALUE_ARRAY ||
           heddle__expr_fail(run, HEDDLE_EARG, v->at, "%s() changes an array, not %s", f->name,
                             heddle__expr_value_name(v));
}

static heddle_array *in_shape_of(heddle_array *flat, heddle_array *a)
{
    return heddle_reshape(flat, heddle_ndim(a), heddle_shape(a));
}

/* An assignment to flat elements by one index, whose values repeat. */
static heddle_array *put_flat(heddle_array *a, struct heddle_index index, int64_t n,
                              heddle_array *values)
{
    heddle_array *flat = heddle__expr_flat(a);
    if (heddle_ndim(values) > 0) values = heddle_resize(values, 1, &n);
    return in_shape_of(heddle_set_item(flat, 1, &index, values), a);
}

/* ---- By index ------------------------------------------------------------------------------------------ */

/* Of one axis, or of all elements if it is None. */
CALL(call_put_along_axis)
{
    heddle_array *const a = args[0].array;
    heddle_array *indices, *values;
    bool given = false;
    struct heddle_take_options o = {.size = sizeof o, .has_axis = true};
    if (!is_array(run, f, &args[0]) || !heddle__expr_to_array(run, &args[1], true, &indices) ||
        !heddle__expr_to_array(run, &args[2], false, &values) ||
        !heddle__expr_to_axis(run, &args[3], &o.axis, &given))
        return false;
    heddle_array *x = given ? a : heddle__expr_flat(a);
    heddle_array *r = heddle_put_along_axis_with(x, indices, values, &o);
    return heddle__expr_from_array(run, in_shape_of(r, a), at, out);
}

/* add.at and subtract.at: f->number is the sign. */
CALL(call_at)
{
    struct subscript s[HEDDLE_EXPR_MAX_INDEX] = {{.value = args[1]}};
    struct heddle_index index[HEDDLE_EXPR_MAX_INDEX];
    heddle_array *const a = args[0].array;
    heddle_array *value;
    int64_t n = 1;
    if (!is_array(run, f, &args[0])) return false;
    if (args[1].kind == VALUE_TUPLE) { /* an index of several axes */
        n = args[1].n;
        if (n > HEDDLE_EXPR_MAX_INDEX)
            return heddle__expr_fail(run, HEDDLE_EINDEX, args[1].at, "more than %d indices",
                                     HEDDLE_EXPR_MAX_INDEX);
        for (int64_t i = 0; i < n; i++) s[i] = (struct subscript){.value = args[1].items[i]};
    }
    if (!heddle__expr_to_indices(run, s, (int)n, index) ||
        !heddle__expr_to_array(run, &args[2], false, &value))
        return false;
    if (f->number < 0) value = heddle_negative(value);
    return heddle__expr_from_array(run, heddle_add_at(a, (int)n, index, value), at, out);
}

/* Elements by their number in C order. */
CALL(call_put)
{
    heddle_array *const a = args[0].array;
    heddle_array *indices, *values;
    if (!is_array(run, f, &args[0]) || !heddle__expr_to_array(run, &args[1], true, &indices) ||
        !heddle__expr_to_array(run, &args[2], false, &values))
        return false;
    if (heddle_size(indices) == 0 || heddle_size(values) == 0) /* as NumPy has it */
        return heddle__expr_from_array(run, a, at, out);
    indices = heddle__expr_flat(indices);
    const struct heddle_index by = {.kind = HEDDLE_INDEX_ARRAY, .by = indices};
    return heddle__expr_from_array(run, put_flat(a, by, heddle_size(indices), values), at, out);
}

/* place: the values one after the other, where the mask is true; it is evaluated. */
CALL(call_place)
{
    heddle_array *const a = args[0].array;
    heddle_array *mask, *values;
    if (!is_array(run, f, &args[0]) || !heddle__expr_to_array(run, &args[1], true, &mask) ||
        !heddle__expr_to_array(run, &args[2], false, &values))
        return false;
    if (heddle_size(mask) != heddle_size(a))
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[1].at,
                                 "a mask of %lld elements for an array of %lld",
                                 (long long)heddle_size(mask), (long long)heddle_size(a));
    struct value where;
    if (!heddle__expr_from_array(run, heddle_flatnonzero(mask), at, &where)) return false;
    if (heddle_size(where.array) == 0) return heddle__expr_from_array(run, a, at, out);
    if (heddle_size(values) == 0)
        return heddle__expr_fail(run, HEDDLE_EARG, args[2].at, "there are no values");
    const struct heddle_index by = {.kind = HEDDLE_INDEX_ARRAY, .by = where.array};
    return heddle__expr_from_array(run, put_flat(a, by, heddle_size(where.array), values), at, out);
}

/* `values` as elements of `a`. */
static heddle_array *cast_to(heddle_array *values, heddle_array *a)
{
    return heddle_astype(values, heddle_dtype_of(a));
}

/* putmask: where the mask is true the value of the same place, if they repeat in the shape of a. */
CALL(call_putmask)
{
    heddle_array *const a = args[0].array;
    heddle_array *mask, *values;
    if (!is_array(run, f, &args[0]) || !heddle__expr_to_array(run, &args[1], true, &mask) ||
        !heddle__expr_to_array(run, &args[2], false, &values))
        return false;
    if (heddle_size(values) == 0) return heddle__expr_from_array(run, a, at, out);
    if (heddle_ndim(values) > 0) values = heddle_resize(values, heddle_ndim(a), heddle_shape(a));
    mask = heddle_astype(in_shape_of(mask, a), HEDDLE_BOOL);
    return heddle__expr_from_array(run, heddle_where(mask, cast_to(values, a), a), at, out);
}

CALL(call_copyto)
{
    heddle_array *const a = args[0].array;
    heddle_array *source, *where = NULL;
    if (!is_array(run, f, &args[0]) || !heddle__expr_to_array(run, &args[1], false, &source) ||
        !heddle__expr_to_optional_array(run, &args[3], true, &where))
        return false;
    const struct heddle_index all = {.kind = HEDDLE_INDEX_ELLIPSIS};
    heddle_array *r = heddle_set_item(a, 1, &all, source);
    if (where) r = heddle_where(where, r, a);
    return heddle__expr_from_array(run, r, at, out);
}

/* The main diagonal; of a matrix that is tall it goes on below, with wrap=True. */
CALL(call_fill_diagonal)
{
    heddle_array *const a = args[0].array;
    heddle_array *values;
    bool wrap = false;
    if (!is_array(run, f, &args[0]) || !heddle__expr_to_array(run, &args[1], false, &values) ||
        !heddle__expr_to_bool(run, &args[2], "wrap", &wrap))
        return false;
    const int ndim = heddle_ndim(a);
    const int64_t *shape = heddle_shape(a);
    int64_t step = 1, end = heddle_size(a), stride = 1;
    if (ndim < 2) return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "it has no diagonal");
    for (int d = 1; d < ndim; d++)
        if (ndim > 2 && shape[d] != shape[0])
            return heddle__expr_fail(run, HEDDLE_ESHAPE, args[0].at, "the axes differ in length");
    if (end == 0) return heddle__expr_from_array(run, a, at, out);
    for (int d = 1; d < ndim; d++) {
        stride *= shape[ndim - d];
        step += stride;
    }
    if (ndim == 2 && !wrap && shape[0] > shape[1]) end = shape[1] * shape[1];
    const struct heddle_index by = {
        .kind = HEDDLE_INDEX_SLICE, .has_stop = true, .stop = end, .step = step};
    return heddle__expr_from_array(run, put_flat(a, by, (end - 1) / step + 1, values), at, out);
}

/* ---- Methods ------------------------------------------------------------------------------------------- */

CALL(call_fill)
{
    heddle_array *const a = args[0].array;
    heddle_array *value;
    return is_array(run, f, &args[0]) && heddle__expr_to_array(run, &args[1], false, &value) &&
           heddle__expr_from_array(
               run,
               heddle_set_item(a, 1, &(struct heddle_index){.kind = HEDDLE_INDEX_ELLIPSIS}, value),
               at, out);
}

/* Unlike np.resize the method adds zeros. */
CALL(call_resize)
{
    heddle_array *const a = args[0].array;
    int64_t shape[HEDDLE_MAX_NDIM], size = 1;
    int ndim;
    if (!is_array(run, f, &args[0]) || !heddle__expr_to_shape(run, &args[1], shape, &ndim))
        return false;
    heddle_array *flat = heddle__expr_flat(a);
    const int64_t n = heddle_size(a);
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0 || __builtin_mul_overflow(size, shape[d], &size))
            return heddle__expr_fail(run, HEDDLE_ESHAPE, args[1].at, "there is no such shape");
    if (size > n)
        flat = heddle_pad_with(flat, 2, (const int64_t[]){0, size - n}, NULL);
    else
        flat = heddle_resize(flat, 1, &size);
    return heddle__expr_from_array(run, heddle_reshape(flat, ndim, shape), at, out);
}

/* As the functions, of the array itself. */
CALL(call_sort)
{
    heddle_array *const a = args[0].array;
    struct heddle_sort_options o = {.size = sizeof o};
    return is_array(run, f, &args[0]) &&
           heddle__expr_to_axis(run, &args[1], &o.axis, &o.has_axis) &&
           heddle__expr_from_array(run, heddle_sort_with(a, &o), at, out);
}

CALL(call_partition)
{
    const struct value rest[3] = {args[0], args[2], args[1]};
    for (int i = 0; i < 3; i++) args[i] = rest[i];
    return call_sort(run, f, at, args, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define CHANGE(name, parameters, function)                                                         \
    {                                                                                              \
        name, parameters, function,                                                                \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }

static const struct function rows[] = {
    {"add.at", "a indices b", call_at, {.number = 1}},
    {"subtract.at", "a indices b", call_at, {.number = -1}},
    CHANGE("put", "a ind v mode=", call_put),
    CHANGE("place", "arr/a mask vals", call_place),
    CHANGE("putmask", "a mask values", call_putmask),
    CHANGE("put_along_axis", "arr/a indices values axis", call_put_along_axis),
    CHANGE("copyto", "dst/a src casting= where=", call_copyto),
    CHANGE("fill_diagonal", "a val wrap=", call_fill_diagonal),
    CHANGE("random.shuffle", "x axis=", heddle__expr_call_shuffle),
    CHANGE("Generator.shuffle", "x axis=", heddle__expr_call_shuffle),
    CHANGE("ndarray.put", "a ind v", call_put),
    CHANGE("ndarray.fill", "a value", call_fill),
    CHANGE("ndarray.resize", "*a new_shape | refcheck=", call_resize),
    CHANGE("ndarray.sort", "a axis= kind= | stable=", call_sort),
    CHANGE("ndarray.partition", "a kth axis=", call_partition),
};

TABLE(changes);
