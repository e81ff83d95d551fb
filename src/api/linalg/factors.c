/* Factorisations: operations, and the triangles of what they give. Entry points: heddle_linalg_cholesky_with,
 * heddle_linalg_lu, heddle_linalg_qr_with. */
#include "api/linalg/factored.h"

#include "base/options.h"

#include <heddle/factor.h>

static bool is_complex(const heddle_array *a)
{
    return heddle_dtype_kind((enum heddle_dtype)a->dtype) == 'C';
}

/* ---- Cholesky ------------------------------------------------------------------------------------------- */

heddle_array *heddle_linalg_cholesky_with(heddle_array *a,
                                          const struct heddle_linalg_cholesky_options *options)
{
    heddle_array *const bad = heddle__bad_operand("linalg_cholesky", 1, &a);
    if (bad) return bad;
    struct heddle_linalg_cholesky_options o;
    enum heddle_dtype dtype;
    if (heddle__options("linalg_cholesky", options, &o, sizeof o) != HEDDLE_OK ||
        heddle__check_matrices("linalg_cholesky", a, true) != HEDDLE_OK ||
        heddle__factor_dtype("cholesky", 1, &a, &dtype) != HEDDLE_OK)
        return heddle__error_last();

    /* the lower triangle of column-major matrices: rows of a^T are columns of a; where the upper one is given, columns
     * of a^H are conjugated rows of a */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle_astype(a, dtype);
    const bool conjugate = o.upper && is_complex(x);
    heddle_array *in = !o.upper ? heddle_matrix_transpose(x) : conjugate ? heddle_conj(x) : x;
    heddle_array *r =
        heddle__factor_node(&heddle__cholesky_family, dtype, a->ndim, a->shape, 1, &in, NULL);
    if (conjugate) r = heddle_conj(r);
    r = o.upper ? heddle_triu(r, 0) : heddle_tril(heddle_matrix_transpose(r), 0);
    return heddle__scope_leave(&scope, r);
}

/* ---- LU ------------------------------------------------------------------------------------------------- */

enum heddle_status heddle_linalg_lu(heddle_array *a, heddle_array **order, heddle_array **lower,
                                    heddle_array **upper)
{
    heddle_array *const bad = heddle__bad_operand("linalg_lu", 1, &a);
    if (bad) return heddle__failed(bad);
    enum heddle_dtype dtype;
    enum heddle_status status = heddle__check_matrices("linalg_lu", a, false);
    if (status == HEDDLE_OK) status = heddle__factor_dtype("lu", 1, &a, &dtype);
    if (status != HEDDLE_OK) return status;

    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1], k = m < n ? m : n;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    struct heddle_lu lu = {.packed = heddle_astype(a, dtype)};
    if (a->size > 0)
        heddle__make_lu(lu.packed, &lu);
    else /* nothing is swapped */
        lu.order = heddle_broadcast_to(heddle__index_along(m, 0, 1), a->ndim - 1, a->shape);
    heddle_array *l = heddle_tril(heddle__corner(lu.packed, m, k), -1);
    heddle_array *const results[3] = {lu.order, heddle_add(l, heddle__identity(m, k, dtype)),
                                      heddle_triu(heddle__corner(lu.packed, k, n), 0)};
    return heddle__leave_with(&scope, 3, results, (heddle_array * *[]){order, lower, upper});
}

/* ---- QR ------------------------------------------------------------------------------------------------- */

/* Columns 0 .. columns - 1 of Q. */
static heddle_array *expand(heddle_array *reflectors, heddle_array *tau, int64_t columns)
{
    if (heddle_status_of(reflectors) != HEDDLE_OK) return reflectors;
    heddle_array *const in[2] = {reflectors, tau};
    struct heddle_shape s = heddle__with_extent(reflectors, reflectors->ndim - 2, columns);
    return heddle_matrix_transpose(heddle__factor_node(&heddle__reflect_family,
                                                       (enum heddle_dtype)reflectors->dtype, s.ndim,
                                                       s.extent, 2, in, NULL));
}

enum heddle_status heddle_linalg_qr_with(heddle_array *a, heddle_array **q, heddle_array **r,
                                         const struct heddle_linalg_qr_options *options)
{
    heddle_array *const bad = heddle__bad_operand("linalg_qr", 1, &a);
    if (bad) return heddle__failed(bad);
    struct heddle_linalg_qr_options o;
    enum heddle_dtype dtype;
    enum heddle_status status = heddle__options("linalg_qr", options, &o, sizeof o);
    if (status == HEDDLE_OK) status = heddle__check_matrices("linalg_qr", a, false);
    if (status == HEDDLE_OK) status = heddle__factor_dtype("qr", 1, &a, &dtype);
    if (status != HEDDLE_OK) return status;

    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1],
                  k = o.complete || m < n ? m : n;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x = heddle_astype(a, dtype), *results[2];
    if (a->size > 0) {
        heddle_array *outputs[2];
        heddle__factor_nodes(&heddle__qr_family, heddle_matrix_transpose(x), 2, outputs);
        results[0] = q ? expand(outputs[0], outputs[1], k) : outputs[0];
        results[1] = heddle_triu(heddle__corner(heddle_matrix_transpose(outputs[0]), k, n), 0);
    } else { /* without columns all of Q is free */
        struct heddle_shape s = heddle__with_extent(a, a->ndim - 1, k);
        results[0] = heddle_broadcast_to(heddle__identity(m, k, dtype), s.ndim, s.extent);
        results[1] = heddle__corner(x, k, n);
    }
    return heddle__leave_with(&scope, 2, results, (heddle_array * *[]){q, r});
}
