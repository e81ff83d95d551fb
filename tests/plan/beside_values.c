/* Slices in steps, flips and assemblies of what is evaluated in parts, which stay where their elements are, and what follows them:
 * against values found element by element. All are whole numbers. Skipped (77) where the devices that HEDDLE_DEVICES names are
 * not there. */
#include "check_heddle.h"
#include "exact_values.h"
#include "machine/machine.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 901, COLUMNS = 803 };

static double u(int64_t i, int64_t j)
{
    return (double)((i * COLUMNS + j) % 1009 - 500);
}

/* Index k of n elements that are reflected at both ends, `by` of them. */
static int64_t reflected(int64_t k, int64_t n, int64_t by)
{
    k -= by;
    return k < 0 ? -k : k >= n ? 2 * (n - 1) - k : k;
}

static double flipped(int64_t i, int64_t j)
{
    return 2 * u(ROWS - 1 - i, j);
}
static double stepped(int64_t i, int64_t j)
{
    return u(1 + 3 * i, j) - 1;
}
static double neighbours(int64_t i, int64_t j)
{
    return u(2 * i, j + 1) + u(2 * i + 1, j);
}
static double backwards(int64_t i, int64_t j)
{
    return u(ROWS - 1 - 2 * i, COLUMNS - 1 - 3 * j) + 1;
}
static double mirrored(int64_t i, int64_t j)
{
    return u(i < ROWS ? i : 2 * ROWS - 1 - i, j < COLUMNS ? j : 2 * COLUMNS - 1 - j);
}
static double bordered(int64_t i, int64_t j)
{
    const bool in = i >= 5 && i < ROWS + 5 && j >= 2 && j < COLUMNS + 2;
    return 3 * (in ? u(i - 5, j - 2) : 7);
}
static double around(int64_t i, int64_t j)
{
    return u(reflected(i, ROWS, 4), reflected(j, COLUMNS, 3)) - 2;
}
static double rolled(int64_t i, int64_t j)
{
    return u((i + ROWS - 17) % ROWS, (j + 29) % COLUMNS) - u(i, j);
}
static double blocks(int64_t i, int64_t j)
{
    const double x = u(i % ROWS, j % COLUMNS);
    return i < ROWS ? (j < COLUMNS ? x : 1) : j < COLUMNS ? 0 : -x;
}
static double of_flipped(int64_t i, int64_t j)
{
    return u(i, j) * 2 - u(ROWS - 1 - i, j);
}

static const struct {
    const char *text;
    double (*element)(int64_t i, int64_t j);
    int64_t rows, columns;
} cases[] = {
    {"u[::-1] * 2", flipped, ROWS, COLUMNS},
    {"u[1::3] - 1", stepped, (ROWS + 1) / 3, COLUMNS},
    {"u[:-1:2, 1:] + u[1::2, :-1]", neighbours, ROWS / 2, COLUMNS - 1},
    {"u[::-2, ::-3] + 1", backwards, (ROWS + 1) / 2, (COLUMNS + 2) / 3},
    {"concat((concat((u, u[:, ::-1]), axis=1), concat((u[::-1], u[::-1, ::-1]), axis=1)))",
     mirrored, 2 * ROWS, 2 * COLUMNS},
    {"pad(u, ((5, 6), (2, 3)), constant_values=7) * 3", bordered, ROWS + 11, COLUMNS + 5},
    {"pad(u, ((4, 2), (3, 1)), mode='reflect') - 2", around, ROWS + 6, COLUMNS + 4},
    {"roll(roll(u, 17, axis=0), -29, axis=1) - u", rolled, ROWS, COLUMNS},
    {"concat((concat((u, ones((901, 803))), axis=1), concat((zeros((901, 803)), -u), axis=1)))",
     blocks, 2 * ROWS, 2 * COLUMNS},
    {"v = wait(u[::-1] * 1); u + v[::-1] - v", of_flipped, ROWS, COLUMNS},
};

static void check_case(size_t k, heddle_array *base)
{
    const int64_t n = cases[k].rows * cases[k].columns;
    double *expected = malloc((size_t)n * sizeof *expected), *sums;
    heddle_array *r = NULL;
    if (strncmp(cases[k].text, "v = ", 4) == 0) { /* of a flip that is evaluated, in turned parts */
        heddle_array *v = heddle_multiply(heddle_flip(base, .axis = 0), heddle_scalar(1));
        CHECK_EQ(heddle_wait(v), HEDDLE_OK);
        r = heddle_expr("u + v[::-1] - v", HEDDLE_BIND_ALL({"u", base}, {"v", v}));
    } else {
        r = heddle_expr(cases[k].text, HEDDLE_BIND_ALL({"u", base}));
    }
    for (int64_t i = 0; i < n; i++)
        expected[i] = cases[k].element(i / cases[k].columns, i % cases[k].columns);
    check_values(cases[k].text, r, expected, n);
    sums = calloc((size_t)cases[k].columns, sizeof *sums);
    for (int64_t i = 0; i < n; i++) sums[i % cases[k].columns] += expected[i];
    check_values(cases[k].text, heddle_sum(r, .axis = 0), sums, cases[k].columns);
    CHECK_EQ(heddle_wait(r), HEDDLE_OK);
    check_values(cases[k].text, heddle_sum(r, .axis = 0), sums, cases[k].columns);
    check_values(cases[k].text, heddle_positive(r), expected, n);
    free(sums);
    free(expected);
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    CHECK_EQ(machine_configure(&(struct heddle_config){.part_bytes = 1 << 20, .inline_bytes = -1}),
             HEDDLE_OK);
    for (int turned = 0; turned < 2; turned++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *base =
            heddle_expr(turned ? "reshape(arange(901 * 803) % 1009 - 500.0, (901, 803)).T"
                               : "reshape(arange(901 * 803) % 1009 - 500.0, (901, 803))",
                        HEDDLE_NO_BINDINGS);
        if (turned) base = heddle_positive(base);
        CHECK_EQ(heddle_wait(base), HEDDLE_OK); /* turned: cut along the other axis */
        if (turned) base = heddle_matrix_transpose(base);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_case(k, base);
        heddle_scope_close(scope);
    }
    check_nothing_left();
    return check_done();
}
