/* Quotients, roots and exp of float64 that share a check (codelets/cuda/quick.cuh), in maps and reductions: quotients and roots bit for
 * bit against the host's, exp within an ulp, and the same bits whatever is computed beside it. Entry point: test_quick_doubles. */
#include "check.h"
#include "cuda/passes.h"
#include "cuda/source.h"

#include <math.h>
#include <stdlib.h>

/* What the operands are. */
enum operands {
    ORDINARY,  /* random digits, exponents of some tens */
    MIDPOINTS, /* quotients as near to the middle of two numbers, or to a power of two, as there are; squares beside numbers */
    WIDE,      /* of all sizes, those of a thread of the same */
    SELDOM,    /* special operands, one in a few hundred */
    SPECIAL,   /* all pairs of them */
    ANY_BITS,
    N_OPERANDS_KINDS
};
static const char *const kind_names[] = {"ordinary", "midpoints", "wide",
                                         "seldom",   "special",   "any bits"};

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

/* Zeros, infinities, numbers below the normal ones, with a high word of 0 and without, and the ends of what is ordinary. */
static double special(uint64_t u)
{
    static const double values[] = {0.0,
                                    -0.0,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    0x1p-1074,
                                    -0x1p-1074,
                                    0x1.23p-1045,
                                    0x1.fffp-1023,
                                    0x1p-1022,
                                    0x1.fffffffffffffp1023,
                                    -0x1.fffffffffffffp1023,
                                    0x1p1022,
                                    0x1.8p-480,
                                    0x1p-480,
                                    0x1.fffffffffffffp-481,
                                    0x1p480,
                                    0x1.fffffffffffffp479,
                                    0x1p-900,
                                    0x1.fffffffffffffp-901,
                                    1.0,
                                    -1.0,
                                    0x1.fffffffffffffp0,
                                    0x1.fffffffffffffp-1,
                                    708.0,
                                    -708.0,
                                    707.9999999,
                                    709.7827128933840,
                                    709.7827128933841,
                                    -745.1332191019411,
                                    -745.1332191019412,
                                    -720.5,
                                    1000.0,
                                    -1000.5};
    return values[u % (sizeof values / sizeof *values)];
}

/* A number from 2^low to 2^high, of either sign. */
static double between(uint64_t u, uint64_t v, int low, int high)
{
    const uint64_t exponent = (uint64_t)(1023 + low) + v % (uint64_t)(high - low);
    return of_bits((v >> 63) << 63 | exponent << 52 | (u >> 12));
}

/* x / y is M / 2^53 + c / (y 2^53) for integers x, y below 2^53, an odd M beyond it and a little odd c. */
static void midpoint(uint64_t u, uint64_t v, double *x, double *y)
{
    const uint64_t ones = (UINT64_C(1) << 53) - 1, divisor = (u & ones) | (UINT64_C(1) << 52) | 1,
                   c = (v & 7) * 2 - 7;
    uint64_t inverse = divisor; /* modulo 8, then 2^6, ... */
    for (int k = 0; k < 5; k++) inverse *= 2 - divisor * inverse;
    const uint64_t m = (0 - c * inverse) & ones;
    const unsigned __int128 product =
        (unsigned __int128)(m + ones + 1) * divisor + (unsigned __int128)(__int128)(int64_t)c;
    *y = ldexp((double)divisor, -52 - (int)(v >> 8 & 63));
    *x = ldexp((double)(uint64_t)(product >> 53), -52 + (int)(v >> 14 & 63));
    if (v >> 60 == 0) *x = nextafter(*y, v >> 59 & 1 ? 0 : INFINITY);
    if (v >> 60 == 1) *y = (double)(u >> 38) * (double)(u >> 38); /* and its neighbours */
    if (v >> 60 == 2) *y = nextafter((double)(u >> 38) * (double)(u >> 38) + 1, v & 1 ? 0 : 1e300);
}

static void operands(enum operands kind, int64_t i, double *x, double *y)
{
    const uint64_t u = mixed((uint64_t)i * 8 + 1), v = mixed((uint64_t)i * 8 + 2),
                   w = mixed((uint64_t)i * 8 + 3);
    switch (kind) {
    case ORDINARY:
        *x = between(u, w, -30, 9);
        *y = between(v, w >> 20, -40, 40);
        return;
    case MIDPOINTS: midpoint(u, v, x, y); return;
    case WIDE: {
        /* i / 4 % 256 is the same for all elements of a thread of a map */
        const uint64_t size = mixed((uint64_t)(i / 4 % 256 + (i >> 14) * 256));
        *x = of_bits((size % 2048) << 52 | (u & UINT64_C(0x800fffffffffffff)));
        *y = of_bits((size / 2048 % 2048) << 52 | (v & UINT64_C(0x800fffffffffffff)));
        return;
    }
    case SELDOM:
        *x = u % 401 == 0 ? special(u >> 20) : between(u, w, -10, 9);
        *y = v % 401 == 0 ? special(v >> 20) : between(v, w >> 20, -10, 10);
        return;
    case SPECIAL:
        *x = special((uint64_t)i);
        *y = special((uint64_t)i / 34);
        return;
    default:
        *x = of_bits(u);
        *y = of_bits(v);
        return;
    }
}

static bool same(double x, double y)
{
    return bits_of(x) == bits_of(y) || (isnan(x) && isnan(y));
}

/* Whether `got` is exp(x), give or take an ulp. */
static bool is_exp(double got, double x)
{
    const long double want = expl((long double)x);
    if (isnan(x) || isnan(got)) return isnan(x) && isnan(got);
    const double nearest = (double)want;
    if (isinf(got) || isinf(nearest))
        return want > 0x1.fffffffffffffp1023L - 0x1p971L && got > 0x1.ffffffffffff0p1023;
    const double ulp = fmax(nextafter(nearest, INFINITY) - nearest, 0x1p-1074);
    return fabsl((long double)got - want) <= (long double)ulp;
}

static bool is_right(enum heddle_op op, double got, double x, double y)
{
    switch (op) {
    case HEDDLE_OP_DIVIDE: return same(got, x / y);
    case HEDDLE_OP_RECIPROCAL: return same(got, 1 / y);
    case HEDDLE_OP_SQRT: return same(got, sqrt(fabs(y)));
    default: return is_exp(got, x);
    }
}

/* 1, of so much arithmetic of ordinary numbers that doubles are quick: the quotient of a sum of exp and itself. */
static int build_one(struct build *b)
{
    const enum heddle_dtype f64 = HEDDLE_FLOAT64;
    const int index = build_instr(b, HEDDLE_CODE_INDEX, HEDDLE_INT64, HEDDLE_INT64, 0, 0, 0);
    int x = build_op(b, HEDDLE_OP_MULTIPLY, f64,
                     build_instr(b, HEDDLE_CODE_CAST, HEDDLE_INT64, f64, index, 0, 0),
                     build_f64(b, 1e-8));
    int sum = build_op(b, HEDDLE_OP_EXP, f64, x, 0);
    for (int k = 0; k < 3; k++) {
        x = build_op(b, HEDDLE_OP_MULTIPLY, f64, x, build_f64(b, 0.5));
        sum = build_op(b, HEDDLE_OP_ADD, f64, sum, build_op(b, HEDDLE_OP_EXP, f64, x, 0));
    }
    return build_op(b, HEDDLE_OP_DIVIDE, f64, sum, sum);
}

/* One operation of x and y, as an operand that is not ordinary for another one would have all computed exactly, beside arithmetic of
 * ordinary numbers; over rows that begin `pad` elements after the end of those before. */
static void test_map(enum operands kind, enum heddle_op op, int64_t rows, int64_t columns,
                     int64_t pad)
{
    struct build b;
    const int64_t n = rows * (columns + pad), extent[2] = {rows, columns},
                  stride[HEDDLE_MAX_NDIM] = {columns + pad, 1};
    double *data[3];
    void *host[3];
    size_t bytes[3];
    for (int k = 0; k < 3; k++) {
        bytes[k] = (size_t)n * sizeof(double);
        host[k] = data[k] = calloc((size_t)n, sizeof(double));
        if (!data[k]) exit(1);
    }
    for (int64_t i = 0; i < n; i++) operands(kind, i, &data[0][i], &data[1][i]);
    build_begin(&b, 2, 2, extent);
    b.program.index_axes = 1;
    const int x = build_load(&b, HEDDLE_FLOAT64, NULL, stride, 0),
              y = build_load(&b, HEDDLE_FLOAT64, NULL, stride, 0);
    const int v = op == HEDDLE_OP_DIVIDE || op == HEDDLE_OP_EXP ? x
                  : op == HEDDLE_OP_SQRT ? build_op(&b, HEDDLE_OP_ABS, HEDDLE_FLOAT64, y, 0)
                                         : y;
    const int result = build_op(&b, op, HEDDLE_FLOAT64, v, y);
    build_store(&b, build_op(&b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT64, result, build_one(&b)),
                HEDDLE_FLOAT64, NULL, stride, 0);
    build_seal(&b, 0);
    CHECK(heddle__source_has_quick_doubles(&b.program, b.program.n_instrs));
    if (pass_run(&b, host, bytes, 3, "quotients, roots and exp of float64")) {
        int64_t n_bad = 0, first = 0;
        for (int64_t i = 0; i < n; i++) {
            if (i % (columns + pad) >= columns || is_right(op, data[2][i], data[0][i], data[1][i]))
                continue;
            if (n_bad++ == 0) first = i;
        }
        CHECK(n_bad == 0, "%s, %s, %lld x %lld, %s: %lld, first of %a, %a: %a",
              heddle__ops[op].name, kind_names[kind], (long long)rows, (long long)columns,
              pass_names[pass], (long long)n_bad, data[0][first], data[1][first], data[2][first]);
    }
    for (int k = 0; k < 3; k++) free(data[k]);
}

/* exp of the same numbers twice, the second time with special ones among them. */
static void test_beside(int64_t n)
{
    struct build b;
    const int64_t extent[1] = {2 * n};
    double *data[2];
    void *host[2];
    size_t bytes[2];
    for (int k = 0; k < 2; k++) {
        bytes[k] = (size_t)(2 * n) * sizeof(double);
        host[k] = data[k] = calloc((size_t)(2 * n), sizeof(double));
        if (!data[k]) exit(1);
    }
    for (int64_t i = 0; i < n; i++) {
        double y;
        operands(ORDINARY, i, &data[0][i], &y);
        data[0][n + i] = i % 5 == 3 ? special((uint64_t)i / 5) : data[0][i];
    }
    build_begin(&b, 1, 1, extent);
    b.program.index_axes = 1;
    const int x = build_load(&b, HEDDLE_FLOAT64, NULL, NULL, 0);
    const int result = build_op(&b, HEDDLE_OP_EXP, HEDDLE_FLOAT64, x, 0);
    build_store(&b, build_op(&b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT64, result, build_one(&b)),
                HEDDLE_FLOAT64, NULL, NULL, 0);
    build_seal(&b, 0);
    if (pass_run(&b, host, bytes, 2, "exp beside special numbers")) {
        int64_t n_bad = 0;
        for (int64_t i = 0; i < n; i++) n_bad += i % 5 != 3 && !same(data[1][i], data[1][n + i]);
        CHECK(n_bad == 0, "%lld of %lld, %s", (long long)n_bad, (long long)n, pass_names[pass]);
    }
    for (int k = 0; k < 2; k++) free(data[k]);
}

static void any_operands(int kind, int64_t i, void *x, void *y)
{
    operands((enum operands)kind, i, x, y);
}

void test_quick_doubles(void)
{
    static const enum heddle_op ops[] = {HEDDLE_OP_DIVIDE, HEDDLE_OP_RECIPROCAL, HEDDLE_OP_SQRT,
                                         HEDDLE_OP_EXP};
    /* the interpreter has the exact operations alone */
    const bool few = HEDDLE_EMULATED || pass == INTERPRETED;
    for (int k = 0; k < N_OPERANDS_KINDS; k++) {
        const enum operands kind = (enum operands)k;
        const int64_t n = few ? 1 << 14 : kind == MIDPOINTS ? 1 << 24 : 1 << 21;
        for (int op = 0; op < 4; op++) {
            test_map(kind, ops[op], 1, n, 0);
            test_map(kind, ops[op], 41, 77, 0);  /* one axis, an end within a vector */
            test_map(kind, ops[op], 37, 131, 3); /* rows with ends */
        }
        test_quotient_reductions(HEDDLE_FLOAT64, any_operands, k, kind_names[k]);
    }
    test_beside(few ? 1 << 12 : 1 << 20);
}
