/* Loops over operations.h, one for each operation and type. Entry points: cpu_blocks.h. */
#include "families/kernel/cpu_blocks.h"

#include "kernel_text/operations.h"

#include <string.h>

/* ---- Operators --------------------------------------------------------------------------------------- */

/* What has one operand is given NULL as the other, which its expression does not name. */
#define LOOP(name, T, R, expression)                                                               \
    static void name##_##T(int n, void *out, const void *a, const void *b)                         \
    {                                                                                              \
        const hd_##T *const xs = a, *const ys = b ? b : a;                                         \
        hd_##R *const to = out;                                                                    \
        for (int k = 0; k < n; k++) {                                                              \
            const hd_##T x = xs[k], y = ys[k];                                                     \
            (void)y;                                                                               \
            to[k] = expression;                                                                    \
        }                                                                                          \
    }
#define ARITHMETIC(T)                                                                              \
    LOOP(add, T, T, hd_add_##T(x, y))                                                              \
    LOOP(sub, T, T, hd_sub_##T(x, y))                                                              \
    LOOP(mul, T, T, hd_mul_##T(x, y))                                                              \
    LOOP(neg, T, T, hd_neg_##T(x))
#define ORDER(T)                                                                                   \
    LOOP(less, T, bool, x < y)                                                                     \
    LOOP(less_equal, T, bool, x <= y)                                                              \
    LOOP(greater, T, bool, x > y)                                                                  \
    LOOP(greater_equal, T, bool, x >= y)                                                           \
    LOOP(equal, T, bool, x == y)                                                                   \
    LOOP(not_equal, T, bool, x != y)
#define INTEGER(T)                                                                                 \
    ARITHMETIC(T)                                                                                  \
    ORDER(T)                                                                                       \
    LOOP(divide, T, T, hd_quotient_##T(x, y))                                                      \
    LOOP(modulo, T, T, hd_fmod_##T(x, y))                                                          \
    LOOP(shift_left, T, T, hd_shift_left_##T(x, y))                                                \
    LOOP(shift_right, T, T, hd_shift_right_##T(x, y))                                              \
    LOOP(bit_and, T, T, x &y)                                                                      \
    LOOP(bit_or, T, T, x | y)                                                                      \
    LOOP(bit_xor, T, T, x ^ y)                                                                     \
    LOOP(invert, T, T, ~x)
#define FLOATING(T)                                                                                \
    ARITHMETIC(T)                                                                                  \
    ORDER(T)                                                                                       \
    LOOP(divide, T, T, hd_div_##T(x, y))
#define COMPLEX(T)                                                                                 \
    ARITHMETIC(T)                                                                                  \
    LOOP(divide, T, T, hd_div_##T(x, y))                                                           \
    LOOP(equal, T, bool, hd_equal_##T(x, y))                                                       \
    LOOP(not_equal, T, bool, hd_not_equal_##T(x, y))
INTEGER(int32)
INTEGER(int64)
INTEGER(uint32)
INTEGER(uint64)
FLOATING(float32)
FLOATING(float64)
COMPLEX(complex64)
COMPLEX(complex128)
LOOP(both, bool, bool, x &&y)
LOOP(either, bool, bool, x || y)
LOOP(not, bool, bool, !x)

#define OF_INTEGERS(name)                                                                          \
    [HEDDLE_INT32] = name##_int32, [HEDDLE_INT64] = name##_int64, [HEDDLE_UINT32] = name##_uint32, \
    [HEDDLE_UINT64] = name##_uint64
#define OF_FLOATING(name) [HEDDLE_FLOAT32] = name##_float32, [HEDDLE_FLOAT64] = name##_float64
#define OF_COMPLEX(name)                                                                           \
    [HEDDLE_COMPLEX64] = name##_complex64, [HEDDLE_COMPLEX128] = name##_complex128
#define OF_REAL(name) OF_INTEGERS(name), OF_FLOATING(name)
#define OF_ALL(name) OF_REAL(name), OF_COMPLEX(name)

kernel_block_function *heddle__kernel_block_operator(enum kernel_operator op,
                                                     enum heddle_dtype dtype)
{
    static kernel_block_function *const table[][HEDDLE_N_COMPUTED] = {
        [KERNEL_ADD] = {OF_ALL(add)},
        [KERNEL_SUBTRACT] = {OF_ALL(sub)},
        [KERNEL_MULTIPLY] = {OF_ALL(mul)},
        [KERNEL_DIVIDE] = {OF_ALL(divide)},
        [KERNEL_MODULO] = {OF_INTEGERS(modulo)},
        [KERNEL_SHIFT_LEFT] = {OF_INTEGERS(shift_left)},
        [KERNEL_SHIFT_RIGHT] = {OF_INTEGERS(shift_right)},
        [KERNEL_BIT_AND] = {OF_INTEGERS(bit_and)},
        [KERNEL_BIT_OR] = {OF_INTEGERS(bit_or)},
        [KERNEL_BIT_XOR] = {OF_INTEGERS(bit_xor)},
        [KERNEL_LESS] = {OF_REAL(less)},
        [KERNEL_LESS_EQUAL] = {OF_REAL(less_equal)},
        [KERNEL_GREATER] = {OF_REAL(greater)},
        [KERNEL_GREATER_EQUAL] = {OF_REAL(greater_equal)},
        [KERNEL_EQUAL] = {OF_ALL(equal)},
        [KERNEL_NOT_EQUAL] = {OF_ALL(not_equal)},
        [KERNEL_AND] = {[HEDDLE_BOOL] = both_bool},
        [KERNEL_OR] = {[HEDDLE_BOOL] = either_bool},
        [KERNEL_NEGATE] = {OF_ALL(neg)},
        [KERNEL_INVERT] = {OF_INTEGERS(invert)},
        [KERNEL_NOT] = {[HEDDLE_BOOL] = not_bool},
    };
    return table[op][dtype];
}

/* ---- Functions: hd_<operation>_<dtype>, whose rows are below ------------------------------------- */

#define FUNCTIONS_REAL(F, T)                                                                       \
    F(SQRT, sqrt, T)                                                                               \
    F(RSQRT, rsqrt, T)                                                                             \
    F(CBRT, cbrt, T)                                                                               \
    F(EXP, exp, T)                                                                                 \
    F(EXP2, exp2, T)                                                                               \
    F(EXPM1, expm1, T)                                                                             \
    F(LOG, log, T)                                                                                 \
    F(LOG1P, log1p, T)                                                                             \
    F(LOG2, log2, T)                                                                               \
    F(LOG10, log10, T)                                                                             \
    F(SIN, sin, T)                                                                                 \
    F(COS, cos, T)                                                                                 \
    F(TAN, tan, T)                                                                                 \
    F(ASIN, asin, T)                                                                               \
    F(ACOS, acos, T)                                                                               \
    F(ATAN, atan, T)                                                                               \
    F(SINH, sinh, T)                                                                               \
    F(COSH, cosh, T)                                                                               \
    F(TANH, tanh, T)                                                                               \
    F(ASINH, asinh, T)                                                                             \
    F(ACOSH, acosh, T)                                                                             \
    F(ATANH, atanh, T)                                                                             \
    F(ERF, erf, T)                                                                                 \
    F(ERFC, erfc, T)                                                                               \
    F(FLOOR, floor, T)                                                                             \
    F(CEIL, ceil, T)                                                                               \
    F(TRUNC, trunc, T)                                                                             \
    F(ROUND, round_away, T)                                                                        \
    F(RINT, round, T)                                                                              \
    F(FABS, abs, T)
#define FUNCTIONS_REAL2(F, T)                                                                      \
    F(POW, pow, T)                                                                                 \
    F(HYPOT, hypot, T)                                                                             \
    F(ATAN2, atan2, T)                                                                             \
    F(FMOD, fmod, T)                                                                               \
    F(FMAX, fmax, T) F(FMIN, fmin, T) F(COPYSIGN, copysign, T) F(NEXTAFTER, nextafter, T)
#define FUNCTIONS_TEST(F, T) F(ISNAN, isnan, T) F(ISINF, isinf, T) F(ISFINITE, isfinite, T)
#define FUNCTIONS_ALL(F, T)                                                                        \
    F(ABS, abs, T) F(REAL, real, T) F(IMAG, imag, T) F(NORM, norm, T) F(CONJ, conj, T)
#define FUNCTIONS_ENDS(F, T) F(MIN, fmin, T) F(MAX, fmax, T)
#define FUNCTIONS_COMPLEX(F, T)                                                                    \
    F(SQRT, sqrt, T) F(EXP, exp, T) F(LOG, log, T) F(SIN, sin, T) F(COS, cos, T)

#define CALL1(ID, name, T) LOOP(call_##ID, T, T, hd_##name##_##T(x))
#define CALL2(ID, name, T) LOOP(call_##ID, T, T, hd_##name##_##T(x, y))
#define CALL_TEST(ID, name, T) LOOP(call_##ID, T, bool, hd_##name##_##T(x))
#define CALL_SINGLE(ID, name, T) LOOP(call_##ID, T, float32, hd_##name##_##T(x))
#define CALL_DOUBLE(ID, name, T) LOOP(call_##ID, T, float64, hd_##name##_##T(x))
#define PARTS(F, T) F(ABS, abs, T) F(REAL, real, T) F(IMAG, imag, T) F(NORM, norm, T)

#define FLOATING_CALLS(T)                                                                          \
    FUNCTIONS_REAL(CALL1, T)                                                                       \
    FUNCTIONS_REAL2(CALL2, T)                                                                      \
    FUNCTIONS_TEST(CALL_TEST, T)                                                                   \
    CALL_TEST(SIGNBIT, signbit, T)                                                                 \
    FUNCTIONS_ALL(CALL1, T)                                                                        \
    FUNCTIONS_ENDS(CALL2, T)
#define INTEGER_CALLS(T)                                                                           \
    FUNCTIONS_ALL(CALL1, T)                                                                        \
    FUNCTIONS_ENDS(CALL2, T)
FLOATING_CALLS(float32)
FLOATING_CALLS(float64)
INTEGER_CALLS(int32)
INTEGER_CALLS(int64)
INTEGER_CALLS(uint32)
INTEGER_CALLS(uint64)
PARTS(CALL_SINGLE, complex64)
PARTS(CALL_DOUBLE, complex128)
CALL1(CONJ, conj, complex64)
CALL1(CONJ, conj, complex128)
FUNCTIONS_TEST(CALL_TEST, complex64)
FUNCTIONS_TEST(CALL_TEST, complex128)
FUNCTIONS_COMPLEX(CALL1, complex64)
FUNCTIONS_COMPLEX(CALL1, complex128)

kernel_block_function *heddle__kernel_block_call(enum kernel_function f, enum heddle_dtype dtype)
{
#define ROW(ID, name, T) [KERNEL_F_##ID] = call_##ID##_##T,
    static kernel_block_function *const table[HEDDLE_N_COMPUTED][KERNEL_N_FUNCTIONS] = {
#define FLOATING_ROWS(T)                                                                           \
    {FUNCTIONS_REAL(ROW, T) FUNCTIONS_REAL2(ROW, T) FUNCTIONS_TEST(ROW, T)                         \
         ROW(SIGNBIT, signbit, T) FUNCTIONS_ALL(ROW, T) FUNCTIONS_ENDS(ROW, T)}
#define COMPLEX_ROWS(T)                                                                            \
    {                                                                                              \
        FUNCTIONS_COMPLEX(ROW, T) FUNCTIONS_TEST(ROW, T) FUNCTIONS_ALL(ROW, T)                     \
    }
        [HEDDLE_FLOAT32] = FLOATING_ROWS(float32),
        [HEDDLE_FLOAT64] = FLOATING_ROWS(float64),
        [HEDDLE_INT32] = {FUNCTIONS_ALL(ROW, int32) FUNCTIONS_ENDS(ROW, int32)},
        [HEDDLE_INT64] = {FUNCTIONS_ALL(ROW, int64) FUNCTIONS_ENDS(ROW, int64)},
        [HEDDLE_UINT32] = {FUNCTIONS_ALL(ROW, uint32) FUNCTIONS_ENDS(ROW, uint32)},
        [HEDDLE_UINT64] = {FUNCTIONS_ALL(ROW, uint64) FUNCTIONS_ENDS(ROW, uint64)},
        [HEDDLE_COMPLEX64] = COMPLEX_ROWS(complex64),
        [HEDDLE_COMPLEX128] = COMPLEX_ROWS(complex128),
    };
    return table[dtype][f];
}

LOOP(make_complex, float32, complex64, hd_make_complex64(x, y))
LOOP(make_complex, float64, complex128, hd_make_complex128(x, y))

kernel_block_function *heddle__kernel_block_pair(enum heddle_dtype part)
{
    return part == HEDDLE_FLOAT32 ? make_complex_float32 : make_complex_float64;
}

void heddle__kernel_block_fma(int n, enum heddle_dtype dtype, void *out, const void *x,
                              const void *y, const void *z)
{
    if (dtype == HEDDLE_FLOAT32)
        for (int k = 0; k < n; k++)
            ((float *)out)[k] =
                hd_fma_float32(((const float *)x)[k], ((const float *)y)[k], ((const float *)z)[k]);
    else
        for (int k = 0; k < n; k++)
            ((double *)out)[k] = hd_fma_float64(((const double *)x)[k], ((const double *)y)[k],
                                                ((const double *)z)[k]);
}

/* ---- Conversions ----------------------------------------------------------------------------------- */

#define CAST(TO, FROM) LOOP(cast_##TO, FROM, TO, hd_cast_##TO##_##FROM(x))
#define REAL_TYPES(X, A)                                                                           \
    X(A, bool)                                                                                     \
    X(A, int8)                                                                                     \
    X(A, int16)                                                                                    \
    X(A, int32)                                                                                    \
    X(A, int64) X(A, uint8) X(A, uint16) X(A, uint32) X(A, uint64) X(A, float32) X(A, float64)
#define TO_REAL(TO) REAL_TYPES(CAST, TO)
#define TO_COMPLEX(TO) REAL_TYPES(CAST, TO) CAST(TO, complex64) CAST(TO, complex128)
TO_REAL(bool)
TO_REAL(int8)
TO_REAL(int16)
TO_REAL(int32)
TO_REAL(int64)
TO_REAL(uint8)
TO_REAL(uint16)
TO_REAL(uint32)
TO_REAL(uint64)
TO_REAL(float32)
TO_REAL(float64)
TO_COMPLEX(complex64)
TO_COMPLEX(complex128)

kernel_block_function *heddle__kernel_block_cast(enum heddle_dtype from, enum heddle_dtype to)
{
#define OF_SMALL(name)                                                                             \
    [HEDDLE_BOOL] = name##_bool, [HEDDLE_INT8] = name##_int8, [HEDDLE_INT16] = name##_int16,       \
    [HEDDLE_UINT8] = name##_uint8, [HEDDLE_UINT16] = name##_uint16
#define FROM_REAL(TO)                                                                              \
    {                                                                                              \
        OF_SMALL(cast_##TO), OF_REAL(cast_##TO)                                                    \
    }
#define FROM_ALL(TO)                                                                               \
    {                                                                                              \
        OF_SMALL(cast_##TO), OF_ALL(cast_##TO)                                                     \
    }
    static kernel_block_function *const table[HEDDLE_N_COMPUTED][HEDDLE_N_COMPUTED] = {
        [HEDDLE_BOOL] = FROM_REAL(bool),
        [HEDDLE_INT8] = FROM_REAL(int8),
        [HEDDLE_INT16] = FROM_REAL(int16),
        [HEDDLE_INT32] = FROM_REAL(int32),
        [HEDDLE_INT64] = FROM_REAL(int64),
        [HEDDLE_UINT8] = FROM_REAL(uint8),
        [HEDDLE_UINT16] = FROM_REAL(uint16),
        [HEDDLE_UINT32] = FROM_REAL(uint32),
        [HEDDLE_UINT64] = FROM_REAL(uint64),
        [HEDDLE_FLOAT32] = FROM_REAL(float32),
        [HEDDLE_FLOAT64] = FROM_REAL(float64),
        [HEDDLE_COMPLEX64] = FROM_ALL(complex64),
        [HEDDLE_COMPLEX128] = FROM_ALL(complex128),
    };
    return table[to][from];
}
