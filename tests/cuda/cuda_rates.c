/* Rates of the CUDA kernels on a GPU, compiled and interpreted, as shares of the rate of a copy
 * between device buffers in the same run. Prints a table; fails only when a launch does. */
#include "check.h"
#include "cuda/gpu.h"

#include <stdlib.h>
#include <time.h>

enum { RUNS = 15 };

struct work {
    const char *name;
    struct build b;
    size_t bytes[HEDDLE_MAX_OPERANDS]; /* of each operand's buffer */
    double traffic;                    /* bytes that must move */
};

static double copy_rate;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Best time of some runs, in seconds. */
static double best_time(const struct build *b, void *const device[], void *scratch, int runs)
{
    cudaEvent_t from, to;
    float best = 1e30f, ms;
    gpu_check(cudaEventCreate(&from), "event");
    gpu_check(cudaEventCreate(&to), "event");
    for (int k = 0; k < runs; k++) {
        gpu_check(cudaEventRecord(from, gpu_stream()), "record");
        const enum heddle_status status =
            heddle__cuda_program(&b->launch, device, b->constants, scratch, gpu_stream(), NULL);
        CHECK(status == HEDDLE_OK, "%s", heddle_last_error());
        gpu_check(cudaEventRecord(to, gpu_stream()), "record");
        gpu_check(cudaEventSynchronize(to), "synchronise");
        gpu_check(cudaEventElapsedTime(&ms, from, to), "time");
        if (ms < best) best = ms;
    }
    gpu_check(cudaEventDestroy(from), "event");
    gpu_check(cudaEventDestroy(to), "event");
    return (double)best * 1e-3;
}

static void measure(struct work *w, int sequential)
{
    void *device[HEDDLE_MAX_OPERANDS];
    build_seal(&w->b, sequential);
    for (int k = 0; k < w->b.program.n_operands; k++) {
        device[k] = gpu_alloc(w->bytes[k]);
        gpu_check(cudaMemsetAsync(device[k], 0x3f, w->bytes[k], gpu_stream()), "fill");
    }
    void *scratch = gpu_alloc(heddle__launch_gpu_scratch_bytes(&w->b.launch));
    struct heddle_cuda_settings settings = {NULL, false};
    CHECK_EQ(heddle__cuda_open(1, &settings), HEDDLE_OK);
    const double interpreted = best_time(&w->b, device, scratch, 3);
    heddle__cuda_close();
    settings.jit = true;
    CHECK_EQ(heddle__cuda_open(1, &settings), HEDDLE_OK);
    const double start = now();
    heddle__cuda_prepare(&w->b.launch);
    heddle__cuda_wait_compiled();
    const double compiling = now() - start;
    const double compiled = best_time(&w->b, device, scratch, RUNS);
    heddle__cuda_close();
    gpu_free_all();
    printf(
        "%-34s %9.1f us  %6.2f TB/s  %5.2f of a copy  interpreted %9.1f us  compiled in %4.0f ms\n",
        w->name, compiled * 1e6, w->traffic / compiled * 1e-12, w->traffic / compiled / copy_rate,
        interpreted * 1e6, compiling * 1e3);
    fflush(stdout);
}

static void measure_copy(void)
{
    const size_t bytes = (size_t)1 << 30;
    void *from = gpu_alloc(bytes), *to = gpu_alloc(bytes);
    cudaEvent_t a, b;
    float ms, best = 1e30f;
    gpu_check(cudaEventCreate(&a), "event");
    gpu_check(cudaEventCreate(&b), "event");
    for (int k = 0; k < RUNS; k++) {
        gpu_check(cudaEventRecord(a, gpu_stream()), "record");
        gpu_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, gpu_stream()), "copy");
        gpu_check(cudaEventRecord(b, gpu_stream()), "record");
        gpu_check(cudaEventSynchronize(b), "synchronise");
        gpu_check(cudaEventElapsedTime(&ms, a, b), "time");
        if (ms < best) best = ms;
    }
    gpu_free_all();
    copy_rate = 2.0 * (double)bytes / ((double)best * 1e-3);
    printf("%-34s %9.1f us  %6.2f TB/s\n", "cudaMemcpyAsync, 1 GiB", (double)best * 1e3,
           copy_rate * 1e-12);
}

/* ---- maps ------------------------------------------------------------------------------------ */

static void begin(struct work *w, const char *name, int n_kept, int ndim, const int64_t extent[])
{
    memset(w, 0, sizeof *w);
    w->name = name;
    build_begin(&w->b, n_kept, ndim, extent);
}

static int load(struct work *w, enum heddle_dtype d, const int64_t *stride, int64_t offset,
                int64_t elements)
{
    w->bytes[w->b.program.n_operands] = (size_t)elements * heddle_dtype_size(d);
    w->traffic += (double)elements * (double)heddle_dtype_size(d);
    return build_load(&w->b, d, NULL, stride, offset);
}

static void store(struct work *w, enum heddle_dtype d, int value, const int64_t *stride,
                  int64_t elements)
{
    w->bytes[w->b.program.n_operands] = (size_t)elements * heddle_dtype_size(d);
    w->traffic += (double)elements * (double)heddle_dtype_size(d);
    build_store(&w->b, value, d, NULL, stride, 0);
}

static void copy(const char *name, enum heddle_dtype d, int64_t n)
{
    static struct work w;
    begin(&w, name, 1, 1, &n);
    const int x = load(&w, d, NULL, 0, n);
    store(&w, d, build_op(&w.b, HEDDLE_OP_POSITIVE, d, x, x), NULL, n);
    measure(&w, 0);
}

static void axpy(const char *name, enum heddle_dtype d, int64_t n, int64_t offset)
{
    static struct work w;
    begin(&w, name, 1, 1, &n);
    const int x = load(&w, d, NULL, offset, n + offset), y = load(&w, d, NULL, 0, n);
    const int ax = build_op(&w.b, HEDDLE_OP_MULTIPLY, d, build_number(&w.b, d, 2), x);
    store(&w, d, build_op(&w.b, HEDDLE_OP_ADD, d, ax, y), NULL, n);
    measure(&w, 0);
}

static void black_scholes(const char *name, enum heddle_dtype d, int64_t n)
{
    static struct work w;
    struct build *b = &w.b;
    begin(&w, name, 1, 1, &n);
#define OP(op, x, y) build_op(b, HEDDLE_OP_##op, d, x, y)
    const int s = load(&w, d, NULL, 0, n), k = load(&w, d, NULL, 0, n), t = load(&w, d, NULL, 0, n);
    const int half = build_number(b, d, 0.5), rate = build_number(b, d, 0.02);
    const int sigma = build_number(b, d, 0.3), drift = build_number(b, d, 0.065);
    const int root_half = build_number(b, d, 0.70710678118654752), one = build_number(b, d, 1);
    const int root = OP(SQRT, t, t), spread = OP(MULTIPLY, sigma, root);
    const int ratio = OP(LOG, OP(DIVIDE, s, k), 0);
    const int d1 = OP(DIVIDE, OP(ADD, ratio, OP(MULTIPLY, drift, t)), spread);
    const int d2 = OP(SUBTRACT, d1, spread);
    const int n1 = OP(MULTIPLY, half, OP(ADD, one, OP(ERF, OP(MULTIPLY, d1, root_half), 0)));
    const int n2 = OP(MULTIPLY, half, OP(ADD, one, OP(ERF, OP(MULTIPLY, d2, root_half), 0)));
    const int discount = OP(EXP, OP(NEGATIVE, OP(MULTIPLY, rate, t), 0), 0);
    const int kd = OP(MULTIPLY, k, discount);
    const int call = OP(SUBTRACT, OP(MULTIPLY, s, n1), OP(MULTIPLY, kd, n2));
    const int put = OP(ADD, OP(SUBTRACT, call, s), kd);
    store(&w, d, call, NULL, n);
    store(&w, d, put, NULL, n);
    measure(&w, 0);
}

static void jacobi(const char *name, int64_t n)
{
    static struct work w;
    struct build *b = &w.b;
    const enum heddle_dtype d = HEDDLE_FLOAT64;
    const int64_t inner[2] = {n - 2, n - 2}, stride[2] = {n, 1};
    begin(&w, name, 2, 2, inner);
    const int up = load(&w, d, stride, 1, n * n);
    w.traffic = 8.0 * (double)(n * n);
    const int left = build_load(b, d, NULL, stride, n),
              right = build_load(b, d, NULL, stride, n + 2);
    const int down = build_load(b, d, NULL, stride, 2 * n + 1);
    for (int k = 1; k < 4; k++) b->buffer[k] = 0;
    const int sum = OP(ADD, OP(ADD, OP(ADD, up, down), left), right);
    const int out = OP(MULTIPLY, sum, build_number(b, d, 0.25));
    store(&w, d, out, stride, n * n);
    b->access[4].offset = n + 1;
    measure(&w, 0);
}

static void transposed(const char *name, int64_t n)
{
    static struct work w;
    const int64_t extent[2] = {n, n}, stride[2] = {1, n};
    begin(&w, name, 2, 2, extent);
    const int x = load(&w, HEDDLE_FLOAT32, NULL, 0, n * n);
    const int y = load(&w, HEDDLE_FLOAT32, stride, 0, n * n);
    store(&w, HEDDLE_FLOAT32, build_op(&w.b, HEDDLE_OP_ADD, HEDDLE_FLOAT32, x, y), NULL, n * n);
    measure(&w, 0);
}

static void broadcast(const char *name, int64_t rows, int64_t columns)
{
    static struct work w;
    const int64_t extent[2] = {rows, columns}, along[2] = {0, 1}, down[2] = {1, 0};
    begin(&w, name, 2, 2, extent);
    const int x = load(&w, HEDDLE_FLOAT32, NULL, 0, rows * columns);
    const int y = load(&w, HEDDLE_FLOAT32, along, 0, columns);
    const int z = load(&w, HEDDLE_FLOAT32, down, 0, rows);
    const int xy = build_op(&w.b, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT32, x, y);
    store(&w, HEDDLE_FLOAT32, build_op(&w.b, HEDDLE_OP_ADD, HEDDLE_FLOAT32, xy, z), NULL,
          rows * columns);
    measure(&w, 0);
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* sum(abs(x)**2) over the axes whose bit is set, of a float64 (256, 512, 512). */
static void sum(const char *name, enum heddle_dtype d, unsigned reduced)
{
    static struct work w;
    const int64_t shape[3] = {256, 512, 512}, dense[3] = {512 * 512, 512, 1};
    int64_t extent[3], stride[3], out[3] = {0}, n_out = 1;
    int n_kept = 0, n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < 3; a++) {
            if ((int)(reduced >> a & 1) != pass) continue;
            extent[n] = shape[a];
            stride[n++] = dense[a];
            if (!pass) n_kept++;
        }
    for (int a = n_kept - 1; a >= 0; a--) {
        out[a] = n_out;
        n_out *= extent[a];
    }
    begin(&w, name, n_kept, 3, extent);
    const int x = load(&w, d, stride, 0, 256 * 512 * 512);
    const int size = build_op(&w.b, HEDDLE_OP_ABS, d, x, x);
    const int value = build_op(&w.b, HEDDLE_OP_SQUARE, d, size, size);
    const int r = build_reduce(&w.b, HEDDLE_REDUCE_SUM, d, value);
    store(&w, d, build_reduced(&w.b, r), out, n_out);
    measure(&w, !(reduced & 4));
}

static void launch_cost(void)
{
    struct build b;
    const int64_t n = 256;
    build_begin(&b, 1, 1, &n);
    const int x = build_load(&b, HEDDLE_FLOAT32, NULL, NULL, 0);
    build_store(&b, build_op(&b, HEDDLE_OP_NEGATIVE, HEDDLE_FLOAT32, x, x), HEDDLE_FLOAT32, NULL,
                NULL, 0);
    build_seal(&b, 0);
    void *device[2] = {gpu_alloc(1024), gpu_alloc(1024)};
    const struct heddle_cuda_settings settings = {NULL, true};
    CHECK_EQ(heddle__cuda_open(1, &settings), HEDDLE_OK);
    heddle__cuda_prepare(&b.launch);
    heddle__cuda_wait_compiled();
    double from = 0;
    for (int k = 0; k < 20100; k++) {
        if (k == 100) {
            gpu_check(cudaStreamSynchronize(gpu_stream()), "synchronise");
            from = now();
        }
        heddle__cuda_program(&b.launch, device, b.constants, NULL, gpu_stream(), NULL);
    }
    const double issued = now() - from;
    gpu_check(cudaStreamSynchronize(gpu_stream()), "synchronise");
    printf("a launch: %.2f us issued, %.2f us done\n", issued / 20000 * 1e6,
           (now() - from) / 20000 * 1e6);
    heddle__cuda_close();
    gpu_free_all();
}

int main(void)
{
    double bytes = 0, flops = 0;
    if (!gpu_open()) {
        printf("no GPU here: skipped\n");
        return 77;
    }
    /* keep freed memory: the tests allocate the same again and again */
    cudaMemPool_t pool;
    uint64_t keep = UINT64_MAX;
    gpu_check(cudaDeviceGetDefaultMemPool(&pool, 0), "pool");
    gpu_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "pool");

    CHECK_EQ(heddle__cuda_measure(0, &bytes, &flops), HEDDLE_OK);
    printf("heddle__cuda_measure: %.2f TB/s, %.2f T fused float64 additions/s\n", bytes * 1e-12,
           flops * 1e-12);
    measure_copy();
    const int64_t big = INT64_C(1) << 28, options = INT64_C(1) << 26;
    copy("copy float32, 1 GiB", HEDDLE_FLOAT32, big);
    copy("copy float64, 1 GiB", HEDDLE_FLOAT64, big / 2);
    copy("copy uint8, 1 GiB (64-bit)", HEDDLE_UINT8, 4 * big);
    copy("copy complex128, 1 GiB", HEDDLE_COMPLEX128, big / 4);
    axpy("axpy float32, 1 GiB", HEDDLE_FLOAT32, big, 0);
    axpy("axpy float32, x off by one", HEDDLE_FLOAT32, big, 1);
    black_scholes("Black-Scholes float32, 64 M", HEDDLE_FLOAT32, options);
    black_scholes("Black-Scholes float64, 64 M", HEDDLE_FLOAT64, options);
    sum("sum(abs(x)**2) float64, all", HEDDLE_FLOAT64, 7);
    sum("sum(abs(x)**2) float64, axis 0", HEDDLE_FLOAT64, 1);
    sum("sum(abs(x)**2) float64, axis 1", HEDDLE_FLOAT64, 2);
    sum("sum(abs(x)**2) float64, axis 2", HEDDLE_FLOAT64, 4);
    sum("sum(abs(x)**2) float64, axes 1, 2", HEDDLE_FLOAT64, 6);
    sum("sum(abs(x)**2) float32, all", HEDDLE_FLOAT32, 7);
    jacobi("Jacobi float64, 16384 x 16384", 16384);
    transposed("x + y.T float32, 8192 x 8192", 8192);
    broadcast("x * row + column float32, 16384^2", 16384, 16384);
    broadcast("x * row + column float32, 64 M x 3", 64 << 20, 3);
    launch_cost();
    return check_done();
}
