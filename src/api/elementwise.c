/* The elementwise functions of the public API, in the order of ops.def: one line each.
 * heddle_pow is in power.c, heddle_divide, heddle_floor_divide and heddle_remainder in division.c. */
#include "api/elementwise.h"

heddle_array *heddle_add(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_ADD, a, b);
}
heddle_array *heddle_subtract(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_SUBTRACT, a, b);
}
heddle_array *heddle_multiply(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_MULTIPLY, a, b);
}
heddle_array *heddle_fmod(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_FMOD, a, b);
}
heddle_array *heddle_negative(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_NEGATIVE, x);
}
heddle_array *heddle_positive(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_POSITIVE, x);
}
heddle_array *heddle_abs(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ABS, x);
}
heddle_array *heddle_square(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_SQUARE, x);
}
heddle_array *heddle_reciprocal(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_RECIPROCAL, x);
}
heddle_array *heddle_sign(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_SIGN, x);
}
heddle_array *heddle_maximum(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_MAXIMUM, a, b);
}
heddle_array *heddle_minimum(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_MINIMUM, a, b);
}
heddle_array *heddle_fmax(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_FMAX, a, b);
}
heddle_array *heddle_fmin(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_FMIN, a, b);
}
heddle_array *heddle_gcd(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_GCD, a, b);
}
heddle_array *heddle_lcm(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LCM, a, b);
}
heddle_array *heddle_ceil(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_CEIL, x);
}
heddle_array *heddle_floor(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_FLOOR, x);
}
heddle_array *heddle_trunc(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_TRUNC, x);
}
heddle_array *heddle_round(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ROUND, x);
}
heddle_array *heddle_sqrt(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_SQRT, x);
}
heddle_array *heddle_cbrt(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_CBRT, x);
}
heddle_array *heddle_exp(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_EXP, x);
}
heddle_array *heddle_exp2(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_EXP2, x);
}
heddle_array *heddle_expm1(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_EXPM1, x);
}
heddle_array *heddle_log(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_LOG, x);
}
heddle_array *heddle_log1p(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_LOG1P, x);
}
heddle_array *heddle_log2(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_LOG2, x);
}
heddle_array *heddle_log10(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_LOG10, x);
}
heddle_array *heddle_logaddexp(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LOGADDEXP, a, b);
}
heddle_array *heddle_logaddexp2(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LOGADDEXP2, a, b);
}
heddle_array *heddle_hypot(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_HYPOT, a, b);
}
heddle_array *heddle_sin(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_SIN, x);
}
heddle_array *heddle_cos(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_COS, x);
}
heddle_array *heddle_tan(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_TAN, x);
}
heddle_array *heddle_asin(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ASIN, x);
}
heddle_array *heddle_acos(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ACOS, x);
}
heddle_array *heddle_atan(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ATAN, x);
}
heddle_array *heddle_atan2(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_ATAN2, a, b);
}
heddle_array *heddle_sinh(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_SINH, x);
}
heddle_array *heddle_cosh(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_COSH, x);
}
heddle_array *heddle_tanh(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_TANH, x);
}
heddle_array *heddle_asinh(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ASINH, x);
}
heddle_array *heddle_acosh(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ACOSH, x);
}
heddle_array *heddle_atanh(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ATANH, x);
}
heddle_array *heddle_erf(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ERF, x);
}
heddle_array *heddle_erfc(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ERFC, x);
}
heddle_array *heddle_i0(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_I0, x);
}
heddle_array *heddle_copysign(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_COPYSIGN, a, b);
}
heddle_array *heddle_nextafter(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_NEXTAFTER, a, b);
}
heddle_array *heddle_logb(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_LOGB, x);
}
heddle_array *heddle_ldexp(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LDEXP, a, b);
}
heddle_array *heddle_signbit(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_SIGNBIT, x);
}
heddle_array *heddle_isfinite(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ISFINITE, x);
}
heddle_array *heddle_isinf(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ISINF, x);
}
heddle_array *heddle_isnan(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_ISNAN, x);
}
heddle_array *heddle_real(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_REAL, x);
}
heddle_array *heddle_imag(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_IMAG, x);
}
heddle_array *heddle_conj(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_CONJ, x);
}
heddle_array *heddle_less(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LESS, a, b);
}
heddle_array *heddle_less_equal(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LESS_EQUAL, a, b);
}
heddle_array *heddle_greater(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_GREATER, a, b);
}
heddle_array *heddle_greater_equal(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_GREATER_EQUAL, a, b);
}
heddle_array *heddle_logical_and(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LOGICAL_AND, a, b);
}
heddle_array *heddle_logical_or(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LOGICAL_OR, a, b);
}
heddle_array *heddle_logical_xor(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_LOGICAL_XOR, a, b);
}
heddle_array *heddle_logical_not(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_LOGICAL_NOT, x);
}
heddle_array *heddle_bitwise_and(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_BITWISE_AND, a, b);
}
heddle_array *heddle_bitwise_or(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_BITWISE_OR, a, b);
}
heddle_array *heddle_bitwise_xor(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_BITWISE_XOR, a, b);
}
heddle_array *heddle_bitwise_invert(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_BITWISE_INVERT, x);
}
heddle_array *heddle_bitwise_left_shift(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_BITWISE_LEFT_SHIFT, a, b);
}
heddle_array *heddle_bitwise_right_shift(heddle_array *a, heddle_array *b)
{
    return heddle__binary(HEDDLE_OP_BITWISE_RIGHT_SHIFT, a, b);
}
heddle_array *heddle_bitwise_count(heddle_array *x)
{
    return heddle__unary(HEDDLE_OP_BITWISE_COUNT, x);
}
