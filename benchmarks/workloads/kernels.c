/* See kernels.h. */
#include "kernels.h"

#include "bench.h"

#include <heddle/single_source.h>
#include <stdio.h>
#include <string.h>

struct kernel_inputs {
    heddle_kernel *kernel;
    heddle_raw_kernel *raw;
    heddle_array *a, *b, *c;
    int64_t n;
};

static void print_bytes(const char *name, const struct bench_times *t)
{
    printf(
        "{\"case\": \"%s\", \"system\": \"heddle\", \"bytes_gpu_to_gpu\": %lld, \"bytes_to_gpu\": "
        "%lld, \"kernels\": %lld}\n",
        bench_case(name), (long long)t->statistics.bytes_gpu_to_gpu,
        (long long)t->statistics.bytes_to_gpu, (long long)t->statistics.gpu_kernels);
}

static void time_case(const char *name, int64_t n, int64_t bytes, bench_record *record,
                      struct kernel_inputs *in)
{
    const int runs = bench_runs_max;
    if (runs > 20 && bytes == 0) bench_runs_max = 20;
    const struct bench_times t = bench_time(record, in);
    bench_runs_max = runs;
    bench_line(name, n, bytes, &t);
    print_bytes(name, &t);
    heddle_release(in->a);
    heddle_release(in->b);
    heddle_release(in->c);
    heddle_kernel_release(in->kernel);
    heddle_raw_kernel_release(in->raw);
}

/* ---- From text ------------------------------------------------------------------------------------------- */

static int record_text(void *context, heddle_array **out)
{
    const struct kernel_inputs *in = context;
    heddle_array *scaled = heddle_multiply(in->a, heddle_scalar(3.0));
    out[0] = heddle_add(heddle_kernel_apply(in->kernel, HEDDLE_ARRAYS(scaled, in->b)),
                        heddle_scalar(1.0));
    return 1;
}

void run_text_fused(const char *name, int64_t n)
{
    struct kernel_inputs in = {.kernel = heddle_kernel_elementwise(
                                   "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff"),
                               .a = bench_input(1, &n, 0, 1, HEDDLE_FLOAT32),
                               .b = bench_input(1, &n, 1, 2, HEDDLE_FLOAT32)};
    time_case(name, n, 3 * 4 * n, record_text, &in);
}

static int record_reduction(void *context, heddle_array **out)
{
    const struct kernel_inputs *in = context;
    out[0] = heddle_kernel_reduce(in->kernel, HEDDLE_ARRAYS(in->a));
    return 1;
}

void run_reduction(const char *name, int64_t n)
{
    struct kernel_inputs in = {.kernel = heddle_kernel_reduction("T x", "T y", "abs(x)", "a + b",
                                                                 "y = a", .identity = "0"),
                               .a = bench_input(1, &n, -1, 1, HEDDLE_FLOAT32)};
    time_case(name, n, 4 * n, record_reduction, &in);
}

static int record_pair(void *context, heddle_array **out)
{
    const struct kernel_inputs *in = context;
    bench_must(heddle_kernel_reduce_call(in->kernel, HEDDLE_ARRAYS(in->a), 2, out), "reduce");
    return 2;
}

void run_reduction_pair(const char *name, int64_t n)
{
    struct kernel_inputs in = {
        .kernel = heddle_kernel_reduction("T x", "T value, int64 at", "x, i",
                                          "min(a0, b0), b0 < a0 || (b0 == a0 && b1 < a1) ? b1 : a1",
                                          "value = a0; at = a1", .identity = "INFINITY, -1",
                                          .commutative = !strstr(name, "_ordered")),
        .a = bench_input(1, &n, 0, 1, HEDDLE_FLOAT32)};
    time_case(name, n, 4 * n, record_pair, &in);
}

/* ---- One body --------------------------------------------------------------------------------------------- */

HEDDLE_ELEMENTWISE(escape, (double re, double im, int most), (int count), {
    double x = 0;
    double y = 0;
    while (count < most && x * x + y * y <= 4) {
        const double next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
        count++;
    }
})

/* What a path, of a price that begins at 1, ends at beyond 1; numbers by xorshift, normal ones by Box and Muller's method. */
HEDDLE_ELEMENTWISE(gain, (uint64_t seed, double drift, double sigma, int steps), (double payoff), {
    uint64_t state = (seed + 1) * 6364136223846793005u + 1442695040888963407u;
    double price = 1;
    for (int k = 0; k < steps; k++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const double u = ((double)(state >> 11) + 0.5) / 9007199254740992.0;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const double v = (double)(state >> 11) / 9007199254740992.0;
        price *= exp(drift + sigma * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
    }
    payoff = price > 1 ? price - 1 : 0;
})

static int record_mandelbrot(void *context, heddle_array **out)
{
    const struct kernel_inputs *in = context;
    out[0] = heddle_kernel_apply(in->kernel, HEDDLE_ARRAYS(in->a, in->b, heddle_scalar(256)));
    return 1;
}

void run_mandelbrot(const char *name, int64_t n)
{
    const int64_t column[] = {n, 1};
    struct kernel_inputs in = {.kernel = escape(),
                               .a = bench_input(1, &n, -2, 1, HEDDLE_FLOAT64),
                               .b = bench_input(2, column, -1, 1, HEDDLE_FLOAT64)};
    time_case(name, n * n, 0, record_mandelbrot, &in);
}

static int record_paths(void *context, heddle_array **out)
{
    const struct kernel_inputs *in = context;
    heddle_array *payoffs =
        heddle_kernel_apply(in->kernel, HEDDLE_ARRAYS(in->a, heddle_scalar(1e-4),
                                                      heddle_scalar(0.02), heddle_scalar(64)));
    out[0] = heddle_mean(payoffs);
    return 1;
}

void run_paths(const char *name, int64_t n)
{
    struct kernel_inputs in = {.kernel = gain(),
                               .a = bench_ready(heddle_astype(
                                   heddle_arange(heddle_scalar(n), NULL, NULL), HEDDLE_UINT64))};
    time_case(name, n, 0, record_paths, &in);
}

/* ---- Raw --------------------------------------------------------------------------------------------------- */

/* Of 9 neighbours by exchanges; rows and columns beyond the border are those at it. */
#define BOTH(...)                                                                                  \
    static const char shared[] = #__VA_ARGS__;                                                     \
    __VA_ARGS__
BOTH(static float median_at(const float *x, long long rows, long long columns, long long i,
                            long long j) {
    float v[9];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            long long p = i + r - 1;
            long long q = j + c - 1;
            p = p < 0 ? 0 : p >= rows ? rows - 1 : p;
            q = q < 0 ? 0 : q >= columns ? columns - 1 : q;
            v[3 * r + c] = x[p * columns + q];
        }
    for (int k = 0; k < 5; k++)
        for (int m = k + 1; m < 9; m++) {
            const float least = v[k] < v[m] ? v[k] : v[m];
            const float most = v[k] < v[m] ? v[m] : v[k];
            v[k] = least;
            v[m] = most;
        }
    return v[4];
})

static const char median_kernel[] =
    "#include \"heddle_raw.h\"\n"
    "__device__ float median_at(const float *, long long, long long, long long, long long);\n"
    "extern \"C\" __global__ void median(const float *x, heddle_raw_extents xe, float *y,\n"
    "                                  heddle_raw_extents ye)\n"
    "{\n"
    "    const long long j = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    const long long i = blockIdx.y * (long long)blockDim.y + threadIdx.y;\n"
    "    if (i < ye.shape[0] && j < ye.shape[1])\n"
    "        y[i * ye.shape[1] + j] = median_at(x, xe.shape[0], xe.shape[1], i + xe.before[0],\n"
    "                                           j + xe.before[1]);\n"
    "}\n";

static enum heddle_status median_on_a_cpu(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_extents *xe = &l->arguments[0].extents, *ye = &l->arguments[2].extents;
    const float *x = l->arguments[0].data;
    float *y = l->arguments[2].data;
    for (int64_t i = 0; i < ye->shape[0]; i++)
        for (int64_t j = 0; j < ye->shape[1]; j++)
            *y++ = median_at(x, xe->shape[0], xe->shape[1], i + xe->before[0], j + xe->before[1]);
    return HEDDLE_OK;
}

static int record_median(void *context, heddle_array **out)
{
    const struct kernel_inputs *in = context;
    out[0] = in->a;
    for (int k = 0; k < 10; k++) {
        heddle_array *next;
        bench_must(
            heddle_raw_call(in->raw,
                            HEDDLE_RAW_ARGUMENTS(
                                heddle_raw_read(out[0]), heddle_raw_extents_of(0),
                                heddle_raw_write(&next, HEDDLE_FLOAT32, HEDDLE_SHAPE(in->n, in->n)),
                                heddle_raw_extents_of(2)),
                            .block = HEDDLE_LENGTHS(32, 8), .over_parts = true,
                            .halo = HEDDLE_LENGTHS(1, 1)),
            "raw_call");
        out[0] = next;
    }
    return 1;
}

void run_median(const char *name, int64_t n)
{
    char source[sizeof shared + sizeof median_kernel + 1];
    snprintf(source, sizeof source, "%s\n%s", median_kernel, shared);
    struct kernel_inputs in = {
        .raw = heddle_raw_kernel_from_source(source, "median", .host = median_on_a_cpu),
        .a = bench_input(2, (const int64_t[]){n, n}, 0, 1, HEDDLE_FLOAT32),
        .n = n};
    time_case(name, n * n, 0, record_median, &in);
}

static const char bodies_kernel[] =
    "extern \"C\" __global__ void step(const double *all, const double *mass, const double *at,\n"
    "                                double *velocity, double *next, long long n, long long of)\n"
    "{\n"
    "    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    if (3 * i >= n) return;\n"
    "    double sum[3] = {0, 0, 0};\n"
    "    for (long long j = 0; j < of; j++) {\n"
    "        double d[3], r2 = 1e-2;\n"
    "        for (int k = 0; k < 3; k++) d[k] = all[3 * j + k] - at[3 * i + k], r2 += d[k] * "
    "d[k];\n"
    "        const double w = mass[j] / (r2 * sqrt(r2));\n"
    "        for (int k = 0; k < 3; k++) sum[k] += w * d[k];\n"
    "    }\n"
    "    for (int k = 0; k < 3; k++) {\n"
    "        const double faster = velocity[3 * i + k] + 1e-3 * sum[k];\n"
    "        velocity[3 * i + k] = faster;\n"
    "        next[3 * i + k] = at[3 * i + k] + 1e-3 * faster;\n"
    "    }\n"
    "}\n";

static enum heddle_status bodies_on_a_cpu(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_view *v = l->arguments;
    const double *all = v[0].data, *mass = v[1].data, *at = v[2].data;
    const int64_t of = *(const int64_t *)v[6].data;
    double *velocity = v[3].data, *next = v[4].data;
    for (int64_t i = 0; i < v[2].extents.shape[0]; i++) {
        double sum[3] = {0, 0, 0};
        for (int64_t j = 0; j < of; j++) {
            double d[3], r2 = 1e-2;
            for (int k = 0; k < 3; k++) {
                d[k] = all[3 * j + k] - at[3 * i + k];
                r2 += d[k] * d[k];
            }
            const double w = mass[j] / (r2 * sqrt(r2));
            for (int k = 0; k < 3; k++) sum[k] += w * d[k];
        }
        for (int k = 0; k < 3; k++) {
            velocity[3 * i + k] += 1e-3 * sum[k];
            next[3 * i + k] = at[3 * i + k] + 1e-3 * velocity[3 * i + k];
        }
    }
    return HEDDLE_OK;
}

static int record_bodies(void *context, heddle_array **out)
{
    const struct kernel_inputs *in = context;
    heddle_array *at = in->a, *velocity = in->b;
    for (int k = 0; k < 4; k++) {
        heddle_array *next, *faster;
        bench_must(
            heddle_raw_call(in->raw,
                            HEDDLE_RAW_ARGUMENTS(
                                heddle_raw_whole(at), heddle_raw_whole(in->c), heddle_raw_read(at),
                                heddle_raw_update(velocity, &faster),
                                heddle_raw_write(&next, HEDDLE_FLOAT64, HEDDLE_SHAPE(in->n, 3)),
                                heddle_raw_size_of(2), heddle_raw_i64(in->n)),
                            .over_parts = true, .uncut = 1u << 1),
            "raw_call");
        at = next;
        velocity = faster;
    }
    out[0] = at;
    out[1] = velocity;
    return 2;
}

void run_n_body(const char *name, int64_t n)
{
    const int64_t shape[] = {n, 3};
    struct kernel_inputs in = {
        .raw = heddle_raw_kernel_from_source(bodies_kernel, "step", .host = bodies_on_a_cpu),
        .a = bench_input(2, shape, -1, 1, HEDDLE_FLOAT64),
        .b = bench_input(2, shape, 0, 1, HEDDLE_FLOAT64),
        .c = bench_input(1, &n, 0, 1e-5, HEDDLE_FLOAT64),
        .n = n};
    time_case(name, n, 0, record_bodies, &in);
}
