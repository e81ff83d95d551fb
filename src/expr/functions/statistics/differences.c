/* Differences, derivatives and integrals along an axis. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

#include <limits.h>

CALL(call_diff)
{
    (void)f;
    heddle_array *a;
    int64_t n = 1;
    struct heddle_diff_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_optional_int(run, &args[1], "n", &n) ||
        !heddle__expr_to_axis(run, &args[2], &o.axis, &o.has_axis) ||
        !heddle__expr_to_optional_array(run, &args[3], false, &o.prepend) ||
        !heddle__expr_to_optional_array(run, &args[4], false, &o.append))
        return false;
    if (n == 0) return heddle__expr_from_array(run, a, at, out);
    if (n < 0 || n > INT_MAX)
        return heddle__expr_fail(run, HEDDLE_EARG, args[1].at, "n is %lld", (long long)n);
    o.n = (int)n;
    return heddle__expr_from_array(run, heddle_diff_with(a, &o), at, out);
}

CALL(call_ediff1d)
{
    (void)f;
    heddle_array *a, *parts[3] = {NULL, NULL, NULL};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_optional_array(run, &args[2], false, &parts[0]) ||
        !heddle__expr_to_optional_array(run, &args[1], false, &parts[2]))
        return false;
    parts[1] = heddle_diff_with(heddle__expr_flat(a), NULL);
    int n = 0;
    heddle_array *there[3];
    for (int i = 0; i < 3; i++)
        if (parts[i])
            there[n++] = heddle_astype(heddle__expr_flat(parts[i]), heddle_dtype_of(parts[1]));
    return heddle__expr_from_array(run, n == 1 ? parts[1] : heddle_concat(n, there, 0), at, out);
}

/* A weighted by the steps beside it: the second-order derivative in the middle, and at an end of first order or, with
 * `second`, of second order. `h`: the steps, along the axis. */
static heddle_array *derivative(heddle_array *a, heddle_array *h, int axis, bool second)
{
    const int64_t n = heddle_shape(a)[axis];
    heddle_array *slopes = heddle_divide(
        heddle_subtract(heddle__expr_slice(a, axis, 1, n), heddle__expr_slice(a, axis, 0, n - 1)),
        h);
    heddle_array *first = heddle__expr_slice(slopes, axis, 0, 1),
                 *last = heddle__expr_slice(slopes, axis, n - 2, n - 1);
    if (n == 2) return heddle_concat(2, (heddle_array *[]){first, last}, axis);
    heddle_array *const before = heddle__expr_slice(h, axis, 0, n - 2),
                        *after = heddle__expr_slice(h, axis, 1, n - 1);
    heddle_array *const s0 = heddle__expr_slice(slopes, axis, 0, n - 2),
                        *s1 = heddle__expr_slice(slopes, axis, 1, n - 1);
    heddle_array *const both = heddle_add(before, after);
    heddle_array *const middle =
        heddle_divide(heddle_add(heddle_multiply(after, s0), heddle_multiply(before, s1)), both);
    if (second) { /* the line through the two nearest slopes of the middle */
        heddle_array *const bend = heddle_divide(heddle_subtract(s1, s0), both);
        first = heddle_subtract(first, heddle_multiply(heddle__expr_slice(bend, axis, 0, 1),
                                                       heddle__expr_slice(before, axis, 0, 1)));
        last = heddle_add(last, heddle_multiply(heddle__expr_slice(bend, axis, n - 3, n - 2),
                                                heddle__expr_slice(after, axis, n - 3, n - 2)));
    }
    return heddle_concat(3, (heddle_array *[]){first, middle, last}, axis);
}

/* Along an axis with a spacing: a number, or where the elements are. */
static bool gradient(struct run *run, heddle_array *a, const struct value *spacing, int axis,
                     bool second, heddle_array **out)
{
    struct heddle_gradient_options o = {.size = sizeof o, .has_axis = true, .axis = axis};
    const int ndim = heddle_ndim(a), d = axis < 0 ? axis + ndim : axis;
    const bool points = heddle__expr_is_list(spacing) ||
                        (spacing->kind == VALUE_ARRAY && heddle_ndim(spacing->array) > 0);
    heddle_array *x;
    if (!points && !heddle__expr_to_nonzero(run, spacing, "the spacing", &o.step)) return false;
    *out = heddle_gradient_with(a, &o); /* which checks the axis, and that there are two elements */
    if ((!points && !second) || heddle_status_of(*out) != HEDDLE_OK) return true;
    const int64_t n = heddle_shape(a)[d];
    if (second && n < 3)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, spacing->at,
                                 "edge_order=2 needs three elements along the axis");
    if (points) {
        if (!heddle__expr_to_array(run, spacing, true, &x)) return false;
        if (heddle_ndim(x) != 1 || heddle_size(x) != n)
            return heddle__expr_fail(run, HEDDLE_ESHAPE, spacing->at,
                                     "places of shape other than (%lld,)", (long long)n);
        x = heddle_diff_with(x, NULL);
    } else {
        const struct heddle_create_options made = {.size = sizeof made,
                                                   .dtype = heddle_dtype_of(*out)};
        x = heddle_full_with(1, (const int64_t[]){n - 1},
                             heddle_scalar_float(o.step != 0 ? o.step : 1), &made);
    }
    int64_t line[HEDDLE_MAX_NDIM];
    for (int k = 0; k < ndim; k++) line[k] = k == d ? n - 1 : 1;
    const enum heddle_dtype dtype = heddle_dtype_of(*out);
    a = derivative(heddle_astype(a, dtype), heddle_reshape(x, ndim, line), d, second);
    *out = heddle_astype(a, dtype);
    return true;
}

/* gradient(f, *spacings, axis=, edge_order=): along one axis an array; along several a tuple, as NumPy's. */
CALL(call_gradient)
{
    (void)f;
    heddle_array *a, *each[HEDDLE_MAX_NDIM];
    int axes[HEDDLE_MAX_NDIM], n;
    int64_t order = 1;
    const struct value *all = args[0].items, none = {.kind = VALUE_ABSENT, .at = at};
    if (args[0].n < 1) return heddle__expr_fail(run, HEDDLE_EARG, at, "it takes an array");
    const int64_t spacings = args[0].n - 1;
    if (!heddle__expr_to_array(run, &all[0], true, &a) ||
        !heddle__expr_to_axes(run, &args[1], axes, &n) ||
        !heddle__expr_to_optional_int(run, &args[2], "edge_order", &order))
        return false;
    if (order != 1 && order != 2)
        return heddle__expr_fail(run, HEDDLE_EARG, args[2].at, "edge_order is 1 or 2");
    if (n < 0)
        for (n = 0; n < heddle_ndim(a); n++) axes[n] = n;
    if (spacings > 1 && spacings != n)
        return heddle__expr_fail(run, HEDDLE_EARG, all[1].at, "%lld spacings for %d axes",
                                 (long long)spacings, n);
    for (int i = 0; i < n; i++) {
        const struct value *spacing = spacings == 0 ? &none : spacings == 1 ? &all[1] : &all[1 + i];
        if (!gradient(run, a, spacing, axes[i], order == 2, &each[i])) return false;
    }
    if (n == 1) return heddle__expr_from_array(run, each[0], at, out);
    return heddle__expr_from_arrays(run, HEDDLE_OK, n, each, VALUE_TUPLE, at, out);
}

CALL(call_trapezoid)
{
    (void)f;
    heddle_array *y;
    struct heddle_trapezoid_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &y) &&
           heddle__expr_to_optional_array(run, &args[1], true, &o.x) &&
           heddle__expr_to_nonzero(run, &args[2], "dx", &o.dx) &&
           heddle__expr_to_axis(run, &args[3], &o.axis, &o.has_axis) &&
           heddle__expr_from_array(run, heddle_trapezoid_with(y, &o), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(diff, "a/x n= axis= prepend= append=", call_diff),
    PLAIN(ediff1d, "ary/a to_end= to_begin=", call_ediff1d),
    PLAIN(gradient, "+f | axis= edge_order=", call_gradient),
    PLAIN(trapezoid, "y x= dx= axis=", call_trapezoid),
};

TABLE(differences);
