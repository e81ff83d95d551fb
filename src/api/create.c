/* Filled arrays: constants, which occupy no memory. Entry points: heddle_empty_with,
 * heddle_zeros_with, heddle_ones_with, heddle_full_with and the *_like of each. */
#include "api/distribution.h"
#include "base/options.h"
#include "graph/make.h"

#include <heddle/create.h>

/* The options, with `dtype` where they name none. */
static enum heddle_status read_options(const char *name, const struct heddle_create_options *given,
                                       enum heddle_dtype dtype, struct heddle_create_options *o)
{
    const enum heddle_status status = heddle__options(name, given, o, sizeof *o);
    if (o->dtype == HEDDLE_DTYPE_NONE) o->dtype = dtype;
    return status;
}

/* Every element is the int64 `value`, as `dtype` unless the options name one. */
static heddle_array *filled(const char *name, int64_t value, enum heddle_dtype dtype, int ndim,
                            const int64_t *shape, const struct heddle_create_options *options)
{
    struct heddle_create_options o;
    if (read_options(name, options, dtype, &o) != HEDDLE_OK ||
        heddle__check_dtype(name, o.dtype) != HEDDLE_OK ||
        heddle__check_shape(name, ndim, shape) != HEDDLE_OK)
        return heddle__error_last();
    const union heddle_scalar v = {.i64 = value};
    heddle_array *r = heddle__hand_out(
        heddle__make_constant(heddle__convert(v, HEDDLE_INT64, o.dtype), o.dtype, ndim, shape));
    return heddle__then_distributed(name, r, o.distribution);
}

static heddle_array *filled_like(const char *name, int64_t value, heddle_array *a,
                                 const struct heddle_create_options *options)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    return filled(name, value, (enum heddle_dtype)a->dtype, a->ndim, a->shape, options);
}

/* Every element is the 0-d `value`, as `dtype` or its own unless the options name one. */
static heddle_array *full(const char *name, int position, heddle_array *value,
                          enum heddle_dtype dtype, int ndim, const int64_t *shape,
                          const struct heddle_create_options *options)
{
    /* check */
    if (value && value->kind == HEDDLE_NODE_ERROR) return heddle__adopt(heddle__retain(value));
    if (!value)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: argument %d is NULL", name, position);
    if (value->ndim != 0)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: the value has shape %s, not ()", name,
                                   HEDDLE_SHAPE_OF(value));
    struct heddle_create_options o;
    if (dtype == HEDDLE_DTYPE_NONE) dtype = (enum heddle_dtype)value->dtype;
    if (read_options(name, options, dtype, &o) != HEDDLE_OK ||
        heddle__check_dtype(name, o.dtype) != HEDDLE_OK ||
        heddle__check_shape(name, ndim, shape) != HEDDLE_OK ||
        heddle__check_value(name, value, o.dtype) != HEDDLE_OK)
        return heddle__error_last();

    /* build: a constant, or a view that repeats the value */
    heddle_array *cast = heddle__make_cast(value, o.dtype);
    if (!cast) return heddle__error_last();
    heddle_array *r = heddle__make_broadcast(cast, ndim, shape);
    heddle__release(cast);
    return heddle__then_distributed(name, heddle__hand_out(r), o.distribution);
}

heddle_array *heddle_empty_with(int ndim, const int64_t *shape,
                                const struct heddle_create_options *options)
{
    return filled("empty", 0, HEDDLE_FLOAT64, ndim, shape, options);
}

heddle_array *heddle_zeros_with(int ndim, const int64_t *shape,
                                const struct heddle_create_options *options)
{
    return filled("zeros", 0, HEDDLE_FLOAT64, ndim, shape, options);
}

heddle_array *heddle_ones_with(int ndim, const int64_t *shape,
                               const struct heddle_create_options *options)
{
    return filled("ones", 1, HEDDLE_FLOAT64, ndim, shape, options);
}

heddle_array *heddle_full_with(int ndim, const int64_t *shape, heddle_array *value,
                               const struct heddle_create_options *options)
{
    return full("full", 3, value, HEDDLE_DTYPE_NONE, ndim, shape, options);
}

heddle_array *heddle_empty_like_with(heddle_array *a, const struct heddle_create_options *options)
{
    return filled_like("empty_like", 0, a, options);
}

heddle_array *heddle_zeros_like_with(heddle_array *a, const struct heddle_create_options *options)
{
    return filled_like("zeros_like", 0, a, options);
}

heddle_array *heddle_ones_like_with(heddle_array *a, const struct heddle_create_options *options)
{
    return filled_like("ones_like", 1, a, options);
}

heddle_array *heddle_full_like_with(heddle_array *a, heddle_array *value,
                                    const struct heddle_create_options *options)
{
    heddle_array *const bad = heddle__bad_operand("full_like", 1, &a);
    if (bad) return bad;
    return full("full_like", 2, value, (enum heddle_dtype)a->dtype, a->ndim, a->shape, options);
}
