/* Statistics, and differences along an axis. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

#include <limits.h>

CALL(call_variance)
{
    heddle_array *x;
    struct heddle_var_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_axes_options(run, &args[1], &o.axis, &o.has_axis, &o.axes) &&
           heddle__expr_to_dtype(run, &args[2], &o.dtype) &&
           heddle__expr_to_double(run, &args[3], "ddof", &o.correction) &&
           heddle__expr_to_bool(run, &args[4], "keepdims", &o.keepdims) &&
           heddle__expr_from_array(run, f->variance(x, &o), at, out);
}

CALL(call_average)
{
    (void)f;
    heddle_array *x, *weights = NULL;
    struct heddle_reduce_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_axes_options(run, &args[1], &o.axis, &o.has_axis, &o.axes) &&
           heddle__expr_to_optional_array(run, &args[2], true, &weights) &&
           heddle__expr_to_bool(run, &args[3], "keepdims", &o.keepdims) &&
           heddle__expr_from_array(run, heddle_average_with(x, weights, &o), at, out);
}

CALL(call_covariance)
{
    heddle_array *a;
    struct heddle_cov_options o = {.size = sizeof o};
    bool rows = true;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_optional_array(run, &args[1], true, &o.more) ||
        !heddle__expr_to_bool(run, &args[2], "rowvar", &rows) ||
        !heddle__expr_to_bool(run, &args[3], "bias", &o.biased) ||
        !heddle__expr_to_double(run, &args[4], "ddof", &o.correction))
        return false;
    o.by_columns = !rows;
    o.has_correction = heddle__expr_given(&args[4]);
    return heddle__expr_from_array(run, f->covariance(a, &o), at, out);
}

/* corrcoef has no bias= and ddof=. */
CALL(call_correlation)
{
    struct value all[5] = {args[0], args[1], args[2]};
    return call_covariance(run, f, at, all, out);
}

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
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, heddle_diff_with(heddle__expr_flat(a), NULL), at, out);
}

/* Along one axis an array; along several, or all of several, a tuple as NumPy's. */
CALL(call_gradient)
{
    (void)f;
    heddle_array *a, *each[HEDDLE_MAX_NDIM];
    int axes[HEDDLE_MAX_NDIM], n;
    struct heddle_gradient_options o = {.size = sizeof o, .has_axis = true};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_double(run, &args[1], "the spacing", &o.step) ||
        !heddle__expr_to_axes(run, &args[2], axes, &n))
        return false;
    if (n < 0)
        for (n = 0; n < heddle_ndim(a); n++) axes[n] = n;
    for (int i = 0; i < n; i++) {
        o.axis = axes[i];
        each[i] = heddle_gradient_with(a, &o);
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
           heddle__expr_to_double(run, &args[2], "dx", &o.dx) &&
           heddle__expr_to_axis(run, &args[3], &o.axis, &o.has_axis) &&
           heddle__expr_from_array(run, heddle_trapezoid_with(y, &o), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

#define VARIANCE(name)                                                                             \
    {                                                                                              \
#name, "a/x axis= dtype= | ddof/correction= keepdims=", call_variance,                     \
        {                                                                                          \
            .variance = heddle_##name##_with                                                       \
        }                                                                                          \
    }

static const struct function rows[] = {
    VARIANCE(var),
    VARIANCE(std),
    VARIANCE(nanvar),
    VARIANCE(nanstd),
    REDUCE_DTYPE(nansum),
    REDUCE_DTYPE(nanprod),
    REDUCE_DTYPE(nanmean),
    REDUCE(ptp, ptp),
    PLAIN(average, "a/x axis= weights= | keepdims=", call_average),
    {"cov", "m/a y= rowvar= bias= ddof=", call_covariance, {.covariance = heddle_cov_with}},
    {"corrcoef", "x/a y= rowvar=", call_correlation, {.covariance = heddle_corrcoef_with}},
    PLAIN(diff, "a/x n= axis= prepend= append=", call_diff),
    PLAIN(ediff1d, "ary/a", call_ediff1d),
    PLAIN(gradient, "f/a spacing= | axis=", call_gradient),
    PLAIN(trapezoid, "y x= dx= axis=", call_trapezoid),
};

TABLE(statistics);
