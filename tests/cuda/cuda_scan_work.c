/* Scans with elementwise work of their own, in all forms of kernels: work before and after, alone and together, with operands that
 * repeat, lie across and go backwards, and results of another dtype; against loops over whole numbers, so that all are exact. The pass
 * says how the work is executed. Entry point: test_scan_work. */
#include "check.h"
#include "cuda/extra.h"
#include "cuda/passes.h"
#include "families/scan/scan.h"
#include "families/scan/kernel_work.h"
#include "kernels/oracle.h"
#include "kernels/test_team.h"

#include <stdlib.h>

extern const struct heddle_cpu_kernel heddle__scan_cpu;
extern const struct heddle_cuda_kernel heddle__scan_cuda;

enum { BEFORE = 1, AFTER = 2 };
/* Buffers of the task. */
enum { SOURCE, WEIGHTS, RESULT, ROWS, TRUTHS, N_BUFFERS };

struct work_case {
    enum heddle_dtype dtype;
    enum heddle_scan_operation operation;
    int64_t outer, n, inner;
    int sides;
};

static int64_t size_of(const struct work_case *c)
{
    return c->outer * c->n * c->inner;
}

/* Elements of the buffers. Products would outgrow all dtypes: their factors are 1 and -1. */
static int64_t source_at(int64_t i)
{
    return i * 7919 % 19 - 9;
}
static int64_t weight_at(const struct work_case *c, int64_t j)
{
    return c->operation == HEDDLE_SCAN_MULTIPLY ? 0 : j * 104729 % 5 - 2;
}
static int64_t row_at(int64_t o)
{
    return o % 7;
}

/* What the work before makes: source, along the axis backwards, times a weight of the place along it, or a sign. */
static int64_t made_before(const struct work_case *c, int64_t o, int64_t j, int64_t i)
{
    const int64_t x = source_at((o * c->n + c->n - 1 - j) * c->inner + i), w = weight_at(c, j);
    return c->operation == HEDDLE_SCAN_MULTIPLY ? (x >= 0 ? 1 : -1) : x * w + x;
}

static int64_t combined(enum heddle_scan_operation operation, int64_t x, int64_t y)
{
    return operation == HEDDLE_SCAN_ADD        ? x + y
           : operation == HEDDLE_SCAN_MULTIPLY ? x * y
           : operation == HEDDLE_SCAN_MAXIMUM  ? (x > y ? x : y)
                                               : (x < y ? x : y);
}

/* Without work before, the source has what it would make. */
CHECK_ORACLE static int64_t *scanned(const struct work_case *c)
{
    int64_t *y = calloc((size_t)size_of(c), sizeof *y);
    for (int64_t o = 0; o < c->outer; o++)
        for (int64_t j = 0; j < c->n; j++)
            for (int64_t i = 0; i < c->inner; i++) {
                const int64_t at = (o * c->n + j) * c->inner + i, x = made_before(c, o, j, i);
                y[at] = j > 0 ? combined(c->operation, y[at - c->inner], x) : x;
            }
    return y;
}

static void set(enum heddle_dtype dtype, void *to, int64_t i, int64_t value)
{
    oracle_set(dtype, to, i, (struct number){value, (long double)value, 0});
}

static void build_before(const struct work_case *c, struct build *b)
{
    const int64_t box[3] = {c->outer, c->n, c->inner},
                  backwards[HEDDLE_MAX_NDIM] = {c->n * c->inner, -c->inner, 1},
                  along[HEDDLE_MAX_NDIM] = {0, 1, 0};
    build_begin(b, 3, 3, box);
    const int x = build_load(b, c->dtype, NULL, backwards, (c->n - 1) * c->inner);
    const int w = build_load(b, c->dtype, NULL, along, 0);
    const int one = build_number(b, c->dtype, 1), zero = build_number(b, c->dtype, 0);
    int v =
        build_op(b, HEDDLE_OP_ADD, c->dtype, build_op(b, HEDDLE_OP_MULTIPLY, c->dtype, x, w), x);
    if (c->operation == HEDDLE_SCAN_MULTIPLY) { /* x >= 0 ? 1 : -1 */
        const int less = build_op(b, HEDDLE_OP_LESS, c->dtype, x, zero);
        const int twice = build_op(b, HEDDLE_OP_ADD, c->dtype, one, one);
        const int number = build_cast(b, HEDDLE_BOOL, c->dtype, less);
        v = build_op(b, HEDDLE_OP_SUBTRACT, c->dtype, one,
                     build_op(b, HEDDLE_OP_MULTIPLY, c->dtype, number, twice));
        v = build_op(b, HEDDLE_OP_ADD, c->dtype, v, w);
    }
    build_store(b, v, c->dtype, NULL, NULL, 0);
    build_seal(b, 0);
    b->buffer[0] = SOURCE;
    b->buffer[1] = WEIGHTS;
    b->buffer[2] = RESULT;
}

/* The result becomes twice what was scanned, less a number of the row; the truths say where what was scanned is above 3. */
static void build_after(const struct work_case *c, struct build *b)
{
    const int64_t box[3] = {c->outer, c->n, c->inner}, of_row[HEDDLE_MAX_NDIM] = {1, 0, 0};
    build_begin(b, 3, 3, box);
    const int y = build_load(b, c->dtype, NULL, NULL, 0),
              row = build_load(b, c->dtype, NULL, of_row, 0);
    const int v =
        build_op(b, HEDDLE_OP_SUBTRACT, c->dtype, build_op(b, HEDDLE_OP_ADD, c->dtype, y, y), row);
    const int above = build_op(b, HEDDLE_OP_LESS, c->dtype, build_number(b, c->dtype, 3), y);
    build_store(b, v, c->dtype, NULL, NULL, 0);
    build_store(b, above, HEDDLE_BOOL, NULL, NULL, 0);
    build_seal(b, 0);
    b->buffer[0] = b->buffer[2] = RESULT;
    b->buffer[1] = ROWS;
    b->buffer[3] = TRUTHS;
}

static void check_results(const struct work_case *c, const void *result, const bool *truths,
                          const char *who)
{
    int64_t *const y = scanned(c), n = size_of(c);
    int64_t n_wrong = 0, first = -1;
    for (int64_t i = 0; i < n; i++) {
        const struct number got = oracle_get(c->dtype, result, i);
        const bool is_real = heddle_dtype_kind(c->dtype) == 'F';
        const int64_t is = is_real ? (int64_t)got.re : (int64_t)got.i,
                      should = c->sides & AFTER ? 2 * y[i] - row_at(i / (c->n * c->inner)) : y[i];
        const bool is_wrong = is != should || (c->sides & AFTER && truths[i] != (y[i] > 3));
        if (is_wrong && n_wrong++ == 0) first = i;
    }
    CHECK(
        n_wrong == 0,
        "%s, operation %d of %s (%lld, %lld, %lld), work %d: %lld of %lld wrong, the first is %lld",
        who, c->operation, heddle_dtype_name(c->dtype), (long long)c->outer, (long long)c->n,
        (long long)c->inner, c->sides, (long long)n_wrong, (long long)n, (long long)first);
    free(y);
}

static void run_on_gpu(const struct work_case *c, const struct heddle_scan *s, void *const host[],
                       const size_t bytes[], const union heddle_scalar *constants)
{
    void *device[N_BUFFERS];
    for (int i = 0; i < N_BUFFERS; i++) {
        device[i] = gpu_alloc(bytes[i] + 8);
        gpu_check(
            cudaMemcpyAsync(device[i], host[i], bytes[i], cudaMemcpyHostToDevice, gpu_stream()),
            "copy");
    }
    struct heddle_kernel_context context = {.buffers = device,
                                            .constants = constants,
                                            .scratch = gpu_alloc(heddle__scan_scratch(s, 0)),
                                            .stream = gpu_stream()};
    CHECK(heddle__scan_cuda.run(s, &context) == HEDDLE_OK, "%s", heddle_last_error());
    for (int i = RESULT; i < N_BUFFERS; i++)
        gpu_check(
            cudaMemcpyAsync(host[i], device[i], bytes[i], cudaMemcpyDeviceToHost, gpu_stream()),
            "copy");
    gpu_free_all();
    CHECK_EQ(context.interpreted, pass == INTERPRETED);
    check_results(c, host[RESULT], host[TRUTHS], pass_names[pass]);
}

static void test_case(const struct work_case *c)
{
    static struct build before, after;
    static union heddle_scalar constants[2 * HEDDLE_MAX_CONSTANTS];
    static uint32_t constants_of_after[HEDDLE_MAX_CONSTANTS];
    build_before(c, &before);
    build_after(c, &after);
    const int n_before = before.launch.program->n_constants,
              n_after = after.launch.program->n_constants;
    memcpy(constants, before.constants, (size_t)n_before * sizeof *constants);
    memcpy(constants + n_before, after.constants, (size_t)n_after * sizeof *constants);
    for (int i = 0; i < n_after; i++) constants_of_after[i] = (uint32_t)(n_before + i);
    after.launch.constants = constants_of_after;
    struct heddle_scan s = {.dtype = (uint8_t)c->dtype,
                            .operation = (uint8_t)c->operation,
                            .columns = c->inner > 1,
                            .outer = c->outer,
                            .n = c->n,
                            .inner = c->inner,
                            .n_chunks = heddle__scan_chunks(c->n, c->inner > 1),
                            .in = SOURCE,
                            .out = RESULT};
    if (c->sides & BEFORE) {
        CHECK(heddle__scan_takes(&s, &before.launch, true), "work before");
        s.before = &before.launch;
        s.in = RESULT;
    }
    if (c->sides & AFTER) {
        CHECK(heddle__scan_takes(&s, &after.launch, false), "work after");
        s.after = &after.launch;
    }
    if (pass == PREPARED) {
        heddle__scan_cuda.prepare(&s);
        return;
    }
    const size_t size = heddle_dtype_size(c->dtype), n = (size_t)size_of(c);
    const size_t bytes[N_BUFFERS] = {n * size, (size_t)c->n * size, n * size,
                                     (size_t)c->outer * size, n};
    void *host[N_BUFFERS];
    for (int i = 0; i < N_BUFFERS; i++) host[i] = calloc(bytes[i] + 8, 1);
    for (int64_t o = 0; o < c->outer; o++)
        for (int64_t j = 0; j < c->n; j++)
            for (int64_t i = 0; i < c->inner; i++) {
                const int64_t at = (o * c->n + j) * c->inner + i;
                set(c->dtype, host[SOURCE], at,
                    c->sides & BEFORE ? source_at(at) : made_before(c, o, j, i));
            }
    for (int64_t j = 0; j < c->n; j++) set(c->dtype, host[WEIGHTS], j, weight_at(c, j));
    for (int64_t o = 0; o < c->outer; o++) set(c->dtype, host[ROWS], o, row_at(o));
    run_on_gpu(c, &s, host, bytes, constants);
    if (pass == INTERPRETED) {
        struct heddle_kernel_context context = {.buffers = host,
                                                .constants = constants,
                                                .scratch = malloc(heddle__scan_scratch(&s, 2) + 8),
                                                .team = test_team(2)};
        CHECK(heddle__scan_cpu.run(&s, &context) == HEDDLE_OK, "%s", heddle_last_error());
        check_results(c, host[RESULT], host[TRUTHS], "CPU");
        free(context.scratch);
    }
    for (int i = 0; i < N_BUFFERS; i++) free(host[i]);
}

void test_scan_work(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT32, HEDDLE_FLOAT64, HEDDLE_INT32,
                                               HEDDLE_INT64};
    static const int64_t shapes[][3] = {
        {1, 1, 1},     {7, 3, 1},    {40, 100, 1},  {3, 128, 1},    {9, 300, 1},      {2, 513, 1},
        {3, 4096, 1},  {1, 4097, 1}, {1, 20011, 1}, {2, 9000, 1},   {1, 1, 3},        {1, 64, 5},
        {2, 128, 300}, {3, 129, 7},  {1, 700, 33},  {1, 150001, 1}, {1, 200, 1 << 16}};
    const int n_shapes = (int)(sizeof shapes / sizeof *shapes) - HEDDLE_EMULATED;
    for (int k = 0; k < n_shapes; k++)
        for (int t = 0; t < 4; t++)
            for (int sides = BEFORE; sides <= (BEFORE | AFTER); sides++) {
                if (k == n_shapes - 1 && t > 0) break; /* many columns are many elements */
                struct work_case c = {.dtype = dtypes[t],
                                      .operation =
                                          (enum heddle_scan_operation)((k + t + sides) % 4),
                                      .outer = shapes[k][0],
                                      .n = shapes[k][1],
                                      .inner = shapes[k][2],
                                      .sides = sides};
                test_case(&c);
            }
}
