/* Long elementwise work on reductions of short rows, which is part of the reduction's program: it reads several results, elements of the
 * rows themselves, and a number that another reduction makes; and rows of small integers alone. Values are compared with what C computes in the same order, exactly.
 * Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "check_heddle.h"
#include "exact_values.h"
#include "machine/machine.h"

#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double element(int64_t i, int64_t k)
{
    return (double)((i * 3 + k) * 7919 % 251 - 100) / 64;
}

/* How far lines along the rows go until they meet a sphere; 7: they do not. */
static double to_sphere(int64_t i)
{
    static const double o[3] = {0.5, 0.25, -3};
    double a = 0, b = 0, c = o[0] * o[0];
    for (int k = 0; k < 3; k++) {
        const double d = element(i, k), x = d * o[k], y = d * d;
        b = k == 0 ? x : b + x;
        a = k == 0 ? y : a + y;
        if (k > 0) c += o[k] * o[k];
    }
    const double q = b * b - a * (c - 1);
    return q > 0 ? (-b - sqrt(fmax(q, 0))) / a : 7;
}

static double hue(int64_t i)
{
    const double r = element(i, 0), g = element(i, 1), b = element(i, 2);
    const double m = fmax(fmax(r, g), b), d = m - fmin(fmin(r, g), b) + 1;
    return m == r ? (g - b) / d : m == g ? 2 + (b - r) / d : 4 + (r - g) / d;
}

static void check_case(const char *text, double (*of)(int64_t i), heddle_array *x, int64_t n)
{
    heddle_array *o = heddle_expr("array([0.5, 0.25, -3])", HEDDLE_NO_BINDINGS);
    CHECK_EQ(heddle_wait(o), HEDDLE_OK);
    heddle_array *y = heddle_expr(text, HEDDLE_BIND_ALL({"x", x}, {"o", o}));
    double *expected = malloc((size_t)n * sizeof *expected + 8);
    for (int64_t i = 0; i < n; i++) expected[i] = of(i);
    char *plan = NULL;
    CHECK_EQ(heddle_explain(y, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    /* rows are read once; of one row the other sum may come later */
    CHECK(plan && (n == 1 || !strstr(plan, "t3: temporary")), "%s: %s", text, plan);
    check_values(text, y, expected, n);
    heddle_free(plan);
    free(expected);
}

/* Rows of small integers, around the bytes of vectors and of their parts: the largest, the smallest, and whether any or all are true. One
 * element of each row is apart, at another place in each. */
static void check_small_rows(enum heddle_dtype dtype, int64_t length)
{
    enum { ROWS = 150 };
    const bool is_bool = dtype == HEDDLE_BOOL;
    double *data = malloc((size_t)(ROWS * length) * sizeof *data);
    double expected[4][ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t k = 0; k < length; k++)
            data[i * length + k] =
                is_bool ? (double)(i % 2) : (double)((i * 3 + k) * 7919 % 90 + 10);
        const double apart[] = {120, 1};
        data[i * length + i % length] = is_bool ? (double)(i / 2 % 2) : apart[i % 2];
        for (int f = 0; f < 4; f++) expected[f][i] = data[i * length];
        for (int64_t k = 1; k < length; k++) {
            const double v = data[i * length + k];
            expected[0][i] = fmax(expected[0][i], v);
            expected[1][i] = fmin(expected[1][i], v);
        }
        expected[2][i] = expected[0][i] != 0;
        expected[3][i] = expected[1][i] != 0;
    }
    heddle_array *x =
        heddle_astype(heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, length)), dtype);
    CHECK_EQ(heddle_wait(x), HEDDLE_OK);
    static const char *const texts[] = {"max(x, axis=1)", "min(x, axis=1)", "any(x, axis=1)",
                                        "all(x, axis=1)"};
    for (int f = is_bool ? 2 : 0; f < 4; f++)
        check_values(texts[f], heddle_expr(texts[f], HEDDLE_BIND_ALL({"x", x})), expected[f], ROWS);
    free(data);
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1}), HEDDLE_OK);
    static const int64_t lengths[] = {1, 7, 1000, 50021};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        heddle_scope scope = heddle_scope_open();
        const int64_t n = lengths[k];
        double *data = malloc((size_t)n * 3 * sizeof *data);
        for (int64_t i = 0; i < 3 * n; i++) data[i] = element(i / 3, i % 3);
        heddle_array *x = heddle_positive(heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(n, 3)));
        CHECK_EQ(heddle_wait(x), HEDDLE_OK);
        check_case("b = sum(x * o, axis=1); a = sum(x * x, axis=1); c = sum(o * o) - 1; q = b * b "
                   "- a * c; "
                   "where(q > 0, (-b - sqrt(maximum(q, 0))) / a, 7)",
                   to_sphere, x, n);
        check_case("r = x[:, 0]; g = x[:, 1]; b = x[:, 2]; m = max(x, axis=1); d = m - min(x, "
                   "axis=1) + 1; "
                   "where(m == r, (g - b) / d, where(m == g, 2 + (b - r) / d, 4 + (r - g) / d))",
                   hue, x, n);
        heddle_scope_close(scope);
        free(data);
    }
    static const enum heddle_dtype small[] = {HEDDLE_BOOL, HEDDLE_INT8, HEDDLE_UINT8, HEDDLE_INT16,
                                              HEDDLE_UINT16};
    for (size_t d = 0; d < sizeof small / sizeof *small; d++)
        for (int64_t length = 15; length <= 66; length++) {
            heddle_scope scope = heddle_scope_open();
            check_small_rows(small[d], length);
            heddle_scope_close(scope);
        }
    check_nothing_left();
    return check_done();
}
