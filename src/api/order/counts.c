/* Counts of integers and of numbers between edges. Entry points: heddle_bincount_with, heddle_histogram_with. */
#include "api/compose/compose.h"
#include "api/order/bins.h"

#include "base/options.h"
#include "families/histogram/histogram.h"
#include "graph/evaluator.h"

#include <heddle/search.h>

/* An operand's weights: of its shape and real. */
static enum heddle_status check_weights(const char *name, const heddle_array *a,
                                        heddle_array *weights)
{
    if (!weights) return HEDDLE_OK;
    heddle_array *const bad = heddle__bad_operand(name, 1, &weights);
    if (bad) return heddle__failed(bad);
    HEDDLE_REQUIRE(heddle__same_shape(a->ndim, a->shape, weights->ndim, weights->shape),
                   HEDDLE_ESHAPE, "heddle_%s: weights of shape %s for an array of shape %s", name,
                   HEDDLE_SHAPE_OF(weights), HEDDLE_SHAPE_OF(a));
    HEDDLE_REQUIRE(heddle__kind_rank((enum heddle_dtype)weights->dtype) <= 2, HEDDLE_EDTYPE,
                   "heddle_%s: weights of dtype %s; they are real", name,
                   heddle_dtype_name((enum heddle_dtype)weights->dtype));
    return HEDDLE_OK;
}

static heddle_array *no_counts(bool weighted, int64_t bins)
{
    const struct heddle_shape s = {.ndim = 1, .extent = {bins}};
    return heddle__zeros(weighted ? HEDDLE_FLOAT64 : HEDDLE_INT64, &s);
}

/* ---- bincount ------------------------------------------------------------------------------------------ */

static enum heddle_status check_integers(const heddle_array *x,
                                         const struct heddle_bincount_options *o)
{
    HEDDLE_REQUIRE(x->ndim == 1, HEDDLE_ESHAPE,
                   "heddle_bincount: an array of shape %s; it has one axis", HEDDLE_SHAPE_OF(x));
    HEDDLE_REQUIRE(heddle__kind_rank((enum heddle_dtype)x->dtype) <= 1, HEDDLE_EDTYPE,
                   "heddle_bincount: dtype %s; it counts integers",
                   heddle_dtype_name((enum heddle_dtype)x->dtype));
    HEDDLE_REQUIRE(o->minlength >= 0 && o->minlength <= HEDDLE_MAX_SIZE, HEDDLE_EARG,
                   "heddle_bincount: .minlength is %lld", (long long)o->minlength);
    return check_weights("bincount", x, o->weights);
}

/* How many bins the elements ask for; `x`, which is read again, is evaluated. */
static enum heddle_status find_length(heddle_array *x, int64_t *length)
{
    const bool is_unsigned = heddle_dtype_kind((enum heddle_dtype)x->dtype) == 'U';
    const enum heddle_dtype wide = is_unsigned ? HEDDLE_UINT64 : HEDDLE_INT64;
    union {
        int64_t i;
        uint64_t u;
    } least = {0}, most;
    heddle_array *ends[3] = {x, heddle_astype(heddle_min_with(x, NULL), wide),
                             heddle_astype(heddle_max_with(x, NULL), wide)};
    enum heddle_status status = heddle__evaluate_now(3, ends);
    if (status == HEDDLE_OK) status = heddle__read_now(ends[1], &least, sizeof least);
    if (status == HEDDLE_OK) status = heddle__read_now(ends[2], &most, sizeof most);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(is_unsigned || least.i >= 0, HEDDLE_ERANGE, "heddle_bincount: %lld is negative",
                   (long long)least.i);
    HEDDLE_REQUIRE(most.u < HEDDLE_MAX_SIZE / 4, HEDDLE_ERANGE,
                   "heddle_bincount: %llu asks for too many elements", (unsigned long long)most.u);
    if (*length < most.i + 1) *length = most.i + 1;
    return HEDDLE_OK;
}

heddle_array *heddle_bincount_with(heddle_array *x, const struct heddle_bincount_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("bincount", 1, &x);
    if (bad) return bad;
    struct heddle_bincount_options o;
    if (heddle__options("bincount", options, &o, sizeof o) != HEDDLE_OK ||
        check_integers(x, &o) != HEDDLE_OK)
        return heddle__error_last();
    int64_t bins = o.minlength;
    if (x->size == 0) return no_counts(o.weights != NULL, bins);

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *whole = x->dtype == HEDDLE_BOOL ? heddle_astype(x, HEDDLE_UINT8) : x;
    if (find_length(whole, &bins) != HEDDLE_OK)
        return heddle__scope_leave(&scope, heddle__error_last());
    return heddle__scope_leave(&scope, heddle__histogram(whole, NULL, false, o.weights, bins));
}

/* ---- histogram ----------------------------------------------------------------------------------------- */

static bool is_wide(const heddle_array *a)
{
    return a->dtype == HEDDLE_INT64 || a->dtype == HEDDLE_UINT64;
}

/* The bin of each integer between edges that are integers; beside them -1, or `bins` and more. Exact beyond 2**53. */
static heddle_array *bins_of(heddle_array *x, heddle_array *edges, int64_t bins)
{
    const struct heddle_searchsorted_options right = {.size = sizeof right,
                                                      .side = HEDDLE_SIDE_RIGHT};
    heddle_array *last = heddle__item(edges, 0, bins);
    heddle_array *bin =
        heddle_subtract(heddle_searchsorted_with(edges, x, &right), heddle_scalar_int(1));
    return heddle_where(heddle_equal(x, last), heddle_scalar_int(bins - 1), bin);
}

/* Counts in the dtype of the weights. */
static heddle_array *count(heddle_array *a, heddle_array *edges,
                           const struct heddle_histogram_options *o)
{
    const bool is_float32 = a->dtype == HEDDLE_FLOAT32 && edges->dtype == HEDDLE_FLOAT32;
    const enum heddle_dtype compared = is_float32 ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64;
    const int64_t bins = edges->size - 1;
    if (a->size == 0) return no_counts(o->weights != NULL, bins);
    heddle_array *weights = o->weights ? heddle__flat(o->weights) : NULL;
    if (weights && heddle_status_of(weights) != HEDDLE_OK) return weights;
    if (is_wide(a) && is_wide(edges)) {
        heddle_array *bin = bins_of(heddle__flat(a), edges, bins);
        return heddle_status_of(bin) == HEDDLE_OK
                   ? heddle__histogram(bin, NULL, false, weights, bins)
                   : bin;
    }
    heddle_array *x = heddle_astype(heddle__flat(a), compared);
    heddle_array *e = heddle_astype(edges, compared);
    if (heddle_status_of(x) != HEDDLE_OK) return x;
    if (heddle_status_of(e) != HEDDLE_OK) return e;
    return heddle__histogram(x, e, !o->edges, weights, bins);
}

/* Over their sum and the widths of the bins. */
static heddle_array *density_of(heddle_array *counts, heddle_array *edges)
{
    heddle_array *x = heddle_astype(counts, HEDDLE_FLOAT64),
                 *e = heddle_astype(edges, HEDDLE_FLOAT64);
    heddle_array *widths =
        heddle_subtract(heddle__slice(e, 0, 1, e->size), heddle__slice(e, 0, 0, e->size - 1));
    return heddle_divide(heddle_divide(x, widths), heddle_sum_with(x, NULL));
}

enum heddle_status heddle_histogram_with(heddle_array *a, heddle_array **counts,
                                         heddle_array **edges,
                                         const struct heddle_histogram_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("histogram", 1, &a);
    if (bad) return heddle__failed(bad);
    struct heddle_histogram_options o;
    enum heddle_status status = heddle__options("histogram", options, &o, sizeof o);
    if (status == HEDDLE_OK) status = check_weights("histogram", a, o.weights);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(counts, HEDDLE_EARG, "heddle_histogram: no place for the counts");

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *found[2] = {NULL, heddle__bin_edges("histogram", a, &o)};
    found[0] = found[1];
    if (heddle_status_of(found[1]) == HEDDLE_OK) {
        found[0] = count(a, found[1], &o);
        if (o.density)
            found[0] = density_of(found[0], found[1]);
        else if (o.weights && o.weights->dtype != HEDDLE_BOOL)
            found[0] = heddle_astype(found[0], (enum heddle_dtype)o.weights->dtype);
    }
    return heddle__leave_with(&scope, 2, found, (heddle_array * *const[]){counts, edges});
}
