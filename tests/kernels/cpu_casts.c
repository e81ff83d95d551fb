/* Casts between all dtypes: against heddle__convert, and the cases that its comment names against
 * values written here; floating numbers of all magnitudes to integers. */
#include "build.h"
#include "check.h"
#include "oracle.h"

#include <math.h>
#include <stdlib.h>

enum { N = 3000 };

static void check_cast(enum heddle_dtype from, enum heddle_dtype to, const void *x, int64_t n)
{
    _Alignas(16) static char out[16 * N];
    struct build b;
    build_begin(&b, 1, 1, &n);
    const int v = build_load(&b, from, x, NULL, 0);
    build_store(&b, build_instr(&b, HEDDLE_CODE_CAST, from, to, v, 0, 0), to, out, NULL, 0);
    CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
    const size_t size = heddle_dtype_size(from);
    int n_bad = 0;
    for (int64_t i = 0; i < n; i++) {
        union heddle_scalar s = {.c128 = {0, 0}};
        memcpy(&s, (const char *)x + (size_t)i * size, size);
        const union heddle_scalar want = heddle__convert(s, from, to);
        const bool same = oracle_same(to, out, i, &want, 0);
        CHECK(same || n_bad++ > 2, "%s to %s: element %lld", heddle_dtype_name(from),
              heddle_dtype_name(to), (long long)i);
    }
}

static void test(enum heddle_dtype from, enum heddle_dtype to)
{
    _Alignas(16) static char x[16 * N];
    for (int64_t i = 0; i < N; i++) oracle_set(from, x, i, oracle_value(from, (uint64_t)i));
    check_cast(from, to, x, N);
}

/* Floating numbers in the order of their bits, those beside each power of two and others: neighbours are in the range of int32,
 * or are not, together. Then one that is not among others that are, at each place. */
static void test_ranges(enum heddle_dtype to)
{
    static float single[N];
    static double x[N];
    static const double far[] = {2147483648.0, -2147483649.0, 4294967295.5, -1e30, INFINITY, NAN};
    for (int sign = 0; sign < 2; sign++) {
        for (int e = -1074, n = 0; e < 1024; e++) {
            const double power = (sign ? -1 : 1) * ldexp(1, e);
            const double near[] = {nextafter(power, 0), power, nextafter(power, 2 * power),
                                   1.2345678901 * power, 1.9 * power};
            for (int k = 0; k < 5; k++) x[n++] = near[k];
            if (n + 5 <= N && e < 1023) continue;
            check_cast(HEDDLE_FLOAT64, to, x, n);
            n = 0;
        }
        for (int e = -149, n = 0; e < 128; e++) {
            const float power = (sign ? -1.0F : 1.0F) * ldexpf(1, e);
            const float near[] = {nextafterf(power, 0), power, nextafterf(power, 2 * power),
                                  1.2345678F * power, 1.9F * power};
            for (int k = 0; k < 5; k++) single[n++] = near[k];
            if (e < 127) continue;
            check_cast(HEDDLE_FLOAT32, to, single, n);
        }
    }
    for (int at = 0; at < 700; at++) {
        const int n = 600 + at % 101;
        for (int i = 0; i < n; i++)
            single[i] = (float)(x[i] = i == at ? far[at % 6] : i * 7.3 - 900);
        check_cast(HEDDLE_FLOAT64, to, x, n);
        check_cast(HEDDLE_FLOAT32, to, single, n);
    }
}

/* One float64 to one other. */
static union heddle_scalar cast(double x, enum heddle_dtype to)
{
    union heddle_scalar out = {.c128 = {0, 0}};
    struct build b;
    build_begin(&b, 0, 0, NULL);
    build_store(&b, build_instr(&b, HEDDLE_CODE_CAST, HEDDLE_FLOAT64, to, build_f64(&b, x), 0, 0),
                to, &out, NULL, 0);
    CHECK_EQ(build_run(&b, 1), HEDDLE_OK);
    return out;
}

int main(void)
{
    for (int from = 1; from < HEDDLE_N_COMPUTED; from++)
        for (int to = 1; to < HEDDLE_N_COMPUTED; to++)
            test((enum heddle_dtype)from, (enum heddle_dtype)to);
    for (int to = HEDDLE_INT8; to <= HEDDLE_UINT64; to++) test_ranges((enum heddle_dtype)to);

    CHECK_EQ(cast(-2.9, HEDDLE_INT32).i32, -2);
    CHECK_EQ(cast(1e300, HEDDLE_INT64).i64, INT64_MAX);
    CHECK_EQ(cast(-1e300, HEDDLE_INT64).i64, INT64_MIN);
    CHECK_EQ(cast(NAN, HEDDLE_INT64).i64, INT64_MIN);
    CHECK(cast(1e300, HEDDLE_UINT64).u64 == UINT64_MAX);
    CHECK(cast(1.2e19, HEDDLE_UINT64).u64 == UINT64_C(12000000000000000000));
    CHECK_EQ(cast(NAN, HEDDLE_BOOL).b, 1);
    CHECK_EQ(cast(-0.0, HEDDLE_BOOL).b, 0);
    CHECK_EQ(cast(0.1, HEDDLE_BOOL).b, 1);
    CHECK_NUM(cast(1e300, HEDDLE_FLOAT32).f32, INFINITY);
    CHECK_NUM(cast(1.5, HEDDLE_COMPLEX64).c64[0], 1.5);
    CHECK_NUM(cast(1.5, HEDDLE_COMPLEX64).c64[1], 0);
    return check_done();
}
