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
    "x = (ue - uw) / (2 * dx)\n"                                                                   \
    "y = (vn - vs) / (2 * dy)\n"                                                                   \
    "b = rho * (1 / dt * (x + y) - x**2"                                                           \
    " - 2 * ((un - us) / (2 * dy) * (ve - vw) / (2 * dx)) - y**2)\n"

#define PRESSURE                                                                                   \
    "(((pe + pw) * dy**2 + (pn + ps) * dx**2) / (2 * (dx**2 + dy**2))"                             \
    " - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b)\n"

/* Of the component c (its neighbours too), with the pressure's difference along its axis. */
#define VELOCITY(c, difference)                                                                    \
    "(" c "0 - u0 * dt / dx * (" c "0 - " c "w) - v0 * dt / dy * (" c "0 - " c "s) - " difference  \
    " + nu * (dt / dx**2 * (" c "e - 2 * " c "0 + " c "w) + dt / dy**2 * (" c "n - 2 * " c         \
    "0 + " c "s)))"
#define ALONG_X "dt / (2 * rho * dx) * (pe - pw)"
#define ALONG_Y "dt / (2 * rho * dy) * (pn - ps)"

/* dx, dy and dt of a grid of nx by ny points. */
static struct npb_values with_steps(const struct npb_values *values)
{
    struct npb_values state = npb_keep(values);
    const double nx = npb_number(values, "nx"), ny = npb_number(values, "ny");
    npb_bind(&state, "dx", heddle_scalar(2 / (nx - 1)));
    npb_bind(&state, "dy", heddle_scalar(2 / (ny - 1)));
    npb_bind(&state, "dt", heddle_scalar(.1 / ((nx - 1) * (ny - 1))));
    npb_bind(&state, "b", heddle_scalar(0.0));
    return state;
}

static void cavity_flow(const struct npb_values *values, heddle_array **outputs)
{
    struct npb_values state = with_steps(values);
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
    struct npb_values state = with_steps(values);
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
