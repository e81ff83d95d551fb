/* A workload on an invented machine, in virtual time: how far from the ideal its makespan is.
 *
 *     simulate MACHINE NUMBER [WORKLOAD]     in the environment that simulated.c makes
 *
 * One case in a process, so that no memory is taken by what was before. With WORKLOAD, only cases of
 * that, and what each place did.
 *
 * The ideal is all work over the sum of the rates of the places that can help, and no faster than
 * links bring what must come from elsewhere; nothing is lost to granularity, latency or overhead. */
#include "devices.h"

#include "check.h"
#include "starpu/handles.h"
#include "starpu/submit.h" /* StarPU's: SimGrid has the real main() */

#include <stdlib.h>

enum { STEPS = 5 };

/* Where the inputs are, and who decides on partitions and places. */
enum data {
    ON_HOST, /* the policy, StarPU */
    ON_GPUS, /* on the GPUs, as the ideal says */
    PLACED,  /* in host memory; this test distributes them as the ideal says */
    N_DATA
};
static const char *const data_names[N_DATA] = {"host", "GPUs", "placed"};

/* Of one evaluation. */
struct work {
    double flops,
        bytes; /* of kernels that move and compute at once; flops: 0: few, of which tasks know */
    double in; /* bytes of data that one place each needs */
    double everywhere; /* bytes of data that all places need */
    double
        chain; /* operations of the longest chain of tasks, at the rate of the fastest place; 0: it is short */
    int steps; /* evaluations one after the other, the first of which needs data */
};

/* ---- The ideal ------------------------------------------------------------------------------------- */

/* Seconds for all of it on one place alone. */
static double seconds_at(const struct machine_place *p, const struct work *w)
{
    return fmax(w->flops / p->flops, w->bytes / p->bytes);
}

/* The share of the work that is done within t seconds, and of each place, which has no more than it
 * could do once more in `again` seconds with all data there. */
static double share_after(const struct machine *m, const struct work *w, bool on_gpus, double t,
                          double again, double share[])
{
    const int n = machine_n_places(m), n_gpus = machine_n_gpus(m);
    double gpus = 0, all = 0;
    for (int i = 0; i < n; i++) {
        const struct machine_place *p = &m->places[i];
        share[i] = fmin(t, again) / seconds_at(p, w);
        if (!p->is_gpu) {
            if (on_gpus && n_gpus > 0) share[i] = 0;
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
        share[i] = fmin(share[i], came);
        gpus += share[i];
    }
    /* all links together */
    const double common = w->everywhere * (m->peer > 0 ? 1 : n_gpus);
    const double most = on_gpus ? INFINITY : fmax(t * m->host - common, 0) / w->in;
    for (int i = 0; i < n; i++) {
        if (i < n_gpus && gpus > most) share[i] *= most / gpus;
        all += share[i];
    }
    return all;
}

/* Seconds of one evaluation; INFINITY: never. */
static double seconds_of(const struct machine *m, const struct work *w, bool on_gpus, double again,
                         double share[])
{
    double low = 0, high = 1e-6;
    for (; share_after(m, w, on_gpus, high, again, share) < 1; high *= 2)
        if (high > 1e6) return INFINITY;
    for (int i = 0; i < 60; i++) {
        const double t = (low + high) / 2;
        *(share_after(m, w, on_gpus, t, again, share) < 1 ? &low : &high) = t;
    }
    share_after(m, w, on_gpus, high, again, share);
    return high;
}

/* Seconds of all evaluations, and the shares for it: what a place has at first it keeps. */
static double ideal_seconds(const struct machine *m, const struct work *w, bool on_gpus,
                            double share[])
{
    if (w->steps <= 1) return seconds_of(m, w, on_gpus, INFINITY, share);
    double best = INFINITY, best_again = INFINITY;
    double again = seconds_of(m, w, true, INFINITY, share) / 2;
    for (int i = 0; i < 300; i++, again *= 1.02) {
        const double s = seconds_of(m, w, on_gpus, again, share) + (w->steps - 1) * again;
        if (s < best) {
            best = s;
            best_again = again;
        }
    }
    seconds_of(m, w, on_gpus, best_again, share);
    return best;
}

/* ---- Inputs ---------------------------------------------------------------------------------------- */

static struct {
    const struct machine *machine;
    const struct work *work;
    enum data data;
} now;

/* Each place has a share of the first axis, in parts that let transfers and work overlap: about 64 MB
 * of data that stream through, six of a product's rows on a GPU. */
static heddle_array *placed(heddle_array *a)
{
    enum { PART_BYTES = 64 << 20, MOST = 1 << 14 };
    static int64_t bounds[MOST];
    static heddle_place places[MOST];
    double share[MACHINE_MAX_PLACES], sum = 0;
    const int n_gpus = machine_n_gpus(now.machine);
    const int64_t rows = heddle_shape(a)[0], unit = heddle_ndim(a) == 1 ? 65536 : 1;
    int64_t last = 0;
    int n = 0;
    ideal_seconds(now.machine, now.work, false, share);
    for (int i = 0; i < machine_n_places(now.machine); i++) {
        sum += share[i];
        const int64_t end = i + 1 == machine_n_places(now.machine)
                                ? rows
                                : (int64_t)(sum * (double)rows) / unit * unit;
        const double bytes = (double)(end - last) / (double)rows * (double)heddle_nbytes(a);
        const int64_t parts =
            now.work->everywhere > 0 ? (i < n_gpus ? 6 : 1) : (int64_t)(bytes / PART_BYTES) + 1;
        const int64_t first = last;
        for (int64_t k = 1; k <= parts && end > first && n < MOST; k++) {
            last = k == parts ? end : first + (end - first) * k / parts / unit * unit;
            bounds[n] = last;
            places[n++] = i < n_gpus ? heddle_gpu(i) : heddle_cpu(i - n_gpus);
        }
    }
    return heddle_distribute(a, &(struct heddle_distribution){
                                    .cut[0] = {HEDDLE_CUT_BOUNDS, n, bounds},
                                    .n_places = n,
                                    .places = places,
                                });
}

static heddle_array *input(int ndim, const int64_t *shape)
{
    double share[MACHINE_MAX_PLACES];
    if (now.data == PLACED) return placed(host_data(ndim, shape));
    if (now.data == ON_HOST) return host_data(ndim, shape);
    ideal_seconds(now.machine, now.work, true, share);
    return gpu_data(ndim, shape, share);
}

static void eval(heddle_array *a)
{
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    CHECK(heddle_status_of(a) == HEDDLE_OK, "%s", heddle_error(a));
}

/* ---- Workloads --------------------------------------------------------------------------------------- */

#define VECTOR 3000000000LL
#define ROWS 50000LL
#define MATRIX 40000LL

static void axpy(void)
{
    heddle_array *x = input(HEDDLE_SHAPE(VECTOR)), *y = input(HEDDLE_SHAPE(VECTOR));
    eval(heddle_expr("2.5 * x + y", HEDDLE_BIND_ALL({"x", x}, {"y", y})));
}

static void black_scholes(void)
{
    heddle_array *S = input(HEDDLE_SHAPE(VECTOR)), *K = input(HEDDLE_SHAPE(VECTOR)),
                 *T = input(HEDDLE_SHAPE(VECTOR));
    eval(heddle_expr("s = 0.3 * sqrt(T)\n"
                     "d = (log(S / K) + 0.065 * T) / s\n"
                     "h = -1 / sqrt(2)\n"
                     "(S * erfc(d * h) - K * exp(-0.02 * T) * erfc((d - s) * h)) / 2",
                     HEDDLE_BIND_ALL({"S", S}, {"K", K}, {"T", T})));
}

static void sum(void)
{
    eval(heddle_sum(input(HEDDLE_SHAPE(VECTOR))));
}

static void jacobi(void)
{
    heddle_array *u = heddle_keep(input(HEDDLE_SHAPE(ROWS, ROWS)));
    for (int i = 0; i < STEPS; i++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *inner =
            heddle_expr("0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])",
                        HEDDLE_BIND("u", u));
        heddle_array *before = u;
        u = heddle_keep(
            heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)), inner));
        eval(u);
        heddle_release(before);
        heddle_scope_close(scope);
    }
    heddle_release(u);
}

static void matmul(void)
{
    heddle_array *a = input(HEDDLE_SHAPE(MATRIX, MATRIX)), *b = input(HEDDLE_SHAPE(MATRIX, MATRIX));
    eval(heddle_matmul(a, b));
}

/* Factorisations of matrices of 64 x 64 tiles on GPUs, and of 16 x 16 tiles in host memory, of which Cholesky needs half. A panel of each factor is needed by the next one, which it updates first:
 * the longest chain is all panels, and one update for each. */
enum { TILES = 64, HOST_TILES = 16 };
#define TILE 1024.0
#define CHAIN(panel, update) (((panel) + (update)) * TILE * TILE * TILE * TILES * TILES / 2)

#define SQUARE (TILES * TILE * TILES * TILE)
#define CUBE (TILES * TILE * SQUARE)
#define HOST_SQUARE (HOST_TILES * TILE * HOST_TILES * TILE)
#define HOST_CUBE (HOST_TILES * TILE * HOST_SQUARE)

static heddle_array *tiles(void)
{
    const int64_t n = (int64_t)TILE * (now.data == ON_HOST ? HOST_TILES : TILES);
    return input(HEDDLE_SHAPE(n, n));
}

static void cholesky(void)
{
    eval(heddle_linalg_cholesky(tiles()));
}

static void lu(void)
{
    heddle_array *order, *lower, *upper;
    CHECK_EQ(heddle_linalg_lu(tiles(), &order, &lower, &upper), HEDDLE_OK);
    eval(order);
}

static void qr(void)
{
    heddle_array *r;
    CHECK_EQ(heddle_linalg_qr(tiles(), NULL, &r), HEDDLE_OK);
    eval(r);
}

static const struct workload {
    const char *name;
    void (*run)(void);
    struct work work;
    const char *machine; /* the only one that it is for; NULL: all */
    enum data data;      /* where its data are; N_DATA: all */
} workloads[] = {
    {"axpy", axpy, {.bytes = 3 * 8.0 * VECTOR, .in = 2 * 8.0 * VECTOR}, NULL, N_DATA},
    {"black_scholes",
     black_scholes,
     {.bytes = 4 * 8.0 * VECTOR, .in = 3 * 8.0 * VECTOR},
     NULL,
     N_DATA},
    {"sum", sum, {.bytes = 8.0 * VECTOR, .in = 8.0 * VECTOR}, NULL, N_DATA},
    {"jacobi",
     jacobi,
     {.bytes = 2 * 8.0 * ROWS * ROWS, .in = 8.0 * ROWS * ROWS, .steps = STEPS},
     NULL,
     N_DATA},
    {"matmul",
     matmul,
     {.flops = 2.0 * MATRIX * MATRIX * MATRIX,
      .bytes = 3 * 8.0 * MATRIX * MATRIX,
      .in = 8.0 * MATRIX * MATRIX,
      .everywhere = 8.0 * MATRIX * MATRIX},
     NULL,
     N_DATA},
    {"cholesky",
     cholesky,
     {.flops = CUBE / 3, .bytes = 16 * SQUARE, .chain = CHAIN(1, 2)},
     "equal",
     ON_GPUS},
    {"lu",
     lu,
     {.flops = 2 * CUBE / 3, .bytes = 16 * SQUARE, .chain = CHAIN(1, 2)},
     "equal",
     ON_GPUS},
    {"qr",
     qr,
     {.flops = 4 * CUBE / 3, .bytes = 16 * SQUARE, .chain = CHAIN(2, 4)},
     "equal",
     ON_GPUS},
    {"cholesky_host",
     cholesky,
     {.flops = HOST_CUBE / 3, .bytes = 16 * HOST_SQUARE, .in = 4 * HOST_SQUARE},
     "one",
     ON_HOST},
    {"lu_host",
     lu,
     {.flops = 2 * HOST_CUBE / 3, .bytes = 16 * HOST_SQUARE, .in = 8 * HOST_SQUARE},
     "one",
     ON_HOST},
    /* beyond the GPU's memory: panels come again for each that updates them; so much moves, and no more */
    {"cholesky_beyond",
     cholesky,
     {.flops = HOST_CUBE / 3, .bytes = 16 * HOST_SQUARE, .in = 7.5e9},
     "small",
     ON_HOST},
    {"lu_beyond",
     lu,
     {.flops = 2 * HOST_CUBE / 3, .bytes = 16 * HOST_SQUARE, .in = 17.5e9},
     "small",
     ON_HOST},
};
enum { N_WORKLOADS = sizeof workloads / sizeof workloads[0] };

/* ---- What is good enough ------------------------------------------------------------------------------- */

#define WITHIN 1.15
#define WITHIN_FIRST                                                                               \
    1.55 /* factorisations while data come: there is little to do with the first of them */

/* What is short of that, and must not get worse. */
static const struct shortfall {
    const char *machine, *workload;
    enum data data;
    double within;
} shortfalls[] = {
    /* too little work for StarPU: its driver starts a transfer for each partial sum, 10 us each. On
       GPUs that are there this is launched directly (src/direct/), which is not simulated. */
    {"equal", "sum", ON_GPUS, 1.25},
    /* what comes waits for what goes */
    {"small", "cholesky_beyond", ON_HOST, 2.3},
    {"small", "lu_beyond", ON_HOST, 1.9},
};

static double limit_of(const struct machine *m, const struct workload *w, enum data data)
{
    for (size_t i = 0; i < sizeof shortfalls / sizeof shortfalls[0]; i++)
        if (strcmp(shortfalls[i].machine, m->name) == 0 && shortfalls[i].data == data &&
            strcmp(shortfalls[i].workload, w->name) == 0)
            return shortfalls[i].within;
    return w->machine && data == ON_HOST ? WITHIN_FIRST : WITHIN;
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static void print_busy(const struct machine *m, const struct account *r)
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

static void simulate(const struct machine *m, const struct workload *w, enum data data,
                     bool verbose)
{
    struct account r;
    devices_are(m);
    heddle_scope scope = heddle_scope_open();
    now.machine = m;
    now.work = &w->work;
    now.data = data;
    account_begin();
    w->run();
    account_end(&r);
    heddle_scope_close(scope);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);

    struct work work = w->work;
    if (!w->machine) work.flops = r.flops / (work.steps ? work.steps : 1);
    double share[MACHINE_MAX_PLACES];
    const double ideal = 1e6 * ideal_seconds(m, &work, data == ON_GPUS, share);
    const double ratio = r.us / ideal;
    const double limit = limit_of(m, w, data);
    printf("%-10s %-14s %-6s %6lld %10.2f %10.2f %6.2f%s\n", m->name, w->name, data_names[data],
           (long long)r.n_tasks, r.us * 1e-3, ideal * 1e-3, ratio, ratio > WITHIN ? " *" : "");
    if (work.chain > 0)
        printf("%-10s %-14s %-6s        %10.2f ms: the longest chain of tasks\n", m->name, w->name,
               data_names[data], 1e3 * work.chain / m->places[0].flops);
    fflush(stdout);
    CHECK(ratio <= limit, "%s on %s, data: %s: %.2f times the ideal, not %.2f", w->name, m->what,
          data_names[data], ratio, limit);
    CHECK(!w->machine || data != ON_HOST || r.to_gpus < 1.1 * work.in,
          "%s: %.3g bytes go to the GPU, not %.3g", w->name, r.to_gpus, work.in);
    CHECK(ratio > 0.9, "%s: faster than can be, so the ideal is wrong", w->name);
    if (ratio > limit || verbose) print_busy(m, &r);
}

int main(int argc, char **argv)
{
    const struct machine *m = argc > 2 ? machine_named(argv[1]) : NULL;
    if (!m) {
        fprintf(stderr, "usage: simulate MACHINE NUMBER [WORKLOAD]\n");
        return 2;
    }
    const int number = (int)strtol(argv[2], NULL, 10);
    if (number >= N_WORKLOADS * N_DATA) return 99; /* there is no such case */
    if (number == 0)
        printf("%-10s %-14s %-6s %6s %10s %10s %6s (*: above %g)\n", "machine", "workload", "data",
               "tasks", "ms", "ideal ms", "ratio", WITHIN);
    const struct workload *w = &workloads[number / N_DATA];
    if (!w->machine && m->alone) return 0;
    if (w->machine && (number % N_DATA != (int)w->data || strcmp(m->name, w->machine) != 0))
        return 0;
    if ((argc < 4 || strcmp(argv[3], w->name) == 0) &&
        (machine_n_gpus(m) > 0 || number % N_DATA != ON_GPUS))
        simulate(m, w, (enum data)(number % N_DATA), argc > 3);
    fflush(stdout);
    return check_n_failed != 0;
}
