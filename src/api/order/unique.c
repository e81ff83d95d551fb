/* Distinct elements: of the sorted elements those that differ from the one before. Entry points:
 * heddle_unique_values_with, heddle_unique_counts_with, heddle_unique_inverse_with, heddle_unique_all_with, distinct.h. */
#include "api/compose/compose.h"
#include "api/order/distinct.h"
#include "api/order/lines.h"

#include "base/options.h"
#include "families/compact/compact.h"
#include "families/gather/gather.h"
#include "graph/evaluator.h"

#include <heddle/assemble.h>
#include <heddle/scan.h>
#include <heddle/sets.h>
#include <heddle/sort.h>

/* What the elements differ in from those before them. */
static heddle_array *differ(heddle_array *sorted, bool equal_nan)
{
    const int64_t n = sorted->size;
    heddle_array *before = heddle__slice(sorted, 0, 0, n - 1),
                 *after = heddle__slice(sorted, 0, 1, n);
    heddle_array *r = heddle_not_equal(before, after);
    if (!equal_nan || !heddle__has_nan(sorted)) return r;
    heddle_array *both = heddle_logical_and(heddle_isnan(before), heddle_isnan(after));
    return heddle_logical_and(r, heddle_logical_not(both)); /* NaNs are last */
}

static enum heddle_status evaluate(struct heddle__runs *r)
{
    heddle_array *const all[3] = {r->sorted, r->is_first, r->order};
    const int n = r->order ? 3 : 2;
    for (int i = 0; i < n; i++)
        if (heddle_status_of(all[i]) != HEDDLE_OK) return heddle__failed(all[i]);
    return heddle__evaluate_now(n, all);
}

/* Of elements that there are. All that is made of the runs reads data. */
static enum heddle_status find_runs(heddle_array *x, bool with_order, bool equal_nan,
                                    struct heddle__runs *r)
{
    heddle_array *flat = heddle__flat(x);
    r->order = with_order ? heddle_argsort_with(flat, NULL) : NULL;
    r->sorted = with_order ? heddle__take(flat, r->order, 0) : heddle_sort_with(flat, NULL);
    if (heddle_status_of(r->sorted) != HEDDLE_OK) return heddle__failed(r->sorted);
    const struct heddle_shape one = {.ndim = 1, .extent = {1}};
    heddle_array *first = heddle_logical_not(heddle__zeros(HEDDLE_BOOL, &one));
    r->is_first =
        x->size == 1 ? first
                     : heddle_concat(2, (heddle_array *[]){first, differ(r->sorted, equal_nan)}, 0);
    return evaluate(r);
}

/* Of what lies along an axis. */
static enum heddle_status find_rows(heddle_array *x, int axis, struct heddle__runs *r)
{
    heddle_array *const first = heddle__move(x, axis, 0);
    const int64_t n = x->shape[axis], shape[2] = {n, n ? x->size / n : 0};
    heddle__row_runs(heddle_reshape(first, 2, shape), r);
    return evaluate(r);
}

/* ---- What there is of the runs -------------------------------------------------------------------------- */

static heddle_array *counts_of(heddle_array *firsts, int64_t n)
{
    heddle_array *end = heddle__constant(n, HEDDLE_INT64);
    if (heddle_status_of(firsts) != HEDDLE_OK) return firsts;
    heddle_array *const ends[2] = {heddle__slice(firsts, 0, 1, firsts->size),
                                   heddle_reshape(end, 1, (const int64_t[]){1})};
    return heddle_subtract(heddle_concat(2, ends, 0), firsts);
}

/* The number of each element's run, where the element was. */
static heddle_array *inverse_of(const struct heddle__runs *r, int ndim, const int64_t *shape)
{
    heddle_array *number =
        heddle_cumulative_sum_with(heddle_astype(r->is_first, HEDDLE_INT64), NULL);
    number = heddle_subtract(number, heddle_scalar_int(1));
    heddle_array *place = heddle_argsort_with(r->order, NULL); /* of each element in the runs */
    return heddle_reshape(heddle__take(number, place, 0), ndim, shape);
}

/* ---- Functions --------------------------------------------------------------------------------------- */

enum { VALUES, COUNTS, INVERSE, INDICES, N_PARTS };

/* The rows that are first of their kind, as what lies along the axis of x. */
static heddle_array *rows_of(const char *name, const struct heddle__runs *r, const heddle_array *x,
                             int axis)
{
    struct heddle_shape s = {.ndim = x->ndim};
    heddle_array *const firsts = heddle__compact(name, r->is_first, NULL);
    if (heddle_status_of(firsts) != HEDDLE_OK) return firsts;
    s.extent[0] = firsts->size;
    for (int d = 0, to = 1; d < x->ndim; d++)
        if (d != axis) s.extent[to++] = x->shape[d];
    heddle_array *const rows = heddle__take(r->sorted, firsts, 0);
    return heddle__move(heddle_reshape(rows, s.ndim, s.extent), 0, axis);
}

/* Makes the parts that have a place in `out`. */
static enum heddle_status unique(const char *name, heddle_array *x,
                                 const struct heddle_unique_options *options,
                                 heddle_array **const out[N_PARTS])
{
    /* check */
    heddle_array *const bad = heddle__bad_operand(name, 1, &x);
    if (bad) return heddle__failed(bad);
    struct heddle_unique_options o;
    int axis = 0;
    enum heddle_status status = heddle__options(name, options, &o, sizeof o);
    if (status == HEDDLE_OK && o.has_axis)
        status = heddle__axis_option(name, true, o.axis, 0, x, &axis);
    if (status != HEDDLE_OK) return status;
    const int64_t n = o.has_axis ? x->shape[axis] : x->size;

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    struct heddle__runs r = {.sorted = NULL};
    heddle_array *found[N_PARTS],
        *none = heddle__zeros(HEDDLE_INT64, &(struct heddle_shape){.ndim = 1});
    for (int i = 0; i < N_PARTS; i++) found[i] = none;
    if (n == 0) {
        found[VALUES] = o.has_axis ? x : heddle_astype(none, (enum heddle_dtype)x->dtype);
        found[INVERSE] = o.has_axis ? none : heddle_reshape(none, x->ndim, x->shape);
        return heddle__leave_with(&scope, N_PARTS, found, out);
    }
    status = o.has_axis ? find_rows(x, axis, &r)
                        : find_runs(x, out[INVERSE] || out[INDICES], o.equal_nan, &r);
    if (status != HEDDLE_OK) {
        heddle__scope_leave(&scope, heddle__error_memory()); /* which nobody owns */
        return heddle__fail(status, "heddle_%s: %s", name, heddle_last_error());
    }
    found[VALUES] =
        o.has_axis ? rows_of(name, &r, x, axis) : heddle__compact(name, r.is_first, r.sorted);
    if (out[COUNTS]) {
        heddle_array *firsts = heddle__compact(name, r.is_first, NULL);
        found[COUNTS] = counts_of(firsts, n);
    }
    if (out[INVERSE])
        found[INVERSE] = inverse_of(&r, o.has_axis ? 1 : x->ndim, o.has_axis ? &n : x->shape);
    if (out[INDICES]) found[INDICES] = heddle__compact(name, r.is_first, r.order);
    return heddle__leave_with(&scope, N_PARTS, found, out);
}

heddle_array *heddle_unique_values_with(heddle_array *x, const struct heddle_unique_options *o)
{
    heddle_array *values = NULL, **const out[N_PARTS] = {[VALUES] = &values};
    return unique("unique_values", x, o, out) == HEDDLE_OK ? values : heddle__error_last();
}

heddle_array *heddle__distinct(const char *name, heddle_array *x)
{
    const struct heddle_unique_options o = {.size = sizeof o, .equal_nan = true};
    heddle_array *values = NULL, **const out[N_PARTS] = {[VALUES] = &values};
    return unique(name, x, &o, out) == HEDDLE_OK ? values : heddle__error_last();
}

enum heddle_status heddle_unique_counts_with(heddle_array *x, heddle_array **values,
                                             heddle_array **counts,
                                             const struct heddle_unique_options *o)
{
    return unique("unique_counts", x, o,
                  (heddle_array * *const[N_PARTS]){[VALUES] = values, [COUNTS] = counts});
}

enum heddle_status heddle_unique_inverse_with(heddle_array *x, heddle_array **values,
                                              heddle_array **inverse,
                                              const struct heddle_unique_options *o)
{
    return unique("unique_inverse", x, o,
                  (heddle_array * *const[N_PARTS]){[VALUES] = values, [INVERSE] = inverse});
}

enum heddle_status heddle_unique_all_with(heddle_array *x, struct heddle_unique *out,
                                          const struct heddle_unique_options *o)
{
    HEDDLE_REQUIRE(out, HEDDLE_EARG, "heddle_unique_all: no place for the results");
    return unique("unique_all", x, o,
                  (heddle_array * *const[N_PARTS]){[VALUES] = &out->values,
                                                   [COUNTS] = &out->counts,
                                                   [INVERSE] = &out->inverse,
                                                   [INDICES] = &out->indices});
}
