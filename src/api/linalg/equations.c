/* Equations, by LU and triangular equations; determinants, from the diagonal of U. Entry points: heddle_linalg_solve,
 * heddle_linalg_inv, heddle_linalg_solve_triangular_with, heddle_linalg_det, heddle_linalg_slogdet. */
#include "api/linalg/factored.h"

#include "base/options.h"
#include "families/factor/systems.h"

#include <heddle/assemble.h>
#include <heddle/factor.h>
#include <heddle/gather.h>

/* ---- Both sides ------------------------------------------------------------------------------------------ */

/* a x = b, with the batches broadcast. */
struct equations {
    heddle_array *a, *b; /* matrices of one batch and dtype */
    bool vector;         /* b is one vector */
    int64_t n;
};

static heddle_array *with_batch(heddle_array *x, const struct heddle_shape *batch, int64_t rows,
                                int64_t columns)
{
    struct heddle_shape s = *batch;
    s.extent[s.ndim++] = rows;
    s.extent[s.ndim++] = columns;
    return heddle_broadcast_to(x, s.ndim, s.extent);
}

/* Checks both and makes them fit; the arrays are the innermost scope's. */
static enum heddle_status read_equations(const char *name, const char *full, heddle_array *a,
                                         heddle_array *b, struct equations *e)
{
    heddle_array *const x[2] = {a, b};
    enum heddle_dtype dtype;
    struct heddle_shape batch = {.ndim = a->ndim - 2};
    enum heddle_status status = heddle__check_matrices(full, a, true);
    if (status == HEDDLE_OK) status = heddle__factor_dtype(name, 2, x, &dtype);
    if (status != HEDDLE_OK) return status;
    *e = (struct equations){.vector = b->ndim == 1, .n = a->shape[a->ndim - 1]};
    HEDDLE_REQUIRE(b->ndim > 0 && b->shape[e->vector ? 0 : b->ndim - 2] == e->n, HEDDLE_ESHAPE,
                   "heddle_%s: shapes %s and %s: there are %lld equations", full,
                   HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(b), (long long)e->n);
    for (int d = 0; d < batch.ndim; d++) batch.extent[d] = a->shape[d];
    HEDDLE_REQUIRE(heddle__broadcast(&batch, e->vector ? 0 : b->ndim - 2, b->shape), HEDDLE_ESHAPE,
                   "heddle_%s: shapes %s and %s: leading axes do not broadcast", full,
                   HEDDLE_SHAPE_OF(a), HEDDLE_SHAPE_OF(b));
    heddle_array *right = heddle_astype(b, dtype);
    if (e->vector) right = heddle_expand_dims(right, 1);
    const int64_t columns = e->vector ? 1 : b->shape[b->ndim - 1];
    e->a = with_batch(heddle_astype(a, dtype), &batch, e->n, e->n);
    e->b = with_batch(right, &batch, e->n, columns);
    return HEDDLE_OK;
}

/* x as the caller's b has its axes. */
static heddle_array *as_given(const struct equations *e, heddle_array *x)
{
    const int last = x->ndim - 1;
    return e->vector && heddle_status_of(x) == HEDDLE_OK ? heddle_squeeze(x, 1, &last) : x;
}

/* ---- Small systems ---------------------------------------------------------------------------------------- */

/* Whether each system of a batch is solved as a whole (kernel_systems.h), and not by factors. */
static bool is_small(const heddle_array *a, int64_t columns)
{
    return heddle__kind_rank((enum heddle_dtype)a->dtype) < 3 &&
           a->shape[a->ndim - 1] <= HEDDLE_SYSTEMS_ROWS && columns <= HEDDLE_SYSTEMS_COLUMNS;
}

/* b: NULL, but of SOLVE. */
static heddle_array *make_systems(enum heddle_systems_what what, heddle_array *a, heddle_array *b,
                                  enum heddle_factor_name name)
{
    const int less = what == HEDDLE_SYSTEMS_DETERMINANT ? 2 : what == HEDDLE_SYSTEMS_PIVOTS;
    const struct heddle_systems_params params = {.what = (int32_t)what, .name = (int32_t)name};
    heddle_array *const in[2] = {a, b};
    const heddle_array *like = b ? b : a;
    return heddle__factor_node(less > 0 ? &heddle__pivots_family : &heddle__systems_family,
                               (enum heddle_dtype)a->dtype, like->ndim - less, like->shape,
                               b ? 2 : 1, in, &params);
}

/* ---- By LU ----------------------------------------------------------------------------------------------- */

/* The rows of b in the order of pivoting. */
static heddle_array *reorder(heddle_array *b, heddle_array *order)
{
    if (heddle_status_of(b) != HEDDLE_OK || heddle_status_of(order) != HEDDLE_OK) return b;
    struct heddle_shape s = {.ndim = b->ndim};
    for (int d = 0; d < b->ndim; d++) s.extent[d] = b->shape[d];
    heddle_array *rows =
        heddle_broadcast_to(heddle_expand_dims(order, order->ndim), s.ndim, s.extent);
    const struct heddle_take_options o = {.size = sizeof o, .axis = b->ndim - 2, .has_axis = true};
    return b->ndim == 2
               ? heddle_take_with(b, order,
                                  &(struct heddle_take_options){.size = sizeof o, .has_axis = true})
               : heddle_take_along_axis_with(b, rows, &o);
}

/* The rows of an identity matrix in that order. */
static heddle_array *reordered_identity(heddle_array *order, int64_t n, enum heddle_dtype dtype)
{
    if (heddle_status_of(order) != HEDDLE_OK) return order;
    heddle_array *const column = heddle__index_along(n, order->ndim, order->ndim + 1);
    return heddle_astype(heddle_equal(heddle_expand_dims(order, order->ndim), column), dtype);
}

/* b: NULL, if it is the identity. */
static heddle_array *solve(heddle_array *a, heddle_array *b, enum heddle_factor_name name)
{
    struct heddle_lu lu;
    if (heddle_status_of(a) != HEDDLE_OK) return a;
    const int64_t n = a->shape[a->ndim - 1];
    if (b && (heddle_status_of(b) != HEDDLE_OK || b->size == 0)) return b;
    if (is_small(a, b ? b->shape[b->ndim - 1] : n))
        return make_systems(b ? HEDDLE_SYSTEMS_SOLVE : HEDDLE_SYSTEMS_INVERT, a, b, name);
    if (!heddle__make_lu(a, &lu)) return lu.packed;
    heddle_array *y =
        b ? reorder(b, lu.order) : reordered_identity(lu.order, n, (enum heddle_dtype)a->dtype);
    y = heddle__make_triangular(lu.packed, y, true, true, name);
    return heddle__make_triangular(lu.packed, y, false, false, name);
}

/* One matrix, and right sides in a batch: they are columns of one, so that the matrix is factored once. */
static heddle_array *solve_beside(heddle_array *a, heddle_array *b)
{
    const int rows = -2, front = 0;
    heddle_array *const right = heddle_moveaxis(b, 1, &rows, &front);
    if (heddle_status_of(right) != HEDDLE_OK) return right;
    const int64_t columns[2] = {right->shape[0], right->size / right->shape[0]};
    heddle_array *const x = solve(a, heddle_reshape(right, 2, columns), HEDDLE_FACTOR_SOLVE);
    return heddle_moveaxis(heddle_reshape(x, right->ndim, right->shape), 1, &front, &rows);
}

heddle_array *heddle_linalg_solve(heddle_array *a, heddle_array *b)
{
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand("linalg_solve", 2, x);
    if (bad) return bad;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    struct equations e;
    if (read_equations("solve", "linalg_solve", a, b, &e) != HEDDLE_OK)
        return heddle__scope_leave(&scope, heddle__error_last());
    const bool beside = a->ndim == 2 && heddle_status_of(e.b) == HEDDLE_OK && e.b->ndim > 2 &&
                        e.b->size > 0 && !is_small(e.a, e.b->shape[e.b->ndim - 1]);
    heddle_array *const solution =
        beside ? solve_beside(heddle_astype(a, (enum heddle_dtype)e.b->dtype), e.b)
               : solve(e.a, e.b, HEDDLE_FACTOR_SOLVE);
    return heddle__scope_leave(&scope, as_given(&e, solution));
}

heddle_array *heddle_linalg_inv(heddle_array *a)
{
    heddle_array *const bad = heddle__bad_operand("linalg_inv", 1, &a);
    if (bad) return bad;
    enum heddle_dtype dtype;
    if (heddle__check_matrices("linalg_inv", a, true) != HEDDLE_OK ||
        heddle__factor_dtype("inv", 1, &a, &dtype) != HEDDLE_OK)
        return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    return heddle__scope_leave(
        &scope, a->size == 0 ? heddle_astype(a, dtype)
                             : solve(heddle_astype(a, dtype), NULL, HEDDLE_FACTOR_INV));
}

/* ---- Triangular equations --------------------------------------------------------------------------------- */

heddle_array *
heddle_linalg_solve_triangular_with(heddle_array *a, heddle_array *b,
                                    const struct heddle_linalg_solve_triangular_options *options)
{
    static const char name[] = "linalg_solve_triangular";
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand(name, 2, x);
    if (bad) return bad;
    struct heddle_linalg_solve_triangular_options o;
    if (heddle__options(name, options, &o, sizeof o) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    struct equations e;
    if (read_equations("solve_triangular", name, a, b, &e) != HEDDLE_OK)
        return heddle__scope_leave(&scope, heddle__error_last());
    const bool flips = o.transposed || o.adjoint;
    if (flips) e.a = heddle_matrix_transpose(e.a);
    if (o.adjoint && heddle__kind_rank((enum heddle_dtype)e.a->dtype) == 3) e.a = heddle_conj(e.a);
    heddle_array *r = heddle__make_triangular(e.a, e.b, o.lower != flips, o.unit_diagonal,
                                              HEDDLE_FACTOR_TRIANGULAR);
    return heddle__scope_leave(&scope, as_given(&e, r));
}

/* ---- Determinants ----------------------------------------------------------------------------------------- */

static enum heddle_status check_determinant(const char *name, const char *full, heddle_array *a,
                                            enum heddle_dtype *dtype)
{
    const enum heddle_status status = heddle__check_matrices(full, a, true);
    return status == HEDDLE_OK ? heddle__factor_dtype(name, 1, &a, dtype) : status;
}

/* The diagonal of U, and the sign of the order of rows in its dtype. */
static heddle_array *pivots_of(heddle_array *a, enum heddle_dtype dtype, heddle_array **sign)
{
    struct heddle_lu lu = {.packed = heddle_astype(a, dtype)};
    if (heddle_status_of(lu.packed) != HEDDLE_OK) return *sign = lu.packed;
    const bool small = a->size > 0 && is_small(lu.packed, 0);
    if (a->size > 0 && !small && !heddle__make_lu(lu.packed, &lu)) return *sign = lu.packed;
    struct heddle_shape s = {.ndim = a->ndim - 2};
    for (int d = 0; d < s.ndim; d++) s.extent[d] = a->shape[d];
    *sign = a->size > 0 && !small
                ? heddle_astype(lu.sign, dtype)
                : heddle_broadcast_to(heddle__constant(1, dtype), s.ndim, s.extent);
    return small ? make_systems(HEDDLE_SYSTEMS_PIVOTS, lu.packed, NULL, HEDDLE_FACTOR_SOLVE)
                 : heddle_diagonal_with(lu.packed, NULL);
}

heddle_array *heddle_linalg_det(heddle_array *a)
{
    heddle_array *const bad = heddle__bad_operand("linalg_det", 1, &a);
    if (bad) return bad;
    enum heddle_dtype dtype;
    if (check_determinant("det", "linalg_det", a, &dtype) != HEDDLE_OK) return heddle__error_last();
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const matrices = heddle_astype(a, dtype);
    if (heddle_status_of(matrices) == HEDDLE_OK && a->size > 0 && is_small(matrices, 0))
        return heddle__scope_leave(
            &scope, make_systems(HEDDLE_SYSTEMS_DETERMINANT, matrices, NULL, HEDDLE_FACTOR_SOLVE));
    const struct heddle_reduce_options last = {.size = sizeof last, .axis = -1, .has_axis = true};
    heddle_array *sign, *pivots = pivots_of(a, dtype, &sign);
    return heddle__scope_leave(&scope, heddle_multiply(sign, heddle_prod_with(pivots, &last)));
}

enum heddle_status heddle_linalg_slogdet(heddle_array *a, heddle_array **sign,
                                         heddle_array **logabsdet)
{
    heddle_array *const bad = heddle__bad_operand("linalg_slogdet", 1, &a);
    if (bad) return heddle__failed(bad);
    enum heddle_dtype dtype;
    const enum heddle_status status = check_determinant("slogdet", "linalg_slogdet", a, &dtype);
    if (status != HEDDLE_OK) return status;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    const struct heddle_reduce_options last = {.size = sizeof last, .axis = -1, .has_axis = true};
    heddle_array *of_order, *pivots = pivots_of(a, dtype, &of_order);
    heddle_array *signs = heddle_sign(pivots); /* of complex numbers x / |x| */
    heddle_array *const results[2] = {heddle_multiply(of_order, heddle_prod_with(signs, &last)),
                                      heddle_sum_with(heddle_log(heddle_abs(pivots)), &last)};
    return heddle__leave_with(&scope, 2, results, (heddle_array * *[]){sign, logabsdet});
}
