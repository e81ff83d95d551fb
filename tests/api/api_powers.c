/* Powers by scalars, of all dtypes, against long double and integers of 128 bits: the values, the dtype,
 * and that a cheaper operation is used where there is one, and only there. */
#include "values.h"
#include "kernels/oracle.h"

#include <float.h>
#include <stdlib.h>

enum { N = 400 };

struct exponent {
    char kind; /* B bool, I, F or C */
    int64_t i;
    double re, im;
};

static const struct exponent exponents[] = {
#define INT(i)                                                                                     \
    {                                                                                              \
        'I', i, (double)(i), 0                                                                     \
    }
#define FLOAT(x)                                                                                   \
    {                                                                                              \
        'F', 0, x, 0                                                                               \
    }
    {'B', 0, 0, 0},
    {'B', 1, 1, 0},
    INT(0),
    INT(1),
    INT(2),
    INT(3),
    INT(4),
    INT(5),
    INT(6),
    INT(7),
    INT(31),
    INT(63),
    INT(64),
    INT(65),
    INT(-1),
    INT(-2),
    INT(-3),
    INT(-4),
    INT(127),
    INT(-128),
    INT(255),
    INT(4294967295),
    INT(INT64_MAX),
    INT(INT64_MIN),
    INT((INT64_C(1) << 53) + 1),
    FLOAT(0),
    FLOAT(-0.0),
    FLOAT(1),
    FLOAT(2),
    FLOAT(3),
    FLOAT(4),
    FLOAT(5),
    FLOAT(-1),
    FLOAT(-2),
    FLOAT(0.5),
    FLOAT(-0.5),
    FLOAT(0.25),
    FLOAT(1.5),
    FLOAT(2.5),
    FLOAT(1e16),
    FLOAT(-1e16),
    FLOAT(0.1),
    FLOAT(0x1.fffffep-2),
    FLOAT(0x1.0000000000001p-1),
    FLOAT(0x1.0000000000001p1),
    FLOAT(0x1.000002p1),
    FLOAT(0x1.fffffffffffffp1),
    FLOAT(1e-300),
    FLOAT(FLT_MAX),
    FLOAT(DBL_MAX),
    FLOAT(-DBL_MAX),
    FLOAT(DBL_TRUE_MIN),
    FLOAT(INFINITY),
    FLOAT(-INFINITY),
    FLOAT(NAN),
    {'C', 0, 0, 0},
    {'C', 0, 1, 0},
    {'C', 0, 2, 0},
    {'C', 0, 3, -0.0},
    {'C', 0, 4, 0},
    {'C', 0, -1, 0},
    {'C', 0, 0.5, 0},
    {'C', 0, 2, 0.5},
    {'C', 0, 0, 1},
    {'C', 0, -1.5, 0},
#undef INT
#undef FLOAT
};

static heddle_array *scalar_of(const struct exponent *e)
{
    switch (e->kind) {
    case 'B': return heddle_scalar_bool(e->i != 0);
    case 'I': return heddle_scalar_int(e->i);
    case 'F': return heddle_scalar_float(e->re);
    default: return heddle_scalar_complex(e->re, e->im);
    }
}

/* The dtype of the power; none where there is no rule, or the exponent does not fit. */
static enum heddle_dtype result_of(enum heddle_dtype base, const struct exponent *e)
{
    const char kind = heddle_dtype_kind(base);
    const int bits = 8 * (int)heddle_dtype_size(base);
    if (e->kind == 'B') return kind == 'B' ? HEDDLE_INT8 : base;
    if (e->kind == 'I' && kind == 'B') return HEDDLE_INT64;
    if (e->kind == 'I' && kind == 'I' && bits < 64 &&
        e->i != (int64_t)((uint64_t)e->i << (64 - bits)) >> (64 - bits))
        return HEDDLE_DTYPE_NONE;
    if (e->kind == 'I' && kind == 'U' && (e->i < 0 || (bits < 64 && e->i >> bits != 0)))
        return HEDDLE_DTYPE_NONE;
    if (e->kind == 'I' || kind == 'C') return base;
    if (e->kind == 'F') return kind == 'F' ? base : HEDDLE_FLOAT64;
    return base == HEDDLE_FLOAT32 ? HEDDLE_COMPLEX64 : HEDDLE_COMPLEX128;
}

/* A number of another dtype, as conversion of the base gives it. */
static struct number converted(struct number x, enum heddle_dtype from, enum heddle_dtype to)
{
    const char kind = heddle_dtype_kind(to), kind_from = heddle_dtype_kind(from);
    if (kind_from == 'F' || kind_from == 'C' || (kind != 'F' && kind != 'C')) return x;
    return (struct number){0, oracle_rounded(to, (long double)x.i), 0};
}

/* The exponent in the dtype of the power. */
static struct number exponent_in(const struct exponent *e, enum heddle_dtype dtype)
{
    const char kind = heddle_dtype_kind(dtype);
    if (kind == 'I' || kind == 'U') return (struct number){e->i, 0, 0};
    const long double whole = e->kind == 'I' ? (long double)e->i : (long double)e->re;
    return (struct number){0, oracle_rounded(dtype, whole), oracle_rounded(dtype, e->im)};
}

/* The operation that the power is made of; HEDDLE_N_OPS: none. */
static int operation_of(struct number e, enum heddle_dtype dtype)
{
    const char kind = heddle_dtype_kind(dtype);
    if (kind == 'I' || kind == 'U') e.re = (long double)e.i;
    if (e.im != 0) return HEDDLE_OP_POW;
    if (e.re == 0 || e.re == 1) return HEDDLE_N_OPS;
    if (e.re == 2 || e.re == 4) return HEDDLE_OP_SQUARE;
    if (e.re == 3) return HEDDLE_OP_MULTIPLY;
    if (kind == 'I' || kind == 'U') {
        if (e.i < 5 || e.i > 64 || heddle_dtype_size(dtype) == 1) return HEDDLE_OP_POW;
        return e.i % 2 ? HEDDLE_OP_MULTIPLY : HEDDLE_OP_SQUARE;
    }
    return e.re == 0.5L ? HEDDLE_OP_SQRT : e.re == -1 ? HEDDLE_OP_RECIPROCAL : HEDDLE_OP_POW;
}

/* Complex powers are compared where they are tame: far from overflow. */
static bool is_tame(enum heddle_dtype dtype, struct number x, struct number e)
{
    const long double size = hypotl(x.re, x.im);
    if (heddle_dtype_kind(dtype) != 'C' || (e.re == 0 && e.im == 0)) return true;
    const long double power = hypotl(e.re, e.im);
    return size > 1e-3L && size < 1e3L && power < 1e6L && power * fabsl(logl(size)) < 60;
}

static struct number power_of(enum heddle_dtype dtype, struct number x, struct number e,
                              double *ulps)
{
    const struct number none = {0, 0, 0}, one = {1, 1, 0};
    *ulps = 0;
    if (e.i == 0 && e.re == 0 && e.im == 0) return one; /* of NaN, too */
    struct number want = oracle_op(HEDDLE_OP_POW, dtype, x, e, none, ulps);
    if (heddle_dtype_kind(dtype) != 'F') return want;
    *ulps = 2;
    if (isinf(x.re) && e.re == (long double)INT64_MIN) want.re = 0; /* powl: infinity */
    if (e.re == 0.5L && x.re == 0) want.re = x.re;                  /* as sqrt */
    if (e.re == 0.5L && x.re < 0) want.re = NAN;
    return want;
}

static void test_power(enum heddle_dtype base, const struct exponent *e)
{
    static _Alignas(16) char x[16 * N], got[16 * N];
    const enum heddle_dtype dtype = result_of(base, e);
    heddle_scope scope = heddle_scope_open();
    for (int k = 0; k < N; k++) oracle_set(base, x, k, oracle_value(base, (uint64_t)k));
    heddle_array *a = heddle_asarray(x, base, HEDDLE_SHAPE(N)), *r = heddle_pow(a, scalar_of(e));
    CHECK_EQ(heddle_status_of(r) == HEDDLE_OK, dtype != HEDDLE_DTYPE_NONE);
    CHECK_EQ(heddle_dtype_of(r), dtype);
    if (heddle_status_of(r) == HEDDLE_OK && heddle_dtype_of(r) == dtype) {
        const struct number y = exponent_in(e, dtype);
        const int op = operation_of(y, dtype);
        CHECK_EQ(r->kind == HEDDLE_NODE_MAP, op != HEDDLE_N_OPS);
        if (r->kind == HEDDLE_NODE_MAP) CHECK_EQ(r->op, op);
        CHECK_EQ(heddle_read(r, got, heddle_nbytes(r)), HEDDLE_OK);
        for (int k = 0; k < N; k++) {
            double ulps;
            const struct number from = converted(oracle_get(base, x, k), base, dtype);
            if (!is_tame(dtype, from, y)) continue;
            const struct number want = power_of(dtype, from, y, &ulps),
                                is = oracle_get(dtype, got, k);
            CHECK(oracle_near(dtype, is, want, ulps), "%s %Lg %Lg %lld ** %c %g %g is %Lg %Lg %lld",
                  heddle_dtype_name(base), from.re, from.im, (long long)from.i, e->kind, e->re,
                  e->im, is.re, is.im, (long long)is.i);
        }
    }
    heddle_scope_close(scope);
}

/* An element's bits are the same beside others, with its own exponent or with that of all. */
static void test_same_bits(enum heddle_dtype dtype)
{
    static const double exponents_of_all[] = {0,  5,  -5,  6,   12,   -37,  63,       64,
                                              65, 99, 1e3, 2.5, -0.5, 1e20, INFINITY, -INFINITY};
    static _Alignas(16) char x[16 * N], y[16 * N], one[16 * N], each[16 * N], mixed[16 * N];
    const size_t size = heddle_dtype_size(dtype);
    heddle_scope scope = heddle_scope_open();
    for (int k = 0; k < N; k++) oracle_set(dtype, x, k, oracle_value(dtype, (uint64_t)k));
    heddle_array *a = heddle_asarray(x, dtype, HEDDLE_SHAPE(N));
    for (size_t e = 0; e < sizeof exponents_of_all / sizeof *exponents_of_all; e++) {
        const struct number exponent = {0, exponents_of_all[e], 0}, other = {0, 2.25L, 0};
        for (int k = 0; k < N; k++) oracle_set(dtype, y, k, exponent);
        heddle_array *all = heddle_asarray(y, dtype, HEDDLE_SHAPE(1));
        heddle_array *own = heddle_asarray(y, dtype, HEDDLE_SHAPE(N));
        CHECK_EQ(heddle_read(heddle_pow(a, all), one, (int64_t)(N * size)), HEDDLE_OK);
        CHECK_EQ(heddle_read(heddle_pow(a, own), each, (int64_t)(N * size)), HEDDLE_OK);
        for (int k = 1; k < N; k += 2) oracle_set(dtype, y, k, other);
        heddle_array *many = heddle_asarray(y, dtype, HEDDLE_SHAPE(N));
        CHECK_EQ(heddle_read(heddle_pow(a, many), mixed, (int64_t)(N * size)), HEDDLE_OK);
        for (int k = 0; k < N; k++) {
            const size_t at = (size_t)k * size;
            if (isnan(oracle_get(dtype, one, k).re)) continue;
            CHECK(memcmp(one + at, each + at, size) == 0, "%s %d ** %g", heddle_dtype_name(dtype),
                  k, exponents_of_all[e]);
            CHECK(k % 2 == 1 || memcmp(one + at, mixed + at, size) == 0,
                  "%s %d ** %g beside others", heddle_dtype_name(dtype), k, exponents_of_all[e]);
        }
    }
    heddle_scope_close(scope);
}

/* In text, and exponents that are no scalars, which go through pow whatever they are. */
static void test_ways(void)
{
    heddle_scope scope = heddle_scope_open();
    const double x[4] = {-0.0, -INFINITY, 3, 0.25};
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(4));
    CHECK_EQ(heddle_expr("a**2", HEDDLE_BIND("a", a))->op, HEDDLE_OP_SQUARE);
    CHECK_EQ(heddle_expr("a**0.5", HEDDLE_BIND("a", a))->op, HEDDLE_OP_SQRT);
    CHECK_EQ(heddle_expr("power(a, -1)", HEDDLE_BIND("a", a))->op, HEDDLE_OP_RECIPROCAL);
    CHECK_EQ(heddle_expr("b = a; b **= 3; b", HEDDLE_BIND("a", a))->op, HEDDLE_OP_MULTIPLY);
    CHECK_EQ(heddle_expr("a**1", HEDDLE_BIND("a", a)) == a, true);
    CHECK_EQ(heddle_expr("2**a", HEDDLE_BIND("a", a))->op, HEDDLE_OP_POW);

    heddle_array *half = heddle_full(HEDDLE_SHAPE(2, 4), heddle_scalar(0.5)),
                 *r = heddle_pow(a, half);
    CHECK_EQ(r->op, HEDDLE_OP_POW);
    double got[8];
    CHECK_EQ(heddle_read(r, got, sizeof got), HEDDLE_OK);
    for (int i = 0; i < 8; i++) CHECK_NUM(1 / got[i], 1 / pow(x[i % 4], 0.5));
    heddle_array *evaluated = heddle_scalar(2);
    CHECK_EQ(heddle_eval(evaluated), HEDDLE_OK);
    CHECK_EQ(heddle_pow(a, evaluated)->op, HEDDLE_OP_SQUARE);
    CHECK_ERROR(heddle_pow(a, NULL), HEDDLE_EARG, "heddle_pow: argument 2 is NULL");
    CHECK_ERROR(heddle_pow(NULL, evaluated), HEDDLE_EARG, "heddle_pow: argument 1 is NULL");
    CHECK_STR(HEDDLE_SHAPE_OF(heddle_pow(heddle_zeros(HEDDLE_SHAPE(3, 0)), heddle_scalar(0))),
              "(3, 0)");
    heddle_scope_close(scope);
}

int main(void)
{
    for (int d = 1; d < HEDDLE_N_COMPUTED; d++)
        for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++)
            test_power((enum heddle_dtype)d, &exponents[k]);
    test_same_bits(HEDDLE_FLOAT32);
    test_same_bits(HEDDLE_FLOAT64);
    test_ways();
    CHECK_EQ(heddle__nodes_live(), 0);
    return check_done();
}
