/* Functions that make arrays. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

CALL(call_create)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    struct heddle_create_options options = {.size = sizeof options};
    return heddle__expr_to_shape(run, &args[0], shape, &ndim) &&
           heddle__expr_to_dtype(run, &args[1], &options.dtype) &&
           heddle__expr_from_array(run, f->create(ndim, shape, &options), at, out);
}

/* `value` everywhere, broadcast if it has axes. */
static heddle_array *filled(int ndim, const int64_t *shape, heddle_array *value,
                            const struct heddle_create_options *o)
{
    if (heddle_ndim(value) == 0) return heddle_full_with(ndim, shape, value, o);
    const int first = 0;
    while (heddle_ndim(value) > ndim && heddle_shape(value)[0] == 1)
        value = heddle_squeeze(value, 1, &first);
    return heddle_broadcast_to(value, ndim, shape);
}

CALL(call_full)
{
    (void)f;
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    heddle_array *value;
    struct heddle_create_options options = {.size = sizeof options};
    return heddle__expr_to_shape(run, &args[0], shape, &ndim) &&
           heddle__expr_to_dtype(run, &args[2], &options.dtype) &&
           heddle__expr_to_array_of(run, &args[1], options.dtype, &value) &&
           heddle__expr_from_array(run, filled(ndim, shape, value, &options), at, out);
}

CALL(call_like)
{
    heddle_array *a;
    struct heddle_create_options options = {.size = sizeof options};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_dtype(run, &args[1], &options.dtype) &&
           heddle__expr_from_array(run, f->like(a, &options), at, out);
}

CALL(call_full_like)
{
    (void)f;
    heddle_array *a, *value;
    struct heddle_create_options options = {.size = sizeof options};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_dtype(run, &args[2], &options.dtype))
        return false;
    if (options.dtype == HEDDLE_DTYPE_NONE) options.dtype = heddle_dtype_of(a);
    return heddle__expr_to_array_of(run, &args[1], options.dtype, &value) &&
           heddle__expr_from_array(run, filled(heddle_ndim(a), heddle_shape(a), value, &options),
                                   at, out);
}

CALL(call_arange)
{
    (void)f;
    heddle_array *start, *stop = NULL, *step = NULL;
    struct heddle_create_options options = {.size = sizeof options};
    return heddle__expr_to_array(run, &args[0], false, &start) &&
           heddle__expr_to_optional_array(run, &args[1], false, &stop) &&
           heddle__expr_to_optional_array(run, &args[2], false, &step) &&
           heddle__expr_to_dtype(run, &args[3], &options.dtype) &&
           heddle__expr_from_array(run, heddle_arange_with(start, stop, step, &options), at, out);
}

/* Between arrays: numbers along a new first axis. */
static heddle_array *between(heddle_array *start, heddle_array *stop, heddle_array *step,
                             int64_t num, bool endpoint)
{
    int64_t line[HEDDLE_MAX_NDIM];
    const int ndim = heddle_ndim(step) + 1;
    heddle_array *i = heddle_arange(heddle_scalar_int(num), NULL, NULL);
    if (ndim > HEDDLE_MAX_NDIM || num < 0) return heddle_linspace(start, stop, num); /* its error */
    for (int d = 0; d < ndim; d++) line[d] = d == 0 ? num : 1;
    i = heddle_reshape(i, ndim, line);
    heddle_array *const times = heddle_multiply(heddle_astype(i, heddle_dtype_of(step)), step);
    heddle_array *const r = heddle_add(start, times);
    if (!endpoint) return r;
    return heddle_where(heddle_equal(i, heddle_scalar_int(num - 1)), stop, r);
}

/* What has the same part in the dtype: a whole number of Python's counts as a floating one, which no dtype lacks. */
static heddle_array *floating(const struct value *v, heddle_array *a)
{
    return v->kind == VALUE_INT || v->kind == VALUE_BOOL ? heddle_scalar_float(0) : a;
}

CALL(call_linspace)
{
    (void)f;
    heddle_array *start, *stop;
    int64_t num = 50;
    bool endpoint = true;
    struct heddle_linspace_options options = {.size = sizeof options};
    bool with_step = false;
    if (!heddle__expr_to_array(run, &args[0], false, &start) ||
        !heddle__expr_to_array(run, &args[1], false, &stop) ||
        (heddle__expr_given(&args[2]) && !heddle__expr_to_int(run, &args[2], "num", &num)) ||
        !heddle__expr_to_bool(run, &args[3], "endpoint", &endpoint) ||
        !heddle__expr_to_bool(run, &args[4], "retstep", &with_step) ||
        !heddle__expr_to_dtype(run, &args[5], &options.dtype))
        return false;
    options.endpoint_excluded = !endpoint;
    heddle_array *const count = heddle_scalar_float((double)(num - endpoint));
    const bool arrays = heddle_ndim(start) + heddle_ndim(stop) > 0;
    heddle_array *const as =
        heddle_divide(heddle_add(floating(&args[0], start), floating(&args[1], stop)), count);
    const enum heddle_dtype dtype = heddle_dtype_of(as);
    if (heddle_status_of(as) != HEDDLE_OK) return heddle__expr_from_array(run, as, at, out);
    if (arrays || with_step) { /* differences of unsigned integers would wrap */
        start = heddle_astype(start, dtype);
        stop = heddle_astype(stop, dtype);
    }
    if (options.dtype == HEDDLE_DTYPE_NONE) options.dtype = dtype;
    heddle_array *const step = heddle_divide(heddle_subtract(stop, start), count);
    heddle_array *r = arrays ? between(start, stop, step, num, endpoint)
                             : heddle_linspace_with(start, stop, num, &options);
    r = heddle_astype(r, options.dtype);
    heddle_array *const both[2] = {r, heddle_positive(step)};
    if (!with_step) return heddle__expr_from_array(run, r, at, out);
    return heddle__expr_from_arrays(run, HEDDLE_OK, 2, both, VALUE_TUPLE, at, out);
}

CALL(call_eye)
{
    (void)f;
    int64_t rows, columns = -1;
    struct heddle_eye_options options = {.size = sizeof options};
    if (!heddle__expr_to_int(run, &args[0], "the number of rows", &rows) ||
        (heddle__expr_given(&args[1]) &&
         !heddle__expr_to_int(run, &args[1], "the number of columns", &columns)) ||
        (heddle__expr_given(&args[2]) && !heddle__expr_to_int(run, &args[2], "k", &options.k)) ||
        !heddle__expr_to_dtype(run, &args[3], &options.dtype))
        return false;
    if (heddle__expr_given(&args[1]) && columns < 0)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[1].at, "negative number of columns");
    return heddle__expr_from_array(run, heddle_eye_with(rows, columns, &options), at, out);
}

CALL(call_identity)
{
    struct value all[4] = {args[0], {.kind = VALUE_ABSENT}, {.kind = VALUE_ABSENT}, args[1]};
    return call_eye(run, f, at, all, out);
}

/* Numbers of the rows of array(). */
enum { NO_COPY = 1, AT_LEAST_1D };

CALL(call_asarray)
{
    heddle_array *a;
    enum heddle_dtype dtype;
    if (!heddle__expr_to_dtype(run, &args[1], &dtype)) return false;
    if (!heddle__expr_to_array_of(run, &args[0], dtype, &a)) return false;
    if (f->number == AT_LEAST_1D) a = heddle_atleast(a, 1);
    if (f->number && args[0].kind == VALUE_ARRAY && a == args[0].array) { /* the object itself */
        *out = args[0];
        return true;
    }
    return heddle__expr_from_array(run, a, at, out);
}

/* The items of a list, or of an array, as a vector. */
CALL(call_fromiter)
{
    struct value all[4] = {args[0], args[1], {.kind = VALUE_ABSENT}, {.kind = VALUE_ABSENT}};
    return call_asarray(run, f, at, all, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    {"empty", "shape dtype= order=", call_create, {.create = heddle_empty_with}},
    {"zeros", "shape dtype= order=", call_create, {.create = heddle_zeros_with}},
    {"ones", "shape dtype= order=", call_create, {.create = heddle_ones_with}},
    {"empty_like", "a/x/prototype dtype=", call_like, {.like = heddle_empty_like_with}},
    {"zeros_like", "a/x dtype=", call_like, {.like = heddle_zeros_like_with}},
    {"ones_like", "a/x dtype=", call_like, {.like = heddle_ones_like_with}},
    PLAIN(full, "shape fill_value dtype=", call_full),
    PLAIN(full_like, "a/x fill_value dtype=", call_full_like),
    PLAIN(arange, "start stop= step= dtype=", call_arange),
    PLAIN(linspace, "start stop num= endpoint= retstep= dtype=", call_linspace),
    PLAIN(fromiter, "iter dtype count=", call_fromiter),
    PLAIN(identity, "n dtype=", call_identity),
    PLAIN(eye, "N/n_rows M/n_cols= k= dtype=", call_eye),
    {"asarray", "a/obj/object dtype= order= | copy=", call_asarray, {.number = NO_COPY}},
    {"asanyarray", "a dtype= order=", call_asarray, {.number = NO_COPY}},
    {"ascontiguousarray", "a dtype=", call_asarray, {.number = AT_LEAST_1D}},
    {"asfortranarray", "a dtype=", call_asarray, {.number = AT_LEAST_1D}},
    PLAIN(array, "a/obj/object dtype= | copy= order=", call_asarray),
};

TABLE(creation);
