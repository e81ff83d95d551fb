/* Division by scalars. Of all integer dtypes, against integers of 128 bits: the values, the dtype, and that powers of two
 * become shifts and masks, and nothing else does. Of floating dtypes, against quotients of long double: that they become products. */
#include "values.h"
#include "kernels/oracle.h"

#include <math.h>
#include <stdlib.h>

enum { N = 400 };

static bool fits(enum heddle_dtype dtype, int64_t i)
{
    const int bits = 8 * (int)heddle_dtype_size(dtype);
    if (heddle_dtype_kind(dtype) == 'U') return i >= 0 && (bits == 64 || i >> bits == 0);
    return bits == 64 || (i >= -((int64_t)1 << (bits - 1)) && i < (int64_t)1 << (bits - 1));
}

static void test_divisor(enum heddle_op op, enum heddle_dtype dtype, int64_t divisor)
{
    static _Alignas(16) char x[16 * N], got[16 * N];
    const bool divides = op == HEDDLE_OP_FLOOR_DIVIDE;
    heddle_scope scope = heddle_scope_open();
    for (int k = 0; k < N; k++) oracle_set(dtype, x, k, oracle_value(dtype, (uint64_t)k));
    heddle_array *a = heddle_asarray(x, dtype, HEDDLE_SHAPE(N)), *b = heddle_scalar_int(divisor);
    heddle_array *r = divides ? heddle_floor_divide(a, b) : heddle_remainder(a, b);
    CHECK_EQ(heddle_status_of(r) == HEDDLE_OK, fits(dtype, divisor));
    if (heddle_status_of(r) == HEDDLE_OK) {
        const bool quick = divisor > 0 && (divisor & (divisor - 1)) == 0;
        const enum heddle_op other =
            divides ? HEDDLE_OP_BITWISE_RIGHT_SHIFT : HEDDLE_OP_BITWISE_AND;
        CHECK_EQ(r->op, quick ? other : op);
        CHECK_EQ(heddle_dtype_of(r), dtype);
        CHECK_EQ(heddle_read(r, got, heddle_nbytes(r)), HEDDLE_OK);
        for (int k = 0; k < N; k++) {
            const struct number n = oracle_get(dtype, x, k), is = oracle_get(dtype, got, k);
            __int128 want = divisor == 0 ? 0 : n.i / divisor;
            __int128 rest = divisor == 0 ? 0 : n.i % divisor;
            if (rest != 0 && (rest < 0) != (divisor < 0)) want--, rest += divisor;
            struct number wraps = {.i = divides ? want : rest};
            uint64_t element;
            oracle_set(dtype, &element, 0, wraps); /* the least number by -1 */
            wraps = oracle_get(dtype, &element, 0);
            CHECK(is.i == wraps.i, "%lld %s %lld of %s is %lld", (long long)n.i,
                  heddle__ops[op].name, (long long)divisor, heddle_dtype_name(dtype),
                  (long long)is.i);
        }
    }
    heddle_scope_close(scope);
}

/* Quotients by 2^exponent and -2^exponent times `odd`, which is 1 or no power of two; of numbers of all exponents. */
static void test_quotients(enum heddle_dtype dtype, int exponent, double odd)
{
    static _Alignas(16) char x[16 * N], got[16 * N], want[16 * N];
    const int most = dtype == HEDDLE_FLOAT16 ? 14 : 126;
    for (int sign = -1; sign < 2; sign += 2) {
        const double divisor = sign * ldexp(odd, exponent);
        struct number as = {.re = divisor}; /* as the dtype has it */
        oracle_set(dtype, want, 0, as);
        as = oracle_get(dtype, want, 0);
        heddle_scope scope = heddle_scope_open();
        for (int k = 0; k < N; k++) {
            const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
            struct number n = {.re =
                                   k < 5 ? special[k] : ldexp(1 + k * 1.37e-3, k * 9 % 400 - 200)};
            oracle_set(dtype, x, k, n);
            n = oracle_get(dtype, x, k);
            n.re /= as.re;
            oracle_set(dtype, want, k, n);
        }
        heddle_array *r =
            heddle_divide(heddle_asarray(x, dtype, HEDDLE_SHAPE(N)), heddle_scalar_float(divisor));
        /* halves are computed in float32 */
        const heddle_array *quotient = r->kind == HEDDLE_NODE_CAST ? r->in[0] : r;
        CHECK_EQ(quotient->op,
                 odd == 1 && abs(exponent) <= most ? HEDDLE_OP_MULTIPLY : HEDDLE_OP_DIVIDE);
        CHECK_EQ(heddle_dtype_of(r), dtype);
        CHECK_EQ(heddle_read(r, got, heddle_nbytes(r)), HEDDLE_OK);
        for (int k = 0; k < N; k++)
            CHECK(oracle_same(dtype, got, k, want, k), "%s: number %d by %g",
                  heddle_dtype_name(dtype), k, divisor);
        heddle_scope_close(scope);
    }
}

/* In text; of other kinds; divisors that are no scalars of Python's kind. */
static void test_ways(void)
{
    heddle_scope scope = heddle_scope_open();
    const double x[4] = {-7.5, -0.0, 3, 9};
    heddle_array *f = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(4));
    heddle_array *i = heddle_astype(f, HEDDLE_INT16), *t = heddle_less(heddle_scalar(0), f);
    CHECK_EQ(heddle_expr("i // 8", HEDDLE_BIND("i", i))->op, HEDDLE_OP_BITWISE_RIGHT_SHIFT);
    CHECK_EQ(heddle_expr("i % 8", HEDDLE_BIND("i", i))->op, HEDDLE_OP_BITWISE_AND);
    CHECK_EQ(heddle_expr("8 // i", HEDDLE_BIND("i", i))->op, HEDDLE_OP_FLOOR_DIVIDE);
    CHECK_EQ(heddle_expr("f // 8", HEDDLE_BIND("f", f))->op, HEDDLE_OP_FLOOR_DIVIDE);
    CHECK_EQ(heddle_expr("i // 8.0", HEDDLE_BIND("i", i))->op, HEDDLE_OP_FLOOR_DIVIDE);
    CHECK_EQ(heddle_floor_divide(i, heddle_full(HEDDLE_SHAPE(4), heddle_scalar_int(8)))->op,
             HEDDLE_OP_FLOOR_DIVIDE);
    CHECK_ARRAY(heddle_floor_divide(i, heddle_scalar_int(2)), HEDDLE_INT16, "(4,)",
                VALUES(-4, 0, 1, 4));
    CHECK_ARRAY(heddle_remainder(i, heddle_scalar_int(2)), HEDDLE_INT16, "(4,)",
                VALUES(1, 0, 1, 1));
    CHECK_ARRAY(heddle_floor_divide(f, heddle_scalar_int(2)), HEDDLE_FLOAT64, "(4,)",
                VALUES(-4, -0.0, 1, 4));
    CHECK_ARRAY(heddle_floor_divide(t, heddle_scalar_int(1)), HEDDLE_INT64, "(4,)",
                VALUES(0, 0, 1, 1));
    CHECK_EQ(heddle_expr("i / 8", HEDDLE_BIND("i", i))->op, HEDDLE_OP_MULTIPLY);
    CHECK_EQ(heddle_expr("8 / f", HEDDLE_BIND("f", f))->op, HEDDLE_OP_DIVIDE);
    CHECK_EQ(heddle_expr("f / 0", HEDDLE_BIND("f", f))->op, HEDDLE_OP_DIVIDE);
    CHECK_EQ(heddle_expr("(f + 1j) / 8", HEDDLE_BIND("f", f))->op, HEDDLE_OP_DIVIDE);
    CHECK_EQ(heddle_divide(f, heddle_full(HEDDLE_SHAPE(4), heddle_scalar_int(8)))->op,
             HEDDLE_OP_DIVIDE);
    CHECK_ARRAY(heddle_divide(i, heddle_scalar_int(-2)), HEDDLE_FLOAT64, "(4,)",
                VALUES(3.5, -0.0, -1.5, -4.5));
    CHECK_ARRAY(heddle_divide(t, heddle_scalar_int(4)), HEDDLE_FLOAT64, "(4,)",
                VALUES(0, 0, 0.25, 0.25));
    CHECK_ERROR(heddle_divide(f, NULL), HEDDLE_EARG, "heddle_divide: argument 2 is NULL");
    CHECK_ERROR(heddle_floor_divide(i, NULL), HEDDLE_EARG,
                "heddle_floor_divide: argument 2 is NULL");
    CHECK_ERROR(heddle_remainder(NULL, i), HEDDLE_EARG, "heddle_remainder: argument 1 is NULL");
    CHECK_ERROR(heddle_remainder(heddle_astype(i, HEDDLE_INT8), heddle_scalar_int(128)),
                HEDDLE_ERANGE, "heddle_remainder: scalar 128, argument 2, is out of range of int8");
    heddle_scope_close(scope);
}

int main(void)
{
    static const enum heddle_op ops[] = {HEDDLE_OP_FLOOR_DIVIDE, HEDDLE_OP_REMAINDER};
    for (int d = 1; d < HEDDLE_N_COMPUTED; d++) {
        const enum heddle_dtype dtype = (enum heddle_dtype)d;
        if (heddle_dtype_kind(dtype) != 'I' && heddle_dtype_kind(dtype) != 'U') continue;
        for (int k = 0; k < 2; k++) {
            for (int64_t n = -9; n < 10; n++) test_divisor(ops[k], dtype, n);
            for (int bit = 4; bit < 64; bit++)
                for (int near = -1; near < 2; near++)
                    test_divisor(ops[k], dtype, (int64_t)(((uint64_t)1 << bit) + (uint64_t)near));
        }
    }
    for (int d = 1; d < HEDDLE_N_DTYPES; d++) {
        if (heddle_dtype_kind((enum heddle_dtype)d) != 'F') continue;
        for (int exponent = -140; exponent <= 140; exponent++) {
            if (d == HEDDLE_FLOAT16 && abs(exponent) > 16) continue;
            test_quotients((enum heddle_dtype)d, exponent, 1);
            if (exponent % 10 == 0) test_quotients((enum heddle_dtype)d, exponent, 1.5);
        }
    }
    test_ways();
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
