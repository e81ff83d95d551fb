/* Elements by a mask that several GPUs have in parts: each selects its own, and the result lies where they were. Skipped (77)
 * where the devices that HEDDLE_DEVICES names are not there. */
#include "check_heddle.h"
#include "exact_values.h"
#include "machine/machine.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1201, COLUMNS = 701, N = ROWS * COLUMNS };

static double element(int64_t i)
{
    return (double)(i * 7919 % 10007) - 5000;
}
#define ELEMENTS "(arange(841901) * 7919 % 10007 - 5000.0)"

/* Masks of elements and of rows; some parts have nothing that they select. */
static bool over(int64_t i)
{
    return element(i) > 4000;
}
static bool none(int64_t i)
{
    return element(i) > 6000;
}
static bool all(int64_t i)
{
    return element(i) > -6000;
}
static bool first(int64_t i)
{
    return i < 3;
}
static bool last(int64_t i)
{
    return i >= N - 2;
}
static bool both_ends(int64_t i)
{
    return i < 5 || i > N - 9;
}
static bool rows(int64_t i)
{
    return i / COLUMNS % 3 == 1;
}
static bool few_rows(int64_t i)
{
    return i / COLUMNS > 1190;
}

static const struct {
    const char *text;         /* of the mask */
    bool (*selects)(int64_t); /* of elements, or the element's row */
    bool of_rows;
} masks[] = {
    {"e > 4000", over, false},
    {"e > 6000", none, false},
    {"e > -6000", all, false},
    {"arange(841901) < 3", first, false},
    {"arange(841901) >= 841899", last, false},
    {"i = arange(841901); (i < 5) | (i > 841892)", both_ends, false},
    {"arange(1201) % 3 == 1", rows, true},
    {"arange(1201) > 1190", few_rows, true},
    {"reshape(e, (1201, 701))[:, 0] * 0 + arange(1201) > 1190", few_rows, true},
};

/* `data` of the elements, in one axis or in rows, evaluated; so the mask may be. */
static void test_mask(size_t k, heddle_array *e, enum heddle_dtype dtype, bool evaluated)
{
    heddle_scope scope = heddle_scope_open();
    char name[256];
    double *expected = malloc(N * sizeof *expected), *positions = malloc(N * sizeof *positions);
    int64_t n = 0, n_positions = 0;
    for (int64_t i = 0; i < N; i++) {
        if (!masks[k].selects(i)) continue;
        if (!masks[k].of_rows || i % COLUMNS == 0)
            positions[n_positions++] = (double)(masks[k].of_rows ? i / COLUMNS : i);
        expected[n++] = element(i);
    }
    heddle_array *x = heddle_astype(e, dtype);
    if (masks[k].of_rows) x = heddle_reshape(x, HEDDLE_SHAPE(ROWS, COLUMNS));
    if (evaluated) CHECK_EQ(heddle_wait(x), HEDDLE_OK);
    heddle_array *mask = heddle_expr(masks[k].text, HEDDLE_BIND("e", e));
    heddle_array *selected = heddle_getitem(x, HEDDLE_INDEX(HEDDLE_BY(mask)));
    snprintf(name, sizeof name, "%s, %s%s", masks[k].text, heddle_dtype_name(dtype),
             evaluated ? ", evaluated" : "");
    check_values(name, heddle_real(selected), expected, n);
    check_values(name, heddle_flatnonzero(mask), positions, n_positions);
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += expected[i];
    check_values(name,
                 heddle_sum(heddle_real(heddle_getitem(x, HEDDLE_INDEX(HEDDLE_BY(mask)))),
                            .dtype = HEDDLE_FLOAT64),
                 &sum, 1);
    free(positions);
    free(expected);
    heddle_scope_close(scope);
}

/* Updates of what a mask selects by itself and by other data that it selects. */
static void test_update(size_t k, heddle_array *e)
{
    heddle_scope scope = heddle_scope_open();
    double *expected = malloc(N * sizeof *expected);
    for (int64_t i = 0; i < N; i++) {
        const double first = element(i / COLUMNS * COLUMNS);
        expected[i] = element(i);
        if (masks[k].selects(i))
            expected[i] = masks[k].of_rows ? 3 * element(i) - first : 3 * element(i) - 5;
    }
    heddle_array *x = e, *mask = heddle_expr(masks[k].text, HEDDLE_BIND("e", e));
    if (masks[k].of_rows) x = heddle_reshape(x, HEDDLE_SHAPE(ROWS, COLUMNS));
    heddle_array *updated =
        heddle_expr(masks[k].of_rows ? "x = x * 1; x[m] = x[m] * 3 - x[:, 0][m][:, None]; x"
                                     : "x = x * 1; x[m] = x[m] + 2 * x[m]; x[m] -= 5; x",
                    HEDDLE_BIND_ALL({"x", x}, {"m", mask}));
    check_values(masks[k].text, updated, expected, N);
    free(expected);
    heddle_scope_close(scope);
}

static char *plan_of(const char *text, heddle_array *e)
{
    char *plan = NULL;
    CHECK_EQ(heddle_explain(heddle_expr(text, HEDDLE_BIND("e", e)), HEDDLE_EXPLAIN_PLAN, &plan),
             HEDDLE_OK);
    return plan;
}

/* Where two GPUs and more have parts, nothing is copied to one of them. */
static void test_plan(heddle_array *e)
{
    char *there = plan_of("e + 1", e), *plan = plan_of("e[e > 0]", e);
    if (there && strstr(there, "gpu:1"))
        CHECK(plan && !strstr(plan, "collect") && strstr(strstr(plan, "r0: result"), " parts ("),
              "%s", plan);
    heddle_free(there);
    heddle_free(plan);
}

/* Where a good part is selected, what is computed of it is computed of all, in one pass; else what is selected is written. */
static void test_update_plans(heddle_array *e)
{
    static const struct {
        const char *text;
        bool is_choice;
    } cases[] = {
        {"m = e > 0; x = e; x[m] *= 2; x", true},
        {"m = e > 0; x = e; x[m] = sqrt(e[m]) + x[m] / e[m]; x", true},
        {"m = e > 0; x = e; x[m] = x[m] - mean(x[m]); x", true},
        {"m = e > 4990; x = e; x[m] *= 2; x", false},                         /* few */
        {"m = e > 4000; x = e; x[m] = exp(sin(x[m]) * cos(x[m])); x", false}, /* costly */
        {"m = e > 0; x = e; x[m] = x[m][::-1]; x", false},                    /* in another order */
        {"m = e > 0; x = e; x[m] = x[m] + arange(x[m].size); x", false},      /* other data */
        {"m = e > 0; x = e; x[m] *= e[e > 0]; x", false},                     /* another mask */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *plan = plan_of(cases[k].text, e);
        CHECK(plan && !strstr(plan, ": scatter") == cases[k].is_choice, "%s: %s", cases[k].text,
              plan);
        heddle_free(plan);
    }
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    CHECK_EQ(machine_configure(&(struct heddle_config){.part_bytes = 1 << 20, .inline_bytes = -1}),
             HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *e = heddle_expr(ELEMENTS, HEDDLE_NO_BINDINGS);
    CHECK_EQ(heddle_wait(e), HEDDLE_OK);
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64, HEDDLE_INT16, HEDDLE_FLOAT32,
                                               HEDDLE_COMPLEX128};
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (int evaluated = 0; evaluated < 2; evaluated++)
                test_mask(k, e, dtypes[d], evaluated);
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) test_update(k, e);
    test_plan(e);
    test_update_plans(e);
    heddle_scope_close(scope);
    check_nothing_left();
    return check_done();
}
