/* Elements by a mask, and the positions of what is not zero. How many there are is a shape, so these functions evaluate
 * the mask and its count, in one pass, when they are called; the elements are an operation like others.
 * Entry points: heddle_nonzero, heddle_argwhere, heddle_flatnonzero, heddle_extract, heddle_compress_with. */
#include "array/storage.h"
#include "base/options.h"
#include "families/compact/compact.h"
#include "families/gather/gather.h"
#include "graph/axes.h"
#include "graph/evaluator.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/create.h>
#include <heddle/elementwise.h>
#include <heddle/index.h>
#include <heddle/manipulate.h>
#include <heddle/mask.h>
#include <heddle/reduce.h>

/* ---- For this and other rooms --------------------------------------------------------------------- */

enum heddle_status heddle__count_mask(const char *name, heddle_array *mask, int64_t *count)
{
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const both[2] = {mask, heddle_count_nonzero(mask)};
    enum heddle_status status = heddle__evaluate_now(2, both);
    if (status == HEDDLE_OK) status = heddle__read_now(both[1], count, sizeof *count);
    if (status != HEDDLE_OK)
        status = heddle__fail(status, "heddle_%s: the mask: %s", name, heddle_last_error());
    heddle__scope_leave(&scope, NULL);
    return status;
}

/* Whether parts follow each other in C order, not all at one place. Then they are noted by the bounds of the mask, which has one
 * element for `row` of the array's. */
static bool is_spread(const struct heddle_grid *grid, int64_t row,
                      struct heddle_compact_params *params)
{
    struct heddle_compact_params found = {0};
    if (!grid || !grid->place || grid->overlaps || grid->n_parts > HEDDLE_COMPACT_PARTS)
        return false;
    bool spread = false;
    for (int64_t part = 0; part < grid->n_parts; part++) {
        int64_t first;
        const int64_t end = found.bound[part] * row + heddle__grid_part_size(grid, part);
        if (!heddle__grid_part_contiguous(grid, part, &first) || first != found.bound[part] * row ||
            end % row != 0)
            return false;
        found.bound[part + 1] = end / row;
        spread = spread || grid->place[part] != grid->place[0];
    }
    found.n_parts = grid->n_parts;
    if (spread) *params = found;
    return spread;
}

static bool is_data_spread(heddle_array *x, int64_t row, struct heddle_compact_params *params)
{
    struct heddle_storage *storage = heddle__node_storage(x);
    const bool spread = storage && is_spread(heddle__storage_grid(storage), row, params);
    heddle__storage_release(storage);
    return spread;
}

/* Notes the parts of the mask or of `a` that are evaluated, if several GPUs have them. */
static bool find_parts(heddle_array *mask, heddle_array *a, struct heddle_compact_params *params)
{
    return mask->size > 0 && (is_data_spread(mask, 1, params) ||
                              (a && a->size && is_data_spread(a, a->size / mask->size, params)));
}

/* Evaluates the mask, and counts what each part of it selects, in the same evaluation. */
static enum heddle_status count_parts(const char *name, heddle_array *mask,
                                      struct heddle_compact_params *params)
{
    int64_t counts[HEDDLE_COMPACT_PARTS];
    heddle_array *of[HEDDLE_COMPACT_PARTS];
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const int64_t all[1] = {-1};
    heddle_array *flat = heddle_reshape(mask, 1, all);
    const int n = (int)params->n_parts;
    for (int k = 0; k < n; k++) {
        const struct heddle_index part = HEDDLE_SLICE(params->bound[k], params->bound[k + 1]);
        of[k] = heddle_count_nonzero(heddle_getitem(flat, 1, &part));
    }
    heddle_array *const both[2] = {mask, heddle_stack(n, of, 0)};
    enum heddle_status status = heddle__evaluate_now(2, both);
    if (status == HEDDLE_OK)
        status = heddle__read_now(both[1], counts, n * (int64_t)sizeof *counts);
    if (status != HEDDLE_OK)
        status = heddle__fail(status, "heddle_%s: the mask: %s", name, heddle_last_error());
    for (int k = 0; k < n && status == HEDDLE_OK; k++)
        params->before[k + 1] = params->before[k] + counts[k];
    heddle__scope_leave(&scope, NULL);
    return status;
}

/* Evaluates the mask and counts what it selects, and what each part selects if several GPUs have them. */
static enum heddle_status count(const char *name, heddle_array *mask, heddle_array *a, int64_t *n,
                                struct heddle_compact_params *params)
{
    if (mask->size == 0) return HEDDLE_OK;
    if (!find_parts(mask, a, params)) {
        const enum heddle_status status = heddle__count_mask(name, mask, n);
        if (status != HEDDLE_OK || *n == 0 || !find_parts(mask, a, params)) return status;
    }
    const enum heddle_status status = count_parts(name, mask, params);
    if (status == HEDDLE_OK) *n = params->before[params->n_parts];
    return status;
}

heddle_array *heddle__compact(const char *name, heddle_array *mask, heddle_array *a)
{
    int64_t n = 0;
    struct heddle_compact_params params = {0};
    if (count(name, mask, a, &n, &params) != HEDDLE_OK) return heddle__error_last();
    const enum heddle_dtype dtype = a ? (enum heddle_dtype)a->dtype : HEDDLE_INT64;
    struct heddle_shape shape = {.ndim = 1, .extent = {n}};
    for (int d = mask->ndim; a && d < a->ndim; d++) shape.extent[shape.ndim++] = a->shape[d];
    bool empty = false;
    for (int d = 0; d < shape.ndim; d++) empty |= shape.extent[d] == 0;
    if (empty) return heddle__hand_out(heddle__make_zeros(dtype, shape.ndim, shape.extent));
    heddle_array *in[2] = {mask, a ? heddle__make_cast(a, dtype) : NULL}; /* strong */
    heddle_array *r = a && !in[1]
                          ? NULL
                          : heddle__make_operation(&heddle__compact_family, dtype, shape.ndim,
                                                   shape.extent, a ? 2 : 1, in, &params, NULL);
    heddle__release(in[1]);
    return heddle__hand_out(r);
}

/* A position in C order as an index along axis d. */
static heddle_array *along(heddle_array *position, const heddle_array *a, int d)
{
    int64_t step = 1;
    for (int k = d + 1; k < a->ndim; k++) step *= a->shape[k];
    heddle_array *x = position;
    if (step > 1) x = heddle_floor_divide(x, heddle_scalar_int(step));
    return d == 0 ? x : heddle_remainder(x, heddle_scalar_int(a->shape[d]));
}

enum heddle_status heddle__nonzero(const char *name, heddle_array *a, heddle_array *out[])
{
    heddle_array *x[HEDDLE_MAX_NDIM] = {0};
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *position = heddle__compact(name, heddle_astype(a, HEDDLE_BOOL), NULL);
    enum heddle_status status = heddle_status_of(position);
    if (status != HEDDLE_OK) {
        heddle__fail(status, "%s", heddle_error(position));
    } else {
        for (int d = 0; d < a->ndim; d++) x[d] = heddle__retain(along(position, a, d));
    }
    heddle__scope_leave(&scope, NULL);
    for (int d = 0; d < a->ndim && status == HEDDLE_OK; d++) out[d] = heddle__adopt(x[d]);
    for (int d = 0; d < a->ndim && status == HEDDLE_OK; d++) status = heddle_status_of(out[d]);
    return status;
}

/* ---- Positions ------------------------------------------------------------------------------------- */

static enum heddle_status check_axes(const char *name, const heddle_array *a)
{
    HEDDLE_REQUIRE(a->ndim > 0, HEDDLE_ESHAPE, "heddle_%s: an array of no axes has no positions",
                   name);
    return HEDDLE_OK;
}

enum heddle_status heddle_nonzero(heddle_array *a, int n, heddle_array *out[])
{
    heddle_array *const bad = heddle__bad_operand("nonzero", 1, &a);
    if (bad) return heddle__fail(heddle_status_of(bad), "%s", heddle_error(bad));
    enum heddle_status status;
    HEDDLE_TRY(check_axes("nonzero", a));
    HEDDLE_REQUIRE(n == a->ndim && out, HEDDLE_EARG,
                   "heddle_nonzero: %d results at %s for the %d axes of shape %s", n,
                   out ? "an address" : "NULL", a->ndim, HEDDLE_SHAPE_OF(a));
    status = heddle__nonzero("nonzero", a, out);
fail:
    return status;
}

heddle_array *heddle_flatnonzero(heddle_array *a)
{
    heddle_array *const bad = heddle__bad_operand("flatnonzero", 1, &a);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope,
                               heddle__compact("flatnonzero", heddle_astype(a, HEDDLE_BOOL), NULL));
}

heddle_array *heddle_argwhere(heddle_array *a)
{
    heddle_array *const bad = heddle__bad_operand("argwhere", 1, &a);
    if (bad) return bad;
    if (check_axes("argwhere", a) != HEDDLE_OK) return heddle__error_last();
    heddle_array *index[HEDDLE_MAX_NDIM];
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = heddle__nonzero("argwhere", a, index) == HEDDLE_OK
                          ? heddle_stack(a->ndim, index, 1)
                          : heddle__error_last();
    return heddle__scope_leave(&scope, r);
}

/* ---- Elements --------------------------------------------------------------------------------------- */

/* What is along the axis of `a` where the condition, of one axis, is not zero: the elements where these lie one after
 * the other, else through the positions. For an open scope. */
static heddle_array *select_along(enum heddle_indexing function, heddle_array *condition,
                                  heddle_array *a, int axis)
{
    const char *name = heddle__indexing_name(function);
    heddle_array *mask = heddle_astype(condition, HEDDLE_BOOL);
    if (heddle_status_of(mask) != HEDDLE_OK) return mask;
    if (heddle_status_of(a) != HEDDLE_OK) return a;
    if (axis == 0 && condition->size == a->shape[0]) return heddle__compact(name, mask, a);
    heddle_array *index = heddle__compact(name, mask, NULL);
    if (heddle_status_of(index) != HEDDLE_OK) return index;
    return heddle__gather_by(function, a, 1, &axis, &index, axis);
}

heddle_array *heddle_extract(heddle_array *condition, heddle_array *a)
{
    heddle_array *const x[2] = {condition, a};
    heddle_array *const bad = heddle__bad_operand("extract", 2, x);
    if (bad) return bad;
    const int64_t all[1] = {-1};
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = select_along(HEDDLE_GATHER_EXTRACT, heddle_reshape(condition, 1, all),
                                   heddle_reshape(a, 1, all), 0);
    return heddle__scope_leave(&scope, r);
}

heddle_array *heddle_compress_with(heddle_array *condition, heddle_array *a,
                                   const struct heddle_compress_options *options)
{
    /* check */
    heddle_array *const in[2] = {condition, a};
    heddle_array *const bad = heddle__bad_operand("compress", 2, in);
    if (bad) return bad;
    struct heddle_compress_options o;
    int axis = 0;
    if (heddle__options("compress", options, &o, sizeof o) != HEDDLE_OK ||
        ((o.has_axis || o.axis) &&
         heddle__axis_option("compress", o.has_axis, o.axis, 0, a, &axis) != HEDDLE_OK))
        return heddle__error_last();
    if (condition->ndim != 1)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_compress: a condition of shape %s; it has one axis",
                                   HEDDLE_SHAPE_OF(condition));

    /* build */
    const int64_t all[1] = {-1};
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = o.has_axis ? a : heddle_reshape(a, 1, all);
    return heddle__scope_leave(&scope, select_along(HEDDLE_GATHER_COMPRESS, condition, x, axis));
}
