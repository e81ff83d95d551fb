/* The table of functions: each row of ops.def, the reductions, creation, manipulation, with
 * NumPy's aliases. A row names the parameters and one of the call_ functions, which convert the
 * arguments and call the API. Entry point: heddle__expr_functions. */
#include "expr/value.h"

#include <heddle/elementwise.h>
#include <heddle/linalg.h>
#include <heddle/manipulate.h>

#include <limits.h>
#include <string.h>

#define CALL(name)                                                                                 \
    static bool name(struct run *run, const struct function *f, size_t at, struct value *args,     \
                     struct value *out)

static bool given(const struct value *v)
{
    return v->kind != VALUE_ABSENT && v->kind != VALUE_NONE;
}

/* ---- Elementwise ------------------------------------------------------------------------------- */
/* Of Python scalars alone the result is strong, as NumPy's: sqrt(2) is a float64. */

CALL(call_unary)
{
    heddle_array *x;
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_from_array(run, f->unary(x), at, out);
}

CALL(call_binary)
{
    heddle_array *x, *y;
    const bool strong = heddle__expr_is_scalar(&args[0]) && heddle__expr_is_scalar(&args[1]);
    return heddle__expr_to_array(run, &args[0], strong, &x) &&
           heddle__expr_to_array(run, &args[1], strong, &y) &&
           heddle__expr_from_array(run, f->binary(x, y), at, out);
}

CALL(call_ternary)
{
    heddle_array *x, *y, *z;
    const bool strong = heddle__expr_is_scalar(&args[1]) && heddle__expr_is_scalar(&args[2]);
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_array(run, &args[1], strong, &y) &&
           heddle__expr_to_array(run, &args[2], strong, &z) &&
           heddle__expr_from_array(run, f->ternary(x, y, z), at, out);
}

CALL(call_clip)
{
    (void)f;
    heddle_array *x, *low = NULL, *high = NULL;
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           (!given(&args[1]) || heddle__expr_to_array(run, &args[1], false, &low)) &&
           (!given(&args[2]) || heddle__expr_to_array(run, &args[2], false, &high)) &&
           heddle__expr_from_array(run, heddle_clip(x, low, high), at, out);
}

CALL(call_astype)
{
    (void)f;
    heddle_array *x;
    enum heddle_dtype dtype;
    if (!heddle__expr_to_array(run, &args[0], true, &x) ||
        !heddle__expr_to_dtype(run, &args[1], &dtype))
        return false;
    if (dtype == HEDDLE_DTYPE_NONE) dtype = HEDDLE_FLOAT64; /* NumPy's astype(None) */
    return heddle__expr_from_array(run, heddle_astype(x, dtype), at, out);
}

/* ---- Reductions ----------------------------------------------------------------------------------- */

/* The numbers of an axis argument; *n is -1 when none is given. */
static bool to_axes(struct run *run, const struct value *v, int *axes, int *n)
{
    int64_t numbers[HEDDLE_MAX_NDIM];
    *n = -1;
    if (!given(v)) return true;
    if (!heddle__expr_to_ints(run, v, "axis", HEDDLE_MAX_NDIM, numbers, n)) return false;
    for (int i = 0; i < *n; i++) {
        if (numbers[i] < -INT_MAX + 1 || numbers[i] > INT_MAX)
            return heddle__expr_fail(run, HEDDLE_EAXIS, v->at, "axis %lld is out of range",
                                     (long long)numbers[i]);
        axes[i] = (int)numbers[i];
    }
    return true;
}

static bool reduce(struct run *run, const struct function *f, size_t at, const struct value *a,
                   const struct value *axis, const struct value *keepdims, enum heddle_dtype dtype,
                   struct value *out)
{
    int axes[HEDDLE_MAX_NDIM], n;
    heddle_array *x;
    struct heddle_reduce_options options = {.axis = HEDDLE_ALL_AXES, .dtype = dtype};
    if (axis->kind == VALUE_ARRAY && (f->reduce == heddle_max_with || f->reduce == heddle_min_with))
        return heddle__expr_fail(
            run, HEDDLE_EARG, axis->at,
            "%s() takes one array and its axes; of two arrays use %simum(a, b)", f->name,
            f->reduce == heddle_max_with ? "max" : "min");
    if (!heddle__expr_to_array(run, a, true, &x) || !to_axes(run, axis, axes, &n) ||
        !heddle__expr_to_bool(run, keepdims, "keepdims", &options.keepdims))
        return false;
    if (n == 1 && axis->kind != VALUE_TUPLE && axis->kind != VALUE_LIST)
        options.axis = axes[0];
    else if (n >= 0) {
        options.axes = axes;
        options.n_axes = n;
    }
    return heddle__expr_from_array(run, f->reduce(x, &options), at, out);
}

CALL(call_reduce)
{
    return reduce(run, f, at, &args[0], &args[1], &args[2], HEDDLE_DTYPE_NONE, out);
}

CALL(call_reduce_dtype)
{
    enum heddle_dtype dtype;
    return heddle__expr_to_dtype(run, &args[2], &dtype) &&
           reduce(run, f, at, &args[0], &args[1], &args[3], dtype, out);
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
    return reduce(run, f, at, &converted, &args[1], &args[3], HEDDLE_DTYPE_NONE, out);
}

/* ---- Creation --------------------------------------------------------------------------------------- */

static bool to_shape(struct run *run, const struct value *v, int64_t *shape, int *ndim)
{
    return heddle__expr_to_ints(run, v, "a shape", HEDDLE_MAX_NDIM, shape, ndim);
}

CALL(call_create)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    struct heddle_create_options options = {0};
    return to_shape(run, &args[0], shape, &ndim) &&
           heddle__expr_to_dtype(run, &args[1], &options.dtype) &&
           heddle__expr_from_array(run, f->create(ndim, shape, &options), at, out);
}

CALL(call_full)
{
    (void)f;
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    heddle_array *value;
    struct heddle_create_options options = {0};
    return to_shape(run, &args[0], shape, &ndim) &&
           heddle__expr_to_array(run, &args[1], true, &value) &&
           heddle__expr_to_dtype(run, &args[2], &options.dtype) &&
           heddle__expr_from_array(run, heddle_full_with(ndim, shape, value, &options), at, out);
}

CALL(call_like)
{
    heddle_array *a;
    struct heddle_create_options options = {0};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_dtype(run, &args[1], &options.dtype) &&
           heddle__expr_from_array(run, f->like(a, &options), at, out);
}

CALL(call_full_like)
{
    (void)f;
    heddle_array *a, *value;
    struct heddle_create_options options = {0};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_array(run, &args[1], true, &value) &&
           heddle__expr_to_dtype(run, &args[2], &options.dtype) &&
           heddle__expr_from_array(run, heddle_full_like_with(a, value, &options), at, out);
}

CALL(call_arange)
{
    (void)f;
    heddle_array *start, *stop = NULL, *step = NULL;
    struct heddle_create_options options = {0};
    return heddle__expr_to_array(run, &args[0], false, &start) &&
           (!given(&args[1]) || heddle__expr_to_array(run, &args[1], false, &stop)) &&
           (!given(&args[2]) || heddle__expr_to_array(run, &args[2], false, &step)) &&
           heddle__expr_to_dtype(run, &args[3], &options.dtype) &&
           heddle__expr_from_array(run, heddle_arange_with(start, stop, step, &options), at, out);
}

CALL(call_linspace)
{
    (void)f;
    heddle_array *start, *stop;
    int64_t num = 50;
    bool endpoint = true;
    struct heddle_create_options options = {0};
    if (!heddle__expr_to_array(run, &args[0], false, &start) ||
        !heddle__expr_to_array(run, &args[1], false, &stop) ||
        (given(&args[2]) && !heddle__expr_to_int(run, &args[2], "num", &num)) ||
        !heddle__expr_to_bool(run, &args[3], "endpoint", &endpoint) ||
        !heddle__expr_to_dtype(run, &args[4], &options.dtype))
        return false;
    options.endpoint_excluded = !endpoint;
    return heddle__expr_from_array(run, heddle_linspace_with(start, stop, num, &options), at, out);
}

CALL(call_eye)
{
    (void)f;
    int64_t rows, columns = -1;
    struct heddle_create_options options = {0};
    if (!heddle__expr_to_int(run, &args[0], "the number of rows", &rows) ||
        (given(&args[1]) &&
         !heddle__expr_to_int(run, &args[1], "the number of columns", &columns)) ||
        (given(&args[2]) && !heddle__expr_to_int(run, &args[2], "k", &options.k)) ||
        !heddle__expr_to_dtype(run, &args[3], &options.dtype))
        return false;
    if (given(&args[1]) && columns < 0)
        return heddle__expr_fail(run, HEDDLE_ESHAPE, args[1].at, "negative number of columns");
    return heddle__expr_from_array(run, heddle_eye_with(rows, columns, &options), at, out);
}

CALL(call_asarray)
{
    (void)f;
    heddle_array *a;
    enum heddle_dtype dtype;
    if (!heddle__expr_to_dtype(run, &args[1], &dtype)) return false;
    if (args[0].kind == VALUE_TUPLE || args[0].kind == VALUE_LIST)
        return heddle__expr_list_to_array(run, &args[0], dtype, &a) &&
               heddle__expr_from_array(run, a, at, out);
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    if (dtype != HEDDLE_DTYPE_NONE && dtype != heddle_dtype_of(a)) a = heddle_astype(a, dtype);
    return heddle__expr_from_array(run, a, at, out);
}

/* ---- Shapes ------------------------------------------------------------------------------------------ */

CALL(call_shaped)
{
    int64_t shape[HEDDLE_MAX_NDIM];
    int ndim;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           to_shape(run, &args[1], shape, &ndim) &&
           heddle__expr_from_array(run, f->shaped(a, ndim, shape), at, out);
}

CALL(call_ravel)
{
    (void)f;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, heddle_reshape(a, 1, (const int64_t[]){-1}), at, out);
}

CALL(call_transpose)
{
    (void)f;
    int axes[HEDDLE_MAX_NDIM], n;
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a) || !to_axes(run, &args[1], axes, &n))
        return false;
    if (n < 0)
        for (n = 0; n < heddle_ndim(a); n++) axes[n] = heddle_ndim(a) - 1 - n;
    return heddle__expr_from_array(run, heddle_permute_dims(a, n, axes), at, out);
}

CALL(call_swapaxes)
{
    (void)f;
    int axes[HEDDLE_MAX_NDIM];
    int64_t swapped[2];
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    const int ndim = heddle_ndim(a);
    for (int i = 0; i < 2; i++) {
        if (!heddle__expr_to_int(run, &args[1 + i], "axis", &swapped[i])) return false;
        if (swapped[i] < -ndim || swapped[i] >= ndim)
            return heddle__expr_fail(run, HEDDLE_EAXIS, args[1 + i].at,
                                     "axis %lld is out of range for %d axes", (long long)swapped[i],
                                     ndim);
        swapped[i] += swapped[i] < 0 ? ndim : 0;
    }
    for (int d = 0; d < ndim; d++)
        axes[d] = d == swapped[0] ? (int)swapped[1] : d == swapped[1] ? (int)swapped[0] : d;
    return heddle__expr_from_array(run, heddle_permute_dims(a, ndim, axes), at, out);
}

CALL(call_expand_dims)
{
    (void)f;
    int axes[HEDDLE_MAX_NDIM], n;
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a) || !to_axes(run, &args[1], axes, &n))
        return false;
    if (n == 1) return heddle__expr_from_array(run, heddle_expand_dims(a, axes[0]), at, out);
    const int ndim = heddle_ndim(a) + (n < 0 ? 0 : n);
    uint32_t chosen = 0;
    for (int i = 0; i < n; i++) {
        const int axis = axes[i] < 0 ? axes[i] + ndim : axes[i];
        if (ndim > HEDDLE_MAX_NDIM || axis < 0 || axis >= ndim || chosen >> axis & 1)
            return heddle__expr_fail(run, HEDDLE_EAXIS, args[1].at,
                                     "axis %d is repeated or out of range for %d axes", axes[i],
                                     ndim);
        chosen |= 1u << axis;
    }
    for (int axis = 0; axis < ndim; axis++)
        if (chosen >> axis & 1) a = heddle_expand_dims(a, axis);
    return heddle__expr_from_array(run, a, at, out);
}

CALL(call_squeeze)
{
    (void)f;
    int axes[HEDDLE_MAX_NDIM], n;
    heddle_array *a;
    if (!heddle__expr_to_array(run, &args[0], true, &a) || !to_axes(run, &args[1], axes, &n))
        return false;
    if (n < 0) {
        n = 0;
        for (int d = 0; d < heddle_ndim(a); d++)
            if (heddle_shape(a)[d] == 1) axes[n++] = d;
    }
    return heddle__expr_from_array(run, n ? heddle_squeeze(a, n, axes) : a, at, out);
}

/* The arrays of a tuple or list, in the run's arena. */
static bool to_arrays(struct run *run, const struct value *v, heddle_array ***arrays, int *n)
{
    if (v->kind != VALUE_TUPLE && v->kind != VALUE_LIST)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at,
                                 "expected a list of arrays, as [a, b], found %s",
                                 heddle__expr_value_name(v));
    *arrays = heddle__arena_alloc(&run->arena, (size_t)(v->n + 1) * sizeof **arrays);
    if (!*arrays) return heddle__expr_no_memory(run);
    if (v->n > INT_MAX) return heddle__expr_fail(run, HEDDLE_EARG, v->at, "too many arrays");
    for (int64_t i = 0; i < v->n; i++)
        if (!heddle__expr_to_array(run, &v->items[i], true, &(*arrays)[i])) return false;
    *n = (int)v->n;
    return true;
}

CALL(call_join)
{
    heddle_array **arrays = NULL;
    int n = 0, axes[HEDDLE_MAX_NDIM], n_axes = 1;
    axes[0] = 0;
    if (!to_arrays(run, &args[0], &arrays, &n)) return false;
    if (args[1].kind == VALUE_NONE && f->join == heddle_concat)
        return heddle__expr_from_array(run, heddle_concat_flat(n, arrays), at, out);
    if (args[1].kind != VALUE_ABSENT && !to_axes(run, &args[1], axes, &n_axes)) return false;
    if (n_axes != 1)
        return heddle__expr_fail(run, HEDDLE_EARG, args[1].at, "axis must be an integer");
    return heddle__expr_from_array(run, f->join(n, arrays, axes[0]), at, out);
}

/* ---- What is known without evaluating ------------------------------------------------------------------ */

CALL(call_itself)
{
    (void)f;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, a, at, out);
}

/* shape(a), size(a), ndim(a): the attribute of that name. */
CALL(call_attribute)
{
    struct value v;
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, a, at, &v) &&
           heddle__expr_attribute(run, &v, at, f->name, strlen(f->name), out);
}

CALL(call_len)
{
    (void)f;
    *out = (struct value){.kind = VALUE_INT, .at = at, .integer = args[0].n};
    if (args[0].kind == VALUE_TUPLE || args[0].kind == VALUE_LIST) return true;
    if (args[0].kind != VALUE_ARRAY || heddle_ndim(args[0].array) == 0)
        return heddle__expr_fail(run, HEDDLE_EARG, args[0].at, "it has no length");
    out->integer = heddle_shape(args[0].array)[0];
    return true;
}

CALL(call_dtype)
{
    (void)f;
    *out = (struct value){.kind = VALUE_DTYPE, .at = at};
    if (!heddle__expr_to_dtype(run, &args[0], &out->dtype)) return false;
    if (out->dtype == HEDDLE_DTYPE_NONE) out->dtype = HEDDLE_FLOAT64;
    return true;
}

/* ---- The table ------------------------------------------------------------------------------------------ */

#define UNARY(name, function)                                                                      \
    {                                                                                              \
#name, "x/a", call_unary,                                                                  \
        {                                                                                          \
            .unary = heddle_##function                                                             \
        }                                                                                          \
    }
#define BINARY(name, function)                                                                     \
    {                                                                                              \
#name, "x1/a x2/b", call_binary,                                                           \
        {                                                                                          \
            .binary = heddle_##function                                                            \
        }                                                                                          \
    }
#define REDUCE(name, function)                                                                     \
    {                                                                                              \
#name, "a/x axis= | keepdims=", call_reduce,                                               \
        {                                                                                          \
            .reduce = heddle_##function##_with                                                     \
        }                                                                                          \
    }
#define REDUCE_DTYPE(name)                                                                         \
    {                                                                                              \
#name, "a/x axis= dtype= | keepdims=", call_reduce_dtype,                                  \
        {                                                                                          \
            .reduce = heddle_##name##_with                                                         \
        }                                                                                          \
    }
#define PLAIN(name, parameters, function)                                                          \
    {                                                                                              \
#name, parameters, function,                                                               \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }

#define ROW_1(name) UNARY(name, name),
#define ROW_2(name) BINARY(name, name),
#define ROW_3(name) {#name, "condition x1/x/a x2/y/b", call_ternary, {.ternary = heddle_##name}},

static const struct function table[] = {
#define HEDDLE_OP(ID, name, arity, accepts, result, convert, flops, flags, expression)             \
    ROW_##arity(name)
#include <heddle/ops.def>
#undef HEDDLE_OP
    REDUCE_DTYPE(sum),
    REDUCE_DTYPE(prod),
    REDUCE(max, max),
    REDUCE(min, min),
    REDUCE(any, any),
    REDUCE(all, all),
    REDUCE(argmax, argmax),
    REDUCE(argmin, argmin),
    REDUCE(count_nonzero, count_nonzero),
    {"mean", "a/x axis= dtype= | keepdims=", call_mean, {.reduce = heddle_mean_with}},
    {"flip", "m/a/x axis=", call_reduce, {.reduce = heddle_flip_with}},

    {"empty", "shape dtype=", call_create, {.create = heddle_empty_with}},
    {"zeros", "shape dtype=", call_create, {.create = heddle_zeros_with}},
    {"ones", "shape dtype=", call_create, {.create = heddle_ones_with}},
    {"empty_like", "a/x/prototype dtype=", call_like, {.like = heddle_empty_like_with}},
    {"zeros_like", "a/x dtype=", call_like, {.like = heddle_zeros_like_with}},
    {"ones_like", "a/x dtype=", call_like, {.like = heddle_ones_like_with}},
    PLAIN(full, "shape fill_value dtype=", call_full),
    PLAIN(full_like, "a/x fill_value dtype=", call_full_like),
    PLAIN(arange, "start stop= step= dtype=", call_arange),
    PLAIN(linspace, "start stop num= endpoint= | dtype=", call_linspace),
    PLAIN(eye, "N/n_rows M/n_cols= k= dtype=", call_eye),
    PLAIN(asarray, "a/obj/object dtype=", call_asarray),
    PLAIN(array, "a/obj/object dtype=", call_asarray),
    PLAIN(astype, "x/a dtype | copy=", call_astype),
    PLAIN(clip, "x/a min/a_min= max/a_max=", call_clip),

    {"reshape", "*a/x shape/newshape", call_shaped, {.shaped = heddle_reshape}},
    PLAIN(ravel, "a/x", call_ravel),
    PLAIN(flatten, "a/x", call_ravel),
    PLAIN(permute_dims, "a/x axes", call_transpose),
    PLAIN(transpose, "*a/x axes=", call_transpose),
    UNARY(matrix_transpose, matrix_transpose),
    PLAIN(swapaxes, "a/x axis1 axis2", call_swapaxes),
    PLAIN(expand_dims, "a/x axis", call_expand_dims),
    PLAIN(squeeze, "a/x axis=", call_squeeze),
    {"broadcast_to", "array/a/x shape", call_shaped, {.shaped = heddle_broadcast_to}},
    {"concat", "arrays axis=", call_join, {.join = heddle_concat}},
    {"concatenate", "arrays axis=", call_join, {.join = heddle_concat}},
    {"stack", "arrays axis=", call_join, {.join = heddle_stack}},
    BINARY(matmul, matmul),

    PLAIN(copy, "a/x", call_itself),
    PLAIN(shape, "a/x", call_attribute),
    PLAIN(size, "a/x", call_attribute),
    PLAIN(ndim, "a/x", call_attribute),
    PLAIN(len, "a/obj", call_len),
    PLAIN(dtype, "dtype", call_dtype),

    /* NumPy's other names */
    UNARY(absolute, abs),
    UNARY(conjugate, conj),
    UNARY(arcsin, asin),
    UNARY(arccos, acos),
    UNARY(arctan, atan),
    UNARY(arcsinh, asinh),
    UNARY(arccosh, acosh),
    UNARY(arctanh, atanh),
    UNARY(invert, bitwise_invert),
    UNARY(bitwise_not, bitwise_invert),
    BINARY(arctan2, atan2),
    BINARY(power, pow),
    BINARY(true_divide, divide),
    BINARY(mod, remainder),
    BINARY(left_shift, bitwise_left_shift),
    BINARY(right_shift, bitwise_right_shift),
    REDUCE(amax, max),
    REDUCE(amin, min),
};

const struct function *heddle__expr_functions(size_t *n)
{
    *n = sizeof table / sizeof *table;
    return table;
}
