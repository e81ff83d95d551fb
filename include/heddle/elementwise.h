/* Elementwise operations: the standard's [elementwise] names, where, astype, and erf, erfc.
 *
 * All of them: lazy, O(1) now. Shape: broadcast of the operands. Dtype: operands are converted to
 * their common dtype (heddle_result_type, weak scalars adapt); functions of real numbers take
 * integers and bool as float64. IEEE 754 special values as the standard says; integer overflow
 * wraps; elementary functions are within a few units in the last place.
 * The result is new: keep or release it unless a scope is open. Operands are not changed.
 * Errors: HEDDLE_EARG NULL operand, HEDDLE_ESHAPE shapes do not broadcast, HEDDLE_EDTYPE no rule
 * for the dtypes, HEDDLE_ENOMEM. Cost: fuses with its neighbours, so no pass over memory of its
 * own. Prototypes are written by hand, in the order of ops.def; a test links each row to one. */
#ifndef HEDDLE_ELEMENTWISE_H
#define HEDDLE_ELEMENTWISE_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** a + b. Integers wrap; of bool the logical or. */
HEDDLE_API heddle_array *heddle_add(heddle_array *a, heddle_array *b);
/** a - b. Integers wrap. */
HEDDLE_API heddle_array *heddle_subtract(heddle_array *a, heddle_array *b);
/** a * b. Integers wrap; of bool the logical and. */
HEDDLE_API heddle_array *heddle_multiply(heddle_array *a, heddle_array *b);
/** a / b, floating; integers become float64. */
HEDDLE_API heddle_array *heddle_divide(heddle_array *a, heddle_array *b);
/** floor(a / b), as Python. Of integers x // 0 is 0. */
HEDDLE_API heddle_array *heddle_floor_divide(heddle_array *a, heddle_array *b);
/** a - floor(a / b) * b, with b's sign, as Python. Of integers x % 0 is 0. */
HEDDLE_API heddle_array *heddle_remainder(heddle_array *a, heddle_array *b);
/** a - trunc(a / b) * b, with a's sign, as C (NumPy name). Of integers x fmod 0 is 0. */
HEDDLE_API heddle_array *heddle_fmod(heddle_array *a, heddle_array *b);
/** a to the b. Integers wrap; negative integer exponents give 0 but for bases 1 and -1. By a scalar
 * (heddle_scalar_*, a number in an expression) 0, 1, 2, 3 and 4 are products, and of floating numbers 0.5 is
 * sqrt, also where pow differs (-0.0, -inf), and -1 reciprocal. */
HEDDLE_API heddle_array *heddle_pow(heddle_array *a, heddle_array *b);
/** -x. Unsigned wraps. */
HEDDLE_API heddle_array *heddle_negative(heddle_array *x);
/** x itself. */
HEDDLE_API heddle_array *heddle_positive(heddle_array *x);
/** |x|; of complex the modulus, real. Bool as NumPy: unchanged. */
HEDDLE_API heddle_array *heddle_abs(heddle_array *x);
/** x * x; bool as int8. */
HEDDLE_API heddle_array *heddle_square(heddle_array *x);
/** 1 / x. */
HEDDLE_API heddle_array *heddle_reciprocal(heddle_array *x);
/** -1, 0 or 1; NaN of NaN; of complex x / |x|. */
HEDDLE_API heddle_array *heddle_sign(heddle_array *x);
/** The larger; NaN if either is NaN. */
HEDDLE_API heddle_array *heddle_maximum(heddle_array *a, heddle_array *b);
/** The smaller; NaN if either is NaN. */
HEDDLE_API heddle_array *heddle_minimum(heddle_array *a, heddle_array *b);
/** The larger; the other one if one is NaN (NumPy name). */
HEDDLE_API heddle_array *heddle_fmax(heddle_array *a, heddle_array *b);
/** The smaller; the other one if one is NaN (NumPy name). */
HEDDLE_API heddle_array *heddle_fmin(heddle_array *a, heddle_array *b);
/** The greatest common divisor of integers, not negative; of 0 and b it is |b| (NumPy name). */
HEDDLE_API heddle_array *heddle_gcd(heddle_array *a, heddle_array *b);
/** Their least common multiple, not negative but where it wraps; 0 with 0 (NumPy name). */
HEDDLE_API heddle_array *heddle_lcm(heddle_array *a, heddle_array *b);
/** Smallest integer not below x; integers and bool unchanged, here and below. */
HEDDLE_API heddle_array *heddle_ceil(heddle_array *x);
/** Largest integer not above x. */
HEDDLE_API heddle_array *heddle_floor(heddle_array *x);
/** Integer part, towards 0. */
HEDDLE_API heddle_array *heddle_trunc(heddle_array *x);
/** Nearest integer, halves to even; of complex each part. */
HEDDLE_API heddle_array *heddle_round(heddle_array *x);
/** Square root; NaN of negative real numbers. */
HEDDLE_API heddle_array *heddle_sqrt(heddle_array *x);
/** Cube root, of negative numbers too (NumPy name). */
HEDDLE_API heddle_array *heddle_cbrt(heddle_array *x);
/** e to the x. */
HEDDLE_API heddle_array *heddle_exp(heddle_array *x);
/** 2 to the x (NumPy name). */
HEDDLE_API heddle_array *heddle_exp2(heddle_array *x);
/** exp(x) - 1, accurate near 0. */
HEDDLE_API heddle_array *heddle_expm1(heddle_array *x);
/** Natural logarithm. */
HEDDLE_API heddle_array *heddle_log(heddle_array *x);
/** log(1 + x), accurate near 0. */
HEDDLE_API heddle_array *heddle_log1p(heddle_array *x);
/** Logarithm to base 2. */
HEDDLE_API heddle_array *heddle_log2(heddle_array *x);
/** Logarithm to base 10. */
HEDDLE_API heddle_array *heddle_log10(heddle_array *x);
/** log(exp(a) + exp(b)) with no overflow in between. */
HEDDLE_API heddle_array *heddle_logaddexp(heddle_array *a, heddle_array *b);
/** log2(exp2(a) + exp2(b)) with no overflow in between (NumPy name). */
HEDDLE_API heddle_array *heddle_logaddexp2(heddle_array *a, heddle_array *b);
/** sqrt(a*a + b*b) with no overflow in between. */
HEDDLE_API heddle_array *heddle_hypot(heddle_array *a, heddle_array *b);
/** Sine of x in radians. */
HEDDLE_API heddle_array *heddle_sin(heddle_array *x);
/** Cosine of x in radians. */
HEDDLE_API heddle_array *heddle_cos(heddle_array *x);
/** Tangent of x in radians. */
HEDDLE_API heddle_array *heddle_tan(heddle_array *x);
/** Inverse sine, in [-pi/2, pi/2]. */
HEDDLE_API heddle_array *heddle_asin(heddle_array *x);
/** Inverse cosine, in [0, pi]. */
HEDDLE_API heddle_array *heddle_acos(heddle_array *x);
/** Inverse tangent, in [-pi/2, pi/2]. */
HEDDLE_API heddle_array *heddle_atan(heddle_array *x);
/** Angle of the point (b, a), in [-pi, pi]: quadrant by both signs, zeros included. */
HEDDLE_API heddle_array *heddle_atan2(heddle_array *a, heddle_array *b);
/** Hyperbolic sine. */
HEDDLE_API heddle_array *heddle_sinh(heddle_array *x);
/** Hyperbolic cosine. */
HEDDLE_API heddle_array *heddle_cosh(heddle_array *x);
/** Hyperbolic tangent. */
HEDDLE_API heddle_array *heddle_tanh(heddle_array *x);
/** Inverse hyperbolic sine. */
HEDDLE_API heddle_array *heddle_asinh(heddle_array *x);
/** Inverse hyperbolic cosine. */
HEDDLE_API heddle_array *heddle_acosh(heddle_array *x);
/** Inverse hyperbolic tangent. */
HEDDLE_API heddle_array *heddle_atanh(heddle_array *x);
/** Error function (SciPy name). */
HEDDLE_API heddle_array *heddle_erf(heddle_array *x);
/** 1 - erf(x), accurate in the tail (SciPy name). */
HEDDLE_API heddle_array *heddle_erfc(heddle_array *x);
/** Modified Bessel function of the first kind of order 0 (NumPy name). */
HEDDLE_API heddle_array *heddle_i0(heddle_array *x);
/** |a| with the sign of b, zeros and NaN included. */
HEDDLE_API heddle_array *heddle_copysign(heddle_array *a, heddle_array *b);
/** Next floating-point number after a towards b. */
HEDDLE_API heddle_array *heddle_nextafter(heddle_array *a, heddle_array *b);
/** a times 2 to the b, of which the fraction does not count; exact but for what the dtype cannot hold (NumPy name). */
HEDDLE_API heddle_array *heddle_ldexp(heddle_array *a, heddle_array *b);
/** The exponent of |x|: the power of 2 that is not above it, as a floating number. Of 0 -infinity, of an infinite number
 *  infinity (C name). */
HEDDLE_API heddle_array *heddle_logb(heddle_array *x);
/** Whether the sign bit is set, of -0.0 and NaN too. */
HEDDLE_API heddle_array *heddle_signbit(heddle_array *x);
/** Neither infinite nor NaN (each part, of complex). */
HEDDLE_API heddle_array *heddle_isfinite(heddle_array *x);
/** Infinite (any part, of complex). */
HEDDLE_API heddle_array *heddle_isinf(heddle_array *x);
/** NaN (any part, of complex). */
HEDDLE_API heddle_array *heddle_isnan(heddle_array *x);
/** Real part. */
HEDDLE_API heddle_array *heddle_real(heddle_array *x);
/** Imaginary part; 0 of real numbers. */
HEDDLE_API heddle_array *heddle_imag(heddle_array *x);
/** Complex conjugate; real numbers unchanged, bool as int8. */
HEDDLE_API heddle_array *heddle_conj(heddle_array *x);
/** a == b; NaN equals nothing. */
HEDDLE_API heddle_array *heddle_equal(heddle_array *a, heddle_array *b);
/** a != b; true when either is NaN. */
HEDDLE_API heddle_array *heddle_not_equal(heddle_array *a, heddle_array *b);
/** a < b. */
HEDDLE_API heddle_array *heddle_less(heddle_array *a, heddle_array *b);
/** a <= b. */
HEDDLE_API heddle_array *heddle_less_equal(heddle_array *a, heddle_array *b);
/** a > b. */
HEDDLE_API heddle_array *heddle_greater(heddle_array *a, heddle_array *b);
/** a >= b. */
HEDDLE_API heddle_array *heddle_greater_equal(heddle_array *a, heddle_array *b);
/** Both non-zero. */
HEDDLE_API heddle_array *heddle_logical_and(heddle_array *a, heddle_array *b);
/** Any non-zero. */
HEDDLE_API heddle_array *heddle_logical_or(heddle_array *a, heddle_array *b);
/** Exactly one non-zero. */
HEDDLE_API heddle_array *heddle_logical_xor(heddle_array *a, heddle_array *b);
/** Zero. */
HEDDLE_API heddle_array *heddle_logical_not(heddle_array *x);
/** a & b, of integers or bool. */
HEDDLE_API heddle_array *heddle_bitwise_and(heddle_array *a, heddle_array *b);
/** a | b, of integers or bool. */
HEDDLE_API heddle_array *heddle_bitwise_or(heddle_array *a, heddle_array *b);
/** a ^ b, of integers or bool. */
HEDDLE_API heddle_array *heddle_bitwise_xor(heddle_array *a, heddle_array *b);
/** ~x; of bool the negation. */
HEDDLE_API heddle_array *heddle_bitwise_invert(heddle_array *x);
/** a << b; 0 when b is not below the width. */
HEDDLE_API heddle_array *heddle_bitwise_left_shift(heddle_array *a, heddle_array *b);
/** a >> b, arithmetic for signed; shifts past the width give 0 or -1. */
HEDDLE_API heddle_array *heddle_bitwise_right_shift(heddle_array *a, heddle_array *b);
/** How many bits are set in |x|, of integers; uint8 (NumPy name). */
HEDDLE_API heddle_array *heddle_bitwise_count(heddle_array *x);

/** a where `condition` is true (non-zero), b elsewhere. The three broadcast together. */
HEDDLE_API heddle_array *heddle_where(heddle_array *condition, heddle_array *a, heddle_array *b);

/** x limited to [low, high], in x's dtype. Either limit may be NULL: none. NaN stays NaN. */
HEDDLE_API heddle_array *heddle_clip(heddle_array *x, heddle_array *low, heddle_array *high);

/** x converted. Floating to integer truncates (outside the range: unspecified value, no error),
 *  anything to bool is x != 0. HEDDLE_EDTYPE: complex to real, which heddle_real is for. */
HEDDLE_API heddle_array *heddle_astype(heddle_array *x, enum heddle_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
