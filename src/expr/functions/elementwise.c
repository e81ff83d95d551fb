/* Elementwise functions: a row for each of ops.def, NumPy's other names, clip, astype. If all arguments
 * are Python scalars the result is strong, as in NumPy: sqrt(2) is a float64. */
#include "expr/functions/functions.h"

#include <heddle/elementwise.h>

HEADING(heddle__expr_call_unary)
{
    heddle_array *x;
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_from_array(run, f->unary(x), at, out);
}

HEADING(heddle__expr_call_binary)
{
    heddle_array *x, *y;
    const bool strong = heddle__expr_is_scalar(&args[0]) && heddle__expr_is_scalar(&args[1]);
    return heddle__expr_to_array(run, &args[0], strong, &x) &&
           heddle__expr_to_array(run, &args[1], strong, &y) &&
           heddle__expr_from_array(run, f->binary(x, y), at, out);
}

CALL(call_ternary)
{
    heddle_array *x, *y, *z;
    const bool strong = heddle__expr_is_scalar(&args[1]) && heddle__expr_is_scalar(&args[2]);
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_array(run, &args[1], strong, &y) &&
           heddle__expr_to_array(run, &args[2], strong, &z) &&
           heddle__expr_from_array(run, f->ternary(x, y, z), at, out);
}

CALL(call_astype)
{
    (void)f;
    heddle_array *x;
    enum heddle_dtype dtype;
    if (!heddle__expr_to_array(run, &args[0], true, &x) ||
        !heddle__expr_to_dtype(run, &args[1], &dtype))
        return false;
    if (dtype == HEDDLE_DTYPE_NONE) dtype = HEDDLE_FLOAT64; /* NumPy's astype(None) */
    return heddle__expr_from_array(run, heddle_astype(x, dtype), at, out);
}

CALL(call_clip)
{
    (void)f;
    heddle_array *x, *low = NULL, *high = NULL;
    return heddle__expr_to_array(run, &args[0], true, &x) &&
           heddle__expr_to_optional_array(run, &args[1], false, &low) &&
           heddle__expr_to_optional_array(run, &args[2], false, &high) &&
           heddle__expr_from_array(run, heddle_clip(x, low, high), at, out);
}

/* ---- Rows -------------------------------------------------------------------------------- */

static const struct function rows[] = {
#define ROW_1(name) UNARY(name, name),
#define ROW_2(name) BINARY(name, name),
#define ROW_3(name) {#name, "condition x1/x/a x2/y/b", call_ternary, {.ternary = heddle_##name}},
#define HEDDLE_OP(ID, name, arity, accepts, result, convert, flops, flags, expression)             \
    ROW_##arity(name)
#include <heddle/ops.def>
#undef HEDDLE_OP
    PLAIN(astype, "x/a dtype | copy=", call_astype),
    PLAIN(clip, "x/a min/a_min= max/a_max=", call_clip),

    /* NumPy's other names */
    UNARY(absolute, abs),
    UNARY(conjugate, conj),
    UNARY(arcsin, asin),
    UNARY(arccos, acos),
    UNARY(arctan, atan),
    UNARY(arcsinh, asinh),
    UNARY(arccosh, acosh),
    UNARY(arctanh, atanh),
    UNARY(invert, bitwise_invert),
    UNARY(bitwise_not, bitwise_invert),
    BINARY(arctan2, atan2),
    BINARY(power, pow),
    BINARY(true_divide, divide),
    BINARY(mod, remainder),
    BINARY(left_shift, bitwise_left_shift),
    BINARY(right_shift, bitwise_right_shift),
};

TABLE(elementwise);
