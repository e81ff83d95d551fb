/* Quotients and roots that share a check (codelets/cuda/quick.cuh), in maps and reductions, bit for bit against the host's: every
 * divisor's and every radicand's digits, hard quotients, special operands everywhere, here and there and nowhere. Entry
 * point: test_quick. */
#include "check.h"
#include "cuda/passes.h"
#include "kernels/oracle.h"

#include <math.h>
#include <stdlib.h>

/* What the operands are. */
enum operands {
    DIGITS,    /* all 2^23 of the divisor, and of the radicand for even and odd exponents */
    MIDPOINTS, /* quotients as near to the middle of two numbers, or to a power of two, as there are */
    WIDE,      /* of all sizes, those of a thread of the same */
    SELDOM,    /* special operands, one in a few hundred */
    SPECIAL, /* all pairs of them */
    ANY_BITS,
    N_OPERANDS_KINDS
};
static const char *const kind_names[] = {"digits", "midpoints", "wide",
                                         "seldom", "special",   "any bits"};

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

static float special(uint64_t u)
{
    static const uint32_t bits[] = {
        0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x80000001,
        0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7e800000, 0x7e800001, 0x0d000000,
        0x0cffffff, 0x217fffff, 0x21800000, 0x21800001, 0x5d800000, 0x5d800001, 0x5d7fffff,
        0x3f800000, 0xbf800000, 0x3fffffff, 0x3f7fffff, 0x40490fdb, 0xc2f6e979};
    return of_bits(bits[u % (sizeof bits / sizeof *bits)]);
}

/* A number from 2^low to 2^high, of either sign. */
static float between(uint64_t u, int low, int high)
{
    const uint32_t digits = (uint32_t)u & 0x7fffff, sign = (uint32_t)(u >> 63) << 31;
    const uint32_t exponent = (uint32_t)(127 + low) + (uint32_t)(u >> 24) % (uint32_t)(high - low);
    return of_bits(sign | exponent << 23 | digits);
}

/* x / y is M / 2^24 + c / (y 2^24) for integers x, y below 2^24, an odd M beyond it and a little odd c. */
static void midpoint(uint64_t u, uint64_t v, float *x, float *y)
{
    const uint32_t divisor = (uint32_t)(u & 0xffffff) | 0x800001, c = (uint32_t)(v & 7) * 2 - 7;
    uint32_t inverse = divisor; /* modulo 8, then 2^6, 2^12, ... */
    for (int k = 0; k < 4; k++) inverse *= 2 - divisor * inverse;
    const uint64_t m = (0 - c * inverse) & 0xffffff;
    const uint64_t product = (m + (1 << 24)) * divisor + (uint64_t)(int64_t)(int32_t)c;
    *y = ldexpf((float)divisor, -23 - (int)(v >> 8 & 31));
    *x = ldexpf((float)(product >> 24), -23 + (int)(v >> 13 & 31));
    if (v >> 60 == 0) *x = nextafterf(*y, v >> 59 & 1 ? 0 : INFINITY);
}

static void operands(enum operands kind, int64_t i, float *x, float *y)
{
    const uint64_t u = mixed((uint64_t)i * 8 + 1), v = mixed((uint64_t)i * 8 + 2);
    const int64_t step = HEDDLE_EMULATED ? 257 : 1; /* the last one: all ones */
    switch (kind) {
    case DIGITS:
        *x = between(u, -40, 40);
        *y = of_bits(0x3f800000u + (uint32_t)(i * step & 0xffffff));
        if (i % 3 == 0) *y = -*y;
        return;
    case MIDPOINTS: midpoint(u, v, x, y); return;
    case WIDE: {
        /* i / 4 % 256 is the same for all elements of a thread of a map */
        const uint64_t size = mixed((uint64_t)(i / 4 % 256 + (i >> 14) * 256));
        *x = of_bits((uint32_t)(size % 256) << 23 | ((uint32_t)u & 0x807fffff));
        *y = of_bits((uint32_t)(size / 256 % 256) << 23 | ((uint32_t)v & 0x807fffff));
        return;
    }
    case SELDOM:
        *x = u % 401 == 0 ? special(u >> 20) : between(u, -10, 10);
        *y = v % 401 == 0 ? special(v >> 20) : between(v, -10, 10);
        return;
    case SPECIAL:
        *x = special((uint64_t)i);
        *y = special((uint64_t)i / 27);
        return;
    default:
        *x = of_bits((uint32_t)u);
        *y = of_bits((uint32_t)v);
        return;
    }
}

static bool same(float x, float y)
{
    return bits_of(x) == bits_of(y) || (isnan(x) && isnan(y));
}

/* x / y, 1 / y or the root of |y|, over rows that begin `pad` elements after the end of those before. One of them, as an operand that
 * is not ordinary for another one would have all computed exactly. */
static void test_map(enum operands kind, enum heddle_op op, int64_t rows, int64_t columns,
                     int64_t pad)
{
    struct build b;
    const int64_t n = rows * (columns + pad), extent[2] = {rows, columns},
                  stride[HEDDLE_MAX_NDIM] = {columns + pad, 1};
    float *data[3];
    void *host[3];
    size_t bytes[3];
    for (int k = 0; k < 3; k++) {
        bytes[k] = (size_t)n * sizeof(float);
        host[k] = data[k] = calloc((size_t)n, sizeof(float));
        if (!data[k]) exit(1);
    }
    for (int64_t i = 0; i < n; i++) operands(kind, i, &data[0][i], &data[1][i]);
    build_begin(&b, 2, 2, extent);
    const int x = build_load(&b, HEDDLE_FLOAT32, NULL, stride, 0),
              y = build_load(&b, HEDDLE_FLOAT32, NULL, stride, 0);
    const int v = op == HEDDLE_OP_DIVIDE ? x
                  : op == HEDDLE_OP_SQRT ? build_op(&b, HEDDLE_OP_ABS, HEDDLE_FLOAT32, y, 0)
                                         : y;
    build_store(&b, build_op(&b, op, HEDDLE_FLOAT32, v, y), HEDDLE_FLOAT32, NULL, stride, 0);
    build_seal(&b, 0);
    if (pass_run(&b, host, bytes, 3, "quotients and roots")) {
        int64_t n_bad = 0, first = 0;
        for (int64_t i = 0; i < n; i++) {
            const float xi = data[0][i], yi = data[1][i];
            if (i % (columns + pad) >= columns ||
                same(data[2][i], op == HEDDLE_OP_DIVIDE ? xi / yi
                                 : op == HEDDLE_OP_SQRT ? sqrtf(fabsf(yi))
                                                        : 1 / yi))
                continue;
            if (n_bad++ == 0) first = i;
        }
        CHECK(n_bad == 0, "%s, %s, %lld x %lld, %s: %lld, first of %a, %a: %a",
              heddle__ops[op].name, kind_names[kind], (long long)rows, (long long)columns,
              pass_names[pass], (long long)n_bad, (double)data[0][first], (double)data[1][first],
              (double)data[2][first]);
    }
    for (int k = 0; k < 3; k++) free(data[k]);
}

static double number_at(enum heddle_dtype dtype, const void *data, int64_t i)
{
    return dtype == HEDDLE_FLOAT32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void test_reduction(enum heddle_dtype dtype, operands_fn *values, int kind,
                           const char *kind_name, int64_t rows, int64_t columns)
{
    enum { N_RESULTS = 4 };
    struct build b;
    const int64_t n = rows * columns, extent[2] = {rows, columns};
    int64_t by_row[HEDDLE_MAX_NDIM] = {1};
    const size_t size = heddle_dtype_size(dtype);
    void *data[2 + N_RESULTS], *want[2 + N_RESULTS];
    size_t bytes[2 + N_RESULTS];
    for (int k = 0; k < 2 + N_RESULTS; k++) {
        bytes[k] = (size_t)(k < 2 ? n : rows) * size;
        data[k] = calloc(1, bytes[k]);
        want[k] = k < 2 ? data[k] : calloc(1, bytes[k]);
        if (!data[k] || !want[k]) exit(1);
    }
    for (int64_t i = 0; i < n; i++)
        values(kind, i, (char *)data[0] + (size_t)i * size, (char *)data[1] + (size_t)i * size);
    build_begin(&b, 1, 2, extent);
    const int x = build_load(&b, dtype, NULL, NULL, 0), y = build_load(&b, dtype, NULL, NULL, 0);
    const int quotient = build_op(&b, HEDDLE_OP_DIVIDE, dtype, x, y),
              root =
                  build_op(&b, HEDDLE_OP_SQRT, dtype, build_op(&b, HEDDLE_OP_ABS, dtype, x, 0), 0);
    build_reduce(&b, HEDDLE_REDUCE_SUM, dtype, quotient);
    build_reduce(&b, HEDDLE_REDUCE_MAX, dtype, quotient);
    build_reduce(&b, HEDDLE_REDUCE_SUM, dtype, root);
    build_reduce(&b, HEDDLE_REDUCE_MIN, dtype, root);
    for (int k = 0; k < N_RESULTS; k++)
        build_store(&b, build_reduced(&b, k), dtype, NULL, by_row, 0);
    build_seal(&b, 0);
    if (pass_run(&b, data, bytes, 2 + N_RESULTS, "reductions of quotients and roots")) {
        for (int k = 0; k < 2 + N_RESULTS; k++) b.buffers[k] = want[k];
        CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
        for (int64_t i = 0; i < rows * N_RESULTS; i++) {
            const int k = 2 + (int)(i % N_RESULTS);
            const int64_t row = i / N_RESULTS;
            CHECK(oracle_same(dtype, want[k], row, data[k], row),
                  "%s, %s, row %lld of %lld x %lld, result %d, %s: %a, not %a",
                  heddle_dtype_name(dtype), kind_name, (long long)row, (long long)rows,
                  (long long)columns, k - 2, pass_names[pass], number_at(dtype, data[k], row),
                  number_at(dtype, want[k], row));
        }
    }
    for (int k = 0; k < 2 + N_RESULTS; k++) {
        if (k >= 2) free(want[k]);
        free(data[k]);
    }
}

void test_quotient_reductions(enum heddle_dtype dtype, operands_fn *values, int kind,
                              const char *kind_name)
{
    test_reduction(dtype, values, kind, kind_name, 67, 9); /* by a thread, a warp, a block */
    test_reduction(dtype, values, kind, kind_name, 19, 500);
    test_reduction(dtype, values, kind, kind_name, 3, 2048 * 2 + 77);
    test_reduction(dtype, values, kind, kind_name, 1, 70001);
}

static void any_operands(int kind, int64_t i, void *x, void *y)
{
    operands((enum operands)kind, i, x, y);
}

void test_quick(void)
{
    static const enum heddle_op ops[] = {HEDDLE_OP_DIVIDE, HEDDLE_OP_RECIPROCAL, HEDDLE_OP_SQRT};
    for (int k = 0; k < N_OPERANDS_KINDS; k++) {
        const enum operands kind = (enum operands)k;
        /* all digits of compiled kernels, on a GPU; the interpreter has the exact operations alone */
        const bool few = HEDDLE_EMULATED || pass == INTERPRETED;
        const int64_t n = few ? 1 << 16 : kind == DIGITS ? 1 << 24 : 1 << 22;
        for (int op = 0; op < 3; op++) {
            test_map(kind, ops[op], 1, n, 0);
            test_map(kind, ops[op], 41, 77, 0);  /* one axis, an end within a vector */
            test_map(kind, ops[op], 37, 131, 3); /* rows with ends */
            test_map(kind, ops[op], 29, 5, 2);   /* flat */
        }
        test_quotient_reductions(HEDDLE_FLOAT32, any_operands, k, kind_names[k]);
    }
}
