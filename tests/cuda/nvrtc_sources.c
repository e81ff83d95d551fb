/* Generated sources, with no GPU: all operations, casts and reductions of all dtypes compile in all
 * forms; a source does not depend on sizes, strides or constants, and is of bounded size. */
#include "base/dtype.h"
#include "cuda/compile.h"
#include "cuda/extra.h"
#include "cuda/nvrtc_library.h"
#include "cuda/source.h"

#include <base/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures, compiled;

/* ---- Batches ------------------------------------------------------------------------------------- */

/* What compiling costs beside the kernels is paid once for several sources: they are one program, each in a
 * namespace and with kernels of its own name. */
enum { N_BATCH = 16, FULL_EVERY = 16 };
static struct member {
    char *source, what[64];
} batch[N_BATCH];
static int n_batch, n_batches;

/* Most of the time goes into optimising, which finds no fault of a source: little is done of it, but for every sixteenth
 * batch, which gets the options of kernels at run time and no more. */
enum heddle_status __real_heddle__nvrtc_get(const struct heddle_nvrtc **nvrtc);
enum heddle_status __wrap_heddle__nvrtc_get(const struct heddle_nvrtc **nvrtc);

static const struct heddle_nvrtc *real;
static const char *
    quick; /* NVRTCs before 13 may have no quick way but that for debuggers, which takes three times as long */

static nvrtcResult compile_program(nvrtcProgram program, int n, const char *const *options)
{
    enum { ROOM = 16 };
    const char *all[ROOM];
    if (n_batches % FULL_EVERY == 0 || n >= ROOM)
        return real->nvrtcCompileProgram(program, n, options);
    memcpy(all, options, (size_t)n * sizeof *options);
    all[n] = quick;
    return real->nvrtcCompileProgram(program, n + 1, all);
}

enum heddle_status __wrap_heddle__nvrtc_get(const struct heddle_nvrtc **nvrtc)
{
    static struct heddle_nvrtc changed;
    const enum heddle_status status = __real_heddle__nvrtc_get(&real);
    if (status != HEDDLE_OK) return status;
    int major = 0, minor = 0;
    if (real->nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) major = 0;
    quick = major >= 13 ? "--Ofast-compile=mid" : "--device-debug";
    changed = *real;
    changed.nvrtcCompileProgram = compile_program;
    *nvrtc = &changed;
    return HEDDLE_OK;
}

static enum heddle_status compile(const char *source)
{
    char *cubin = NULL;
    size_t size = 0;
    const enum heddle_status status = heddle__compile(source, 90, &cubin, &size);
    heddle__free(cubin);
    return status;
}

/* All members as one source. */
static char *joined(void)
{
    struct heddle_text text = {0};
    /* with what some of the members ask for; their own do nothing */
    heddle__text_put(&text, "#define HD_DRAWS\n#include \"heddle.cuh\"\n");
    for (int i = 0; i < n_batch; i++)
        heddle__text_put(&text,
                         "#define " HEDDLE_KERNEL_MAIN " main_%d\n#define " HEDDLE_KERNEL_FINISH
                         " finish_%d\nnamespace member_%d {\n%s}\n#undef " HEDDLE_KERNEL_MAIN
                         "\n#undef " HEDDLE_KERNEL_FINISH "\n",
                         i, i, i, batch[i].source);
    return heddle__text_take(&text);
}

static void compile_batch(void)
{
    char *all = joined();
    if (n_batch > 0 && (!all || compile(all) != HEDDLE_OK)) {
        const int before = failures;
        printf("%s\n", heddle_last_error());
        for (int i = 0; i < n_batch && failures <= 3; i++) {
            if (compile(batch[i].source) == HEDDLE_OK) continue;
            failures++;
            printf("FAIL %s: %s\n%s\n", batch[i].what, heddle_last_error(), batch[i].source);
        }
        if (failures == before) {
            failures++;
            printf("FAIL sources compile by themselves, but not together\n");
        }
    }
    for (int i = 0; i < n_batch; i++) heddle__free(batch[i].source);
    compiled += n_batch;
    n_batch = 0;
    n_batches++;
    heddle__free(all);
    if (failures > 3) exit(1);
}

static void check_compiles(const struct build *c, const char *what, int d)
{
    char *source = heddle__cuda_source(&c->launch);
    if (!source) {
        printf("FAIL %s: no source\n", what);
        exit(1);
    }
    batch[n_batch].source = source;
    snprintf(batch[n_batch].what, sizeof batch[n_batch].what, "%s of %s", what,
             heddle_dtype_name((enum heddle_dtype)d));
    if (++n_batch == N_BATCH) compile_batch();
}

/* ---- What is compiled ------------------------------------------------------------------------------ */

static void expect(int condition, const char *what)
{
    if (condition) return;
    printf("FAIL %s\n", what);
    failures++;
}

/* The ops from..to-1 that take a dtype, their results added up as float64. */
static void check_ops(enum heddle_dtype d, int from, int to, const int64_t extent[], int ndim,
                      int transposed)
{
    struct build c;
    build_begin(&c, ndim, ndim, extent);
    int64_t swapped[HEDDLE_MAX_NDIM] = {1, extent[0]};
    const int b = build_load(&c, HEDDLE_BOOL, NULL, NULL, 0);
    const int x = build_load(&c, d, NULL, transposed ? swapped : NULL, 0),
              y = build_load(&c, d, NULL, NULL, 0);
    int sum = build_f64(&c, 0), n = 0;
    for (int op = from; op < to; op++) {
        if (!(heddle__ops[op].accepts & heddle__kind_bit(d))) continue;
        int v = build_any(&c, (enum heddle_op)op, d, b, x, y);
        v = build_cast(&c, build_result((enum heddle_op)op, d), HEDDLE_FLOAT64, v);
        sum = build_op(&c, HEDDLE_OP_ADD, HEDDLE_FLOAT64, sum, v);
        n++;
    }
    if (!n) return;
    build_store(&c, sum, HEDDLE_FLOAT64, NULL, NULL, 0);
    build_seal(&c, 0);
    check_compiles(&c, "ops", (int)d);
}

static void check_casts(int from, int to)
{
    struct build c;
    build_begin(&c, 1, 1, (const int64_t[]){1000});
    for (int a = from; a < to; a++) {
        const int x = build_load(&c, (enum heddle_dtype)a, NULL, NULL, 0);
        for (int b = 1; b < HEDDLE_N_COMPUTED; b++) {
            const int v = build_cast(&c, (enum heddle_dtype)a, (enum heddle_dtype)b, x);
            if (b % 4 == a % 4) build_store(&c, v, (enum heddle_dtype)b, NULL, NULL, 0);
        }
    }
    build_seal(&c, 0);
    check_compiles(&c, "casts", from);
}

static const struct form {
    const char *name;
    int ndim, n_kept, sequential;
    int64_t extent[3];
    enum heddle_phase phase;
} forms[] = {
    {"short", 2, 1, 0, {1000, 7}, HEDDLE_PHASE_WHOLE},
    {"runs of full rows", 2, 1, 0, {1000, 32}, HEDDLE_PHASE_WHOLE},
    {"runs", 2, 1, 0, {1000, 100}, HEDDLE_PHASE_WHOLE},
    {"warp 2", 2, 1, 0, {1000, 51}, HEDDLE_PHASE_WHOLE},
    {"warp 16", 2, 1, 0, {1000, 333}, HEDDLE_PHASE_WHOLE},
    {"block", 2, 1, 0, {1000, 5000}, HEDDLE_PHASE_WHOLE},
    {"chunks", 1, 0, 0, {100000000}, HEDDLE_PHASE_WHOLE},
    {"shared chunks", 1, 0, 0, {1000000}, HEDDLE_PHASE_WHOLE},
    {"shared rows", 2, 1, 0, {3, 20000}, HEDDLE_PHASE_WHOLE},
    {"sequential", 2, 1, 1, {1000, 100}, HEDDLE_PHASE_WHOLE},
    {"few columns", 2, 1, 1, {3, 10000000}, HEDDLE_PHASE_WHOLE},
    {"sequential chunks", 2, 1, 1, {1000, 100000}, HEDDLE_PHASE_WHOLE},
    {"partial", 3, 1, 0, {3, 300, 1000}, HEDDLE_PHASE_PARTIAL},
    {"combine", 3, 1, 0, {3, 300, 1000}, HEDDLE_PHASE_COMBINE},
    {"everything", 1, 0, 0, {0}, HEDDLE_PHASE_WHOLE},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

static void check_reductions(enum heddle_dtype d, int from, int to, const struct form *form)
{
    struct build c;
    build_begin(&c, form->n_kept, form->ndim, form->extent);
    int64_t kept_last[HEDDLE_MAX_NDIM] = {1, form->extent[0]};
    const int x = build_load(&c, d, NULL, form->sequential ? kept_last : NULL, 0);
    const int y = build_op(
        &c, heddle__kind_bit(d) == HEDDLE_KIND_B ? HEDDLE_OP_BITWISE_INVERT : HEDDLE_OP_NEGATIVE, d,
        x, 0);
    int reductions[HEDDLE_MAX_REDUCTIONS], n = 0;
    for (int op = from; op < to && op < HEDDLE_N_REDUCTIONS; op++)
        if (heddle__reductions[op].accepts & heddle__kind_bit(d))
            reductions[n++] = build_reduce(&c, (enum heddle_reduction)op, d, y);
    if (!n) return;
    for (int r = 0; r < n; r++) {
        const int v = build_reduced(&c, reductions[r]);
        build_store(&c, v, (enum heddle_dtype)c.program.reductions[r].result, NULL, NULL, 0);
    }
    build_seal(&c, form->sequential);
    c.launch.geometry.phase = (uint8_t)form->phase;
    check_compiles(&c, form->name, (int)d);
}

/* Quotients and roots that share a check, in all forms of reductions and of maps. */
static void check_quick(void)
{
    const int64_t extents[][2] = {{1, 100000}, {100, 1000}, {10000, 7}};
    for (int f = 0; f < N_FORMS + 3; f++) {
        const struct form *form = f < N_FORMS ? &forms[f] : NULL;
        struct build c;
        if (form)
            build_begin(&c, form->n_kept, form->ndim, form->extent);
        else
            build_begin(&c, 2, 2, extents[f - N_FORMS]);
        const int x = build_load(&c, HEDDLE_FLOAT32, NULL, NULL, 0);
        int v = build_op(&c, HEDDLE_OP_SQRT, HEDDLE_FLOAT32, x, 0);
        v = build_op(&c, HEDDLE_OP_DIVIDE, HEDDLE_FLOAT32, x, v);
        v = build_op(&c, HEDDLE_OP_RECIPROCAL, HEDDLE_FLOAT32, v, 0);
        if (form) v = build_reduced(&c, build_reduce(&c, HEDDLE_REDUCE_SUM, HEDDLE_FLOAT32, v));
        build_store(&c, v, HEDDLE_FLOAT32, NULL, NULL, 0);
        build_seal(&c, form ? form->sequential : 0);
        if (form) c.launch.geometry.phase = (uint8_t)form->phase;
        check_compiles(&c, form ? form->name : "quick", HEDDLE_FLOAT32);
    }
}

static char *source_of(int64_t n, int64_t m, int64_t stride, double constant)
{
    struct build c;
    build_begin(&c, 2, 2, (const int64_t[]){n, m});
    const int x =
        build_load(&c, HEDDLE_FLOAT32, NULL, (const int64_t[HEDDLE_MAX_NDIM]){stride, 1}, 4);
    const int k = build_number(&c, HEDDLE_FLOAT32, constant);
    build_store(&c, build_op(&c, HEDDLE_OP_ADD, HEDDLE_FLOAT32, x, k), HEDDLE_FLOAT32, NULL, NULL,
                0);
    build_seal(&c, 0);
    return heddle__cuda_source(&c.launch);
}

static void check_independence(void)
{
    char *a = source_of(1000, 1000, 1004, 1), *b = source_of(77, 332, 336, 2);
    expect(a && b && strcmp(a, b) == 0, "a source does not depend on sizes");
    heddle__free(a);
    heddle__free(b);
}

static void check_bounds(void)
{
    struct build c;
    build_begin(&c, 3, 3, (const int64_t[]){50, 60, 70});
    int v[HEDDLE_MAX_INSTRS], n = 0;
    for (int k = 0; k < HEDDLE_MAX_OPERANDS - 1; k++)
        v[n++] = build_load(&c, HEDDLE_FLOAT64, NULL, NULL, 3 * k);
    for (; n < HEDDLE_MAX_INSTRS; n++)
        v[n] = build_op(&c, n % 3 ? HEDDLE_OP_ADD : HEDDLE_OP_FLOOR_DIVIDE, HEDDLE_FLOAT64,
                        v[n - 1], v[n - 20]);
    build_store(&c, v[n - 1], HEDDLE_FLOAT64, NULL, NULL, 0);
    build_seal(&c, 0);
    char *source = heddle__cuda_source(&c.launch);
    expect(source && strlen(source) < 60000, "the longest source is below 60 kB");
    heddle__free(source);
    check_compiles(&c, "the longest program", HEDDLE_FLOAT64);
}

/* What an epilogue, several axes and indices add. */
static void check_features(void)
{
    struct build c;
    build_begin(&c, 3, 3, (const int64_t[]){50, 60, 70});
    int v = build_cast(&c, HEDDLE_INT64, HEDDLE_FLOAT64, build_index(&c, 0));
    const int w = build_cast(&c, HEDDLE_INT64, HEDDLE_FLOAT64, build_index(&c, 2));
    v = build_op(&c, HEDDLE_OP_ADD, HEDDLE_FLOAT64, v, w);
    build_store(&c, v, HEDDLE_FLOAT64, NULL, NULL, 0);
    build_seal(&c, 0);
    check_compiles(&c, "indices", HEDDLE_FLOAT64);

    build_begin(&c, 2, 4, (const int64_t[]){50, 60, 70, 3});
    const int x = build_load(&c, HEDDLE_COMPLEX128, NULL, NULL, 0), k = build_f64(&c, 2);
    const int i = build_cast(&c, HEDDLE_INT64, HEDDLE_COMPLEX128, build_index(&c, 3));
    const int sum = build_reduce(&c, HEDDLE_REDUCE_SUM, HEDDLE_COMPLEX128,
                                 build_op(&c, HEDDLE_OP_MULTIPLY, HEDDLE_COMPLEX128, x, i));
    v = build_op(&c, HEDDLE_OP_ABS, HEDDLE_COMPLEX128, build_reduced(&c, sum), 0);
    const int y = build_load(&c, HEDDLE_FLOAT64, NULL, NULL, 0);
    v = build_op(&c, HEDDLE_OP_DIVIDE, HEDDLE_FLOAT64, v, y);
    v = build_op(&c, HEDDLE_OP_MULTIPLY, HEDDLE_FLOAT64, v, k);
    build_store(&c, v, HEDDLE_FLOAT64, NULL, NULL, 0);
    build_seal(&c, 0);
    check_compiles(&c, "an epilogue", HEDDLE_COMPLEX128);
}

/* Rows in three stretches, of which operands are moved by so many elements, forward and back: 32 bits have the difference of the moves. */
static void check_stretches(enum heddle_dtype d)
{
    static const int64_t moves[] = {1000, 1 << 28, 1 << 30};
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        struct heddle_stretches s = {.n = 3, .end = {1, 99, 100}, .moved = 5};
        struct build c;
        build_begin(&c, 2, 2, (const int64_t[]){50, 100});
        const int x = build_load(&c, d, NULL, NULL, 0), y = build_load(&c, d, NULL, NULL, 0),
                  z = build_load(&c, d, NULL, NULL, 0);
        build_store(&c, x, d, NULL, NULL, 0);
        build_store(&c, y, d, NULL, NULL, 0);
        build_store(&c, z, d, NULL, NULL, 0);
        build_seal(&c, 0);
        s.apart[0][0] = s.apart[2][2] = moves[i];
        s.apart[2][0] = s.apart[0][2] = -moves[i];
        c.launch.stretches = &s;
        char *source = heddle__cuda_source(&c.launch);
        expect(source && strstr(source, i < 2 ? "typedef int I;" : "typedef hd_int64 I;"),
               "moves have the indices that hold their differences");
        heddle__free(source);
        check_compiles(&c, "stretches", (int)d);
    }
}

/* Maps by tiles: across are a loaded and a stored operand; of four axes; with indices of 64 bits. */
static void check_tiles(enum heddle_dtype d)
{
    const int64_t extent[4] = {40, 3, 2, 50}, turned[HEDDLE_MAX_NDIM] = {1, 40, 120, 240},
                  wide[2] = {1 << 16, 1 << 15}, wide_turned[HEDDLE_MAX_NDIM] = {1, 1 << 16};
    struct build c;
    build_begin(&c, 4, 4, extent);
    const int x = build_load(&c, d, NULL, turned, 0), y = build_load(&c, d, NULL, NULL, 0);
    const int i = build_cast(&c, HEDDLE_INT64, d, build_index(&c, 1));
    build_store(&c, x, d, NULL, NULL, 0);
    build_store(&c, y, d, NULL, turned, 1);
    build_store(&c, i, d, NULL, NULL, 0);
    build_seal(&c, 0);
    check_compiles(&c, "tiles", (int)d);

    build_begin(&c, 2, 2, wide);
    build_store(&c, build_load(&c, d, NULL, wide_turned, 0), d, NULL, NULL, 0);
    build_seal(&c, 0);
    check_compiles(&c, "wide tiles", (int)d);
}

/* Sums over all pairs of two lines, of 2^30 elements; and over a matrix with gaps for each of as many kept ones, several at once. */
static void check_pairs(enum heddle_dtype d)
{
    const int64_t all[2] = {1 << 15, 1 << 15}, kept[3] = {1 << 30, 64, 1000};
    int64_t rows[HEDDLE_MAX_NDIM] = {1}, columns[HEDDLE_MAX_NDIM] = {0, 1};
    for (int n_kept = 0; n_kept < 2; n_kept++) {
        struct build c;
        build_begin(&c, n_kept, 2 + n_kept, n_kept ? kept : all);
        if (n_kept) {
            memcpy(rows, (int64_t[]){1, 0, 0}, 3 * sizeof *rows);
            memcpy(columns, (int64_t[]){0, 1024, 1}, 3 * sizeof *columns);
        }
        const int x = build_load(&c, d, NULL, rows, 0), y = build_load(&c, d, NULL, columns, 0);
        const int sum =
            build_reduce(&c, HEDDLE_REDUCE_SUM, d, build_op(&c, HEDDLE_OP_MULTIPLY, d, x, y));
        build_store(&c, build_reduced(&c, sum), c.program.reductions[0].result, NULL, NULL, 0);
        build_seal(&c, 0);
        check_compiles(&c, n_kept ? "pairs of each" : "pairs", (int)d);
    }
}

/* Rows of a table at indices, times a factor of their own: by threads that have neighbours; of few results; and of so many elements that
 * indices are of 64 bits. */
static void check_gathered(enum heddle_dtype d)
{
    static const int64_t rows[] = {1 << 14, 100, 1 << 25};
    for (int i = 0; i < 3; i++) {
        const int64_t extent[3] = {rows[i], 32, 10}, shared[HEDDLE_MAX_NDIM] = {10, 0, 1},
                      own[HEDDLE_MAX_NDIM] = {320, 1, 32}, pitch = 32;
        const int near = i != 2, index_dtype = i ? HEDDLE_INT64 : HEDDLE_INT32;
        struct build c;
        build_begin(&c, 2, 3, extent);
        int place = build_load(&c, index_dtype, NULL, shared, 0);
        place = build_checked(&c, index_dtype, place, 1000, 0, near);
        place = build_op(&c, HEDDLE_OP_MULTIPLY, HEDDLE_INT64, place,
                         build_constant(&c, HEDDLE_INT64, (union heddle_scalar){.i64 = pitch}));
        place = build_op(&c, HEDDLE_OP_ADD, HEDDLE_INT64, place, build_index(&c, 1));
        const int x = build_at(&c, d, place, near), y = build_load(&c, d, NULL, own, 0);
        const int z =
            build_op(&c, d == HEDDLE_FLOAT32 ? HEDDLE_OP_DIVIDE : HEDDLE_OP_MULTIPLY, d, x, y);
        build_store(&c, build_reduced(&c, build_reduce(&c, HEDDLE_REDUCE_SUM, d, z)), d, NULL,
                    (const int64_t[HEDDLE_MAX_NDIM]){32, 1}, 0);
        build_seal(&c, 1);
        check_compiles(&c, "gathered", (int)d);
    }
}

/* Two of three interleaved operands, and one of two. */
static void check_combs(enum heddle_dtype d)
{
    const int64_t extent[1] = {1 << 20}, three[HEDDLE_MAX_NDIM] = {3}, two[HEDDLE_MAX_NDIM] = {2};
    struct build c;
    build_begin(&c, 1, 1, extent);
    const int x = build_load(&c, d, NULL, three, 0), y = build_load(&c, d, NULL, three, 1),
              z = build_load(&c, d, NULL, two, 0);
    c.buffer[1] = 0;
    build_store(&c, x, d, NULL, NULL, 0);
    build_store(&c, y, d, NULL, NULL, 0);
    build_store(&c, z, d, NULL, NULL, 0);
    build_seal(&c, 0);
    check_compiles(&c, "combs", (int)d);
}

int main(void)
{
    struct timespec from, to;
    const int64_t square[2] = {640, 640};
    clock_gettime(CLOCK_MONOTONIC, &from);
    check_independence();
    check_features();
    check_stretches(HEDDLE_FLOAT32);
    check_stretches(HEDDLE_UINT8);
    check_quick();
    for (int d = 1; d < HEDDLE_N_COMPUTED; d++) {
        const int half = HEDDLE_N_OPS / 2;
        check_ops((enum heddle_dtype)d, 1, half, square, 1, 0);
        check_ops((enum heddle_dtype)d, half, HEDDLE_N_OPS, square, 2, 1);
        check_tiles((enum heddle_dtype)d);
        check_combs((enum heddle_dtype)d);
        if (d == HEDDLE_FLOAT32 || d == HEDDLE_INT8) check_pairs((enum heddle_dtype)d);
        if (heddle_dtype_kind((enum heddle_dtype)d) != 'B') check_gathered((enum heddle_dtype)d);
    }
    for (int d = 1; d < HEDDLE_N_COMPUTED; d += 5)
        check_casts(d, d + 5 < HEDDLE_N_COMPUTED ? d + 5 : HEDDLE_N_COMPUTED);
    /* every form for three dtypes, every dtype in turn for one form */
    for (int d = 1; d < HEDDLE_N_COMPUTED; d++)
        for (int f = 0; f < N_FORMS; f++) {
            const int all = d == HEDDLE_FLOAT64 || d == HEDDLE_COMPLEX64 || d == HEDDLE_BOOL;
            if (!all && f != d % N_FORMS) continue;
            for (int op = 0; op < HEDDLE_N_REDUCTIONS; op += HEDDLE_MAX_REDUCTIONS)
                check_reductions((enum heddle_dtype)d, op, op + HEDDLE_MAX_REDUCTIONS, &forms[f]);
        }
    check_bounds();
    compile_batch();
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%d sources compiled in %.1f s, %d failures\n", compiled,
           (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec),
           failures);
    return failures != 0;
}
