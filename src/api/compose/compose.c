/* What functions that are made of others share. Entry points: compose.h. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/assemble.h>

#include <string.h>

heddle_array *heddle__slice(heddle_array *a, int axis, int64_t from, int64_t to)
{
    struct heddle_index index[HEDDLE_MAX_NDIM] = {{.kind = HEDDLE_INDEX_SLICE}};
    if (heddle_status_of(a) != HEDDLE_OK) return a;
    index[axis] = (struct heddle_index)HEDDLE_SLICE(from, to);
    return heddle_getitem(a, axis + 1, index);
}

heddle_array *heddle__item(heddle_array *a, int axis, int64_t i)
{
    struct heddle_index index[HEDDLE_MAX_NDIM] = {{.kind = HEDDLE_INDEX_SLICE}};
    if (heddle_status_of(a) != HEDDLE_OK) return a;
    index[axis] = (struct heddle_index)HEDDLE_AT(i);
    return heddle_getitem(a, axis + 1, index);
}

heddle_array *heddle__move(heddle_array *a, int from, int to)
{
    if (heddle_status_of(a) != HEDDLE_OK) return a;
    return heddle__hand_out(heddle__make_moved_axis(a, from, to));
}

heddle_array *heddle__complex(heddle_array *re, heddle_array *im)
{
    return heddle_add(re, heddle_multiply(im, heddle_scalar_complex(0, 1)));
}

struct heddle_shape heddle__with_extent(const heddle_array *a, int axis, int64_t extent)
{
    struct heddle_shape s = {.ndim = a->ndim};
    for (int d = 0; d < a->ndim; d++) s.extent[d] = d == axis ? extent : a->shape[d];
    return s;
}

heddle_array *heddle__flat(heddle_array *a)
{
    return heddle_reshape(a, 1, &a->size);
}

heddle_array *heddle__index_along(int64_t extent, int axis, int ndim)
{
    struct heddle_shape s = {.ndim = ndim};
    for (int d = 0; d < ndim; d++) s.extent[d] = d == axis ? extent : 1;
    return heddle_reshape(heddle__hand_out(heddle__make_index(extent)), ndim, s.extent);
}

heddle_array *heddle__constant(int64_t value, enum heddle_dtype dtype)
{
    const union heddle_scalar v = {.i64 = value};
    return heddle__hand_out(
        heddle__make_constant(heddle__convert(v, HEDDLE_INT64, dtype), dtype, 0, NULL));
}

heddle_array *heddle__zeros(enum heddle_dtype dtype, const struct heddle_shape *shape)
{
    return heddle__hand_out(heddle__make_zeros(dtype, shape->ndim, shape->extent));
}

heddle_array *heddle__reduce_mask(heddle__reduction *f, heddle_array *a, unsigned mask,
                                  bool keepdims, enum heddle_dtype dtype)
{
    struct heddle_reduce_options o = {.size = sizeof o, .keepdims = keepdims, .dtype = dtype};
    for (int d = 0; d < a->ndim; d++)
        if (mask & 1u << d) o.axes.at[o.axes.count++] = d;
    if (o.axes.count == 0) o.axes.count = -1;
    return f(a, &o);
}

double heddle__reduced_count(const heddle_array *a, unsigned mask)
{
    double n = 1;
    for (int d = 0; d < a->ndim; d++)
        if (mask & 1u << d) n *= (double)a->shape[d];
    return n;
}

enum heddle_dtype heddle__mean_dtype(const heddle_array *a)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    return heddle__kind_rank(dtype) < 2 ? HEDDLE_FLOAT64 : dtype;
}

enum heddle_status heddle__along(const char *name, const void *options, int otherwise,
                                 const heddle_array *a, int *axis)
{
    struct heddle_along_options o;
    const enum heddle_status status = heddle__options(name, options, &o, sizeof o);
    if (status != HEDDLE_OK) return status;
    return heddle__axis_option(name, o.has_axis, o.axis, otherwise, a, axis);
}

heddle_array *heddle__named_axis(const char *name, heddle_array *a,
                                 const struct heddle_along_options *options, int *axis, bool *given)
{
    struct heddle_along_options o;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    heddle_array *x = o.has_axis ? a : heddle__flat(a);
    if (heddle_status_of(x) == HEDDLE_OK &&
        heddle__axis_option(name, o.has_axis, o.axis, 0, x, axis) != HEDDLE_OK)
        return heddle__error_last();
    *given = o.has_axis;
    return x;
}

heddle_array *heddle__bad_list(const char *name, int n, heddle_array *const arrays[])
{
    if (n < 1 || !arrays) return heddle__error_array(HEDDLE_EARG, "heddle_%s: %d arrays", name, n);
    return heddle__bad_operand(name, n, arrays);
}

enum heddle_status heddle__failed(heddle_array *bad)
{
    const enum heddle_status status = heddle_status_of(bad);
    return heddle__fail(status, "%s", heddle_error(bad));
}

enum heddle_status heddle__leave_with(struct heddle_scope_state *scope, int n,
                                      heddle_array *const results[], heddle_array **const out[])
{
    enum heddle_status status = HEDDLE_OK;
    for (int i = 0; i < n && status == HEDDLE_OK; i++)
        if (heddle_status_of(results[i]) != HEDDLE_OK) status = heddle__failed(results[i]);
    for (int i = 0; i < n && status == HEDDLE_OK; i++)
        if (out[i]) heddle__retain(results[i]);
    heddle__scope_leave(scope, heddle__error_memory()); /* which nobody owns */
    for (int i = 0; i < n && status == HEDDLE_OK; i++)
        if (out[i]) *out[i] = heddle__hand_out(results[i]);
    return status;
}
