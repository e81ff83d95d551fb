/* C's operators and functions as operations over arrays. Entry points: heddle__straight_operation,
 * heddle__straight_function. */
#include "api/kernels/straight.h"

#include "api/elementwise.h"

#include <heddle/create.h>

static bool is_integer(enum heddle_dtype dtype)
{
    return dtype < HEDDLE_FLOAT32;
}

/* ---- Operators --------------------------------------------------------------------------------------- */

/* C's division of integers drops the fraction: what is left without the remainder is divided. By 0 it is 0. */
static heddle_array *divide(enum heddle_dtype dtype, heddle_array *a, heddle_array *b)
{
    if (!is_integer(dtype)) return heddle_divide(a, b);
    if (heddle_dtype_kind(dtype) == 'U') return heddle_floor_divide(a, b);
    return heddle_floor_divide(heddle_subtract(a, heddle_fmod(a, b)), b);
}

heddle_array *heddle__straight_operation(enum kernel_operator op, enum heddle_dtype dtype,
                                         heddle_array *a, heddle_array *b)
{
    switch (op) {
    case KERNEL_ADD: return heddle_add(a, b);
    case KERNEL_SUBTRACT: return heddle_subtract(a, b);
    case KERNEL_MULTIPLY: return heddle_multiply(a, b);
    case KERNEL_DIVIDE: return divide(dtype, a, b);
    case KERNEL_MODULO: return heddle_fmod(a, b);
    case KERNEL_SHIFT_LEFT: return heddle_bitwise_left_shift(a, b);
    case KERNEL_SHIFT_RIGHT: return heddle_bitwise_right_shift(a, b);
    case KERNEL_BIT_AND: return heddle_bitwise_and(a, b);
    case KERNEL_BIT_OR: return heddle_bitwise_or(a, b);
    case KERNEL_BIT_XOR: return heddle_bitwise_xor(a, b);
    case KERNEL_LESS: return heddle_less(a, b);
    case KERNEL_LESS_EQUAL: return heddle_less_equal(a, b);
    case KERNEL_GREATER: return heddle_greater(a, b);
    case KERNEL_GREATER_EQUAL: return heddle_greater_equal(a, b);
    case KERNEL_EQUAL: return heddle_equal(a, b);
    case KERNEL_NOT_EQUAL: return heddle_not_equal(a, b);
    case KERNEL_AND: return heddle_logical_and(a, b);
    case KERNEL_OR: return heddle_logical_or(a, b);
    case KERNEL_NEGATE: return heddle_negative(a);
    case KERNEL_INVERT: return heddle_bitwise_invert(a);
    case KERNEL_NOT: break;
    }
    return heddle_logical_not(a);
}

/* ---- Functions ----------------------------------------------------------------------------------------- */

/* Halves away from 0. The fraction that trunc drops is exact, where x + 0.5 is not. */
static heddle_array *round_away(enum heddle_dtype dtype, heddle_array *x)
{
    const union heddle_scalar half = {.f64 = 0.5}, one = {.f64 = 1};
    heddle_array *const whole = heddle_trunc(x);
    heddle_array *const up = heddle_greater_equal(
        heddle_abs(heddle_subtract(x, whole)),
        heddle__straight_array(
            (struct kernel_value){.number = heddle__convert(half, HEDDLE_FLOAT64, dtype)}, dtype));
    heddle_array *const step = heddle_copysign(
        heddle__straight_array(
            (struct kernel_value){.number = heddle__convert(one, HEDDLE_FLOAT64, dtype)}, dtype),
        x);
    return heddle_where(up, heddle_add(whole, step), whole);
}

static heddle_array *norm(heddle_array *x)
{
    return heddle_add(heddle_square(heddle_real(x)), heddle_square(heddle_imag(x)));
}

heddle_array *heddle__straight_function(enum kernel_function f, enum heddle_dtype in,
                                        heddle_array *a, heddle_array *b)
{
    switch (f) {
    case KERNEL_F_SQRT: return heddle_sqrt(a);
    case KERNEL_F_RSQRT: return heddle_reciprocal(heddle_sqrt(a));
    case KERNEL_F_CBRT: return heddle_cbrt(a);
    case KERNEL_F_EXP: return heddle_exp(a);
    case KERNEL_F_EXP2: return heddle_exp2(a);
    case KERNEL_F_EXPM1: return heddle_expm1(a);
    case KERNEL_F_LOG: return heddle_log(a);
    case KERNEL_F_LOG1P: return heddle_log1p(a);
    case KERNEL_F_LOG2: return heddle_log2(a);
    case KERNEL_F_LOG10: return heddle_log10(a);
    case KERNEL_F_POW: return heddle__binary(HEDDLE_OP_POW, a, b);
    case KERNEL_F_HYPOT: return heddle_hypot(a, b);
    case KERNEL_F_SIN: return heddle_sin(a);
    case KERNEL_F_COS: return heddle_cos(a);
    case KERNEL_F_TAN: return heddle_tan(a);
    case KERNEL_F_ASIN: return heddle_asin(a);
    case KERNEL_F_ACOS: return heddle_acos(a);
    case KERNEL_F_ATAN: return heddle_atan(a);
    case KERNEL_F_ATAN2: return heddle_atan2(a, b);
    case KERNEL_F_SINH: return heddle_sinh(a);
    case KERNEL_F_COSH: return heddle_cosh(a);
    case KERNEL_F_TANH: return heddle_tanh(a);
    case KERNEL_F_ASINH: return heddle_asinh(a);
    case KERNEL_F_ACOSH: return heddle_acosh(a);
    case KERNEL_F_ATANH: return heddle_atanh(a);
    case KERNEL_F_ERF: return heddle_erf(a);
    case KERNEL_F_ERFC: return heddle_erfc(a);
    case KERNEL_F_FLOOR: return heddle_floor(a);
    case KERNEL_F_CEIL: return heddle_ceil(a);
    case KERNEL_F_TRUNC: return heddle_trunc(a);
    case KERNEL_F_ROUND: return round_away(in, a);
    case KERNEL_F_RINT: return heddle_round(a);
    case KERNEL_F_FMA:
    case KERNEL_F_COMPLEX: break; /* they are no operations */
    case KERNEL_F_FMOD: return heddle_fmod(a, b);
    case KERNEL_F_FMAX: return heddle_fmax(a, b);
    case KERNEL_F_FMIN: return heddle_fmin(a, b);
    case KERNEL_F_COPYSIGN: return heddle_copysign(a, b);
    case KERNEL_F_NEXTAFTER: return heddle_nextafter(a, b);
    case KERNEL_F_FABS:
    case KERNEL_F_ABS: return heddle_abs(a);
    case KERNEL_F_MIN: return heddle_fmin(a, b);
    case KERNEL_F_MAX: return heddle_fmax(a, b);
    case KERNEL_F_REAL: return heddle_real(a);
    case KERNEL_F_IMAG: return heddle_imag(a);
    case KERNEL_F_NORM: return norm(a);
    case KERNEL_F_CONJ: return heddle_conj(a);
    case KERNEL_F_ISNAN: return heddle_isnan(a);
    case KERNEL_F_ISINF: return heddle_isinf(a);
    case KERNEL_F_ISFINITE: return heddle_isfinite(a);
    case KERNEL_F_SIGNBIT: return heddle_signbit(a);
    case KERNEL_N_FUNCTIONS: break;
    }
    return a;
}
