/* Random orders and choices: sorted keys, integers, and places on a cumulative sum. Entry points:
 * heddle_random_permutation_with, heddle_random_choice_with. */
#include "api/random/draws.h"
#include "base/options.h"
#include "graph/axes.h"
#include "graph/scope.h"

#include <heddle/elementwise.h>
#include <heddle/gather.h>
#include <heddle/index.h>
#include <heddle/manipulate.h>
#include <heddle/scan.h>
#include <heddle/search.h>
#include <heddle/sort.h>

/* n positions in random order: those of 64-bit keys; equal keys, which are rarer than 1 in 2^64 pairs, keep their order. */
static heddle_array *random_order(struct heddle_generator *rng, int64_t n)
{
    return heddle_argsort(heddle_random_bits(rng, 1, &n));
}

/* The axis of `a`, which counts from the end if it is negative. */
static enum heddle_status find_axis(const char *name, struct heddle_generator *rng,
                                    const heddle_array *a, int *axis)
{
    HEDDLE_REQUIRE(rng, HEDDLE_EARG, "heddle_%s: the generator is NULL", name);
    HEDDLE_REQUIRE(a->ndim > 0, HEDDLE_ESHAPE, "heddle_%s: an array without axes has no order",
                   name);
    HEDDLE_REQUIRE(*axis >= -a->ndim && *axis < a->ndim, HEDDLE_EAXIS,
                   "heddle_%s: axis %d of shape %s", name, *axis, HEDDLE_SHAPE_OF(a));
    if (*axis < 0) *axis += a->ndim;
    return HEDDLE_OK;
}

heddle_array *heddle_random_permutation_with(struct heddle_generator *rng, heddle_array *a,
                                             const struct heddle_random_order_options *options)
{
    struct heddle_random_order_options o;
    heddle_array *const bad = heddle__bad_operand("random_permutation", 1, &a);
    if (bad) return bad;
    if (heddle__options("random_permutation", options, &o, sizeof o) != HEDDLE_OK ||
        find_axis("random_permutation", rng, a, &o.axis) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const order = random_order(rng, a->shape[o.axis]);
    return heddle__scope_leave(&scope, heddle_take(a, order, .axis = o.axis));
}

/* ---- Choices ------------------------------------------------------------------------------------------- */

struct choices {
    struct heddle_generator *rng;
    int64_t n, wanted; /* of so many, so many */
    int ndim;
    const int64_t *shape; /* of the wanted ones */
    heddle_array *p;      /* NULL: all alike */
    bool without_replacement;
};

/* The least of n waiting times are those of the likeliest: places without replacement. */
static heddle_array *distinct_places(const struct choices *c)
{
    heddle_array *order;
    if (c->p) {
        heddle_array *const waits = heddle_random_exponential(c->rng, 1, &c->n);
        order = heddle_argsort(heddle_divide(waits, heddle_astype(c->p, HEDDLE_FLOAT64)));
    } else {
        order = random_order(c->rng, c->n);
    }
    const struct heddle_index first = HEDDLE_SLICE(0, c->wanted);
    return heddle_reshape(heddle_getitem(order, 1, &first), c->ndim, c->shape);
}

/* Where a uniform number falls among the cumulative sums of p. */
static heddle_array *places_by_share(const struct choices *c)
{
    heddle_array *const sums = heddle_cumulative_sum(heddle_astype(c->p, HEDDLE_FLOAT64));
    const struct heddle_index last = HEDDLE_AT(-1);
    heddle_array *const total = heddle_getitem(sums, 1, &last);
    heddle_array *const u = heddle_random_uniform(c->rng, c->ndim, c->shape);
    heddle_array *const place =
        heddle_searchsorted(sums, heddle_multiply(u, total), .side = HEDDLE_SIDE_RIGHT);
    return heddle_minimum(place, heddle_scalar_int(c->n - 1)); /* u * total may round to total */
}

static heddle_array *places_of(const struct choices *c)
{
    if (c->without_replacement) return distinct_places(c);
    if (c->p) return places_by_share(c);
    return heddle_random_integers(c->rng, c->ndim, c->shape, NULL, heddle_scalar_int(c->n));
}

static enum heddle_status check_choices(const struct choices *c)
{
    enum heddle_status status;
    HEDDLE_TRY(heddle__check_shape("random_choice", c->ndim, c->shape));
    HEDDLE_REQUIRE(c->n > 0 || c->wanted == 0, HEDDLE_ESHAPE,
                   "heddle_random_choice: there is nothing to choose from");
    HEDDLE_REQUIRE(!c->without_replacement || c->wanted <= c->n, HEDDLE_ESHAPE,
                   "heddle_random_choice: %lld choices of %lld without replacement",
                   (long long)c->wanted, (long long)c->n);
    HEDDLE_REQUIRE(!c->p || (c->p->ndim == 1 && c->p->shape[0] == c->n), HEDDLE_ESHAPE,
                   "heddle_random_choice: .p has shape %s for %lld elements", HEDDLE_SHAPE_OF(c->p),
                   (long long)c->n);
    HEDDLE_REQUIRE(!c->p || heddle__kind_rank((enum heddle_dtype)c->p->dtype) < 3, HEDDLE_EDTYPE,
                   "heddle_random_choice: .p is complex");
fail:
    return status;
}

heddle_array *heddle_random_choice_with(struct heddle_generator *rng, int ndim,
                                        const int64_t *shape, heddle_array *a,
                                        const struct heddle_random_choice_options *options)
{
    struct heddle_random_choice_options o;
    if (heddle__options("random_choice", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    heddle_array *const given[2] = {a, o.p};
    heddle_array *const bad = heddle__bad_operand("random_choice", o.p ? 2 : 1, given);
    if (bad) return bad;
    if (find_axis("random_choice", rng, a, &o.axis) != HEDDLE_OK) return heddle__error_last();
    struct choices c = {.rng = rng,
                        .n = a->shape[o.axis],
                        .wanted = 1,
                        .ndim = ndim,
                        .shape = shape,
                        .p = o.p,
                        .without_replacement = o.without_replacement};
    for (int d = 0; shape && d < ndim && d < HEDDLE_MAX_NDIM; d++) c.wanted *= shape[d];
    if (check_choices(&c) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const places =
        c.wanted > 0 ? places_of(&c) : heddle_zeros(ndim, shape, .dtype = HEDDLE_INT64);
    return heddle__scope_leave(&scope, heddle_take(a, places, .axis = o.axis));
}
