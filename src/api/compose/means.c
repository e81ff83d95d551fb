/* Sums and means that leave out NaN or have weights, and ranges. Entry points: heddle_nansum_with,
 * heddle_nanprod_with, heddle_nanmean_with, heddle_nanargmax_with, heddle_nanargmin_with, heddle_ptp_with, heddle_average_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/statistics.h>

#include <math.h>

/* The options, as axes that a mask has, and the array that is to be returned at once, or NULL. */
static heddle_array *check(const char *name, heddle_array *a,
                           const struct heddle_reduce_options *given,
                           struct heddle_reduce_options *o, unsigned *mask)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    if (heddle__options(name, given, o, sizeof *o) != HEDDLE_OK ||
        heddle__axes_option(name, o->has_axis, o->axis, &o->axes, a, mask) != HEDDLE_OK)
        return heddle__error_last();
    o->size = sizeof *o;
    return NULL;
}

static bool has_nan(const heddle_array *a)
{
    return heddle__kind_rank((enum heddle_dtype)a->dtype) >= 2;
}

/* x with `value` in the place of NaN. */
static heddle_array *without_nan(heddle_array *x, double value)
{
    return heddle_where(heddle_isnan(x), heddle_scalar_float(value), x);
}

static heddle_array *reduce_numbers(const char *name, heddle__reduction *f, double neutral,
                                    heddle_array *a, const struct heddle_reduce_options *options)
{
    struct heddle_reduce_options o;
    unsigned mask = 0;
    heddle_array *const bad = check(name, a, options, &o, &mask);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, f(has_nan(a) ? without_nan(a, neutral) : a, &o));
}

heddle_array *heddle_nanargmax_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce_numbers("nanargmax", heddle_argmax_with, -INFINITY, a, o);
}

heddle_array *heddle_nanargmin_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce_numbers("nanargmin", heddle_argmin_with, INFINITY, a, o);
}

heddle_array *heddle_nansum_with(heddle_array *a, const struct heddle_reduce_options *options)
{
    return reduce_numbers("nansum", heddle_sum_with, 0, a, options);
}

heddle_array *heddle_nanprod_with(heddle_array *a, const struct heddle_reduce_options *options)
{
    return reduce_numbers("nanprod", heddle_prod_with, 1, a, options);
}

heddle_array *heddle_nanmean_with(heddle_array *a, const struct heddle_reduce_options *options)
{
    struct heddle_reduce_options o;
    unsigned mask = 0;
    heddle_array *const bad = check("nanmean", a, options, &o, &mask);
    if (bad) return bad;
    if (!has_nan(a)) return heddle_mean_with(a, &o);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const enum heddle_dtype dtype = o.dtype ? o.dtype : (enum heddle_dtype)a->dtype;
    o.dtype = heddle__computed_in(dtype);
    heddle_array *x = heddle_astype(a, o.dtype);
    const enum heddle_dtype real = heddle__real_dtype((enum heddle_dtype)x->dtype);
    heddle_array *here = heddle_astype(heddle_logical_not(heddle_isnan(x)), real);
    heddle_array *n =
        heddle__reduce_mask(heddle_sum_with, here, mask, o.keepdims, HEDDLE_DTYPE_NONE);
    heddle_array *total = heddle_sum_with(without_nan(x, 0), &o);
    heddle_array *r = heddle_divide(total, n);
    return heddle__scope_leave(&scope, heddle__is_half(dtype) ? heddle_astype(r, dtype) : r);
}

heddle_array *heddle_ptp_with(heddle_array *a, const struct heddle_reduce_options *options)
{
    struct heddle_reduce_options o;
    unsigned mask = 0;
    heddle_array *const bad = check("ptp", a, options, &o, &mask);
    if (bad) return bad;
    if (o.dtype) return heddle__error_array(HEDDLE_EARG, "heddle_ptp: takes no .dtype");
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope,
                               heddle_subtract(heddle_max_with(a, &o), heddle_min_with(a, &o)));
}

/* The weights with the axes of `mask` in their places, or of a's shape; NULL and the error set. */
static heddle_array *spread_weights(heddle_array *a, heddle_array *weights, unsigned mask)
{
    if (heddle__same_shape(a->ndim, a->shape, weights->ndim, weights->shape)) return weights;
    struct heddle_shape s = {.ndim = a->ndim};
    int n = 0;
    bool fits = true;
    for (int d = 0; d < a->ndim; d++) {
        s.extent[d] = 1;
        if (!(mask & 1u << d)) continue;
        fits = fits && n < weights->ndim && weights->shape[n] == a->shape[d];
        s.extent[d] = a->shape[d];
        n++;
    }
    if (fits && n == weights->ndim) return heddle_reshape(weights, s.ndim, s.extent);
    heddle__fail(HEDDLE_ESHAPE, "heddle_average: weights of shape %s for the axes of shape %s",
                 HEDDLE_SHAPE_OF(weights), HEDDLE_SHAPE_OF(a));
    return NULL;
}

heddle_array *heddle_average_with(heddle_array *a, heddle_array *weights,
                                  const struct heddle_reduce_options *options)
{
    /* check */
    struct heddle_reduce_options o;
    unsigned mask = 0;
    heddle_array *bad = check("average", a, options, &o, &mask);
    if (bad) return bad;
    if (!weights) return heddle_mean_with(a, &o);
    heddle_array *const both[2] = {a, weights};
    bad = heddle__bad_operand("average", 2, both);
    if (bad) return bad;
    if (o.dtype) return heddle__error_array(HEDDLE_EARG, "heddle_average: takes no .dtype");
    enum heddle_dtype dtype = heddle__promote(2, both);
    if (heddle__kind_rank(dtype) < 2) dtype = HEDDLE_FLOAT64;

    /* build: sum(a w) / sum(w) */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *w = spread_weights(a, weights, mask), *r;
    if (w) {
        w = heddle_astype(heddle_broadcast_to(w, a->ndim, a->shape), dtype);
        r = heddle_divide(heddle_sum_with(heddle_multiply(heddle_astype(a, dtype), w), &o),
                          heddle_sum_with(w, &o));
    } else {
        r = heddle__error_last();
    }
    return heddle__scope_leave(&scope, r);
}
