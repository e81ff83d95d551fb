/* Every operation on every dtype that it accepts, by the CPU kernels: values against the oracle;
 * then the same bits for every length, offset, stride, broadcast operand and number of threads, and
 * nothing written outside the output; division by divisors and of numbers where a quotient changes. Arguments: share, from 0, and number of shares. */
#include "build.h"
#include "check.h"
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

enum { N = 5000, GUARD = 64 };

static char *allocate(size_t bytes)
{
    char *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) exit(1);
    memset(p, 0x5a, (bytes + 127) / 64 * 64);
    return p;
}

/* x, y, z of an operation, where stride 0 repeats the first element. */
struct input {
    const char *data[3];
    enum heddle_dtype dtype[3];
    int64_t stride[3];
};

/* out[i] for i < n; the guards around it stay. */
static void apply(enum heddle_op op, enum heddle_dtype dtype, const struct input *in, int64_t n,
                  char *out, int n_threads)
{
    const enum heddle_dtype result = oracle_result(op, dtype);
    struct build b;
    build_begin(&b, 1, 1, &n);
    int v[3] = {0, 0, 0};
    for (int k = 0; k < heddle__ops[op].arity; k++)
        v[k] = build_load(&b, in->dtype[k], in->data[k], &in->stride[k], 0);
    const int r = build_instr(&b, (int)op, dtype, result, v[0], v[1], v[2]);
    const size_t bytes = (size_t)n * heddle_dtype_size(result);
    memset(out - GUARD, 0x5a, bytes + 2 * GUARD);
    build_store(&b, r, result, out, NULL, 0);
    CHECK_EQ(build_run(&b, n_threads), HEDDLE_OK);
    bool intact = true;
    for (int i = 0; i < GUARD; i++) intact &= out[-1 - i] == 0x5a && out[bytes + (size_t)i] == 0x5a;
    CHECK(intact, "%s of %s", heddle__ops[op].name, heddle_dtype_name(dtype));
}

static void check_same(enum heddle_op op, enum heddle_dtype dtype, const char *what,
                       const char *got, const char *want, int64_t n)
{
    const enum heddle_dtype result = oracle_result(op, dtype);
    for (int64_t i = 0; i < n; i++) {
        if (oracle_same(result, got, i, want, i)) continue;
        const struct number a = oracle_get(result, got, i), b = oracle_get(result, want, i);
        CHECK(false, "%s of %s, %s: element %lld of %lld: %.17Lg %.17Lg, not %.17Lg %.17Lg",
              heddle__ops[op].name, heddle_dtype_name(dtype), what, (long long)i, (long long)n,
              a.re, a.im, b.re, b.im);
        return;
    }
    CHECK(true);
}

/* Whether a complex element is a fair question: see the oracle. */
static bool is_tame(enum heddle_op op, struct number x, struct number y)
{
    if (op == HEDDLE_OP_NEGATIVE || op == HEDDLE_OP_CONJ || op == HEDDLE_OP_REAL ||
        op == HEDDLE_OP_IMAG || oracle_result(op, HEDDLE_COMPLEX128) == HEDDLE_BOOL)
        return true;
    const long double size_x = fmaxl(fabsl(x.re), fabsl(x.im));
    const long double size_y = fmaxl(fabsl(y.re), fabsl(y.im));
    const long double most = op == HEDDLE_OP_POW ? 6 : 50;
    if (!(size_x < most && size_x > 1e-4L)) return false;
    if (heddle__ops[op].arity == 2 && !(size_y < most && size_y > 1e-4L)) return false;
    if (heddle__ops[op].flops < 16 && op != HEDDLE_OP_SQRT) return true;
    return fabsl(x.re) > 1e-3L && fabsl(x.im) > 1e-3L; /* away from branch cuts */
}

static void check_values(enum heddle_op op, enum heddle_dtype dtype, const struct input *in,
                         const char *out, int64_t n)
{
    const enum heddle_dtype result = oracle_result(op, dtype);
    const bool complex_ = heddle_dtype_kind(dtype) == 'C';
    int n_bad = 0;
    for (int64_t i = 0; i < n; i++) {
        struct number v[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        for (int k = 0; k < heddle__ops[op].arity; k++)
            v[k] = oracle_get(in->dtype[k], in->data[k], i);
        if (complex_ && op != HEDDLE_OP_WHERE && !is_tame(op, v[0], v[1])) continue;
        double ulps;
        const struct number want = oracle_op(op, dtype, v[0], v[1], v[2], &ulps);
        const struct number got = oracle_get(result, out, i);
        const bool ok = ulps >= 0 && oracle_near(result, got, want, ulps);
        if (!ok && n_bad++ < 3)
            CHECK(false,
                  "%s of %s: (%.17Lg, %.17Lg i %lld), (%.17Lg, %.17Lg i %lld): %.17Lg %.17Lg %lld, "
                  "not %.17Lg %.17Lg %lld",
                  heddle__ops[op].name, heddle_dtype_name(dtype), v[0].re, v[0].im,
                  (long long)v[0].i, v[1].re, v[1].im, (long long)v[1].i, got.re, got.im,
                  (long long)got.i, want.re, want.im, (long long)want.i);
        else
            CHECK(ok || n_bad > 3);
    }
}

static void test(enum heddle_op op, enum heddle_dtype dtype)
{
    const int arity = heddle__ops[op].arity;
    const size_t result_size = heddle_dtype_size(oracle_result(op, dtype));
    struct input in;
    char *data[3], *spread[3];
    for (int k = 0; k < 3; k++) {
        in.dtype[k] = k == 0 && op == HEDDLE_OP_WHERE ? HEDDLE_BOOL : dtype;
        const size_t size = heddle_dtype_size(in.dtype[k]);
        data[k] = allocate(N * size);
        spread[k] = allocate(3 * N * size);
        for (int64_t i = 0; i < N; i++) {
            uint64_t j = (uint64_t)i; /* all pairs of special values first */
            const uint64_t pairs = ORACLE_SPECIAL * ORACLE_SPECIAL;
            if (j < pairs)
                j = k == 1 ? j / ORACLE_SPECIAL : j % ORACLE_SPECIAL;
            else
                j = j * 3 + (uint64_t)k;
            const struct number v = oracle_value(in.dtype[k], j);
            oracle_set(in.dtype[k], data[k], i, v);
        }
        for (int64_t i = 0; i < N; i++) /* backwards, every third */
            memcpy(spread[k] + (size_t)(3 * (N - 1 - i)) * size, data[k] + (size_t)i * size, size);
        in.data[k] = data[k];
        in.stride[k] = 1;
    }
    char *full = allocate(N * result_size + 2 * GUARD),
         *out = allocate(N * result_size + 2 * GUARD);
    char *want = allocate(N * result_size + 2 * GUARD);
    apply(op, dtype, &in, N, full + GUARD, 1);
    check_values(op, dtype, &in, full + GUARD, N);
    apply(op, dtype, &in, N, out + GUARD, 2);
    check_same(op, dtype, "two threads", out + GUARD, full + GUARD, N);

    /* each element by itself */
    for (int64_t i = 0; i < N; i++) {
        struct input part = in;
        for (int k = 0; k < 3; k++)
            part.data[k] = data[k] + (size_t)i * heddle_dtype_size(in.dtype[k]);
        apply(op, dtype, &part, 1, out + GUARD, 1);
        memcpy(want + GUARD + (size_t)i * result_size, out + GUARD, result_size);
    }
    check_same(op, dtype, "one element", want + GUARD, full + GUARD, N);
    /* lengths, from element 13 on */
    static const int64_t lengths[] = {0, 1, 7, 17, 1000, 1025};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct input part = in;
        for (int k = 0; k < 3; k++) part.data[k] = data[k] + 13 * heddle_dtype_size(in.dtype[k]);
        apply(op, dtype, &part, lengths[l], out + GUARD, 1);
        check_same(op, dtype, "a part", out + GUARD, full + GUARD + 13 * result_size, lengths[l]);
    }
    /* strides */
    struct input strided = in;
    for (int k = 0; k < arity; k++) {
        strided.data[k] = spread[k] + 3 * (N - 1) * heddle_dtype_size(in.dtype[k]);
        strided.stride[k] = -3;
    }
    apply(op, dtype, &strided, N, out + GUARD, 1);
    check_same(op, dtype, "stride -3", out + GUARD, full + GUARD, N);
    /* one operand or all are one element: as if it were repeated */
    for (int k = 0; k <= arity; k++) {
        struct input scalar = in, repeated = in;
        for (int j = 0; j < arity; j++) {
            if (j != k && k < arity) continue;
            const size_t size = heddle_dtype_size(in.dtype[j]);
            scalar.data[j] += 700 * size;
            scalar.stride[j] = 0;
            for (int64_t i = 0; i < N; i++)
                memcpy(spread[j] + (size_t)i * size, data[j] + 700 * size, size);
            repeated.data[j] = spread[j];
        }
        apply(op, dtype, &repeated, 1500, want + GUARD, 1);
        apply(op, dtype, &scalar, 1500, out + GUARD, 1);
        check_same(op, dtype, "a broadcast operand", out + GUARD, want + GUARD, 1500);
    }
    for (int k = 0; k < 3; k++) free(data[k]), free(spread[k]);
    free(full), free(out), free(want);
}

/* Divisors number k: of 8 bits all; else special ones, what is around the powers of two, and any. */
static struct number divisor(enum heddle_dtype dtype, int k)
{
    const int bits = 8 * (int)heddle_dtype_size(dtype);
    struct number d = {.i = k};
    if (bits > 8 && k < ORACLE_SPECIAL)
        d = oracle_value(dtype, (uint64_t)k);
    else if (bits > 8 && k < ORACLE_SPECIAL + 6 * bits) {
        const int j = k - ORACLE_SPECIAL;
        d.i = (((__int128)1 << j / 6) + j % 3 - 1) * (j / 3 % 2 ? -1 : 1);
    } else if (bits > 8)
        d.i = oracle_value(dtype, (uint64_t)k * 2).i >> k % bits; /* of all sizes */
    uint64_t element;
    oracle_set(dtype, &element, 0, d);
    return oracle_get(dtype, &element, 0);
}

/* One integer divisor, as one number and as an array. The dividends: of 8 bits all; else special numbers, and what is
 * around multiples of the divisor, mostly large ones. */
static void test_divisor(enum heddle_op op, enum heddle_dtype dtype, struct number d)
{
    enum { M = 512 };
    const size_t size = heddle_dtype_size(dtype);
    static char x[M * 8], y[M * 8], full[M * 8 + 2 * GUARD], out[M * 8 + 2 * GUARD];
    for (int64_t i = 0; i < M; i++) {
        struct number v = {.i = i};
        if (size > 1) {
            v = oracle_value(dtype, (uint64_t)i);
            if (i >= ORACLE_SPECIAL && d.i != 0) v.i = v.i / d.i * d.i + i % 3 - 1;
            if (i < 3 * ORACLE_SPECIAL && i >= ORACLE_SPECIAL && d.i != 0) /* the largest ones */
                v.i = oracle_value(dtype, i % 2 ? 3 : 4).i / d.i * d.i - (i / 6 - 8) * d.i + i % 3 -
                      1;
        }
        oracle_set(dtype, x, i, v);
        oracle_set(dtype, y, i, d);
    }
    struct input in = {{x, y}, {dtype, dtype}, {1, 1}};
    apply(op, dtype, &in, M, full + GUARD, 1);
    check_values(op, dtype, &in, full + GUARD, M);
    in.stride[1] = 0;
    apply(op, dtype, &in, M, out + GUARD, 1);
    check_same(op, dtype, "by one number", out + GUARD, full + GUARD, M);
}

/* Floating operands whose quotient is a whole number, up to where numbers have no fractions, or beside one; and those at the
 * ends of the range. */
static void test_quotients(enum heddle_op op, enum heddle_dtype dtype)
{
    const size_t size = heddle_dtype_size(dtype);
    const int bits = oracle_is_single(dtype) ? 24 : 53;
    char *const data[2] = {allocate(N * size), allocate(N * size)}, *const out = allocate(
                                                                        N * size + 2 * GUARD);
    for (int64_t i = 0; i < N; i++) {
        struct number x = oracle_value(dtype, (uint64_t)(2 * i + 1)),
                      y = oracle_value(dtype, (uint64_t)(2 * i));
        int exponent;
        const long double whole =
            floorl(ldexpl(frexpl(fabsl(x.re), &exponent), (int)(i % (bits + 2))));
        if (i % 4 && isfinite(whole) && isfinite(y.re)) {
            x.re = oracle_rounded(dtype, copysignl(whole, x.re) * y.re);
            if (isfinite(x.re)) x.re += (long double)(i % 4 - 2) * oracle_ulp(dtype, x.re);
        }
        oracle_set(dtype, data[0], i, x);
        oracle_set(dtype, data[1], i, y);
    }
    const struct input in = {{data[0], data[1]}, {dtype, dtype}, {1, 1}};
    apply(op, dtype, &in, N, out + GUARD, 1);
    check_values(op, dtype, &in, out + GUARD, N);
    free(data[0]), free(data[1]), free(out);
}

/* One floating divisor, as one number and as an array, of what is around its multiples, and of the ends of the range. */
static void test_floating_divisor(enum heddle_op op, enum heddle_dtype dtype, int k)
{
    enum { M = 301 };
    const int bits = oracle_is_single(dtype) ? 24 : 53;
    static char x[M * 8], y[M * 8], full[M * 8 + 2 * GUARD], out[M * 8 + 2 * GUARD];
    const struct number d = oracle_value(dtype, (uint64_t)k);
    for (int64_t i = 0; i < M; i++) {
        struct number v = oracle_value(dtype, (uint64_t)(i * 7 + k));
        int exponent;
        const long double whole =
            floorl(ldexpl(frexpl(fabsl(v.re), &exponent), (int)(i % (bits + 2))));
        if (i % 4 && isfinite(whole) && isfinite(d.re)) {
            v.re = oracle_rounded(dtype, copysignl(whole, v.re) * d.re);
            if (isfinite(v.re)) v.re += (long double)(i % 4 - 2) * oracle_ulp(dtype, v.re);
        }
        oracle_set(dtype, x, i, v);
        oracle_set(dtype, y, i, d);
    }
    struct input in = {{x, y}, {dtype, dtype}, {1, 1}};
    apply(op, dtype, &in, M, full + GUARD, 1);
    in.stride[1] = 0;
    apply(op, dtype, &in, M, out + GUARD, 1);
    check_same(op, dtype, "by one number", out + GUARD, full + GUARD, M);
}

static void test_division(enum heddle_op op, enum heddle_dtype dtype)
{
    if (op != HEDDLE_OP_FLOOR_DIVIDE && op != HEDDLE_OP_REMAINDER && op != HEDDLE_OP_FMOD) return;
    if (heddle_dtype_kind(dtype) == 'F') {
        test_quotients(op, dtype);
        for (int k = 0; k < 600; k++) test_floating_divisor(op, dtype, k);
        return;
    }
    const int n = dtype == HEDDLE_INT8 || dtype == HEDDLE_UINT8 ? 256 : 600;
    for (int k = 0; k < n; k++) test_divisor(op, dtype, divisor(dtype, k));
}

int main(int argc, char **argv)
{
    const int share = argc > 2 ? atoi(argv[1]) : 0, n_shares = argc > 2 ? atoi(argv[2]) : 1;
    fprintf(stderr, "isa %s\n", heddle__cpu_isa());
    for (int op = 1; op < HEDDLE_N_OPS; op++)
        for (int d = 1; d < HEDDLE_N_COMPUTED; d++) {
            if (!oracle_has((enum heddle_op)op) ||
                !(heddle__ops[op].accepts & heddle__kind_bit((enum heddle_dtype)d)))
                continue;
            const bool elementary =
                d == HEDDLE_FLOAT32 || d == HEDDLE_FLOAT64 || op == HEDDLE_OP_ABS;
            if (!elementary && (op + d) % n_shares != share) continue;
            const long long before = atomic_load(&check_n_failed);
            test((enum heddle_op)op, (enum heddle_dtype)d);
            test_division((enum heddle_op)op, (enum heddle_dtype)d);
            CHECK_ROW(atomic_load(&check_n_failed) - before, "%s of %s", heddle__ops[op].name,
                      heddle_dtype_name((enum heddle_dtype)d));
        }
    return check_done();
}
