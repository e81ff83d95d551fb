/* See raw.h. The peers launch the same source. */
#include "raw.h"

#include "bench.h"

enum { LAUNCHES = 1000, BATCHES = 41 };

static const char source[] =
    "extern \"C\" __global__ void axpb(const float *x, float *y, float a, long long n)\n"
    "{\n"
    "    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i] + 1;\n"
    "}\n";

static enum heddle_status on_a_cpu(const struct heddle_raw_launch *l)
{
    const float *x = l->arguments[0].data, a = *(const float *)l->arguments[2].data;
    float *y = l->arguments[1].data;
    for (int64_t i = 0; i < l->arguments[1].extents.shape[0]; i++) y[i] = a * x[i] + 1;
    return HEDDLE_OK;
}

static heddle_array *launch(heddle_raw_kernel *k, heddle_array *x, int64_t n)
{
    heddle_array *y;
    bench_must(heddle_raw_call(
                   k, HEDDLE_RAW_ARGUMENTS(heddle_raw_read(x),
                                           heddle_raw_write(&y, HEDDLE_FLOAT32, HEDDLE_SHAPE(n)),
                                           heddle_raw_f32(2), heddle_raw_size_of(0))),
               "raw_call");
    bench_must(heddle_eval(y), "eval");
    return y;
}

void run_raw_small(const char *name, int64_t n)
{
    static double took[BATCHES];
    static float out[1 << 16];
    int n_cpus, n_gpus;
    bench_must(heddle_count_places(&n_cpus, &n_gpus), name);
    heddle_raw_kernel *k = heddle_raw_kernel_from_source(source, "axpb", .host = on_a_cpu);
    heddle_array *x = bench_input(1, &n, 0, 1, HEDDLE_FLOAT32);
    if (n_gpus > 0) {
        heddle_array *there = bench_ready(heddle_to(x, heddle_gpu(0)));
        heddle_release(x);
        x = there;
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        heddle_statistics_reset();
        const double start = bench_now();
        for (int i = 0; i < LAUNCHES; i++) {
            heddle_array *y = launch(k, x, n);
            if (i == LAUNCHES - 1) bench_must(heddle_wait(y), name);
            heddle_release(y);
        }
        took[batch] = bench_now() - start;
    }
    struct bench_times t = {.runs = BATCHES, .best = took[0]};
    for (int i = 1; i < BATCHES; i++) t.best = took[i] < t.best ? took[i] : t.best;
    t.median = bench_median(took, BATCHES);
    heddle_statistics_get(&t.statistics);
    heddle_array *y = launch(k, x, n);
    bench_must(heddle_read(y, out, heddle_nbytes(y)), name);
    t.check = out[n / 3];
    bench_line(name, n, 0, &t);
    heddle_release(y);
    heddle_release(x);
    heddle_raw_kernel_release(k);
}
