/* Eigenvalues and eigenvectors. Entry points: heddle_linalg_eigh_with, heddle_linalg_eigvalsh_with, heddle_linalg_eig,
 * heddle_linalg_eigvals. */
#include "api/linalg/matrices.h"
#include "base/dtype.h"
#include "base/options.h"
#include "families/spectral/spectral.h"

#include <heddle/spectral.h>

static enum heddle_dtype complex_dtype(const heddle_array *a)
{
    return heddle__real_dtype((enum heddle_dtype)a->dtype) == HEDDLE_FLOAT64 ? HEDDLE_COMPLEX128
                                                                             : HEDDLE_COMPLEX64;
}

/* Values and, unless it is NULL, vectors as columns, of good matrices; of this scope. */
static void decompose(enum heddle_spectral_operation operation, heddle_array *a, bool upper,
                      heddle_array **values, heddle_array **vectors)
{
    const bool hermitian = operation <= HEDDLE_SPECTRAL_EIGH;
    const enum heddle_dtype dtype = (enum heddle_dtype)a->dtype,
                            values_dtype = hermitian ? heddle__real_dtype(dtype) : complex_dtype(a);
    heddle_array *results[2] = {NULL, NULL};
    if (a->size == 0) {
        const int64_t n[2] = {a->shape[a->ndim - 1], a->shape[a->ndim - 1]};
        *values = heddle__zeros_beside(a, values_dtype, 1, n);
        if (vectors) *vectors = heddle__zeros_beside(a, hermitian ? dtype : values_dtype, 2, n);
        return;
    }
    const bool made = heddle__spectral(operation, hermitian ? a : heddle_matrix_transpose(a), upper,
                                       false, results);
    *values = made ? heddle__hand_out(results[0]) : heddle__error_last();
    if (!vectors) return;
    *vectors = made ? heddle_matrix_transpose(heddle__hand_out(results[1])) : *values;
    if (hermitian) *vectors = heddle_conj(*vectors);
}

static heddle_array *values_of(enum heddle_spectral_operation operation, heddle_array *a,
                               bool upper)
{
    heddle_array *values;
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = heddle__matrices(heddle__spectral_name((int)operation) + sizeof "heddle", a, true);
    if (heddle_status_of(a) != HEDDLE_OK) return heddle__scope_leave(&scope, a);
    decompose(operation, a, upper, &values, NULL);
    return heddle__scope_leave(&scope, values);
}

static enum heddle_status both_of(enum heddle_spectral_operation operation, heddle_array *a,
                                  bool upper, heddle_array **values, heddle_array **vectors)
{
    heddle_array *results[2];
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    a = heddle__matrices(heddle__spectral_name((int)operation) + sizeof "heddle", a, true);
    results[0] = results[1] = a;
    if (heddle_status_of(a) == HEDDLE_OK) decompose(operation, a, upper, &results[0], &results[1]);
    return heddle__leave_with(&scope, 2, results, (heddle_array * *const[]){values, vectors});
}

enum heddle_status heddle_linalg_eigh_with(heddle_array *a, heddle_array **values,
                                           heddle_array **vectors,
                                           const struct heddle_linalg_eigh_options *options)
{
    struct heddle_linalg_eigh_options o;
    const enum heddle_status status = heddle__options("linalg_eigh", options, &o, sizeof o);
    return status != HEDDLE_OK ? status
                               : both_of(HEDDLE_SPECTRAL_EIGH, a, o.upper, values, vectors);
}

heddle_array *heddle_linalg_eigvalsh_with(heddle_array *a,
                                          const struct heddle_linalg_eigh_options *options)
{
    struct heddle_linalg_eigh_options o;
    if (heddle__options("linalg_eigvalsh", options, &o, sizeof o) != HEDDLE_OK)
        return heddle__error_last();
    return values_of(HEDDLE_SPECTRAL_EIGVALSH, a, o.upper);
}

enum heddle_status heddle_linalg_eig(heddle_array *a, heddle_array **values, heddle_array **vectors)
{
    return both_of(HEDDLE_SPECTRAL_EIG, a, false, values, vectors);
}

heddle_array *heddle_linalg_eigvals(heddle_array *a)
{
    return values_of(HEDDLE_SPECTRAL_EIGVALS, a, false);
}
