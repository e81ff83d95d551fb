/* Chains of launches over the same rows (rows.h), as one kernel and one launch after the other, for the bits that the CPU
 * kernels give launch by launch. Entry point: test_rows. */
#include "check.h"
#include "cuda/device.h"
#include "cuda/passes.h"
#include "kernels/row_chains.h"

#include <stdlib.h>
#include <time.h>

/* ---- Runs -------------------------------------------------------------------------------------------- */

/* Buffers begin `off` elements after an address of the allocator's. */
static void put_on_gpu(const struct chain *c, void *const host[], void *device[BUFFERS], size_t off)
{
    for (int i = 0; i < c->n_buffers; i++) {
        const size_t skip = off * heddle_dtype_size(c->dtype[i]);
        device[i] = (char *)gpu_alloc(c->bytes[i] + skip) + skip;
        gpu_check(
            cudaMemcpyAsync(device[i], host[i], c->bytes[i], cudaMemcpyHostToDevice, gpu_stream()),
            "to the device");
    }
}

static void take_from_gpu(const struct chain *c, void *const host[], void *const device[])
{
    for (int i = 0; i < c->n_buffers; i++)
        gpu_check(
            cudaMemcpyAsync(host[i], device[i], c->bytes[i], cudaMemcpyDeviceToHost, gpu_stream()),
            "from the device");
    gpu_free_all();
}

static void run_on_gpu(struct chain *c, void *const host[], const char *what)
{
    void *device[BUFFERS];
    struct heddle_cuda_counters before, after;
    struct heddle_kernel_context k = {
        .buffers = device, .constants = c->constants, .stream = gpu_stream()};
    k.scratch = gpu_alloc(heddle__launch_gpu_scratch_bytes(&c->stage[0].launch));
    put_on_gpu(c, host, device, 0);
    heddle__cuda_counters(&before);
    const enum heddle_status status = heddle__program_cuda.run(&c->stage[0].launch, &k);
    heddle__cuda_counters(&after);
    CHECK(status == HEDDLE_OK, "%s, %s: %s", what, pass_names[pass], heddle_last_error());
    CHECK_EQ(k.interpreted, pass != COMPILED);
    CHECK_EQ(after.kernels - before.kernels == 1, pass == COMPILED || c->n_stages == 1);
    take_from_gpu(c, host, device);
}

/* What is under test, on fresh data, against the launches one by one on the CPU. */
static void check(struct chain *c, const char *what)
{
    void *got[BUFFERS], *want[BUFFERS];
    if (pass == PREPARED) {
        heddle__program_cuda.prepare(&c->stage[0].launch);
        return;
    }
    chain_buffers(c, got, want);
    run_on_gpu(c, got, what);
    chain_compare(c, got, want, what, pass_names[pass]);
}

struct walk {
    int64_t rows0, rows1, step, gap;
};

static void test_chain(struct chain *c, enum heddle_dtype d, int kind)
{
    struct heddle_rows rows;
    struct heddle_rows_form form;
    if (!is_chain_of(c, kind)) return;
    make_chain(c, kind, d);
    CHECK(heddle__rows_of(&c->stage[0].launch, &rows), "%s: no chain", chain_names[kind]);
    CHECK_EQ(rows.in_sequence, c->across);
    if (heddle__rows_form(&rows, HEDDLE_ROWS_BESIDE, 0, &form)) check(c, chain_names[kind]);
}

static void test_length(enum heddle_dtype d, int64_t length, int number)
{
    static const struct walk walks[] = {
        {1, 70, 1, 0}, {3, 5, 1, 3}, {9, 1, 2, 0}, {2, 4, -1, 1}, {3, 7, 1, 4}};
    const struct walk *w = &walks[(size_t)number % (sizeof walks / sizeof *walks)];
    for (int kind = 0; kind < CHAINS; kind++) {
        struct chain c = new_chain(w->rows0, w->rows1, length, w->step, w->gap);
        test_chain(&c, d, kind);
    }
}

/* Columns, which threads have: up to 64 elements each, of longer ones a run for each of several warps. */
static void test_columns(enum heddle_dtype d, int64_t length, int number)
{
    static const struct walk walks[] = {
        {3, 70, 1, 0}, {1, 5000, -1, 2}, {40, 2, 2, 1}, {5, 33, 1, 3}};
    const struct walk *w = &walks[(size_t)number % (sizeof walks / sizeof *walks)];
    for (int kind = 0; kind < CHAINS; kind++) {
        struct chain c = new_columns(w->rows0, w->rows1, length, w->step, w->gap);
        test_chain(&c, d, kind);
    }
}

/* So many rows that each has few threads, or a thread several: the last ones are not all there. */
static void test_many_rows(void)
{
    static const struct {
        enum heddle_dtype dtype;
        int64_t length, rows, gap;
        int kind;
    } cases[] = {
        {HEDDLE_FLOAT32, 3, (1 << 20) - 37, 0, 0},
        {HEDDLE_FLOAT64, 2, (1 << 18) + 45, 0, 1},
        {HEDDLE_UINT8, 5, (1 << 20) + 1, 0, 2},
        {HEDDLE_FLOAT32, 4, (1 << 18) + 7, 1, 1},
        {HEDDLE_FLOAT32, 768, 4099, 0, 2},
        {HEDDLE_FLOAT64, 300, 4097, 2, 0},
        {HEDDLE_FLOAT32, 1000, 4096, 0, 3},
        {HEDDLE_FLOAT32, 4, (1 << 20) + 5, 0, 5},
        {HEDDLE_FLOAT64, 3, 70001, 0, 5},
        {HEDDLE_FLOAT32, 17, 4099, 0, 0},
        {HEDDLE_FLOAT32, 20, 8195, 0, 2},
        {HEDDLE_FLOAT32, 36, 8201, 2, 3},
        {HEDDLE_FLOAT64, 40, 4097, 2, 1},
        {HEDDLE_FLOAT64, 19, 8200, 0, 4},
        {HEDDLE_FLOAT32, 64, 4102, 0, 2},
        {HEDDLE_FLOAT32, 100, 4099, 1, 3},
        {HEDDLE_FLOAT32, 128, 4097, 0, 4},
        {HEDDLE_INT64, 33, 5001, 0, 5},
        {HEDDLE_UINT8, 70, 4097, 1, 0},
        {HEDDLE_UINT8, 64, 4097, 4, 1},
        {HEDDLE_UINT8, 36, 8193, 0, 3},
        {HEDDLE_INT16, 72, 4098, 0, 3},
        {HEDDLE_INT16, 36, 8197, 4, 7},
        {HEDDLE_INT16, 60, 8195, 0, 0},
        {HEDDLE_FLOAT32, 5, (1 << 18) + 7, 0, 8},
        {HEDDLE_FLOAT32, 16, 70003, 0, 9},
        {HEDDLE_FLOAT32, 64, 4102, 0, 8},
        {HEDDLE_FLOAT32, 37, 8195, 0, 8},
        {HEDDLE_FLOAT32, 66, 8195, 1, 9},
        {HEDDLE_FLOAT64, 48, 4097, 0, 8},
        {HEDDLE_FLOAT64, 30, 4100, 3, 9},
        {HEDDLE_INT64, 100, 4097, 0, 9},
        {HEDDLE_FLOAT32, 1000, 4096, 0, 8},
        {HEDDLE_FLOAT32, 300, 4097, 4, 9},
        {HEDDLE_FLOAT64, 702, 4097, 0, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct chain c = new_chain(1, cases[i].rows, cases[i].length, 1, cases[i].gap);
        test_chain(&c, cases[i].dtype, cases[i].kind);
    }
}

/* Long rows that shared memory holds, several for each block one after the other. */
static void test_held(void)
{
    enum { SHARED = 227 << 10 };
    static const struct {
        enum heddle_dtype dtype;
        int64_t length, gap;
        int threads, beside, kind;
    } cases[] = {
        {HEDDLE_FLOAT32, 17000, 0, 512, 2, 0}, {HEDDLE_FLOAT32, 16387, 0, 512, 1, 1},
        {HEDDLE_FLOAT64, 20002, 2, 512, 2, 0}, {HEDDLE_FLOAT64, 10002, 2, 512, 2, 2},
        {HEDDLE_FLOAT32, 24580, 1, 512, 1, 2}, {HEDDLE_INT16, 17000, 4, 256, 4, 0},
        {HEDDLE_UINT8, 60000, 0, 256, 4, 1},   {HEDDLE_FLOAT32, 50002, 0, 512, 2, 3},
        {HEDDLE_INT64, 9002, 0, 512, 2, 1},
    };
    const int processors = heddle__cuda_device(0)->processors;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct heddle_rows rows;
        struct heddle_rows_form form;
        struct chain c = new_chain(1, 4 * processors + 3, cases[i].length, 1, cases[i].gap);
        make_chain(&c, cases[i].kind, cases[i].dtype);
        CHECK(heddle__rows_of(&c.stage[0].launch, &rows), "%zu: no chain", i);
        CHECK(heddle__rows_form(&rows, HEDDLE_ROWS_BESIDE, SHARED, &form), "%zu: no form", i);
        CHECK_EQ(form.is_long, true);
        CHECK(heddle__rows_room_bytes(&rows) > 0, "%zu: not held", i);
        CHECK_EQ(form.threads, cases[i].threads);
        CHECK_EQ(form.beside, cases[i].beside);
        check(&c, chain_names[cases[i].kind]);
    }
}

/* Arrays that others made begin anywhere: then a kernel of single elements is compiled, and until it is, launches are interpreted. */
static void test_odd_addresses(void)
{
    enum { TRIES = 2000, WAIT_NS = 20000000 };
    void *got[BUFFERS], *want[BUFFERS], *device[BUFFERS];
    for (int kind = 0; kind < 3; kind++) {
        struct chain c = new_chain(1, 4099, 64, 1, 0);
        make_chain(&c, kind, kind == 1 ? HEDDLE_INT16 : HEDDLE_UINT8);
        struct heddle_kernel_context k = {
            .buffers = device, .constants = c.constants, .stream = gpu_stream()};
        k.interpreted = true;
        for (int i = 0; i < TRIES && k.interpreted; i++) {
            k.interpreted = false;
            chain_buffers(&c, got, want);
            put_on_gpu(&c, got, device, 1);
            k.scratch = gpu_alloc(heddle__launch_gpu_scratch_bytes(&c.stage[0].launch));
            CHECK_EQ(heddle__program_cuda.run(&c.stage[0].launch, &k), HEDDLE_OK);
            take_from_gpu(&c, got, device);
            chain_compare(&c, got, want, chain_names[kind], "odd addresses");
            if (k.interpreted) nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
        }
        CHECK(!k.interpreted, "%s: no kernel", chain_names[kind]);
    }
}

void test_rows(void)
{
    static const int64_t lengths[] = {2,    3,     6,     16,    17,    33,   128,
                                      300,  1000,  1024,  1025,  2049,  3000, 5000,
                                      8192, 16384, 16385, 24576, 40000, 65536};
    const int n = sizeof lengths / sizeof *lengths;
    for (int i = 0; i < n; i++) {
        test_length(HEDDLE_FLOAT32, lengths[i], i);
        if (i % 3 == 0) test_length(HEDDLE_FLOAT64, lengths[i], i / 3);
        if (i % 4 == 1) test_length(HEDDLE_INT32, lengths[i], i / 4);
        if (i % 5 == 2) test_length(HEDDLE_UINT8, lengths[i], i / 5);
        if (i % 5 == 3) test_length(HEDDLE_INT64, lengths[i], i / 5 + 1);
        if (i % 3 == 1) test_length(HEDDLE_UINT8, lengths[i], 0);
        if (i % 2 == 0) test_length(HEDDLE_INT16, lengths[i], 4);
    }
    static const int64_t heights[] = {2, 3, 16, 17, 40, 64, 65, 100, 128, 200, 256};
    const int n_heights = sizeof heights / sizeof *heights;
    for (int i = 0; i < n_heights; i++) {
        test_columns(HEDDLE_FLOAT32, heights[i], i);
        if (i % 3 == 1) test_columns(HEDDLE_FLOAT64, heights[i], i / 3);
        if (i % 4 == 2) test_columns(HEDDLE_UINT8, heights[i], i / 4);
        if (i % 5 == 3) test_columns(HEDDLE_INT64, heights[i], i / 5);
    }
    if (pass != INTERPRETED) test_many_rows();
    if (pass != INTERPRETED) test_held();
    if (pass == COMPILED) test_odd_addresses();
}
