/* Division by scalars. Of all integer dtypes, against integers of 128 bits: the values, the dtype, that powers of two
 * become shifts and masks, and nothing else does, and that what remains is compared without a division. Of floating dtypes, against quotients of long double: that they become products. */
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

/* `x % divisor == rest` and `!=`, of numbers next to those of which it is true, at both ends of the dtype, and of others. */
static void test_rest(enum heddle_dtype dtype, int64_t divisor, int64_t rest)
{
    static _Alignas(16) char x[16 * N];
    static bool got[2][N];
    const int bits = 8 * (int)heddle_dtype_size(dtype);
    const bool is_signed = heddle_dtype_kind(dtype) == 'I',
               quick = divisor > 2 && (divisor & (divisor - 1)) && rest >= 0 && rest < divisor &&
                       bits >= 32;
    const __int128 least = is_signed ? -((__int128)1 << (bits - 1)) : 0, all = (__int128)1 << bits;
    heddle_scope scope = heddle_scope_open();
    for (int k = 0; k < N; k++) {
        const uint64_t random = (uint64_t)(k + 1) * UINT64_C(0x9e3779b97f4a7c15);
        const __int128 from = k % 4 == 0   ? least + k
                              : k % 4 == 1 ? least + all - 1 - k
                              : k % 4 == 2 ? least + all / 2 - N / 2 + k
                                           : least + (__int128)random % all;
        __int128 n = from;
        if (k % 3) { /* one of which it is true, the next one, the one before */
            n -= ((n - rest) % divisor + divisor) % divisor;
            n += (k % 9) / 3 - 1;
        }
        const struct number number = {.i = n < least ? least : n >= least + all ? least : n};
        oracle_set(dtype, x, k, number);
    }
    heddle_array *a = heddle_asarray(x, dtype, HEDDLE_SHAPE(N)),
                 *r = heddle_remainder(a, heddle_scalar_int(divisor)), *is[2];
    is[0] = heddle_equal(r, heddle_scalar_int(rest));
    is[1] = heddle_not_equal(r, heddle_scalar_int(rest));
    for (int i = 0; i < 2; i++) {
        CHECK(is[i]->op == (quick ? i ? HEDDLE_OP_GREATER : HEDDLE_OP_LESS_EQUAL
                            : i   ? HEDDLE_OP_NOT_EQUAL
                                  : HEDDLE_OP_EQUAL),
              "%s %% %lld, %lld", heddle_dtype_name(dtype), (long long)divisor, (long long)rest);
        CHECK_EQ(heddle_dtype_of(is[i]), HEDDLE_BOOL);
        CHECK_EQ(heddle_read(is[i], got[i], N), HEDDLE_OK);
    }
    for (int k = 0; k < N; k++) {
        const __int128 n = oracle_get(dtype, x, k).i, remains = (n % divisor + divisor) % divisor;
        CHECK(got[0][k] == (remains == rest) && got[1][k] != got[0][k],
              "%s: %lld %% %lld == %lld is %d, != is %d", heddle_dtype_name(dtype), (long long)n,
              (long long)divisor, (long long)rest, got[0][k], got[1][k]);
    }
    heddle_scope_close(scope);
}

static void test_rests(enum heddle_dtype dtype)
{
    static const int64_t divisors[] = {2,
                                       3,
                                       4,
                                       5,
                                       6,
                                       7,
                                       8,
                                       10,
                                       12,
                                       48,
                                       97,
                                       100,
                                       127,
                                       400,
                                       1000,
                                       4095,
                                       65535,
                                       65537,
                                       99999,
                                       1 << 20,
                                       3 << 20,
                                       0x7ffffffe,
                                       0x7fffffff,
                                       INT64_C(0x80000001),
                                       INT64_C(0xfffffffe),
                                       INT64_C(0xffffffff),
                                       INT64_C(0x100000001),
                                       INT64_C(3) << 40,
                                       INT64_C(3) << 61,
                                       INT64_MAX - 1,
                                       INT64_MAX};
    for (size_t k = 0; k < sizeof divisors / sizeof *divisors; k++) {
        const int64_t c = divisors[k], rests[] = {0, 1, 2, c / 2, c - 2, c - 1};
        if (!fits(dtype, c)) continue;
        for (int i = 0; i < 6; i++) test_rest(dtype, c, rests[i]);
        if (c < 100) test_rest(dtype, c, c);
    }
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
    CHECK_EQ(heddle_expr("i % 3 == 0", HEDDLE_BIND("i", i))->op, HEDDLE_OP_EQUAL);
    CHECK_EQ(heddle_expr("astype(i, int64) % 3 == 0", HEDDLE_BIND("i", i))->op,
             HEDDLE_OP_LESS_EQUAL);
    CHECK_EQ(heddle_expr("astype(i, int64) % -3 == 0", HEDDLE_BIND("i", i))->op, HEDDLE_OP_EQUAL);
    CHECK_EQ(heddle_expr("astype(i, int64) % 3 == 1.5", HEDDLE_BIND("i", i))->op, HEDDLE_OP_EQUAL);
    CHECK_EQ(heddle_expr("f % 3 == 0", HEDDLE_BIND("f", f))->op, HEDDLE_OP_EQUAL);
    CHECK_ERROR(heddle_equal(NULL, f), HEDDLE_EARG, "heddle_equal: argument 1 is NULL");
    CHECK_ERROR(heddle_not_equal(f, NULL), HEDDLE_EARG, "heddle_not_equal: argument 2 is NULL");
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
        test_rests(dtype);
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
