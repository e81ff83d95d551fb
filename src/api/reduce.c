/* Reductions: axes, dtypes, the value of an empty one, and a REDUCE node, or several (graph/components.h); mean, keepdims and
 * count_nonzero are made of other operations. Entry points: heddle_sum_with and its siblings. */
#include "base/options.h"
#include "graph/axes.h"
#include "graph/components.h"
#include "graph/make.h"
#include "graph/scope.h"
#include "graph/stacks.h"

#include <heddle/create.h>
#include <heddle/elementwise.h>
#include <heddle/reduce.h>

/* The shape of a result: without the axes of `mask`, or with 1 in their place. */
static struct heddle_shape reduced_shape(const heddle_array *a, unsigned mask, bool keepdims)
{
    struct heddle_shape s = {.ndim = 0};
    for (int d = 0; d < a->ndim; d++) {
        if (!(mask & 1u << d))
            s.extent[s.ndim++] = a->shape[d];
        else if (keepdims)
            s.extent[s.ndim++] = 1;
    }
    return s;
}

static bool is_arg(enum heddle_reduction op)
{
    return op == HEDDLE_REDUCE_ARGMAX || op == HEDDLE_REDUCE_ARGMIN;
}

/* The dtype in which it reduces. HEDDLE_EDTYPE. */
static enum heddle_status accumulator(enum heddle_reduction op, const heddle_array *a,
                                      enum heddle_dtype asked, enum heddle_dtype *dtype)
{
    const struct heddle_reduction_info *info = &heddle__reductions[op];
    *dtype = (enum heddle_dtype)a->dtype;
    if (info->convert == HEDDLE_CONVERT_TRUTH) *dtype = HEDDLE_BOOL;
    if (info->convert == HEDDLE_CONVERT_WIDE) {
        const char kind = heddle_dtype_kind(*dtype);
        if (kind == 'B' || kind == 'I') *dtype = HEDDLE_INT64;
        if (kind == 'U') *dtype = HEDDLE_UINT64;
        if (asked) *dtype = asked;
        if (heddle__check_dtype(info->name, *dtype) != HEDDLE_OK) return HEDDLE_EDTYPE;
    }
    HEDDLE_REQUIRE(info->accepts & heddle__kind_bit(*dtype), HEDDLE_EDTYPE,
                   "heddle_%s: dtype %s; accepts %s", info->name, heddle_dtype_name(*dtype),
                   heddle__accepts_text(info->accepts));
    return HEDDLE_OK;
}

/* The result if there are no elements, or no axis to reduce; NULL and no error otherwise. */
static heddle_array *trivial(enum heddle_reduction op, heddle_array *a, enum heddle_dtype dtype,
                             unsigned mask, const struct heddle_shape *shape)
{
    const struct heddle_reduction_info *info = &heddle__reductions[op];
    const enum heddle_dtype result = is_arg(op) ? HEDDLE_INT64 : dtype;
    if (mask == 0)
        return is_arg(op) ? heddle__make_zeros(HEDDLE_INT64, a->ndim, a->shape)
                          : heddle__make_cast(a, dtype);
    bool no_result = false;
    for (int d = 0; d < shape->ndim; d++) no_result |= shape->extent[d] == 0;
    if (!no_result && info->identity == HD_NONE) {
        heddle__fail(HEDDLE_ESHAPE, "heddle_%s: nothing to reduce in shape %s", info->name,
                     HEDDLE_SHAPE_OF(a));
        return NULL;
    }
    const union heddle_scalar v = {.i64 = no_result ? 0 : info->identity};
    return heddle__make_constant(heddle__convert(v, HEDDLE_INT64, result), result, shape->ndim,
                                 shape->extent);
}

/* The REDUCE node over `a` converted to `dtype`: an owned reference. */
static heddle_array *reduce_node(enum heddle_reduction op, heddle_array *a, enum heddle_dtype dtype,
                                 unsigned mask, const struct heddle_shape *shape)
{
    const enum heddle_dtype computed = heddle__computed_in(dtype);
    heddle_array *cast = heddle__make_cast(a, computed);
    if (!cast) return NULL;
    heddle_array *r = heddle__node_new(HEDDLE_NODE_REDUCE, is_arg(op) ? HEDDLE_INT64 : computed,
                                       shape->ndim, shape->extent);
    if (r) {
        r->op = (uint8_t)op;
        r->in_dtype = (uint8_t)computed;
        r->axes = (uint8_t)mask;
        heddle__node_inputs(r, 1, &cast);
    }
    heddle__release(cast);
    if (!r) return heddle__no_memory();
    return is_arg(op) ? r : heddle__recast(r, dtype);
}

/* The same, index by index of an axis that it keeps: a reduction for each, brought together. */
static heddle_array *reduce_components(enum heddle_reduction op, heddle_array *a,
                                       enum heddle_dtype dtype, unsigned mask,
                                       const struct heddle_shape *shape, int axis)
{
    const int n = (int)a->shape[axis];
    const unsigned before = (1u << axis) - 1;
    const unsigned rest = (mask & before) | (mask >> 1 & ~before);
    const int to = __builtin_popcount(~mask & before); /* the same axis of the result */
    struct heddle_shape part = {.ndim = 0}, slot = *shape;
    for (int d = 0; d < shape->ndim; d++)
        if (d != to) part.extent[part.ndim++] = shape->extent[d];
    slot.extent[to] = 1;
    heddle_array *in[HEDDLE_MOST_COMPONENTS] = {NULL}, *r = NULL;
    bool ok = n > 0;
    for (int i = 0; i < n && ok; i++) {
        heddle_array *component = heddle__make_component(a, axis, i);
        heddle_array *reduced = component ? reduce_node(op, component, dtype, rest, &part) : NULL;
        in[i] = reduced ? heddle__make_ones(reduced, slot.ndim, slot.extent) : NULL;
        ok = in[i];
        heddle__release(component);
        heddle__release(reduced);
    }
    if (ok) r = heddle__make_stack(to, n, in);
    for (int i = 0; i < n; i++) heddle__release(in[i]);
    return r;
}

/* ---- Of what is stacked --------------------------------------------------------------------------- */

/* `op` of n arrays of a dtype and a shape, which are borrowed. */
static heddle_array *map_of(enum heddle_op op, enum heddle_dtype dtype, int n,
                            heddle_array *const in[])
{
    struct heddle_shape shape;
    heddle__broadcast_all(NULL, 1, in + n - 1, &shape);
    const enum heddle_dtype result =
        heddle__ops[op].result == HEDDLE_RESULT_BOOL ? HEDDLE_BOOL : dtype;
    const enum heddle_dtype dtypes[3] = {n == 3 ? HEDDLE_BOOL : dtype, dtype, dtype};
    return heddle__make_map(op, dtype, result, &shape, n, in, dtypes);
}

/* `*x` becomes the operation of it and y. False: no memory. */
static bool combine(enum heddle_op op, enum heddle_dtype dtype, heddle_array **x, heddle_array *y)
{
    heddle_array *const in[2] = {*x, y}, *const before = *x;
    *x = map_of(op, dtype, 2, in);
    heddle__release(before);
    return *x;
}

static heddle_array *index_of(int64_t i, enum heddle_dtype dtype, const heddle_array *like)
{
    const union heddle_scalar v = {.i64 = i};
    return heddle__make_constant(heddle__convert(v, HEDDLE_INT64, dtype), dtype, like->ndim,
                                 like->shape);
}

/* Whether `best` stays where y comes: it is no less (no more), or NaN. */
static heddle_array *stays(enum heddle_op op, enum heddle_dtype dtype, heddle_array *best,
                           heddle_array *y)
{
    heddle_array *const in[2] = {y, best};
    heddle_array *r = map_of(
        op == HEDDLE_OP_MAXIMUM ? HEDDLE_OP_LESS_EQUAL : HEDDLE_OP_GREATER_EQUAL, dtype, 2, in);
    if (!r || heddle_dtype_kind(dtype) != 'F') return r;
    heddle_array *nan = map_of(HEDDLE_OP_ISNAN, dtype, 1, &best);
    if (nan)
        combine(HEDDLE_OP_LOGICAL_OR, HEDDLE_BOOL, &r, nan);
    else
        r = (heddle__release(r), NULL);
    heddle__release(nan);
    return r;
}

/* Where the best of n arrays of a dtype is. Indices are as wide as the values, so that vectors hold as many of both. */
static heddle_array *best_of(enum heddle_op op, enum heddle_dtype dtype, int n,
                             heddle_array *const x[])
{
    const size_t size = heddle_dtype_size(dtype);
    const enum heddle_dtype index = size == 1   ? HEDDLE_INT8
                                    : size == 2 ? HEDDLE_INT16
                                    : size == 4 ? HEDDLE_INT32
                                                : HEDDLE_INT64;
    heddle_array *best = heddle__retain(x[0]), *at = index_of(0, index, x[0]);
    for (int i = 1; i < n && best && at; i++) {
        heddle_array *in[3] = {stays(op, dtype, best, x[i]), at, index_of(i, index, x[0])};
        heddle_array *const before = at;
        at = in[0] && in[2] ? map_of(HEDDLE_OP_WHERE, index, 3, in) : NULL;
        heddle__release(in[0]);
        heddle__release(in[2]);
        heddle__release(before);
        if (at && i + 1 < n) combine(op, dtype, &best, x[i]);
    }
    heddle__release(best ? NULL : at);
    at = best ? heddle__recast(at, HEDDLE_INT64) : NULL;
    heddle__release(best);
    return at;
}

/* The reduction of what is stacked along `axis`: the operation of one after the other, as a reduction of so few does it. */
static heddle_array *reduce_stacked(enum heddle_reduction op, heddle_array *a,
                                    enum heddle_dtype dtype, int axis)
{
    const enum heddle_dtype computed = heddle__computed_in(dtype);
    const int n = (int)a->shape[axis];
    heddle_array *x[HEDDLE_MOST_STACKED], *r = NULL;
    if (!heddle__make_stacked(a, axis, x)) return NULL;
    bool ok = true;
    for (int i = 0; i < n; i++) {
        x[i] = heddle__recast(x[i], computed);
        ok = ok && x[i];
    }
    if (ok && is_arg(op)) {
        r = best_of(op == HEDDLE_REDUCE_ARGMAX ? HEDDLE_OP_MAXIMUM : HEDDLE_OP_MINIMUM, computed, n,
                    x);
    } else if (ok) {
        r = heddle__retain(x[0]);
        for (int i = 1; i < n && r; i++) combine(heddle__combining(op), computed, &r, x[i]);
        r = heddle__recast(r, dtype);
    }
    for (int i = 0; i < n; i++) heddle__release(x[i]);
    return r;
}

/* The options, and the axes that they name. `dtype`: whether the function takes one. */
static enum heddle_status read_options(const char *name, const heddle_array *a,
                                       const struct heddle_reduce_options *given, bool dtype,
                                       struct heddle_reduce_options *o, unsigned *mask)
{
    const enum heddle_status status = heddle__options(name, given, o, sizeof *o);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(dtype || !o->dtype, HEDDLE_EARG, "heddle_%s: takes no .dtype", name);
    return heddle__axes_option(name, o->has_axis, o->axis, &o->axes, a, mask);
}

/* Any row of reductions.def. */
static heddle_array *reduce(enum heddle_reduction op, heddle_array *a,
                            const struct heddle_reduce_options *options)
{
    /* check and infer */
    const char *const name = heddle__reductions[op].name;
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_reduce_options o;
    unsigned mask = 0;
    enum heddle_dtype dtype;
    const bool wide = heddle__reductions[op].convert == HEDDLE_CONVERT_WIDE;
    if (read_options(name, a, options, wide, &o, &mask) != HEDDLE_OK ||
        accumulator(op, a, o.dtype, &dtype) != HEDDLE_OK)
        return heddle__error_last();
    const bool flat = mask == (1u << a->ndim) - 1;
    const bool one = mask && !(mask & (mask - 1));
    if (is_arg(op) && a->ndim > 0 && !flat && !one)
        return heddle__error_array(HEDDLE_EAXIS, "heddle_%s: takes one axis, or all", name);

    /* build */
    const struct heddle_shape shape = reduced_shape(a, mask, false);
    const int axis = heddle__component_axis(a, mask);
    heddle_array *r = mask == 0 || a->size == 0 ? trivial(op, a, dtype, mask, &shape)
                      : one && heddle__is_stacked(a, __builtin_ctz(mask))
                          ? reduce_stacked(op, a, dtype, __builtin_ctz(mask))
                      : axis >= 0 ? reduce_components(op, a, dtype, mask, &shape, axis)
                                  : reduce_node(op, a, dtype, mask, &shape);
    if (r && mask && o.keepdims) {
        const struct heddle_shape kept = reduced_shape(a, mask, true);
        heddle_array *bare = r;
        r = r->size == 0 ? heddle__make_zeros((enum heddle_dtype)r->dtype, kept.ndim, kept.extent)
                         : heddle__make_ones(bare, kept.ndim, kept.extent);
        heddle__release(bare);
    }
    return heddle__hand_out(r);
}

heddle_array *heddle_sum_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_SUM, a, o);
}

heddle_array *heddle_prod_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_PROD, a, o);
}

heddle_array *heddle_max_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_MAX, a, o);
}

heddle_array *heddle_min_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_MIN, a, o);
}

heddle_array *heddle_nanmax_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_NANMAX, a, o);
}

heddle_array *heddle_nanmin_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_NANMIN, a, o);
}

heddle_array *heddle_any_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_ANY, a, o);
}

heddle_array *heddle_all_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_ALL, a, o);
}

heddle_array *heddle_argmax_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_ARGMAX, a, o);
}

heddle_array *heddle_argmin_with(heddle_array *a, const struct heddle_reduce_options *o)
{
    return reduce(HEDDLE_REDUCE_ARGMIN, a, o);
}

/* ---- Made of others ----------------------------------------------------------------------------- */

/* Whether float64 has each sum of n elements of a dtype, which are small integers. */
static bool is_sum_exact(enum heddle_dtype dtype, double n)
{
    const double most = 9007199254740992.0; /* 2 to the 53rd */
    return heddle__kind_rank(dtype) < 2 && heddle_dtype_size(dtype) <= 2 && n * 65536.0 <= most;
}

heddle_array *heddle_mean_with(heddle_array *a, const struct heddle_reduce_options *options)
{
    /* check; the mean of a floating dtype is of that dtype, of others float64 */
    heddle_array *const bad = heddle__bad_operand("mean", 1, &a);
    if (bad) return bad;
    struct heddle_reduce_options o;
    unsigned mask = 0;
    if (read_options("mean", a, options, true, &o, &mask) != HEDDLE_OK) return heddle__error_last();
    enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    if (heddle__kind_rank(dtype) < 2) dtype = HEDDLE_FLOAT64;
    if (o.dtype) dtype = o.dtype;
    if (!(heddle__kind_bit(dtype) & HEDDLE_ACCEPTS_FLT))
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_mean: .dtype %s is not floating",
                                   heddle_dtype_name(dtype));
    double n = 1;
    for (int d = 0; d < a->ndim; d++)
        if (mask & 1u << d) n *= (double)a->shape[d];

    /* build: sum / n */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    o.size = sizeof o;
    o.dtype = heddle__computed_in(dtype);
    if (dtype == HEDDLE_FLOAT64 && is_sum_exact((enum heddle_dtype)a->dtype, n))
        o.dtype = HEDDLE_INT64; /* the same sum, of more elements at once */
    heddle_array *r = heddle_divide(heddle_sum_with(a, &o), heddle_scalar_float(n));
    return heddle__scope_leave(&scope, heddle_astype(r, dtype));
}

heddle_array *heddle_count_nonzero_with(heddle_array *a,
                                        const struct heddle_reduce_options *options)
{
    /* check */
    heddle_array *const bad = heddle__bad_operand("count_nonzero", 1, &a);
    if (bad) return bad;
    struct heddle_reduce_options o;
    unsigned mask = 0;
    if (read_options("count_nonzero", a, options, false, &o, &mask) != HEDDLE_OK)
        return heddle__error_last();

    /* build: the sum of x != 0 */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    o.size = sizeof o;
    o.dtype = HEDDLE_INT64;
    heddle_array *r = heddle_sum_with(heddle_astype(a, HEDDLE_BOOL), &o);
    return heddle__scope_leave(&scope, r);
}
