/* See factors.h. */
#include "factors.h"

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int record_cholesky(void *context, heddle_array **out)
{
    out[0] = heddle_linalg_cholesky(context);
    return 1;
}

static int record_lu(void *context, heddle_array **out)
{
    bench_must(heddle_linalg_lu(context, &out[2], &out[1], &out[0]), "lu");
    return 3;
}

static int record_qr(void *context, heddle_array **out)
{
    bench_must(heddle_linalg_qr(context, &out[0], &out[1]), "qr");
    return 2;
}

static int record_solve(void *context, heddle_array **out)
{
    heddle_array *a = context;
    out[0] = heddle_linalg_solve(
        a, heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ELLIPSIS, HEDDLE_SLICE(0, 1))));
    return 1;
}

static int record_inv(void *context, heddle_array **out)
{
    out[0] = heddle_linalg_inv(context);
    return 1;
}

static const struct factor {
    const char *name; /* a part of the case's name */
    bench_record *record;
    double flops; /* of n = 1 */
} factors[] = {
    {"cholesky", record_cholesky, 1.0 / 3}, {"lu", record_lu, 2.0 / 3}, {"qr", record_qr, 8.0 / 3},
    {"solve", record_solve, 2.0 / 3},       {"inv", record_inv, 2},
};

/* Symmetric, and positive definite: a + a^T + 4 n I, of numbers in [0, 1). */
static heddle_array *matrices(int ndim, const int64_t *shape)
{
    const int64_t n = shape[ndim - 1];
    heddle_array *a = bench_input(ndim, shape, 0, 1, HEDDLE_FLOAT64);
    heddle_array *diagonal = heddle_multiply(heddle_eye(n, n), heddle_scalar_float(4 * (double)n));
    heddle_array *ready =
        bench_ready(heddle_add(heddle_add(a, heddle_matrix_transpose(a)), diagonal));
    heddle_release(a);
    return ready;
}

/* The same in host memory. */
struct host_matrix {
    double *data;
    int64_t n;
};

static void *make_matrix(void *from)
{
    const struct host_matrix *m = from;
    return heddle_asarray(m->data, HEDDLE_FLOAT64, HEDDLE_SHAPE(m->n, m->n));
}

static struct bench_times time_on_host(int64_t n, bench_record *record)
{
    struct host_matrix m = {malloc((size_t)(n * n) * sizeof *m.data), n};
    for (int64_t i = 0; i < n && m.data; i++)
        for (int64_t j = 0; j < n; j++)
            m.data[i * n + j] = (double)((i + j) % 97) / 97 + (i == j ? 4.0 * (double)n : 0);
    const struct bench_times t = bench_time_new(record, make_matrix, &m);
    free(m.data);
    return t;
}

static struct bench_times time_on_device(int ndim, const int64_t *shape, bench_record *record)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = matrices(ndim, shape);
    heddle_scope_close(scope);
    const int runs = bench_runs_max;
    if (runs > 10) bench_runs_max = 10;
    const struct bench_times t = bench_time(record, a);
    bench_runs_max = runs;
    heddle_release(a);
    return t;
}

void run_factor(const char *name, int64_t n)
{
    const struct factor *f = factors;
    while (!strstr(name, f->name)) f++;
    const bool batched = strstr(name, "batched") != NULL;
    const double rows = batched ? 64 : (double)n, count = batched ? (double)n : 1;
    const struct bench_times t = strncmp(name, "host", 4) == 0 ? time_on_host(n, f->record)
                                 : batched ? time_on_device(HEDDLE_SHAPE(n, 64, 64), f->record)
                                           : time_on_device(HEDDLE_SHAPE(n, n), f->record);
    bench_line(name, n, (int64_t)(16 * count * rows * rows), &t);
    printf("{\"case\": \"%s\", \"system\": \"heddle\", \"TFLOPs\": %.4g, \"bytes_to_gpu\": %lld}\n",
           bench_case(name), 1e-12 * f->flops * rows * rows * rows * count / t.median,
           (long long)t.statistics.bytes_to_gpu);
}
