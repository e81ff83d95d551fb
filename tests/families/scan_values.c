/* Cumulative sums, products and extremes of all dtypes against loops; deep trees of chunks; the same bits for
 * any number of parts and threads; errors. */
#include "check_heddle.h"

#include "complex_numbers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#undef I

/* ---- All dtypes, small ------------------------------------------------------------------------------ */

enum { OUTER = 3, N = 517, INNER = 5 };

static uint64_t state = 1;

static int small_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)(state >> 33) % 7 - 3;
}

/* Sums of small integers are exact in every dtype but for wrapping, products of -1, 1 and 0 too. */
#define DTYPE(ID, ctype, RESULT, rtype)                                                            \
    static void sums_##ID(int axis, bool initial, bool multiply)                                   \
    {                                                                                              \
        const int64_t shape[3] = {OUTER, N, INNER}, n = shape[axis], m = n + initial;              \
        static ctype x[OUTER * N * INNER];                                                         \
        static rtype want[OUTER * N * INNER * 2], got[OUTER * N * INNER * 2];                      \
        for (int i = 0; i < OUTER * N * INNER; i++)                                                \
            x[i] = (ctype)(multiply ? (small_random() > -3 ? 1 : -1) : small_random());            \
        int64_t inner = 1, outer = OUTER * N * INNER / n;                                          \
        for (int d = axis + 1; d < 3; d++) inner *= shape[d];                                      \
        outer /= inner;                                                                            \
        for (int64_t o = 0; o < outer; o++)                                                        \
            for (int64_t i = 0; i < inner; i++) {                                                  \
                rtype total = (rtype)multiply;                                                     \
                if (initial) want[o * m * inner + i] = total;                                      \
                for (int64_t k = 0; k < n; k++) {                                                  \
                    const rtype it = (rtype)x[(o * n + k) * inner + i];                            \
                    total = (rtype)(multiply ? total * it : total + it);                           \
                    want[(o * m + k + initial) * inner + i] = total;                               \
                }                                                                                  \
            }                                                                                      \
        heddle_scope scope = heddle_scope_open();                                                  \
        heddle_array *a = heddle_asarray(x, HEDDLE_##ID, 3, shape);                                \
        const struct heddle_scan_options o = {                                                     \
            .axis = axis, .has_axis = true, .include_initial = initial};                           \
        heddle_array *r =                                                                          \
            multiply ? heddle_cumulative_prod_with(a, &o) : heddle_cumulative_sum_with(a, &o);     \
        CHECK_EQ(heddle_dtype_of(r), HEDDLE_##RESULT);                                             \
        CHECK_EQ(heddle_read(r, got, heddle_nbytes(r)), HEDDLE_OK);                                \
        int64_t wrong = 0;                                                                         \
        for (int64_t i = 0; i < outer * m * inner; i++) wrong += got[i] != want[i];                \
        CHECK(wrong == 0, "%lld elements of %s, axis %d", (long long)wrong, #ID, axis);            \
        heddle_scope_close(scope);                                                                 \
    }

DTYPE(BOOL, bool, INT64, int64_t)
DTYPE(INT8, int8_t, INT64, int64_t)
DTYPE(INT16, int16_t, INT64, int64_t)
DTYPE(INT32, int32_t, INT64, int64_t)
DTYPE(INT64, int64_t, INT64, int64_t)
DTYPE(UINT8, uint8_t, UINT64, uint64_t)
DTYPE(UINT16, uint16_t, UINT64, uint64_t)
DTYPE(UINT32, uint32_t, UINT64, uint64_t)
DTYPE(UINT64, uint64_t, UINT64, uint64_t)
DTYPE(FLOAT32, float, FLOAT32, float)
DTYPE(FLOAT64, double, FLOAT64, double)
DTYPE(COMPLEX64, float complex, COMPLEX64, float complex)
DTYPE(COMPLEX128, double complex, COMPLEX128, double complex)

static void test_dtypes(void)
{
    static void (*const all[])(int, bool, bool) = {
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy) sums_##ID,
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
    };
    for (size_t t = 0; t < sizeof all / sizeof all[0]; t++)
        for (int way = 0; way < 12; way++) all[t](way % 3, way / 3 % 2, way / 6);
}

/* A narrow dtype that is asked for wraps. */
static void test_narrow(void)
{
    uint8_t x[300], got[300];
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < 300; i++) x[i] = (uint8_t)(i % 200);
    heddle_array *r = heddle_cumulative_sum(heddle_asarray(x, HEDDLE_UINT8, HEDDLE_SHAPE(300)),
                                            .dtype = HEDDLE_UINT8);
    CHECK_EQ(heddle_dtype_of(r), HEDDLE_UINT8);
    CHECK_EQ(heddle_read(r, got, sizeof got), HEDDLE_OK);
    for (int i = 0, total = 0; i < 300; i++) CHECK_EQ(got[i], (uint8_t)(total += x[i]));
    heddle_scope_close(scope);
}

/* Complex products that are no powers of the unit. */
static void test_complex(void)
{
    enum { M = 5000 };
    static double complex x[M], got[M];
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < M; i++) x[i] = cexp(CMPLX(0, 0.001 * i));
    heddle_array *r = heddle_cumulative_prod(heddle_asarray(x, HEDDLE_COMPLEX128, HEDDLE_SHAPE(M)));
    CHECK_EQ(heddle_read(r, got, sizeof got), HEDDLE_OK);
    for (int i = 0; i < M; i++) {
        const double angle = 0.001 * i * (i + 1.0) / 2;
        CHECK(cabs(got[i] - cexp(CMPLX(0, angle))) < 1e-11, "element %d", i);
    }
    heddle_scope_close(scope);
}

/* ---- Extremes ---------------------------------------------------------------------------------------- */

/* Elements at the borders of the dtype, few that pass all before them, so that a wrong one stays visible; in floating
 * dtypes NaN, which stays, and zeros of both signs, of which the first one stays. The bits, by a loop. */
#define EXTREMES(ID, ctype, LEAST, MOST, SPECIAL)                                                  \
    static void extremes_##ID(int axis, int sign)                                                  \
    {                                                                                              \
        const int64_t shape[3] = {OUTER, N, INNER};                                                \
        static ctype x[OUTER * N * INNER], want[OUTER * N * INNER], got[OUTER * N * INNER];        \
        int64_t inner = 1;                                                                         \
        for (int d = axis + 1; d < 3; d++) inner *= shape[d];                                      \
        for (int i = 0; i < OUTER * N * INNER; i++) {                                              \
            const int it = small_random(), rare = (int)((state >> 20) % 500);                      \
            const int drift = (sign > 0 ? i : -i) / 211;                                           \
            x[i] = rare == 0   ? (ctype)(LEAST)                                                    \
                   : rare == 1 ? (ctype)(MOST)                                                     \
                   : rare == 2 ? (ctype)(SPECIAL)                                                  \
                               : (ctype)(it + drift);                                              \
            const ctype so_far = i / inner % shape[axis] ? want[i - inner] : x[i];                 \
            const bool stays = so_far != so_far || (sign > 0 ? so_far >= x[i] : so_far <= x[i]);   \
            want[i] = stays ? so_far : x[i];                                                       \
        }                                                                                          \
        heddle_scope scope = heddle_scope_open();                                                  \
        heddle_array *a = heddle_asarray(x, HEDDLE_##ID, 3, shape);                                \
        const struct heddle_scan_options o = {.axis = axis, .has_axis = true};                     \
        heddle_array *r =                                                                          \
            sign > 0 ? heddle_cumulative_max_with(a, &o) : heddle_cumulative_min_with(a, &o);      \
        CHECK_EQ(heddle_dtype_of(r), HEDDLE_##ID);                                                 \
        CHECK_EQ(heddle_read(r, got, heddle_nbytes(r)), HEDDLE_OK);                                \
        int64_t wrong = 0;                                                                         \
        for (int64_t i = 0; i < OUTER * N * INNER; i++)                                            \
            wrong += memcmp(&got[i], &want[i], sizeof got[i]) != 0 &&                              \
                     !(got[i] != got[i] && want[i] != want[i]);                                    \
        CHECK(wrong == 0, "%lld elements of %s, axis %d, sign %d", (long long)wrong, #ID, axis,    \
              sign);                                                                               \
        heddle_scope_close(scope);                                                                 \
    }

EXTREMES(BOOL, bool, false, true, false)
EXTREMES(INT8, int8_t, INT8_MIN, INT8_MAX, -1)
EXTREMES(INT16, int16_t, INT16_MIN, INT16_MAX, -1)
EXTREMES(INT32, int32_t, INT32_MIN, INT32_MAX, -1)
EXTREMES(INT64, int64_t, INT64_MIN, INT64_MAX, -1)
EXTREMES(UINT8, uint8_t, 0, UINT8_MAX, 128)
EXTREMES(UINT16, uint16_t, 0, UINT16_MAX, 1 << 15)
EXTREMES(UINT32, uint32_t, 0, UINT32_MAX, 1u << 31)
EXTREMES(UINT64, uint64_t, 0, UINT64_MAX, (uint64_t)1 << 63)
EXTREMES(FLOAT32, float, -0.0f, (float)sign *INFINITY, NAN)
EXTREMES(FLOAT64, double, -0.0, (float)sign *INFINITY, NAN)

static void test_extremes(void)
{
    static void (*const all[])(int, int) = {extremes_BOOL,    extremes_INT8,   extremes_INT16,
                                            extremes_INT32,   extremes_INT64,  extremes_UINT8,
                                            extremes_UINT16,  extremes_UINT32, extremes_UINT64,
                                            extremes_FLOAT32, extremes_FLOAT64};
    for (size_t t = 0; t < sizeof all / sizeof all[0]; t++)
        for (int way = 0; way < 6; way++) all[t](way % 3, way < 3 ? 1 : -1);
}

/* ---- Deep trees -------------------------------------------------------------------------------------- */

/* 0, 1, 2, ... summed is exact, whatever the order, and says where an error is. */
static void sum_of_index(int64_t outer, int64_t n, int64_t inner)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_broadcast_to(
        heddle_reshape(heddle_arange(heddle_scalar(0), heddle_scalar(n), heddle_scalar(1)), 3,
                       (const int64_t[]){1, n, 1}),
        3, (const int64_t[]){outer, n, inner});
    heddle_array *r = heddle_cumulative_sum(a, .axis = 1);
    int64_t *got = malloc((size_t)heddle_nbytes(r)), wrong = -1;
    CHECK_EQ(heddle_read(r, got, heddle_nbytes(r)), HEDDLE_OK);
    for (int64_t i = 0; i < outer * n * inner && wrong < 0; i++) {
        const int64_t k = i / inner % n;
        if (got[i] != k * (k + 1) / 2) wrong = i;
    }
    /* with one number that is out of turn in each 1000, which the others pass later */
    heddle_array *const moved =
        heddle_where(heddle_equal(heddle_remainder(a, heddle_scalar(1000)), heddle_scalar(3)),
                     heddle_multiply(a, heddle_scalar(2)), a);
    heddle_array *m = heddle_cumulative_max(moved, .axis = 1);
    CHECK_EQ(heddle_read(m, got, heddle_nbytes(m)), HEDDLE_OK);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner && wrong < 0; i++)
            for (int64_t k = 0, most = 0; k < n && wrong < 0; k++) {
                const int64_t x = k % 1000 == 3 ? 2 * k : k, at = (o * n + k) * inner + i;
                most = x > most ? x : most;
                if (got[at] != most) wrong = at;
            }
    CHECK(wrong < 0, "element %lld of (%lld, %lld, %lld)", (long long)wrong, (long long)outer,
          (long long)n, (long long)inner);
    free(got);
    heddle_scope_close(scope);
}

static void test_deep(void)
{
    sum_of_index(1, 5000000, 1); /* 1221 chunks of lanes: three levels */
    sum_of_index(2, 600001, 1);
    sum_of_index(1, 70000, 3); /* 1094 chunks of columns */
    sum_of_index(1, 3000, 600);
    sum_of_index(5000, 130, 1);
    sum_of_index(7000, 9, 1);
}

/* ---- Bits ---------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const void *data, int64_t n)
{
    const unsigned char *bytes = data;
    uint64_t h = 1469598103934665603u;
    for (int64_t i = 0; i < n; i++) h = (h ^ bytes[i]) * 1099511628211u;
    return h;
}

/* The cumulative sum and minimum of the same random numbers, in so many parts. */
static uint64_t bits_of(int64_t n, int64_t inner, int64_t parts)
{
    heddle_scope scope = heddle_scope_open();
    double *x = malloc((size_t)(n * inner) * sizeof *x);
    state = 7;
    for (int64_t i = 0; i < n * inner; i++) x[i] = small_random() * 0.1 + (double)(i % 11) * 1e-3;
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(n, inner));
    heddle_array *cut =
        heddle_distribute(a, &(struct heddle_distribution){.cut[0] = {HEDDLE_CUT_PARTS, parts}});
    heddle_array *r = heddle_cumulative_sum(parts ? cut : a, .axis = 0);
    heddle_array *m = heddle_cumulative_min(parts ? cut : a, .axis = 0);
    CHECK_EQ(heddle_read(r, x, n * inner * (int64_t)sizeof *x), HEDDLE_OK);
    uint64_t hash = hash_of(x, n * inner * (int64_t)sizeof *x);
    CHECK_EQ(heddle_read(m, x, n * inner * (int64_t)sizeof *x), HEDDLE_OK);
    hash ^= hash_of(x, n * inner * (int64_t)sizeof *x) * 31;
    free(x);
    heddle_scope_close(scope);
    return hash;
}

static void test_bits(void)
{
    const struct {
        const char *name;
        struct heddle_config config;
    } ways[] = {
        {"inline", {.inline_bytes = (int64_t)1 << 40, .devices = "cpu"}},
        {"tasks", {.inline_bytes = -1, .devices = "cpu"}},
        {"one thread", {.inline_bytes = -1, .cpu_threads = 1, .devices = "cpu"}},
        {"two workers", {.inline_bytes = -1, .cpu_workers = 2, .cpu_threads = 4, .devices = "cpu"}},
        {"all devices", {.inline_bytes = -1}},
    };
    uint64_t lanes = 0, columns = 0;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        CHECK_EQ(heddle_configure(&ways[w].config), HEDDLE_OK);
        for (int64_t parts = 0; parts < 6; parts += parts ? 2 : 1) {
            const uint64_t l = bits_of(400001, 1, parts), c = bits_of(40001, 3, parts);
            if (w == 0 && parts == 0) {
                lanes = l;
                columns = c;
            }
            CHECK(l == lanes, "%s, %lld parts, lanes", ways[w].name, (long long)parts);
            CHECK(c == columns, "%s, %lld parts, columns", ways[w].name, (long long)parts);
        }
    }
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(NULL), HEDDLE_OK);
}

/* ---- Borders ------------------------------------------------------------------------------------------- */

static void test_borders(void)
{
    double got[3];
    heddle_scope scope = heddle_scope_open();
    heddle_array *m = heddle_ones(HEDDLE_SHAPE(2, 3));
    check_error(heddle_cumulative_sum(m), HEDDLE_EAXIS, "cumulative_sum: shape (2, 3) has 2 axes");
    check_error(heddle_cumulative_prod(m, .axis = 2), HEDDLE_EAXIS, "cumulative_prod: axis 2");
    check_error(heddle_cumulative_sum(m, .axis = -3), HEDDLE_EAXIS, "axis -3");
    check_error(heddle_cumulative_sum(m, .axis = 0, .dtype = HEDDLE_BOOL), HEDDLE_EDTYPE, "bool");
    check_error(heddle_cumulative_sum(heddle_scalar(1.0)), HEDDLE_EAXIS, "shape ()");
    /* nothing but identities */
    heddle_array *none = heddle_zeros(HEDDLE_SHAPE(0));
    CHECK_EQ(heddle_size(heddle_cumulative_sum(none)), 0);
    heddle_array *one = heddle_cumulative_prod(none, .include_initial = true);
    CHECK_EQ(heddle_size(one), 1);
    CHECK_EQ(heddle_read(one, got, sizeof got[0]), HEDDLE_OK);
    CHECK_NUM(got[0], 1);
    /* the first element stays as it is: -0 has its sign */
    const double x[3] = {-0.0, -0.0, NAN};
    heddle_array *r = heddle_cumulative_sum(heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)));
    CHECK_EQ(heddle_read(r, got, sizeof got), HEDDLE_OK);
    CHECK(signbit(got[0]) && signbit(got[1]) && isnan(got[2]));
    heddle_scope_close(scope);
}

int main(void)
{
    test_dtypes();
    test_narrow();
    test_complex();
    test_extremes();
    test_deep();
    test_borders();
    test_bits();
    return check_done();
}
