/* Quantiles: elements of lines in order, at positions that are computed as arrays. Entry points: heddle_quantile_with,
 * heddle_nanquantile_with, heddle_percentile_with, heddle_nanpercentile_with. */
#include "api/compose/compose.h"
#include "api/order/lines.h"

#include "base/memory.h"
#include "base/options.h"
#include "graph/evaluator.h"

#include <heddle/statistics.h>

#include <math.h>

struct quantile {
    const char *name;
    double whole; /* q is a part of it: 1 or 100 */
    bool skip_nan;
};

/* Few parts, as numbers: the elements at them are views, so that a sort may leave others where they are. */
enum { FEW_PARTS = 4, FEW_ELEMENTS = 1 << 13 };
struct parts {
    int n; /* 0: they are too many, or the lines too short */
    double part[FEW_PARTS];
};

static enum heddle_status check_parts(struct quantile f, heddle_array *q, struct parts *few)
{
    double *values = heddle__alloc((size_t)(q->size + 1) * sizeof *values), bad = 0;
    few->n = 0;
    if (!values) return heddle__fail(HEDDLE_ENOMEM, "heddle_%s: no memory for q", f.name);
    bool good = true;
    heddle_array *x = heddle_astype(q, HEDDLE_FLOAT64);
    const enum heddle_status status = heddle__read_now(x, values, q->size * 8);
    for (int64_t i = 0; status == HEDDLE_OK && i < q->size && good; i++) {
        good = values[i] >= 0 && values[i] <= f.whole;
        bad = values[i];
        if (q->size <= FEW_PARTS)
            few->part[few->n++] = f.whole != 1 ? values[i] / f.whole : values[i];
    }
    heddle__free(values);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(good, HEDDLE_ERANGE, "heddle_%s: %g is not between 0 and %g", f.name, bad,
                   f.whole);
    return HEDDLE_OK;
}

static enum heddle_status check(struct quantile f, const heddle_array *a, heddle_array *q,
                                unsigned mask, enum heddle_quantile_method method,
                                struct parts *few)
{
    for (int i = 0; i < 2; i++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)(i ? q->dtype : a->dtype);
        HEDDLE_REQUIRE(heddle__kind_rank(dtype) <= 2, HEDDLE_EDTYPE,
                       "heddle_%s: dtype %s has no order", f.name, heddle_dtype_name(dtype));
    }
    HEDDLE_REQUIRE(method >= HEDDLE_QUANTILE_LINEAR && method <= HEDDLE_QUANTILE_NEAREST,
                   HEDDLE_EARG, "heddle_%s: .method is %d", f.name, (int)method);
    HEDDLE_REQUIRE(heddle__reduced_count(a, mask) > 0, HEDDLE_ESHAPE,
                   "heddle_%s: shape %s has no elements along the axes", f.name,
                   HEDDLE_SHAPE_OF(a));
    int kept = q->ndim;
    for (int d = 0; d < a->ndim; d++) kept += !(mask & 1u << d);
    HEDDLE_REQUIRE(kept < HEDDLE_MAX_NDIM, HEDDLE_ESHAPE,
                   "heddle_%s: shapes %s and %s give %d axes and one to reduce", f.name,
                   HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(q), kept);
    return check_parts(f, q, few);
}

/* Between x and y, from place floor(at) of their line to the next; `at` as float64. */
static heddle_array *between(heddle_array *x, heddle_array *y, heddle_array *at, bool weak,
                             bool midpoint)
{
    heddle_array *one = heddle_scalar_float(1), *half = heddle_scalar_float(0.5);
    heddle_array *t = heddle_subtract(at, heddle_floor(at));
    if (midpoint) t = heddle_where(heddle_equal(t, heddle_scalar_int(0)), t, half);
    heddle_array *rest = heddle_subtract(one, t), *late = heddle_greater_equal(t, half),
                 *exact =
                     heddle_logical_or(heddle_equal(t, heddle_scalar_int(0)), heddle_equal(x, y));
    if (weak) { /* Python's number: the array's dtype stays */
        t = heddle_astype(t, (enum heddle_dtype)x->dtype);
        rest = heddle_astype(rest, (enum heddle_dtype)x->dtype);
    }
    heddle_array *step = heddle_subtract(y, x);
    heddle_array *r = heddle_where(late, heddle_subtract(y, heddle_multiply(step, rest)),
                                   heddle_add(x, heddle_multiply(step, t)));
    return heddle_where(exact, x, r);
}

/* Elements of all lines at `places` or, of few parts, at the same that are known. `round`: of a place between two. */
static heddle_array *elements_at(heddle_array *lines, heddle_array *places, bool each,
                                 const struct parts *few, double (*round)(double), int64_t more)
{
    const int axis = lines->ndim - 1;
    const int64_t last = lines->shape[axis] - 1;
    heddle_array *at[FEW_PARTS];
    if (each || few->n == 0) return heddle__elements_at(lines, places, each);
    for (int i = 0; i < few->n; i++) {
        const int64_t place = (int64_t)round((double)last * few->part[i]) + more;
        at[i] = heddle__slice(lines, axis, place < last ? place : last,
                              place < last ? place + 1 : last + 1);
    }
    return heddle_concat(few->n, at, axis);
}

/* (others..., places) of lines, for parts q of one axis. */
static heddle_array *quantile_of(heddle_array *lines, heddle_array *q, bool weak, bool skip_nan,
                                 enum heddle_quantile_method method, const struct parts *few)
{
    const int axis = lines->ndim - 1;
    const bool each = skip_nan && heddle__has_nan(lines);
    heddle_array *zero = heddle_scalar_int(0);
    heddle_array *last = each ? heddle_subtract(heddle__count_numbers(lines), heddle_scalar_int(1))
                              : heddle__constant(lines->shape[axis] - 1, HEDDLE_INT64);
    if (each) last = heddle_maximum(last, zero); /* of no numbers the first is NaN */
    heddle_array *at = heddle_multiply(heddle_astype(last, HEDDLE_FLOAT64), q);
    heddle_array *low = heddle_astype(heddle_floor(at), HEDDLE_INT64), *r;
    switch (method) {
    case HEDDLE_QUANTILE_LOWER: r = elements_at(lines, low, each, few, floor, 0); break;
    case HEDDLE_QUANTILE_HIGHER:
        r = elements_at(lines, heddle_astype(heddle_ceil(at), HEDDLE_INT64), each, few, ceil, 0);
        break;
    case HEDDLE_QUANTILE_NEAREST:
        r = elements_at(lines, heddle_astype(heddle_round(at), HEDDLE_INT64), each, few, rint, 0);
        break;
    default: {
        const enum heddle_dtype dtype = heddle__mean_dtype(lines);
        heddle_array *high = heddle_minimum(heddle_add(low, heddle_scalar_int(1)), last);
        r = between(heddle_astype(elements_at(lines, low, each, few, floor, 0), dtype),
                    heddle_astype(elements_at(lines, high, each, few, floor, 1), dtype), at, weak,
                    method == HEDDLE_QUANTILE_MIDPOINT);
    }
    }
    return each ? r : heddle__or_nan(r, lines);
}

static heddle_array *quantile(struct quantile f, heddle_array *a, heddle_array *q,
                              const struct heddle_quantile_options *options)
{
    /* check */
    heddle_array *const both[2] = {a, q}, *const bad = heddle__bad_operand(f.name, 2, both);
    if (bad) return bad;
    struct heddle_quantile_options o;
    unsigned mask = 0;
    if (heddle__options(f.name, options, &o, sizeof o) != HEDDLE_OK ||
        heddle__axes_option(f.name, o.has_axis, o.axis, &o.axes, a, &mask) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    struct parts few;
    if (check(f, a, q, mask, o.method, &few) != HEDDLE_OK)
        return heddle__scope_leave(&scope, heddle__error_last());

    /* build */
    heddle_array *parts = heddle__flat(heddle_astype(q, HEDDLE_FLOAT64));
    if (f.whole != 1) parts = heddle_divide(parts, heddle_scalar_float(f.whole));
    /* ends that are integers are elements, as NumPy has it */
    const bool whole = f.whole == 1 && heddle__kind_rank((enum heddle_dtype)q->dtype) < 2;
    if (whole && o.method == HEDDLE_QUANTILE_LINEAR) o.method = HEDDLE_QUANTILE_LOWER;
    heddle_array *r = heddle__sorted_lines(a, mask);
    if (heddle_status_of(r) == HEDDLE_OK && r->shape[r->ndim - 1] < FEW_ELEMENTS) few.n = 0;
    if (heddle_status_of(r) == HEDDLE_OK)
        r = quantile_of(r, parts, q->weak || q->dtype != HEDDLE_FLOAT64, f.skip_nan, o.method,
                        &few);
    if (heddle_status_of(r) == HEDDLE_OK) { /* (others..., places) as (others..., q's axes) */
        struct heddle_shape s = {.ndim = r->ndim - 1};
        for (int d = 0; d < s.ndim; d++) s.extent[d] = r->shape[d];
        for (int d = 0; d < q->ndim; d++) s.extent[s.ndim++] = q->shape[d];
        r = heddle_reshape(r, s.ndim, s.extent);
    }
    return heddle__scope_leave(&scope, heddle__laid_out(r, a, mask, o.keepdims, q->ndim));
}

heddle_array *heddle_quantile_with(heddle_array *a, heddle_array *q,
                                   const struct heddle_quantile_options *o)
{
    return quantile((struct quantile){"quantile", 1, false}, a, q, o);
}

heddle_array *heddle_nanquantile_with(heddle_array *a, heddle_array *q,
                                      const struct heddle_quantile_options *o)
{
    return quantile((struct quantile){"nanquantile", 1, true}, a, q, o);
}

heddle_array *heddle_percentile_with(heddle_array *a, heddle_array *q,
                                     const struct heddle_quantile_options *o)
{
    return quantile((struct quantile){"percentile", 100, false}, a, q, o);
}

heddle_array *heddle_nanpercentile_with(heddle_array *a, heddle_array *q,
                                        const struct heddle_quantile_options *o)
{
    return quantile((struct quantile){"nanpercentile", 100, true}, a, q, o);
}
