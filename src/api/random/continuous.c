/* Random floating numbers: a draw, then its place and size. Entry points: heddle_random_uniform_with,
 * heddle_random_normal_with, heddle_random_standard_normal_with, heddle_random_lognormal_with,
 * heddle_random_exponential_with. */
#include "api/distribution.h"
#include "api/random/draws.h"
#include "base/options.h"
#include "graph/scope.h"

#include <heddle/elementwise.h>
#include <math.h>

/* Good arguments of a function that gives floating numbers; NULL, or an array in error. */
static heddle_array *check_floating(struct heddle__draws *d)
{
    heddle_array *const bad = heddle__draws_check(d);
    if (bad || heddle__kind_rank(d->dtype) == 2) return bad;
    return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: dtype is %s; it gives floating numbers",
                               d->name, heddle_dtype_name(d->dtype));
}

/* place + size * x, in the dtype. */
static heddle_array *placed(const struct heddle__draws *d, heddle_array *x, heddle_array *place,
                            heddle_array *size)
{
    x = heddle_astype(x, d->dtype);
    if (size) x = heddle_multiply(x, size);
    return place ? heddle_add(x, place) : x;
}

static heddle_array *make_uniform(struct heddle__draws *d)
{
    heddle_array *const bad = check_floating(d);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const bool wide = d->dtype == HEDDLE_FLOAT64;
    heddle_array *x = heddle__draw(d, wide ? HEDDLE_OP_RANDOM_UNIFORM : HEDDLE_OP_RANDOM_UNIFORM32);
    heddle_array *low = heddle__draws_parameter(d, 0), *size = heddle__draws_parameter(d, 1);
    if (low) size = heddle_subtract(size ? size : heddle_scalar_float(1), low);
    return heddle__scope_leave(&scope, placed(d, x, low, size));
}

heddle_array *heddle_random_uniform_with(struct heddle_generator *rng, int ndim,
                                         const int64_t *shape,
                                         const struct heddle_random_uniform_options *options)
{
    struct heddle_random_uniform_options o;
    if (heddle__options("random_uniform", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle__draws d = {
        .name = "random_uniform",
        .rng = rng,
        .ndim = ndim,
        .shape = shape,
        .dtype = o.dtype,
        .n = 2,
        .parameters = {{o.low, "low", -INFINITY, false}, {o.high, "high", -INFINITY, false}}};
    return heddle__then_distributed(d.name, make_uniform(&d), o.distribution);
}

/* ---- Normal -------------------------------------------------------------------------------------------- */

static heddle_array *make_normal(struct heddle__draws *d, bool logarithm)
{
    heddle_array *const bad = check_floating(d);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle__draw(d, HEDDLE_OP_RANDOM_NORMAL);
    x = placed(d, x, heddle__draws_parameter(d, 0), heddle__draws_parameter(d, 1));
    return heddle__scope_leave(&scope, logarithm ? heddle_exp(x) : x);
}

static heddle_array *normal(const char *name, bool logarithm, struct heddle_generator *rng,
                            int ndim, const int64_t *shape,
                            const struct heddle_random_normal_options *options)
{
    struct heddle_random_normal_options o;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    struct heddle__draws d = {
        .name = name,
        .rng = rng,
        .ndim = ndim,
        .shape = shape,
        .dtype = o.dtype,
        .n = 2,
        .parameters = {{o.loc, "loc", -INFINITY, false}, {o.scale, "scale", 0, false}}};
    return heddle__then_distributed(name, make_normal(&d, logarithm), o.distribution);
}

heddle_array *heddle_random_normal_with(struct heddle_generator *rng, int ndim,
                                        const int64_t *shape,
                                        const struct heddle_random_normal_options *o)
{
    return normal("random_normal", false, rng, ndim, shape, o);
}

heddle_array *heddle_random_lognormal_with(struct heddle_generator *rng, int ndim,
                                           const int64_t *shape,
                                           const struct heddle_random_normal_options *o)
{
    return normal("random_lognormal", true, rng, ndim, shape, o);
}

heddle_array *heddle_random_standard_normal_with(struct heddle_generator *rng, int ndim,
                                                 const int64_t *shape,
                                                 const struct heddle_random_options *options)
{
    struct heddle_random_options o;
    if (heddle__options("random_standard_normal", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle__draws d = {.name = "random_standard_normal",
                              .rng = rng,
                              .ndim = ndim,
                              .shape = shape,
                              .dtype = o.dtype,
                              .n = 0};
    heddle_array *const bad = check_floating(&d);
    if (bad) return bad;
    d.n = 2; /* the defaults of normal */
    return heddle__then_distributed(d.name, make_normal(&d, false), o.distribution);
}

/* ---- Exponential --------------------------------------------------------------------------------------- */

static heddle_array *make_exponential(struct heddle__draws *d)
{
    heddle_array *const bad = check_floating(d);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle__draw(d, HEDDLE_OP_RANDOM_EXPONENTIAL);
    return heddle__scope_leave(&scope, placed(d, x, NULL, heddle__draws_parameter(d, 0)));
}

heddle_array *
heddle_random_exponential_with(struct heddle_generator *rng, int ndim, const int64_t *shape,
                               const struct heddle_random_exponential_options *options)
{
    struct heddle_random_exponential_options o;
    if (heddle__options("random_exponential", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle__draws d = {.name = "random_exponential",
                              .rng = rng,
                              .ndim = ndim,
                              .shape = shape,
                              .dtype = o.dtype,
                              .n = 1,
                              .parameters = {{o.scale, "scale", 0, false}}};
    return heddle__then_distributed(d.name, make_exponential(&d), o.distribution);
}
