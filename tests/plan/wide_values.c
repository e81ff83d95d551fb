/* Arrays of few long rows, and of few planes, which are cut along their second axis on several GPUs: reductions, sums along rows and
 * over them, products, selections, other shapes, against values that are found element by element. All are whole numbers. Skipped
 * (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "check_heddle.h"
#include "exact_values.h"
#include "machine/machine.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, COLUMNS = 600001, PLANES = 3, LINES = 257, WIDTH = 129 };

static double x(int64_t i, int64_t j)
{
    return (double)((i * COLUMNS + j) * 7 % 1009 - 500);
}

static double p(int64_t i, int64_t j, int64_t k)
{
    return (double)(((i * LINES + j) * WIDTH + k) % 211 - 100);
}

static double *expected;

static void check(const char *text, const char *name, heddle_array *a, int64_t n)
{
    heddle_array *y = heddle_expr(text, HEDDLE_BIND_ALL({name, a}));
    check_values(text, y, expected, n);
    memset(expected, 0, 2 * ROWS * COLUMNS * sizeof *expected);
}

#define FOR_ALL(i, n, value)                                                                       \
    for (int64_t i = 0; i < (n); i++) expected[i] = (value)

static void test_rows(heddle_array *a)
{
    const int64_t n = (int64_t)ROWS * COLUMNS;
    FOR_ALL(j, COLUMNS, x(0, j) + x(1, j) + x(2, j));
    check("sum(x, axis=0)", "x", a, COLUMNS);
    for (int64_t i = 0; i < n; i++) expected[i / COLUMNS] += x(i / COLUMNS, i % COLUMNS);
    check("sum(x, axis=1)", "x", a, ROWS);
    for (int64_t i = 0; i < n; i++)
        expected[i] = (i % COLUMNS ? expected[i - 1] : 0) + x(i / COLUMNS, i % COLUMNS);
    check("cumsum(x, axis=1)", "x", a, n);
    FOR_ALL(i, n, x(i / COLUMNS, COLUMNS - 1 - i % COLUMNS) - x(i / COLUMNS, i % COLUMNS));
    check("x[:, ::-1] - x", "x", a, n);
    FOR_ALL(i, n, x(i / COLUMNS, i % COLUMNS) * 2);
    check("reshape(x, -1) * 2", "x", a, n);
    for (int64_t j = 0; j < COLUMNS; j++)
        for (int i = 0; i < 2; i++)
            expected[i * COLUMNS + j] = x(i, j) + 2 * x(i + 1, j) - 3 * x((i + 2) % 3, j);
    check("array([[1, 2, -3], [-3, 1, 2.]]) @ x", "x", a, 2 * COLUMNS);
    for (int i = 0; i < 9; i++)
        for (int64_t j = 0; j < COLUMNS; j++) expected[i] += x(i / 3, j) * x(i % 3, j);
    check("x @ x.T", "x", a, 9);
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++)
        if (x(i / COLUMNS, i % COLUMNS) > 400) expected[at++] = x(i / COLUMNS, i % COLUMNS);
    check("x[x > 400]", "x", a, at);
    at = 0;
    for (int64_t i = 0; i < n; i++)
        if (x(0, i % COLUMNS) > 400) expected[at++] = x(i / COLUMNS, i % COLUMNS);
    check("x[:, x[0] > 400]", "x", a, at);
    FOR_ALL(i, ROWS * (COLUMNS / 2), x(i / (COLUMNS / 2), 2 * (i % (COLUMNS / 2)) + 1) + 1);
    check("x[:, 1::2] + 1", "x", a, ROWS * (COLUMNS / 2));
}

static void test_planes(heddle_array *a)
{
    const int64_t plane = (int64_t)LINES * WIDTH;
    FOR_ALL(i, plane, p(0, i / WIDTH, i % WIDTH) - 2 * p(2, i / WIDTH, i % WIDTH));
    check("p[0] - 2 * p[2]", "p", a, plane);
    for (int64_t i = 0; i < PLANES * plane; i++)
        expected[i / plane] += p(i / plane, i % plane / WIDTH, i % WIDTH);
    check("sum(p, axis=(1, 2))", "p", a, PLANES);
    for (int64_t i = 0; i < PLANES * plane; i++)
        expected[i % plane] += p(i / plane, i % plane / WIDTH, i % WIDTH);
    check("sum(p, axis=0)", "p", a, plane);
    FOR_ALL(i, PLANES * plane, p(i % 3, i / 3 / WIDTH, i / 3 % WIDTH));
    check("transpose(p, (1, 2, 0)) * 1", "p", a, PLANES * plane);
}

/* Cut along the second axis, if it is cut. */
static void check_cut(const char *text, const char *parts, const char *name, heddle_array *a)
{
    heddle_array *y = heddle_expr(text, HEDDLE_BIND_ALL({name, a}));
    char *plan = NULL;
    CHECK_EQ(heddle_explain(y, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    const char *at = plan ? strstr(plan, " i0: input") : NULL,
               *places = at ? strstr(at, "gpu:0") : NULL;
    const char *end = at ? strchr(at, '\n') : NULL;
    if (places && places < end && places[5] != '\n')
        CHECK(strstr(at, parts) && strstr(at, parts) < end, "%s: %s", text, plan);
    heddle_free(plan);
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    expected = calloc((size_t)2 * ROWS * COLUMNS, sizeof *expected);
    for (int small = 0; small < 2; small++) {
        CHECK_EQ(machine_configure(&(struct heddle_config){.part_bytes = small ? 300000 : 8 << 20,
                                                           .inline_bytes = -1}),
                 HEDDLE_OK);
        heddle_scope scope = heddle_scope_open();
        heddle_array *a =
            heddle_expr("arange(3)[:, None] * 600001 * 7 + arange(600001) * 7", HEDDLE_NO_BINDINGS);
        a = heddle_expr("x % 1009 - 500.", HEDDLE_BIND_ALL({"x", a}));
        heddle_array *planes = heddle_expr("(arange(3)[:, None, None] * 33153 + arange(257)[:, "
                                           "None] * 129 + arange(129)) % 211 - 100.",
                                           HEDDLE_NO_BINDINGS);
        heddle_array *reshaped = heddle_expr(
            "reshape(arange(3 * 600001) * 7 % 1009 - 500., (3, 600001))", HEDDLE_NO_BINDINGS);
        CHECK_EQ(heddle_wait(a), HEDDLE_OK);
        CHECK_EQ(heddle_wait(planes), HEDDLE_OK);
        CHECK_EQ(heddle_wait(reshaped), HEDDLE_OK);
        if (!small) check_cut("x + 1", " parts (1, ", "x", a);
        if (!small) check_cut("x + 1", " parts (1, ", "x", reshaped);
        if (small) check_cut("p + 1", " parts (1, ", "p", planes);
        test_rows(a);
        test_rows(reshaped);
        test_planes(planes);
        heddle_scope_close(scope);
        heddle_shutdown();
    }
    free(expected);
    check_nothing_left();
    return check_done();
}
