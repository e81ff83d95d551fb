/* See latency.h. Times here include all that a caller pays: scope, recording, evaluation, release. */
#include "latency.h"

#include "bench.h"

#include <stdio.h>
#include <sys/resource.h>

static heddle_array *vector(int64_t n, double lo, double hi)
{
    return bench_input(1, &n, lo, hi, HEDDLE_FLOAT64);
}

static int record_chain(void *context, heddle_array **out)
{
    heddle_array *x = context;
    for (int k = 0; k < 100; k++) x = heddle_add(x, heddle_scalar(1.0));
    out[0] = x;
    return 1;
}

static void time_chain(const char *name, int64_t n, heddle_array *a)
{
    const int runs = bench_runs_max;
    bench_runs_max = 50 * runs;
    const struct bench_times t = bench_time(record_chain, a);
    bench_runs_max = runs;
    bench_line(name, n, 0, &t);
    heddle_release(a);
}

void run_chain(const char *name, int64_t n)
{
    time_chain(name, n, vector(n, 0, 1));
}

/* Where a large array is computed: on a GPU, if there is one. */
void run_chain_device(const char *name, int64_t n)
{
    heddle_array *large = vector((int64_t)1 << 24, 0, 1);
    heddle_array *a = heddle_getitem(large, HEDDLE_INDEX(HEDDLE_SLICE(0, n)));
    time_chain(name, n, bench_ready(a));
    heddle_release(large);
}

/* Batches, as one call is too short for the clock. */
void run_small(const char *name, int64_t n)
{
    enum { BATCH = 1000, BATCHES = 21 };
    heddle_array *a = vector(n, 0, 1), *b = vector(n, 1, 2), *c = vector(n, 2, 3);
    static double took[BATCHES], out[1 << 16];
    for (int batch = 0; batch < BATCHES; batch++) {
        heddle_statistics_reset();
        const double start = bench_now();
        for (int i = 0; i < BATCH; i++) {
            heddle_scope scope = heddle_scope_open();
            heddle_array *r = heddle_add(heddle_multiply(a, b), c);
            bench_must(heddle_read(r, out, heddle_nbytes(r)), name);
            heddle_scope_close(scope);
        }
        took[batch] = (bench_now() - start) / BATCH;
    }
    struct bench_times t = {.best = took[0], .runs = BATCHES, .check = out[n / 3]};
    t.median = bench_median(took, BATCHES);
    t.best = took[0];
    heddle_statistics_get(&t.statistics);
    bench_line(name, n, 0, &t);
    heddle_release(a);
    heddle_release(b);
    heddle_release(c);
}

void run_record(const char *name, int64_t n)
{
    enum { NODES = 1000, BATCHES = 101 };
    heddle_array *a = vector(n, 0, 1);
    static double took[BATCHES];
    for (int batch = 0; batch < BATCHES; batch++) {
        const double start = bench_now();
        heddle_scope scope = heddle_scope_open();
        heddle_array *x = a;
        for (int i = 0; i < NODES; i++) x = heddle_add(x, a);
        heddle_scope_close(scope);
        took[batch] = (bench_now() - start) / NODES;
    }
    struct bench_times t = {.runs = BATCHES, .check = 0};
    t.median = bench_median(took, BATCHES);
    t.best = took[0];
    bench_line(name, n, 0, &t);
    heddle_release(a);
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

void run_million(const char *name, int64_t n)
{
    enum { NODES = 1000000 };
    heddle_array *a = vector(n, 0, 1), *b = vector(n, 0, 1e-6);
    const long before = peak_kib();
    double at[5];
    at[0] = bench_now();
    /* No scope: each step holds its input, we hold the last. */
    heddle_array *x = heddle_keep(a);
    for (int i = 0; i < NODES; i++) {
        heddle_array *next = heddle_add(x, b);
        heddle_release(x);
        x = next;
    }
    at[1] = bench_now();
    bench_must(heddle_eval(x), "eval");
    at[2] = bench_now();
    bench_must(heddle_wait(x), "wait");
    at[3] = bench_now();
    static double out[1 << 16];
    bench_must(heddle_read(x, out, heddle_nbytes(x)), "read");
    heddle_release(x);
    at[4] = bench_now();
    printf("{\"case\": \"%s\", \"system\": \"heddle\", \"n\": %lld, \"nodes\": %d, "
           "\"seconds\": %.6g, \"build\": %.6g, \"eval\": %.6g, \"wait\": %.6g, "
           "\"peak_bytes_more\": %lld, \"check\": %.10g}\n",
           name, (long long)n, NODES, at[4] - at[0], at[1] - at[0], at[2] - at[1], at[3] - at[2],
           (long long)(peak_kib() - before) * 1024, out[n / 3]);
    fflush(stdout);
    heddle_release(a);
    heddle_release(b);
}

/* Expression k of a family in which each has another structure, and so another program. */
static heddle_array *unseen(heddle_array *a, unsigned k)
{
    heddle_array *x = a;
    for (int bit = 0; bit < 12; bit++, k >>= 1)
        x = k & 1 ? heddle_sin(heddle_add(x, a)) : heddle_multiply(heddle_cos(x), a);
    return x;
}

void run_first_use(const char *name, int64_t n)
{
    enum { KINDS = 15 };
    heddle_array *a = vector(n, 0, 1);
    double first[KINDS], second[KINDS];
    for (unsigned k = 0; k < KINDS; k++)
        for (int again = 0; again < 2; again++) {
            const double start = bench_now();
            heddle_scope scope = heddle_scope_open();
            bench_must(heddle_wait(unseen(a, 0x5a5 + 37 * k)), name);
            heddle_scope_close(scope);
            (again ? second : first)[k] = bench_now() - start;
        }
    const double median_first = bench_median(first, KINDS), median = bench_median(second, KINDS);
    printf("{\"case\": \"%s\", \"system\": \"heddle\", \"n\": %lld, \"seconds\": %.6g, "
           "\"worst\": %.6g, \"second_use\": %.6g}\n",
           name, (long long)n, median_first, first[KINDS - 1], median);
    fflush(stdout);
    heddle_release(a);
}
