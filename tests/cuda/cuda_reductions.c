/* Reductions of all dtypes in all forms and phases: the same bits as the CPU kernels give; and launches
 * of one kernel after each other. Entry points: test_reductions, test_any_order. */
#include "check.h"
#include "cuda/passes.h"
#include "kernels/oracle.h"
#include "kernels/test_team.h"

#include <stdlib.h>

struct shape {
    int ndim, n_kept, sequential;
    int64_t extent[3];
};

static const struct shape shapes[] = {
    {2, 1, 0, {5000, 7}},
    {2, 1, 0, {300, 16}},
    {2, 1, 0, {300, 17}},
    {2, 1, 0, {500, 100}},
    {2, 1, 0, {200, 500}},
    {2, 1, 0, {9, 1024}},
    {2, 1, 0, {9, 1025}},
    {2, 1, 0, {20, 5000}},
    {1, 0, 0, {131081}},
    {1, 0, 0, {1400000}},
    {3, 1, 0, {3, 300, 700}},
    {2, 1, 0, {2, 70000}},
    {2, 1, 1, {700, 100}},
    {2, 1, 1, {300, 3000}},
    {2, 1, 1, {5, 10500}},
    {2, 1, 1, {3, 281601}},
    {2, 2, 0, {30, 40}},
    {2, 1, 0, {40, 0}},
    {3, 1, 0, {7, 65536, 2}},
    {2, 1, 0, {70, 32}},
    {2, 1, 0, {90, 60}},
    {2, 1, 0, {33, 50}},
    {2, 1, 0, {40, 333}},
    {3, 1, 0, {6, 50, 1032}},
    /* few columns, of two axes and of one in chunks */
    {3, 2, 1, {2800, 3, 35}},
    {2, 1, 1, {7, 300000}},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* In more chunks than reduce_tree.h has for so few elements: 1 to 9 kept elements, 2 to 20 chunks; more
 * than 1024 chunks; as many kept elements as one kernel can count the chunks of, and one more. */
static const struct {
    struct shape shape;
    int64_t split_rows;
} cut[] = {
    {{1, 0, 0, {4096}}, 2048},       {{2, 1, 0, {2, 34000}}, 2048},
    {{3, 1, 0, {3, 33, 600}}, 2},    {{2, 1, 0, {4, 40000}}, 2048},
    {{3, 1, 0, {5, 16, 1100}}, 1},   {{3, 2, 0, {2, 3, 5000}}, 2048},
    {{2, 1, 0, {7, 6145}}, 2048},    {{2, 1, 0, {8, 4097}}, 2048},
    {{2, 1, 0, {9, 34817}}, 2048},   {{3, 0, 0, {3, 70000, 2}}, 1024},
    {{2, 0, 0, {1000, 1030}}, 1},    {{2, 0, 0, {1025, 1026}}, 1},
    {{2, 0, 0, {2049, 1025}}, 1},    {{2, 1, 0, {1024, 2050}}, 2048},
    {{2, 1, 0, {1025, 2050}}, 2048},
};
enum { N_CUT = sizeof cut / sizeof *cut };

/* Of like sizes, so that sums in another order are other numbers. */
static struct number ordinary(uint64_t k)
{
    return (struct number){.re = (long double)(k % 2000003) / 1000001 - 1,
                           .im = (long double)(k % 1000003) / 500001 - 1};
}

static void *values(enum heddle_dtype d, int64_t n, int specials)
{
    void *data = malloc((size_t)(n + 1) * heddle_dtype_size(d));
    if (!data) exit(1);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t k = (uint64_t)i * 2654435761u;
        const int special = specials && k % 97 == 3;
        const bool is_real = heddle_dtype_kind(d) == 'F' || heddle_dtype_kind(d) == 'C';
        oracle_set(d, data, i,
                   is_real && !specials ? ordinary(k)
                   : special            ? oracle_value(d, k % ORACLE_SPECIAL)
                                        : oracle_value(d, 100 + k % 1000003));
    }
    return data;
}

/* Operand 0: the input; 1: read after the reductions; then a store for each reduction. `split_rows`: of
 * a chunk, or 0 as reduce_tree.h says. */
static int make(struct build *b, enum heddle_dtype d, int from, const struct shape *s,
                int64_t split_rows)
{
    int64_t stride[HEDDLE_MAX_NDIM] = {1, s->extent[0]}, dense[HEDDLE_MAX_NDIM] = {0}, next = 1;
    if (s->ndim == 3) {
        stride[0] = s->extent[1] * s->extent[2];
        stride[1] = 1;
        stride[2] = s->extent[1];
    }
    for (int a = s->n_kept - 1; a >= 0; a--) {
        dense[a] = next;
        next *= s->extent[a];
    }
    build_begin(b, s->n_kept, s->ndim, s->extent);
    const int x = build_load(b, d, NULL, s->sequential ? stride : NULL, 0);
    const int y = build_op(
        b, heddle__kind_bit(d) == HEDDLE_KIND_B ? HEDDLE_OP_BITWISE_INVERT : HEDDLE_OP_NEGATIVE, d,
        x, x);
    int n = 0, v[HEDDLE_MAX_REDUCTIONS];
    for (int op = from; op < from + HEDDLE_MAX_REDUCTIONS && op < HEDDLE_N_REDUCTIONS; op++) {
        const struct heddle_reduction_info *info = &heddle__reductions[op];
        if (!(info->accepts & heddle__kind_bit(d))) continue;
        if (info->identity == HD_NONE && s->extent[s->ndim - 1] == 0) continue;
        build_reduce(b, (enum heddle_reduction)op, d, y);
        n++;
    }
    if (n == 0) return 0;
    const int other = build_load(b, d, NULL, dense, 0);
    for (int r = 0; r < n; r++) {
        v[r] = build_reduced(b, r);
        if (b->program.reductions[r].result != d) continue;
        v[r] = build_op(b, HEDDLE_OP_NOT_EQUAL, d, v[r], other);
        v[r] = build_instr(b, HEDDLE_OP_WHERE, d, d, v[r], build_reduced(b, r), other);
    }
    for (int r = 0; r < n; r++)
        build_store(b, v[r], (enum heddle_dtype)b->program.reductions[r].result, NULL, dense, 0);
    build_seal(b, s->sequential);
    if (split_rows > 0) {
        struct heddle_geometry *g = &b->launch.geometry;
        g->split_rows = split_rows;
        g->n_chunks = (g->extent[g->split_axis] + g->split_rows - 1) / g->split_rows;
        for (int a = g->n_kept; a < g->split_axis; a++) g->n_chunks *= g->extent[a];
    }
    return n;
}

struct data {
    void *host[HEDDLE_MAX_OPERANDS + HEDDLE_MAX_REDUCTIONS];
    size_t bytes[HEDDLE_MAX_OPERANDS + HEDDLE_MAX_REDUCTIONS];
    int n_operands, n; /* with partials */
};

static void compare(const struct build *b, const struct data *got, void *const want[],
                    const char *what)
{
    const int64_t kept = heddle__kept_size(&b->launch.geometry);
    for (int k = 2; k < got->n_operands; k++) {
        const enum heddle_dtype d = (enum heddle_dtype)b->program.operand_dtype[k];
        int64_t n_bad = 0, first = -1;
        for (int64_t i = 0; i < kept; i++)
            if (!oracle_same(d, got->host[k], i, want[k], i) && n_bad++ == 0) first = i;
        if (n_bad == 0) {
            CHECK(true);
            continue;
        }
        const struct number a = oracle_get(d, got->host[k], first),
                            w = oracle_get(d, want[k], first);
        const struct heddle_geometry *g = &b->launch.geometry;
        CHECK(false,
              "%s of %s, %s, %s (%lld %lld %lld): %lld of %lld; [%lld] is %.17Lg %lld, not %.17Lg "
              "%lld",
              heddle__reductions[b->program.reductions[k - 2].op].name,
              heddle_dtype_name((enum heddle_dtype)b->program.operand_dtype[0]), what,
              pass_names[pass], (long long)g->extent[0], (long long)g->extent[1],
              (long long)g->extent[2], (long long)n_bad, (long long)kept, (long long)first, a.re,
              (long long)a.i, w.re, (long long)w.i);
    }
}

/* PARTIAL in two boxes where the chunks can be cut in two, then COMBINE. */
static void in_phases(struct build *b, struct data *data, void *const want[])
{
    struct heddle_geometry *g = &b->launch.geometry;
    const struct heddle_geometry whole = *g;
    const int64_t n_chunks = g->n_chunks, kept = heddle__kept_size(g);
    const int n_reductions = b->program.n_reductions, split = g->split_axis;
    int64_t first_rows = g->extent[split];
    if (g->n_kept < g->ndim && split == g->n_kept && n_chunks > 1)
        first_rows = n_chunks / 2 * g->split_rows;
    char *all[HEDDLE_MAX_REDUCTIONS] = {NULL};
    for (int r = 0; r < n_reductions; r++) all[r] = calloc((size_t)(kept * n_chunks) + 1, 16);
    int64_t done = 0;
    int have_results = 1;
    for (int box = 0; box < 2; box++) {
        const int64_t from = box ? first_rows : 0;
        const int64_t rows = box ? whole.extent[split] - first_rows : first_rows;
        if (rows <= 0 || g->n_kept == g->ndim) continue;
        *g = whole;
        g->phase = HEDDLE_PHASE_PARTIAL;
        g->extent[split] = rows;
        g->origin[split] = from;
        b->access[0].offset = from * b->access[0].stride[split];
        g->n_chunks = first_rows == whole.extent[split]
                          ? n_chunks
                          : (rows + g->split_rows - 1) / g->split_rows;
        char *part[HEDDLE_MAX_REDUCTIONS] = {NULL};
        for (int r = 0; r < n_reductions; r++) {
            const size_t size = heddle__partial_size(&b->program.reductions[r]);
            data->bytes[data->n_operands + r] = (size_t)(kept * g->n_chunks) * size;
            part[r] = calloc((size_t)(kept * g->n_chunks) + 1, size);
            data->host[data->n_operands + r] = part[r];
        }
        have_results =
            pass_run(b, data->host, data->bytes, data->n_operands + n_reductions, "partial");
        for (int r = 0; r < n_reductions; r++) {
            const size_t size = heddle__partial_size(&b->program.reductions[r]);
            for (int64_t k = 0; k < kept; k++)
                memcpy(all[r] + (size_t)(k * n_chunks + done) * size,
                       part[r] + (size_t)(k * g->n_chunks) * size, (size_t)g->n_chunks * size);
        }
        for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++) free(part[r]);
        done += g->n_chunks;
    }
    *g = whole;
    b->access[0].offset = 0;
    if (g->n_kept < g->ndim) {
        g->phase = HEDDLE_PHASE_COMBINE;
        for (int r = 0; r < n_reductions; r++) {
            data->host[data->n_operands + r] = all[r];
            data->bytes[data->n_operands + r] =
                (size_t)(kept * n_chunks) * heddle__partial_size(&b->program.reductions[r]);
        }
        for (int k = 2; k < data->n_operands; k++) memset(data->host[k], 0, data->bytes[k]);
        if (pass_run(b, data->host, data->bytes, data->n_operands + n_reductions, "combine") &&
            have_results)
            compare(b, data, want, "in phases");
    }
    *g = whole;
    for (int r = 0; r < HEDDLE_MAX_REDUCTIONS; r++) free(all[r]);
}

/* Inputs, room for outputs, and in `want` what the CPU kernels give. */
static void make_data(const struct build *b, enum heddle_dtype d, int from, struct data *data,
                      void *want[])
{
    const struct heddle_geometry *g = &b->launch.geometry;
    const int64_t kept = heddle__kept_size(g), all = kept * heddle__reduced_size(g);
    data->n_operands = b->program.n_operands;
    data->host[0] = want[0] = values(d, all, from >= 2);
    data->host[1] = want[1] = values(d, kept, 0);
    data->bytes[0] = (size_t)all * heddle_dtype_size(d);
    data->bytes[1] = (size_t)kept * heddle_dtype_size(d);
    for (int k = 2; k < data->n_operands; k++) {
        data->bytes[k] =
            (size_t)kept * heddle_dtype_size((enum heddle_dtype)b->program.operand_dtype[k]);
        data->host[k] = calloc((size_t)kept, 16);
        want[k] = calloc((size_t)kept, 16);
    }
    if (pass == PREPARED) return;
    CHECK_EQ(heddle__cpu_program(&b->launch, want, b->constants, test_team(4)), HEDDLE_OK);
}

static void free_data(struct data *data, void *want[])
{
    free(data->host[0]);
    free(data->host[1]);
    for (int k = 2; k < data->n_operands; k++) {
        free(data->host[k]);
        free(want[k]);
    }
}

static void test_one(enum heddle_dtype d, int from, const struct shape *s, int64_t split_rows)
{
    struct build b;
    struct data data = {.n_operands = 0};
    void *want[HEDDLE_MAX_OPERANDS] = {NULL};
    if (make(&b, d, from, s, split_rows) == 0) return;
    make_data(&b, d, from, &data, want);
    if (pass_run(&b, data.host, data.bytes, data.n_operands, "reduction"))
        compare(&b, &data, want, "whole");
    if (data.bytes[0] > 0) in_phases(&b, &data, want);
    free_data(&data, want);
}

/* ---- one kernel again and again -------------------------------------------------------------- */

static const int64_t sizes[] = {4097, 34000, 409600}; /* of one class: all run the same kernel */
enum { N_SIZES = sizeof sizes / sizeof *sizes, N_LAUNCHES = HEDDLE_EMULATED ? 12 : 300 };

struct again {
    struct build b[N_SIZES];
    struct data data[N_SIZES];
    void *want[N_SIZES][HEDDLE_MAX_OPERANDS];
};

/* Launches with nothing between them, on one stream or two by turns, then the results. A launch on the
 * first stream is one kernel when it is compiled, else two. */
static void launch_again(struct again *a, int n_streams)
{
    cudaStream_t streams[2] = {gpu_stream(), gpu_second_stream()};
    const struct data *largest = &a->data[N_SIZES - 1];
    struct heddle_cuda_counters before, after;
    void *device[N_LAUNCHES][HEDDLE_MAX_OPERANDS], *scratch[2], *in[2];
    for (int k = 0; k < 2; k++) {
        scratch[k] = gpu_alloc(heddle__launch_gpu_scratch_bytes(&a->b[N_SIZES - 1].launch));
        in[k] = gpu_alloc(largest->bytes[k]);
        gpu_check(cudaMemcpyAsync(in[k], largest->host[k], largest->bytes[k],
                                  cudaMemcpyHostToDevice, streams[0]),
                  "to the device");
    }
    for (int i = 0; i < N_LAUNCHES; i++)
        for (int k = 0; k < largest->n_operands; k++) device[i][k] = k < 2 ? in[k] : gpu_alloc(16);
    gpu_check(cudaStreamSynchronize(streams[0]), "synchronise");
    heddle__cuda_counters(&before);
    for (int i = 0; i < N_LAUNCHES; i++) {
        const struct build *b = &a->b[i % N_SIZES];
        const int s = i % n_streams;
        CHECK_EQ(
            heddle__cuda_program(&b->launch, device[i], b->constants, scratch[s], streams[s], NULL),
            HEDDLE_OK);
    }
    heddle__cuda_counters(&after);
    CHECK_EQ(after.kernels - before.kernels,
             pass == COMPILED ? N_LAUNCHES * (n_streams + 1) / 2 : N_LAUNCHES * 2);
    gpu_check(cudaStreamSynchronize(streams[1]), "synchronise");
    for (int i = 0; i < N_LAUNCHES; i++) {
        const struct data *d = &a->data[i % N_SIZES];
        for (int k = 2; k < d->n_operands; k++)
            gpu_check(cudaMemcpyAsync(d->host[k], device[i][k], d->bytes[k], cudaMemcpyDeviceToHost,
                                      streams[0]),
                      "from the device");
        gpu_check(cudaStreamSynchronize(streams[0]), "synchronise");
        compare(&a->b[i % N_SIZES], d, a->want[i % N_SIZES], "again");
    }
    gpu_free_all();
}

static void test_again(enum heddle_dtype d, int from)
{
    static struct again a;
    for (int i = 0; i < N_SIZES; i++) {
        const struct shape line = {1, 0, 0, {sizes[i]}};
        make(&a.b[i], d, from, &line, 2048);
        make_data(&a.b[i], d, from, &a.data[i], a.want[i]);
    }
    if (pass == PREPARED) {
        heddle__cuda_prepare(&a.b[0].launch);
    } else {
        launch_again(&a, 1);
        launch_again(&a, 2);
        if (pass == COMPILED) heddle__cuda_wait_compiled(); /* what the second stream needs */
        launch_again(&a, 2);
    }
    for (int i = 0; i < N_SIZES; i++) free_data(&a.data[i], a.want[i]);
}

/* ---- sums of small integers --------------------------------------------------------------------- */

/* The value of element i: the greatest, the least, or others. */
static int64_t small_value(enum heddle_dtype d, int64_t i, int most)
{
    const int bits = 8 * (int)heddle_dtype_size(d), is_signed = heddle_dtype_kind(d) == 'I';
    const int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0,
                  greatest = (INT64_C(1) << (bits - is_signed)) - 1;
    const int64_t any = least + (int64_t)((uint64_t)i * 2654435761u % (UINT64_C(1) << bits));
    return most > 0 ? greatest : most < 0 ? least : any;
}

/* Rows of elements of 1 or 2 bytes, cast `by` another dtype to int64, or whether each is above 3, summed along the last axis: all the
 * greatest, all the least, or others. */
static void test_small_sums(enum heddle_dtype d, enum heddle_dtype by, bool counts, int64_t rows,
                            int64_t n)
{
    const size_t size = heddle_dtype_size(d);
    char *const x = malloc((size_t)(rows * n) * size);
    int64_t *const got = calloc((size_t)rows, sizeof *got);
    struct build b;
    if (!x || !got) exit(1);
    for (int most = -1; most <= 1; most++) {
        for (int64_t i = 0; i < rows * n; i++) {
            const int64_t v = small_value(d, i, most);
            memcpy(x + (size_t)i * size, &v, size);
        }
        build_begin(&b, 1, 2, (const int64_t[]){rows, n});
        int value = build_load(&b, d, NULL, NULL, 0);
        if (counts) {
            value = build_op(&b, HEDDLE_OP_GREATER, d, value, build_number(&b, d, 3));
            value = build_cast(&b, HEDDLE_BOOL, by, value);
        } else {
            value = build_cast(&b, d, by, value);
        }
        build_reduce(&b, HEDDLE_REDUCE_SUM, HEDDLE_INT64, build_cast(&b, by, HEDDLE_INT64, value));
        build_store(&b, build_reduced(&b, 0), HEDDLE_INT64, NULL, (const int64_t[]){1, 0}, 0);
        build_seal(&b, 0);
        void *host[2] = {x, got};
        const size_t bytes[2] = {(size_t)(rows * n) * size, (size_t)rows * sizeof *got};
        if (!pass_run(&b, host, bytes, 2, "small sums")) continue;
        for (int64_t r = 0; r < rows; r++) {
            int64_t sum = 0;
            for (int64_t i = r * n; i < (r + 1) * n; i++) {
                const int64_t v = small_value(d, i, most);
                const bool wraps = by == HEDDLE_UINT32 && v < 0;
                sum += counts ? v > 3 : wraps ? v + (INT64_C(1) << 32) : v;
            }
            CHECK(got[r] == sum, "sum %d of %lld x %lld %s by %s, %s: [%lld] is %lld, not %lld",
                  most, (long long)rows, (long long)n, heddle_dtype_name(d), heddle_dtype_name(by),
                  pass_names[pass], (long long)r, (long long)got[r], (long long)sum);
        }
    }
    free(x);
    free(got);
}

static void test_small(void)
{
    static const int64_t shape[][2] = {{5000, 9}, {700, 64},  {300, 100}, {40, 1000}, {11, 4000},
                                       {7, 4099}, {2, 65536}, {3, 70001}, {1, 200000}};
    const enum heddle_dtype dtypes[] = {HEDDLE_INT8, HEDDLE_UINT8, HEDDLE_INT16, HEDDLE_UINT16};
    for (int i = 0; i < 4; i++)
        for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
            /* each is a program to compile, and many elements, which take the emulator long: the border alone */
            if (HEDDLE_EMULATED && (dtypes[i] != HEDDLE_UINT16 || (k != 3 && k != 6))) continue;
            test_small_sums(dtypes[i], HEDDLE_INT32, false, shape[k][0], shape[k][1]);
            if (HEDDLE_EMULATED) continue;
            test_small_sums(dtypes[i], HEDDLE_INT32, true, shape[k][0], shape[k][1]);
            test_small_sums(dtypes[i], HEDDLE_UINT32, false, shape[k][0], shape[k][1]);
        }
}

static int64_t line_value(enum heddle_dtype d, int k, int64_t i)
{
    return small_value(d, i * 7 % 1000 + k * (i % 3 == 0), 0);
}

/* Rows of n of two arrays, of rows of `pitch` elements, from columns of their own on: how many differ, the greatest of one, the least of the
 * other. No order changes these. */
static void check_lines(enum heddle_dtype d, int64_t n, int64_t pitch, int64_t from_x,
                        int64_t from_y)
{
    enum { ROWS = 37 };
    const size_t size = heddle_dtype_size(d), all = (size_t)(ROWS * pitch) * size;
    const size_t bytes[5] = {all, all, ROWS * sizeof(int64_t), ROWS * size, ROWS * size};
    void *host[5];
    struct build b;
    for (int k = 0; k < 5; k++) {
        if (!(host[k] = calloc(bytes[k], 1))) exit(1);
        for (int64_t i = 0; i < ROWS * pitch && k < 2; i++)
            memcpy((char *)host[k] + (size_t)i * size, &(int64_t){line_value(d, k, i)}, size);
    }
    build_begin(&b, 1, 2, (const int64_t[]){ROWS, n});
    const int64_t along[] = {pitch, 1}, kept[] = {1, 0};
    const int x = build_load(&b, d, NULL, along, from_x);
    const int y = build_load(&b, d, NULL, along, from_y);
    const int differ =
        build_cast(&b, HEDDLE_BOOL, HEDDLE_INT64, build_op(&b, HEDDLE_OP_NOT_EQUAL, d, x, y));
    build_reduce(&b, HEDDLE_REDUCE_SUM, HEDDLE_INT64, differ);
    build_reduce(&b, HEDDLE_REDUCE_MAX, d, x);
    build_reduce(&b, HEDDLE_REDUCE_MIN, d, y);
    for (int r = 0; r < 3; r++)
        build_store(&b, build_reduced(&b, r), r == 0 ? HEDDLE_INT64 : d, NULL, kept, 0);
    build_seal(&b, 0);
    const bool ran = pass_run(&b, host, bytes, 5, "lines");
    for (int64_t r = 0; r < ROWS && ran; r++) {
        int64_t sum = 0, most = INT64_MIN, least = INT64_MAX;
        for (int64_t i = r * pitch; i < r * pitch + n; i++) {
            const int64_t u = line_value(d, 0, i + from_x), v = line_value(d, 1, i + from_y);
            sum += u != v;
            most = u > most ? u : most;
            least = v < least ? v : least;
        }
        CHECK(((int64_t *)host[2])[r] == sum &&
                  !memcmp((char *)host[3] + (size_t)r * size, &most, size) &&
                  !memcmp((char *)host[4] + (size_t)r * size, &least, size),
              "rows of %d of %d %s from %d, %d, %s: row %d", (int)n, (int)pitch,
              heddle_dtype_name(d), (int)from_x, (int)from_y, pass_names[pass], (int)r);
    }
    for (int k = 0; k < 5; k++) free(host[k]);
}

/* Rows that begin anywhere, both alike or not. */
void test_any_order(void)
{
    static const int64_t lines[][4] = {{1001, 1001, 0, 0}, {290, 300, 3, 7}, {520, 523, 1, 2},
                                       {68, 68, 0, 0},     {520, 520, 0, 0}, {2000, 2005, 5, 5}};
    const enum heddle_dtype dtypes[] = {HEDDLE_UINT8, HEDDLE_INT8, HEDDLE_UINT16, HEDDLE_INT32};
    for (int i = 0; i < (HEDDLE_EMULATED ? 3 : 24); i++) {
        const int64_t *const at = lines[i % 6];
        check_lines(dtypes[(i + i / 6) % 4], at[0], at[1], at[2], at[3]);
    }
}

void test_reductions(void)
{
    test_small();
    test_again(HEDDLE_FLOAT64, 0);
    test_again(HEDDLE_FLOAT32, 4);
    test_again(HEDDLE_INT8, 0);
    test_again(HEDDLE_COMPLEX128, 0);
    for (int d = 1; d < HEDDLE_N_COMPUTED; d++)
        for (int s = 0; s < N_SHAPES + N_CUT; s++) {
            /* all shapes for the dtypes that matter, a few for each other */
            const int all = d == HEDDLE_FLOAT64 ||
                            (!HEDDLE_EMULATED &&
                             (d == HEDDLE_FLOAT32 || d == HEDDLE_INT64 || d == HEDDLE_COMPLEX128));
            if (!all && (s + d) % (HEDDLE_EMULATED ? 8 : 4) != 0) continue;
            const struct shape *shape = s < N_SHAPES ? &shapes[s] : &cut[s - N_SHAPES].shape;
            const int64_t split_rows = s < N_SHAPES ? 0 : cut[s - N_SHAPES].split_rows;
            for (int from = 0; from < HEDDLE_N_REDUCTIONS; from += HEDDLE_MAX_REDUCTIONS)
                test_one((enum heddle_dtype)d, from, shape, split_rows);
        }
}
