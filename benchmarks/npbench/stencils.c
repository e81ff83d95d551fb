/* Stencils over time: a loop in C, a text for a step. */
#include "npbench.h"

/* As many times as the parameter says, less one: a text that gives A and B new values. */
static void iterate(const struct npb_values *values, const char *text, heddle_array **outputs)
{
    struct npb_values state = npb_keep(values);
    const int steps = (int)npb_number(values, "TSTEPS");
    for (int t = 1; t < steps; t++) npb_advance(&state, text, NPB_NAMES("A", "B"));
    npb_take(&state, outputs, NPB_NAMES("A", "B"));
    npb_forget(&state);
}

static void jacobi_1d(const struct npb_values *values, heddle_array **outputs)
{
#define THREE(to, x) to "[1:-1] = 0.33333 * (" x "[:-2] + " x "[1:-1] + " x "[2:])\n"
    iterate(values, THREE("B", "A") THREE("A", "B"), outputs);
#undef THREE
}

static void jacobi_2d(const struct npb_values *values, heddle_array **outputs)
{
#define FIVE(to, x)                                                                                \
    to "[1:-1, 1:-1] = 0.2 * (" x "[1:-1, 1:-1] + " x "[1:-1, :-2] + " x "[1:-1, 2:] + " x         \
       "[2:, 1:-1] + " x "[:-2, 1:-1])\n"
    iterate(values, FIVE("B", "A") FIVE("A", "B"), outputs);
#undef FIVE
}

static void heat_3d(const struct npb_values *values, heddle_array **outputs)
{
#define HEAT(to, x)                                                                                \
    "inner = " x "[1:-1, 1:-1, 1:-1]\n" to "[1:-1, 1:-1, 1:-1] = ("                                \
    "0.125 * (" x "[2:, 1:-1, 1:-1] - 2.0 * inner + " x "[:-2, 1:-1, 1:-1]) + "                    \
    "0.125 * (" x "[1:-1, 2:, 1:-1] - 2.0 * inner + " x "[1:-1, :-2, 1:-1]) + "                    \
    "0.125 * (" x "[1:-1, 1:-1, 2:] - 2.0 * inner + " x "[1:-1, 1:-1, :-2]) + inner)\n"
    iterate(values, HEAT("B", "A") HEAT("A", "B"), outputs);
#undef HEAT
}

/* What comes in at each step, as arrays of their own: so all steps have one plan, and no index to check. */
static heddle_array **sources(heddle_array *all, int n)
{
    heddle_array **each = calloc((size_t)n + 1, sizeof *each);
    if (!each) exit(1);
    heddle_scope scope = heddle_scope_open();
    HEDDLE_MUST(heddle_unstack(all, n, each));
    for (int i = 0; i < n; i++) heddle_keep(each[i]);
    heddle_scope_close(scope);
    HEDDLE_MUST(heddle_eval_all(n, each));
    return each;
}

static void fdtd_2d(const struct npb_values *values, heddle_array **outputs)
{
    struct npb_values state = npb_keep(values);
    const int steps = (int)npb_number(values, "TMAX");
    heddle_array **source = sources(npb_array(values, "fict"), steps);
    for (int t = 0; t < steps; t++) {
        npb_set(&state, "source", source[t]);
        npb_advance(
            &state,
            "ey[0] = source\n"
            "ey[1:] -= 0.5 * (hz[1:] - hz[:-1])\n"
            "ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])\n"
            "hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])",
            NPB_NAMES("ex", "ey", "hz"));
    }
    free(source);
    npb_take(&state, outputs, NPB_NAMES("ex", "ey", "hz"));
    npb_forget(&state);
}

const struct npb_program npb_stencils[] = {
    {.name = "jacobi_1d",
     .parameters = {"TSTEPS", "N"},
     .sizes = {{5, 19}, {800, 3200}, {3000, 12000}, {8500, 34000}, {4000, 32000}},
     .make = "i = arange(float(N))\nA = (i + 2) / N\nB = (i + 3) / N",
     .inputs = {"A", "B"},
     .compute = jacobi_1d,
     .outputs = {"A", "B"}},
    {.name = "jacobi_2d",
     .parameters = {"TSTEPS", "N"},
     .sizes = {{5, 19}, {50, 150}, {80, 350}, {200, 700}, {1000, 2800}},
     .make = "i = arange(float(N))[:, None]; j = arange(float(N))\n"
             "A = i * (j + 2) / N\nB = i * (j + 3) / N",
     .inputs = {"A", "B"},
     .compute = jacobi_2d,
     .outputs = {"A", "B"}},
    {.name = "heat_3d",
     .parameters = {"TSTEPS", "N"},
     .sizes = {{5, 11}, {25, 25}, {50, 40}, {100, 70}, {500, 120}},
     .make = "k = arange(float(N)); j = k[:, None]; i = k[:, None, None]\n"
             "A = (i + j + (N - k)) * 10 / N\nB = A",
     .inputs = {"A", "B"},
     .compute = heat_3d,
     .outputs = {"A", "B"}},
    {.name = "fdtd_2d",
     .parameters = {"TMAX", "NX", "NY"},
     .sizes = {{5, 13, 17}, {20, 200, 220}, {60, 400, 450}, {150, 800, 900}, {500, 1000, 1200}},
     .make = "i = arange(float(NX))[:, None]; j = arange(float(NY))\n"
             "ex = i * (j + 1) / NX\ney = i * (j + 2) / NY\nhz = i * (j + 3) / NX\n"
             "fict = arange(float(TMAX))",
     .inputs = {"ex", "ey", "hz", "fict"},
     .compute = fdtd_2d,
     .outputs = {"ex", "ey", "hz"}},
    {.name = "hdiff",
     .parameters = {"I", "J", "K"},
     .sizes = {{7, 9, 5}, {64, 64, 60}, {128, 128, 160}, {384, 384, 160}, {256, 256, 160}},
     .draws = {{"u", "I + 4, J + 4, K", HEDDLE_FLOAT64},
               {"before", "I, J, K", HEDDLE_FLOAT64},
               {"coefficient", "I, J, K", HEDDLE_FLOAT64}},
     .inputs = {"u", "coefficient"},
     .text =
         "lap = 4.0 * u[1:-1, 1:-1] - (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])\n"
         "flux = lap[1:, 1:-1] - lap[:-1, 1:-1]\n"
         "flux = where(flux * (u[2:-1, 2:-2] - u[1:-2, 2:-2]) > 0, 0, flux)\n"
         "fluy = lap[1:-1, 1:] - lap[1:-1, :-1]\n"
         "fluy = where(fluy * (u[2:-2, 2:-1] - u[2:-2, 1:-2]) > 0, 0, fluy)\n"
         "out = u[2:-2, 2:-2] - coefficient * (flux[1:] - flux[:-1] + fluy[:, 1:] - fluy[:, :-1])",
     .outputs = {"out"}},
    {.name = NULL},
};
