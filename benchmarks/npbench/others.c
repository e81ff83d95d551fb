/* Shortest paths, a fractal, bodies, and a solver by lines: loops in C that record. */
#include "npbench.h"

/* `next` in the place of *old, evaluated: called in a scope that closes afterwards. */
static void replace(heddle_array **old, heddle_array *next)
{
    heddle_keep(next);
    heddle_release(*old);
    *old = next;
    HEDDLE_MUST(heddle_eval(next));
}

static void floyd_warshall(const struct npb_values *values, heddle_array **outputs)
{
    heddle_array *path = heddle_keep(npb_array(values, "path"));
    const int64_t n = heddle_shape(path)[0];
    for (int64_t k = 0; k < n; k++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *to = heddle_getitem(path, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_SLICE(k, k + 1)));
        heddle_array *from = heddle_getitem(path, HEDDLE_INDEX(HEDDLE_AT(k)));
        replace(&path, heddle_minimum(path, heddle_add(to, from)));
        heddle_scope_close(scope);
    }
    outputs[0] = path;
}

static void mandelbrot(const struct npb_values *values, heddle_array **outputs)
{
    const int steps = (int)npb_number(values, "maxiter");
    struct npb_values state = npb_keep(values);
    npb_set(&state, "n", heddle_scalar(0));
    for (int n = 0; n < steps; n++)
        npb_advance(&state,
                    "inside = Z.real**2 + Z.imag**2 < horizon**2\n"
                    "N = where(inside, n, N)\n"
                    "Z = where(inside, Z**2 + C, Z)\n"
                    "n = n + 1",
                    NPB_NAMES("Z", "N", "n"));
    npb_advance(&state, "N = where(N == maxiter - 1, 0, N)", NPB_NAMES("N"));
    npb_take(&state, outputs, NPB_NAMES("Z", "N"));
    npb_forget(&state);
}

/* Of the bodies' distances, pairwise. */
#define PAIRS                                                                                      \
    "x = pos[:, 0:1]; y = pos[:, 1:2]; z = pos[:, 2:3]\n"                                          \
    "dx = x.T - x; dy = y.T - y; dz = z.T - z\n"                                                   \
    "square = dx**2 + dy**2 + dz**2\n"
#define ACCELERATION                                                                               \
    "soft = square + softening**2\n"                                                               \
    "inverse = where(soft > 0, soft**-1.5, soft)\n"                                                \
    "acc = hstack((G * (dx * inverse) @ mass, G * (dy * inverse) @ mass, G * (dz * inverse) @ "    \
    "mass))\n"
#define ENERGY                                                                                     \
    "KE = 0.5 * sum(mass * vel**2)\n"                                                              \
    "distance = sqrt(square)\n"                                                                    \
    "PE = G * sum(triu(-(mass * mass.T) * where(distance > 0, 1 / distance, distance), 1))"

static void nbody(const struct npb_values *values, heddle_array **outputs)
{
    struct npb_values state = npb_keep(values);
    const double end = npb_number(values, "tEnd"), dt = npb_number(values, "dt");
    int steps = (int)(end / dt);
    steps += steps < end / dt;
    heddle_array **energies[2];
    for (int e = 0; e < 2; e++) energies[e] = calloc((size_t)steps + 1, sizeof *energies[e]);
    if (!energies[0] || !energies[1]) exit(1);
    npb_bind(&state, "acc", heddle_scalar(0.0));
    npb_bind(&state, "KE", heddle_scalar(0.0));
    npb_bind(&state, "PE", heddle_scalar(0.0));
    for (int t = 0; t <= steps; t++) {
        if (t == 0)
            npb_advance(&state,
                        "vel -= mean(mass * vel, axis=0) / mean(mass)\n" PAIRS ACCELERATION ENERGY,
                        NPB_NAMES("vel", "acc", "KE", "PE"));
        else
            npb_advance(&state,
                        "vel += acc * dt / 2.0\n"
                        "pos += vel * dt\n" PAIRS ACCELERATION "vel += acc * dt / 2.0\n" ENERGY,
                        NPB_NAMES("pos", "vel", "acc", "KE", "PE"));
        energies[0][t] = heddle_keep(npb_array(&state, "KE"));
        energies[1][t] = heddle_keep(npb_array(&state, "PE"));
    }
    for (int e = 0; e < 2; e++) {
        outputs[e] = heddle_stack(steps + 1, energies[e], 0);
        for (int t = 0; t <= steps; t++) heddle_release(energies[e][t]);
        free(energies[e]);
    }
    npb_forget(&state);
}

const struct npb_program npb_others[] = {
    {.name = "floyd_warshall",
     .parameters = {"N"},
     .sizes = {{29}, {200}, {400}, {850}, {2800}},
     .make = "i = arange(N, dtype=int32)[:, None]; j = arange(N, dtype=int32); k = i + j\n"
             "path = where((k % 13 == 0) | (k % 7 == 0) | (k % 11 == 0), 999, i * j % 7 + 1)",
     .inputs = {"path"},
     .compute = floyd_warshall,
     .outputs = {"path"}},
    {.name = "mandelbrot1",
     .parameters = {"xmin", "xmax", "XN", "ymin", "ymax", "YN", "maxiter", "horizon"},
     .sizes = {{-1.75, 0.25, 17, -1, 1, 13, 20, 2},
               {-1.75, 0.25, 125, -1, 1, 125, 60, 2},
               {-1.75, 0.25, 250, -1, 1, 250, 150, 2},
               {-2, 0.5, 833, -1.25, 1.25, 833, 200, 2},
               {-2.25, 0.75, 1000, -1.25, 1.25, 1000, 200, 2}},
     .make = "C = linspace(xmin, xmax, XN) + linspace(ymin, ymax, YN)[:, None] * 1j\n"
             "Z = zeros_like(C); N = zeros(C.shape, dtype=int64)",
     .inputs = {"C", "Z", "N"},
     .compute = mandelbrot,
     .outputs = {"Z", "N"}},
    {.name = "nbody",
     .parameters = {"N", "tEnd", "dt", "softening", "G"},
     .sizes = {{7, 0.2, 0.05, 0.1, 1},
               {25, 2, 0.05, 0.1, 1},
               {50, 5, 0.02, 0.1, 1},
               {100, 9, 0.01, 0.1, 1},
               {100, 10, 0.01, 0.1, 1}},
     .draws = {{"pos", "N, 3", HEDDLE_FLOAT64}, {"vel", "N, 3", HEDDLE_FLOAT64}},
     .make = "mass = 20.0 * ones((N, 1)) / N",
     .inputs = {"mass", "pos", "vel"},
     .compute = nbody,
     .outputs = {"KE", "PE"}},
    {.name = NULL},
};
