/* Cumulative functions that are made of others: extremes by steps of doubled length (Hillis and Steele, "Data parallel
 * algorithms"), sums and products that leave out NaN. Entry points: heddle_cumulative_max_with, heddle_cumulative_min_with,
 * heddle_nancumsum_with, heddle_nancumprod_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/scan.h>

typedef heddle_array *binary(heddle_array *, heddle_array *);

/* ---- Extremes ------------------------------------------------------------------------------------------ */

/* After the step of `reach` each element has the extreme of 2 reach before it. */
static heddle_array *extremes(heddle_array *x, int axis, binary *f)
{
    const int64_t n = x->shape[axis];
    for (int64_t reach = 1; reach < n && heddle_status_of(x) == HEDDLE_OK; reach *= 2) {
        heddle_array *const far =
            f(heddle__slice(x, axis, reach, n), heddle__slice(x, axis, 0, n - reach));
        heddle_array *const parts[2] = {heddle__slice(x, axis, 0, reach), far};
        x = heddle_concat(2, parts, axis);
    }
    return x;
}

static heddle_array *cumulative(const char *name, binary *f, heddle_array *a,
                                const struct heddle_scan_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_scan_options o;
    int axis = 0;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    if (o.include_initial)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: there is no initial element", name);
    if (a->ndim != 1 && !o.has_axis && !o.axis)
        return heddle__error_array(HEDDLE_EAXIS,
                                   "heddle_%s: shape %s has %d axes: name one with .axis", name,
                                   HEDDLE_SHAPE_OF(a), a->ndim);
    if (heddle__axis_option(name, o.has_axis, o.axis, 0, a, &axis) != HEDDLE_OK)
        return heddle__error_last();
    if (heddle__kind_rank((enum heddle_dtype)a->dtype) > 2)
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: complex numbers have no order", name);

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const x = o.dtype ? heddle_astype(a, o.dtype) : a;
    return heddle__scope_leave(&scope, heddle_status_of(x) == HEDDLE_OK ? extremes(x, axis, f) : x);
}

heddle_array *heddle_cumulative_max_with(heddle_array *a, const struct heddle_scan_options *o)
{
    return cumulative("cumulative_max", heddle_maximum, a, o);
}

heddle_array *heddle_cumulative_min_with(heddle_array *a, const struct heddle_scan_options *o)
{
    return cumulative("cumulative_min", heddle_minimum, a, o);
}

/* ---- Without NaN ----------------------------------------------------------------------------------------- */

static heddle_array *of_numbers(const char *name, int64_t neutral, heddle_array *a,
                                const struct heddle_scan_options *options)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_scan_options o;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    o.size = sizeof o;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const bool may_be_nan = heddle__kind_rank((enum heddle_dtype)a->dtype) >= 2;
    heddle_array *const x =
        may_be_nan ? heddle_where(heddle_isnan(a), heddle_scalar_int(neutral), a) : a;
    return heddle__scope_leave(&scope, neutral ? heddle_cumulative_prod_with(x, &o)
                                               : heddle_cumulative_sum_with(x, &o));
}

heddle_array *heddle_nancumsum_with(heddle_array *a, const struct heddle_scan_options *o)
{
    return of_numbers("nancumsum", 0, a, o);
}

heddle_array *heddle_nancumprod_with(heddle_array *a, const struct heddle_scan_options *o)
{
    return of_numbers("nancumprod", 1, a, o);
}
