/* Diagonals, which are views, triangles, which compare indices, and indices themselves. Entry points:
 * heddle_diagonal_with, heddle_diag, heddle_tril, heddle_triu, heddle_indices, heddle_trace_with. */
#include "api/compose/compose.h"

#include "base/options.h"

#include <heddle/assemble.h>
#include <heddle/linalg.h>

/* ---- Diagonals ------------------------------------------------------------------------------------ */

/* The axes of rows and columns; both 0: the last two. */
static enum heddle_status rows_and_columns(const char *name, const heddle_array *a, int axis1,
                                           int axis2, int *rows, int *columns)
{
    HEDDLE_REQUIRE(a->ndim >= 2, HEDDLE_ESHAPE, "heddle_%s: shape %s has less than two axes", name,
                   HEDDLE_SHAPE_OF(a));
    const bool last = axis1 == 0 && axis2 == 0;
    enum heddle_status status = heddle__axis(name, last ? -2 : axis1, a->ndim, a->shape, rows);
    if (status == HEDDLE_OK)
        status = heddle__axis(name, last ? -1 : axis2, a->ndim, a->shape, columns);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(*rows != *columns, HEDDLE_EARG, "heddle_%s: axis %d is given twice", name,
                   *rows);
    return HEDDLE_OK;
}

/* The diagonal from element (down, right) on, as the last axis. Owned. */
static heddle_array *make_diagonal(heddle_array *a, int rows, int columns, int64_t offset)
{
    const int64_t down = offset < 0 ? -offset : 0, right = offset > 0 ? offset : 0;
    const int64_t below = a->shape[rows] - down, beside = a->shape[columns] - right;
    const int64_t n = below < beside ? below : beside;
    struct heddle_map map = {.n = (int8_t)a->ndim};
    struct heddle_shape s = {.ndim = a->ndim - 1};
    int at = 0;
    for (int d = 0; d < a->ndim; d++) {
        const bool walks = d == rows || d == columns;
        map.axis[d] = (int8_t)(walks ? s.ndim - 1 : at);
        map.offset[d] = d == rows ? down : d == columns ? right : 0;
        map.step[d] = 1;
        if (!walks) s.extent[at++] = a->shape[d];
    }
    s.extent[at] = n > 0 ? n : 0;
    if (n <= 0) return heddle__make_zeros((enum heddle_dtype)a->dtype, s.ndim, s.extent);
    return heddle__make_view(a, &map, s.ndim, s.extent);
}

static heddle_array *diagonal(const char *name, heddle_array *a,
                              const struct heddle_diagonal_options *o)
{
    int rows = 0, columns = 0;
    if (rows_and_columns(name, a, o->axis1, o->axis2, &rows, &columns) != HEDDLE_OK)
        return heddle__error_last();
    if (o->offset <= -HEDDLE_MAX_SIZE || o->offset >= HEDDLE_MAX_SIZE)
        return heddle__error_array(HEDDLE_EARG, "heddle_%s: offset %lld", name,
                                   (long long)o->offset);
    return heddle__hand_out(make_diagonal(a, rows, columns, o->offset));
}

heddle_array *heddle_diagonal_with(heddle_array *a, const struct heddle_diagonal_options *options)
{
    heddle_array *const bad = heddle__bad_operand("diagonal", 1, &a);
    if (bad) return bad;
    struct heddle_diagonal_options o;
    if (heddle__options("diagonal", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    return diagonal("diagonal", a, &o);
}

heddle_array *heddle_trace_with(heddle_array *a, const struct heddle_trace_options *options)
{
    heddle_array *const bad = heddle__bad_operand("trace", 1, &a);
    if (bad) return bad;
    struct heddle_trace_options o;
    if (heddle__options("trace", options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    const struct heddle_diagonal_options where = {
        .offset = o.offset, .axis1 = o.axis1, .axis2 = o.axis2};
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const struct heddle_reduce_options last = {
        .size = sizeof last, .axis = -1, .has_axis = true, .dtype = o.dtype};
    return heddle__scope_leave(&scope, heddle_sum_with(diagonal("trace", a, &where), &last));
}

/* The vector on the diagonal of a block that lands on zeros. */
static heddle_array *matrix_of(heddle_array *v, int64_t k)
{
    const int64_t n = v->size, down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
    const enum heddle_dtype dtype = (enum heddle_dtype)v->dtype;
    const struct heddle_shape s = {.ndim = 2, .extent = {n + down + right, n + down + right}};
    if (heddle__check_shape("diag", s.ndim, s.extent) != HEDDLE_OK) return heddle__error_last();
    heddle_array *on = heddle_equal(heddle__index_along(n, 0, 2), heddle__index_along(n, 1, 2));
    heddle_array *block = heddle_where(on, v, heddle__constant(0, dtype));
    const struct heddle_index at[2] = {HEDDLE_SLICE(down, down + n),
                                       HEDDLE_SLICE(right, right + n)};
    return heddle_set_item(heddle__zeros(dtype, &s), 2, at, block);
}

heddle_array *heddle_diag(heddle_array *a, int64_t k)
{
    heddle_array *const bad = heddle__bad_operand("diag", 1, &a);
    if (bad) return bad;
    if (a->ndim == 2) return diagonal("diag", a, &(struct heddle_diagonal_options){.offset = k});
    if (a->ndim != 1 || k <= -HEDDLE_MAX_SIZE || k >= HEDDLE_MAX_SIZE)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_diag: shape %s, diagonal %lld; it takes one axis or two",
                                   HEDDLE_SHAPE_OF(a), (long long)k);
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(&scope, matrix_of(a, k));
}

/* ---- Triangles -------------------------------------------------------------------------------------- */

/* Zeros where column - row <= k is not `lower`. */
static heddle_array *triangle(const char *name, heddle_array *a, int64_t k, bool lower)
{
    heddle_array *const bad = heddle__bad_operand(name, 1, &a);
    if (bad) return bad;
    if (a->ndim < 2)
        return heddle__error_array(HEDDLE_ESHAPE, "heddle_%s: shape %s has less than two axes",
                                   name, HEDDLE_SHAPE_OF(a));
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *row = heddle__index_along(a->shape[a->ndim - 2], 0, 2);
    heddle_array *column = heddle__index_along(a->shape[a->ndim - 1], 1, 2);
    heddle_array *above = heddle_subtract(column, row);
    heddle_array *keep = lower ? heddle_less_equal(above, heddle_scalar_int(k))
                               : heddle_greater_equal(above, heddle_scalar_int(k));
    heddle_array *zero = heddle__constant(0, (enum heddle_dtype)a->dtype);
    return heddle__scope_leave(&scope, heddle_where(keep, a, zero));
}

heddle_array *heddle_tril(heddle_array *a, int64_t k)
{
    return triangle("tril", a, k, true);
}

heddle_array *heddle_triu(heddle_array *a, int64_t k)
{
    return triangle("triu", a, k, false);
}

/* ---- Indices ---------------------------------------------------------------------------------------- */

heddle_array *heddle_indices(int ndim, const int64_t *shape)
{
    if (heddle__check_shape("indices", ndim, shape) != HEDDLE_OK) return heddle__error_last();
    if (ndim == HEDDLE_MAX_NDIM)
        return heddle__error_array(
            HEDDLE_ESHAPE, "heddle_indices: the result has more than %d axes", HEDDLE_MAX_NDIM);
    if (ndim == 0) return heddle__zeros(HEDDLE_INT64, &(struct heddle_shape){.ndim = 1});
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *each[HEDDLE_MAX_NDIM];
    for (int d = 0; d < ndim; d++)
        each[d] = heddle_broadcast_to(heddle__index_along(shape[d], d, ndim), ndim, shape);
    return heddle__scope_leave(&scope, heddle_stack(ndim, each, 0));
}

heddle_array *heddle_tri(int64_t rows, int64_t columns, int64_t k, enum heddle_dtype dtype)
{
    const struct heddle_shape s = {.ndim = 2, .extent = {rows, columns}};
    if (heddle__check_shape("tri", 2, s.extent) != HEDDLE_OK ||
        heddle__check_dtype("tri", dtype) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *one = heddle_broadcast_to(heddle__constant(1, dtype), 2, s.extent);
    return heddle__scope_leave(&scope, heddle_tril(one, k));
}
