/* float16 and bfloat16: all their values, rounding to them, operations rounded once each, reductions and products
 * rounded once, promotion, other operations. The oracle rounds by scaling to whole numbers in double.
 *
 *   halves    on the devices that HEDDLE_DEVICES names; skipped (77) where these are not there */
#include "check_heddle.h"

#include <float.h>
#include <heddle.h>
#include <stdlib.h>

/* ---- The oracle ------------------------------------------------------------------------------------------ */

struct half {
    enum heddle_dtype dtype;
    int digits, least; /* bits of a mantissa, exponent of the least normal number */
    double most;
};
static const struct half halves[2] = {{HEDDLE_FLOAT16, 11, -14, 65504},
                                      {HEDDLE_BFLOAT16, 8, -126, 0x1.fep127}};

static double value_of(const struct half *h, uint16_t bits)
{
    const int fraction_bits = h->digits - 1, exponent_most = (1 << (15 - fraction_bits)) - 1;
    const int exponent = bits >> fraction_bits & exponent_most,
              fraction = bits & ((1 << fraction_bits) - 1);
    double x = ldexp(fraction + (exponent ? 1 << fraction_bits : 0),
                     h->least - fraction_bits + (exponent ? exponent - 1 : 0));
    if (exponent == exponent_most) x = fraction ? NAN : INFINITY;
    return bits >> 15 ? -x : x;
}

/* The nearest number, ties to even. */
static double rounded(const struct half *h, double x)
{
    if (x == 0 || !isfinite(x)) return x;
    int exponent = ilogb(x);
    if (exponent < h->least) exponent = h->least;
    const int last = exponent - h->digits + 1;
    const double r = ldexp(nearbyint(ldexp(x, -last)), last);
    return fabs(r) > h->most ? copysign(INFINITY, x) : r;
}

static bool same(double x, double y)
{
    return x == y ? signbit(x) == signbit(y) : isnan(x) && isnan(y);
}

/* ---- Numbers --------------------------------------------------------------------------------------------- */

static uint64_t state = 1;

static uint64_t word(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 11;
}

/* Near the halfway points of the dtype as often as not, of all its magnitudes and beyond. */
static double number(const struct half *h)
{
    const int digits = (int)(word() % 3) ? 53 : h->digits + 1;
    const double m = ldexp((double)(word() % (UINT64_C(1) << (digits - 1))), 1 - digits) + 1;
    const int lowest = h->least - h->digits - 2, highest = h->dtype == HEDDLE_FLOAT16 ? 17 : 127;
    const double x = ldexp(m, lowest + (int)(word() % (uint64_t)(highest - lowest + 1)));
    return word() % 2 ? x : -x;
}

static double *read_all(heddle_array *a)
{
    const int64_t bytes = heddle_size(a) * 8;
    double *values = malloc((size_t)bytes + 8);
    CHECK(heddle_read_as(a, HEDDLE_FLOAT64, values, bytes) == HEDDLE_OK, "%s", heddle_error(a));
    return values;
}

/* ---- Casts ------------------------------------------------------------------------------------------------ */

enum { ALL = 65536 };

static void test_values(const struct half *h)
{
    static uint16_t bits[ALL], back[ALL];
    for (int i = 0; i < ALL; i++) bits[i] = (uint16_t)i;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(bits, h->dtype, HEDDLE_SHAPE(ALL));
    heddle_array *wide = heddle_astype(a, HEDDLE_FLOAT32);
    double *values = read_all(wide), *direct = read_all(a);
    CHECK_EQ(heddle_read(heddle_astype(wide, h->dtype), back, sizeof back), HEDDLE_OK);
    int wrong = 0, wrong_back = 0;
    for (int i = 0; i < ALL; i++) {
        const double want = value_of(h, bits[i]);
        wrong += !same(values[i], want) || !same(direct[i], want);
        wrong_back += isnan(want) ? !isnan(value_of(h, back[i])) : back[i] != bits[i];
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(wrong_back, 0);
    free(values);
    free(direct);
    heddle_scope_close(scope);
}

static void test_rounding(const struct half *h)
{
    static double x[ALL];
    static float single[ALL];
    for (int i = 0; i < ALL; i++) {
        x[i] = i < 4 ? (double[]){0, -0.0, NAN, -INFINITY}[i] : number(h);
        single[i] = (float)x[i];
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *from[2] = {heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(ALL)),
                             heddle_asarray(single, HEDDLE_FLOAT32, HEDDLE_SHAPE(ALL))};
    double *got[2] = {read_all(heddle_astype(from[0], h->dtype)),
                      read_all(heddle_astype(from[1], h->dtype))};
    int wrong[2] = {0, 0};
    for (int i = 0; i < ALL; i++) {
        wrong[0] += !same(got[0][i], rounded(h, x[i]));
        wrong[1] += !same(got[1][i], rounded(h, (double)single[i]));
    }
    CHECK_EQ(wrong[0], 0);
    CHECK_EQ(wrong[1], 0);
    free(got[0]);
    free(got[1]);
    heddle_scope_close(scope);
}

/* ---- Operations ------------------------------------------------------------------------------------------- */

enum { N = 3000 };

static heddle_array *moderate(const struct half *h, double out[N])
{
    for (int i = 0; i < N; i++)
        out[i] = rounded(h, ldexp((double)(word() % 4001) - 2000, -(int)(word() % 10)));
    return heddle_astype(heddle_asarray(out, HEDDLE_FLOAT64, HEDDLE_SHAPE(N)), h->dtype);
}

static double in_float(double x)
{
    return (double)(float)x;
}

static void check(const struct half *h, heddle_array *a, const double want[N], const char *what)
{
    int wrong = 0;
    CHECK_EQ(heddle_dtype_of(a), h->dtype);
    double *got = read_all(a);
    for (int i = 0; i < N; i++) wrong += !same(got[i], want[i]);
    CHECK(wrong == 0, "%s of %s: %d wrong", what, heddle_dtype_name(h->dtype), wrong);
    free(got);
}

static void test_operations(const struct half *h)
{
    static double x[N], y[N], want[N];
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = moderate(h, x), *b = moderate(h, y);
    for (int i = 0; i < N; i++)
        want[i] = rounded(h, in_float(rounded(h, in_float(x[i] + y[i])) * x[i]));
    check(h, heddle_multiply(heddle_add(a, b), a), want, "(a + b) * a");
    for (int i = 0; i < N; i++) want[i] = rounded(h, in_float(x[i] + rounded(h, 0.1)));
    check(h, heddle_add(a, heddle_scalar(0.1)), want,
          "a + 0.1"); /* a weak scalar is rounded, too */
    for (int i = 0; i < N; i++) want[i] = rounded(h, in_float(x[i] / y[i]));
    check(h, heddle_divide(a, b), want, "a / b");
    for (int i = 0; i < N; i++) want[i] = rounded(h, (double)sqrtf((float)fabs(x[i])));
    check(h, heddle_sqrt(heddle_abs(a)), want, "sqrt(abs(a))");
    for (int i = 0; i < N; i++) want[i] = x[i] > y[i] ? x[i] : y[N - 1 - i];
    check(h, heddle_where(heddle_greater(a, b), a, heddle_flip(b)), want, "where");
    for (int i = 0; i < N; i++) want[i] = i % 3 ? x[i] : rounded(h, 7.3);
    check(h, heddle_set_item(a, HEDDLE_INDEX(HEDDLE_STEP(3)), heddle_scalar(7.3)), want, "update");
    for (int i = 0; i < N; i++) want[i] = x[N - 1 - i];
    check(h,
          heddle_take(a, heddle_subtract(heddle_scalar((int64_t)N - 1),
                                         heddle_arange(heddle_scalar((int64_t)N), NULL, NULL))),
          want, "take");
    heddle_scope_close(scope);
}

static double one(heddle_array *a)
{
    double *values = read_all(a), x = values[0];
    free(values);
    return x;
}

static int ascending(const void *x, const void *y)
{
    const double p = *(const double *)x, q = *(const double *)y;
    return (p > q) - (p < q);
}

static void test_reductions(const struct half *h)
{
    static double x[N];
    double total = 0, most = -INFINITY;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = moderate(h, x);
    for (int i = 0; i < N; i++) {
        total += x[i];
        most = x[i] > most ? x[i] : most;
    }
    /* sums of such numbers are exact in float32 */
    CHECK_NUM(one(heddle_sum(a)), rounded(h, total));
    CHECK_NUM(one(heddle_mean(a)), rounded(h, in_float(total / N)));
    CHECK_NUM(one(heddle_max(a)), most);
    CHECK_EQ(heddle_dtype_of(heddle_var(a)), h->dtype);
    CHECK_EQ(heddle_dtype_of(heddle_argmax(a)), HEDDLE_INT64);

    /* more than the dtype holds on the way, not at the end; no step of 1 beyond 256 or 2048 */
    heddle_array *ones = heddle_ones(HEDDLE_SHAPE(100000), .dtype = h->dtype);
    CHECK_NUM(one(heddle_mean(ones)), 1);
    CHECK_NUM(one(heddle_std(ones)), 0);
    CHECK_NUM(one(heddle_sum(ones)), rounded(h, 100000));
    double *scan = read_all(heddle_cumulative_sum(ones));
    CHECK_NUM(scan[30000], rounded(h, 30001));
    free(scan);

    double *sorted = read_all(heddle_sort(a));
    qsort(x, N, sizeof *x, ascending);
    CHECK(memcmp(sorted, x, sizeof x) == 0);
    CHECK_NUM(one(heddle_searchsorted(heddle_sort(a), heddle_astype(heddle_scalar(1e4), h->dtype))),
              N);
    free(sorted);
    heddle_scope_close(scope);
}

/* Whole numbers whose sums of products float32 holds: each product is exact, and rounded once, also if pieces of
 * it add up since the left operand's columns are cut in `parts`. */
static void test_product(const struct half *h, int64_t m, int64_t k, int64_t n, bool transposed,
                         int parts)
{
    static double x[64 * 300], y[64 * 300];
    for (int64_t i = 0; i < m * k; i++) x[i] = (double)(word() % 201) - 100;
    for (int64_t i = 0; i < k * n; i++) y[i] = (double)(word() % 201) - 100;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(m, k)),
                 *b = transposed ? heddle_matrix_transpose(
                                       heddle_asarray(y, HEDDLE_FLOAT64, HEDDLE_SHAPE(n, k)))
                                 : heddle_asarray(y, HEDDLE_FLOAT64, HEDDLE_SHAPE(k, n));
    const struct heddle_distribution columns = {.cut[1] = {HEDDLE_CUT_PARTS, parts}};
    heddle_array *left = heddle_distribute(heddle_astype(a, h->dtype), &columns);
    heddle_array *c = heddle_matmul(left, heddle_astype(b, h->dtype));
    CHECK_EQ(heddle_dtype_of(c), h->dtype);
    double *got = read_all(c);
    int wrong = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += x[i * k + l] * (transposed ? y[j * k + l] : y[l * n + j]);
            wrong += got[i * n + j] != rounded(h, sum);
        }
    CHECK(wrong == 0, "%lld x %lld x %lld of %s: %d wrong", (long long)m, (long long)k,
          (long long)n, heddle_dtype_name(h->dtype), wrong);
    free(got);
    heddle_scope_close(scope);
}

static void test_batches(const struct half *h)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_astype(
        heddle_reshape(heddle_arange(heddle_scalar(60.0), NULL, NULL), HEDDLE_SHAPE(5, 3, 4)),
        h->dtype);
    heddle_array *b = heddle_ones(HEDDLE_SHAPE(4, 2), .dtype = h->dtype);
    double *got = read_all(heddle_matmul(a, b));
    int wrong = 0;
    for (int i = 0; i < 15; i++)
        for (int j = 0; j < 2; j++) wrong += got[2 * i + j] != rounded(h, 16 * i + 6);
    CHECK_EQ(wrong, 0);
    free(got);
    heddle_scope_close(scope);
}

/* Products of one column and one row have one term: of float32 operands they show how these are rounded. The default
 * rounds nothing. */
static void test_precision(void)
{
    static const struct {
        enum heddle_precision precision;
        struct half to;
    } cases[] = {{HEDDLE_PRECISION_FULL, {HEDDLE_FLOAT32, 24, -126, FLT_MAX}},
                 {HEDDLE_PRECISION_TF32, {HEDDLE_FLOAT32, 11, -126, 0x1.ffcp127}},
                 {HEDDLE_PRECISION_BFLOAT16, {HEDDLE_BFLOAT16, 8, -126, 0x1.fep127}},
                 {HEDDLE_PRECISION_FLOAT16, {HEDDLE_FLOAT16, 11, -14, 65504}}};
    enum { SIDE = 500, INNER = 40 };
    static float x[SIDE], y[SIDE], u[SIDE * INNER], v[INNER];
    for (int i = 0; i < SIDE; i++) {
        const double digits = 1 + (double)(word() % (1 << 23)) * 0x1p-23;
        x[i] = (float)ldexp(i % 3 ? -digits : digits, i < 400 ? (int)(word() % 30) - 12 : 100);
        y[i] = i % 2 ? 1 : -2;
    }
    for (int i = 0; i < SIDE * INNER; i++) u[i] = (float)(word() % 20001) / 10000 - 1;
    for (int i = 0; i < INNER; i++) v[i] = (float)(word() % 20001) / 10000 - 1;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct half *to = &cases[c].to;
        heddle_scope scope = heddle_scope_open();
        heddle_array *product =
            heddle_matmul(heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(SIDE, 1)),
                          heddle_asarray(y, HEDDLE_FLOAT32, HEDDLE_SHAPE(1, SIDE)),
                          .precision = cases[c].precision);
        heddle_array *sums =
            heddle_matmul(heddle_asarray(u, HEDDLE_FLOAT32, HEDDLE_SHAPE(SIDE, INNER)),
                          heddle_asarray(v, HEDDLE_FLOAT32, HEDDLE_SHAPE(INNER)),
                          .precision = cases[c].precision);
        CHECK_EQ(heddle_dtype_of(product), HEDDLE_FLOAT32);
        double *got = read_all(product), *got_sums = read_all(sums);
        int wrong = 0, off = 0;
        for (int i = 0; i < SIDE * SIDE; i++)
            wrong += got[i] != rounded(to, x[i / SIDE]) * y[i % SIDE];
        for (int i = 0; i < SIDE; i++) {
            double sum = 0;
            for (int k = 0; k < INNER; k++)
                sum += rounded(to, u[i * INNER + k]) * rounded(to, v[k]);
            off += fabs(sum - got_sums[i]) > 1e-5;
        }
        CHECK(wrong == 0 && off == 0, "precision %d: %d and %d wrong", (int)cases[c].precision,
              wrong, off);
        free(got);
        free(got_sums);
        heddle_scope_close(scope);
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *const a = heddle_ones(HEDDLE_SHAPE(2, 2));
    check_error(heddle_matmul(a, a, .precision = HEDDLE_PRECISION_TF32), HEDDLE_EDTYPE,
                "heddle_matmul: .precision is for float32, not float64");
    check_error(heddle_matmul(a, a, .precision = (enum heddle_precision)9), HEDDLE_EARG,
                "heddle_matmul: .precision is 9");
    heddle_scope_close(scope);
}

static void test_dtypes(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *f16 = heddle_ones(HEDDLE_SHAPE(3), .dtype = HEDDLE_FLOAT16),
                 *bf16 = heddle_ones(HEDDLE_SHAPE(3), .dtype = HEDDLE_BFLOAT16);
    CHECK_EQ(heddle_dtype_of(heddle_add(f16, bf16)), HEDDLE_FLOAT32);
    CHECK_EQ(heddle_dtype_of(heddle_add(f16, heddle_ones(HEDDLE_SHAPE(3), .dtype = HEDDLE_INT8))),
             HEDDLE_FLOAT16);
    CHECK_EQ(heddle_dtype_of(heddle_add(bf16, heddle_scalar(1.5))), HEDDLE_BFLOAT16);
    CHECK_EQ(heddle_dtype_of(heddle_equal(f16, f16)), HEDDLE_BOOL);
    CHECK_NUM(one(heddle_sum(heddle_astype(f16, HEDDLE_INT64))), 3);
    CHECK_EQ(heddle_save(bf16, "halves.npy"), HEDDLE_EDTYPE);
    CHECK_EQ(heddle_save(f16, "halves.npy"), HEDDLE_OK);
    heddle_array *back = heddle_load("halves.npy");
    CHECK_EQ(heddle_dtype_of(back), HEDDLE_FLOAT16);
    CHECK_NUM(one(heddle_sum(back)), 3);
    remove("halves.npy");
    struct heddle_finfo info;
    CHECK_EQ(heddle_finfo_get(HEDDLE_BFLOAT16, &info), HEDDLE_OK);
    CHECK_NUM(info.max, 0x1.fep127);
    heddle_scope_close(scope);
}

int main(void)
{
    const int no = check_started();
    if (no) return no;
    test_precision();
    for (int i = 0; i < 2; i++) {
        const struct half *h = &halves[i];
        test_values(h);
        test_rounding(h);
        test_operations(h);
        test_reductions(h);
        test_product(h, 33, 17, 20, false, 1);
        test_product(h, 64, 300, 48, true, 1);
        test_product(h, 64, 300, 48, false, 5);
        test_product(h, 3, 128, 8, true, 2);
        test_product(h, 1, 40, 1, false, 1);
        test_batches(h);
    }
    test_dtypes();
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    return check_done();
}
