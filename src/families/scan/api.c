/* Cumulative sums, products and extremes: an operation over operands of the result's dtype. Entry points:
 * heddle_cumulative_sum_with, heddle_cumulative_prod_with, heddle_cumulative_max_with, heddle_cumulative_min_with. */
#include "base/options.h"
#include "families/scan/scan.h"
#include "graph/axes.h"
#include "graph/make.h"

#include <heddle/scan.h>

/* The result's dtype: that of a sum, unless one is asked for. HEDDLE_EDTYPE. */
static enum heddle_status result_dtype(const char *name, const heddle_array *a,
                                       enum heddle_dtype asked, enum heddle_dtype *dtype)
{
    const char kind = heddle_dtype_kind((enum heddle_dtype)a->dtype);
    *dtype = asked                        ? asked
             : kind == 'B' || kind == 'I' ? HEDDLE_INT64
             : kind == 'U'                ? HEDDLE_UINT64
                                          : (enum heddle_dtype)a->dtype;
    if (heddle__check_dtype(name, *dtype) != HEDDLE_OK) return HEDDLE_EDTYPE;
    HEDDLE_REQUIRE(*dtype != HEDDLE_BOOL, HEDDLE_EDTYPE, "heddle_%s: dtype bool; accepts %s", name,
                   heddle__accepts_text(HEDDLE_ACCEPTS_NUM));
    return HEDDLE_OK;
}

/* Sets *axis to the one named or, if none is, to the only one. */
static enum heddle_status find_axis(const char *name, const heddle_array *a,
                                    const struct heddle_scan_options *o, int *axis)
{
    HEDDLE_REQUIRE(a->ndim == 1 || o->has_axis || o->axis, HEDDLE_EAXIS,
                   "heddle_%s: shape %s has %d axes: name one with .axis", name, HEDDLE_SHAPE_OF(a),
                   a->ndim);
    return heddle__axis_option(name, o->has_axis, o->axis, 0, a, axis);
}

/* The dtype of the operation: integers of one and two bytes are the low bytes of wider ones. */
static enum heddle_dtype computed_in(enum heddle_dtype dtype)
{
    if (heddle_dtype_size(dtype) >= 4 || heddle__is_half(dtype)) return heddle__computed_in(dtype);
    return heddle_dtype_kind(dtype) == 'U' ? HEDDLE_UINT32 : HEDDLE_INT32;
}

/* Owned. */
static heddle_array *scan_node(heddle_array *a, enum heddle_dtype dtype,
                               const struct heddle_scan_params *params,
                               const struct heddle_shape *shape)
{
    heddle_array *in = heddle__make_cast(a, computed_in(dtype));
    heddle_array *r = in ? heddle__make_operation(&heddle__scan_family, computed_in(dtype),
                                                  shape->ndim, shape->extent, 1, &in, params, NULL)
                         : NULL;
    heddle__release(in);
    return heddle__recast(r, dtype);
}

static heddle_array *scan(const char *name, enum heddle_scan_operation operation, heddle_array *a,
                          const struct heddle_scan_options *options)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_scan_options o;
    enum heddle_dtype dtype;
    int axis;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK ||
        result_dtype(name, a, o.dtype, &dtype) != HEDDLE_OK ||
        find_axis(name, a, &o, &axis) != HEDDLE_OK)
        return heddle__error_last();

    struct heddle_shape shape = {.ndim = a->ndim};
    struct heddle_scan_params params = {
        .axis = axis, .operation = (int32_t)operation, .initial = o.include_initial};
    bool empty = false; /* the result */
    for (int d = 0; d < a->ndim; d++) {
        shape.extent[d] = a->shape[d] + (d == axis && o.include_initial);
        empty |= shape.extent[d] == 0;
        params.columns |= d > axis && a->shape[d] > 1;
    }
    if (heddle__check_shape(name, shape.ndim, shape.extent) != HEDDLE_OK)
        return heddle__error_last();
    if (empty) return heddle__hand_out(heddle__make_zeros(dtype, shape.ndim, shape.extent));
    if (a->size == 0) { /* only identities */
        const union heddle_scalar identity = {.i64 = operation == HEDDLE_SCAN_MULTIPLY};
        return heddle__hand_out(heddle__make_constant(
            heddle__convert(identity, HEDDLE_INT64, dtype), dtype, shape.ndim, shape.extent));
    }
    return heddle__hand_out(scan_node(a, dtype, &params, &shape));
}

heddle_array *heddle_cumulative_sum_with(heddle_array *a, const struct heddle_scan_options *o)
{
    return scan("cumulative_sum", HEDDLE_SCAN_ADD, a, o);
}

heddle_array *heddle_cumulative_prod_with(heddle_array *a, const struct heddle_scan_options *o)
{
    return scan("cumulative_prod", HEDDLE_SCAN_MULTIPLY, a, o);
}

/* ---- Extremes ------------------------------------------------------------------------------------------ */

/* The largest or smallest so far have the operand's dtype, or one that is asked for before they are compared. */
static heddle_array *extreme(const char *name, enum heddle_scan_operation operation,
                             heddle_array *a, const struct heddle_scan_options *options)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    struct heddle_scan_options o;
    int axis;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    if (o.include_initial)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: there is no initial element", name);
    const enum heddle_dtype dtype = o.dtype ? o.dtype : (enum heddle_dtype)a->dtype;
    if (find_axis(name, a, &o, &axis) != HEDDLE_OK || heddle__check_dtype(name, dtype) != HEDDLE_OK)
        return heddle__error_last();
    if (heddle__kind_rank((enum heddle_dtype)a->dtype) > 2 || heddle__kind_rank(dtype) > 2)
        return heddle__error_array(HEDDLE_EDTYPE, "heddle_%s: complex numbers have no order", name);
    if (a->size == 0) return heddle__hand_out(heddle__make_zeros(dtype, a->ndim, a->shape));

    struct heddle_shape shape = {.ndim = a->ndim};
    struct heddle_scan_params params = {.axis = axis, .operation = (int32_t)operation};
    for (int d = 0; d < a->ndim; d++) {
        shape.extent[d] = a->shape[d];
        params.columns |= d > axis && a->shape[d] > 1;
    }
    heddle_array *const x = heddle__make_cast(a, dtype);
    heddle_array *const r = x ? scan_node(x, dtype, &params, &shape) : NULL;
    heddle__release(x);
    return heddle__hand_out(r);
}

heddle_array *heddle_cumulative_max_with(heddle_array *a, const struct heddle_scan_options *o)
{
    return extreme("cumulative_max", HEDDLE_SCAN_MAXIMUM, a, o);
}

heddle_array *heddle_cumulative_min_with(heddle_array *a, const struct heddle_scan_options *o)
{
    return extreme("cumulative_min", HEDDLE_SCAN_MINIMUM, a, o);
}
