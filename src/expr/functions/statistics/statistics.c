/* Variances, averages and their like. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

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

/* The average; with `sums` also the sum of the weights of each. */
static bool average(struct run *run, heddle_array *x, heddle_array *weights,
                    const struct heddle_reduce_options *o, bool sums, size_t at, struct value *out)
{
    heddle_array *both[2] = {heddle_average_with(x, weights, o), NULL};
    if (!sums) return heddle__expr_from_array(run, both[0], at, out);
    const struct heddle_create_options ones = {.size = sizeof ones, .dtype = HEDDLE_FLOAT64};
    const bool along = weights && heddle_ndim(weights) != heddle_ndim(x);
    const struct heddle_reduce_options all = {.size = sizeof all};
    both[1] = along ? heddle_sum_with(weights, &all)
                    : heddle_sum_with(weights ? weights : heddle_ones_like_with(x, &ones), o);
    both[1] = heddle_broadcast_to(heddle_astype(both[1], heddle_dtype_of(both[0])),
                                  heddle_ndim(both[0]), heddle_shape(both[0]));
    return heddle__expr_from_arrays(run, HEDDLE_OK, 2, both, VALUE_TUPLE, at, out);
}

CALL(call_average)
{
    (void)f;
    heddle_array *x, *weights = NULL;
    bool returned = false;
    struct heddle_reduce_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_axes_options(run, &args[1], &o.axis, &o.has_axis, &o.axes) &&
           heddle__expr_to_optional_array(run, &args[2], true, &weights) &&
           heddle__expr_to_bool(run, &args[3], "keepdims", &o.keepdims) &&
           heddle__expr_to_bool(run, &args[4], "returned", &returned) &&
           average(run, x, weights, &o, returned, at, out);
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
    PLAIN(average, "a/x axis= weights= | keepdims= returned=", call_average),
    {"cov", "m/a y= rowvar= bias= ddof=", call_covariance, {.covariance = heddle_cov_with}},
    {"corrcoef", "x/a y= rowvar=", call_correlation, {.covariance = heddle_corrcoef_with}},
};

TABLE(statistics);
