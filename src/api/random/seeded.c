/* Distributions by rejection: each element has a stream of its own, whose seed is drawn, and tries with its words until it
 * has a result. Entry points: heddle_random_gamma_with, heddle_random_beta_with, heddle_random_poisson_with,
 * heddle_random_binomial_with, heddle__binomial. */
#include "api/random/seeded.h"

#include "api/distribution.h"
#include "base/options.h"
#include "graph/scope.h"

#include <heddle/elementwise.h>
#include <math.h>

/* A row of ops.def on parameters, then a seed from the next stream: float64. */
static heddle_array *seeded(struct heddle__draws *d, enum heddle_op op, int n,
                            heddle_array *const parameters[])
{
    static const enum heddle_dtype dtypes[3] = {HEDDLE_FLOAT64, HEDDLE_FLOAT64, HEDDLE_FLOAT64};
    heddle_array *operands[3];
    for (int i = 0; i < n; i++) operands[i] = heddle_astype(parameters[i], HEDDLE_FLOAT64);
    operands[n] = heddle__draw(d, HEDDLE_OP_RANDOM_SEED);
    heddle_array *const bad = heddle__bad_operand(d->name, n + 1, operands);
    if (bad) return bad;
    return heddle__hand_out(
        heddle__make_map(op, HEDDLE_FLOAT64, HEDDLE_FLOAT64, &d->result, n + 1, operands, dtypes));
}

static heddle_array *check_kind(struct heddle__draws *d, int least_rank)
{
    heddle_array *const bad = heddle__draws_check(d);
    const int rank = bad ? 0 : heddle__kind_rank(d->dtype);
    if (bad || (rank >= least_rank && rank < 3)) return bad;
    return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: dtype is %s; it gives %s numbers",
                               d->name, heddle_dtype_name(d->dtype),
                               least_rank == 2 ? "floating" : "real");
}

/* ---- Gamma and beta ------------------------------------------------------------------------------------ */

static heddle_array *make_gamma(struct heddle__draws *d)
{
    heddle_array *const bad = check_kind(d, 2);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *scale = heddle__draws_parameter(d, 1);
    heddle_array *x = seeded(d, HEDDLE_OP_RANDOM_GAMMA, 1, &d->parameters[0].array);
    x = heddle_astype(x, d->dtype);
    return heddle__scope_leave(&scope, scale ? heddle_multiply(x, scale) : x);
}

heddle_array *heddle_random_gamma_with(struct heddle_generator *rng, int ndim, const int64_t *shape,
                                       heddle_array *k,
                                       const struct heddle_random_gamma_options *options)
{
    struct heddle_random_gamma_options o;
    if (heddle__options("random_gamma", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle__draws d = {.name = "random_gamma",
                              .rng = rng,
                              .ndim = ndim,
                              .shape = shape,
                              .dtype = o.dtype,
                              .n = 2,
                              .parameters = {{k, "k", 0, true}, {o.scale, "scale", 0, false}}};
    return heddle__then_distributed(d.name, make_gamma(&d), o.distribution);
}

/* x / (x + y) of two gammas. Both are 0 only if the parameters are so small that the result is 0 or 1 as good as always:
 * 1 in a share a / (a + b). */
static heddle_array *make_beta(struct heddle__draws *d)
{
    heddle_array *const bad = check_kind(d, 2);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const a = heddle_astype(d->parameters[0].array, HEDDLE_FLOAT64),
                        *const b = heddle_astype(d->parameters[1].array, HEDDLE_FLOAT64);
    heddle_array *x = seeded(d, HEDDLE_OP_RANDOM_GAMMA, 1, &a);
    heddle_array *total = heddle_add(x, seeded(d, HEDDLE_OP_RANDOM_GAMMA, 1, &b));
    heddle_array *share = heddle_divide(a, heddle_add(a, b));
    heddle_array *coin = heddle_less(heddle__draw(d, HEDDLE_OP_RANDOM_UNIFORM), share);
    x = heddle_where(heddle_equal(total, heddle_scalar_float(0)),
                     heddle_astype(coin, HEDDLE_FLOAT64), heddle_divide(x, total));
    return heddle__scope_leave(&scope, heddle_astype(x, d->dtype));
}

heddle_array *heddle_random_beta_with(struct heddle_generator *rng, int ndim, const int64_t *shape,
                                      heddle_array *a, heddle_array *b,
                                      const struct heddle_random_options *options)
{
    struct heddle_random_options o;
    if (heddle__options("random_beta", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle__draws d = {.name = "random_beta",
                              .rng = rng,
                              .ndim = ndim,
                              .shape = shape,
                              .dtype = o.dtype,
                              .n = 2,
                              .parameters = {{a, "a", 0, true}, {b, "b", 0, true}}};
    return heddle__then_distributed(d.name, make_beta(&d), o.distribution);
}

/* ---- Counts -------------------------------------------------------------------------------------------- */

static heddle_array *make_counts(struct heddle__draws *d, enum heddle_op op)
{
    heddle_array *const bad = check_kind(d, 0);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const one = heddle_scalar_float(1);
    heddle_array *const parameters[2] = {d->parameters[0].array ? d->parameters[0].array : one,
                                         d->parameters[1].array};
    heddle_array *x = seeded(d, op, d->n, parameters);
    if (heddle__kind_rank(d->dtype) < 2) /* as nan has no integer */
        x = heddle_where(heddle_isnan(x), heddle_scalar_float(0), x);
    return heddle__scope_leave(&scope, heddle_astype(x, d->dtype));
}

/* Constants are not above `most`. */
static heddle_array *check_most(const struct heddle__draws *d, int i, double most)
{
    double value;
    heddle_array *const a = d->parameters[i].array;
    if (!a || heddle_status_of(a) != HEDDLE_OK || !heddle__constant_value(a, &value) ||
        value <= most)
        return NULL;
    return heddle__error_array(HEDDLE_EARG, "heddle_%s: %s is %g, more than %g", d->name,
                               d->parameters[i].name, value, most);
}

heddle_array *heddle_random_poisson_with(struct heddle_generator *rng, int ndim,
                                         const int64_t *shape, heddle_array *lam,
                                         const struct heddle_random_options *options)
{
    struct heddle_random_options o;
    if (heddle__options("random_poisson", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle__draws d = {.name = "random_poisson",
                              .rng = rng,
                              .ndim = ndim,
                              .shape = shape,
                              .dtype = o.dtype ? o.dtype : HEDDLE_INT64,
                              .n = 1,
                              .parameters = {{lam, "lam", 0, false}}};
    heddle_array *const bad = check_most(&d, 0, 1e18);
    return bad ? bad
               : heddle__then_distributed(d.name, make_counts(&d, HEDDLE_OP_RANDOM_POISSON),
                                          o.distribution);
}

heddle_array *heddle__binomial(const char *name, struct heddle_generator *rng, int ndim,
                               const int64_t *shape, heddle_array *n, heddle_array *p,
                               enum heddle_dtype dtype)
{
    struct heddle__draws d = {.name = name,
                              .rng = rng,
                              .ndim = ndim,
                              .shape = shape,
                              .dtype = dtype ? dtype : HEDDLE_INT64,
                              .n = 2,
                              .parameters = {{n, "n", 0, true}, {p, "p", 0, true}}};
    heddle_array *bad = check_most(&d, 0, 1e18);
    if (!bad) bad = check_most(&d, 1, 1);
    return bad ? bad : make_counts(&d, HEDDLE_OP_RANDOM_BINOMIAL);
}

heddle_array *heddle_random_binomial_with(struct heddle_generator *rng, int ndim,
                                          const int64_t *shape, heddle_array *n, heddle_array *p,
                                          const struct heddle_random_options *options)
{
    struct heddle_random_options o;
    if (heddle__options("random_binomial", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    return heddle__then_distributed(
        "random_binomial", heddle__binomial("random_binomial", rng, ndim, shape, n, p, o.dtype),
        o.distribution);
}
