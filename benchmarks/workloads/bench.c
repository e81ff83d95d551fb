/* See bench.h. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int bench_runs_max = 20;
double bench_seconds_max = 5;
int64_t bench_asked;
bool bench_paced;

const char bench_black_scholes[] = "sq = 0.3 * sqrt(T)\n"
                                   "d1 = (log(S / K) + (0.02 + 0.5 * 0.3 * 0.3) * T) / sq\n"
                                   "d2 = d1 - sq\n"
                                   "n1 = 0.5 * (1 + erf(d1 * 0.7071067811865475))\n"
                                   "n2 = 0.5 * (1 + erf(d2 * 0.7071067811865475))\n"
                                   "disc = K * exp(-0.02 * T)\n"
                                   "call = S * n1 - disc * n2\n"
                                   "put = call - S + disc";

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_must(enum heddle_status status, const char *what)
{
    if (status == HEDDLE_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, heddle_status_name(status), heddle_last_error());
    exit(1);
}

heddle_array *bench_ready(heddle_array *a)
{
    if (heddle_wait(a) != HEDDLE_OK) {
        fprintf(stderr, "%s\n", heddle_error(a));
        exit(1);
    }
    return heddle_keep(a);
}

heddle_array *bench_input(int ndim, const int64_t *shape, double lo, double hi,
                          enum heddle_dtype dtype)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    heddle_scope scope = heddle_scope_open();
    heddle_array *i = heddle_arange(heddle_scalar((double)n), NULL, NULL);
    double step = 0.6180339887498949 * (1 + lo + hi); /* inputs of one case differ */
    step -= floor(step);
    heddle_array *x = heddle_multiply(i, heddle_scalar(step));
    x = heddle_subtract(x, heddle_floor(x));
    x = heddle_add(heddle_multiply(x, heddle_scalar(hi - lo)), heddle_scalar(lo));
    x = bench_ready(heddle_reshape(heddle_astype(x, dtype), ndim, shape));
    heddle_scope_close(scope);
    return x;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double check_value(heddle_array *a)
{
    double value = NAN;
    const bool is_complex = heddle_dtype_kind(heddle_dtype_of(a)) == 'C';
    heddle_array *flat = heddle_reshape(is_complex ? heddle_real(a) : a, 1, (int64_t[]){-1});
    heddle_array *one = heddle_astype(
        heddle_getitem(flat, HEDDLE_INDEX(HEDDLE_AT(heddle_size(a) / 3))), HEDDLE_FLOAT64);
    if (heddle_read(one, &value, sizeof value) != HEDDLE_OK) {
        fprintf(stderr, "%s\n", heddle_error(one));
        exit(1);
    }
    return value;
}

static double run_once(bench_record *record, void *context, double *check)
{
    heddle_array *out[BENCH_OUTPUTS_MAX];
    const double start = bench_now();
    heddle_scope scope = heddle_scope_open();
    const int n = record(context, out);
    bench_must(heddle_eval_all(n, out), "eval");
    for (int i = 0; i < n; i++) bench_must(heddle_wait(out[i]), "wait");
    if (check) *check = check_value(out[0]);
    heddle_scope_close(scope);
    return bench_now() - start;
}

static int run_steadily(bench_record *record, void *context, double *took, int room)
{
    const double start = bench_now();
    int n = 0;
    do {
        heddle_statistics_reset();
        took[n++] = run_once(record, context, NULL);
    } while (n < bench_runs_max && n < room && bench_now() - start < bench_seconds_max);
    return n;
}

/* Runs a burst for each line that comes, so that whoever sends them can let other systems run in
 * between: a GPU's clock depends on what it did just before. After a line "report" the burst's own
 * median is printed. */
static int run_paced(bench_record *record, void *context, double *took, int room)
{
    char line[64];
    int n = 0;
    while (printf("{\"ready\": true}\n"), fflush(stdout), fgets(line, sizeof line, stdin)) {
        for (int i = 0; i < 3; i++) run_once(record, context, NULL);
        if (n >= room) continue;
        const int runs = run_steadily(record, context, took + n, room - n);
        if (!strncmp(line, "report", 6))
            printf("{\"burst\": %d, \"seconds\": %.9g}\n", runs, bench_median(took + n, runs));
        n += runs;
    }
    return n;
}

struct bench_times bench_time(bench_record *record, void *context)
{
    enum { ROOM = 10000 };
    static double took[ROOM];
    struct bench_times times = {0};
    const double warm_up = bench_now();
    run_once(record, context, &times.check);
    run_once(record, context, NULL);
    do { /* compiled kernels take over from the interpreter when they are ready */
        heddle_statistics_reset();
        run_once(record, context, NULL);
        heddle_statistics_get(&times.statistics);
    } while (times.statistics.gpu_interpreted > 0 && bench_now() - warm_up < 5);
    times.runs = bench_paced ? run_paced(record, context, took, ROOM)
                             : run_steadily(record, context, took, ROOM);
    heddle_statistics_get(&times.statistics);
    times.median = bench_median(took, times.runs);
    times.best = took[0];
    return times;
}

struct bench_times bench_time_new(bench_record *record, void *(*make)(void *from), void *from)
{
    enum { RUNS = 7 };
    double took[RUNS];
    struct bench_times t = {.runs = RUNS};
    for (int run = -1; run < RUNS; run++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *out[BENCH_OUTPUTS_MAX];
        void *const context = make(from);
        heddle_statistics_reset();
        const double start = bench_now();
        const int n = record(context, out);
        bench_must(heddle_eval_all(n, out), "eval");
        for (int i = 0; i < n; i++) bench_must(heddle_wait(out[i]), "wait");
        if (run >= 0) took[run] = bench_now() - start;
        heddle_statistics_get(&t.statistics);
        heddle_scope_close(scope);
    }
    t.median = bench_median(took, RUNS);
    t.best = took[0];
    return t;
}

const char *bench_case(const char *name)
{
    static char text[128];
    if (bench_asked <= 0) return name;
    snprintf(text, sizeof text, "%s@%lld", name, (long long)bench_asked);
    return text;
}

void bench_line(const char *name, int64_t n, int64_t bytes, const struct bench_times *t)
{
    printf("{\"case\": \"%s\", \"system\": \"heddle\", \"n\": %lld, \"seconds\": %.9g, "
           "\"best\": %.9g, \"runs\": %d",
           bench_case(name), (long long)n, t->median, t->best, t->runs);
    if (bytes > 0)
        printf(", \"bytes\": %lld, \"GBps\": %.4g", (long long)bytes,
               (double)bytes / t->median / 1e9);
    printf(", \"check\": %.10g, \"inline\": %lld, \"cpu_tasks\": %lld, \"gpu_tasks\": %lld, "
           "\"gpu_kernels\": %lld}\n",
           t->check, (long long)t->statistics.inline_programs, (long long)t->statistics.cpu_tasks,
           (long long)t->statistics.gpu_tasks, (long long)t->statistics.gpu_kernels);
    fflush(stdout);
}
