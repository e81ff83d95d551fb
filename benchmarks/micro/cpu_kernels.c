/* The CPU kernels alone, beside plain loops in the same run: triad, a chain of elementary
 * functions, Black-Scholes, sums, a transposed copy, and the latency of a small call.
 * Prints one line for each: name, time, rate. Arguments: elements (10000000), threads (2). */
#include "../../tests/kernels/build.h"
#include "timing.h"

#include <stdio.h>

static double *array(int64_t n, double low, double high)
{
    double *a = aligned_alloc(64, (size_t)(n * 8 + 63) / 64 * 64);
    if (!a) exit(1);
    for (int64_t i = 0; i < n; i++)
        a[i] = low + (high - low) * (double)(i * 7919 % 10007) / 10007.0;
    return a;
}

static double best(struct build *b, int n_threads, int repeat)
{
    double least = 1e9;
    for (int k = 0; k < repeat; k++) {
        const double start = now();
        if (build_run(b, n_threads)) exit(1);
        const double s = now() - start;
        if (s < least) least = s;
    }
    return least;
}

static void plain_triad(int64_t n, double a, const double *x, const double *y, double *z,
                        int n_threads)
{
#pragma omp parallel for simd num_threads(n_threads) schedule(static)
    for (int64_t i = 0; i < n; i++) z[i] = a * x[i] + y[i];
}

#define F64 HEDDLE_FLOAT64

static int op(struct build *b, enum heddle_op code, int x, int y)
{
    return build_op(b, code, F64, x, y);
}

static void triad(int64_t n, int n_threads)
{
    double *x = array(n, 0, 1), *y = array(n, 0, 1), *z = array(n, 0, 0);
    struct build b;
    build_begin(&b, 1, 1, &n);
    const int ax = op(&b, HEDDLE_OP_MULTIPLY, build_f64(&b, 3), build_load(&b, F64, x, NULL, 0));
    build_store(&b, op(&b, HEDDLE_OP_ADD, ax, build_load(&b, F64, y, NULL, 0)), F64, z, NULL, 0);
    double plain = 1e9;
    for (int k = 0; k < 10; k++) {
        const double start = now();
        plain_triad(n, 3, x, y, z, n_threads);
        const double s = now() - start;
        if (s < plain) plain = s;
    }
    const double ours = best(&b, n_threads, 10);
    printf("triad                 %8.2f ms  %6.2f GB/s  plain %6.2f GB/s  ratio %.2f\n", ours * 1e3,
           24e-9 * (double)n / ours, 24e-9 * (double)n / plain, plain / ours);
    free(x), free(y), free(z);
}

/* exp(-a*a) * sin(b) + sqrt(c) */
static void chain(int64_t n, int n_threads)
{
    double *x = array(n, -1, 1), *y = array(n, -3, 3), *z = array(n, 0, 5), *out = array(n, 0, 0);
    struct build b;
    build_begin(&b, 1, 1, &n);
    const int a = build_load(&b, F64, x, NULL, 0);
    const int na = op(&b, HEDDLE_OP_NEGATIVE, a, 0);
    const int e = op(&b, HEDDLE_OP_EXP, op(&b, HEDDLE_OP_MULTIPLY, na, a), 0);
    const int s = op(&b, HEDDLE_OP_SIN, build_load(&b, F64, y, NULL, 0), 0);
    const int q = op(&b, HEDDLE_OP_SQRT, build_load(&b, F64, z, NULL, 0), 0);
    const int r = op(&b, HEDDLE_OP_ADD, op(&b, HEDDLE_OP_MULTIPLY, e, s), q);
    build_store(&b, r, F64, out, NULL, 0);
    const double t = best(&b, n_threads, 10);
    printf("exp(-aa)sin(b)+sqrt(c)%8.2f ms  %6.2f ns/element\n", t * 1e3, t * 1e9 / (double)n);
    free(x), free(y), free(z), free(out);
}

/* Call and put: log, sqrt, two exp, two erf and arithmetic, as in benchmarks of NumPy. */
static void black_scholes(int64_t n, int n_threads)
{
    double *price = array(n, 10, 50), *strike = array(n, 10, 50), *time_ = array(n, 1, 2);
    double *call = array(n, 0, 0), *put = array(n, 0, 0);
    struct build b;
    build_begin(&b, 1, 1, &n);
    const double rate = 0.1, vol = 0.2;
    const int p = build_load(&b, F64, price, NULL, 0), s = build_load(&b, F64, strike, NULL, 0);
    const int t = build_load(&b, F64, time_, NULL, 0);
    const int half = build_f64(&b, 0.5);
    const int a = op(&b, HEDDLE_OP_LOG, op(&b, HEDDLE_OP_DIVIDE, p, s), 0);
    const int bb = op(&b, HEDDLE_OP_MULTIPLY, t, build_f64(&b, -rate));
    const int z = op(&b, HEDDLE_OP_MULTIPLY, t, build_f64(&b, vol * vol * 2));
    const int c = op(&b, HEDDLE_OP_MULTIPLY, build_f64(&b, 0.25), z);
    const int y = op(&b, HEDDLE_OP_DIVIDE, build_f64(&b, 1), op(&b, HEDDLE_OP_SQRT, z, 0));
    const int amb = op(&b, HEDDLE_OP_SUBTRACT, a, bb);
    const int w1 = op(&b, HEDDLE_OP_MULTIPLY, op(&b, HEDDLE_OP_ADD, amb, c), y);
    const int w2 = op(&b, HEDDLE_OP_MULTIPLY, op(&b, HEDDLE_OP_SUBTRACT, amb, c), y);
    const int e1 = op(&b, HEDDLE_OP_MULTIPLY, half, op(&b, HEDDLE_OP_ERF, w1, 0));
    const int e2 = op(&b, HEDDLE_OP_MULTIPLY, half, op(&b, HEDDLE_OP_ERF, w2, 0));
    const int d1 = op(&b, HEDDLE_OP_ADD, half, e1), d2 = op(&b, HEDDLE_OP_ADD, half, e2);
    const int se = op(&b, HEDDLE_OP_MULTIPLY, op(&b, HEDDLE_OP_EXP, bb, 0), s);
    const int r = op(&b, HEDDLE_OP_SUBTRACT, op(&b, HEDDLE_OP_MULTIPLY, p, d1),
                     op(&b, HEDDLE_OP_MULTIPLY, se, d2));
    build_store(&b, r, F64, call, NULL, 0);
    build_store(&b, op(&b, HEDDLE_OP_ADD, op(&b, HEDDLE_OP_SUBTRACT, r, p), se), F64, put, NULL, 0);
    const double one = best(&b, 1, 5), all = best(&b, n_threads, 5);
    printf("Black-Scholes         %8.2f ms  %6.2f ns/element; 1 thread %6.2f ns/element\n",
           all * 1e3, all * 1e9 / (double)n, one * 1e9 / (double)n);
    free(price), free(strike), free(time_), free(call), free(put);
}

static void sum(const char *name, int64_t n0, int64_t n1, int n_kept, bool first_axis,
                int n_threads)
{
    double *x = array(n0 * n1, 0, 1), *out = array(n0 > n1 ? n0 : n1, 0, 0);
    struct build b;
    int64_t extent[2] = {n0, n1}, stride[2] = {n1, 1};
    if (first_axis) { /* keeps axis 1 */
        extent[0] = n1, extent[1] = n0;
        stride[0] = 1, stride[1] = n1;
    }
    build_begin(&b, n_kept, 2, extent);
    const int r = build_reduce(&b, HEDDLE_REDUCE_SUM, F64, build_load(&b, F64, x, stride, 0));
    b.program.sequential = first_axis;
    heddle__reduce_chunks(&b.launch.geometry, first_axis);
    build_store(&b, build_reduced(&b, r), F64, out, n_kept ? NULL : (int64_t[2]){0, 0}, 0);
    if (n_kept) b.access[1].stride[0] = 1;
    const double t = best(&b, n_threads, 10);
    printf("%-22s%8.2f ms  %6.2f GB/s\n", name, t * 1e3, 8e-9 * (double)(n0 * n1) / t);
    free(x), free(out);
}

static void transpose(int64_t n, int n_threads)
{
    double *x = array(n * n, 0, 1), *out = array(n * n, 0, 0);
    struct build b;
    build_begin(&b, 2, 2, (int64_t[2]){n, n});
    build_store(&b, build_load(&b, F64, x, (int64_t[2]){1, n}, 0), F64, out, NULL, 0);
    const double t = best(&b, n_threads, 5);
    printf("transposed copy       %8.2f ms  %6.2f GB/s\n", t * 1e3, 16e-9 * (double)(n * n) / t);
    free(x), free(out);
}

/* a*b + c of n elements, many calls. */
static void latency(int64_t n)
{
    double *x = array(n, 0, 1), *y = array(n, 0, 1), *z = array(n, 0, 1), *out = array(n, 0, 0);
    struct build b;
    build_begin(&b, 1, 1, &n);
    const int m = op(&b, HEDDLE_OP_MULTIPLY, build_load(&b, F64, x, NULL, 0),
                     build_load(&b, F64, y, NULL, 0));
    build_store(&b, op(&b, HEDDLE_OP_ADD, m, build_load(&b, F64, z, NULL, 0)), F64, out, NULL, 0);
    double least = 1e9;
    for (int k = 0; k < 20; k++) {
        const double start = now();
        for (int i = 0; i < 5000; i++) build_run(&b, 1);
        const double s = (now() - start) / 5000;
        if (s < least) least = s;
    }
    printf("a*b+c, n = %-10lld %8.1f ns a call\n", (long long)n, least * 1e9);
    free(x), free(y), free(z), free(out);
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 10000000;
    const int n_threads = argc > 2 ? atoi(argv[2]) : 2;
    double bytes = 0, flops = 0;
    heddle__cpu_measure(test_team(n_threads), &bytes, &flops);
    printf("isa %s, %d threads, copy %.1f GB/s, %.1f G additions/s\n", heddle__cpu_isa(), n_threads,
           bytes * 1e-9, flops * 1e-9);
    triad(n, n_threads);
    chain(n, n_threads);
    black_scholes(n, n_threads);
    sum("sum of all", n / 1000, 1000, 0, false, n_threads);
    sum("sum of rows of 1000", n / 1000, 1000, 1, false, n_threads);
    sum("sum of rows of 8", n / 8, 8, 1, false, n_threads);
    sum("sum of columns, 1000", n / 1000, 1000, 1, true, n_threads);
    sum("sum of columns, 4", n / 4, 4, 1, true, n_threads);
    transpose(3000, n_threads);
    latency(1);
    latency(1000);
    latency(10000);
    return 0;
}
