/* Proves that one operation may have several outputs, of unlike shapes and dtypes: however they are asked
 * for, each is right, all are computed once, and what nobody holds goes away. The operation is `split`
 * (split.h). Over StarPU, and alone on an invented machine, where allocations fail, too. */
#include "check_heddle.h"
#include "families/split.h"
#include "machine/machine.h"

#include "base/memory.h"
#include "graph/node.h"
#include "run/execute.h"

#include <pthread.h>
#include <sched.h>

enum { ROWS = 37, COLUMNS = 11, SIZE = ROWS * COLUMNS };

/* ---- Values ------------------------------------------------------------------------------------------ */

static double x_data[ROWS][COLUMNS], mantissas_data[ROWS][COLUMNS];
static int32_t exponents_data[ROWS];

static void make_values(void)
{
    for (int i = 0; i < ROWS; i++) {
        double largest = 0;
        for (int j = 0; j < COLUMNS; j++) {
            x_data[i][j] = (i * 7 + j * 5) % 23 - 11.0 + i * i * 100;
            if (i == 3) x_data[i][j] = 0;
            if (fabs(x_data[i][j]) > largest) largest = fabs(x_data[i][j]);
        }
        double scale = 1;
        while (largest >= scale) {
            scale *= 2;
            exponents_data[i]++;
        }
        for (int j = 0; j < COLUMNS; j++) mantissas_data[i][j] = x_data[i][j] / scale;
    }
}

/* How x is there: in host memory, computed by the same evaluation, or in parts of rows and columns. */
enum { IN_HOST_MEMORY, COMPUTED, IN_PARTS, N_SOURCES };

/* For the scope that is open, as all arrays here but outputs. */
static heddle_array *make_x(int source)
{
    const struct heddle_distribution parts = {
        .cut = {{HEDDLE_CUT_PARTS, 2, NULL}, {HEDDLE_CUT_PARTS, 2, NULL}}};
    heddle_array *x = heddle_asarray(x_data, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    if (source == COMPUTED) return heddle_negative(heddle_negative(x));
    return source == IN_PARTS ? heddle_distribute(x, &parts) : x;
}

static void release_both(heddle_array *outputs[2])
{
    heddle_release(outputs[0]);
    heddle_release(outputs[1]);
}

static const char *way; /* that is being tried */

static void check_mantissas(heddle_array *a)
{
    double out[ROWS][COLUMNS];
    memset(out, 0xff, sizeof out);
    CHECK(heddle_read(a, out, sizeof out) == HEDDLE_OK, "%s: %s", way, heddle_last_error());
    CHECK(memcmp(out, mantissas_data, sizeof out) == 0, "%s: mantissas", way);
}

static void check_exponents(heddle_array *a)
{
    int32_t out[ROWS];
    memset(out, 0xff, sizeof out);
    CHECK(heddle_read(a, out, sizeof out) == HEDDLE_OK, "%s: %s", way, heddle_last_error());
    CHECK(memcmp(out, exponents_data, sizeof out) == 0, "%s: exponents", way);
}

static void check_output(int i, heddle_array *a)
{
    (i == 0 ? check_mantissas : check_exponents)(a);
}

#define CHECK_ROWS_SPLIT(n)                                                                        \
    CHECK(atomic_load(&split_rows) == (n), "%s: %lld rows were split, not %d", way,                \
          (long long)atomic_load(&split_rows), (int)(n))

/* ---- Ways to ask for them ---------------------------------------------------------------------------- */

static void test_shapes(heddle_array *x)
{
    heddle_array *o[2];
    CHECK(split(x, o));
    CHECK_EQ(heddle_dtype_of(o[0]), HEDDLE_FLOAT64);
    CHECK_EQ(heddle_dtype_of(o[1]), HEDDLE_INT32);
    CHECK_EQ(heddle_ndim(o[1]), 1);
    CHECK_EQ(heddle_shape(o[1])[0], ROWS);
    CHECK_EQ(heddle_size(o[0]), SIZE);
    CHECK(!heddle_is_evaluated(o[0]) && !heddle_is_evaluated(o[1]));
    release_both(o);
    CHECK_ROWS_SPLIT(0);
}

/* One is asked for; the other is computed with it. */
static void test_one(heddle_array *x, int asked)
{
    heddle_array *o[2];
    CHECK(split(x, o));
    CHECK_EQ(heddle_eval(o[asked]), HEDDLE_OK);
    CHECK(heddle_is_evaluated(o[asked]), "%s", way);
    CHECK(heddle_is_evaluated(o[!asked]), "%s", way);
    check_output(asked, o[asked]);
    check_output(!asked, o[!asked]);
    CHECK_ROWS_SPLIT(ROWS);
    release_both(o);
}

static void test_together(heddle_array *x)
{
    heddle_array *o[2];
    CHECK(split(x, o));
    CHECK_EQ(heddle_eval_all(3, (heddle_array *[]){o[1], o[0], o[1]}), HEDDLE_OK);
    check_mantissas(o[0]);
    check_exponents(o[1]);
    CHECK_ROWS_SPLIT(ROWS);
    release_both(o);
}

/* Two evaluations, with nothing between them. */
static void test_in_turn(heddle_array *x, int first)
{
    heddle_array *o[2];
    CHECK(split(x, o));
    CHECK_EQ(heddle_eval(o[first]), HEDDLE_OK);
    CHECK_EQ(heddle_eval(o[!first]), HEDDLE_OK);
    release_both((heddle_array *[]){heddle_keep(o[first]), NULL}); /* a reference more, and less */
    check_mantissas(o[0]);
    check_exponents(o[1]);
    CHECK_ROWS_SPLIT(ROWS);
    release_both(o);
}

/* One is let go of before anything is evaluated, the other afterwards. */
static void test_released(heddle_array *x, int kept)
{
    heddle_array *o[2];
    CHECK(split(x, o));
    heddle_release(o[!kept]);
    CHECK_EQ(heddle_eval(o[kept]), HEDDLE_OK);
    check_output(kept, o[kept]);
    CHECK_ROWS_SPLIT(ROWS);
    struct heddle_statistics before, after;
    heddle_statistics_get(&before);
    heddle_release(o[kept]);
    heddle_statistics_get(&after);
    const size_t bytes = kept == 0 ? sizeof mantissas_data : sizeof exponents_data;
    if (heddle__invented_machine()) /* tasks hold what they have made until they end */
        CHECK_EQ(before.bytes_live - after.bytes_live, bytes);
}

/* ---- What reads them --------------------------------------------------------------------------------- */

/* A program of both, views of them, reductions, another family; then one by itself. */
static void test_read(heddle_array *x, bool computed)
{
    heddle_array *o[2];
    double sums[ROWS][COLUMNS], all = 0;
    int32_t every_other[ROWS / 2];
    int64_t so_far[ROWS], total = 0;
    CHECK(split(x, o));
    if (computed) CHECK_EQ(heddle_eval(o[0]), HEDDLE_OK);
    heddle_array *sum = heddle_add(o[0], heddle_expand_dims(o[1], 1)),
                 *some = heddle_getitem(o[1], HEDDLE_INDEX(HEDDLE_SLICE_STEP(1, ROWS, 2))),
                 *scan = heddle_cumulative_sum(o[1]),
                 *half = heddle_multiply(heddle_sum(o[0]), heddle_scalar(0.5));
    CHECK_EQ(heddle_eval_all(4, (heddle_array *[]){sum, some, scan, half}), HEDDLE_OK);
    CHECK_EQ(heddle_read(sum, sums, sizeof sums), HEDDLE_OK);
    CHECK_EQ(heddle_read(some, every_other, sizeof every_other), HEDDLE_OK);
    CHECK_EQ(heddle_read(scan, so_far, sizeof so_far), HEDDLE_OK);
    CHECK_EQ(heddle_read(half, &all, sizeof all), HEDDLE_OK);
    double expected = 0;
    int n_wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            expected += mantissas_data[i][j];
            n_wrong += sums[i][j] != mantissas_data[i][j] + exponents_data[i];
        }
        n_wrong += i % 2 == 1 && every_other[i / 2] != exponents_data[i];
        n_wrong += so_far[i] != (total += exponents_data[i]);
    }
    CHECK(n_wrong == 0, "%s: %d values", way, n_wrong);
    CHECK(fabs(all - expected / 2) < 1e-12 * fabs(expected), "%s: %g is not %g", way, all,
          expected / 2);
    check_exponents(o[1]);
    check_mantissas(o[0]);
    CHECK_ROWS_SPLIT(ROWS);
    release_both(o);
}

/* An output that is in parts of the user's. */
static void test_distributed(heddle_array *x)
{
    const struct heddle_distribution parts = {.cut = {{HEDDLE_CUT_PARTS, 3, NULL}}};
    heddle_array *o[2];
    CHECK(split(x, o));
    heddle_array *exponents = heddle_distribute(o[1], &parts),
                 *mantissas = heddle_distribute(o[0], &parts);
    check_exponents(exponents);
    check_mantissas(mantissas);
    check_exponents(o[1]);
    CHECK_ROWS_SPLIT(ROWS);
    release_both(o);
}

/* An update of an output, which may be made in it only if nobody can ask for it any more. */
static void test_updated(heddle_array *x, bool held)
{
    heddle_array *o[2];
    int32_t out[ROWS];
    CHECK(split(x, o));
    CHECK_EQ(heddle_wait(o[0]), HEDDLE_OK);
    heddle_array *first = heddle_set_item(o[1], HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar(99));
    if (!held) release_both(o);
    CHECK_EQ(heddle_read(first, out, sizeof out), HEDDLE_OK);
    CHECK_EQ(out[0], 99);
    CHECK(memcmp(out + 1, exponents_data + 1, sizeof out - sizeof out[0]) == 0, "%s", way);
    CHECK_ROWS_SPLIT(ROWS);
    if (!held) return;
    check_exponents(o[1]);
    check_mantissas(o[0]);
    release_both(o);
}

/* Equal operations on equal operands are one, whose outputs have several holders. */
static void test_merged(heddle_array *x)
{
    heddle_array *o[2], *again[2];
    CHECK(split(x, o) && split(x, again));
    CHECK_EQ(heddle_eval_all(2, (heddle_array *[]){o[0], again[1]}), HEDDLE_OK);
    check_exponents(o[1]);
    check_mantissas(again[0]);
    check_mantissas(o[0]);
    check_exponents(again[1]);
    heddle_array *first = heddle_set_item(o[1], HEDDLE_INDEX(HEDDLE_AT(0)), heddle_scalar(99));
    release_both(o);
    CHECK_EQ(heddle_wait(first), HEDDLE_OK);
    check_exponents(again[1]);
    CHECK_ROWS_SPLIT(ROWS);
    release_both(again);
}

static bool explains(heddle_array *a, enum heddle_explain_form form, const char *piece)
{
    char *text = NULL;
    CHECK(heddle_explain(a, form, &text) == HEDDLE_OK, "%s: %s", way, heddle_last_error());
    const bool found = text && strstr(text, piece);
    if (!found) fprintf(stderr, "%s\n", text ? text : "no text");
    heddle_free(text);
    return found;
}

static void test_explained(heddle_array *x)
{
    heddle_array *o[2];
    CHECK(split(x, o));
    CHECK(explains(o[1], HEDDLE_EXPLAIN_GRAPH, "output"));
    CHECK(explains(o[1], HEDDLE_EXPLAIN_PLAN, "split"));
    CHECK_EQ(heddle_wait(o[0]), HEDDLE_OK);
    CHECK(explains(o[1], HEDDLE_EXPLAIN_GRAPH, "data"));
    CHECK(explains(o[1], HEDDLE_EXPLAIN_PLAN, "nothing to do"));
    CHECK(explains(o[1], HEDDLE_EXPLAIN_RUN, "nothing to do"));
    CHECK_ROWS_SPLIT(ROWS);
    release_both(o);
}

/* A kernel that fails makes errors of all outputs, and of what needs them. */
static void test_failed(heddle_array *x)
{
    heddle_array *o[2];
    CHECK(split(x, o));
    heddle_array *needs_it = heddle_negative(o[1]), *other = heddle_negative(x);
    atomic_store(&split_fails, true);
    heddle_eval(o[0]); /* the error may show later */
    CHECK_EQ(heddle_wait(o[1]), HEDDLE_ENOMEM);
    CHECK_HAS(heddle_error(o[1]), "told to fail");
    CHECK_EQ(heddle_wait(o[0]), HEDDLE_ENOMEM);
    CHECK_EQ(heddle_wait(needs_it), HEDDLE_ENOMEM);
    CHECK_EQ(heddle_wait(other), HEDDLE_OK);
    atomic_store(&split_fails, false);
    release_both(o);
}

/* ---- Threads and allocations -------------------------------------------------------------------------- */

static void *read_second(void *context)
{
    heddle_array **o = context;
    while (!heddle_is_evaluated(o[1])) sched_yield();
    check_exponents(o[1]);
    return NULL;
}

/* A thread looks at an output while another one evaluates. */
static void test_threads(heddle_array *x)
{
    for (int round = 0; round < 20; round++) {
        heddle_array *o[2];
        pthread_t thread;
        CHECK(split(x, o));
        CHECK_EQ(pthread_create(&thread, NULL, read_second, o), 0);
        check_mantissas(o[0]);
        check_exponents(o[1]);
        pthread_join(thread, NULL);
        release_both(o);
    }
    CHECK_ROWS_SPLIT(20 * ROWS);
}

/* The first error; HEDDLE_OK if there is none. */
static enum heddle_status evaluate_one(void)
{
    double out[ROWS][COLUMNS];
    int32_t second[ROWS];
    heddle_array *o[2] = {NULL, NULL};
    heddle_array *x = heddle_asarray(x_data, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    enum heddle_status status = split(x, o) ? heddle_read(o[0], out, sizeof out) : HEDDLE_ENOMEM;
    if (status == HEDDLE_OK) status = heddle_read(o[1], second, sizeof second);
    if (status == HEDDLE_OK) {
        CHECK(memcmp(out, mantissas_data, sizeof out) == 0, "mantissas");
        CHECK(memcmp(second, exponents_data, sizeof second) == 0, "exponents");
    }
    release_both(o);
    heddle_release(x);
    return status;
}

/* Each allocation fails in turn, once: all is right, or HEDDLE_ENOMEM, and nothing is left. */
static void test_allocations(void)
{
    heddle__node_pooling(false);
    bool done = false;
    int64_t k = 1;
    for (; !done && k < 1000; k++) {
        const int64_t calls = heddle__alloc_calls();
        heddle__alloc_fail_at(k, 0);
        const enum heddle_status status = evaluate_one();
        heddle__alloc_fail_at(0, 0);
        done = heddle__alloc_calls() - calls < k;
        CHECK(status == HEDDLE_OK || (!done && status == HEDDLE_ENOMEM), "allocation %lld: %d",
              (long long)k, (int)status);
        CHECK(heddle__nodes_live() == 0, "allocation %lld", (long long)k);
    }
    heddle__node_pooling(true);
    CHECK(done);
}

/* ---- Ways to run them --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    struct heddle_config config;
} ways[] = {
    {"inline", {.inline_bytes = (int64_t)1 << 40}},
    {"inline, unfused", {.inline_bytes = (int64_t)1 << 40, .no_fusion = true}},
    {"tasks", {.inline_bytes = -1}},
    {"tasks, 3 parts", {.inline_bytes = -1, .partition = "3"}},
    {"tasks, 2x3 parts", {.inline_bytes = -1, .partition = "2x3"}},
    {"tasks, 5 parts, unfused", {.inline_bytes = -1, .partition = "5", .no_fusion = true}},
    {"tasks, small parts", {.inline_bytes = -1, .part_bytes = 1 << 9}},
    {"tasks, 3 teams", {.inline_bytes = -1, .cpu_workers = 3}},
};

/* Calls a test with x in a scope, after which nothing is left. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        atomic_store(&split_rows, 0);                                                              \
        heddle_scope scope = heddle_scope_open();                                                  \
        heddle_array *const x = make_x(source);                                                    \
        call;                                                                                      \
        heddle_scope_close(scope);                                                                 \
        CHECK(heddle__nodes_live() == 0, "%s: " #call, way);                                       \
    } while (0)

static void try_all(int source)
{
    TRY(test_shapes(x));
    for (int i = 0; i < 2; i++) {
        TRY(test_one(x, i));
        TRY(test_in_turn(x, i));
        TRY(test_released(x, i));
        TRY(test_read(x, i == 1));
        TRY(test_updated(x, i == 1));
    }
    TRY(test_together(x));
    TRY(test_distributed(x));
    TRY(test_merged(x));
    TRY(test_explained(x));
    TRY(test_failed(x));
    TRY(test_threads(x));
}

int main(void)
{
    make_values();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        way = ways[i].name;
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        CHECK_EQ(machine_configure(&ways[i].config), HEDDLE_OK);
        for (int source = 0; source < N_SOURCES; source++) try_all(source);
        if (heddle__invented_machine()) test_allocations();
    }
    check_nothing_left();
    return check_done();
}
