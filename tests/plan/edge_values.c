/* Reductions of slices, neighbours and rows whose parts end elsewhere than chunks do: what lies on both sides of an end is
 * brought together, and no more. Values are whole numbers, so sums are exact. Skipped (77) where the devices that
 * HEDDLE_DEVICES names are not there. */
#include "check_heddle.h"
#include "exact_values.h"
#include "machine/machine.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1201, COLUMNS = 2803, N = ROWS * COLUMNS };
static double lines[N];

static double line(int64_t i)
{
    return lines[i];
}
static double other(int64_t i)
{
    return (double)(i % 13) - 6;
}
#define LINE "(arange(3366403) * 7919 % 10007 - 5000.0)"
#define OTHER "(arange(3366403) % 13 - 6.0)"

/* Element (r, c) of what is reduced. */
static double after_first(int64_t r, int64_t c)
{
    return line(r * 0 + c + 1);
}
static double before_last(int64_t r, int64_t c)
{
    return line(r * 0 + c);
}
static double inside(int64_t r, int64_t c)
{
    return line(r * 0 + c + 70000);
}
static double steps(int64_t r, int64_t c)
{
    return line(r * 0 + c + 1) - line(c);
}
static double three(int64_t r, int64_t c)
{
    return line(r * 0 + c) - 2 * line(c + 1) + line(c + 2);
}
static double of_two(int64_t r, int64_t c)
{
    return line(r * 0 + c + 3) * other(c);
}
static double backwards(int64_t r, int64_t c)
{
    return line(r * 0 + N - 4 - c);
}
static double odd(int64_t r, int64_t c)
{
    return line(r * 0 + 2 * c + 1);
}
static double grid(int64_t r, int64_t c)
{
    return line(r * COLUMNS + c);
}
static double inner(int64_t r, int64_t c)
{
    return grid(r + 1, c + 1);
}
static double down(int64_t r, int64_t c)
{
    return grid(r + 1, c) - grid(r, c);
}
static double corner(int64_t r, int64_t c)
{
    return grid(r + 1, c + 1) + grid(r, c);
}
static double far_off(int64_t r, int64_t c)
{
    return grid(r + 500, c);
}
static double turned(int64_t r, int64_t c)
{
    return grid(ROWS - 1 - 2 * r, c);
}
static double weighted(int64_t r, int64_t c)
{
    return grid(r + 1, c) * (double)(c % 5);
}

static const struct {
    const char *text;
    double (*element)(int64_t, int64_t);
    int64_t rows, columns; /* of what is reduced */
} cases[] = {
    {"l[1:]", after_first, 1, N - 1},
    {"l[:-1]", before_last, 1, N - 1},
    {"l[70000:-70001]", inside, 1, N - 140001},
    {"l[1:] - l[:-1]", steps, 1, N - 1},
    {"l[:-2] - 2 * l[1:-1] + l[2:]", three, 1, N - 2},
    {"l[3:] * k[:-3]", of_two, 1, N - 3},
    {"l[:-3][::-1]", backwards, 1, N - 3},
    {"l[1::2]", odd, 1, N / 2},
    {"x[1:-1, 1:-1]", inner, ROWS - 2, COLUMNS - 2},
    {"x[1:] - x[:-1]", down, ROWS - 1, COLUMNS},
    {"x[1:, 1:] + x[:-1, :-1]", corner, ROWS - 1, COLUMNS - 1},
    {"x[500:]", far_off, ROWS - 500, COLUMNS},
    {"x[::-2]", turned, ROWS / 2 + 1, COLUMNS},
    {"x[1:] * (arange(2803) % 5)", weighted, ROWS - 1, COLUMNS},
    {"reshape(l, (1201, 2803))", grid, ROWS, COLUMNS},
};

/* Sums and maxima over the rows, the columns and all, and where the largest is. */
static void test_case(size_t k, const struct heddle_binding inputs[3])
{
    heddle_scope scope = heddle_scope_open();
    const int64_t rows = cases[k].rows, columns = cases[k].columns;
    double *down_sum = calloc((size_t)columns, 8), *down_most = malloc((size_t)columns * 8),
           *across_sum = calloc((size_t)rows, 8), all = 0, most = -INFINITY, place = 0;
    for (int64_t c = 0; c < columns; c++) down_most[c] = -INFINITY;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) {
            const double v = cases[k].element(r, c);
            down_sum[c] += v;
            across_sum[r] += v;
            all += v;
            if (v > down_most[c]) down_most[c] = v;
            if (v > most) most = v, place = (double)(r * columns + c);
        }
    heddle_array *a = heddle_expr(cases[k].text, 3, inputs);
    check_values(cases[k].text, heddle_sum(a), &all, 1);
    check_values(cases[k].text, heddle_argmax(a), &place, 1);
    heddle_array *both =
        heddle_subtract(heddle_sum(a), heddle_max(a)); /* a reduction and an epilogue */
    const double difference = all - most;
    check_values(cases[k].text, both, &difference, 1);
    if (heddle_ndim(a) == 2) {
        check_values(cases[k].text, heddle_sum(a, .axis = 0), down_sum, columns);
        check_values(cases[k].text, heddle_max(a, .axis = 0), down_most, columns);
        check_values(cases[k].text, heddle_sum(a, .axis = 1), across_sum, rows);
    }
    free(down_sum);
    free(down_most);
    free(across_sum);
    heddle_scope_close(scope);
}

static void test_plan(const struct heddle_binding inputs[3])
{
    static const char *const texts[] = {"sum(l[1:])",         "sum((l[1:] - l[:-1])**2)",
                                        "max(x[1:-1, 1:-1])", "sum(x[1:] - x[:-1], axis=1)",
                                        "sum(x.ravel())",     "var(l[1:])"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char *plan = NULL;
        CHECK_EQ(heddle_explain(heddle_expr(texts[k], 3, inputs), HEDDLE_EXPLAIN_PLAN, &plan),
                 HEDDLE_OK);
        CHECK(plan && strstr(plan, " parts (") && !strstr(plan, ": collect"), "%s: %s", texts[k],
              plan);
        if (strstr(texts[k],
                   "axis=1")) /* the second task of a part keeps what the first has written */
            CHECK(plan && strstr(plan, " updates r0["), "%s", plan);
        heddle_free(plan);
    }
}

/* Parts of `part_bytes` at most. */
static void test_parts(int64_t part_bytes)
{
    CHECK_EQ(
        machine_configure(&(struct heddle_config){.part_bytes = part_bytes, .inline_bytes = -1}),
        HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *l = heddle_expr(LINE, HEDDLE_NO_BINDINGS),
                 *k = heddle_expr(OTHER, HEDDLE_NO_BINDINGS),
                 *x = heddle_reshape(heddle_expr(LINE, HEDDLE_NO_BINDINGS),
                                     HEDDLE_SHAPE(ROWS, COLUMNS));
    CHECK_EQ(heddle_eval_all(3, (heddle_array *[]){l, k, x}), HEDDLE_OK);
    const struct heddle_binding inputs[3] = {{"l", l}, {"k", k}, {"x", x}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) test_case(i, inputs);
    if (part_bytes == 1 << 24) test_plan(inputs);
    heddle_scope_close(scope);
    check_nothing_left();
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    for (int64_t i = 0; i < N; i++) lines[i] = (double)(i * 7919 % 10007) - 5000;
    test_parts(1 << 24);
    test_parts(1 << 21);
    test_parts(5 << 20);
    return check_done();
}
