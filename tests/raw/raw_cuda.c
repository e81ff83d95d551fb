/* Proves on a GPU what raw_calls proves with functions in C: CUDA source and PTX are compiled, loaded and launched with the
 * arguments of the call, in order with other work; errors of compiler, loader and launch are those of the results. Skipped
 * (77) without a GPU. */
#include "check_heddle.h"

#include <cuda_runtime_api.h>
#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100000 };

static heddle_array *counting(int64_t n)
{
    return heddle_astype(heddle_arange(heddle_scalar((double)n), NULL, NULL), HEDDLE_FLOAT32);
}

static heddle_raw_kernel *compiled(const char *source, const char *name)
{
    heddle_raw_kernel *k = heddle_raw_kernel_from_source(source, name);
    CHECK(k != NULL, "%s", heddle_last_error());
    return k;
}

static void check_linear(heddle_array *a, int64_t n, double slope, double offset)
{
    float *got = malloc((size_t)n * sizeof *got);
    CHECK(heddle_read(a, got, n * 4) == HEDDLE_OK, "%s", heddle_error(a));
    for (int64_t i = 0; i < n; i++) CHECK_NUM(got[i], (float)(slope * (double)i + offset));
    free(got);
}

struct mixed {
    char c;
    double d;
    int tail[5];
};

/* Scalars, a struct, sizes and extents arrive as they are. */
static void test_arguments(void)
{
    static const char source[] =
        "#include \"heddle_raw.h\"\n"
        "struct mixed { char c; double d; int tail[5]; };\n"
        "extern \"C\" __global__ void f(int i, const float *x, mixed m, double *out, long long n,\n"
        "                             float g, heddle_raw_extents e)\n"
        "{\n"
        "    double v[12] = {(double)i, x[7], (double)m.c, m.d, (double)m.tail[4], (double)n, g,\n"
        "                    (double)e.shape[0], (double)e.lo[0], (double)gridDim.x,\n"
        "                    (double)(gridDim.y * 100 + gridDim.z), (double)(blockDim.x * 100 + "
        "blockDim.y)};\n"
        "    for (int k = 0; k < 12; k++) out[k] = v[k];\n"
        "}\n";
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k = compiled(source, "f");
    heddle_array *x = counting(N), *out;
    const struct mixed m = {.c = 3, .d = 0.25, .tail = {0, 0, 0, 0, -9}};
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(heddle_raw_call(
                     k,
                     HEDDLE_RAW_ARGUMENTS(
                         heddle_raw_i32(-i), heddle_raw_read(x), heddle_raw_bytes(&m, sizeof m),
                         heddle_raw_write(&out, HEDDLE_FLOAT64, HEDDLE_SHAPE(12)),
                         heddle_raw_size_of(1), heddle_raw_f32(1.5f), heddle_raw_extents_of(1)),
                     .grid = HEDDLE_LENGTHS(5, 2, 3), .block = HEDDLE_LENGTHS(4, 2)),
                 HEDDLE_OK);
        const double want[12] = {-i, 7, 3, 0.25, -9, N, 1.5, N, 0, 5, 203, 402};
        double got[12];
        CHECK(heddle_read(out, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(out));
        for (int j = 0; j < 12; j++) CHECK_NUM(got[j], want[j]);
    }
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

static const char increment[] =
    "extern \"C\" __global__ void increment(float *x, long long n)\n"
    "{\n"
    "    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    if (i < n) x[i] += 1;\n"
    "}\n";

/* A long chain among other operations, while much is pending: each step sees the one before. */
static void test_order(void)
{
    enum { ROUNDS = 300, HALF = ROUNDS / 2, QUARTER = ROUNDS / 4 };
    heddle_scope outer = heddle_scope_open();
    heddle_array *x = heddle_own(counting(N)), *held = NULL;
    heddle_scope_close(outer);
    for (int i = 0; i < ROUNDS; i++) {
        heddle_raw_kernel *k = compiled(increment, "increment"); /* the same text: compiled once */
        heddle_array *y, *z;
        heddle_scope scope = heddle_scope_open();
        CHECK_EQ(heddle_raw_call(
                     k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(x, &y), heddle_raw_size_of(0)),
                     .over_parts = i % 3 == 1),
                 HEDDLE_OK);
        heddle_raw_kernel_release(k);
        z = heddle_own(i % 2 ? heddle_add(y, heddle_scalar(1)) : y);
        if (i % 4 == 0) CHECK_EQ(heddle_eval(z), HEDDLE_OK);
        heddle_scope_close(scope);
        if (i == HALF) held = heddle_keep(x);
        heddle_release(x);
        x = z;
    }
    check_linear(x, N, 1, ROUNDS + HALF);
    check_linear(held, N, 1, HALF + QUARTER);
    heddle_release(held);
    heddle_release(x);
}

/* Each block sums 256 elements in dynamic shared memory, of which it has more than 48 KB. */
static void test_shared_memory(void)
{
    static const char source[] =
        "extern \"C\" __global__ void sums(const float *x, double *y, long long n, int words)\n"
        "{\n"
        "    extern __shared__ float s[];\n"
        "    const long long i = blockIdx.x * 256ll + threadIdx.x;\n"
        "    s[words - 256 + threadIdx.x] = i < n ? x[i] : 0;\n"
        "    __syncthreads();\n"
        "    if (threadIdx.x > 0) return;\n"
        "    double sum = 0;\n"
        "    for (int k = 0; k < 256; k++) sum += s[words - 256 + k];\n"
        "    y[blockIdx.x] = sum;\n"
        "}\n";
    enum { BLOCKS = (N + 255) / 256 };
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k = compiled(source, "sums");
    heddle_array *x = counting(N), *y;
    for (int words = 256; words <= 16384; words *= 4) {
        double got = 0;
        CHECK_EQ(heddle_raw_call(k,
                                 HEDDLE_RAW_ARGUMENTS(
                                     heddle_raw_read(x),
                                     heddle_raw_write(&y, HEDDLE_FLOAT64, HEDDLE_SHAPE(BLOCKS)),
                                     heddle_raw_size_of(0), heddle_raw_i32(words)),
                                 .grid = HEDDLE_LENGTHS(BLOCKS), .shared_bytes = 4LL * words),
                 HEDDLE_OK);
        heddle_array *sum = heddle_sum(y);
        CHECK(heddle_read(sum, &got, sizeof got) == HEDDLE_OK, "%s", heddle_error(sum));
        CHECK_NUM(got, (double)N * (N - 1) / 2);
    }
    CHECK_EQ(heddle_raw_call(
                 k,
                 HEDDLE_RAW_ARGUMENTS(heddle_raw_read(x),
                                      heddle_raw_write(&y, HEDDLE_FLOAT64, HEDDLE_SHAPE(BLOCKS)),
                                      heddle_raw_size_of(0), heddle_raw_i32(256)),
                 .shared_bytes = 1 << 30),
             HEDDLE_OK);
    CHECK_EQ(heddle_wait(y), HEDDLE_EDEVICE);
    CHECK_HAS(heddle_error(y), "shared memory");
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

/* y[i] = x[i - 1] + x[i + 1], of parts with halos. */
static void test_parts(void)
{
    static const char source[] =
        "#include \"heddle_raw.h\"\n"
        "extern \"C\" __global__ void f(const float *x, heddle_raw_extents e, float *y)\n"
        "{\n"
        "    const long long n = e.shape[0] - e.before[0] - e.after[0];\n"
        "    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
        "    if (i >= n) return;\n"
        "    const long long k = i + e.before[0], all = e.lo[0] + k;\n"
        "    y[i] = (all > 0 ? x[k - 1] : -1) + (k + 1 < e.shape[0] ? x[k + 1] : all + 1);\n"
        "}\n";
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k = compiled(source, "f");
    const struct heddle_distribution sevenths = {.cut[0] = {HEDDLE_CUT_PARTS, 7, NULL}};
    for (int cut = 0; cut < 2; cut++) {
        heddle_array *x = counting(N), *y;
        if (cut) x = heddle_distribute(x, &sevenths);
        CHECK_EQ(heddle_raw_call(
                     k,
                     HEDDLE_RAW_ARGUMENTS(heddle_raw_read(x), heddle_raw_extents_of(0),
                                          heddle_raw_write(&y, HEDDLE_FLOAT32, HEDDLE_SHAPE(N))),
                     .over_parts = true, .halo = HEDDLE_LENGTHS(1)),
                 HEDDLE_OK);
        check_linear(y, N, 2, 0);
    }
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

static void check_fails(heddle_raw_kernel *k, enum heddle_status code, const char *piece)
{
    heddle_array *y = NULL;
    CHECK(k != NULL, "%s", heddle_last_error());
    if (!k) return;
    CHECK_EQ(heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(counting(N), &y),
                                                     heddle_raw_size_of(0))),
             HEDDLE_OK);
    heddle_array *after = heddle_add(y, y);
    CHECK_EQ(heddle_wait(after), code);
    CHECK_HAS(heddle_error(after), piece);
    heddle_raw_kernel_release(k);
}

static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    check_fails(
        compiled("extern \"C\" __global__ void f(float *x)\n{\n    x[0] = nothing;\n}\n", "f"),
        HEDDLE_ESYNTAX, "kernel.cu(3): error");
    check_fails(compiled(increment, "decrement"), HEDDLE_ENAME, "no kernel 'decrement'");
    check_fails(compiled("__global__ void increment(float *x, long long n) {}", "increment"),
                HEDDLE_ENAME, "extern \"C\"");
    check_fails(heddle_raw_kernel_from_module(".version 8.0\n.nonsense\n", 23, "f"), HEDDLE_EDEVICE,
                "cannot be loaded");
    heddle_scope_close(scope);
}

/* PTX, from memory. */
static void test_module(void)
{
    static const char ptx[] = "// add one to the first element\n"
                              ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry first(.param .u64 x)\n{\n"
                              "    .reg .b64 %rd<3>;\n    .reg .f32 %f<3>;\n"
                              "    ld.param.u64 %rd1, [x];\n"
                              "    cvta.to.global.u64 %rd2, %rd1;\n"
                              "    ld.global.f32 %f1, [%rd2];\n"
                              "    add.f32 %f2, %f1, 0f3F800000;\n"
                              "    st.global.f32 [%rd2], %f2;\n    ret;\n}\n";
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k = heddle_raw_kernel_from_module(ptx, (int64_t)strlen(ptx), "first");
    heddle_array *x =
                     heddle_astype(heddle_full(HEDDLE_SHAPE(4), heddle_scalar(41)), HEDDLE_FLOAT32),
                 *y;
    float got[4];
    CHECK_EQ(heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(x, &y)),
                             .grid = HEDDLE_LENGTHS(1), .block = HEDDLE_LENGTHS(1)),
             HEDDLE_OK);
    CHECK(heddle_read(y, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(y));
    CHECK_NUM(got[0], 42);
    CHECK_NUM(got[1], 41);
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

static enum heddle_status clear_on_gpu(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_view *x = &l->arguments[0];
    return cudaMemsetAsync(x->data, 0, (size_t)x->bytes, l->stream) == cudaSuccess ? HEDDLE_OK
                                                                                   : HEDDLE_EDEVICE;
}

/* A function that enqueues work of its own. */
static void test_function(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(NULL, .cuda = clear_on_gpu);
    heddle_array *y;
    CHECK_EQ(heddle_raw_call(
                 k, HEDDLE_RAW_ARGUMENTS(heddle_raw_write(&y, HEDDLE_FLOAT32, HEDDLE_SHAPE(N)))),
             HEDDLE_OK);
    check_linear(y, N, 0, 0);
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

/* (m,n),(n)->(m), broadcast, in parts. */
static void test_gufunc(void)
{
    static const char source[] =
        "__device__ void product(const float *a, const double *x, double *y, long long m, long "
        "long n)\n"
        "{\n"
        "    for (long long r = 0; r < m; r++) {\n"
        "        y[r] = 0;\n"
        "        for (long long k = 0; k < n; k++) y[r] += a[r * n + k] * x[k];\n"
        "    }\n"
        "}\n";
    enum { LOOP = 1000 };
    static double got[LOOP][7][2];
    heddle_scope scope = heddle_scope_open();
    heddle_gufunc *g = heddle_gufunc_make("(m,n),(n)->(m)", NULL, .cuda = source, .name = "product",
                                          .types = "float32,float64->float64");
    CHECK(g != NULL, "%s", heddle_last_error());
    const struct heddle_distribution fifths = {.cut[0] = {HEDDLE_CUT_PARTS, 5, NULL}};
    heddle_array *a = heddle_reshape(counting(LOOP * 6), HEDDLE_SHAPE(LOOP, 1, 2, 3)),
                 *x = heddle_reshape(counting(21), HEDDLE_SHAPE(7, 3));
    for (int cut = 0; cut < 2; cut++) {
        heddle_array *y =
            heddle_gufunc_apply(g, HEDDLE_ARRAYS(cut ? heddle_distribute(a, &fifths) : a, x));
        CHECK(heddle_read(y, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(y));
        for (int i = 0; i < LOOP * 14; i++) {
            const int item = i / 14, vector = i / 2 % 7, row = i % 2;
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += (item * 6 + row * 3 + k) * (vector * 3 + k);
            CHECK_NUM(got[item][vector][row], sum);
        }
    }
    heddle_gufunc_release(g);
    heddle_scope_close(scope);
}

/* Data on a GPU: the caller's thread launches, and what nobody holds is overwritten. */
static void test_direct(void)
{
    heddle_raw_kernel *k = compiled(increment, "increment");
    heddle_scope scope = heddle_scope_open();
    heddle_array *there = heddle_to(counting(N), heddle_gpu(0)), *y;
    CHECK_EQ(heddle_wait(there), HEDDLE_OK);
    /* what a direct launch made is nobody's but the array's: StarPU may have copies of what its tasks made */
    heddle_array *x = heddle_own(heddle_add(there, heddle_scalar(1)));
    CHECK_EQ(heddle_wait(x), HEDDLE_OK);
    heddle_scope_close(scope);
    struct heddle_statistics before, after;
    heddle_statistics_get(&before);
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(heddle_raw_call(
                     k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(x, &y), heddle_raw_size_of(0))),
                 HEDDLE_OK);
        heddle_release(x);
        x = y;
        CHECK_EQ(heddle_eval(x), HEDDLE_OK);
    }
    heddle_statistics_get(&after);
    CHECK(after.gpu_direct - before.gpu_direct >= 99, "%lld direct launches",
          (long long)(after.gpu_direct - before.gpu_direct));
    check_linear(x, N, 1, 101);
    heddle_release(x);
    heddle_raw_kernel_release(k);
}

int main(void)
{
    int n_cpus, n_gpus = 0;
    if (heddle_count_places(&n_cpus, &n_gpus) != HEDDLE_OK || n_gpus == 0) return 77;
    for (int again = 0; again < 2; again++) { /* modules are loaded anew after a shutdown */
        test_arguments();
        test_order();
        test_shared_memory();
        test_parts();
        test_module();
        test_function();
        test_gufunc();
        test_direct();
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    test_errors();
    check_nothing_left();
    return check_done();
}
