/* Proves that values are the same inline and through StarPU, in one part and in several, with
 * repeated, shared and reused inputs; and that results can be used further. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>

static const struct heddle_config ways[] = {
    {.devices = "cpu"},
    {.devices = "cpu", .inline_bytes = -1},
    {.devices = "cpu", .inline_bytes = -1, .partition = "4"},
    {.devices = "cpu", .inline_bytes = -1, .partition = "3x2", .max_tasks = 4},
    {.devices = "cpu", .inline_bytes = -1, .partition = "5", .cpu_workers = 2, .cpu_threads = 2},
    {.devices = "cpu", .inline_bytes = -1, .partition = "2x2", .no_fusion = true},
};

enum { ROWS = 37, COLUMNS = 29, N = ROWS * COLUMNS };
static const int64_t shape[] = {ROWS, COLUMNS};

static heddle_array *numbers(double scale)
{
    double data[N];
    for (int i = 0; i < N; i++) data[i] = scale * (i % 101 - 50);
    return heddle_asarray(data, HEDDLE_FLOAT64, 2, shape);
}

static void test_elementwise(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(1), *b = numbers(0.5);
    heddle_array *c = heddle_add(heddle_multiply(a, b), a);
    double out[N];
    CHECK_EQ(heddle_read(c, out, sizeof out), HEDDLE_OK);
    for (int i = 0; i < N; i++) {
        const double x = i % 101 - 50;
        CHECK_NUM(out[i], x * (0.5 * x) + x);
    }
    CHECK(heddle_is_evaluated(c));
    /* Of what was computed, and of what is being computed. */
    heddle_array *d = heddle_subtract(c, b), *e = heddle_add(d, d);
    CHECK_EQ(heddle_eval(d), HEDDLE_OK);
    CHECK_EQ(heddle_read(e, out, sizeof out), HEDDLE_OK);
    for (int i = 0; i < N; i++) {
        const double x = i % 101 - 50;
        CHECK_NUM(out[i], 2 * (x * (0.5 * x) + x - 0.5 * x));
    }
    heddle_scope_close(scope);
}

static void test_reductions(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(1);
    heddle_array *sum = heddle_sum(a), *rows = heddle_sum(a, .axis = 1);
    heddle_array *columns = heddle_max(a, .axis = 0);
    heddle_array *all[] = {sum, rows, columns};
    CHECK_EQ(heddle_eval_all(3, all), HEDDLE_OK);
    double total = 0, got, out[ROWS], most[COLUMNS];
    for (int i = 0; i < N; i++) total += i % 101 - 50;
    CHECK_EQ(heddle_read(sum, &got, sizeof got), HEDDLE_OK);
    CHECK_NUM(got, total);
    CHECK_EQ(heddle_read(rows, out, sizeof out), HEDDLE_OK);
    CHECK_EQ(heddle_read(columns, most, sizeof most), HEDDLE_OK);
    for (int i = 0; i < ROWS; i++) {
        double want = 0;
        for (int j = 0; j < COLUMNS; j++) want += (i * COLUMNS + j) % 101 - 50;
        CHECK_NUM(out[i], want);
    }
    for (int j = 0; j < COLUMNS; j++) {
        double want = -1e9;
        for (int i = 0; i < ROWS; i++) want = fmax(want, (i * COLUMNS + j) % 101 - 50);
        CHECK_NUM(most[j], want);
    }
    /* A scalar result used with its own input. */
    heddle_array *scaled = heddle_subtract(a, sum);
    double whole[N];
    CHECK_EQ(heddle_read(scaled, whole, sizeof whole), HEDDLE_OK);
    for (int i = 0; i < N; i++) CHECK_NUM(whole[i], i % 101 - 50 - total);
    heddle_scope_close(scope);
}

/* Arrays asked for together: some twice, some that others are made of, before and after these. */
static void test_together(void)
{
    heddle_scope scope = heddle_scope_open();
    double out[N];
    heddle_array *a = numbers(1), *b = heddle_add(a, a), *c = heddle_multiply(b, b);
    heddle_array *d = heddle_subtract(c, b), *all[] = {c, b, c, d, a, b, d};
    const int n = 7;
    CHECK_EQ(heddle_eval_all(n, all), HEDDLE_OK);
    for (int k = 0; k < n; k++) {
        CHECK(heddle_is_evaluated(all[k]));
        CHECK_EQ(heddle_read(all[k], out, sizeof out), HEDDLE_OK);
        for (int i = 0; i < N; i++) {
            const double x = i % 101 - 50;
            CHECK_NUM(out[i], all[k] == a   ? x
                              : all[k] == b ? 2 * x
                              : all[k] == c ? 4 * x * x
                                            : 4 * x * x - 2 * x);
        }
    }
    heddle_scope_close(scope);
}

static void test_matmul_and_shapes(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(1), *t = heddle_matrix_transpose(a);
    heddle_array *p = heddle_matmul(t, a);
    double out[COLUMNS * COLUMNS];
    CHECK_EQ(heddle_read(p, out, sizeof out), HEDDLE_OK);
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double want = 0;
            for (int k = 0; k < ROWS; k++)
                want += ((k * COLUMNS + i) % 101 - 50) * (double)((k * COLUMNS + j) % 101 - 50);
            CHECK_NUM(out[i * COLUMNS + j], want);
        }
    const int64_t flat[] = {N};
    heddle_array *r = heddle_reshape(heddle_negative(a), 1, flat);
    heddle_array *both[] = {r, heddle_negative(a)};
    double whole[N];
    CHECK_EQ(heddle_eval_all(2, both), HEDDLE_OK);
    CHECK_EQ(heddle_read(r, whole, sizeof whole), HEDDLE_OK);
    for (int i = 0; i < N; i++) CHECK_NUM(whole[i], 50 - i % 101);
    heddle_array *back = heddle_add(heddle_reshape(r, 2, shape), a);
    CHECK_EQ(heddle_read(back, whole, sizeof whole), HEDDLE_OK);
    for (int i = 0; i < N; i++) CHECK_NUM(whole[i], 0);
    heddle_scope_close(scope);
}

static void test_arguments(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(1);
    double out[N];
    out[0] = 7;
    CHECK_EQ(heddle_read(a, out, sizeof out - 8), HEDDLE_EARG);
    CHECK_NUM(out[0], 7);
    CHECK_EQ(heddle_read(a, NULL, sizeof out), HEDDLE_EARG);
    CHECK_EQ(heddle_read(NULL, out, sizeof out), HEDDLE_EARG);
    CHECK_EQ(heddle_eval(NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_eval_all(0, NULL), HEDDLE_OK);
    CHECK_EQ(heddle_eval_all(-1, NULL), HEDDLE_EARG);
    const int64_t other[] = {ROWS};
    heddle_array *bad = heddle_add(a, heddle_ones(1, other));
    CHECK_EQ(heddle_eval(bad), HEDDLE_ESHAPE);
    CHECK_EQ(heddle_read(bad, out, sizeof out), HEDDLE_ESHAPE);
    CHECK(heddle_error(bad)[0]);
    heddle_array *good = heddle_negative(a);
    heddle_array *mixed[] = {good, bad, good};
    CHECK_EQ(heddle_eval_all(3, mixed), HEDDLE_ESHAPE);
    CHECK(heddle_is_evaluated(good));
    CHECK_EQ(heddle_read(good, out, sizeof out), HEDDLE_OK);
    const int64_t none[] = {0, 5};
    heddle_array *empty = heddle_add(heddle_ones(2, none), a = heddle_ones(1, none + 1));
    CHECK_EQ(heddle_read(empty, NULL, 0), HEDDLE_OK);
    heddle_scope_close(scope);
}

/* Far more tasks than may be in flight, each on what the one before made. */
static void test_chain(void)
{
    heddle_array *a = numbers(1);
    for (int i = 0; i < 200; i++) {
        heddle_array *one = heddle_scalar(1), *next = heddle_add(a, one);
        CHECK_EQ(heddle_eval(next), HEDDLE_OK);
        heddle_release(a);
        heddle_release(one);
        a = next;
    }
    double out[N];
    CHECK_EQ(heddle_read(a, out, sizeof out), HEDDLE_OK);
    for (int i = 0; i < N; i++) CHECK_NUM(out[i], i % 101 - 50 + 200);
    heddle_release(a);
}

/* The plans of a loop are made once, whatever their hashes are. */
static void test_loop(void)
{
    enum { PLANS = 24 };
    struct heddle_statistics statistics;
    for (int round = 0; round < 3; round++) {
        heddle_statistics_reset();
        for (int i = 0; i < PLANS; i++) {
            heddle_scope scope = heddle_scope_open();
            heddle_array *a = numbers(1);
            for (int k = 0; k <= i; k++) a = heddle_add(a, heddle_scalar(1.0));
            CHECK_EQ(heddle_wait(a), HEDDLE_OK);
            heddle_scope_close(scope);
        }
        heddle_statistics_get(&statistics);
        if (round > 0) CHECK_EQ(statistics.plans_made, 0);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_EQ(heddle_configure(&ways[i]), HEDDLE_OK);
        test_elementwise();
        test_reductions();
        test_together();
        test_matmul_and_shapes();
        test_arguments();
        test_chain();
        test_loop();
        check_nothing_left();
    }
    return check_done();
}
