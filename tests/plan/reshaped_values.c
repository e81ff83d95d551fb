/* What is computed in parts and read under another shape: parts are whole rows of that, so nothing is copied into one place. What
 * is evaluated is read where it is, but for the few rows that are in several parts.
 * Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "check_heddle.h"
#include "exact_values.h"
#include "machine/machine.h"

#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 720720 /* 2^4 3^2 5 7 11 13 */ };

CHECK_ORACLE static double element(int64_t i)
{
    return (double)(i % 1009) - 0.5 * (double)(i % 3);
}
#define ELEMENTS "(arange(720720) % 1009 - 0.5 * (arange(720720) % 3))"

static const struct {
    int ndim;
    int64_t shape[3];
} shapes[] = {
    {2, {720, 1001}},    {2, {1001, 720}},    {2, {5, 144144}}, {2, {13, 55440}},
    {2, {1, 720720}},    {2, {2, 360360}},    {2, {720720, 1}}, {3, {8, 90, 1001}},
    {3, {3, 1, 240240}}, {3, {1, 1040, 693}},
};

/* What the elements, reversed rows, and sums over the first and the last axis are. */
CHECK_ORACLE static void expect(double *expected, int kind, int64_t row, int64_t n)
{
    const int64_t rows = N / row;
    if (kind >= 2) memset(expected, 0, N * sizeof *expected);
    for (int64_t r = 0, i = 0; r < rows; r++)
        for (int64_t j = 0; j < row; j++, i++)
            if (kind == 2)
                expected[j] += element(i);
            else if (kind == 3)
                expected[i / n] += element(i);
            else
                expected[i] = element(kind == 0 ? i : (rows - 1 - r) * row + j);
}

/* All of these are exact. */
static void check_all(const char *name, heddle_array *r)
{
    const int last = heddle_ndim(r) - 1;
    const int64_t row = N / heddle_shape(r)[0], n = heddle_shape(r)[last];
    double *expected = malloc(N * sizeof *expected);
    expect(expected, 0, row, n);
    check_values(name, heddle_positive(r), expected, N);
    expect(expected, 1, row, n);
    check_values(name, heddle_getitem(r, HEDDLE_INDEX(HEDDLE_STEP(-1))), expected, N);
    expect(expected, 2, row, n);
    check_values(name, heddle_sum(r, .axis = 0), expected, row);
    expect(expected, 3, row, n);
    check_values(name, heddle_sum(r, .axis = last), expected, N / n);
    free(expected);
}

static char *plan_of(heddle_array *a)
{
    char *plan = NULL;
    CHECK_EQ(heddle_explain(a, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    return plan;
}

static bool is_over_gpus(heddle_array *a)
{
    char *plan = plan_of(a);
    const char *result = plan ? strstr(plan, "r0: result") : NULL, *end = result;
    const char *at = result ? strstr(result, "gpu:0") : NULL;
    if (result) end = strchr(result, '\n');
    const bool is = at && end && at < end && at[5] != '\n';
    heddle_free(plan);
    return is;
}

/* The result is in parts, and nothing is brought together for it. */
static void check_parts(const char *name, heddle_array *a)
{
    char *plan = plan_of(a);
    CHECK(plan && strstr(plan, " parts ("), "%s: %s", name, plan);
    CHECK(plan && !strstr(plan, ": collect"), "%s: %s", name, plan);
    heddle_free(plan);
}

/* Evaluated data are read where they are, and no more than a few rows of them are moved: all are read once, and at most once
 * more by the reductions' edges. */
static void check_read_once(const char *name, heddle_array *a)
{
    char *plan = plan_of(a);
    const char *edge = plan ? strstr(plan, ": edge ") : NULL;
    CHECK(plan && (strstr(plan, " parts of i0") || strstr(plan, " the data of i0")) &&
              !strstr(plan, ": collect"),
          "%s: %s", name, plan);
    for (; edge; edge = strstr(edge + 1, ": edge ")) {
        const char *bytes = strstr(edge, "; ");
        char unit[3] = "";
        double moved = 0;
        CHECK(bytes && sscanf(bytes, "; %lf %2s", &moved, unit) == 2, "%s: %s", name, plan);
        if (strcmp(unit, "MB") == 0) moved *= 1e6;
        if (strcmp(unit, "kB") == 0) moved *= 1e3;
        CHECK(moved < 0.5 * 16.0 * N, "%s: %s", name, plan);
    }
    heddle_free(plan);
}

/* `first` says how the data come to be. Fits: parts of whole rows of it may be those of many rows of each shape. */
static void test_shapes(const char *first, bool fits, bool before)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        heddle_scope scope = heddle_scope_open();
        char name[256];
        heddle_array *x = heddle_expr(first, HEDDLE_NO_BINDINGS);
        if (before) CHECK_EQ(heddle_wait(x), HEDDLE_OK);
        heddle_array *r = heddle_reshape(x, shapes[k].ndim, shapes[k].shape);
        snprintf(name, sizeof name, "%s%s in %lld rows", first, before ? ", evaluated," : "",
                 (long long)shapes[k].shape[0]);
        if (shapes[k].shape[0] > 500 && fits) {
            check_parts(name, heddle_negative(r));
            /* what is evaluated, and asked for under another shape, is copied, but not to one GPU */
            if (before && is_over_gpus(heddle_negative(x)))
                CHECK(is_over_gpus(r) && is_over_gpus(heddle_max(r, .axis = shapes[k].ndim - 1)),
                      "%s", name);
            check_parts(name, heddle_reshape(heddle_add(x, x), shapes[k].ndim, shapes[k].shape));
            if (before && shapes[k].shape[0] < N) {
                heddle_array *y = heddle_add(x, x);
                y = heddle_reshape(y, shapes[k].ndim, shapes[k].shape);
                check_read_once(name, heddle_negative(r));
                check_read_once(name, heddle_sum(r, .axis = shapes[k].ndim - 1));
                check_read_once(name, heddle_max(y, .axis = shapes[k].ndim - 1));
            }
        }
        check_all(name, r);
        check_all(name, heddle_reshape(heddle_subtract(heddle_add(x, x), x), shapes[k].ndim,
                                       shapes[k].shape));
        heddle_scope_close(scope);
    }
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    CHECK_EQ(machine_configure(&(struct heddle_config){.part_bytes = 1 << 20, .inline_bytes = -1}),
             HEDDLE_OK);
    for (int before = 0; before < 2; before++) {
        test_shapes(ELEMENTS, true, before);
        test_shapes("i = arange(1456)[:, None] * 495 + arange(495); i % 1009 - 0.5 * (i % 3)", true,
                    before);
        test_shapes("flip(reshape(" ELEMENTS "[::-1], (16, 45045)), axis=1)[::-1]", false, before);
    }
    check_nothing_left();
    return check_done();
}
