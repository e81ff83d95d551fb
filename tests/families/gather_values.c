/* Elements by index: all dtypes of elements and indices, errors in data on every way to run a plan. */
#include "check_heddle.h"
#include "families/ways.h"

#include <stdlib.h>

enum { N = 37, M = 5003 };

/* ---- Dtypes ------------------------------------------------------------------------------------------ */

/* Elements are moved as they are: bytes that are no number as well. */
static void test_elements(enum heddle_dtype dtype)
{
    const int64_t size = (int64_t)heddle_dtype_size(dtype);
    static unsigned char x[N * 16], got[M * 16];
    static int64_t at[M];
    for (int i = 0; i < N * 16; i++) x[i] = (unsigned char)(dtype == HEDDLE_BOOL ? i % 2 : i * 7);
    for (int i = 0; i < M; i++) at[i] = (i * 31 % (2 * N)) - N;
    heddle_scope scope = heddle_scope_open();
    heddle_array *r = heddle_take(heddle_asarray(x, dtype, HEDDLE_SHAPE(N)),
                                  heddle_asarray(at, HEDDLE_INT64, HEDDLE_SHAPE(M)));
    CHECK_EQ(heddle_dtype_of(r), dtype);
    CHECK_EQ(heddle_read(r, got, M * size), HEDDLE_OK);
    int wrong = 0;
    for (int i = 0; i < M; i++)
        wrong +=
            memcmp(got + i * size, x + (at[i] + (at[i] < 0 ? N : 0)) * size, (size_t)size) != 0;
    CHECK(wrong == 0, "%d elements of %s", wrong, heddle_dtype_name(dtype));
    heddle_scope_close(scope);
}

static void test_indices(enum heddle_dtype dtype)
{
    const char kind = heddle_dtype_kind(dtype);
    int64_t got[3];
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_arange(heddle_scalar(10), NULL, NULL);
    const int64_t values[3] = {0, 9, 4};
    heddle_array *indices =
        heddle_astype(heddle_asarray(values, HEDDLE_INT64, HEDDLE_SHAPE(3)), dtype);
    heddle_array *r = heddle_take(a, indices);
    if (kind == 'I' || kind == 'U') {
        CHECK_EQ(heddle_read(r, got, sizeof got), HEDDLE_OK);
        for (int i = 0; i < 3; i++) CHECK_EQ(got[i], values[i]);
    } else {
        CHECK_EQ(heddle_status_of(r), HEDDLE_EDTYPE);
    }
    heddle_scope_close(scope);
}

/* One of n arrays for each element; indices of a column that is broadcast, from the end, too. One that is wrong is said. */
static void test_choices(int n, enum heddle_dtype dtype)
{
    enum { MOST = 40, ROWS = 41, COLUMNS = 17 };
    static float x[MOST][COLUMNS], got[ROWS * COLUMNS];
    int64_t at[ROWS];
    heddle_array *choices[MOST];
    const bool is_signed = heddle_dtype_kind(dtype) == 'I', is_bool = dtype == HEDDLE_BOOL;
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < COLUMNS; j++) x[i][j] = (float)(100 * i + j);
        choices[i] = heddle_asarray(x[i], HEDDLE_FLOAT32, HEDDLE_SHAPE(COLUMNS));
        if (i % 3 == 1) choices[i] = heddle_add(choices[i], heddle_scalar(0.5));
    }
    for (int i = 0; i < ROWS; i++)
        at[i] = is_bool ? i % 2 : is_signed ? i * 7 % (2 * n) - n : i * 7 % n;
    heddle_array *indices =
        heddle_astype(heddle_asarray(at, HEDDLE_INT64, HEDDLE_SHAPE(ROWS, 1)), dtype);
    CHECK_EQ(heddle_read(heddle_choose(indices, n, choices), got, sizeof got), HEDDLE_OK);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            const int64_t which = at[i] < 0 ? at[i] + n : at[i];
            CHECK_NUM(got[i * COLUMNS + j], x[which][j] + (which % 3 == 1 ? 0.5 : 0));
        }
    at[ROWS - 1] = is_signed ? -n - 1 : n;
    indices = heddle_astype(heddle_asarray(at, HEDDLE_INT64, HEDDLE_SHAPE(ROWS, 1)), dtype);
    if (!is_bool) CHECK_EQ(heddle_wait(heddle_choose(indices, n, choices)), HEDDLE_EINDEX);
    heddle_scope_close(scope);
}

/* Along the last axis of many rows, whose lengths are about those that the CPU joins, in parts that end within rows. */
static void test_rows(int64_t k, bool narrow)
{
    enum { ROWS = 3001, WIDTH = 53, MOST = 300 };
    static double x[ROWS * WIDTH], got[ROWS * MOST];
    static int64_t at[ROWS * MOST];
    for (int i = 0; i < ROWS * WIDTH; i++) x[i] = i;
    for (int64_t i = 0; i < ROWS * k; i++) at[i] = (i * 31 + i / k) % (2 * WIDTH) - WIDTH;
    heddle_scope scope = heddle_scope_open();
    heddle_array *indices = heddle_asarray(at, HEDDLE_INT64, HEDDLE_SHAPE(ROWS, k));
    heddle_array *r =
        heddle_take_along_axis(heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, WIDTH)),
                               narrow ? heddle_astype(indices, HEDDLE_INT32) : indices, .axis = 1);
    CHECK_EQ(heddle_read(r, got, ROWS * k * 8), HEDDLE_OK);
    int wrong = 0;
    for (int64_t i = 0; i < ROWS * k; i++) {
        const int64_t want = i / k * WIDTH + at[i] + (at[i] < 0 ? WIDTH : 0);
        wrong += got[i] != (double)want;
    }
    CHECK(wrong == 0, "%d elements of rows of %lld", wrong, (long long)k);
    heddle_scope_close(scope);
}

/* ---- Errors ------------------------------------------------------------------------------------------ */

static void check_data_error(heddle_array *a, const char *text)
{
    double got;
    CHECK_EQ(heddle_wait(a), HEDDLE_EINDEX);
    CHECK_EQ(heddle_read(a, &got, sizeof got), HEDDLE_EINDEX);
    CHECK_HAS(heddle_error(a), text);
}

static heddle_array *indices_of(int64_t bad)
{
    static int64_t at[M];
    for (int i = 0; i < M; i++) at[i] = i % N;
    at[M / 2] = bad;
    return heddle_asarray(at, HEDDLE_INT64, HEDDLE_SHAPE(M));
}

/* An index out of range is the error of what is made of it, and of nothing else. */
static void test_errors(void)
{
    double got[2];
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_astype(heddle_arange(heddle_scalar(N), NULL, NULL), HEDDLE_FLOAT64);
    heddle_array *ok = heddle_sum(heddle_take(a, indices_of(-N)));
    heddle_array *high = heddle_take(a, indices_of(N)), *low = heddle_take(a, indices_of(-N - 1));
    heddle_array *after =
        heddle_sum(heddle_multiply(heddle_take(a, indices_of(INT64_MIN)), heddle_scalar(2.0)));
    heddle_array *all[] = {ok, high, low, after};
    heddle_eval_all(4, all);
    CHECK_EQ(heddle_read(ok, got, sizeof *got), HEDDLE_OK);
    check_data_error(high, "heddle_take: index 37 is out of range for an axis of 37");
    check_data_error(low, "heddle_take: index -38 is out of range for an axis of 37");
    check_data_error(after, "heddle_take: index -9223372036854775808 is out of range");
    /* what an error is made of stays one, and what is not is not */
    heddle_array *later = heddle_add(high, heddle_scalar(1.0));
    CHECK_EQ(heddle_status_of(later), HEDDLE_EINDEX);
    const uint64_t most[3] = {UINT64_MAX, 0, 1};
    heddle_array *big = heddle_asarray(most, HEDDLE_UINT64, HEDDLE_SHAPE(3));
    check_data_error(heddle_take(heddle_ones(HEDDLE_SHAPE(3)), big), "is out of range");
    heddle_array *along = heddle_take_along_axis(heddle_ones(HEDDLE_SHAPE(2, 3)),
                                                 heddle_full(HEDDLE_SHAPE(2, 1), heddle_scalar(3)));
    check_data_error(along, "heddle_take_along_axis: index 3");
    heddle_scope_close(scope);
}

/* Indices whose product with a stride does not fit 64 bits. */
static void test_far_indices(void)
{
    enum { ROWS = 5, WIDTH = 7 };
    const int64_t far[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_C(1) << 62, ROWS, -ROWS - 1};
    static double x[ROWS * WIDTH];
    for (int i = 0; i < 6; i++) {
        int64_t at[WIDTH] = {0, 1, 2, -1, -ROWS, ROWS - 1, 0};
        at[i] = far[i];
        heddle_scope scope = heddle_scope_open();
        heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, WIDTH));
        heddle_array *indices = heddle_asarray(at, HEDDLE_INT64, HEDDLE_SHAPE(1, WIDTH));
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)far[i]);
        CHECK_EQ(heddle_wait(heddle_take_along_axis(a, indices, .axis = 0)), HEDDLE_EINDEX);
        heddle_array *r = heddle_take(heddle_flip(a), indices, .axis = 0);
        CHECK_EQ(heddle_wait(r), HEDDLE_EINDEX);
        CHECK_HAS(heddle_error(r), text);
        heddle_scope_close(scope);
    }
}

/* An error that shows only after the data's user is planned. */
static void test_late_error(void)
{
    double got;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_astype(heddle_arange(heddle_scalar(N), NULL, NULL), HEDDLE_FLOAT64);
    heddle_array *bad = heddle_take(a, indices_of(1000));
    heddle_eval(bad); /* OK, or not: it is not waited for */
    heddle_array *sum = heddle_sum(bad);
    heddle_eval(sum);
    CHECK_EQ(heddle_read(sum, &got, sizeof got), HEDDLE_EINDEX);
    CHECK_HAS(heddle_error(sum), "index 1000 is out of range for an axis of 37");
    heddle_scope_close(scope);
}

/* What needs two operations that may fail reads a value that needs one of them and is asked for, too. */
static void test_shared(void)
{
    static bool same[M];
    static double greatest[M];
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_astype(heddle_arange(heddle_scalar(N), NULL, NULL), HEDDLE_FLOAT64);
    heddle_array *x = heddle_sqrt(heddle_take(a, indices_of(4))),
                 *y = heddle_square(heddle_take(a, indices_of(2)));
    heddle_array *asked[2] = {heddle_equal(x, y), heddle_maximum(x, heddle_scalar(3.0))};
    CHECK(heddle_eval_all(2, asked) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK_EQ(heddle_read(asked[0], same, sizeof same), HEDDLE_OK);
    CHECK_EQ(heddle_read(asked[1], greatest, sizeof greatest), HEDDLE_OK);
    CHECK_EQ(same[1], true);
    CHECK_EQ(same[M / 2], false);
    CHECK_NUM(greatest[M / 2], 3);
    heddle_scope_close(scope);
}

static void test_calls(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *m = heddle_ones(HEDDLE_SHAPE(2, 3)),
                 *i = heddle_zeros(HEDDLE_SHAPE(4), .dtype = HEDDLE_INT64);
    CHECK_EQ(heddle_status_of(heddle_take(m, i)), HEDDLE_EAXIS);
    CHECK_EQ(heddle_status_of(heddle_take(m, i, .axis = 2)), HEDDLE_EAXIS);
    CHECK_EQ(heddle_status_of(heddle_take_along_axis(m, i)), HEDDLE_ESHAPE);
    CHECK_EQ(heddle_status_of(heddle_take(heddle_zeros(HEDDLE_SHAPE(0)), i)), HEDDLE_EINDEX);
    CHECK_EQ(heddle_size(heddle_take(heddle_zeros(HEDDLE_SHAPE(0)),
                                     heddle_zeros(HEDDLE_SHAPE(0), .dtype = HEDDLE_INT32))),
             0);
    heddle_array *r = heddle_take(m, heddle_scalar(1), .axis = 0);
    CHECK_EQ(heddle_ndim(r), 1);
    CHECK_EQ(heddle_shape(r)[0], 3);
    heddle_scope_close(scope);
}

int main(void)
{
    for (int w = 0; w < N_WAYS; w++) {
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        CHECK_EQ(heddle_configure(&ways[w]), HEDDLE_OK);
#define HEDDLE_DTYPE(ID, name, ctype, bytes, kind, npy)                                            \
    test_elements(HEDDLE_##ID);                                                                    \
    test_indices(HEDDLE_##ID);
#include <heddle/dtypes.def>
#undef HEDDLE_DTYPE
        static const int64_t lengths[] = {1, 2, 7, 127, 128, 129, 300};
        for (int i = 0; i < 7; i++) test_rows(lengths[i], i % 2);
        static const int counts[] = {1, 2, 3, 15, 16, 17, 40}; /* up to 16 are read side by side */
        for (int i = 0; i < 7; i++) {
            test_choices(counts[i], HEDDLE_INT64);
            test_choices(counts[i], HEDDLE_INT8);
            test_choices(counts[i], HEDDLE_UINT16);
        }
        test_choices(2, HEDDLE_BOOL);
        for (int i = 0; i < 3; i++) test_errors();
        test_far_indices();
        test_shared();
        for (int i = 0; i < 3; i++) test_late_error();
    }
    test_calls();
    check_nothing_left();
    return check_done();
}
