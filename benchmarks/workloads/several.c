/* See several.h. */
#include "several.h"

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100 };

struct operands {
    heddle_array *a, *b, *c;
};

static void release(struct operands *o)
{
    heddle_release(o->a);
    heddle_release(o->b);
    heddle_release(o->c);
}

static heddle_array *vector(int64_t n, double lo, double hi)
{
    return bench_input(1, &n, lo, hi, HEDDLE_FLOAT32);
}

static heddle_array *matrix(int64_t n, double lo, double hi, enum heddle_dtype dtype)
{
    return bench_input(HEDDLE_SHAPE(n, n), lo, hi, dtype);
}

/* ---- elementwise, reduction -------------------------------------------------------------------- */

static int record_axpy(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_add(heddle_multiply(heddle_scalar(2.5), o->a), o->b);
    return 1;
}

static int record_black_scholes(void *context, heddle_array **out)
{
    struct operands *o = context;
    struct heddle_binding results[] = {{"call", NULL}, {"put", NULL}};
    bench_must(heddle_expr_run(bench_black_scholes,
                               HEDDLE_BIND_ALL({"S", o->a}, {"K", o->b}, {"T", o->c}), 2, results),
               "black_scholes");
    out[0] = results[0].array;
    out[1] = results[1].array;
    return 2;
}

static int record_sumabs2(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_sum(heddle_square(heddle_abs(o->a)));
    return 1;
}

void run_several_axpy(const char *name, int64_t n)
{
    struct operands o = {.a = vector(n, 0, 1), .b = vector(n, 1, 2)};
    const struct bench_times t = bench_time(record_axpy, &o);
    bench_line(name, n, 3 * 4 * n, &t);
    release(&o);
}

void run_several_black_scholes(const char *name, int64_t n)
{
    struct operands o = {
        .a = vector(n, 10, 110), .b = vector(n, 20, 120), .c = vector(n, 0.1, 2.1)};
    const struct bench_times t = bench_time(record_black_scholes, &o);
    bench_line(name, n, 5 * 4 * n, &t);
    release(&o);
}

void run_several_sumabs2(const char *name, int64_t n)
{
    struct operands o = {.a = vector(n, -1, 1)};
    const struct bench_times t = bench_time(record_sumabs2, &o);
    bench_line(name, n, 4 * n, &t);
    release(&o);
}

/* ---- scan ---------------------------------------------------------------------------------------- */

static int record_cumulative_sum(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_cumulative_sum(o->a);
    return 1;
}

void run_several_cumulative_sum(const char *name, int64_t n)
{
    struct operands o = {.a = bench_input(1, &n, -1, 1, HEDDLE_FLOAT64)};
    const struct bench_times t = bench_time(record_cumulative_sum, &o);
    bench_line(name, n, 2 * 8 * n, &t);
    release(&o);
}

/* ---- stencil ------------------------------------------------------------------------------------- */

static heddle_array *step(heddle_array *u)
{
    heddle_array *down = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2), HEDDLE_SLICE(1, -1)));
    heddle_array *up = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2), HEDDLE_SLICE(1, -1)));
    heddle_array *right = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_FROM(2)));
    heddle_array *left = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_TO(-2)));
    heddle_array *sum = heddle_add(heddle_add(heddle_add(down, up), right), left);
    return heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)),
                           heddle_multiply(heddle_scalar(0.25), sum));
}

static int record_jacobi(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = o->a;
    for (int k = 0; k < STEPS; k++) out[0] = step(out[0]);
    return 1;
}

static int record_ten_steps(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = o->a;
    for (int k = 0; k < 10; k++) out[0] = step(out[0]);
    return 1;
}

void run_several_jacobi(const char *name, int64_t n)
{
    struct operands o = {.a = matrix(n, 0, 1, HEDDLE_FLOAT64)};
    const struct bench_times t = bench_time(record_jacobi, &o);
    bench_line(name, n * n, 2 * STEPS * heddle_nbytes(o.a), &t);
    printf("{\"case\": \"%s\", \"system\": \"heddle\", \"steps\": %d, \"bytes_gpu_to_gpu\": %lld, "
           "\"bytes_to_gpu\": %lld, \"bytes_from_gpu\": %lld}\n",
           name, STEPS, (long long)t.statistics.bytes_gpu_to_gpu,
           (long long)t.statistics.bytes_to_gpu, (long long)t.statistics.bytes_from_gpu);
    release(&o);
}

/* ---- product, redistribution ------------------------------------------------------------------------ */

static int record_matmul(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_matmul(o->a, o->b);
    return 1;
}

void run_several_matmul(const char *name, int64_t n)
{
    const enum heddle_dtype dtype = strstr(name, "f64") ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32;
    struct operands o = {.a = matrix(n, -1, 1, dtype), .b = matrix(n, -1, 1, dtype)};
    const int runs = bench_runs_max;
    if (runs > 5) bench_runs_max = 5;
    const struct bench_times t = bench_time(record_matmul, &o);
    bench_runs_max = runs;
    bench_line(name, n, 3 * heddle_nbytes(o.a), &t);
    printf("{\"case\": \"%s\", \"system\": \"heddle\", \"TFLOPs\": %.4g}\n", bench_case(name),
           2e-12 * (double)n * (double)n * (double)n / t.median);
    release(&o);
}

static struct heddle_distribution blocks(int axis, int n_places, const heddle_place *places)
{
    struct heddle_distribution d = {.n_places = n_places, .places = places};
    d.cut[axis].kind = HEDDLE_CUT_PARTS;
    return d;
}

struct redistribution {
    heddle_array *a;
    struct heddle_distribution to;
};

static int record_redistribution(void *context, heddle_array **out)
{
    struct redistribution *r = context;
    out[0] = heddle_distribute(r->a, &r->to);
    return 1;
}

void run_redistribute(const char *name, int64_t n)
{
    heddle_place places[64];
    int n_cpus = 0, n_gpus = 0;
    bench_must(heddle_count_places(&n_cpus, &n_gpus), "places");
    const int n_places = n_gpus ? n_gpus : n_cpus;
    for (int i = 0; i < n_places && i < 64; i++) places[i] = n_gpus ? heddle_gpu(i) : heddle_cpu(i);
    const struct heddle_distribution rows = blocks(0, n_places, places);
    heddle_array *a = matrix(n, 0, 1, HEDDLE_FLOAT32);
    heddle_array *cut = bench_ready(heddle_distribute(a, &rows));
    heddle_release(a);
    struct redistribution r = {cut, blocks(1, n_places, places)};
    const struct bench_times t = bench_time(record_redistribution, &r);
    bench_line(name, n * n, 4 * n * n * (n_places - 1) / n_places, &t); /* bytes over links */
    heddle_release(cut);
}

/* ---- data in host memory ---------------------------------------------------------------------------- */

static float *host_data(int64_t n)
{
    float *data = malloc((size_t)n * sizeof *data);
    int64_t known = 0;
    for (; data && known < n && known < 1000; known++) data[known] = 20.0f + (float)known * 0.08f;
    while (data && known < n) {
        const int64_t more = known < n - known ? known : n - known;
        memcpy(data + known, data, (size_t)more * sizeof *data);
        known += more;
    }
    return data;
}

struct host_inputs {
    const float *data;
    int n_inputs, ndim;
    const int64_t *shape;
    struct operands operands;
};

static void *make_inputs(void *from)
{
    struct host_inputs *h = from;
    heddle_array **to[] = {&h->operands.a, &h->operands.b, &h->operands.c};
    for (int i = 0; i < h->n_inputs && i < 3; i++)
        *to[i] = heddle_asarray(h->data, HEDDLE_FLOAT32, h->ndim, h->shape);
    return &h->operands;
}

static void time_host(const char *name, int n_inputs, int ndim, const int64_t *shape,
                      bench_record *record)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    float *data = host_data(n);
    struct host_inputs inputs = {data, n_inputs, ndim, shape, {0}};
    if (!data) return;
    const struct bench_times t = bench_time_new(record, make_inputs, &inputs);
    bench_line(name, n, n_inputs * n * (int64_t)sizeof *data, &t);
    free(data);
}

void run_host_light(const char *name, int64_t n)
{
    time_host(name, 2, 1, &n, record_axpy);
}

void run_host_heavy(const char *name, int64_t n)
{
    time_host(name, 3, 1, &n, record_black_scholes);
}

void run_host_jacobi(const char *name, int64_t n)
{
    time_host(name, 1, HEDDLE_SHAPE(n, n), record_ten_steps);
}

void run_host_matmul(const char *name, int64_t n)
{
    time_host(name, 2, HEDDLE_SHAPE(n, n), record_matmul);
}

static int record_stream(void *context, heddle_array **out)
{
    heddle_array **x = context;
    out[0] = heddle_sum(heddle_add(heddle_multiply(x[0], x[1]), heddle_multiply(x[2], x[3])));
    return 1;
}

/* Four arrays over one memory, so that the host need not have all of it; each is moved by itself. */
void run_stream(const char *name, int64_t n)
{
    float *data = host_data(n);
    heddle_array *x[4];
    if (!data) return;
    for (int i = 0; i < 4; i++) x[i] = heddle_asarray(data, HEDDLE_FLOAT32, 1, &n, .borrow = true);
    const int runs = bench_runs_max;
    if (runs > 5) bench_runs_max = 5;
    const struct bench_times t = bench_time(record_stream, x);
    bench_runs_max = runs;
    bench_line(name, n, 4 * n * (int64_t)sizeof *data, &t);
    for (int i = 0; i < 4; i++) heddle_release(x[i]);
    free(data);
}
