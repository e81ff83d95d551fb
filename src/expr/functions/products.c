/* Products of arrays over axes. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>
#include <heddle/linalg.h>
#include <heddle/manipulate.h>

/* axes= of tensordot: a number, or a pair of axes or lists of axes. */
CALL(call_tensordot)
{
    (void)f;
    heddle_array *a, *b;
    int axes[2][HEDDLE_MAX_NDIM], n[2] = {0, 0};
    int64_t number = 2;
    const struct value *v = &args[2];
    if (!heddle__expr_to_array(run, &args[0], true, &a) ||
        !heddle__expr_to_array(run, &args[1], true, &b))
        return false;
    if (!heddle__expr_is_list(v)) {
        if (!heddle__expr_to_optional_int(run, v, "axes", &number)) return false;
        if (number < 0 || number > HEDDLE_MAX_NDIM)
            return heddle__expr_fail(run, HEDDLE_EARG, v->at, "axes is %lld", (long long)number);
        return heddle__expr_from_array(run, heddle_tensordot(a, b, (int)number, NULL, NULL), at,
                                       out);
    }
    if (v->n != 2)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "axes is a number, or a pair of lists");
    for (int i = 0; i < 2; i++)
        if (!heddle__expr_to_axes(run, &v->items[i], axes[i], &n[i])) return false;
    if (n[0] != n[1] || n[0] < 0)
        return heddle__expr_fail(run, HEDDLE_EARG, v->at, "both arrays have as many axes summed");
    return heddle__expr_from_array(run, heddle_tensordot(a, b, n[0], axes[0], axes[1]), at, out);
}

CALL(call_along)
{
    heddle_array *a, *b;
    struct heddle_along_options o;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_array(run, &args[1], true, &b) &&
           heddle__expr_to_along(run, &args[2], &o) &&
           heddle__expr_from_array(run, f->along(a, b, &o), at, out);
}

/* vdot: of all elements. */
CALL(call_vdot)
{
    (void)f;
    heddle_array *x[2];
    for (int i = 0; i < 2; i++) {
        if (!heddle__expr_to_array(run, &args[i], true, &x[i])) return false;
        x[i] = heddle__expr_flat(x[i]);
    }
    return heddle__expr_from_array(run, heddle_vecdot_with(x[0], x[1], NULL), at, out);
}

/* Numbers are arrays here, as in NumPy: their dtypes count. */
CALL(call_product)
{
    heddle_array *a, *b;
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_array(run, &args[1], true, &b) &&
           heddle__expr_from_array(run, f->binary(a, b), at, out);
}

/* Of the last two axes. */
CALL(call_diagonal)
{
    (void)f;
    heddle_array *a;
    struct heddle_diagonal_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_optional_int(run, &args[1], "offset", &o.offset) &&
           heddle__expr_from_array(run, heddle_diagonal_with(a, &o), at, out);
}

CALL(call_trace)
{
    (void)f;
    heddle_array *a;
    struct heddle_trace_options o = {.size = sizeof o};
    return heddle__expr_to_array(run, &args[0], true, &a) &&
           heddle__expr_to_optional_int(run, &args[1], "offset", &o.offset) &&
           heddle__expr_to_dtype(run, &args[2], &o.dtype) &&
           heddle__expr_from_array(run, heddle_trace_with(a, &o), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
    PLAIN(tensordot, "a/x1 b/x2 axes=", call_tensordot),
    {"vecdot", "x1/a x2/b | axis=", call_along, {.along = heddle_vecdot_with}},
    {"cross", "a/x1 b/x2 | axis=", call_along, {.along = heddle_cross_with}},
    PLAIN(vdot, "a b", call_vdot),
    {"dot", "a/x1 b/x2", call_product, {.binary = heddle_dot}},
    {"inner", "a/x1 b/x2", call_product, {.binary = heddle_inner}},
    {"outer", "a/x1 b/x2", call_product, {.binary = heddle_outer}},
    {"linalg.tensordot", "x1/a x2/b | axes=", call_tensordot, {NULL}},
    {"linalg.vecdot", "x1/a x2/b | axis=", call_along, {.along = heddle_vecdot_with}},
    {"linalg.cross", "x1/a x2/b | axis=", call_along, {.along = heddle_cross_with}},
    {"linalg.outer", "x1/a x2/b", call_product, {.binary = heddle_outer}},
    {"linalg.matmul", "x1/a x2/b", heddle__expr_call_binary, {.binary = heddle_matmul}},
    {"linalg.matrix_transpose", "x/a", heddle__expr_call_unary, {.unary = heddle_matrix_transpose}},
    {"linalg.diagonal", "x/a | offset=", call_diagonal, {NULL}},
    {"linalg.trace", "x/a | offset= dtype=", call_trace, {NULL}},
    {"kron", "a/x1 b/x2", call_product, {.binary = heddle_kron}},
};

TABLE(products);
