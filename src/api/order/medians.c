/* Medians: the middle of lines in order. Entry points: heddle_median_with, heddle_nanmedian_with. */
#include "api/compose/compose.h"
#include "api/order/lines.h"

#include "base/options.h"

#include <heddle/statistics.h>

static heddle_array *mean_of_two(heddle_array *x, heddle_array *y)
{
    return heddle_divide(heddle_add(x, y), heddle_scalar_int(2));
}

/* (others..., 1) */
static heddle_array *middle(heddle_array *lines, enum heddle_dtype dtype)
{
    const int axis = lines->ndim - 1;
    const int64_t n = lines->shape[axis], k = n / 2;
    heddle_array *high = heddle_astype(heddle__slice(lines, axis, k, k + 1), dtype);
    if (n % 2) return high;
    return mean_of_two(heddle_astype(heddle__slice(lines, axis, k - 1, k), dtype), high);
}

static heddle_array *middle_of_numbers(heddle_array *lines)
{
    heddle_array *n = heddle__count_numbers(lines), *two = heddle_scalar_int(2),
                 *zero = heddle_scalar_int(0);
    heddle_array *low = heddle_floor_divide(
                     heddle_maximum(heddle_subtract(n, heddle_scalar_int(1)), zero), two),
                 *high = heddle_minimum(heddle_floor_divide(n, two),
                                        heddle_scalar_int(lines->shape[lines->ndim - 1] - 1));
    heddle_array *x = heddle__elements_at(lines, low, true),
                 *y = heddle__elements_at(lines, high, true);
    /* of no numbers the first is NaN */
    return heddle_where(heddle_equal(low, high), x, mean_of_two(x, y));
}

static heddle_array *median(const char *name, heddle_array *a,
                            const struct heddle_reduce_options *options, bool skip_nan)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_reduce_options o;
    unsigned mask = 0;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axes_option(name, o.has_axis, o.axis, &o.axes, a, &mask) != HEDDLE_OK)
        return heddle__error_last();
    if (heddle__kind_rank((enum heddle_dtype)a->dtype) > 2)
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: dtype %s has no order", name,
                                   heddle_dtype_name((enum heddle_dtype)a->dtype));
    if (o.dtype)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: .dtype means nothing here", name);
    if (heddle__reduced_count(a, mask) == 0) { /* NaN, as the mean is */
        o.size = sizeof o;
        return heddle_mean_with(a, &o);
    }

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *lines = heddle__sorted_lines(a, mask), *r = lines;
    if (heddle_status_of(lines) == HEDDLE_OK)
        r = skip_nan && heddle__has_nan(a)
                ? middle_of_numbers(lines)
                : heddle__or_nan(middle(lines, heddle__mean_dtype(a)), lines);
    if (heddle_status_of(r) == HEDDLE_OK) r = heddle__item(r, r->ndim - 1, 0);
    return heddle__scope_leave(&scope, heddle__laid_out(r, a, mask, o.keepdims, 0));
}

heddle_array *heddle_median_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return median("median", a, o, false);
}

heddle_array *heddle_nanmedian_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return median("nanmedian", a, o, true);
}
