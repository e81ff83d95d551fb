/* See products.h. */
#include "products.h"

#include "bench.h"

#include <stdio.h>
#include <string.h>

static int record_square(void *context, heddle_array **out)
{
    out[0] = heddle_matmul(context, context);
    return 1;
}

static int record_square_tf32(void *context, heddle_array **out)
{
    out[0] = heddle_matmul(context, context, .precision = HEDDLE_PRECISION_TF32);
    return 1;
}

static void run(const char *name, int64_t n, heddle_array *a, double flops)
{
    const bool tf32 = strstr(name, "tf32");
    const struct bench_times t = bench_time(tf32 ? record_square_tf32 : record_square, a);
    bench_line(name, n, 3 * heddle_nbytes(a), &t);
    printf("{\"case\": \"%s\", \"system\": \"heddle\", \"TFLOPs\": %.4g}\n", bench_case(name),
           1e-12 * flops / t.median);
    heddle_release(a);
}

void run_matmul(const char *name, int64_t n)
{
    const char *suffix = strrchr(name, '_') + 1;
    const enum heddle_dtype dtype = strcmp(suffix, "f64") == 0    ? HEDDLE_FLOAT64
                                    : strcmp(suffix, "bf16") == 0 ? HEDDLE_BFLOAT16
                                                                  : HEDDLE_FLOAT32;
    heddle_array *a =
        bench_input(HEDDLE_SHAPE(n, n), -1, 1, dtype == HEDDLE_BFLOAT16 ? HEDDLE_FLOAT32 : dtype);
    heddle_array *cast = bench_ready(heddle_astype(a, dtype));
    heddle_release(a);
    run(name, n, cast, 2.0 * (double)n * (double)n * (double)n);
}

void run_matmul_batched(const char *name, int64_t n)
{
    run(name, n, bench_input(HEDDLE_SHAPE(n, 64, 64), -1, 1, HEDDLE_FLOAT32),
        2.0 * 64 * 64 * 64 * (double)n);
}

/* ---- Long sums -------------------------------------------------------------------------------- */

static int record_transposed(void *context, heddle_array **out)
{
    heddle_array *const *x = context;
    out[0] = heddle_matmul(heddle_matrix_transpose(x[0]), x[1]);
    return 1;
}

/* X has 32 columns. `right`: NULL: it is X. */
static void run_thin(const char *name, int64_t n, heddle_array *right)
{
    const enum heddle_dtype dtype = strstr(name, "f64") ? HEDDLE_FLOAT64 : HEDDLE_FLOAT32;
    heddle_array *left = bench_input(HEDDLE_SHAPE(n, 32), -1, 1, dtype);
    heddle_array *x[2] = {left, right ? right : left};
    const struct bench_times t = bench_time(record_transposed, x);
    bench_line(name, n * 32, heddle_nbytes(left) + (right ? heddle_nbytes(right) : 0), &t);
    heddle_release(left);
    heddle_release(right);
}

void run_normal_equations(const char *name, int64_t n)
{
    run_thin(name, n, NULL);
}

void run_thin_transposed(const char *name, int64_t n)
{
    run_thin(name, n, bench_input(HEDDLE_SHAPE(n, 8), 0, 1, HEDDLE_FLOAT64));
}

void run_thin_vector(const char *name, int64_t n)
{
    run_thin(name, n, bench_input(1, &n, 0, 1, HEDDLE_FLOAT32));
}
