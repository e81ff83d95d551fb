/* Filled arrays: constants, which occupy no memory. Entry points: heddle_empty_with,
 * heddle_zeros_with, heddle_ones_with, heddle_full_with and the *_like of each. */
#include "api/distribution.h"
#include "graph/make.h"

#include <heddle/create.h>

static enum heddle_dtype dtype_option(const struct heddle_create_options *o,
                                      enum heddle_dtype otherwise)
{
    return o && o->dtype != HEDDLE_DTYPE_NONE ? o->dtype : otherwise;
}

/* Every element is the int64 `value`. */
static heddle_array *filled(const char *name, int64_t value, enum heddle_dtype dtype, int ndim,
                            const int64_t *shape)
{
    if (heddle__check_dtype(name, dtype) != HEDDLE_OK ||
        heddle__check_shape(name, ndim, shape) != HEDDLE_OK)
        return heddle__error_last();
    const union heddle_scalar v = {.i64 = value};
    return heddle__hand_out(
        heddle__make_constant(heddle__convert(v, HEDDLE_INT64, dtype), dtype, ndim, shape));
}

static heddle_array *filled_like(const char *name, int64_t value, heddle_array *a,
                                 const struct heddle_create_options *o)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    return filled(name, value, dtype_option(o, (enum heddle_dtype)a->dtype), a->ndim, a->shape);
}

/* Every element is the 0-d `value`. */
static heddle_array *full(const char *name, int position, heddle_array *value,
                          enum heddle_dtype dtype, int ndim, const int64_t *shape)
{
    /* check */
    if (value && value->kind == HEDDLE_NODE_ERROR) return heddle__adopt(heddle__retain(value));
    if (!value)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: argument %d is NULL", name, position);
    if (value->ndim != 0)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: the value has shape %s, not ()", name,
                                   HEDDLE_SHAPE_OF(value));
    if (dtype == HEDDLE_DTYPE_NONE) dtype = (enum heddle_dtype)value->dtype;
    if (heddle__check_dtype(name, dtype) != HEDDLE_OK ||
        heddle__check_shape(name, ndim, shape) != HEDDLE_OK ||
        heddle__check_range(name, 1, &value, dtype) != HEDDLE_OK)
        return heddle__error_last();

    /* build: a constant, or a view that repeats the value */
    heddle_array *cast = heddle__make_cast(value, dtype);
    if (!cast) return heddle__error_last();
    heddle_array *r = heddle__make_broadcast(cast, ndim, shape);
    heddle__release(cast);
    return heddle__hand_out(r);
}

static heddle_array *make_empty(int ndim, const int64_t *shape,
                                const struct heddle_create_options *options)
{
    return filled("empty", 0, dtype_option(options, HEDDLE_FLOAT64), ndim, shape);
}

static heddle_array *make_zeros(int ndim, const int64_t *shape,
                                const struct heddle_create_options *options)
{
    return filled("zeros", 0, dtype_option(options, HEDDLE_FLOAT64), ndim, shape);
}

static heddle_array *make_ones(int ndim, const int64_t *shape,
                               const struct heddle_create_options *options)
{
    return filled("ones", 1, dtype_option(options, HEDDLE_FLOAT64), ndim, shape);
}

static heddle_array *make_full(int ndim, const int64_t *shape, heddle_array *value,
                               const struct heddle_create_options *options)
{
    return full("full", 3, value, dtype_option(options, HEDDLE_DTYPE_NONE), ndim, shape);
}

static heddle_array *make_empty_like(heddle_array *a, const struct heddle_create_options *options)
{
    return filled_like("empty_like", 0, a, options);
}

static heddle_array *make_zeros_like(heddle_array *a, const struct heddle_create_options *options)
{
    return filled_like("zeros_like", 0, a, options);
}

static heddle_array *make_ones_like(heddle_array *a, const struct heddle_create_options *options)
{
    return filled_like("ones_like", 1, a, options);
}

static heddle_array *make_full_like(heddle_array *a, heddle_array *value,
                                    const struct heddle_create_options *options)
{
    heddle_array *const bad = heddle__bad_operand("full_like", 1, &a);
    if (bad) return bad;
    const enum heddle_dtype dtype = dtype_option(options, (enum heddle_dtype)a->dtype);
    return full("full_like", 2, value, dtype, a->ndim, a->shape);
}

/* ---- Distributed ---------------------------------------------------------------------------- */

heddle_array *heddle_empty_with(int ndim, const int64_t *shape,
                                const struct heddle_create_options *options)
{
    return heddle__then_distributed("empty", make_empty(ndim, shape, options),
                                    options ? options->distribution : NULL);
}

heddle_array *heddle_zeros_with(int ndim, const int64_t *shape,
                                const struct heddle_create_options *options)
{
    return heddle__then_distributed("zeros", make_zeros(ndim, shape, options),
                                    options ? options->distribution : NULL);
}

heddle_array *heddle_ones_with(int ndim, const int64_t *shape,
                               const struct heddle_create_options *options)
{
    return heddle__then_distributed("ones", make_ones(ndim, shape, options),
                                    options ? options->distribution : NULL);
}

heddle_array *heddle_full_with(int ndim, const int64_t *shape, heddle_array *value,
                               const struct heddle_create_options *options)
{
    return heddle__then_distributed("full", make_full(ndim, shape, value, options),
                                    options ? options->distribution : NULL);
}

heddle_array *heddle_empty_like_with(heddle_array *a, const struct heddle_create_options *options)
{
    return heddle__then_distributed("empty_like", make_empty_like(a, options),
                                    options ? options->distribution : NULL);
}

heddle_array *heddle_zeros_like_with(heddle_array *a, const struct heddle_create_options *options)
{
    return heddle__then_distributed("zeros_like", make_zeros_like(a, options),
                                    options ? options->distribution : NULL);
}

heddle_array *heddle_ones_like_with(heddle_array *a, const struct heddle_create_options *options)
{
    return heddle__then_distributed("ones_like", make_ones_like(a, options),
                                    options ? options->distribution : NULL);
}

heddle_array *heddle_full_like_with(heddle_array *a, heddle_array *value,
                                    const struct heddle_create_options *options)
{
    return heddle__then_distributed("full_like", make_full_like(a, value, options),
                                    options ? options->distribution : NULL);
}
