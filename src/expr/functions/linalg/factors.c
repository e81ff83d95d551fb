/* np.linalg: factorisations, and what is made of them; two functions of scipy.linalg that NumPy lacks. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/factor.h>
#include <heddle/manipulate.h>

CALL(call_cholesky)
{
    (void)f;
    heddle_array *a;
    struct heddle_linalg_cholesky_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_bool(run, &args[1], "upper", &o.upper) &&
           heddle__expr_from_array(run, heddle_linalg_cholesky_with(a, &o), at, out);
}

/* P, L, U as SciPy gives them: a = P L U. */
CALL(call_lu)
{
    (void)f;
    heddle_array *a, *found[3] = {NULL};
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    const enum heddle_status status = heddle_linalg_lu(a, &found[0], &found[1], &found[2]);
    if (status == HEDDLE_OK) { /* P[i, j]: whether row i of a is row j of L U */
        const int ndim = heddle_ndim(found[0]);
        heddle_array *rows =
            heddle_arange(heddle_scalar_int(heddle_shape(found[0])[ndim - 1]), NULL, NULL);
        heddle_array *moved =
            heddle_equal(heddle_expand_dims(found[0], ndim - 1), heddle_expand_dims(rows, 1));
        found[0] = heddle_astype(moved, heddle_dtype_of(found[1]));
    }
    return heddle__expr_from_arrays(run, status, 3, found, VALUE_TUPLE, at, out);
}

CALL(call_qr)
{
    (void)f;
    static const char *const modes[] = {"reduced", "complete", "r"};
    heddle_array *a, *found[2] = {NULL, NULL};
    int mode = 0;
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_word(run, &args[1], "mode is", 3, modes, &mode))
        return false;
    const struct heddle_linalg_qr_options o = {.size = sizeof o, .complete = mode == 1};
    const enum heddle_status status =
        heddle_linalg_qr_with(a, mode == 2 ? NULL : &found[0], &found[1], &o);
    if (mode == 2 && status == HEDDLE_OK) return heddle__expr_from_array(run, found[1], at, out);
    return heddle__expr_from_arrays(run, status, 2, found, VALUE_TUPLE, at, out);
}

CALL(call_binary)
{
    heddle_array *a, *b;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_array(run, &args[1], true, &b) &&
           heddle__expr_from_array(run, f->binary(a, b), at, out);
}

CALL(call_unary)
{
    heddle_array *a;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_from_array(run, f->unary(a), at, out);
}

CALL(call_slogdet)
{
    (void)f;
    heddle_array *a, *found[2] = {NULL, NULL};
    if (!heddle__expr_to_array(run, &args[0], true, &a)) return false;
    const enum heddle_status status = heddle_linalg_slogdet(a, &found[0], &found[1]);
    return heddle__expr_from_arrays(run, status, 2, found, VALUE_TUPLE, at, out);
}

/* trans= is 0, 1 for the transpose, 2 for the adjoint. */
CALL(call_solve_triangular)
{
    (void)f;
    heddle_array *a, *b;
    int64_t trans = 0;
    struct heddle_linalg_solve_triangular_options o = {.size = sizeof o};
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &b) ||
        !heddle__expr_to_optional_int(run, &args[2], "trans", &trans) ||
        !heddle__expr_to_bool(run, &args[3], "lower", &o.lower) ||
        !heddle__expr_to_bool(run, &args[4], "unit_diagonal", &o.unit_diagonal))
        return false;
    if (trans < 0 || trans > 2)
        return heddle__expr_fail(run, HEDDLE_EARG, args[2].at, "trans is 0, 1 or 2");
    o.transposed = trans == 1;
    o.adjoint = trans == 2;
    return heddle__expr_from_array(run, heddle_linalg_solve_triangular_with(a, b, &o), at, out);
}

static const struct function rows[] = {
    {"linalg.cholesky", "a/x | upper=", call_cholesky, {NULL}},
    {"linalg.lu", "a", call_lu, {NULL}},
    {"linalg.qr", "a/x mode=", call_qr, {NULL}},
    {"linalg.solve", "a/x1 b/x2", call_binary, {.binary = heddle_linalg_solve}},
    {"linalg.solve_triangular", "a b trans= lower= unit_diagonal=", call_solve_triangular, {NULL}},
    {"linalg.inv", "a/x", call_unary, {.unary = heddle_linalg_inv}},
    {"linalg.det", "a/x", call_unary, {.unary = heddle_linalg_det}},
    {"linalg.slogdet", "a/x", call_slogdet, {NULL}},
};

TABLE(factors);
