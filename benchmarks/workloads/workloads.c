/* The workloads that Heddle is compared on: one JSON line a case, medians of record + evaluate +
 * wait. Inputs are evaluated first and stay where they are computed.
 *
 *     heddle_workloads [--sizes cpu|gpu] [--runs N] [--seconds S] [CASE...]
 *
 * Default: all cases but those for several devices and large memory (several.h).
 * Sizes are the GPU's if a GPU is used, else the CPU's. Small and slow-to-build cases: latency.c; sorting: order.c. */
#include "bench.h"
#include "fourier.h"
#include "factors.h"
#include "kernels.h"
#include "latency.h"
#include "order.h"
#include "products.h"
#include "random_numbers.h"
#include "raw.h"
#include "several.h"
#include "sparse.h"
#include "spectral.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct operands {
    heddle_array *a, *b, *c;
    int axis;
};

static void release(struct operands *o)
{
    heddle_release(o->a);
    heddle_release(o->b);
    heddle_release(o->c);
}

static heddle_array *vector(int64_t n, double lo, double hi, enum heddle_dtype dtype)
{
    return bench_input(1, &n, lo, hi, dtype);
}

/* ---- streams ---------------------------------------------------------------------------------- */

static int record_copy(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_add(o->a, heddle_scalar(1.0)); /* one read, one write; nothing to leave out */
    return 1;
}

static void run_copy(const char *name, int64_t n)
{
    struct operands o = {.a = vector(n, 0, 1, HEDDLE_FLOAT32)};
    const struct bench_times t = bench_time(record_copy, &o);
    bench_line(name, n, 2 * 4 * n, &t);
    release(&o);
}

static int record_axpy(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_add(heddle_multiply(heddle_scalar(2.5), o->a), o->b);
    return 1;
}

static void run_axpy(const char *name, int64_t n)
{
    struct operands o = {.a = vector(n, 0, 1, HEDDLE_FLOAT32),
                         .b = vector(n, 1, 2, HEDDLE_FLOAT32)};
    const struct bench_times t = bench_time(record_axpy, &o);
    bench_line(name, n, 3 * 4 * n, &t);
    release(&o);
}

/* ---- elementary functions ---------------------------------------------------------------------- */

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

static void time_black_scholes(const char *name, int64_t n, enum heddle_dtype dtype)
{
    struct operands o = {.a = vector(n, 10, 110, dtype),
                         .b = vector(n, 20, 120, dtype),
                         .c = vector(n, 0.1, 2.1, dtype)};
    const struct bench_times t = bench_time(record_black_scholes, &o);
    bench_line(name, n, 5 * n * (int64_t)heddle_dtype_size(dtype), &t);
    release(&o);
}

static void run_black_scholes_f32(const char *name, int64_t n)
{
    time_black_scholes(name, n, HEDDLE_FLOAT32);
}

static void run_black_scholes_f64(const char *name, int64_t n)
{
    time_black_scholes(name, n, HEDDLE_FLOAT64);
}

static int record_mixed(void *context, heddle_array **out)
{
    struct operands *o = context;
    heddle_array *bell = heddle_exp(heddle_multiply(heddle_negative(o->a), o->a));
    out[0] = heddle_add(heddle_multiply(bell, heddle_sin(o->b)), heddle_sqrt(o->c));
    return 1;
}

static void run_mixed(const char *name, int64_t n)
{
    struct operands o = {.a = vector(n, -2, 2, HEDDLE_FLOAT64),
                         .b = vector(n, -3, 3, HEDDLE_FLOAT64),
                         .c = vector(n, 0, 9, HEDDLE_FLOAT64)};
    const struct bench_times t = bench_time(record_mixed, &o);
    bench_line(name, n, 4 * 8 * n, &t);
    release(&o);
}

/* ---- reductions ------------------------------------------------------------------------------- */

static int record_sumabs2(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_expr("sum(abs(a) ** 2)", HEDDLE_BIND_ALL({"a", o->a}));
    return 1;
}

static int record_axis_sum(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_sum(o->a, .axis = o->axis);
    return 1;
}

static heddle_array *block(int64_t n)
{
    return bench_input(HEDDLE_SHAPE(n, 512, 512), -1, 1, HEDDLE_FLOAT64);
}

static void run_sumabs2(const char *name, int64_t n)
{
    struct operands o = {.a = block(n)};
    const struct bench_times t = bench_time(record_sumabs2, &o);
    bench_line(name, n * 512 * 512, heddle_nbytes(o.a), &t);
    release(&o);
}

static void run_axis_sum(const char *name, int64_t n)
{
    struct operands o = {.a = block(n), .axis = name[strlen(name) - 1] - '0'};
    const struct bench_times t = bench_time(record_axis_sum, &o);
    bench_line(name, n * 512 * 512, heddle_nbytes(o.a), &t);
    release(&o);
}

/* ---- scan, gather ------------------------------------------------------------------------------ */

static int record_cumulative_sum(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_cumulative_sum(o->a);
    return 1;
}

static void run_cumulative_sum(const char *name, int64_t n)
{
    struct operands o = {.a = vector(n, -1, 1, HEDDLE_FLOAT64)};
    const struct bench_times t = bench_time(record_cumulative_sum, &o);
    bench_line(name, n, 2 * 8 * n, &t);
    release(&o);
}

static int record_take(void *context, heddle_array **out)
{
    struct operands *o = context;
    out[0] = heddle_take(o->a, o->b);
    return 1;
}

/* n is a power of two; the positions are a hash of 0, 1, ..., the same as the peers'. */
static void run_take(const char *name, int64_t n)
{
    struct operands o = {.a = vector(n, -1, 1, HEDDLE_FLOAT64)};
    heddle_array *hash =
        heddle_expr("x = arange(n) * c; x = (x ^ (x >> 31)) * c; (x ^ (x >> 29)) & (n - 1)",
                    HEDDLE_BIND_ALL({"n", heddle_scalar(n)},
                                    {"c", heddle_scalar(INT64_C(6364136223846793005))}));
    o.b = bench_ready(hash);
    const struct bench_times t = bench_time(record_take, &o);
    bench_line(name, n, 3 * 8 * n, &t);
    release(&o);
}

/* ---- stencil ---------------------------------------------------------------------------------- */

static int record_jacobi(void *context, heddle_array **out)
{
    struct operands *o = context;
    heddle_array *u = o->a;
    heddle_array *down = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2), HEDDLE_SLICE(1, -1)));
    heddle_array *up = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2), HEDDLE_SLICE(1, -1)));
    heddle_array *right = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_FROM(2)));
    heddle_array *left = heddle_getitem(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_TO(-2)));
    heddle_array *sum = heddle_add(heddle_add(heddle_add(down, up), right), left);
    out[0] = heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1), HEDDLE_SLICE(1, -1)),
                             heddle_multiply(heddle_scalar(0.25), sum));
    return 1;
}

static void run_jacobi(const char *name, int64_t n)
{
    struct operands o = {.a = bench_input(HEDDLE_SHAPE(n, n), 0, 1, HEDDLE_FLOAT64)};
    const struct bench_times t = bench_time(record_jacobi, &o);
    bench_line(name, n * n, 2 * heddle_nbytes(o.a), &t);
    release(&o);
}

/* ---- the table -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(const char *name, int64_t n);
    int64_t n_gpu, n_cpu;
    bool large; /* runs only when it is asked for: takes much memory, or several GPUs */
} cases[] = {
    {"copy_f32", run_copy, 1 << 28, 1 << 26, false},
    {"axpy_f32", run_axpy, 1 << 28, 1 << 26, false},
    {"black_scholes_f32", run_black_scholes_f32, 1 << 26, 10000000, false},
    {"black_scholes_f64", run_black_scholes_f64, 1 << 26, 10000000, false},
    {"mixed_f64", run_mixed, 10000000, 10000000, false},
    {"sumabs2_f64", run_sumabs2, 256, 256, false},
    {"sum_axis0", run_axis_sum, 256, 256, false},
    {"sum_axis1", run_axis_sum, 256, 256, false},
    {"sum_axis2", run_axis_sum, 256, 256, false},
    {"cumulative_sum_f64", run_cumulative_sum, 1 << 27, 1 << 24, false},
    {"take_f64", run_take, 1 << 27, 1 << 24, false},
    {"sort_f64", run_sort, 1 << 27, 10000000, false},
    {"argsort_f64", run_argsort, 1 << 27, 10000000, false},
    {"unique_f64", run_unique, 1 << 27, 10000000, false},
    {"histogram_f64", run_histogram, 1 << 27, 10000000, false},
    {"mask_f64", run_mask, 1 << 27, 10000000, false},
    {"matmul_f32", run_matmul, 8192, 2048, false},
    {"matmul_f64", run_matmul, 8192, 2048, false},
    {"matmul_bf16", run_matmul, 8192, 1024, false},
    {"matmul_batched_f32", run_matmul_batched, 10000, 1000, false},
    {"matmul_tf32", run_matmul, 8192, 1024, false},
    {"normal_equations_f32", run_normal_equations, 1 << 22, 1 << 20, false},
    {"normal_equations_f64", run_normal_equations, 1 << 22, 1 << 20, false},
    {"thin_transposed_f64", run_thin_transposed, 1 << 22, 1 << 20, false},
    {"thin_vector_f32", run_thin_vector, 1 << 22, 1 << 20, false},
    {"csr_band_f64", run_csr, 1 << 24, 1 << 20, false},
    {"csr_spread_f64", run_csr, 1 << 21, 1 << 17, false},
    {"cholesky_f64", run_factor, 4096, 1000, false},
    {"cholesky_batched_f64", run_factor, 10000, 1000, false},
    {"lu_f64", run_factor, 4096, 1000, false},
    {"qr_f64", run_factor, 4096, 1000, false},
    {"solve_f64", run_factor, 4096, 1000, false},
    {"solve_batched_f64", run_factor, 10000, 1000, false},
    {"inv_f64", run_factor, 4096, 1000, false},
    {"eigh_f64", run_spectral, 4096, 1000, false},
    {"eigh_large_f64", run_spectral, 8192, 1000, false},
    {"eigh_batched_f64", run_spectral, 10000, 1000, false},
    {"svd_batched_f64", run_spectral, 10000, 1000, false},
    {"svd_large_f64", run_spectral, 8192, 700, false},
    {"eigh_small_f64", run_spectral, 1000, 200, false},
    {"eigvalsh_f64", run_spectral, 4096, 1000, false},
    {"svd_f64", run_spectral, 2048, 700, false},
    {"svd_small_f64", run_spectral, 1000, 200, false},
    {"random_uniform_f64", run_random, 1 << 27, 1 << 24, false},
    {"random_uniform_f32", run_random, 1 << 27, 1 << 24, false},
    {"random_normal_f64", run_random, 1 << 27, 1 << 24, false},
    {"random_poisson", run_random, 1 << 24, 1 << 20, false},
    {"random_pi", run_random, 1 << 30, 1 << 24, false},
    {"fft_c128", run_fourier, 1 << 26, 1000000, false},
    {"fft2_c64", run_fourier, 16384, 4096, false},
    {"fft2_images_c128", run_fourier, 256, 16, false},
    {"rfft_f64", run_fourier, 1 << 15, 1024, false},
    {"jacobi_f64", run_jacobi, 16384, 8192, false},
    {"chain100", run_chain, 1000, 1000, false},
    {"chain100_device", run_chain_device, 1000, 1000, false},
    {"small_fma", run_small, 1000, 1000, false},
    {"raw_small", run_raw_small, 1000, 1000, false},
    {"text_fused_f32", run_text_fused, 1 << 26, 1 << 24, false},
    {"reduction_kernel_f32", run_reduction, 1 << 26, 1 << 24, false},
    {"reduction_pair_f32", run_reduction_pair, 1 << 26, 1 << 24, false},
    {"reduction_pair_ordered_f32", run_reduction_pair, 1 << 26, 1 << 24, false},
    {"record", run_record, 1000, 1000, false},
    {"million_nodes", run_million, 1000, 1000, false},
    {"first_use", run_first_use, 1 << 24, 1 << 20, false},
    {"several_axpy_f32", run_several_axpy, 1LL << 32, 1 << 26, true},
    {"several_black_scholes_f32", run_several_black_scholes, 1 << 29, 1 << 24, true},
    {"several_sumabs2_f32", run_several_sumabs2, 1 << 29, 1 << 26, true},
    {"several_cumulative_sum_f64", run_several_cumulative_sum, 1LL << 30, 1 << 24, true},
    {"several_sort_f64", run_sort, 1 << 28, 10000000, true},
    {"several_jacobi_f64", run_several_jacobi, 32768, 2048, true},
    {"several_matmul_f32", run_several_matmul, 32768, 2048, true},
    {"several_matmul_f64", run_several_matmul, 32768, 2048, true},
    {"several_fft2_c64", run_fourier, 32768, 2048, true},
    {"several_cholesky_f64", run_factor, 32768, 2048, true},
    {"several_lu_f64", run_factor, 16384, 2048, true},
    {"several_qr_f64", run_factor, 16384, 2048, true},
    {"several_mandelbrot", run_mandelbrot, 16384, 512, true},
    {"several_paths", run_paths, 1 << 25, 1 << 14, true},
    {"several_median_f32", run_median, 16384, 512, true},
    {"several_n_body_f64", run_n_body, 1 << 18, 512, true},
    {"redistribute_f32", run_redistribute, 65536, 8192, true},
    {"host_light_f32", run_host_light, 1 << 28, 1 << 26, true},
    {"host_heavy_f32", run_host_heavy, 1 << 28, 1 << 24, true},
    {"host_jacobi_f32", run_host_jacobi, 32768, 4096, true},
    {"host_matmul_f32", run_host_matmul, 16384, 2048, true},
    {"host_cholesky_f64", run_factor, 16384, 2048, true},
    {"stream_f32", run_stream, 1LL << 32, 1 << 26, true},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static int usage(void)
{
    fprintf(stderr, "usage: heddle_workloads [--sizes cpu|gpu] [--runs N] [--seconds S] [--paced]"
                    " [--list] [CASE[@N]...]\ncases:");
    for (int i = 0; i < N_CASES; i++) fprintf(stderr, " %s", cases[i].name);
    fputc('\n', stderr);
    return 2;
}

static int any_gpu(void)
{
    struct heddle_device devices[64];
    int n = 0, found = 0;
    bench_must(heddle_devices(64, devices, &n), "devices");
    for (int i = 0; i < n && i < 64; i++) {
        const struct heddle_device *d = &devices[i];
        found |= d->used && !strncmp(d->name, "gpu", 3);
        printf("{\"device\": \"%s\", \"model\": \"%s\", \"threads\": %d, \"used\": %s, "
               "\"bandwidth\": %.6g}\n",
               d->name, d->model, d->threads, d->used ? "true" : "false", d->bandwidth);
    }
    return found;
}

int main(int argc, char **argv)
{
    struct {
        int c;
        int64_t n; /* 0: the usual one */
    } wanted[256];
    int n_wanted = 0, gpu = -1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        int known = 0;
        if (!strcmp(argv[i], "--paced")) {
            bench_paced = true;
            continue;
        }
        if (!strcmp(argv[i], "--list")) {
            for (int c = 0; c < N_CASES; c++)
                if (!cases[c].large) puts(cases[c].name);
            return 0;
        }
        if (argv[i][0] == '-') {
            if (!value) return usage();
            if (!strcmp(argv[i], "--sizes"))
                gpu = !strcmp(value, "gpu");
            else if (!strcmp(argv[i], "--runs") && atoi(value) > 0)
                bench_runs_max = atoi(value);
            else if (!strcmp(argv[i], "--seconds"))
                bench_seconds_max = atof(value);
            else
                return usage();
            i++;
            continue;
        }
        const size_t length = strcspn(argv[i], "@");
        for (int c = 0; c < N_CASES && n_wanted < 256; c++) {
            if (strlen(cases[c].name) != length || strncmp(argv[i], cases[c].name, length))
                continue;
            wanted[n_wanted].c = c;
            wanted[n_wanted].n = argv[i][length] ? atoll(argv[i] + length + 1) : 0;
            known = ++n_wanted;
        }
        if (!known) return usage();
    }
    const int has_gpu = any_gpu();
    if (gpu < 0) gpu = has_gpu;
    for (int w = 0; w < n_wanted; w++) {
        const int c = wanted[w].c;
        const int64_t n = gpu ? cases[c].n_gpu : cases[c].n_cpu;
        bench_asked = wanted[w].n;
        cases[c].run(cases[c].name, bench_asked > 0 ? bench_asked : n);
    }
    for (int c = 0; c < N_CASES && n_wanted == 0; c++)
        if (!cases[c].large) cases[c].run(cases[c].name, gpu ? cases[c].n_gpu : cases[c].n_cpu);
    return 0;
}
