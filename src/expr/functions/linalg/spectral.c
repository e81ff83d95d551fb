/* np.linalg: eigenvalues, singular values, and what is made of them. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/manipulate.h>
#include <heddle/spectral.h>

#include <limits.h>

/* ---- Decompositions --------------------------------------------------------------------------- */

/* Whether UPLO is that of the upper triangle. */
static bool to_upper(struct run *run, const struct value *v, bool *upper)
{
    static const char *const words[] = {"L", "U", "l", "u"};
    int word = 0;
    const bool good = heddle__expr_to_word(run, v, "UPLO is", 4, words, &word);
    *upper = word % 2;
    return good;
}

CALL(call_eigh)
{
    (void)f;
    heddle_array *a, *found[2] = {NULL, NULL};
    struct heddle_linalg_eigh_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) && to_upper(run, &args[1], &o.upper) &&
           heddle__expr_from_arrays(run, heddle_linalg_eigh_with(a, &found[0], &found[1], &o), 2,
                                    found, VALUE_TUPLE, at, out);
}

CALL(call_eigvalsh)
{
    (void)f;
    heddle_array *a;
    struct heddle_linalg_eigh_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) && to_upper(run, &args[1], &o.upper) &&
           heddle__expr_from_array(run, heddle_linalg_eigvalsh_with(a, &o), at, out);
}

/* NumPy's results are real if all eigenvalues of a real matrix are, which takes their values. */
static enum heddle_status make_real(heddle_array *a, int n, heddle_array *found[])
{
    bool some = false;
    if (heddle_dtype_kind(heddle_dtype_of(a)) == 'C') return HEDDLE_OK;
    enum heddle_status status = heddle_eval_all(n, found);
    heddle_array *beyond = heddle_any_with(heddle_imag(found[0]), NULL);
    if (status == HEDDLE_OK) status = heddle_item_bool(beyond, &some);
    for (int i = 0; i < n && status == HEDDLE_OK && !some; i++) found[i] = heddle_real(found[i]);
    return status;
}

CALL(call_eig)
{
    (void)f;
    heddle_array *a, *found[2] = {NULL, NULL};
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    enum heddle_status status = heddle_linalg_eig(a, &found[0], &found[1]);
    if (status == HEDDLE_OK) status = make_real(a, 2, found);
    return heddle__expr_from_arrays(run, status, 2, found, VALUE_TUPLE, at, out);
}

CALL(call_eigvals)
{
    (void)f;
    heddle_array *a, *found;
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    found = heddle_linalg_eigvals(a);
    if (heddle_status_of(found) == HEDDLE_OK) make_real(a, 1, &found);
    return heddle__expr_from_array(run, found, at, out); /* an error that was found is its own */
}

CALL(call_svd)
{
    (void)f;
    heddle_array *a, *found[3] = {NULL, NULL, NULL};
    bool full = true, vectors = true, hermitian = false; /* which is a hint */
    struct heddle_linalg_svd_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_bool(run, &args[1], "full_matrices", &full) ||
        !heddle__expr_to_bool(run, &args[2], "compute_uv", &vectors) ||
        !heddle__expr_to_bool(run, &args[3], "hermitian", &hermitian))
        return false;
    if (!vectors) return heddle__expr_from_array(run, heddle_linalg_svdvals(a), at, out);
    o.thin = !full;
    return heddle__expr_from_arrays(run,
                                    heddle_linalg_svd_with(a, &found[0], &found[1], &found[2], &o),
                                    3, found, VALUE_TUPLE, at, out);
}

/* ---- Norms ---------------------------------------------------------------------------------------- */

/* ord=: a number, or the name of a norm of matrices. */
static bool to_norm(struct run *run, const struct value *v, struct heddle_linalg_norm_options *o)
{
    static const char *const names[] = {"fro", "nuc"};
    int name = 0;
    if (!heddle__expr_given(v)) return true;
    if (v->kind == VALUE_STRING) {
        if (!heddle__expr_to_word(run, v, "ord is", 2, names, &name)) return false;
        o->kind = name ? HEDDLE_NORM_NUCLEAR : HEDDLE_NORM_FROBENIUS;
        return true;
    }
    o->kind = HEDDLE_NORM_P;
    return heddle__expr_to_double(run, v, "ord", &o->p);
}

CALL(call_norm)
{
    (void)f;
    heddle_array *a;
    struct heddle_linalg_norm_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) && to_norm(run, &args[1], &o) &&
           heddle__expr_to_axes_options(run, &args[2], &o.axis, &o.has_axis, &o.axes) &&
           heddle__expr_to_bool(run, &args[3], "keepdims", &o.keepdims) &&
           heddle__expr_from_array(run, heddle_linalg_norm_with(a, &o), at, out);
}

CALL(call_vector_norm)
{
    (void)f;
    heddle_array *a;
    struct heddle_linalg_norm_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_axes_options(run, &args[1], &o.axis, &o.has_axis, &o.axes) &&
           heddle__expr_to_bool(run, &args[2], "keepdims", &o.keepdims) &&
           to_norm(run, &args[3], &o) &&
           heddle__expr_from_array(run, heddle_linalg_vector_norm_with(a, &o), at, out);
}

CALL(call_matrix_norm)
{
    (void)f;
    heddle_array *a;
    struct heddle_linalg_norm_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_bool(run, &args[1], "keepdims", &o.keepdims) &&
           to_norm(run, &args[2], &o) &&
           heddle__expr_from_array(run, heddle_linalg_matrix_norm_with(a, &o), at, out);
}

CALL(call_cond)
{
    (void)f;
    heddle_array *a;
    struct heddle_linalg_norm_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) && to_norm(run, &args[1], &o) &&
           heddle__expr_from_array(run, heddle_linalg_cond_with(a, &o), at, out);
}

/* ---- Ranks ---------------------------------------------------------------------------------------- */

CALL(call_matrix_rank)
{
    (void)f;
    heddle_array *a;
    struct heddle_linalg_rank_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_optional_array(run, &args[1], false, &o.tol) &&
           heddle__expr_to_bool(run, &args[2], "hermitian", &o.hermitian) &&
           heddle__expr_to_optional_array(run, &args[3], false, &o.rtol) &&
           heddle__expr_from_array(run, heddle_linalg_matrix_rank_with(a, &o), at, out);
}

/* NumPy's own default is not the standard's, which rtol=None stands for. */
CALL(call_pinv)
{
    (void)f;
    heddle_array *a;
    struct heddle_linalg_rank_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_optional_array(run, &args[1], false, &o.rtol) ||
        !heddle__expr_to_bool(run, &args[2], "hermitian", &o.hermitian) ||
        !heddle__expr_to_optional_array(run, &args[3], false, &o.rtol))
        return false;
    if (!o.rtol && args[3].kind == VALUE_ABSENT) o.rtol = heddle_scalar_float(1e-15);
    return heddle__expr_from_array(run, heddle_linalg_pinv_with(a, &o), at, out);
}

/* NumPy has no residuals unless the system has more rows than columns, and full rank. */
CALL(call_lstsq)
{
    (void)f;
    heddle_array *a, *b;
    int64_t rank = 0;
    struct heddle_lstsq found = {NULL, NULL, NULL, NULL};
    struct heddle_linalg_lstsq_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &b) ||
        !heddle__expr_to_optional_array(run, &args[2], false, &o.rcond))
        return false;
    enum heddle_status status = heddle_linalg_lstsq_with(a, b, &found, &o);
    if (status == HEDDLE_OK)
        status =
            heddle_eval_all(4, (heddle_array *[]){found.x, found.residuals, found.rank, found.s});
    if (status == HEDDLE_OK) status = heddle_item_int(found.rank, &rank);
    if (status == HEDDLE_OK) {
        const int64_t *shape = heddle_shape(a), none = 0;
        const struct heddle_create_options like = {.size = sizeof like,
                                                   .dtype = heddle_dtype_of(found.residuals)};
        if (rank != shape[1] || shape[0] <= shape[1])
            found.residuals = heddle_zeros_with(1, &none, &like);
        found.rank = heddle_astype(found.rank, HEDDLE_INT32);
    }
    return heddle__expr_from_arrays(
        run, status, 4, (heddle_array *[]){found.x, found.residuals, found.rank, found.s},
        VALUE_TUPLE, at, out);
}

CALL(call_matrix_power)
{
    (void)f;
    heddle_array *a;
    int64_t n;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_int(run, &args[1], "n", &n) &&
           heddle__expr_from_array(run, heddle_linalg_matrix_power(a, n), at, out);
}

/* ---- Polynomials ------------------------------------------------------------------------------------ */

CALL(call_polyfit)
{
    (void)f;
    heddle_array *x, *y;
    int64_t degree = 0;
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_array(run, &args[1], true, &y) &&
           heddle__expr_to_int(run, &args[2], "deg", &degree) &&
           (degree <= INT_MAX ||
            heddle__expr_fail(run, HEDDLE_EARG, args[2].at, "deg is %lld", (long long)degree)) &&
           heddle__expr_from_array(run, heddle_polyfit(x, y, (int)degree), at, out);
}

CALL(call_roots)
{
    (void)f;
    heddle_array *p;
    if (!heddle__expr_to_array(run, &args[0], true, &p)) return false;
    heddle_array *found = heddle_roots(p);
    if (heddle_status_of(found) == HEDDLE_OK) make_real(p, 1, &found);
    return heddle__expr_from_array(run, found, at, out);
}

/* ---- Rows ----------------------------------------------------------------------------------------- */

static const struct function rows[] = {
    {"linalg.eigh", "a/x UPLO=", call_eigh, {NULL}},
    {"linalg.eigvalsh", "a/x UPLO=", call_eigvalsh, {NULL}},
    {"linalg.eig", "a/x", call_eig, {NULL}},
    {"linalg.eigvals", "a/x", call_eigvals, {NULL}},
    {"linalg.svd", "a/x full_matrices= compute_uv= hermitian=", call_svd, {NULL}},
    {"linalg.svdvals", "x/a", heddle__expr_call_unary, {.unary = heddle_linalg_svdvals}},
    {"linalg.expm", "A/a", heddle__expr_call_unary, {.unary = heddle_linalg_expm}},
    {"linalg.norm", "x/a ord= axis= keepdims=", call_norm, {NULL}},
    {"linalg.vector_norm", "x/a | axis= keepdims= ord=", call_vector_norm, {NULL}},
    {"linalg.matrix_norm", "x/a | keepdims= ord=", call_matrix_norm, {NULL}},
    {"linalg.cond", "x/a p=", call_cond, {NULL}},
    {"linalg.matrix_rank", "A/a/x tol= hermitian= | rtol=", call_matrix_rank, {NULL}},
    {"linalg.pinv", "a/x rcond= hermitian= | rtol=", call_pinv, {NULL}},
    {"linalg.lstsq", "a b rcond=", call_lstsq, {NULL}},
    {"linalg.matrix_power", "a/x n", call_matrix_power, {NULL}},
    PLAIN(polyfit, "x y deg", call_polyfit),
    PLAIN(roots, "p", call_roots),
};

TABLE(spectral);
