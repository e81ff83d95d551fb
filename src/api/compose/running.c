/* Cumulative sums and products that leave out NaN. Entry points: heddle_nancumsum_with, heddle_nancumprod_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/scan.h>

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
