/* Random integers: 64 bits, brought into a range. Entry points: heddle_random_integers_with, heddle_random_bits_with. */
#include "api/distribution.h"
#include "api/random/draws.h"
#include "base/options.h"
#include "graph/scope.h"

#include <heddle/elementwise.h>
#include <math.h>

/* An end as int64, which wraps: uint64 ones beyond it come out right in the sum. */
static int64_t end_value(const heddle_array *a)
{
    return heddle__convert(a->value, (enum heddle_dtype)a->dtype,
                           a->dtype == HEDDLE_UINT64 ? HEDDLE_UINT64 : HEDDLE_INT64)
        .i64;
}

static __int128 exact(const heddle_array *a)
{
    return a->dtype == HEDDLE_UINT64 ? (__int128)(uint64_t)end_value(a) : (__int128)end_value(a);
}

/* Least and largest integers of a dtype. */
static void limits_of(enum heddle_dtype dtype, __int128 *least, __int128 *most)
{
    const int bits = 8 * (int)heddle_dtype_size(dtype);
    const char kind = heddle_dtype_kind(dtype);
    *least = kind == 'I' ? -((__int128)1 << (bits - 1)) : 0;
    *most = kind == 'B' ? 1 : ((__int128)1 << (bits - (kind == 'I'))) - 1;
}

/* Constants: there is an integer, and the dtype has all of them. */
static enum heddle_status check_ends(const struct heddle__draws *d, const heddle_array *low,
                                     const heddle_array *high, bool endpoint)
{
    __int128 least, most;
    if ((low && !heddle__is_constant(low)) || !heddle__is_constant(high)) return HEDDLE_OK;
    const __int128 first = low ? exact(low) : 0, last = exact(high) - !endpoint;
    HEDDLE_REQUIRE(first <= last, HEDDLE_EARG, "heddle_%s: there is no integer from %lld to %lld",
                   d->name, (long long)first, (long long)last);
    limits_of(d->dtype, &least, &most);
    HEDDLE_REQUIRE(first >= least && last <= most, HEDDLE_ERANGE,
                   "heddle_%s: %s has not all integers from %lld to %lld", d->name,
                   heddle_dtype_name(d->dtype), (long long)first, (long long)last);
    return HEDDLE_OK;
}

static enum heddle_status check_integers(const struct heddle__draws *d, bool endpoint)
{
    enum heddle_status status;
    const heddle_array *low = d->parameters[0].array, *high = d->parameters[1].array;
    HEDDLE_REQUIRE(heddle__kind_rank(d->dtype) < 2, HEDDLE_EDTYPE,
                   "heddle_%s: dtype is %s; it gives integers", d->name,
                   heddle_dtype_name(d->dtype));
    for (int i = 0; i < d->n; i++) {
        const heddle_array *a = d->parameters[i].array;
        HEDDLE_REQUIRE(!a || heddle__kind_rank((enum heddle_dtype)a->dtype) < 2, HEDDLE_EDTYPE,
                       "heddle_%s: %s has dtype %s; it is an integer", d->name,
                       d->parameters[i].name, heddle_dtype_name((enum heddle_dtype)a->dtype));
    }
    if (d->n > 0) HEDDLE_TRY(check_ends(d, low, high, endpoint));
    status = HEDDLE_OK;
fail:
    return status;
}

/* bits * range / 2^64, without bias. */
static heddle_array *below(heddle_array *bits, heddle_array *range)
{
    heddle_array *const operands[2] = {bits, range};
    const enum heddle_dtype dtypes[2] = {HEDDLE_UINT64, HEDDLE_UINT64};
    struct heddle_shape shape = {.ndim = bits->ndim};
    for (int k = 0; k < bits->ndim; k++) shape.extent[k] = bits->shape[k];
    return heddle__hand_out(heddle__make_map(HEDDLE_OP_RANDOM_BELOW, HEDDLE_UINT64, HEDDLE_UINT64,
                                             &shape, 2, operands, dtypes));
}

/* In uint64, which wraps: high - low, 0 standing for 2^64, and low + what is below it. */
static heddle_array *make_integers(struct heddle__draws *d, bool endpoint)
{
    heddle_array *const bad = heddle__draws_check(d);
    if (bad) return bad;
    if (check_integers(d, endpoint) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle__draw(d, HEDDLE_OP_RANDOM_BITS), *low = d->parameters[0].array;
    heddle_array *range = heddle_astype(d->parameters[1].array, HEDDLE_UINT64);
    if (low) range = heddle_subtract(range, low = heddle_astype(low, HEDDLE_UINT64));
    if (endpoint) range = heddle_add(range, heddle_scalar_int(1));
    heddle_array *const failed = heddle__bad_operand(d->name, 2, (heddle_array *[]){x, range});
    if (failed) return heddle__scope_leave(&scope, failed);
    x = below(x, range);
    if (low) x = heddle_add(x, low);
    return heddle__scope_leave(&scope, heddle_astype(x, d->dtype));
}

heddle_array *heddle_random_integers_with(struct heddle_generator *rng, int ndim,
                                          const int64_t *shape, heddle_array *low,
                                          heddle_array *high,
                                          const struct heddle_random_integers_options *options)
{
    struct heddle_random_integers_options o;
    if (heddle__options("random_integers", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle__draws d = {
        .name = "random_integers",
        .rng = rng,
        .ndim = ndim,
        .shape = shape,
        .dtype = o.dtype ? o.dtype : HEDDLE_INT64,
        .n = 2,
        .parameters = {{low, "low", -INFINITY, false}, {high, "high", -INFINITY, true}}};
    return heddle__then_distributed(d.name, make_integers(&d, o.endpoint), o.distribution);
}

heddle_array *heddle_random_bits_with(struct heddle_generator *rng, int ndim, const int64_t *shape,
                                      const struct heddle_random_options *options)
{
    struct heddle_random_options o;
    if (heddle__options("random_bits", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle__draws d = {.name = "random_bits",
                              .rng = rng,
                              .ndim = ndim,
                              .shape = shape,
                              .dtype = o.dtype ? o.dtype : HEDDLE_UINT64,
                              .n = 0};
    heddle_array *const bad = heddle__draws_check(&d);
    if (bad) return bad;
    if (check_integers(&d, false) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle_astype(heddle__draw(&d, HEDDLE_OP_RANDOM_BITS), d.dtype);
    return heddle__then_distributed(d.name, heddle__scope_leave(&scope, x), o.distribution);
}
