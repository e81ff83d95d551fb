/* Functions of shapes and of axes, joins, elements by index, and the product of matrices. */
#include "expr/functions/functions.h"

#include <heddle/linalg.h>
#include <heddle/manipulate.h>

CALL(call_shaped)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_shape(run, &args[1], shape, &ndim) &&
           heddle__expr_from_array(run, f->shaped(a, ndim, shape), at, out);
}

/* The axes in reverse. */
static heddle_array *turned(heddle_array *a)
{
    int axes[HEDDLE_MAX_NDIM];
    const int ndim = heddle_ndim(a);
    for (int d = 0; d < ndim; d++) axes[d] = ndim - 1 - d;
    return heddle_permute_dims(a, ndim, axes);
}

/* order=: whether the first index runs fastest. */
static bool to_order(struct run *run, const struct value *v, bool *first_fastest)
{
    static const char *const words[] = {"C", "F", "A", "K"};
    int order = 0;
    const bool ok = heddle__expr_to_word(run, v, "order is", 4, words, &order);
    *first_fastest = order == 1;
    return ok;
}

CALL(call_reshape)
{
    int64_t shape[HEDDLE_MAX_NDIM], back[HEDDLE_MAX_NDIM];
    int ndim;
    bool turns;
    if (!to_order(run, &args[2], &turns)) return false;
    if (!turns) return call_shaped(run, f, at, args, out);
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_shape(run, &args[1], shape, &ndim))
        return false;
    for (int d = 0; d < ndim; d++) back[d] = shape[ndim - 1 - d];
    return heddle__expr_from_array(run, turned(heddle_reshape(turned(a), ndim, back)), at, out);
}

CALL(call_ravel)
{
    (void)f;
    heddle_array *a;
    bool turns;
    return heddle__expr_to_array(run, &args[0], true, &a) && to_order(run, &args[1], &turns) &&
           heddle__expr_from_array(run, heddle__expr_flat(turns ? turned(a) : a), at, out);
}

CALL(call_transpose)
{
    (void)f;
    int axes[HEDDLE_MAX_NDIM], n;
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_axes(run, &args[1], axes, &n))
        return false;
    a = n < 0 ? turned(a) : heddle_permute_dims(a, n, axes);
    return heddle__expr_from_array(run, a, at, out);
}

CALL(call_expand_dims)
{
    (void)f;
    int axes[HEDDLE_MAX_NDIM], n;
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_axes(run, &args[1], axes, &n))
        return false;
    if (n == 1) return heddle__expr_from_array(run, heddle_expand_dims(a, axes[0]), at, out);
    const int ndim = heddle_ndim(a) + (n < 0 ? 0 : n);
    uint32_t chosen = 0;
    for (int i = 0; i < n; i++) {
        const int axis = axes[i] < 0 ? axes[i] + ndim : axes[i];
        if (ndim > HEDDLE_MAX_NDIM || axis < 0 || axis >= ndim || chosen >> axis & 1)
            return heddle__expr_fail(run, HEDDLE_EAXIS, args[1].at,
                                     "axis %d is repeated or out of range for %d axes", axes[i],
                                     ndim);
        chosen |= 1u << axis;
    }
    for (int axis = 0; axis < ndim; axis++)
        if (chosen >> axis & 1) a = heddle_expand_dims(a, axis);
    return heddle__expr_from_array(run, a, at, out);
}

CALL(call_squeeze)
{
    (void)f;
    int axes[HEDDLE_MAX_NDIM], n;
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_axes(run, &args[1], axes, &n))
        return false;
    if (n < 0) {
        n = 0;
        for (int d = 0; d < heddle_ndim(a); d++)
            if (heddle_shape(a)[d] == 1) axes[n++] = d;
    }
    return heddle__expr_from_array(run, n ? heddle_squeeze(a, n, axes) : a, at, out);
}

CALL(call_join)
{
    heddle_array **arrays = NULL;
    int n = 0, axes[HEDDLE_MAX_NDIM], n_axes = 1;
    axes[0] = 0;
    const bool flat = args[1].kind == VALUE_NONE && f->join == heddle_concat;
    if (!heddle__expr_to_arrays(run, &args[0], !flat, &arrays, &n)) return false;
    if (flat) return heddle__expr_from_array(run, heddle_concat_flat(n, arrays), at, out);
    if (args[1].kind != VALUE_ABSENT && !heddle__expr_to_axes(run, &args[1], axes, &n_axes))
        return false;
    if (n_axes != 1)
        return heddle__expr_fail(run, HEDDLE_EARG, args[1].at, "axis must be an integer");
    return heddle__expr_from_array(run, f->join(n, arrays, axes[0]), at, out);
}

/* Of all elements in C order with axis=None. */
CALL(call_take_along)
{
    heddle_array *a, *indices;
    struct heddle_take_options options = {.size = sizeof options};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &indices) ||
        !heddle__expr_to_axis(run, &args[2], &options.axis, &options.has_axis))
        return false;
    if (args[2].kind == VALUE_NONE) a = heddle__expr_flat(a);
    return heddle__expr_from_array(run, f->take(a, indices, &options), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    {"reshape", "*a/x shape/newshape | order=", call_reshape, {.shaped = heddle_reshape}},
    PLAIN(ravel, "a/x order=", call_ravel),
    PLAIN(flatten, "a/x order=", call_ravel),
    PLAIN(permute_dims, "a/x axes", call_transpose),
    PLAIN(transpose, "*a/x axes=", call_transpose),
    UNARY(matrix_transpose, matrix_transpose),
    PLAIN(expand_dims, "a/x axis", call_expand_dims),
    PLAIN(squeeze, "a/x axis=", call_squeeze),
    {"broadcast_to", "array/a/x shape", call_shaped, {.shaped = heddle_broadcast_to}},
    {"concat", "arrays axis=", call_join, {.join = heddle_concat}},
    {"concatenate", "arrays axis=", call_join, {.join = heddle_concat}},
    {"stack", "arrays axis=", call_join, {.join = heddle_stack}},
    {"take_along_axis",
     "arr/x/a indices axis=",
     call_take_along,
     {.take = heddle_take_along_axis_with}},
    BINARY(matmul, matmul),
};

TABLE(shapes);
