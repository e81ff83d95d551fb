/* Functions that reduce or scan along axes, and flip, which takes axes as they do. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/scan.h>

static bool reduce(struct run *run, const struct function *f, size_t at, const struct value *a,
                   const struct value *axis, const struct value *keepdims, enum heddle_dtype dtype,
                   struct value *out)
{
    heddle_array *x;
    struct heddle_reduce_options options = {.size = sizeof options, .dtype = dtype};
    if (axis->kind == VALUE_ARRAY && (f->reduce == heddle_max_with || f->reduce == heddle_min_with))
        return heddle__expr_fail(
            run, HEDDLE_EARG, axis->at,
            "%s() takes one array and its axes; of two arrays use %simum(a, b)", f->name,
            f->reduce == heddle_max_with ? "max" : "min");
    return heddle__expr_to_array(run, a, true, &x) &&
           heddle__expr_to_axes_options(run, axis, &options.axis, &options.has_axis,
                                        &options.axes) &&
           heddle__expr_to_bool(run, keepdims, "keepdims", &options.keepdims) &&
           heddle__expr_from_array(run, f->reduce(x, &options), at, out);
}

CALL(call_flip)
{
    heddle_array *x;
    struct heddle_flip_options options = {.size = sizeof options};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_axes_options(run, &args[1], &options.axis, &options.has_axis,
                                        &options.axes) &&
           heddle__expr_from_array(run, f->flip(x, &options), at, out);
}

HEADING(heddle__expr_call_reduce)
{
    return reduce(run, f, at, &args[0], &args[1], &args[2], HEDDLE_DTYPE_NONE, out);
}

HEADING(heddle__expr_call_reduce_dtype)
{
    enum heddle_dtype dtype;
    return heddle__expr_to_dtype(run, &args[2], &dtype) &&
           reduce(run, f, at, &args[0], &args[1], &args[3], dtype, out);
}

CALL(call_mean)
{
    enum heddle_dtype dtype;
    struct value converted = args[0];
    heddle_array *x;
    if (!heddle__expr_to_dtype(run, &args[2], &dtype)) return false;
    if (dtype != HEDDLE_DTYPE_NONE &&
        !(heddle__expr_to_array(run, &args[0], true, &x) &&
          heddle__expr_from_array(run, heddle_astype(x, dtype), at, &converted)))
        return false;
    return reduce(run, f, at, &converted, &args[1], &args[3], HEDDLE_DTYPE_NONE, out);
}

/* Scans along an axis. Without one cumsum and cumprod scan all elements in C order, as NumPy's do. */
static bool scan(struct run *run, const struct function *f, size_t at, const struct value *args,
                 bool flat, bool include_initial, struct value *out)
{
    heddle_array *x;
    struct heddle_scan_options options = {.size = sizeof options,
                                          .include_initial = include_initial};
    if (!heddle__expr_to_array(run, &args[0], true, &x) ||
        !heddle__expr_to_axis(run, &args[1], &options.axis, &options.has_axis) ||
        !heddle__expr_to_dtype(run, &args[2], &options.dtype))
        return false;
    if (heddle_ndim(x) == 0 || (flat && !options.has_axis)) x = heddle__expr_flat(x);
    return heddle__expr_from_array(run, f->scan(x, &options), at, out);
}

CALL(call_scan)
{
    bool initial = false;
    return heddle__expr_to_bool(run, &args[3], "include_initial", &initial) &&
           scan(run, f, at, args, false, initial, out);
}

CALL(call_flat_scan)
{
    return scan(run, f, at, args, true, false, out);
}

/* np.add.reduce and np.add.accumulate: along the first axis if none is given. */
CALL(call_reduce_first)
{
    const struct value first = {.kind = VALUE_INT, .at = args[0].at};
    struct value all[4] = {args[0], args[1], args[2], args[3]};
    if (args[1].kind == VALUE_ABSENT) all[1] = first;
    return heddle__expr_call_reduce_dtype(run, f, at, all, out);
}

CALL(call_accumulate)
{
    const struct value first = {.kind = VALUE_INT, .at = args[0].at};
    struct value all[3] = {args[0], args[1], args[2]};
    if (args[1].kind == VALUE_ABSENT) all[1] = first;
    return scan(run, f, at, all, true, false, out);
}

#define OF_UFUNC(name, function)                                                                   \
    {                                                                                              \
        name ".reduce", "array/a axis= dtype= | keepdims=", call_reduce_first,                     \
        {                                                                                          \
            .reduce = heddle_##function##_with                                                     \
        }                                                                                          \
    }

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    OF_UFUNC("add", sum),
    OF_UFUNC("multiply", prod),
    OF_UFUNC("maximum", max),
    OF_UFUNC("minimum", min),
    OF_UFUNC("logical_and", all),
    OF_UFUNC("logical_or", any),
    {"add.accumulate",
     "array/a axis= dtype=",
     call_accumulate,
     {.scan = heddle_cumulative_sum_with}},
    {"multiply.accumulate",
     "array/a axis= dtype=",
     call_accumulate,
     {.scan = heddle_cumulative_prod_with}},
    REDUCE_DTYPE(sum),
    REDUCE_DTYPE(prod),
    REDUCE(max, max),
    REDUCE(min, min),
    REDUCE(nanmax, nanmax),
    REDUCE(nanmin, nanmin),
    REDUCE(any, any),
    REDUCE(all, all),
    REDUCE(argmax, argmax),
    REDUCE(argmin, argmin),
    REDUCE(count_nonzero, count_nonzero),
    {"mean", "a/x axis= dtype= | keepdims=", call_mean, {.reduce = heddle_mean_with}},
    {"flip", "m/a/x axis=", call_flip, {.flip = heddle_flip_with}},
    {"cumulative_sum",
     "x/a axis= | dtype= include_initial=",
     call_scan,
     {.scan = heddle_cumulative_sum_with}},
    {"cumulative_prod",
     "x/a axis= | dtype= include_initial=",
     call_scan,
     {.scan = heddle_cumulative_prod_with}},
    {"cumsum", "a/x axis= dtype=", call_flat_scan, {.scan = heddle_cumulative_sum_with}},
    {"cumprod", "a/x axis= dtype=", call_flat_scan, {.scan = heddle_cumulative_prod_with}},
    REDUCE(amax, max),
    REDUCE(amin, min),
};

TABLE(reductions);
