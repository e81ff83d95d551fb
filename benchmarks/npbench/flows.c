/* Incompressible flow in a cavity and in a channel: Navier-Stokes, with the pressure's equation iterated in each step. */
#include "npbench.h"

/* Neighbours of the inner points: to the east and west along axis 1, north and south along axis 0. */
#define EAST(x) x "[1:-1, 2:]"
#define WEST(x) x "[1:-1, :-2]"
#define NORTH(x) x "[2:, 1:-1]"
#define SOUTH(x) x "[:-2, 1:-1]"
#define INNER(x) x "[1:-1, 1:-1]"

/* What the neighbours of velocities and pressure are called below; `u` and `v` are at the points themselves. */
#define NEIGHBOURS(x)                                                                              \
    x "e = " EAST(x) "; " x "w = " WEST(x) "; " x "n = " NORTH(x) "; " x "s = " SOUTH(x) "\n"

#define RIGHT_SIDE                                                                                 \
    "x = (ue - uw) * hx\n"                                                                         \
    "y = (vn - vs) * hy\n"                                                                         \
    "b = rho * ((x + y) / dt - x**2 - 2 * ((un - us) * hy * (ve - vw) * hx) - y**2)\n"

#define PRESSURE "(pe + pw) * ky + (pn + ps) * kx - kb * b\n"

/* Of the component c, with the pressure's difference along its axis. */
#define VELOCITY(c, difference)                                                                    \
    c "0 - u0 * ax * (" c "0 - " c "w) - v0 * ay * (" c "0 - " c "s) - " difference " + (mx * (" c \
      "e - 2 * " c "0 + " c "w) + my * (" c "n - 2 * " c "0 + " c "s))"
#define ALONG_X "gx * (pe - pw)"
#define ALONG_Y "gy * (pn - ps)"

/* The coefficients of a grid of nx by ny points. */
static struct npb_values with_coefficients(const struct npb_values *values)
{
    struct npb_values state = npb_keep(values);
    const double nx = npb_number(values, "nx"), ny = npb_number(values, "ny"),
                 rho = npb_number(values, "rho"), nu = npb_number(values, "nu"), dx = 2 / (nx - 1),
                 dy = 2 / (ny - 1), dt = .1 / ((nx - 1) * (ny - 1)), both = 2 * (dx * dx + dy * dy);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"dt", dt},
        {"hx", 1 / (2 * dx)},
        {"hy", 1 / (2 * dy)},
        {"kx", dx * dx / both}, /* of the pressure */
        {"ky", dy * dy / both},
        {"kb", dx * dx * dy * dy / both},
        {"ax", dt / dx}, /* advection, diffusion, and the pressure's gradient */
        {"ay", dt / dy},
        {"mx", nu * dt / (dx * dx)},
        {"my", nu * dt / (dy * dy)},
        {"gx", dt / (2 * rho * dx)},
        {"gy", dt / (2 * rho * dy)},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        npb_bind(&state, numbers[i].name, heddle_scalar(numbers[i].value));
    npb_bind(&state, "b", heddle_scalar(0.0));
    return state;
}

static void cavity_flow(const struct npb_values *values, heddle_array **outputs)
{
    struct npb_values state = with_coefficients(values);
    const int steps = (int)npb_number(values, "nt"), inner = (int)npb_number(values, "nit");
    for (int t = 0; t < steps; t++) {
        npb_advance(&state, NEIGHBOURS("u") NEIGHBOURS("v") RIGHT_SIDE, NPB_NAMES("b"));
        for (int q = 0; q < inner; q++)
            npb_advance(&state,
                        NEIGHBOURS("p") INNER("p") " = " PRESSURE "p[:, -1] = p[:, -2]\n"
                                                   "p[0] = p[1]\n"
                                                   "p[:, 0] = p[:, 1]\n"
                                                   "p[-1] = 0",
                        NPB_NAMES("p"));
        npb_advance(
            &state,
            NEIGHBOURS("u") NEIGHBOURS("v")
                NEIGHBOURS("p") "u0 = " INNER("u") "; v0 = " INNER("v") "\n" INNER(
                    "u") " = " VELOCITY("u",
                                        ALONG_X) "\n" INNER("v") " = " VELOCITY("v",
                                                                                ALONG_Y) "\n"
                                                                                         "u[0] = "
                                                                                         "0; u[:, "
                                                                                         "0] = 0; "
                                                                                         "u[:, -1] "
                                                                                         "= 0; "
                                                                                         "u[-1] = "
                                                                                         "1\n"
                                                                                         "v[0] = "
                                                                                         "0; v[-1] "
                                                                                         "= 0; "
                                                                                         "v[:, 0] "
                                                                                         "= 0; "
                                                                                         "v[:, -1] "
                                                                                         "= 0",
            NPB_NAMES("u", "v"));
    }
    npb_take(&state, outputs, NPB_NAMES("u", "v", "p"));
    npb_forget(&state);
}

/* ---- the channel is periodic along x: all columns are inner ones ------------------------------- */

#define AROUND(x)                                                                                  \
    x "e = roll(" x ", -1, axis=1)[1:-1]; " x "w = roll(" x ", 1, axis=1)[1:-1]\n" x "n = " x      \
      "[2:]; " x "s = " x "[:-2]\n"

static void channel_flow(const struct npb_values *values, heddle_array **outputs)
{
    struct npb_values state = with_coefficients(values);
    const int inner = (int)npb_number(values, "nit");
    npb_bind(&state, "change", heddle_scalar(1.0));
    int64_t steps = 0;
    for (; npb_number(&state, "change") > 0.001; steps++) {
        npb_advance(&state, AROUND("u") AROUND("v") RIGHT_SIDE, NPB_NAMES("b"));
        for (int q = 0; q < inner; q++)
            npb_advance(&state, AROUND("p") "p[1:-1] = " PRESSURE "p[-1] = p[-2]\np[0] = p[1]",
                        NPB_NAMES("p"));
        npb_advance(
            &state,
            AROUND("u") AROUND("v") AROUND(
                "p") "u0 = u[1:-1]; v0 = v[1:-1]; before = sum(u)\n"
                     "u[1:-1] = " VELOCITY(
                         "u", ALONG_X) " + F * dt\n"
                                       "v[1:-1] = " VELOCITY(
                                           "v",
                                           ALONG_Y) "\n"
                                                    "u[0] = 0; u[-1] = 0; v[0] = 0; v[-1] = 0\n"
                                                    "change = (sum(u) - before) / sum(u)",
            NPB_NAMES("u", "v", "change"));
    }
    outputs[0] = heddle_scalar(steps);
    npb_take(&state, outputs + 1, NPB_NAMES("u", "v", "p"));
    npb_forget(&state);
}

const struct npb_program npb_flows[] = {
    {.name = "cavity_flow",
     .parameters = {"ny", "nx", "nt", "nit", "rho", "nu"},
     .sizes = {{13, 11, 5, 3, 1, 0.1},
               {61, 61, 25, 5, 1, 0.1},
               {121, 121, 50, 10, 1, 0.1},
               {201, 201, 100, 20, 1, 0.1},
               {101, 101, 700, 50, 1, 0.1}},
     .make = "u = zeros((ny, nx)); v = u; p = u",
     .inputs = {"u", "v", "p"},
     .compute = cavity_flow,
     .outputs = {"u", "v", "p"}},
    {.name = "channel_flow",
     .parameters = {"ny", "nx", "nit", "rho", "nu", "F"},
     .sizes = {{9, 11, 3, 1, 0.1, 1},
               {61, 61, 5, 1, 0.1, 1},
               {121, 121, 10, 1, 0.1, 1},
               {201, 201, 20, 1, 0.1, 1},
               {101, 101, 50, 1, 0.1, 1}},
     .make = "u = zeros((ny, nx)); v = u; p = ones((ny, nx))",
     .inputs = {"u", "v", "p"},
     .compute = channel_flow,
     .outputs = {"stepcount", "u", "v", "p"}},
    {.name = NULL},
};
