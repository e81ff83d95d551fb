/* Workloads on one invented machine, in virtual time: how far from the ideal their makespans are.
 *
 *     simulate MACHINE [WORKLOAD]     in the environment that simulated.c makes
 *
 * The ideal is all work over the sum of the rates of the places that can help, and no faster than
 * links bring what must come from elsewhere; nothing is lost to granularity, latency or overhead. */
#include "run.h"

#include "check.h"

#include <starpu.h> /* StarPU has the real main() */

enum { STEPS = 5 };

/* Of one evaluation. */
struct work {
    double flops, bytes; /* of kernels that move and compute at once */
    double in;           /* bytes of data that one place each needs */
    double everywhere;   /* bytes of data that all places need */
    int steps;           /* evaluations one after the other, the first of which needs data */
};

/* ---- The ideal ------------------------------------------------------------------------------------- */

/* Seconds for all of it on one place alone. */
static double seconds_at(const struct machine_place *p, const struct work *w)
{
    return fmax(w->flops / p->flops, w->bytes / p->bytes);
}

/* The share of the work that is done after t seconds. */
static double share_after(const struct machine *m, const struct work *w, bool on_gpus, double t)
{
    const int n_gpus = machine_n_gpus(m);
    double gpus = 0, cpus = 0;
    for (int i = 0; i < machine_n_places(m); i++) {
        const struct machine_place *p = &m->places[i];
        const double computed = t / seconds_at(p, w);
        if (!p->is_gpu) {
            if (!on_gpus) cpus += computed;
            continue;
        }
        const double peer = m->peer > 0 ? m->peer : p->link;
        double came = INFINITY;
        if (on_gpus) /* 1/n of what all need is there already */
            came = t * peer >= w->everywhere * (n_gpus - 1) / n_gpus ? INFINITY : 0;
        else if (m->peer > 0)
            came = t * peer >= w->everywhere ? t * p->link / w->in : 0;
        else
            came = fmax(t * p->link - w->everywhere, 0) / w->in;
        gpus += fmin(computed, came);
    }
    if (!on_gpus) { /* all links together */
        const double common = w->everywhere * (m->peer > 0 ? 1 : n_gpus);
        gpus = fmin(gpus, fmax(t * m->host - common, 0) / w->in);
    }
    return gpus + cpus;
}

static double seconds_of(const struct machine *m, const struct work *w, bool on_gpus)
{
    double low = 0, high = 1e-6;
    while (share_after(m, w, on_gpus, high) < 1) high *= 2;
    for (int i = 0; i < 100; i++) {
        const double t = (low + high) / 2;
        *(share_after(m, w, on_gpus, t) < 1 ? &low : &high) = t;
    }
    return high;
}

static double ideal_us(const struct machine *m, const struct work *w, bool on_gpus)
{
    return 1e6 * (seconds_of(m, w, on_gpus) + (w->steps - 1) * seconds_of(m, w, true));
}

/* ---- Workloads --------------------------------------------------------------------------------------- */

static enum heddle_status eval(heddle_array *a)
{
    const enum heddle_status status = heddle_eval(a);
    if (status != HEDDLE_OK) fprintf(stderr, "%s\n", heddle_error(a));
    return status;
}

#define VECTOR 3000000000LL
#define ROWS 50000LL
#define MATRIX 40000LL

static struct work axpy(bool on_gpus)
{
    heddle_array *x = run_data(HEDDLE_SHAPE(VECTOR), on_gpus);
    heddle_array *y = run_data(HEDDLE_SHAPE(VECTOR), on_gpus);
    CHECK_EQ(eval(heddle_expr("2.5 * x + y", HEDDLE_BIND_ALL({"x", x}, {"y", y}))), HEDDLE_OK);
    const double n = 8.0 * VECTOR;
    return (struct work){.bytes = 3 * n, .in = 2 * n};
}

static struct work black_scholes(bool on_gpus)
{
    heddle_array *S = run_data(HEDDLE_SHAPE(VECTOR), on_gpus);
    heddle_array *K = run_data(HEDDLE_SHAPE(VECTOR), on_gpus);
    heddle_array *T = run_data(HEDDLE_SHAPE(VECTOR), on_gpus);
    heddle_array *call =
        heddle_expr("s = 0.3 * sqrt(T)\n"
                    "d = (log(S / K) + 0.065 * T) / s\n"
                    "h = -1 / sqrt(2)\n"
                    "(S * erfc(d * h) - K * exp(-0.02 * T) * erfc((d - s) * h)) / 2",
                    HEDDLE_BIND_ALL({"S", S}, {"K", K}, {"T", T}));
    CHECK_EQ(eval(call), HEDDLE_OK);
    const double n = 8.0 * VECTOR;
    return (struct work){.bytes = 4 * n, .in = 3 * n};
}

static struct work sum(bool on_gpus)
{
    heddle_array *x = run_data(HEDDLE_SHAPE(VECTOR), on_gpus);
    CHECK_EQ(eval(heddle_sum(x)), HEDDLE_OK);
    const double n = 8.0 * VECTOR;
    return (struct work){.bytes = n, .in = n};
}

static struct work jacobi(bool on_gpus)
{
    heddle_array *u = heddle_keep(run_data(HEDDLE_SHAPE(ROWS, ROWS), on_gpus));
    for (int i = 0; i < STEPS; i++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *inner =
            heddle_expr("0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])",
                        HEDDLE_BIND("u", u));
        heddle_array *before = u;
        u = heddle_keep(
            heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)), inner));
        CHECK_EQ(eval(u), HEDDLE_OK);
        heddle_release(before);
        heddle_scope_close(scope);
    }
    heddle_release(u);
    const double n = 8.0 * ROWS * ROWS;
    return (struct work){.bytes = 2 * n, .in = n, .steps = STEPS};
}

static struct work matmul(bool on_gpus)
{
    heddle_array *a = run_data(HEDDLE_SHAPE(MATRIX, MATRIX), on_gpus);
    heddle_array *b = run_data(HEDDLE_SHAPE(MATRIX, MATRIX), on_gpus);
    CHECK_EQ(eval(heddle_matmul(a, b)), HEDDLE_OK);
    const double n = 8.0 * MATRIX * MATRIX;
    return (struct work){.bytes = 3 * n, .in = n, .everywhere = n};
}

static const struct workload {
    const char *name;
    struct work (*run)(bool on_gpus);
} workloads[] = {
    {"axpy", axpy},     {"black_scholes", black_scholes}, {"sum", sum}, {"jacobi", jacobi},
    {"matmul", matmul},
};
enum { N_WORKLOADS = sizeof workloads / sizeof workloads[0] };

/* ---- What is good enough ------------------------------------------------------------------------------- */

#define WITHIN 1.15

/* What is short of that, and must not get worse. */
static const struct shortfall {
    const char *machine, *workload;
    bool on_gpus;
    double within;
} shortfalls[] = {
    /* little work after the partial sums, but latencies */
    {"equal", "sum", true, 1.55},
    /* StarPU places each step's parts anew, where links seem free, and so they move */
    {"equal", "jacobi", false, 6.7},
    {"unlike", "jacobi", false, 4.2},
    {"slow_link", "jacobi", false, 4.8},
    /* from the host each task is thought to bring all of the right operand anew; on GPUs parts are
     * shared by the rates of memory, not by those of arithmetic */
    {"equal", "matmul", false, 28},
    {"equal", "matmul", true, 1.25},
    {"unlike", "matmul", false, 13.5},
    {"unlike", "matmul", true, 1.4},
    {"slow_link", "matmul", false, 14},
    {"slow_link", "matmul", true, 2.2},
    /* the place behind the slow link gets nothing to do */
    {"slow_link", "axpy", false, 1.2},
    {"slow_link", "black_scholes", false, 1.2},
    {"slow_link", "sum", false, 1.22},
};

static double limit_of(const struct machine *m, const struct workload *w, bool on_gpus)
{
    for (size_t i = 0; i < sizeof shortfalls / sizeof shortfalls[0]; i++)
        if (strcmp(shortfalls[i].machine, m->name) == 0 && shortfalls[i].on_gpus == on_gpus &&
            strcmp(shortfalls[i].workload, w->name) == 0)
            return shortfalls[i].within;
    return WITHIN;
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static void print_busy(const struct machine *m, const struct run *r)
{
    for (int i = 0; i < machine_n_places(m); i++) {
        const bool gpu = m->places[i].is_gpu;
        fprintf(stderr, "    %s:%d busy %3.0f %% in %lld tasks\n", gpu ? "gpu" : "cpu",
                gpu ? i : i - machine_n_gpus(m), 100 * r->busy_us[i] / r->us,
                (long long)r->n_run[i]);
    }
    fprintf(stderr, "    GB moved to GPUs %.3g, from GPUs %.3g, between GPUs %.3g\n",
            r->to_gpus * 1e-9, r->from_gpus * 1e-9, r->between_gpus * 1e-9);
}

static void simulate(const struct machine *m, const struct workload *w, bool on_gpus, bool verbose)
{
    struct run r;
    heddle_scope scope = heddle_scope_open();
    run_start();
    struct work work = w->run(on_gpus);
    run_end(&r);
    heddle_scope_close(scope);
    if (work.steps == 0) work.steps = 1;
    work.flops = r.flops / work.steps;
    const double ideal = ideal_us(m, &work, on_gpus), ratio = r.us / ideal;
    const double limit = limit_of(m, w, on_gpus);
    printf("%-10s %-14s %-6s %6lld %10.2f %10.2f %6.2f%s\n", m->name, w->name,
           on_gpus ? "GPUs" : "host", (long long)r.n_tasks, r.us * 1e-3, ideal * 1e-3, ratio,
           ratio > WITHIN ? " *" : "");
    fflush(stdout);
    CHECK(ratio <= limit, "%s on %s, data on %s: %.2f times the ideal, not %.2f", w->name, m->what,
          on_gpus ? "GPUs" : "the host", ratio, limit);
    CHECK(ratio > 0.9, "%s: faster than can be, so the ideal is wrong", w->name);
    if (ratio > limit || verbose) print_busy(m, &r);
}

int main(int argc, char **argv)
{
    const struct machine *m = argc > 1 ? machine_named(argv[1]) : NULL;
    if (!m) {
        fprintf(stderr, "usage: simulate MACHINE [WORKLOAD]\n");
        return 2;
    }
    if (!run_open(m)) {
        fprintf(stderr, "StarPU does not start\n");
        return 1;
    }
    printf("%-10s %-14s %-6s %6s %10s %10s %6s\n", "machine", "workload", "data", "tasks", "ms",
           "ideal ms", "ratio");
    for (int i = 0; i < N_WORKLOADS; i++)
        for (int on_gpus = 0; on_gpus < 2; on_gpus++)
            if (argc < 3 || strcmp(argv[2], workloads[i].name) == 0)
                simulate(m, &workloads[i], on_gpus, argc > 2);
    printf("* not within %g\n", WITHIN);
    run_close();
    return check_done();
}
