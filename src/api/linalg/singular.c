/* Singular values. The kernels take matrices that are at least as wide as high; of others the transposes are decomposed.
 * Entry points: heddle_linalg_svd_with, heddle_linalg_svdvals. */
#include "api/linalg/matrices.h"
#include "base/dtype.h"
#include "base/options.h"
#include "families/spectral/spectral.h"

#include <heddle/spectral.h>

enum { U, S, VH };

static heddle_array *wide(heddle_array *a)
{
    return a->shape[a->ndim - 2] <= a->shape[a->ndim - 1] ? a : heddle_matrix_transpose(a);
}

/* Of matrices without elements: no singular values, and any unitary matrices. */
static void of_nothing(heddle_array *a, bool full, heddle_array *results[3])
{
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1], k = m < n ? m : n;
    const int64_t left[2] = {m, k}, right[2] = {k, n};
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype;
    results[S] = heddle__zeros_beside(a, heddle__real_dtype(dtype), 1, &k);
    results[U] = full ? heddle__identities(a, m) : heddle__zeros_beside(a, dtype, 2, left);
    results[VH] = full ? heddle__identities(a, n) : heddle__zeros_beside(a, dtype, 2, right);
}

/* Of good matrices; of this scope. */
static void decompose(heddle_array *a, bool full, heddle_array *results[3])
{
    heddle_array *made[3] = {NULL, NULL, NULL}; /* s, u, vh */
    heddle_array *const x = wide(a);
    if (a->size == 0) {
        of_nothing(a, full, results);
        return;
    }
    if (!heddle__spectral(HEDDLE_SPECTRAL_SVD, x, false, full, made)) {
        results[U] = results[S] = results[VH] = heddle__error_last();
        return;
    }
    for (int i = 0; i < 3; i++) made[i] = heddle__hand_out(made[i]);
    results[S] = made[0];
    results[U] = x == a ? made[1] : heddle_matrix_transpose(made[2]);
    results[VH] = x == a ? made[2] : heddle_matrix_transpose(made[1]);
}

enum heddle_status heddle_linalg_svd_with(heddle_array *a, heddle_array **u, heddle_array **s,
                                          heddle_array **vh,
                                          const struct heddle_linalg_svd_options *options)
{
    heddle_array *results[3];
    struct heddle_linalg_svd_options o;
    const enum heddle_status status = heddle__options("linalg_svd", options, &o, sizeof o);
    if (status != HEDDLE_OK) return status;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = heddle__matrices("linalg_svd", a, false);
    results[U] = results[S] = results[VH] = a;
    if (heddle_status_of(a) == HEDDLE_OK) decompose(a, !o.thin, results);
    return heddle__leave_with(&scope, 3, results, (heddle_array * *const[]){u, s, vh});
}

heddle_array *heddle_linalg_svdvals(heddle_array *a)
{
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = heddle__matrices("linalg_svdvals", a, false);
    if (heddle_status_of(a) != HEDDLE_OK) return heddle__scope_leave(&scope, a);
    heddle_array *const x = wide(a);
    heddle_array *values = NULL;
    if (a->size == 0)
        values = heddle__zeros_beside(a, heddle__real_dtype((enum heddle_dtype)a->dtype), 1,
                                      &x->shape[x->ndim - 2]);
    else
        values = heddle__hand_out(
            heddle__spectral(HEDDLE_SPECTRAL_SVDVALS, x, false, false, &values) ? values : NULL);
    return heddle__scope_leave(&scope, values);
}
