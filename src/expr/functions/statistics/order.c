/* Order statistics, and counts by bin. */
#include "expr/functions/functions.h"

CALL(call_quantile)
{
    static const char *const methods[] = {"linear", "lower", "higher", "midpoint", "nearest"};
    heddle_array *a, *q;
    int method = 0;
    struct heddle_quantile_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], false, &q) ||
        !heddle__expr_to_axes_options(run, &args[2], &o.axis, &o.has_axis, &o.axes) ||
        !heddle__expr_to_word(run, &args[3], "method is", 5, methods, &method) ||
        !heddle__expr_to_bool(run, &args[4], "keepdims", &o.keepdims))
        return false;
    o.method = (enum heddle_quantile_method)method;
    return heddle__expr_from_array(run, f->quantile(a, q, &o), at, out);
}

/* Bins as a number or as edges; the range, and weights. */
static bool to_bins(struct run *run, struct value *bins, struct value *range, struct value *weights,
                    struct heddle_histogram_options *o)
{
    *o = (struct heddle_histogram_options){.size = sizeof *o};
    if (bins->kind == VALUE_STRING)
        return heddle__expr_fail(run, HEDDLE_EARG, bins->at,
                                 "bins are a number or edges: rules for them have no names here");
    if (bins->kind == VALUE_INT) {
        o->bins = bins->integer;
        if (o->bins < 1)
            return heddle__expr_fail(run, HEDDLE_EARG, bins->at, "%lld bins", (long long)o->bins);
    } else if (!heddle__expr_to_optional_array(run, bins, true, &o->edges)) {
        return false;
    }
    if (heddle__expr_given(range) && !o->edges) {
        o->has_range = true;
        if (!heddle__expr_is_list(range) || range->n != 2)
            return heddle__expr_fail(run, HEDDLE_EARG, range->at, "a range is two numbers");
        if (!heddle__expr_to_double(run, &range->items[0], "a range", &o->low) ||
            !heddle__expr_to_double(run, &range->items[1], "a range", &o->high))
            return false;
    }
    return heddle__expr_to_optional_array(run, weights, true, &o->weights);
}

CALL(call_histogram)
{
    (void)f;
    heddle_array *a, *found[2] = {NULL, NULL};
    struct heddle_histogram_options o;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !to_bins(run, &args[1], &args[2], &args[4], &o) ||
        (heddle__expr_given(&args[3]) &&
         !heddle__expr_to_bool(run, &args[3], "density", &o.density)))
        return false;
    const enum heddle_status status = heddle_histogram_with(a, &found[0], &found[1], &o);
    return heddle__expr_from_arrays(run, status, 2, found, VALUE_TUPLE, at, out);
}

CALL(call_bin_edges)
{
    (void)f;
    heddle_array *a;
    struct heddle_histogram_options o;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           to_bins(run, &args[1], &args[2], &args[3], &o) &&
           heddle__expr_from_array(run, heddle_histogram_bin_edges_with(a, &o), at, out);
}

CALL(call_bincount)
{
    (void)f;
    heddle_array *x;
    struct heddle_bincount_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_optional_array(run, &args[1], true, &o.weights) &&
           heddle__expr_to_optional_int(run, &args[2], "minlength", &o.minlength) &&
           heddle__expr_from_array(run, heddle_bincount_with(x, &o), at, out);
}

CALL(call_digitize)
{
    (void)f;
    heddle_array *x, *bins;
    struct heddle_digitize_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_array(run, &args[1], true, &bins) &&
           heddle__expr_to_bool(run, &args[2], "right", &o.right) &&
           heddle__expr_from_array(run, heddle_digitize_with(x, bins, &o), at, out);
}

#define QUANTILE(name)                                                                             \
    {                                                                                              \
#name, "a/x q axis= method= | keepdims=", call_quantile,                                   \
        {                                                                                          \
            .quantile = heddle_##name##_with                                                       \
        }                                                                                          \
    }

static const struct function rows[] = {
    REDUCE(median, median),
    REDUCE(nanmedian, nanmedian),
    QUANTILE(quantile),
    QUANTILE(nanquantile),
    QUANTILE(percentile),
    QUANTILE(nanpercentile),
    PLAIN(histogram, "a/x bins= range= density= weights=", call_histogram),
    PLAIN(histogram_bin_edges, "a/x bins= range= weights=", call_bin_edges),
    PLAIN(bincount, "x/a weights= minlength=", call_bincount),
    PLAIN(digitize, "x/a bins right=", call_digitize),
};

TABLE(order);
