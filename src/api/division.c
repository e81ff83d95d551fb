/* Division by a scalar that is a power of two. Of integers the quotient, which is rounded down, is a shift to the right, and what
 * remains are the low bits, of negative numbers, too, in two's complement. Of real floating numbers the quotient is a product with the
 * reciprocal, which is exact, so that both are rounded alike. As for powers, only weak scalars are looked at: a
 * result must not depend on what has been evaluated. Entry points: heddle_divide, heddle_floor_divide, heddle_remainder. */
#include "api/elementwise.h"

#include "graph/scope.h"

#include <heddle/create.h>

#include <math.h>
#include <stdlib.h>

/* The divisor in the dtype of the operands, if it is a power of two there; else 0. */
static uint64_t power_of_two(const heddle_array *divisor, enum heddle_dtype dtype)
{
    const union heddle_scalar there =
        heddle__convert(divisor->value, (enum heddle_dtype)divisor->dtype, dtype);
    const bool is_signed = heddle_dtype_kind(dtype) == 'I';
    const int64_t i = heddle__convert(there, dtype, HEDDLE_INT64).i64;
    const uint64_t n = heddle__convert(there, dtype, HEDDLE_UINT64).u64;
    if (is_signed && i < 1) return 0;
    return n & (n - 1) ? 0 : n;
}

/* The reciprocal of the divisor, which has the dtype of the quotient, if both are powers of two and normal numbers there; else 0. */
static double exact_reciprocal(const heddle_array *divisor, enum heddle_dtype dtype)
{
    const int most =
        dtype == HEDDLE_FLOAT16 ? 14 : 126; /* exponents; those of bfloat16 are float32's */
    const union heddle_scalar there =
        heddle__convert(divisor->value, (enum heddle_dtype)divisor->dtype, dtype);
    const double d = heddle__convert(there, dtype, HEDDLE_FLOAT64).f64;
    int exponent;
    return fabs(frexp(d, &exponent)) == 0.5 && abs(exponent - 1) <= most ? 1 / d : 0;
}

static heddle_array *divide(enum heddle_op op, heddle_array *a, heddle_array *b)
{
    /* check; infer */
    heddle_array *const x[2] = {a, b};
    heddle_array *const bad = heddle__bad_operand(heddle__ops[op].name, 2, x);
    if (bad) return bad;
    enum heddle_dtype dtype;
    if (!b->weak || a->weak) return heddle__binary(op, a, b);
    if (heddle__operand_dtype(op, 2, x, &dtype) != HEDDLE_OK) return heddle__error_last();
    const char kind = heddle_dtype_kind(dtype);
    const bool floating = op == HEDDLE_OP_DIVIDE && kind == 'F';
    const double reciprocal = floating ? exact_reciprocal(b, dtype) : 0;
    const uint64_t n = kind == 'I' || kind == 'U' ? power_of_two(b, dtype) : 0;
    if (reciprocal == 0 && (n == 0 || n > INT64_MAX)) return heddle__binary(op, a, b);

    /* build */
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *const y = heddle_astype(a, dtype);
    return heddle__scope_leave(
        &scope, floating ? heddle_multiply(y, heddle_scalar_float(reciprocal))
                : op == HEDDLE_OP_REMAINDER
                    ? heddle_bitwise_and(y, heddle_scalar_int((int64_t)n - 1))
                    : heddle_bitwise_right_shift(y, heddle_scalar_int(63 - __builtin_clzll(n))));
}

heddle_array *heddle_divide(heddle_array *a, heddle_array *b)
{
    return divide(HEDDLE_OP_DIVIDE, a, b);
}

heddle_array *heddle_floor_divide(heddle_array *a, heddle_array *b)
{
    return divide(HEDDLE_OP_FLOOR_DIVIDE, a, b);
}

heddle_array *heddle_remainder(heddle_array *a, heddle_array *b)
{
    return divide(HEDDLE_OP_REMAINDER, a, b);
}
