/* See order.h. */
#include "order.h"

#include "bench.h"

static int record_sort(void *context, heddle_array **out)
{
    out[0] = heddle_sort(context);
    return 1;
}

static int record_argsort(void *context, heddle_array **out)
{
    out[0] = heddle_argsort(context);
    return 1;
}

static int record_unique(void *context, heddle_array **out)
{
    out[0] = heddle_unique_values(context);
    return 1;
}

static int record_histogram(void *context, heddle_array **out)
{
    bench_must(heddle_histogram(context, &out[0], &out[1], .bins = 100), "histogram");
    return 2;
}

static int record_mask(void *context, heddle_array **out)
{
    heddle_array *a = context;
    out[0] = heddle_extract(heddle_greater(a, heddle_scalar(0.0)), a);
    return 1;
}

/* Times `record` on n numbers, each read once and `written` times as many bytes written. */
static void run(const char *name, int64_t n, heddle_array *a, bench_record *record, double written)
{
    const struct bench_times t = bench_time(record, a);
    bench_line(name, n, (int64_t)((1 + written) * 8 * (double)n), &t);
    heddle_release(a);
}

static heddle_array *numbers(int64_t n)
{
    return bench_input(1, &n, -1, 1, HEDDLE_FLOAT64);
}

void run_sort(const char *name, int64_t n)
{
    run(name, n, numbers(n), record_sort, 1);
}

void run_argsort(const char *name, int64_t n)
{
    run(name, n, numbers(n), record_argsort, 1);
}

void run_unique(const char *name, int64_t n)
{
    heddle_array *a = bench_input(1, &n, 0, 1e6, HEDDLE_FLOAT64);
    heddle_array *whole = bench_ready(heddle_floor(a));
    heddle_release(a);
    run(name, n, whole, record_unique, 0);
}

void run_histogram(const char *name, int64_t n)
{
    run(name, n, numbers(n), record_histogram, 0);
}

void run_mask(const char *name, int64_t n)
{
    run(name, n, numbers(n), record_mask, 0.5);
}
