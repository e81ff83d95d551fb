/* Draws as nodes: the flat index of each element and the key of the stream, through a random row of ops.def.
 * Entry points: heddle_rng, draws.h. */
#include "api/random/draws.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>

struct heddle_generator heddle_rng(uint64_t seed)
{
    return (struct heddle_generator){.seed = seed};
}

/* A bijection that leaves no pattern (the finaliser of SplitMix64: G. Steele and others, Fast splittable pseudorandom
 * number generators, 2014). */
static uint64_t scrambled(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Streams of one seed all have different keys. */
static int64_t take_key(struct heddle_generator *rng)
{
    const uint64_t step = 0x9e3779b97f4a7c15u;
    return (int64_t)scrambled(scrambled(rng->seed + step) + step * rng->stream++);
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

bool heddle__constant_value(const heddle_array *a, double *out)
{
    if (!heddle__is_constant(a)) return false;
    *out = heddle__convert(a->value, (enum heddle_dtype)a->dtype, HEDDLE_FLOAT64).f64;
    return true;
}

static enum heddle_status check_parameter(const struct heddle__draws *d,
                                          const struct heddle__parameter *p)
{
    double value;
    HEDDLE_REQUIRE(p->array || !p->required, HEDDLE_EARG, "heddle_%s: %s is NULL", d->name,
                   p->name);
    if (!p->array) return HEDDLE_OK;
    HEDDLE_REQUIRE(heddle__kind_rank((enum heddle_dtype)p->array->dtype) < 3, HEDDLE_EDTYPE,
                   "heddle_%s: %s has dtype %s; it is a real number", d->name, p->name,
                   heddle_dtype_name((enum heddle_dtype)p->array->dtype));
    HEDDLE_REQUIRE(!heddle__constant_value(p->array, &value) || value >= p->least, HEDDLE_EARG,
                   "heddle_%s: %s is %g, less than %g", d->name, p->name, value, p->least);
    return HEDDLE_OK;
}

/* The shape that is given, else the one that the parameters broadcast to. */
static enum heddle_status find_shape(struct heddle__draws *d)
{
    enum heddle_status status;
    HEDDLE_TRY(heddle__check_shape(d->name, d->ndim, d->shape));
    d->result = (struct heddle_shape){.ndim = d->ndim};
    for (int k = 0; k < d->ndim; k++) d->result.extent[k] = d->shape[k];
    for (int i = 0; i < d->n; i++) {
        const heddle_array *a = d->parameters[i].array;
        if (!a) continue;
        HEDDLE_REQUIRE(heddle__broadcast(&d->result, a->ndim, a->shape) &&
                           (d->ndim == 0 || heddle__same_shape(d->ndim, d->shape, d->result.ndim,
                                                               d->result.extent)),
                       HEDDLE_ESHAPE, "heddle_%s: %s of shape %s does not broadcast to %s", d->name,
                       d->parameters[i].name, HEDDLE_SHAPE_OF(a),
                       heddle__shape_text(d->ndim ? d->ndim : d->result.ndim,
                                          d->ndim ? d->shape : d->result.extent)
                           .text);
    }
    status = heddle__check_shape(d->name, d->result.ndim, d->result.extent);
fail:
    return status;
}

static enum heddle_status check_arguments(struct heddle__draws *d)
{
    enum heddle_status status;
    HEDDLE_REQUIRE(d->rng, HEDDLE_EARG, "heddle_%s: the generator is NULL", d->name);
    for (int i = 0; i < d->n; i++) HEDDLE_TRY(check_parameter(d, &d->parameters[i]));
    HEDDLE_TRY(find_shape(d));
    if (!d->dtype) d->dtype = HEDDLE_FLOAT64;
    status = heddle__check_dtype(d->name, d->dtype);
fail:
    return status;
}

heddle_array *heddle__draws_check(struct heddle__draws *d)
{
    heddle_array *given[HEDDLE_DRAWS_MAX_PARAMETERS];
    int n = 0;
    for (int i = 0; i < d->n; i++)
        if (d->parameters[i].array) given[n++] = d->parameters[i].array;
    heddle_array *const bad = n > 0 ? heddle__bad_operand(d->name, n, given) : NULL;
    if (bad) return bad;
    return check_arguments(d) == HEDDLE_OK ? NULL : heddle__error_last();
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/* The number of each element in C order, int64. */
static heddle_array *flat_index(const struct heddle_shape *shape)
{
    heddle_array *flat = NULL;
    int64_t step = 1;
    for (int d = shape->ndim - 1; d >= 0; step *= shape->extent[d--]) {
        if (shape->extent[d] == 1) continue;
        int64_t column[HEDDLE_MAX_NDIM];
        for (int k = 0; k < shape->ndim - d; k++) column[k] = k == 0 ? shape->extent[d] : 1;
        heddle_array *along = heddle__hand_out(heddle__make_index(shape->extent[d]));
        if (step != 1) along = heddle_multiply(along, heddle_scalar_int(step));
        along = heddle_reshape(along, shape->ndim - d, column);
        flat = flat ? heddle_add(along, flat) : along;
    }
    return flat ? flat
                : heddle__hand_out(heddle__make_zeros(HEDDLE_INT64, shape->ndim, shape->extent));
}

static enum heddle_dtype result_of(enum heddle_op op)
{
    return heddle__ops[op].result == HEDDLE_RESULT_U64   ? HEDDLE_UINT64
           : heddle__ops[op].result == HEDDLE_RESULT_F32 ? HEDDLE_FLOAT32
                                                         : HEDDLE_FLOAT64;
}

heddle_array *heddle__draw(struct heddle__draws *d, enum heddle_op op)
{
    const union heddle_scalar key = {.i64 = take_key(d->rng)};
    for (int k = 0; k < d->result.ndim; k++)
        if (d->result.extent[k] == 0)
            return heddle__hand_out(
                heddle__make_zeros(result_of(op), d->result.ndim, d->result.extent));
    heddle_array *const operands[2] = {
        flat_index(&d->result),
        heddle__hand_out(heddle__make_constant(key, HEDDLE_INT64, 0, NULL))};
    heddle_array *const bad = heddle__bad_operand(d->name, 2, operands);
    if (bad) return bad;
    const enum heddle_dtype dtypes[2] = {HEDDLE_INT64, HEDDLE_INT64};
    return heddle__hand_out(
        heddle__make_map(op, HEDDLE_INT64, result_of(op), &d->result, 2, operands, dtypes));
}

heddle_array *heddle__draws_parameter(const struct heddle__draws *d, int i)
{
    heddle_array *a = d->parameters[i].array;
    return a ? heddle_astype(a, d->dtype) : NULL;
}
