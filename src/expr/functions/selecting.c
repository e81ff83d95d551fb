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

/* Indices out of range as mode= says: an error unless they are cut, or go round. */
static bool to_mode(struct run *run, const struct value *v, int64_t n, heddle_array **indices)
{
    static const char *const words[] = {"raise", "wrap", "clip"};
    int mode = 0;
    if (!heddle__expr_to_word(run, v, "mode is", 3, words, &mode)) return false;
    if (mode == 1) *indices = heddle_remainder(*indices, heddle_scalar_int(n));
    if (mode == 2)
        *indices =
            heddle_clip(*indices, heddle_scalar_int(0), heddle_scalar_int(n > 0 ? n - 1 : 0));
    return true;
}

CALL(call_choose)
{
    (void)f;
    heddle_array *indices, **choices;
    int n;
    bool arrays = false; /* beside which numbers count by their kind */
    const struct value *v = &args[1];
    for (int64_t i = 0; heddle__expr_is_list(v) && i < v->n; i++)
        arrays |= v->items[i].kind == VALUE_ARRAY;
    if (!heddle__expr_to_array(run, &args[0], true, &indices) ||
        !(arrays ? heddle__expr_to_arrays(run, v, false, &choices, &n)
                 : heddle__expr_to_rows(run, v, &choices, &n)))
        return false;
    heddle_array *rest = n > 0 ? choices[0] : heddle_scalar_int(0);
    if (arrays) make_common(choices, v->items, n, &rest, true);
    return to_mode(run, &args[2], n, &indices) &&
           heddle__expr_from_array(run, heddle_choose(indices, n, choices), at, out);
}

/* Elements by index, of all elements in C order if no axis is named. */
CALL(call_take)
{
    heddle_array *a, *indices;
    struct heddle_take_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &indices) ||
        !heddle__expr_to_axis(run, &args[2], &o.axis, &o.has_axis))
        return false;
    if (!o.has_axis) a = heddle__expr_flat(a);
    const int ndim = heddle_ndim(a), axis = o.axis < 0 ? o.axis + ndim : o.axis;
    const int64_t n = axis >= 0 && axis < ndim ? heddle_shape(a)[axis] : 0;
    return to_mode(run, &args[3], n, &indices) &&
           heddle__expr_from_array(run, f->take(a, indices, &o), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(where, "condition x1/x/a= x2/y/b=", call_where),
    PLAIN(nonzero, "a/x", call_nonzero),
    UNARY(argwhere, argwhere),
    UNARY(flatnonzero, flatnonzero),
    PLAIN(ix_, "+args", call_ix),
    PLAIN(choose, "a choices | mode=", call_choose),
    {"take", "a/x indices axis= | mode=", call_take, {.take = heddle_take_with}},
    PLAIN(select, "condlist choicelist default=", call_select),
    PLAIN(compress, "condition a/x axis=", call_compress),
    {"extract", "condition arr/a/x", call_extract, {.binary = heddle_extract}},
};

TABLE(selecting);
