/* functions that are given functions: apply_along_axis, apply_over_axes, piecewise, vectorize. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>

enum { MOST = 10000 }; /* lines that a function is called for */

/* Calls f with an array and what comes after it. */
static bool call(struct run *run, const struct value *f, heddle_array *a, const struct value *more,
                 int64_t n_more, heddle_array **out)
{
    struct value args[HEDDLE_EXPR_MAX_ARGS], result;
    if (n_more >= HEDDLE_EXPR_MAX_ARGS)
        return heddle__expr_fail(run, HEDDLE_EARG, f->at, "too many arguments");
    if (!heddle__expr_from_array(run, a, f->at, &args[0])) return false;
    for (int64_t i = 0; i < n_more; i++) args[i + 1] = more[i];
    return heddle__expr_call(run, f, f->at, args, n_more + 1, NULL, 0, &result) &&
           heddle__expr_to_array(run, &result, true, out);
}

/* What f makes of each line of a matrix, stacked. */
static bool of_lines(struct run *run, const struct value *f, heddle_array *lines,
                     const struct value *more, int64_t n_more, heddle_array **out)
{
    const int64_t n = heddle_shape(lines)[0];
    if (n < 1 || n > MOST)
        return heddle__expr_fail(run, n < 1 ? HEDDLE_ESHAPE : HEDDLE_ERANGE, f->at,
                                 "a function of %lld lines: it is called for 1 to %d", (long long)n,
                                 MOST);
    heddle_array **results = heddle__expr_room(run, n);
    if (!results) return false;
    for (int64_t i = 0; i < n; i++) {
        const struct heddle_index line = {.kind = HEDDLE_INDEX_INT, .start = i};
        if (!call(run, f, heddle_getitem(lines, 1, &line), more, n_more, &results[i])) return false;
    }
    *out = heddle_stack((int)n, results, 0);
    return true;
}

/* func1d, axis, arr and what else the function gets: its result, of any shape, is where the axis was. */
CALL(call_along)
{
    (void)f;
    heddle_array *a, *r = NULL;
    int axis, last = -1;
    const struct value *all = args[0].items;
    if (args[0].n < 3)
        return heddle__expr_fail(run, HEDDLE_EARG, at, "it takes a function, an axis and an array");
    if (!heddle__expr_to_one_axis(run, &all[1], &axis) ||
        !heddle__expr_to_array(run, &all[2], true, &a))
        return false;
    const int ndim = heddle_ndim(a);
    if (axis < 0) axis += ndim;
    if (axis < 0 || axis >= ndim)
        return heddle__expr_fail(run, HEDDLE_EAXIS, all[1].at, "there is no such axis of %d", ndim);
    heddle_array *moved = heddle_moveaxis(a, 1, &axis, &last);
    int64_t shape[2 * HEDDLE_MAX_NDIM], lines[2] = {1, heddle_shape(a)[axis]};
    for (int d = 0; d < ndim - 1; d++) lines[0] *= shape[d] = heddle_shape(moved)[d];
    if (!of_lines(run, &all[0], heddle_reshape(moved, 2, lines), all + 3, args[0].n - 3, &r))
        return false;
    struct value made;
    if (!heddle__expr_from_array(run, r, at, &made)) return false;
    const int more = heddle_ndim(r) - 1;
    if (ndim - 1 + more > HEDDLE_MAX_NDIM)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, at, "%d axes", ndim - 1 + more);
    for (int d = 0; d < more; d++) shape[ndim - 1 + d] = heddle_shape(r)[1 + d];
    r = heddle_reshape(r, ndim - 1 + more, shape);
    for (int d = 0; d < more; d++) { /* the new axes, which are last, go where the old one was */
        const int from = ndim - 1 + d, to = axis + d;
        r = heddle_moveaxis(r, 1, &from, &to);
    }
    return heddle__expr_from_array(run, r, at, out);
}

/* The function along one axis after the other, which stay with extent 1. */
CALL(call_over_axes)
{
    (void)f;
    heddle_array *a, *r = NULL;
    int axes[HEDDLE_MAX_NDIM], n;
    if (!heddle__expr_to_array(run, &args[1], true, &a) ||
        !heddle__expr_to_axes(run, &args[2], axes, &n))
        return false;
    for (int i = 0; i < n; i++) {
        struct value axis;
        heddle__expr_from_int(&axis, args[2].at, axes[i]);
        if (!call(run, &args[0], a, &axis, 1, &r)) return false;
        if (heddle_ndim(r) < heddle_ndim(a)) {
            const int at_axis = axes[i] < 0 ? axes[i] + heddle_ndim(a) : axes[i];
            r = heddle_expand_dims(r, at_axis);
        }
        a = r;
    }
    return heddle__expr_from_array(run, a, at, out);
}

/* Where a condition is true the value of the same place in the list, a number or what a function makes of x; of several
 * the last. One value more is for where none is true, else 0. */
CALL(call_piecewise)
{
    (void)f;
    heddle_array *x, **conditions, *value, *none = NULL;
    int n;
    if (!heddle__expr_to_array(run, &args[0], true, &x) ||
        !heddle__expr_to_arrays(run, &args[1], true, &conditions, &n))
        return false;
    if (!heddle__expr_is_list(&args[2]) || (args[2].n != n && args[2].n != n + 1))
        return heddle__expr_fail(run, HEDDLE_EARG, args[2].at,
                                 "as many values as conditions, %d, or "
                                 "one more",
                                 n);
    const enum heddle_dtype dtype = heddle_dtype_of(x);
    heddle_array *r = heddle_zeros_like(x);
    for (int i = 0; i < n; i++) {
        conditions[i] = heddle_astype(conditions[i], HEDDLE_BOOL);
        none = none ? heddle_logical_or(none, conditions[i]) : conditions[i];
    }
    for (int64_t i = 0; i < args[2].n; i++) {
        const struct value *v = &args[2].items[i];
        const bool number = heddle__expr_is_scalar(v) || v->kind == VALUE_ARRAY;
        if (number ? !heddle__expr_to_array(run, v, true, &value)
                   : !call(run, v, x, NULL, 0, &value))
            return false;
        value = heddle_astype(value, dtype);
        r = i < n  ? heddle_where(conditions[i], value, r)
            : none ? heddle_where(none, r, value)
                   : value;
    }
    return heddle__expr_from_array(run, r, at, out);
}

/* A function of elements that is called with arrays: all functions are, but for an `if`. */
CALL(call_vectorize)
{
    (void)f, (void)at;
    if (!heddle__expr_is_function(&args[0]))
        return heddle__expr_fail(run, HEDDLE_EARG, args[0].at, "expected a function, found %s",
                                 heddle__expr_value_name(&args[0]));
    return heddle__expr_by_element(run, &args[0], out);
}

/* CuPy's: all that is recorded fuses. */
CALL(call_fuse)
{
    (void)f, (void)at;
    if (!heddle__expr_is_function(&args[0]))
        return heddle__expr_fail(run, HEDDLE_EARG, args[0].at, "expected a function, found %s",
                                 heddle__expr_value_name(&args[0]));
    *out = args[0];
    return true;
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(apply_along_axis, "+args", call_along),
    PLAIN(apply_over_axes, "func a axes", call_over_axes),
    PLAIN(vectorize, "func otypes=", call_vectorize),
    PLAIN(fuse, "func kernel_name=", call_fuse),
    PLAIN(piecewise, "x condlist funclist", call_piecewise),
};

TABLE(applying);
