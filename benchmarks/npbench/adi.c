/* Alternating directions: implicit in one axis, explicit in the other, in turns; each line is a tridiagonal system. */
#include "npbench.h"

struct coefficients {
    double a, b; /* of the implicit axis: a, b, a beside and on the diagonal */
    double d;    /* of the explicit one: -d, 1 + 2 d, -d */
};

static heddle_array *scaled(double by, heddle_array *a)
{
    return heddle_multiply(heddle_scalar(by), a);
}

/* Solves all lines, of which `right` has an element in each row: elimination goes down the rows, substitution up. Both
 * ends are 1. The factors p do not depend on data, so they are numbers. */
static heddle_array *solve(heddle_array *right, struct coefficients k)
{
    const int64_t n = heddle_shape(right)[0];
    double *p = malloc((size_t)(n + 1) * sizeof *p);
    heddle_array **q = malloc((size_t)(n + 1) * sizeof(heddle_array *));
    if (!p || !q) exit(1);
    p[0] = 0;
    q[0] = heddle_ones(1, heddle_shape(right) + 1);
    for (int64_t j = 1; j <= n; j++) {
        const double pivot = k.a * p[j - 1] + k.b;
        heddle_array *row = heddle_getitem(right, HEDDLE_INDEX(HEDDLE_AT(j - 1)));
        p[j] = -k.a / pivot;
        q[j] = heddle_divide(heddle_subtract(row, scaled(k.a, q[j - 1])), heddle_scalar(pivot));
    }
    heddle_array *above = q[0]; /* ones */
    for (int64_t j = n; j >= 1; j--) above = q[j] = heddle_add(scaled(p[j], above), q[j]);
    heddle_array *solution = heddle_stack((int)n, q + 1, 0);
    free(p);
    free(q);
    return solution;
}

/* Of lines along axis 1, the right sides from each row and its neighbours along axis 0: a row for each element of a
 * line, as solve wants them. */
static heddle_array *right_side(heddle_array *u, struct coefficients k)
{
    heddle_array *before = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2)));
    heddle_array *here = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)));
    heddle_array *after = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2)));
    return heddle_matrix_transpose(heddle_subtract(
        heddle_add(scaled(-k.d, before), scaled(1 + 2 * k.d, here)), scaled(k.d, after)));
}

/* Ones before and after along axis 0. */
static heddle_array *with_ends(heddle_array *v)
{
    heddle_array *ones = heddle_ones(HEDDLE_SHAPE(1, heddle_shape(v)[1]));
    return heddle_concat(HEDDLE_ARRAYS(ones, v, ones), 0);
}

/* One step: v, whose axis 0 is implicit, then u, whose axis 1 is. Of both, the lines at the edges stay as they were. */
static heddle_array *step(heddle_array *u, struct coefficients down, struct coefficients across)
{
    heddle_array *inner = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)));
    heddle_array *v = with_ends(solve(right_side(heddle_matrix_transpose(inner), down), down));
    heddle_array *lines = with_ends(solve(right_side(v, across), across));
    return heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)), heddle_matrix_transpose(lines));
}

static void adi(const struct npb_values *values, heddle_array **outputs)
{
    const int steps = (int)npb_number(values, "TSTEPS");
    const double n = npb_number(values, "N"), x = 2.0 / steps * n * n, y = 1.0 / steps * n * n;
    const struct coefficients down = {.a = -x / 2, .b = 1 + y, .d = -y / 2},
                              across = {.a = -y / 2, .b = 1 + y, .d = -x / 2};
    heddle_array *u = heddle_keep(npb_array(values, "u"));
    for (int t = 0; t < steps; t++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *next = heddle_keep(step(u, down, across));
        heddle_scope_close(scope);
        heddle_release(u);
        u = next;
        HEDDLE_MUST(heddle_eval(u));
    }
    outputs[0] = u;
}

const struct npb_program npb_solvers[] = {
    {.name = "adi",
     .parameters = {"TSTEPS", "N"},
     .sizes = {{3, 13}, {5, 100}, {20, 200}, {50, 500}, {100, 200}},
     .make = "i = arange(float(N))[:, None]; j = arange(float(N))\nu = (i + N - j) / N",
     .inputs = {"u"},
     .compute = adi,
     .outputs = {"u"}},
    {.name = NULL},
};
