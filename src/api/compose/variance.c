/* Variances and standard deviations in two passes: the mean, then the squares of the deviations from it, so
 * that nothing cancels. Both passes read what makes the array, which may fuse. Entry points: heddle_var_with,
 * heddle_std_with, heddle_nanvar_with, heddle_nanstd_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/statistics.h>

#include <math.h>

struct variance {
    const char *name;
    bool skip_nan, root;
};

/* |x|^2, real. */
static heddle_array *size_squared(heddle_array *x)
{
    if (heddle__kind_rank((enum heddle_dtype)x->dtype) < 3) return heddle_square(x);
    return heddle_add(heddle_square(heddle_real(x)), heddle_square(heddle_imag(x)));
}

static heddle_array *sum(heddle_array *x, unsigned mask, bool keepdims)
{
    return heddle__reduce_mask(heddle_sum_with, x, mask, keepdims, HEDDLE_DTYPE_NONE);
}

static heddle_array *of_all(heddle_array *x, unsigned mask, const struct heddle_var_options *o)
{
    const double n = heddle__reduced_count(x, mask);
    heddle_array *mean = heddle_divide(sum(x, mask, true), heddle_scalar_float(n));
    heddle_array *squares = size_squared(heddle_subtract(x, mean));
    return heddle_divide(sum(squares, mask, o->keepdims),
                         heddle_scalar_float(fmax(n - o->correction, 0)));
}

/* Where fewer are left than the correction asks for it is NaN. */
static heddle_array *of_numbers(heddle_array *x, unsigned mask, const struct heddle_var_options *o)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)x->dtype, real = heddle__real_dtype(dtype);
    heddle_array *is_nan = heddle_isnan(x), *zero = heddle__constant(0, dtype);
    heddle_array *here = heddle_astype(heddle_logical_not(is_nan), real);
    heddle_array *total = sum(heddle_where(is_nan, zero, x), mask, true);
    heddle_array *mean = heddle_divide(total, sum(here, mask, true));
    heddle_array *deviation = heddle_where(is_nan, zero, heddle_subtract(x, mean));
    heddle_array *left =
        heddle_subtract(sum(here, mask, o->keepdims), heddle_scalar_float(o->correction));
    heddle_array *r = heddle_divide(sum(size_squared(deviation), mask, o->keepdims), left);
    return heddle_where(heddle_greater(left, heddle_scalar_int(0)), r, heddle_scalar_float(NAN));
}

static heddle_array *variance(struct variance v, heddle_array *a,
                              const struct heddle_var_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand(v.name, 1, &a);
    if (bad) return bad;
    struct heddle_var_options o;
    unsigned mask = 0;
    if (heddle__options(v.name, options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axes_option(v.name, o.has_axis, o.axis, &o.axes, a, &mask) != HEDDLE_OK)
        return heddle__error_last();
    const enum heddle_dtype dtype = o.dtype ? o.dtype : heddle__mean_dtype(a);
    if (!(heddle__kind_bit(dtype) & HEDDLE_ACCEPTS_FLT))
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: .dtype %s is not floating", v.name,
                                   heddle_dtype_name(dtype));

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle_astype(a, heddle__computed_in(dtype));
    const bool skip = v.skip_nan && heddle__kind_rank((enum heddle_dtype)a->dtype) >= 2;
    heddle_array *r = skip ? of_numbers(x, mask, &o) : of_all(x, mask, &o);
    if (v.root) r = heddle_sqrt(r);
    return heddle__scope_leave(&scope, heddle__is_half(dtype) ? heddle_astype(r, dtype) : r);
}

heddle_array *heddle_var_with(heddle_array *a, const struct heddle_var_options *options)
{
    return variance((struct variance){.name = "var"}, a, options);
}

heddle_array *heddle_std_with(heddle_array *a, const struct heddle_var_options *options)
{
    return variance((struct variance){.name = "std", .root = true}, a, options);
}

heddle_array *heddle_nanvar_with(heddle_array *a, const struct heddle_var_options *options)
{
    return variance((struct variance){.name = "nanvar", .skip_nan = true}, a, options);
}

heddle_array *heddle_nanstd_with(heddle_array *a, const struct heddle_var_options *options)
{
    return variance((struct variance){.name = "nanstd", .skip_nan = true, .root = true}, a,
                    options);
}
