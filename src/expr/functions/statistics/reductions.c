/* Functions that reduce or scan along axes, and flip, which takes axes as they do. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/scan.h>

/* What a reduction begins with, and how another beginning counts. */
struct neutral {
    heddle_array *(*reduce)(heddle_array *, const struct heddle_reduce_options *);
    heddle_array *(*combine)(heddle_array *, heddle_array *);
    bool exists; /* of the elements that where= leaves out; else initial= is needed */
    int64_t value;
};

static const struct neutral neutrals[] = {{heddle_sum_with, heddle_add, true, 0},
                                          {heddle_prod_with, heddle_multiply, true, 1},
                                          {heddle_nansum_with, heddle_add, true, 0},
                                          {heddle_nanprod_with, heddle_multiply, true, 1},
                                          {heddle_any_with, heddle_logical_or, true, 0},
                                          {heddle_all_with, heddle_logical_and, true, 1},
                                          {heddle_max_with, heddle_maximum, false, 0},
                                          {heddle_min_with, heddle_minimum, false, 0},
                                          {heddle_nanmax_with, heddle_fmax, false, 0},
                                          {heddle_nanmin_with, heddle_fmin, false, 0},
                                          {heddle_count_nonzero_with, heddle_add, true, 0}};

static const struct neutral *neutral_of(const struct function *f)
{
    for (size_t i = 0; i < sizeof neutrals / sizeof *neutrals; i++)
        if (neutrals[i].reduce == f->reduce) return &neutrals[i];
    return NULL;
}

/* initial= and where=, which come after the others. */
struct beginning {
    const struct value *initial, *where;
};

/* The array without what where= leaves out, and the value of initial=, NULL if there is none. */
static bool begin(struct run *run, const struct function *f, const struct beginning *from,
                  heddle_array **x, heddle_array **initial)
{
    heddle_array *condition;
    const struct neutral *neutral = neutral_of(f);
    const bool has_where = heddle__expr_given(from->where);
    const size_t at = has_where ? from->where->at : from->initial->at;
    *initial = NULL;
    if (!has_where && !heddle__expr_given(from->initial)) return true;
    if (!neutral)
        return heddle__expr_fail(run, HEDDLE_EUNSUPPORTED, at,
                                 "%s() has no initial= and where=", f->name);
    if (!heddle__expr_to_optional_array(run, from->initial, false, initial)) return false;
    if (!has_where) return true;
    if (!neutral->exists && !*initial)
        return heddle__expr_fail(run, HEDDLE_EARG, at,
                                 "%s() with where= needs initial=, since it may choose nothing",
                                 f->name);
    if (!heddle__expr_to_array(run, from->where, true, &condition)) return false;
    heddle_array *const rest = neutral->exists ? heddle_scalar_int(neutral->value) : *initial;
    *x = heddle_where(condition, *x, heddle_astype(rest, heddle_dtype_of(*x)));
    return true;
}

/* Of no elements the initial value alone, in the shape that a sum has. */
static heddle_array *of_nothing(heddle_array *x, const struct heddle_reduce_options *o,
                                heddle_array *initial)
{
    struct heddle_reduce_options plain = *o;
    plain.dtype = HEDDLE_DTYPE_NONE;
    heddle_array *const shape = heddle_sum_with(x, &plain);
    const struct heddle_create_options made = {.size = sizeof made, .dtype = heddle_dtype_of(x)};
    return heddle_full_like_with(shape, initial, &made);
}

static bool reduce(struct run *run, const struct function *f, size_t at, const struct value *a,
                   const struct value *axis, const struct value *keepdims,
                   const struct beginning *from, enum heddle_dtype dtype, struct value *out)
{
    heddle_array *x, *initial;
    struct heddle_reduce_options options = {.size = sizeof options, .dtype = dtype};
    const struct neutral *neutral = neutral_of(f);
    if (axis->kind == VALUE_ARRAY && (f->reduce == heddle_max_with || f->reduce == heddle_min_with))
        return heddle__expr_fail(
            run, HEDDLE_EARG, axis->at,
            "%s() takes one array and its axes; of two arrays use %simum(a, b)", f->name,
            f->reduce == heddle_max_with ? "max" : "min");
    if (!heddle__expr_to_array(run, a, true, &x) ||
        !heddle__expr_to_axes_options(run, axis, &options.axis, &options.has_axis, &options.axes) ||
        !heddle__expr_to_bool(run, keepdims, "keepdims", &options.keepdims) ||
        !begin(run, f, from, &x, &initial))
        return false;
    const bool nothing = initial && !neutral->exists && heddle_size(x) == 0;
    heddle_array *r = nothing ? of_nothing(x, &options, initial) : f->reduce(x, &options);
    if (initial && !nothing && heddle_status_of(r) == HEDDLE_OK) /* NumPy casts it, too */
        r = neutral->combine(r, heddle_astype(initial, heddle_dtype_of(r)));
    return heddle__expr_from_array(run, r, at, out);
}

CALL(call_flip)
{
    heddle_array *x;
    struct heddle_flip_options options = {.size = sizeof options};
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_axes_options(run, &args[1], &options.axis, &options.has_axis,
                                        &options.axes) &&
           heddle__expr_from_array(run, f->flip(x, &options), at, out);
}

HEADING(heddle__expr_call_reduce)
{
    const struct beginning from = {&args[3], &args[4]};
    return reduce(run, f, at, &args[0], &args[1], &args[2], &from, HEDDLE_DTYPE_NONE, out);
}

HEADING(heddle__expr_call_reduce_dtype)
{
    enum heddle_dtype dtype;
    return heddle__expr_to_dtype(run, &args[2], &dtype) &&
           reduce(run, f, at, &args[0], &args[1], &args[3], &(struct beginning){&args[4], &args[5]},
                  dtype, out);
}

/* The sum of what the condition chooses over its number. */
static bool mean_where(struct run *run, const struct function *f, size_t at, const struct value *a,
                       const struct value *args, struct value *out)
{
    heddle_array *x, *condition;
    struct heddle_reduce_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, a, true, &x) ||
        !heddle__expr_to_array(run, &args[4], true, &condition) ||
        !heddle__expr_to_axes_options(run, &args[1], &o.axis, &o.has_axis, &o.axes) ||
        !heddle__expr_to_bool(run, &args[3], "keepdims", &o.keepdims))
        return false;
    condition =
        heddle_broadcast_to(heddle_astype(condition, HEDDLE_BOOL), heddle_ndim(x), heddle_shape(x));
    const enum heddle_dtype dtype = heddle_dtype_of(f->reduce(x, &o));
    heddle_array *const chosen =
        heddle_where(condition, heddle_astype(x, dtype), heddle_scalar_int(0));
    heddle_array *const n = heddle_astype(heddle_count_nonzero_with(condition, &o), dtype);
    return heddle__expr_from_array(run, heddle_divide(heddle_sum_with(chosen, &o), n), at, out);
}

CALL(call_mean)
{
    enum heddle_dtype dtype;
    struct value converted = args[0];
    heddle_array *x;
    if (!heddle__expr_to_dtype(run, &args[2], &dtype)) return false;
    if (dtype != HEDDLE_DTYPE_NONE &&
        !(heddle__expr_to_array(run, &args[0], true, &x) &&
          heddle__expr_from_array(run, heddle_astype(x, dtype), at, &converted)))
        return false;
    if (heddle__expr_given(&args[4])) return mean_where(run, f, at, &converted, args, out);
    const struct value none = {.kind = VALUE_ABSENT};
    return reduce(run, f, at, &converted, &args[1], &args[3], &(struct beginning){&none, &none},
                  HEDDLE_DTYPE_NONE, out);
}

/* Scans along an axis. Without one cumsum and cumprod scan all elements in C order, as NumPy's do. */
static bool scan(struct run *run, const struct function *f, size_t at, const struct value *args,
                 bool flat, bool include_initial, struct value *out)
{
    heddle_array *x;
    struct heddle_scan_options options = {.size = sizeof options,
                                          .include_initial = include_initial};
    if (!heddle__expr_to_array(run, &args[0], true, &x) ||
        !heddle__expr_to_axis(run, &args[1], &options.axis, &options.has_axis) ||
        !heddle__expr_to_dtype(run, &args[2], &options.dtype))
        return false;
    if (heddle_ndim(x) == 0 || (flat && !options.has_axis)) x = heddle__expr_flat(x);
    return heddle__expr_from_array(run, f->scan(x, &options), at, out);
}

CALL(call_scan)
{
    bool initial = false;
    return heddle__expr_to_bool(run, &args[3], "include_initial", &initial) &&
           scan(run, f, at, args, false, initial, out);
}

HEADING(heddle__expr_call_scan)
{
    return scan(run, f, at, args, true, false, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    REDUCE_DTYPE(sum),
    REDUCE_DTYPE(prod),
    REDUCE(max, max),
    REDUCE(min, min),
    REDUCE(nanmax, nanmax),
    REDUCE(nanmin, nanmin),
    REDUCE(any, any),
    REDUCE(all, all),
    REDUCE(argmax, argmax),
    REDUCE(argmin, argmin),
    REDUCE(count_nonzero, count_nonzero),
    {"mean", "a/x axis= dtype= | keepdims= where=", call_mean, {.reduce = heddle_mean_with}},
    {"flip", "m/a/x axis=", call_flip, {.flip = heddle_flip_with}},
    {"cumulative_sum",
     "x/a axis= | dtype= include_initial=",
     call_scan,
     {.scan = heddle_cumulative_sum_with}},
    {"cumulative_prod",
     "x/a axis= | dtype= include_initial=",
     call_scan,
     {.scan = heddle_cumulative_prod_with}},
    {"cumsum", "a/x axis= dtype=", heddle__expr_call_scan, {.scan = heddle_cumulative_sum_with}},
    {"cumprod", "a/x axis= dtype=", heddle__expr_call_scan, {.scan = heddle_cumulative_prod_with}},
    {"nancumsum", "a/x axis= dtype=", heddle__expr_call_scan, {.scan = heddle_nancumsum_with}},
    {"nancumprod", "a/x axis= dtype=", heddle__expr_call_scan, {.scan = heddle_nancumprod_with}},
    REDUCE(nanargmax, nanargmax),
    REDUCE(nanargmin, nanargmin),
    REDUCE(amax, max),
    REDUCE(amin, min),
};

TABLE(reductions);
