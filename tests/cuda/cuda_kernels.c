/* The CUDA kernels on a GPU: every operation and cast of every dtype against the oracle, random
 * programs against their reference, reductions and matrix products against the CPU kernels, reductions of
 * special values against the oracle; each interpreted and compiled. Then the cache of kernels, and
 * 64-bit indices. */
#include "check.h"
#include "cuda/passes.h"
#include "kernels/oracle.h"
#include "kernels/random_program.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { N = 4099 };

enum pass pass;
const char *const pass_names[N_PASSES] = {"interpreted", "prepared", "compiled"};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int pass_run(const struct build *b, void *const host[], const size_t bytes[], int n_buffers,
             const char *what)
{
    if (pass == PREPARED) {
        heddle__cuda_prepare(&b->launch);
        return 0;
    }
    struct heddle_cuda_counters before, after;
    heddle__cuda_counters(&before);
    const enum heddle_status status = gpu_program(b, host, bytes, n_buffers);
    heddle__cuda_counters(&after);
    CHECK(status == HEDDLE_OK, "%s, %s: %s", what, pass_names[pass], heddle_last_error());
    CHECK((after.interpreted == before.interpreted) == (pass == COMPILED), "%s, %s: wrong executor",
          what, pass_names[pass]);
    return status == HEDDLE_OK;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* Whether a complex element is a fair question: far from overflow and branch cuts. */
static bool is_tame(enum heddle_op op, struct number x, struct number y)
{
    if (op == HEDDLE_OP_NEGATIVE || op == HEDDLE_OP_CONJ || op == HEDDLE_OP_REAL ||
        op == HEDDLE_OP_IMAG || op == HEDDLE_OP_WHERE ||
        oracle_result(op, HEDDLE_COMPLEX128) == HEDDLE_BOOL)
        return true;
    const long double size_x = fmaxl(fabsl(x.re), fabsl(x.im));
    const long double size_y = fmaxl(fabsl(y.re), fabsl(y.im));
    const long double most = op == HEDDLE_OP_POW ? 6 : 50;
    if (!(size_x < most && size_x > 1e-4L)) return false;
    if (heddle__ops[op].arity == 2 && !(size_y < most && size_y > 1e-4L)) return false;
    if (heddle__ops[op].flops < 16 && op != HEDDLE_OP_SQRT) return true;
    return fabsl(x.re) > 1e-3L && fabsl(x.im) > 1e-3L;
}

static void check_values(enum heddle_op op, enum heddle_dtype dtype, const void *const in[3],
                         const void *out)
{
    const enum heddle_dtype result = oracle_result(op, dtype);
    const bool complex_ = heddle_dtype_kind(dtype) == 'C', is_where = op == HEDDLE_OP_WHERE;
    int n_bad = 0;
    double worst = 0;
    for (int64_t i = 0; i < N; i++) {
        const struct number c = oracle_get(HEDDLE_BOOL, in[0], i), x = oracle_get(dtype, in[1], i),
                            y = oracle_get(dtype, in[2], i);
        if (complex_ && !is_tame(op, x, y)) continue;
        double ulps = 0;
        const struct number want =
            is_where ? oracle_op(op, dtype, c, x, y, &ulps) : oracle_op(op, dtype, x, y, y, &ulps);
        const struct number got = oracle_get(result, out, i);
        const double bound = ulps > 0 ? ulps + (complex_ ? 30 : 4) : ulps;
        if (oracle_near(result, got, want, bound)) continue;
        for (double u = bound; u < 1e6 && !oracle_near(result, got, want, u); u *= 2) worst = u;
        if (n_bad++ > 0) continue;
        fprintf(stderr,
                "%s of %s, %s: (%.17Lg, %.17Lg i %lld), (%.17Lg, %.17Lg i %lld): "
                "%.17Lg %.17Lg %lld, not %.17Lg %.17Lg %lld\n",
                heddle__ops[op].name, heddle_dtype_name(dtype), pass_names[pass], x.re, x.im,
                (long long)x.i, y.re, y.im, (long long)y.i, got.re, got.im, (long long)got.i,
                want.re, want.im, (long long)want.i);
    }
    CHECK(n_bad == 0, "%s of %s, %s: %d elements of %d, by %g ulps", heddle__ops[op].name,
          heddle_dtype_name(dtype), pass_names[pass], n_bad, N, worst);
}

static void *filled(enum heddle_dtype dtype, int which)
{
    void *data = malloc((size_t)N * 16);
    if (!data) exit(1);
    for (int64_t i = 0; i < N; i++) {
        uint64_t j = (uint64_t)i; /* all pairs of special values first */
        if (j < ORACLE_SPECIAL * ORACLE_SPECIAL)
            j = which ? j / ORACLE_SPECIAL : j % ORACLE_SPECIAL;
        else
            j = 3 * j + (uint64_t)which * 977;
        oracle_set(dtype, data, i, oracle_value(dtype, j));
    }
    return data;
}

static void test_ops(enum heddle_dtype d)
{
    void *in[3] = {filled(HEDDLE_BOOL, 0), filled(d, 0), filled(d, 1)};
    for (int from = 1; from < HEDDLE_N_OPS;) {
        struct build b;
        void *host[HEDDLE_MAX_OPERANDS] = {in[0], in[1], in[2]};
        size_t bytes[HEDDLE_MAX_OPERANDS] = {N, (size_t)N * heddle_dtype_size(d),
                                             (size_t)N * heddle_dtype_size(d)};
        int ops[HEDDLE_MAX_OPERANDS], n = 0;
        const int64_t extent = N;
        build_begin(&b, 1, 1, &extent);
        const int c = build_load(&b, HEDDLE_BOOL, NULL, NULL, 0);
        const int x = build_load(&b, d, NULL, NULL, 0), y = build_load(&b, d, NULL, NULL, 0);
        for (; from < HEDDLE_N_OPS && n < 12; from++) {
            if (!oracle_has((enum heddle_op)from) ||
                !(heddle__ops[from].accepts & heddle__kind_bit(d)))
                continue;
            const enum heddle_dtype result = oracle_result((enum heddle_op)from, d);
            host[3 + n] = calloc(N, 16);
            bytes[3 + n] = (size_t)N * heddle_dtype_size(result);
            ops[n++] = from;
            build_store(&b, build_any(&b, (enum heddle_op)from, d, c, x, y), result, NULL, NULL, 0);
        }
        build_seal(&b, 0);
        if (n > 0 && pass_run(&b, host, bytes, 3 + n, heddle_dtype_name(d)))
            for (int k = 0; k < n; k++)
                check_values((enum heddle_op)ops[k], d, (const void *const *)in, host[3 + k]);
        for (int k = 0; k < n; k++) free(host[3 + k]);
    }
    for (int k = 0; k < 3; k++) free(in[k]);
}

static void test_casts(enum heddle_dtype d)
{
    struct build b;
    void *host[HEDDLE_MAX_OPERANDS] = {filled(d, 0)};
    size_t bytes[HEDDLE_MAX_OPERANDS] = {(size_t)N * heddle_dtype_size(d)};
    const int64_t extent = N;
    build_begin(&b, 1, 1, &extent);
    const int x = build_load(&b, d, NULL, NULL, 0);
    for (int to = 1; to < HEDDLE_N_COMPUTED; to++) {
        host[to] = calloc(N, 16);
        bytes[to] = (size_t)N * heddle_dtype_size((enum heddle_dtype)to);
        build_store(&b, build_cast(&b, d, (enum heddle_dtype)to, x), (enum heddle_dtype)to, NULL,
                    NULL, 0);
    }
    build_seal(&b, 0);
    if (pass_run(&b, host, bytes, HEDDLE_N_COMPUTED, "casts"))
        for (int to = 1; to < HEDDLE_N_COMPUTED; to++) {
            int n_bad = 0;
            for (int64_t i = 0; i < N; i++) {
                union heddle_scalar v = {.c128 = {0, 0}};
                const size_t size = heddle_dtype_size(d);
                memcpy(&v, (char *)host[0] + (size_t)i * size, size);
                v = heddle__convert(v, d, (enum heddle_dtype)to);
                n_bad += !oracle_same((enum heddle_dtype)to, host[to], i, &v, 0);
            }
            CHECK(n_bad == 0, "%s to %s, %s: %d elements", heddle_dtype_name(d),
                  heddle_dtype_name((enum heddle_dtype)to), pass_names[pass], n_bad);
        }
    for (int k = 0; k < HEDDLE_N_COMPUTED; k++) free(host[k]);
}

/* ---- random programs ------------------------------------------------------------------------- */

/* Elementary functions differ by units in the last place: others in their place. */
static void make_exact(struct heddle_program *p)
{
    for (int i = 0; i < p->n_instrs; i++) {
        struct heddle_instr *in = &p->instrs[i];
        if (in->code >= HEDDLE_N_OPS) continue;
        const char kind = heddle_dtype_kind((enum heddle_dtype)in->dtype);
        const int costly = heddle__ops[in->code].flops >= 16 && in->code != HEDDLE_OP_POW;
        if ((kind == 'F' && costly) || (kind == 'C' && heddle__ops[in->code].flops >= 6)) {
            if (heddle__ops[in->code].arity == 1) in->b = in->a;
            in->code = HEDDLE_OP_MULTIPLY;
        }
        if (kind == 'C' && in->code == HEDDLE_OP_ABS) in->code = HEDDLE_OP_REAL;
        if (kind == 'C' && in->code == HEDDLE_OP_SIGN) in->code = HEDDLE_OP_NEGATIVE;
    }
}

static void test_random(uint64_t seed, bool reduce)
{
    struct random_program r;
    char what[64];
    void *before[HEDDLE_MAX_OPERANDS], *host[HEDDLE_MAX_OPERANDS], *want[HEDDLE_MAX_OPERANDS];
    size_t bytes[HEDDLE_MAX_OPERANDS];
    const struct random_options options = {.seed = seed,
                                           .max_elements = reduce ? 200000 : 20000,
                                           .n_instrs = 14,
                                           .reduce = reduce,
                                           .sequential = seed % 2,
                                           .alias = seed % 3 == 0};
    random_make(&r, &options);
    make_exact(&r.build.program);
    const int sequential = r.build.program.sequential;
    build_seal(&r.build, sequential);
    const int n = r.build.program.n_operands;
    random_save(&r, before);
    for (int o = 0; o < n; o++) { /* buffers, which aliases share */
        host[o] = r.data[o];
        bytes[o] = (int)r.build.buffer[o] == o ? r.bytes[o] : 0;
    }
    snprintf(what, sizeof what, "random program %llu%s", (unsigned long long)seed,
             reduce ? " with reductions" : "");
    if (pass_run(&r.build, host, bytes, n, what)) {
        random_save(&r, want); /* what the GPU gave */
        random_restore(&r, before);
        random_reference(&r);
        const int o = random_differs(&r, want);
        CHECK(o < 0, "%s, %s: operand %d differs", what, pass_names[pass], o);
        random_drop(&r, want);
    }
    random_drop(&r, before);
    random_free(&r);
}

/* ---- 64-bit indices -------------------------------------------------------------------------- */

/* x = 3 everywhere; y = x + 1, and sum(y): n bytes each. */
static void test_wide(int64_t n)
{
    struct build b, s;
    size_t free_bytes = 0, total = 0;
    gpu_check(cudaMemGetInfo(&free_bytes, &total), "memory");
    if (free_bytes < (size_t)n * 2 + (1u << 30)) return;
    build_begin(&b, 1, 1, &n);
    const int one = build_number(&b, HEDDLE_UINT8, 1);
    const int y =
        build_op(&b, HEDDLE_OP_ADD, HEDDLE_UINT8, build_load(&b, HEDDLE_UINT8, NULL, NULL, 0), one);
    build_store(&b, y, HEDDLE_UINT8, NULL, NULL, 0);
    build_seal(&b, 0);
    build_begin(&s, 0, 1, &n);
    const int x = build_load(&s, HEDDLE_UINT8, NULL, NULL, 0);
    const int sum = build_reduce(&s, HEDDLE_REDUCE_SUM, HEDDLE_INT64,
                                 build_cast(&s, HEDDLE_UINT8, HEDDLE_INT64, x));
    build_store(&s, build_reduced(&s, sum), HEDDLE_INT64, NULL, (int64_t[]){0}, 0);
    build_seal(&s, 0);
    if (pass == PREPARED) {
        heddle__cuda_prepare(&b.launch);
        heddle__cuda_prepare(&s.launch);
        return;
    }
    void *map[2] = {gpu_alloc((size_t)n), gpu_alloc((size_t)n)};
    void *reduce[2] = {map[1], gpu_alloc(8)};
    void *scratch = gpu_alloc(heddle__launch_gpu_scratch_bytes(&s.launch));
    int64_t got = 0;
    gpu_check(cudaMemsetAsync(map[0], 3, (size_t)n, gpu_stream()), "fill");
    CHECK_EQ(heddle__cuda_program(&b.launch, map, b.constants, NULL, gpu_stream(), NULL),
             HEDDLE_OK);
    CHECK_EQ(heddle__cuda_program(&s.launch, reduce, s.constants, scratch, gpu_stream(), NULL),
             HEDDLE_OK);
    gpu_check(cudaMemcpyAsync(&got, reduce[1], 8, cudaMemcpyDeviceToHost, gpu_stream()), "copy");
    gpu_free_all();
    CHECK_EQ(got, 4 * n);
}

/* ---- the cache of kernels -------------------------------------------------------------------- */

/* Compilations that a small program needs with this cache; its result is checked. */
static int64_t compilations(const char *folder, double *seconds)
{
    const struct heddle_cuda_settings settings = {folder, true};
    struct heddle_cuda_counters before, after;
    struct build b;
    float x[100], y[100] = {0};
    const int64_t n = 100;
    void *host[2] = {x, y};
    const size_t bytes[2] = {sizeof x, sizeof y};
    for (int i = 0; i < 100; i++) x[i] = (float)i;
    build_begin(&b, 1, 1, &n);
    const int v = build_load(&b, HEDDLE_FLOAT32, NULL, NULL, 0);
    build_store(&b, build_op(&b, HEDDLE_OP_SQRT, HEDDLE_FLOAT32, v, v), HEDDLE_FLOAT32, NULL, NULL,
                0);
    build_seal(&b, 0);
    CHECK_EQ(heddle__cuda_open(1, &settings), HEDDLE_OK);
    heddle__cuda_counters(&before);
    const double from = now();
    heddle__cuda_prepare(&b.launch);
    heddle__cuda_wait_compiled();
    *seconds = now() - from;
    heddle__cuda_counters(&after);
    const int64_t compiled = after.compiled - before.compiled;
    CHECK_EQ(gpu_program(&b, host, bytes, 2), HEDDLE_OK);
    heddle__cuda_counters(&after);
    CHECK_EQ(after.interpreted, before.interpreted);
    CHECK_NUM(y[81], 9);
    heddle__cuda_close();
    return compiled;
}

/* Calls `act` on each file of the cache; returns how many there were. */
static int for_each_kernel(const char *folder, void (*act)(const char *path))
{
    char path[4096];
    int n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!strstr(e->d_name, ".cubin")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        act(path);
        n++;
    }
    if (dir) closedir(dir);
    return n;
}

static void damage(const char *path)
{
    FILE *file = fopen(path, "r+b");
    CHECK(file && fseek(file, 500, SEEK_SET) == 0 && fputs("damage", file) >= 0);
    if (file) fclose(file);
}

static void delete_file(const char *path)
{
    CHECK(remove(path) == 0);
}

static void test_cache(void)
{
    char folder[] = "/tmp/heddle-cuda-XXXXXX", kernels[64];
    double cold, warm, damaged;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(kernels, sizeof kernels, "%s/kernels", folder);
    CHECK_EQ(compilations(folder, &cold), 1);
    CHECK_EQ(compilations(folder, &warm), 0);
    CHECK_EQ(for_each_kernel(kernels, damage), 1);
    CHECK_EQ(compilations(folder, &damaged), 1);
    CHECK_EQ(compilations("/proc/nowhere", &damaged), 1);
    CHECK_EQ(for_each_kernel(kernels, delete_file), 1);
    CHECK(remove(kernels) == 0 && remove(folder) == 0);
    printf("time to the first compiled kernel: %.0f ms, from the disk cache %.1f ms\n", cold * 1e3,
           warm * 1e3);
}

/* cuda_kernels [RANDOM_PROGRAMS | matmul]: products alone are a matter of seconds. */
static void test_products(void)
{
    if (pass == COMPILED) test_matmul();
    test_epilogues();
}

/* What can be asked for by itself: prepared, then compiled. */
static void test_dtypes(void)
{
    for (int d = 1; d < HEDDLE_N_COMPUTED; d++) {
        test_ops((enum heddle_dtype)d);
        test_casts((enum heddle_dtype)d);
    }
}

static const struct {
    const char *name;
    void (*test)(void);
} groups[] = {{"ops", test_dtypes},
              {"quick", test_quick},
              {"doubles", test_quick_doubles},
              {"reductions", test_reductions},
              {"lines", test_any_order},
              {"special", test_special},
              {"rows", test_rows},
              {"strips", test_strips},
              {"tables", test_tables},
              {"tiles", test_tiles},
              {"matmul", test_products},
              {"epilogues", test_epilogues},
              {"divisors", test_divisors},
              {"gathered", test_gathered},
              {"scans", test_scan_work},
              {"short", test_short_rows}};

int main(int argc, char **argv)
{
    const int n_random = argc > 1 ? atoi(argv[1]) : 120;
    if (!gpu_open()) {
        printf("no GPU here: skipped\n");
        return 77;
    }
    for (size_t i = 0; argc > 1 && i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(argv[1], groups[i].name) != 0) continue;
        CHECK_EQ(heddle__cuda_open(1, &(struct heddle_cuda_settings){NULL, true}), HEDDLE_OK);
        for (pass = PREPARED; pass < N_PASSES; pass++) {
            groups[i].test();
            heddle__cuda_wait_compiled();
        }
        heddle__cuda_close();
        return check_done();
    }
    for (pass = INTERPRETED; pass < N_PASSES; pass++) {
        const struct heddle_cuda_settings settings = {NULL, pass != INTERPRETED};
        const double from = now();
        if (pass != COMPILED) CHECK_EQ(heddle__cuda_open(1, &settings), HEDDLE_OK);
        test_dtypes();
        for (int s = 0; s < n_random; s++) {
            test_random((uint64_t)s, false);
            test_random((uint64_t)s, true);
        }
        test_divisors();
        test_gathered();
        test_quick();
        test_quick_doubles();
        test_reductions();
        test_any_order();
        test_special();
        test_rows();
        test_strips();
        test_tables();
        test_tiles();
        test_wide((INT64_C(1) << 30) + 12345);
        test_epilogues();
        test_scan_work();
        test_short_rows();
        if (pass == COMPILED) test_matmul();
        if (pass == PREPARED) heddle__cuda_wait_compiled();
        if (pass != PREPARED) heddle__cuda_close();
        struct heddle_cuda_counters counters;
        heddle__cuda_counters(&counters);
        printf("%s: %.1f s; kernels %lld, interpreted %lld, compiled %lld\n", pass_names[pass],
               now() - from, (long long)counters.kernels, (long long)counters.interpreted,
               (long long)counters.compiled);
        if (pass == PREPARED) continue;
        if (pass == INTERPRETED) CHECK_EQ(counters.kernels, counters.interpreted);
    }
    test_cache();
    return check_done();
}
