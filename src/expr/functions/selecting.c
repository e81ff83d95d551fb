/* Functions that select elements and positions by a condition; these evaluate it. Also where(), and delete(), which
 * selects what stays. */
#include "expr/functions/functions.h"

#include <heddle/assemble.h>
#include <heddle/elementwise.h>
#include <heddle/manipulate.h>
#include <heddle/mask.h>

CALL(call_nonzero)
{
    (void)f;
    heddle_array *a, *out_of[HEDDLE_MAX_NDIM];
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    const int ndim = heddle_ndim(a);
    return heddle__expr_from_arrays(run, heddle_nonzero(a, ndim, out_of), ndim, out_of, VALUE_TUPLE,
                                    at, out);
}

/* where(condition, x, y) chooses; where(condition) is nonzero(condition). */
CALL(call_where)
{
    heddle_array *c, *x, *y;
    const bool has_x = args[1].kind != VALUE_ABSENT, has_y = args[2].kind != VALUE_ABSENT;
    if (!has_x && !has_y) return call_nonzero(run, f, at, args, out);
    if (has_x != has_y)
        return heddle__expr_fail(run, HEDDLE_EARG, at,
                                 "where() takes a condition, or a condition and two values");
    const bool strong = heddle__expr_is_scalar(&args[1]) && heddle__expr_is_scalar(&args[2]);
    return heddle__expr_to_array(run, &args[0], true, &c) &&
           heddle__expr_to_array(run, &args[1], strong, &x) &&
           heddle__expr_to_array(run, &args[2], strong, &y) &&
           heddle__expr_from_array(run, heddle_where(c, x, y), at, out);
}

CALL(call_compress)
{
    (void)f;
    heddle_array *condition, *a;
    struct heddle_compress_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &condition) &&
           heddle__expr_to_array(run, &args[1], true, &a) &&
           heddle__expr_to_axis(run, &args[2], &o.axis, &o.has_axis) &&
           heddle__expr_from_array(run, heddle_compress_with(condition, a, &o), at, out);
}

CALL(call_extract)
{
    heddle_array *condition, *a;
    return heddle__expr_to_array(run, &args[0], true, &condition) &&
           heddle__expr_to_array(run, &args[1], true, &a) &&
           heddle__expr_from_array(run, f->binary(condition, a), at, out);
}

/* Indices of a grid: each array, of one axis, along an axis of its own; of bool the positions of what is true. */
CALL(call_ix)
{
    (void)f;
    heddle_array **arrays;
    int n = 0;
    if (!heddle__expr_to_arrays(run, &args[0], true, &arrays, &n)) return false;
    for (int i = 0; i < n; i++) {
        if (heddle_ndim(arrays[i]) != 1 || n > HEDDLE_MAX_NDIM)
            return heddle__expr_fail(run, HEDDLE_ESHAPE, at,
                                     "ix_() takes at most %d arrays of one axis", HEDDLE_MAX_NDIM);
        int64_t shape[HEDDLE_MAX_NDIM];
        for (int d = 0; d < n; d++) shape[d] = d == i ? -1 : 1;
        if (heddle_dtype_of(arrays[i]) == HEDDLE_BOOL) arrays[i] = heddle_flatnonzero(arrays[i]);
        if (heddle_size(arrays[i]) == 0) {
            shape[i] = 0;
            arrays[i] = heddle_astype(arrays[i], HEDDLE_INT64);
        }
        arrays[i] = heddle_reshape(arrays[i], n, shape);
    }
    return heddle__expr_from_arrays(run, HEDDLE_OK, n, arrays, VALUE_TUPLE, at, out);
}

/* Brings them to their common dtype, in which numbers of Python's count only among themselves. */
static void make_common(heddle_array **choices, const struct value *values, int n,
                        heddle_array **rest, bool rest_is_number)
{
    heddle_array *all = NULL; /* has the dtype */
    for (int i = 0; i <= n; i++) {
        const bool number = i < n ? values[i].kind != VALUE_ARRAY : rest_is_number;
        heddle_array *next = i < n ? choices[i] : *rest;
        if (number) continue;
        all = all ? heddle_where(heddle_scalar_bool(true), all, next) : next;
    }
    for (int i = 0; all && i <= n; i++) /* they adapt */
        all = heddle_where(heddle_scalar_bool(true), all, i < n ? choices[i] : *rest);
    if (!all || heddle_status_of(all) != HEDDLE_OK)
        return; /* the choice itself says what is wrong */
    for (int i = 0; i < n; i++) choices[i] = heddle_astype(choices[i], heddle_dtype_of(all));
    *rest = heddle_astype(*rest, heddle_dtype_of(all));
}

/* The choice of the first condition that is true. */
CALL(call_select)
{
    (void)f;
    heddle_array **conditions, **choices, *r = heddle_scalar_int(0);
    int n = 0, n_choices = 0;
    if (!heddle__expr_to_arrays(run, &args[0], true, &conditions, &n) ||
        !heddle__expr_to_arrays(run, &args[1], false, &choices, &n_choices) ||
        !heddle__expr_to_optional_array(run, &args[2], false, &r))
        return false;
    if (n != n_choices || n == 0)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "%d conditions for %d choices", n,
                                 n_choices);
    if (heddle__expr_is_list(&args[1]))
        make_common(choices, args[1].items, n, &r, args[2].kind != VALUE_ARRAY);
    while (n-- > 0) r = heddle_where(conditions[n], choices[n], r);
    return heddle__expr_from_array(run, r, at, out);
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
    enum { MOST = 1000 };
    heddle_array *a;
    int64_t positions[MOST];
    int n;
    struct heddle_along_options o;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_along(run, &args[2], &o))
        return false;
    if (is_mask(&args[1])) return delete_by_mask(run, a, &args[1], &o, at, out);
    return heddle__expr_to_ints(run, &args[1], "the positions", MOST, positions, &n) &&
           heddle__expr_from_array(run, heddle_delete_with(a, n, positions, &o), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(where, "condition x1/x/a= x2/y/b=", call_where),
    PLAIN(nonzero, "a/x", call_nonzero),
    UNARY(argwhere, argwhere),
    UNARY(flatnonzero, flatnonzero),
    PLAIN(ix_, "+args", call_ix),
    PLAIN(select, "condlist choicelist default=", call_select),
    PLAIN(delete, "arr/a obj axis=", call_delete),
    PLAIN(compress, "condition a/x axis=", call_compress),
    {"extract", "condition arr/a/x", call_extract, {.binary = heddle_extract}},
};

TABLE(selecting);
