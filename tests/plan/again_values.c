/* What is computed again where it is read, not stored: steps of a stencil on one another, what several columns of a stack share; and what
 * all elements of a short row share. Values are compared with what C computes, exactly: all are small integers, or are computed in the
 * same order. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "check_heddle.h"
#include "exact_values.h"
#include "machine/machine.h"

#include <heddle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number(int64_t i)
{
    return (double)(i * 7919 % 251 - 100);
}

/* An array of number(0..), of a dtype. */
static heddle_array *numbers(enum heddle_dtype dtype, int64_t n, int ndim, const int64_t *shape)
{
    double *data = malloc((size_t)n * sizeof *data + 8);
    for (int64_t i = 0; i < n; i++) data[i] = number(i) + (dtype == HEDDLE_UINT8 ? 100 : 0);
    heddle_array *a = heddle_astype(heddle_asarray(data, HEDDLE_FLOAT64, ndim, shape), dtype);
    CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    free(data);
    return a;
}

static void check_is_one_program(const char *text, heddle_array *y)
{
    char *plan = NULL;
    CHECK_EQ(heddle_explain(y, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    CHECK(plan && !strstr(plan, ": temporary"), "%s: %s", text, plan);
    heddle_free(plan);
}

/* `steps` times v[1:] * 3 - v[:-1]. */
static void check_steps(int64_t n, int steps, bool is_one)
{
    char text[256] = "";
    for (int k = 0; k + 1 < steps; k++) strcat(text, "v = v[1:] * 3 - v[:-1]; ");
    strcat(text, "v[1:] * 3 - v[:-1]");
    double *expected = malloc((size_t)n * sizeof *expected);
    for (int64_t i = 0; i < n; i++) expected[i] = number(i);
    for (int k = 0; k < steps; k++)
        for (int64_t i = 0; i + 1 < n - k; i++) expected[i] = expected[i + 1] * 3 - expected[i];
    heddle_array *v = numbers(HEDDLE_FLOAT64, n, 1, &n);
    heddle_array *y = heddle_expr(text, HEDDLE_BIND_ALL({"v", v}));
    if (is_one) check_is_one_program(text, y);
    check_values(text, y, expected, n - steps);
    free(expected);
}

/* Twice the sum of the four neighbours less twice the element, in the plane. */
static void check_plane(int64_t n, int64_t m)
{
    static const char step[] =
        "u = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 2 * u[1:-1, 1:-1]; ";
    char text[256];
    snprintf(text, sizeof text, "%s%su + 0", step, step);
    double *u = malloc((size_t)(n * m) * sizeof *u);
    for (int64_t i = 0; i < n * m; i++) u[i] = number(i);
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < n - 2 - 2 * k; i++)
            for (int64_t j = 0; j < m - 2 - 2 * k; j++) {
                const double *at = u + (i + 1) * m + j + 1;
                u[i * m + j] = at[m] + at[-m] + at[1] + at[-1] - 2 * at[0];
            }
    for (int64_t i = 0; i < n - 4; i++)
        memmove(u + i * (m - 4), u + i * m, (size_t)(m - 4) * sizeof *u);
    heddle_array *y = heddle_expr(
        text, HEDDLE_BIND_ALL({"u", numbers(HEDDLE_FLOAT64, n * m, HEDDLE_SHAPE(n, m))}));
    check_values(text, y, u, (n - 4) * (m - 4));
    free(u);
}

/* Columns p, q, p * q, p - q, ... of what is computed once for all. */
static void check_columns(enum heddle_dtype dtype, int columns, int64_t n, const char *after)
{
    static const char *const names[] = {"p",     "q",     "p * q", "p - q", "q * q", "-p",
                                        "p + q", "q - 1", "p * p", "q + 2", "p - 3"};
    char text[512];
    int at = snprintf(text, sizeof text, "p = a * a - 3 * b; q = b * b + a; stack((");
    for (int k = 0; k < columns; k++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", k > 0 ? ", " : "", names[k]);
    snprintf(text + at, sizeof text - (size_t)at, "), axis=1)%s", after);
    double *expected = malloc((size_t)(n * columns) * sizeof *expected);
    for (int64_t i = 0; i < n; i++) {
        const double a = number(i) + (dtype == HEDDLE_UINT8 ? 100 : 0), b = a;
        const double p = a * a - 3 * b, q = b * b + a;
        const double of[] = {p, q, p * q, p - q, q * q, -p, p + q, q - 1, p * p, q + 2, p - 3};
        for (int k = 0; k < columns; k++) {
            double x = of[k];
            if (*after) x = x * 2 + 1;
            if (dtype == HEDDLE_UINT8) x = x - 256 * floor(x / 256);
            if (dtype == HEDDLE_FLOAT32) x = (double)(float)x;
            expected[i * columns + k] = x;
        }
    }
    heddle_array *a = numbers(dtype, n, 1, &n);
    heddle_array *y = heddle_expr(text, HEDDLE_BIND_ALL({"a", a}, {"b", heddle_positive(a)}));
    check_is_one_program(text, y);
    check_values(text, y, expected, n * columns);
    free(expected);
}

/* Rows of a few elements, each times what takes long to compute of the row. */
static void check_rows(int64_t n, int64_t m)
{
    static const char text[] =
        "c = a[:, None]; x * ((c * 3 + 1) / (c * c + 2) - c * 0.5 + (c - 1) / (c * c + 5)) + c";
    double *expected = malloc((size_t)(n * m) * sizeof *expected + 8);
    for (int64_t i = 0; i < n * m; i++) {
        const double c = number(i / m);
        expected[i] = number(i) * ((c * 3 + 1) / (c * c + 2) - c * 0.5 + (c - 1) / (c * c + 5)) + c;
    }
    heddle_array *y = heddle_expr(
        text, HEDDLE_BIND_ALL({"a", numbers(HEDDLE_FLOAT64, n, 1, &n)},
                              {"x", numbers(HEDDLE_FLOAT64, n * m, HEDDLE_SHAPE(n, m))}));
    check_values(text, y, expected, n * m);
    free(expected);
}

/* Rows of bytes taken by two computed indices each. */
static void check_taken_rows(int64_t n, int64_t m)
{
    char text[256];
    snprintf(text, sizeof text,
             "i = arange(%lld); r = clip((3 * i[:, None] + i[None, :]) // 4, 0, %lld); "
             "c = clip((3 * i[None, :] - i[:, None]) // 2, 0, %lld); x[r, c]",
             (long long)n, (long long)n - 1, (long long)n - 1);
    double *expected = malloc((size_t)(n * n * m) * sizeof *expected + 8);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < m; k++) {
                const int64_t r = (3 * i + j) / 4, at = 3 * j - i, half = at >= 0 ? at / 2 : 0;
                const int64_t from = (r * n + (half < n ? half : n - 1)) * m + k;
                expected[(i * n + j) * m + k] = number(from) + 100;
            }
    heddle_array *x = numbers(HEDDLE_UINT8, n * n * m, HEDDLE_SHAPE(n, n, m));
    check_values(text, heddle_expr(text, HEDDLE_BIND_ALL({"x", x})), expected, n * n * m);
    free(expected);
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1}), HEDDLE_OK);
    static const int64_t lengths[] = {1, 31, 33, 1000, 50021};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        heddle_scope scope = heddle_scope_open();
        const int64_t n = lengths[k];
        static const int columns[] = {2, 3, 5, 6, 7, 9, 11};
        for (int steps = 2; steps <= 7; steps++) check_steps(n + steps, steps, steps <= 3);
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            check_columns(HEDDLE_FLOAT32, columns[c], n, "");
            check_columns(HEDDLE_UINT8, columns[c], n, "");
            check_columns(HEDDLE_INT32, columns[c], n, "");
            check_columns(HEDDLE_FLOAT64, columns[c] < 8 ? columns[c] : 8, n, " * 2 + 1");
        }
        for (int64_t m = 2; m <= 8; m++) check_rows(n, m);
        heddle_scope_close(scope);
    }
    heddle_scope scope = heddle_scope_open();
    check_plane(5, 5);
    check_plane(37, 1000);
    check_plane(600, 33);
    for (int64_t m = 1; m <= 7; m++) check_taken_rows(41, m);
    heddle_scope_close(scope);
    check_nothing_left();
    return check_done();
}
