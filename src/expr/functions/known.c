/* Functions of what is known without evaluating: shape, size, dtype, ... */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

#include <string.h>

CALL(call_itself)
{
    (void)f;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, a, at, out);
}

/* shape(a), size(a), ndim(a): the attribute of that name. */
CALL(call_attribute)
{
    struct value v;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, a, at, &v) &&
           heddle__expr_attribute(run, &v, at, f->name, strlen(f->name), out);
}

/* size(a, axis): along an axis. */
CALL(call_size)
{
    heddle_array *a;
    int axis;
    if (!heddle__expr_given(&args[1])) return call_attribute(run, f, at, args, out);
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_one_axis(run, &args[1], &axis))
        return false;
    const int ndim = heddle_ndim(a);
    if (axis < -ndim || axis >= ndim)
        return heddle__expr_fail(run, HEDDLE_EAXIS, args[1].at, "there is no such axis of %d",
                                 ndim);
    return heddle__expr_from_int(out, at, heddle_shape(a)[axis < 0 ? axis + ndim : axis]);
}

/* The common shape of shapes, each a number or a tuple. */
CALL(call_broadcast_shapes)
{
    (void)f;
    const int64_t n = args[0].n;
    heddle_array *sum = heddle_zeros(0, NULL);
    for (int64_t i = 0; i < n; i++) {
        int64_t shape[HEDDLE_MAX_NDIM];
        int ndim;
        if (!heddle__expr_to_shape(run, &args[0].items[i], shape, &ndim)) return false;
        sum = heddle_add(sum, heddle_zeros(ndim, shape));
    }
    struct value v;
    return heddle__expr_from_array(run, sum, at, &v) &&
           heddle__expr_attribute(run, &v, at, "shape", 5, out);
}

CALL(call_len)
{
    (void)f;
    *out = (struct value){.kind = VALUE_INT, .at = at, .integer = args[0].n};
    if (heddle__expr_is_list(&args[0])) return true;
    if (args[0].kind != VALUE_ARRAY || heddle_ndim(args[0].array) == 0)
        return heddle__expr_fail(run, HEDDLE_EARG, args[0].at, "it has no length");
    out->integer = heddle_shape(args[0].array)[0];
    return true;
}

CALL(call_dtype)
{
    (void)f;
    *out = (struct value){.kind = VALUE_DTYPE, .at = at};
    if (!heddle__expr_to_dtype(run, &args[0], &out->dtype)) return false;
    if (out->dtype == HEDDLE_DTYPE_NONE) out->dtype = HEDDLE_FLOAT64;
    return true;
}

/* A number, or an array of one element or more: an item of all in C order, as one of Python's numbers. */
CALL(call_item)
{
    (void)f;
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    if (heddle__expr_given(&args[1])) {
        struct subscript index[HEDDLE_MAX_NDIM] = {{.value = args[1]}};
        const struct value *v = &args[1];
        int n = 1;
        if (heddle__expr_is_list(v) && v->n <= HEDDLE_MAX_NDIM)
            for (n = 0; n < v->n; n++) index[n] = (struct subscript){.value = v->items[n]};
        else
            a = heddle__expr_flat(a);
        struct value whole, item;
        if (!heddle__expr_from_array(run, a, at, &whole) ||
            !heddle__expr_getitem(run, &whole, at, index, n, &item))
            return false;
        a = item.array;
    }
    return heddle__expr_item(run, a, at, out);
}

CALL(call_tolist)
{
    (void)f;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) && heddle__expr_to_list(run, a, at, out);
}

/* Whether it is a number, or an array without axes. */
CALL(call_isscalar)
{
    (void)run, (void)f;
    const bool array = args[0].kind == VALUE_ARRAY;
    *out = (struct value){.kind = VALUE_BOOL, .at = at};
    out->boolean = array ? heddle_ndim(args[0].array) == 0
                         : heddle__expr_is_scalar(&args[0]) || args[0].kind == VALUE_STRING;
    return true;
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(copy, "a/x", call_itself),
    PLAIN(shape, "a/x", call_attribute),
    PLAIN(size, "a/x axis=", call_size),
    PLAIN(ndim, "a/x", call_attribute),
    PLAIN(len, "a/obj", call_len),
    PLAIN(dtype, "dtype", call_dtype),
    PLAIN(view, "a", call_itself),
    PLAIN(item, "*a args=", call_item),
    PLAIN(broadcast_shapes, "+args", call_broadcast_shapes),
    PLAIN(tolist, "a", call_tolist),
    PLAIN(isscalar, "element", call_isscalar),
};

TABLE(known);
