/* Edges of bins: equal widths of a range, or the caller's. Entry points: heddle_histogram_bin_edges_with,
 * heddle_digitize_with, bins.h. */
#include "api/order/bins.h"

#include "api/compose/compose.h"
#include "api/order/distinct.h"

#include "base/options.h"
#include "graph/evaluator.h"

#include <heddle/create.h>
#include <heddle/search.h>

#include <math.h>

/* Bins are of what has an order that their edges cut. */
static enum heddle_status check_order(const char *name, const heddle_array *a)
{
    HEDDLE_REQUIRE(heddle__kind_rank((enum heddle_dtype)a->dtype) <= 2, HEDDLE_EDTYPE,
                   "heddle_%s: dtype %s has no order", name,
                   heddle_dtype_name((enum heddle_dtype)a->dtype));
    return HEDDLE_OK;
}

/* Whether the edges ascend (1), descend (-1), or neither (0); equal ones ascend. */
static enum heddle_status direction_of(const char *name, heddle_array *edges, int *direction)
{
    uint8_t is[2];
    const int64_t n = edges->size;
    heddle_array *before = heddle__slice(edges, 0, 0, n - 1),
                 *after = heddle__slice(edges, 0, 1, n);
    heddle_array *up = heddle_all_with(heddle_less_equal(before, after), NULL),
                 *down = heddle_all_with(heddle_greater_equal(before, after), NULL);
    const enum heddle_status status = heddle__read_now(up, &is[0], 1);
    if (status != HEDDLE_OK) return status;
    *direction = is[0];
    if (is[0]) return HEDDLE_OK;
    const enum heddle_status other = heddle__read_now(down, &is[1], 1);
    if (other != HEDDLE_OK) return other;
    HEDDLE_REQUIRE(is[1], HEDDLE_ERANGE, "heddle_%s: the edges are in no order", name);
    *direction = -1;
    return HEDDLE_OK;
}

static enum heddle_status check_edges(const char *name, heddle_array *edges)
{
    int direction = 0;
    enum heddle_status status = check_order(name, edges);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(edges->ndim == 1 && edges->size >= 2, HEDDLE_ESHAPE,
                   "heddle_%s: edges of shape %s; they are two or more on one axis", name,
                   HEDDLE_SHAPE_OF(edges));
    HEDDLE_REQUIRE(edges->size <= INT32_MAX, HEDDLE_ESHAPE, "heddle_%s: %lld edges", name,
                   (long long)edges->size);
    status = direction_of(name, edges, &direction);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(direction > 0, HEDDLE_ERANGE, "heddle_%s: the edges do not ascend", name);
    return HEDDLE_OK;
}

/* The least and the largest element; `a`, which is read again, is evaluated with them. */
static enum heddle_status range_of(heddle_array *a, double *low, double *high)
{
    heddle_array *least = heddle_astype(heddle_min_with(a, NULL), HEDDLE_FLOAT64),
                 *most = heddle_astype(heddle_max_with(a, NULL), HEDDLE_FLOAT64);
    enum heddle_status status = heddle__evaluate_now(3, (heddle_array *[]){a, least, most});
    if (status == HEDDLE_OK) status = heddle__read_now(least, low, sizeof *low);
    if (status == HEDDLE_OK) status = heddle__read_now(most, high, sizeof *high);
    return status;
}

static enum heddle_status find_range(const char *name, heddle_array *a,
                                     const struct heddle_histogram_options *o, double *low,
                                     double *high)
{
    *low = o->low;
    *high = o->high;
    if (!o->has_range && a->size == 0) {
        *high = 1;
        *low = 0;
    } else if (!o->has_range) {
        const enum heddle_status status = range_of(a, low, high);
        if (status != HEDDLE_OK) return status;
    }
    HEDDLE_REQUIRE(isfinite(*low) && isfinite(*high), HEDDLE_ERANGE,
                   "heddle_%s: the range from %g to %g is not finite", name, *low, *high);
    HEDDLE_REQUIRE(*low <= *high, HEDDLE_ERANGE,
                   "heddle_%s: the range ends before it begins: %g, %g", name, *low, *high);
    if (*low == *high) {
        const enum heddle_dtype own = (enum heddle_dtype)a->dtype, /* as NumPy: in that precision */
            dtype = heddle_dtype_kind(own) == 'F' && !o->has_range ? own : HEDDLE_FLOAT64;
        *low = heddle__as_held(*low - 0.5, dtype);
        *high = heddle__as_held(*high + 0.5, dtype);
    }
    return HEDDLE_OK;
}

/* Whether the range can be cut so often: its bins are finite, and each begins after the one before. */
static enum heddle_status check_widths(const char *name, double low, double high, int64_t bins,
                                       enum heddle_dtype dtype)
{
    const double width = (high - low) / (double)bins;
    const bool begins = heddle__as_held(low + width, dtype) > heddle__as_held(low, dtype),
               ends = heddle__as_held(high - width, dtype) < heddle__as_held(high, dtype);
    HEDDLE_REQUIRE(isfinite(width) && begins && ends, HEDDLE_ERANGE,
                   "heddle_%s: the range from %g to %g has no %lld bins of %s", name, low, high,
                   (long long)bins, heddle_dtype_name(dtype));
    return HEDDLE_OK;
}

heddle_array *heddle__bin_edges(const char *name, heddle_array *a,
                                const struct heddle_histogram_options *o)
{
    double low, high;
    const int64_t bins = o->bins ? o->bins : 10;
    if (check_order(name, a) != HEDDLE_OK) return heddle__error_last();
    if (o->edges) {
        heddle_array *const bad = heddle__bad_operand(name, 1, (heddle_array *[]){o->edges});
        if (bad) return bad;
        if (o->bins || o->has_range)
            return heddle__error_array(HEDDLE_EARG, "heddle_%s: .edges beside .bins or a range",
                                       name);
        return check_edges(name, o->edges) == HEDDLE_OK ? o->edges : heddle__error_last();
    }
    if (bins < 0 || bins >= INT32_MAX)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: %lld bins", name, (long long)bins);
    if (!o->has_range && (o->low != 0 || o->high != 0))
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: a range without .has_range", name);
    const enum heddle_dtype own = (enum heddle_dtype)a->dtype,
                            dtype = heddle_dtype_kind(own) == 'F' ? own : HEDDLE_FLOAT64;
    if (find_range(name, a, o, &low, &high) != HEDDLE_OK ||
        check_widths(name, low, high, bins, dtype) != HEDDLE_OK)
        return heddle__error_last();
    const struct heddle_linspace_options ends = {.size = sizeof ends, .dtype = dtype};
    return heddle_linspace_with(heddle_scalar_float(low), heddle_scalar_float(high), bins + 1,
                                &ends);
}

heddle_array *heddle_histogram_bin_edges_with(heddle_array *a,
                                              const struct heddle_histogram_options *options)
{
    heddle_array *const bad = heddle__bad_operand("histogram_bin_edges", 1, &a);
    if (bad) return bad;
    struct heddle_histogram_options o;
    if (heddle__options("histogram_bin_edges", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, heddle__bin_edges("histogram_bin_edges", a, &o));
}

/* ---- digitize ------------------------------------------------------------------------------------------ */

heddle_array *heddle_digitize_with(heddle_array *x, heddle_array *bins,
                                   const struct heddle_digitize_options *options)
{
    /* check */
    heddle_array *const both[2] = {x, bins}, *const bad = heddle__bad_operand("digitize", 2, both);
    if (bad) return bad;
    struct heddle_digitize_options o;
    int direction = 0;
    if (heddle__options("digitize", options, &o, sizeof o) != HEDDLE_OK ||
        check_order("digitize", x) != HEDDLE_OK || check_order("digitize", bins) != HEDDLE_OK)
        return heddle__error_last();
    if (bins->ndim != 1)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_digitize: edges of shape %s; they have one axis",
                                   HEDDLE_SHAPE_OF(bins));
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    if (bins->size > 0 && direction_of("digitize", bins, &direction) != HEDDLE_OK)
        return heddle__scope_leave(&scope, heddle__error_last());

    /* build: descending edges are searched from their end */
    const struct heddle_searchsorted_options side = {
        .size = sizeof side, .side = o.right ? HEDDLE_SIDE_LEFT : HEDDLE_SIDE_RIGHT};
    heddle_array *r;
    if (direction >= 0) {
        r = heddle_searchsorted_with(bins, x, &side);
    } else {
        r = heddle_subtract(heddle_scalar_int(bins->size),
                            heddle_searchsorted_with(heddle_flip_with(bins, NULL), x, &side));
    }
    return heddle__scope_leave(&scope, r);
}
