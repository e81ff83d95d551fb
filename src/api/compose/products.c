/* Products of arrays over axes: by matmul of arrays whose axes are put together, or elementwise. Entry points:
 * heddle_tensordot, heddle_vecdot_with, heddle_outer, heddle_inner, heddle_dot, heddle_kron,
 * heddle_cross_with. */
#include "api/compose/compose.h"

#include <heddle/linalg.h>

#include <string.h>

/* ---- tensordot ------------------------------------------------------------------------------------ */

/* One operand: its free axes in order, and the contracted ones. */
struct side {
    int free[HEDDLE_MAX_NDIM], n_free, contracted[HEDDLE_MAX_NDIM];
    int64_t free_size, contracted_size;
};

static enum heddle_status read_side(const heddle_array *a, int n, const int *axes, struct side *s)
{
    unsigned mask = 0;
    *s = (struct side){.free_size = 1, .contracted_size = 1};
    const enum heddle_status status = heddle__axes_mask("tensordot", n, axes, a, &mask);
    if (status != HEDDLE_OK) return status;
    for (int i = 0; i < n; i++) {
        s->contracted[i] = axes[i] < 0 ? axes[i] + a->ndim : axes[i];
        s->contracted_size *= a->shape[s->contracted[i]];
    }
    for (int d = 0; d < a->ndim; d++) {
        if (mask & 1u << d) continue;
        s->free[s->n_free++] = d;
        s->free_size *= a->shape[d];
    }
    return HEDDLE_OK;
}

/* As a matrix: the free axes put together, and the contracted ones. */
static heddle_array *matrix_of(heddle_array *a, const struct side *s, bool contracted_first)
{
    int order[HEDDLE_MAX_NDIM];
    const int n = a->ndim - s->n_free;
    memcpy(order + (contracted_first ? 0 : s->n_free), s->contracted, (size_t)n * sizeof *order);
    memcpy(order + (contracted_first ? n : 0), s->free, (size_t)s->n_free * sizeof *order);
    const int64_t shape[2] = {contracted_first ? s->contracted_size : s->free_size,
                              contracted_first ? s->free_size : s->contracted_size};
    return heddle_reshape(heddle_permute_dims(a, a->ndim, order), 2, shape);
}

static heddle_array *tensordot(heddle_array *a, heddle_array *b, const struct side *x,
                               const struct side *y)
{
    struct heddle_shape s = {.ndim = 0};
    for (int i = 0; i < x->n_free; i++) s.extent[s.ndim++] = a->shape[x->free[i]];
    for (int i = 0; i < y->n_free; i++) s.extent[s.ndim++] = b->shape[y->free[i]];
    if (heddle__check_shape("tensordot", s.ndim, s.extent) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r = heddle_matmul(matrix_of(a, x, false), matrix_of(b, y, true));
    return heddle__scope_leave(&scope, heddle_reshape(r, s.ndim, s.extent));
}

heddle_array *heddle_tensordot(heddle_array *a, heddle_array *b, int n, const int *a_axes,
                               const int *b_axes)
{
    /* check */
    heddle_array *const both[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("tensordot", 2, both);
    if (bad) return bad;
    if (n < 0 || n > a->ndim || n > b->ndim || !a_axes != !b_axes)
        return heddle__error_array(HEDDLE_EARG, "heddle_tensordot: %d axes of shapes %s and %s", n,
                                   HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(b));
    int last[HEDDLE_MAX_NDIM], first[HEDDLE_MAX_NDIM];
    for (int i = 0; i < n; i++) {
        last[i] = a->ndim - n + i;
        first[i] = i;
    }
    struct side x, y;
    if (read_side(a, n, a_axes ? a_axes : last, &x) != HEDDLE_OK ||
        read_side(b, n, b_axes ? b_axes : first, &y) != HEDDLE_OK)
        return heddle__error_last();
    for (int i = 0; i < n; i++)
        if (a->shape[x.contracted[i]] != b->shape[y.contracted[i]])
            return heddle__error_array(
                HEDDLE_ESHAPE, "heddle_tensordot: axis %d of shape %s and axis %d of %s differ",
                x.contracted[i], HEDDLE_SHAPE_OF(a), y.contracted[i], HEDDLE_SHAPE_OF(b));
    if (x.n_free + y.n_free > HEDDLE_MAX_NDIM)
        return heddle__error_array(
            HEDDLE_ESHAPE, "heddle_tensordot: the result has more than %d axes", HEDDLE_MAX_NDIM);
    return tensordot(a, b, &x, &y);
}

heddle_array *heddle_inner(heddle_array *a, heddle_array *b)
{
    heddle_array *const both[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("inner", 2, both);
    if (bad) return bad;
    if (a->ndim == 0 || b->ndim == 0) return heddle_multiply(a, b);
    return heddle_tensordot(a, b, 1, &(const int){-1}, &(const int){-1});
}

heddle_array *heddle_dot(heddle_array *a, heddle_array *b)
{
    heddle_array *const both[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("dot", 2, both);
    if (bad) return bad;
    if (a->ndim == 0 || b->ndim == 0) return heddle_multiply(a, b);
    if (a->ndim <= 2 && b->ndim <= 2) return heddle_matmul(a, b);
    return heddle_tensordot(a, b, 1, &(const int){-1}, &(const int){b->ndim == 1 ? 0 : -2});
}

/* ---- Vectors ---------------------------------------------------------------------------------------- */

/* The arrays with the axis, of one extent, as the last; false with the error set. */
static bool along_last(const char *name, heddle_array *a, heddle_array *b,
                       const struct heddle_along_options *options, heddle_array *out[2], int *axis)
{
    int other = 0;
    if (heddle__along(name, options, -1, a, axis) != HEDDLE_OK ||
        heddle__along(name, options, -1, b, &other) != HEDDLE_OK)
        return false;
    if (a->shape[*axis] != b->shape[other]) {
        heddle__fail(HEDDLE_ESHAPE, "heddle_%s: axis %d of shape %s and axis %d of %s differ", name,
                     *axis, HEDDLE_SHAPE_OF(a), other, HEDDLE_SHAPE_OF(b));
        return false;
    }
    out[0] = heddle__move(a, *axis, a->ndim - 1);
    out[1] = heddle__move(b, other, b->ndim - 1);
    return true;
}

heddle_array *heddle_vecdot_with(heddle_array *a, heddle_array *b,
                                 const struct heddle_along_options *options)
{
    heddle_array *const both[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("vecdot", 2, both);
    if (bad) return bad;
    const enum heddle_dtype dtype = heddle__promote(2, both);
    heddle_array *x[2], *r;
    int axis = 0;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    if (along_last("vecdot", a, b, options, x, &axis)) {
        const struct heddle_reduce_options last = {
            .size = sizeof last, .axis = -1, .has_axis = true, .dtype = dtype};
        if (heddle__kind_rank((enum heddle_dtype)a->dtype) == 3) x[0] = heddle_conj(x[0]);
        r = heddle_sum_with(heddle_multiply(x[0], x[1]), &last);
    } else {
        r = heddle__error_last();
    }
    return heddle__scope_leave(&scope, r);
}

/* x[i] y[j] - x[j] y[i] of the last axis. */
static heddle_array *minor(heddle_array *x, heddle_array *y, int i, int j)
{
    const int ax = x->ndim - 1, ay = y->ndim - 1;
    return heddle_subtract(heddle_multiply(heddle__item(x, ax, i), heddle__item(y, ay, j)),
                           heddle_multiply(heddle__item(x, ax, j), heddle__item(y, ay, i)));
}

heddle_array *heddle_cross_with(heddle_array *a, heddle_array *b,
                                const struct heddle_along_options *options)
{
    heddle_array *const both[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("cross", 2, both);
    if (bad) return bad;
    heddle_array *x[2], *r = NULL;
    int axis = 0;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    if (!along_last("cross", a, b, options, x, &axis)) {
        r = heddle__error_last();
    } else if (a->shape[axis] != 3) {
        r = heddle__error_array(HEDDLE_ESHAPE, "heddle_cross: axis %d of shape %s is not 3", axis,
                                HEDDLE_SHAPE_OF(a));
    } else {
        heddle_array *const parts[3] = {minor(x[0], x[1], 1, 2), minor(x[0], x[1], 2, 0),
                                        minor(x[0], x[1], 0, 1)};
        r = heddle_stack(3, parts, -1);
        const int from_end = axis - a->ndim;
        if (heddle_status_of(r) == HEDDLE_OK) r = heddle__move(r, r->ndim - 1, from_end + r->ndim);
    }
    return heddle__scope_leave(&scope, r);
}

/* ---- All pairs -------------------------------------------------------------------------------------- */

heddle_array *heddle_outer(heddle_array *a, heddle_array *b)
{
    heddle_array *const both[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("outer", 2, both);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *column = heddle_reshape(a, 2, (const int64_t[]){a->size, 1});
    heddle_array *row = heddle_reshape(b, 2, (const int64_t[]){1, b->size});
    return heddle__scope_leave(&scope, heddle_multiply(column, row));
}

heddle_array *heddle_kron(heddle_array *a, heddle_array *b)
{
    /* check */
    heddle_array *const both[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("kron", 2, both);
    if (bad) return bad;
    const int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    if (2 * ndim > HEDDLE_MAX_NDIM)
        return heddle__error_array(HEDDLE_ESHAPE,
                                   "heddle_kron: shapes %s and %s have more than %d axes",
                                   HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(b), HEDDLE_MAX_NDIM / 2);

    /* build: axes of a and of b by turns */
    int64_t of_a[HEDDLE_MAX_NDIM], of_b[HEDDLE_MAX_NDIM];
    struct heddle_shape s = {.ndim = ndim};
    for (int d = 0; d < ndim; d++) {
        const int in_a = d - ndim + a->ndim, in_b = d - ndim + b->ndim;
        of_a[2 * d] = in_a < 0 ? 1 : a->shape[in_a];
        of_b[2 * d + 1] = in_b < 0 ? 1 : b->shape[in_b];
        of_a[2 * d + 1] = of_b[2 * d] = 1;
        s.extent[d] = of_a[2 * d] * of_b[2 * d + 1];
    }
    if (heddle__check_shape("kron", ndim, s.extent) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *r =
        heddle_multiply(heddle_reshape(a, 2 * ndim, of_a), heddle_reshape(b, 2 * ndim, of_b));
    return heddle__scope_leave(&scope, heddle_reshape(r, ndim, s.extent));
}
