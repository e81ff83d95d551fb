/* Chains of launches over the same rows (rows.h), as one kernel and one launch after the other, for the bits that the CPU
 * kernels give launch by launch. Entry point: test_rows. */
#include "check.h"
#include "cuda/passes.h"
#include "kernels/oracle.h"
#include "rows.h"

#include <stdlib.h>

enum { STAGES = 4, BUFFERS = 8 };

/* Launches with their buffers: each is [rows][length] or [rows], dense, but the input. */
struct chain {
    struct build stage[STAGES];
    int n_stages, n_buffers, n_constants;
    int64_t rows, length, extent[3]; /* rows as two axes */
    enum heddle_dtype dtype[BUFFERS];
    bool is_row[BUFFERS], passed[BUFFERS];
    int64_t stride[3], offset; /* of buffer 0, the input */
    size_t bytes[BUFFERS];
    union heddle_scalar constants[HEDDLE_MAX_CONSTANTS];
};

static int new_buffer(struct chain *c, enum heddle_dtype d, bool is_row, bool passed)
{
    const int k = c->n_buffers++;
    c->dtype[k] = d;
    c->is_row[k] = is_row;
    c->passed[k] = passed;
    c->bytes[k] = (size_t)(is_row ? c->rows : c->rows * c->length) * heddle_dtype_size(d);
    return k;
}

static struct build *begin(struct chain *c, bool is_map)
{
    struct build *b = &c->stage[c->n_stages++];
    build_begin(b, is_map ? 3 : 2, 3, c->extent);
    return b;
}

static void strides_of(const struct chain *c, int buffer, int64_t stride[3])
{
    const int64_t dense[3] = {c->extent[1] * c->length, c->length, 1},
                  row[3] = {c->extent[1], 1, 0};
    memcpy(stride, buffer == 0 ? c->stride : c->is_row[buffer] ? row : dense, sizeof dense);
}

static int load(struct chain *c, struct build *b, int buffer)
{
    int64_t stride[3];
    strides_of(c, buffer, stride);
    const int v = build_load(b, c->dtype[buffer], NULL, stride, buffer == 0 ? c->offset : 0);
    b->buffer[b->program.n_operands - 1] = (uint32_t)buffer;
    return v;
}

static void store(struct chain *c, struct build *b, int value, int buffer)
{
    int64_t stride[3];
    strides_of(c, buffer, stride);
    build_store(b, value, c->dtype[buffer], NULL, stride, 0);
    const int k = b->program.n_operands - 1;
    b->buffer[k] = (uint32_t)buffer;
    if (c->passed[buffer]) b->launch.passed |= UINT32_C(1) << k;
}

/* Seals the stages and links them; constants are numbered through. */
static void link(struct chain *c)
{
    for (int i = 0; i < c->n_stages; i++) {
        struct build *b = &c->stage[i];
        build_seal(b, 0);
        for (int k = 0; k < b->program.n_constants; k++) {
            c->constants[c->n_constants] = b->constants[k];
            b->constant_index[k] = (uint32_t)c->n_constants++;
        }
        b->launch.next = i + 1 < c->n_stages ? &c->stage[i + 1].launch : NULL;
    }
}

/* ---- Chains ------------------------------------------------------------------------------------------ */

/* m = max(x); s = sum((x - m)^2) + 1; y = (x - m) * 3 / s, or without the quotient for whole numbers. */
static void make_quotient(struct chain *c, enum heddle_dtype d)
{
    const int x = new_buffer(c, d, false, false), m = new_buffer(c, d, true, true),
              s = new_buffer(c, d, true, true), y = new_buffer(c, d, false, false);
    struct build *b = begin(c, false);
    build_reduce(b, HEDDLE_REDUCE_MAX, d, load(c, b, x));
    store(c, b, build_reduced(b, 0), m);
    b = begin(c, false);
    int e = build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, x), load(c, b, m));
    const int one = build_number(b, d, 1);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, build_op(b, HEDDLE_OP_MULTIPLY, d, e, e));
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, build_reduced(b, 0), one), s);
    b = begin(c, true);
    e = build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, x), load(c, b, m));
    e = build_op(b, HEDDLE_OP_MULTIPLY, d, e, build_number(b, d, 3));
    const bool real = heddle_dtype_kind(d) == 'F';
    store(c, b, build_op(b, real ? HEDDLE_OP_DIVIDE : HEDDLE_OP_SUBTRACT, d, e, load(c, b, s)), y);
}

/* a = sum(x), which stays; d = x - a, which is stored, or passed; q = sum(d * d) and min(d); y = d * w - q. */
static void make_stored(struct chain *c, enum heddle_dtype d, bool passed)
{
    const int x = new_buffer(c, d, false, false), a = new_buffer(c, d, true, false),
              t = new_buffer(c, d, false, passed), q = new_buffer(c, d, true, true),
              w = new_buffer(c, d, false, false), y = new_buffer(c, d, false, false);
    struct build *b = begin(c, false);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, load(c, b, x));
    store(c, b, build_reduced(b, 0), a);
    b = begin(c, true);
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, x), load(c, b, a)), t);
    b = begin(c, false);
    const int e = load(c, b, t);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, build_op(b, HEDDLE_OP_MULTIPLY, d, e, e));
    store(c, b, build_reduced(b, 0), q);
    b = begin(c, true);
    const int dw = build_op(b, HEDDLE_OP_MULTIPLY, d, load(c, b, t), load(c, b, w));
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, dw, load(c, b, q)), y);
}

/* i = argmax(x), m = max(x) and n = min(x) at once; y = x - m * n; z = sum(y) + i. */
static void make_places(struct chain *c, enum heddle_dtype d)
{
    const int x = new_buffer(c, d, false, false), i = new_buffer(c, HEDDLE_INT64, true, false),
              m = new_buffer(c, d, true, true), n = new_buffer(c, d, true, false),
              y = new_buffer(c, d, false, true), z = new_buffer(c, d, true, false);
    struct build *b = begin(c, false);
    const int v = load(c, b, x);
    build_reduce(b, HEDDLE_REDUCE_ARGMAX, d, v);
    build_reduce(b, HEDDLE_REDUCE_MAX, d, v);
    build_reduce(b, HEDDLE_REDUCE_MIN, d, v);
    store(c, b, build_reduced(b, 0), i);
    store(c, b, build_reduced(b, 1), m);
    store(c, b, build_reduced(b, 2), n);
    b = begin(c, true);
    const int mn = build_op(b, HEDDLE_OP_MULTIPLY, d, load(c, b, m), load(c, b, n));
    store(c, b, build_op(b, HEDDLE_OP_SUBTRACT, d, load(c, b, x), mn), y);
    b = begin(c, false);
    build_reduce(b, HEDDLE_REDUCE_SUM, d, load(c, b, y));
    const int place = build_cast(b, HEDDLE_INT64, d, load(c, b, i));
    store(c, b, build_op(b, HEDDLE_OP_ADD, d, build_reduced(b, 0), place), z);
}

/* ---- Runs -------------------------------------------------------------------------------------------- */

static void run_on_gpu(struct chain *c, void *const host[], const char *what)
{
    void *device[BUFFERS];
    struct heddle_cuda_counters before, after;
    struct heddle_kernel_context k = {
        .buffers = device, .constants = c->constants, .stream = gpu_stream()};
    for (int i = 0; i < c->n_buffers; i++) {
        device[i] = gpu_alloc(c->bytes[i]);
        gpu_check(
            cudaMemcpyAsync(device[i], host[i], c->bytes[i], cudaMemcpyHostToDevice, gpu_stream()),
            "to the device");
    }
    heddle__cuda_counters(&before);
    const enum heddle_status status = heddle__program_cuda.run(&c->stage[0].launch, &k);
    heddle__cuda_counters(&after);
    CHECK(status == HEDDLE_OK, "%s, %s: %s", what, pass_names[pass], heddle_last_error());
    CHECK_EQ(k.interpreted, pass != COMPILED);
    CHECK_EQ(after.kernels - before.kernels == 1, pass == COMPILED);
    for (int i = 0; i < c->n_buffers; i++)
        gpu_check(
            cudaMemcpyAsync(host[i], device[i], c->bytes[i], cudaMemcpyDeviceToHost, gpu_stream()),
            "from the device");
    gpu_free_all();
}

/* Whole numbers that no sum of rows rounds, so that an order of terms would not be seen; and fractions, whose is. */
static void fill(enum heddle_dtype d, void *data, int64_t n, bool fractions)
{
    for (int64_t i = 0; i < n; i++) {
        const double number = (double)((uint64_t)i * 2654435761u >> 7 & 0xff) - 100;
        const union heddle_scalar v = {.f64 = fractions ? number / 37 : number};
        const union heddle_scalar as = heddle__convert(v, HEDDLE_FLOAT64, d);
        memcpy((char *)data + (size_t)i * heddle_dtype_size(d), &as, heddle_dtype_size(d));
    }
}

/* What is under test, on fresh data, against the launches one by one on the CPU. */
static void check(struct chain *c, const char *what)
{
    void *got[BUFFERS], *want[BUFFERS];
    link(c);
    if (pass == PREPARED) {
        heddle__program_cuda.prepare(&c->stage[0].launch);
        return;
    }
    for (int k = 0; k < c->n_buffers; k++) {
        const enum heddle_dtype d = c->dtype[k];
        got[k] = calloc(c->bytes[k] + 1, 1);
        want[k] = calloc(c->bytes[k] + 1, 1);
        if (!got[k] || !want[k]) exit(1);
        fill(d, got[k], (int64_t)(c->bytes[k] / heddle_dtype_size(d)), heddle_dtype_kind(d) == 'F');
        memcpy(want[k], got[k], c->bytes[k]);
    }
    for (int i = 0; i < c->n_stages; i++)
        CHECK_EQ(heddle__cpu_program(&c->stage[i].launch, want, c->constants, test_team(1)),
                 HEDDLE_OK);
    run_on_gpu(c, got, what);
    for (int k = 0; k < c->n_buffers; k++) {
        if (!c->passed[k])
            CHECK(memcmp(got[k], want[k], c->bytes[k]) == 0, "%s, %s, %s, %lld x %lld: buffer %d",
                  what, heddle_dtype_name(c->dtype[0]), pass_names[pass], (long long)c->rows,
                  (long long)c->length, k);
        free(got[k]);
        free(want[k]);
    }
}

/* rows0 x rows1 rows; the input has `gap` elements between rows, and a step between elements. */
static struct chain new_chain(int64_t rows0, int64_t rows1, int64_t length, int64_t step,
                              int64_t gap)
{
    struct chain c = {.rows = rows0 * rows1, .length = length, .extent = {rows0, rows1, length}};
    const int64_t apart = step < 0 ? -step : step, row = length * apart + gap;
    c.stride[0] = rows1 * row + 3 * gap;
    c.stride[1] = row;
    c.stride[2] = step;
    c.offset = step < 0 ? (length - 1) * apart : 0;
    return c;
}

static void room_for_input(struct chain *c)
{
    const int64_t last = (c->extent[0] - 1) * c->stride[0] + (c->extent[1] - 1) * c->stride[1] +
                         (c->stride[2] < 0 ? 0 : (c->length - 1) * c->stride[2]);
    c->bytes[0] = (size_t)(c->offset + last + 1) * heddle_dtype_size(c->dtype[0]);
}

static void test_length(enum heddle_dtype d, int64_t length, int number)
{
    static const struct {
        int64_t rows0, rows1, step, gap;
    } walks[] = {{1, 70, 1, 0}, {3, 5, 1, 3}, {9, 1, 2, 0}, {2, 4, -1, 1}};
    const size_t w = (size_t)number % (sizeof walks / sizeof *walks);
    for (int kind = 0; kind < 4; kind++) {
        struct chain c =
            new_chain(walks[w].rows0, walks[w].rows1, length, walks[w].step, walks[w].gap);
        static const char *const names[] = {"quotient", "stored", "passed", "places"};
        if (kind == 0) make_quotient(&c, d);
        if (kind == 1) make_stored(&c, d, false);
        if (kind == 2) make_stored(&c, d, true);
        if (kind == 3) make_places(&c, d);
        room_for_input(&c);
        struct heddle_rows rows;
        int slots;
        link(&c);
        c.n_constants = 0;
        CHECK(heddle__rows_of(&c.stage[0].launch, &rows), "%s: no chain", names[kind]);
        if (heddle__rows_form(&rows, &slots) != HEDDLE_ROWS_NONE) check(&c, names[kind]);
    }
}

/* What is no chain: an array that is read elsewhere than where it is stored, two boxes, a reduction in chunks. */
static void test_no_chains(void)
{
    struct heddle_rows rows;
    struct chain c = new_chain(3, 5, 40, 1, 0);
    make_stored(&c, HEDDLE_FLOAT32, false);
    link(&c);
    CHECK(heddle__rows_of(&c.stage[0].launch, &rows), "a chain");
    c.stage[2].access[0].offset = 1;
    CHECK(!heddle__rows_of(&c.stage[0].launch, &rows), "read elsewhere");
    c.stage[2].access[0].offset = 0;
    c.stage[2].launch.geometry.extent[1] = 4;
    CHECK(!heddle__rows_of(&c.stage[0].launch, &rows), "two boxes");
    c.stage[2].launch.geometry.extent[1] = 5;
    c.stage[2].launch.geometry.n_chunks = 2;
    CHECK(!heddle__rows_of(&c.stage[0].launch, &rows), "chunks");
}

void test_rows(void)
{
    static const int64_t lengths[] = {2,    16,   17,   33,   128,  300,  1000,
                                      1024, 1025, 3000, 5000, 8192, 16384};
    const int n = sizeof lengths / sizeof *lengths;
    for (int i = 0; i < n; i++) {
        test_length(HEDDLE_FLOAT32, lengths[i], i);
        if (i % 3 == 0) test_length(HEDDLE_FLOAT64, lengths[i], i / 3);
        if (i % 4 == 1) test_length(HEDDLE_INT32, lengths[i], i / 4);
        if (i % 5 == 2) test_length(HEDDLE_UINT8, lengths[i], i / 5);
        if (i % 5 == 3) test_length(HEDDLE_INT64, lengths[i], i / 5 + 1);
    }
    test_no_chains();
}
