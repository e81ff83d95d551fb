/* Multinomial counts: each category takes a binomial number of the trials that are left. Entry point:
 * heddle_random_multinomial_with. */
#include "api/distribution.h"
#include "api/random/seeded.h"
#include "base/options.h"
#include "graph/scope.h"

#include <heddle/elementwise.h>
#include <heddle/index.h>
#include <heddle/manipulate.h>
#include <heddle/reduce.h>

enum { MOST_CATEGORIES = 256 };

static heddle_array *item(heddle_array *p, int64_t i)
{
    const struct heddle_index at = HEDDLE_AT(i);
    return heddle_getitem(p, 1, &at);
}

/* Of what is left of 1 the share of category i: p[i] / (p[i] + p[i + 1] + ...), at most 1. */
static heddle_array *share_of(heddle_array *p, int64_t i, int64_t n)
{
    const struct heddle_index from = HEDDLE_SLICE(i, n);
    heddle_array *const rest = heddle_sum(heddle_getitem(p, 1, &from)), *const own = item(p, i);
    heddle_array *const share = heddle_minimum(heddle_divide(own, rest), heddle_scalar_float(1));
    return heddle_where(heddle_greater(own, heddle_scalar_float(0)), share, heddle_scalar_float(0));
}

static heddle_array *make_multinomial(struct heddle_generator *rng, int ndim, const int64_t *shape,
                                      heddle_array *trials, heddle_array *p,
                                      enum heddle_dtype dtype)
{
    heddle_array *counts[MOST_CATEGORIES];
    const int n = (int)p->shape[0];
    p = heddle_astype(p, HEDDLE_FLOAT64);
    heddle_array *left = heddle_astype(trials, HEDDLE_INT64);
    if (ndim > 0) left = heddle_broadcast_to(left, ndim, shape);
    for (int i = 0; i + 1 < n; i++) {
        counts[i] = heddle__binomial("random_multinomial", rng, ndim, shape, left,
                                     share_of(p, i, n), HEDDLE_INT64);
        left = heddle_subtract(left, counts[i]);
    }
    counts[n - 1] = left;
    return heddle_astype(heddle_stack(n, counts, -1), dtype ? dtype : HEDDLE_INT64);
}

heddle_array *heddle_random_multinomial_with(struct heddle_generator *rng, int ndim,
                                             const int64_t *shape, heddle_array *n, heddle_array *p,
                                             const struct heddle_random_options *options)
{
    struct heddle_random_options o;
    if (heddle__options("random_multinomial", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    if (!rng || !n || !p)
        return heddle__error_array(HEDDLE_EARG, "heddle_random_multinomial: %s",
                                   !rng ? "the generator is NULL"
                                   : !n ? "n is NULL"
                                        : "p is NULL");
    heddle_array *const bad =
        heddle__bad_operand("random_multinomial", 2, (heddle_array *[]){n, p});
    if (bad) return bad;
    if (p->ndim != 1 || p->shape[0] < 1 || p->shape[0] > MOST_CATEGORIES)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_random_multinomial: p has shape %s; it has one axis of "
                                   "1 to %d categories",
                                   HEDDLE_SHAPE_OF(p), MOST_CATEGORIES);
    if (heddle__check_shape("random_multinomial", ndim, shape) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const r = make_multinomial(rng, ndim, shape, n, p, o.dtype);
    return heddle__then_distributed("random_multinomial", heddle__scope_leave(&scope, r),
                                    o.distribution);
}
