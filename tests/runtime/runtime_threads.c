/* Proves that threads may record, evaluate, read, explain and release at the same time: small work and
 * large, of shared inputs, and of shared arrays that nobody evaluated yet. Over the library, and alone on
 * an invented machine, where the thread sanitizer sees all of it. */
#include "check.h"
#include "machine/machine.h"

#include <heddle.h>
#include <pthread.h>

enum { N_THREADS = 4, N_ROUNDS = 60, N = 20000, N_SHARED = 20, ROWS = 30 };
static const int64_t shape[] = {N};
static heddle_array *shared, *lazy[N_SHARED]; /* lazy[i]: shared + i, and 0 at i */

/* Work of this thread alone on shared data: as large as the inputs, and small. */
static void own_work(int id, int round)
{
    static _Thread_local double out[N];
    const double k_value = id * 1000 + round;
    double square;
    heddle_array *k = heddle_scalar(k_value);
    heddle_array *a = heddle_add(shared, k);
    heddle_array *small = heddle_multiply(k, k);
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    CHECK_EQ(heddle_read(small, &square, sizeof square), HEDDLE_OK);
    CHECK_NUM(square, k_value * k_value);
    CHECK_EQ(heddle_read(a, out, sizeof out), HEDDLE_OK);
    CHECK_NUM(out[0], k_value);
    CHECK_NUM(out[N - 1], k_value + N - 1);
}

/* More memory than what is pooled in small blocks. */
static void large_work(int id)
{
    static const double column[ROWS];
    double ends[2];
    heddle_array *k = heddle_scalar((double)id);
    heddle_array *rows = heddle_asarray(column, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, 1));
    heddle_array *a = heddle_add(heddle_add(shared, rows), k);
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    heddle_array *some = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(ROWS - 1), HEDDLE_STEP(N - 1)));
    CHECK_EQ(heddle_read(some, ends, sizeof ends), HEDDLE_OK);
    CHECK_NUM(ends[0] + ends[1], N - 1 + 2 * id);
}

/* Plans of a few structures, so that some are found and some are made, and sums of views. */
static void structures(int id, int round)
{
    const int64_t step = 1 + (id + round) % 5;
    double sum = 0, expected = 0;
    heddle_array *view = heddle_getitem(shared, HEDDLE_INDEX(HEDDLE_STEP(step)));
    for (int i = 0; i < round % 3; i++) view = heddle_negative(view);
    for (int64_t i = 0; i < N; i += step) expected += round % 3 == 1 ? -(double)i : (double)i;
    CHECK_EQ(heddle_read(heddle_sum(view), &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, expected);
}

/* Arrays that all threads evaluate, wait for, read and explain at once. */
static void shared_work(int round)
{
    const int i = round % N_SHARED;
    double some[3];
    struct heddle_statistics statistics;
    if (round % 7 == 0) CHECK_EQ(heddle_eval_all(N_SHARED, lazy), HEDDLE_OK);
    if (round % 5 == 0) CHECK_EQ(heddle_wait(lazy[i]), HEDDLE_OK);
    heddle_array *part = heddle_getitem(lazy[i], HEDDLE_INDEX(HEDDLE_SLICE(i, i + 3)));
    CHECK_EQ(heddle_read(part, some, sizeof some), HEDDLE_OK);
    CHECK_NUM(some[0], 0);
    CHECK_NUM(some[2], 2 * i + 2);
    if (round % 20 == 0) {
        char *text = NULL;
        CHECK_EQ(heddle_explain(heddle_sqrt(part), HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
        heddle_free(text);
        heddle_statistics_get(&statistics);
    }
}

static void *work(void *argument)
{
    const int id = *(const int *)argument;
    for (int round = 0; round < N_ROUNDS; round++) {
        heddle_scope scope = heddle_scope_open();
        own_work(id, round);
        structures(id, round);
        shared_work(round);
        if (round % 20 == 0) large_work(id);
        heddle_scope_close(scope);
    }
    return NULL;
}

static void make_shared(const double data[N])
{
    heddle_scope scope = heddle_scope_open();
    shared = heddle_keep(heddle_asarray(data, HEDDLE_FLOAT64, 1, shape));
    for (int64_t i = 0; i < N_SHARED; i++) {
        heddle_array *more = heddle_add(shared, heddle_scalar((double)i));
        lazy[i] =
            heddle_keep(heddle_set_item(more, HEDDLE_INDEX(HEDDLE_AT(i)), heddle_scalar(0.0)));
    }
    heddle_scope_close(scope);
}

int main(void)
{
    static const struct heddle_config ways[] = {
        {.devices = "cpu"},
        {.devices = "cpu", .inline_bytes = 1000},
        {.devices = "cpu", .inline_bytes = 1000, .partition = "3", .max_tasks = 5},
    };
    static double data[N];
    for (int i = 0; i < N; i++) data[i] = i;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_EQ(machine_configure(&ways[i]), HEDDLE_OK);
        make_shared(data);
        pthread_t threads[N_THREADS];
        int ids[N_THREADS];
        for (int t = 0; t < N_THREADS; t++) {
            ids[t] = t;
            CHECK_EQ(pthread_create(&threads[t], NULL, work, &ids[t]), 0);
        }
        for (int t = 0; t < N_THREADS; t++) pthread_join(threads[t], NULL);
        for (int k = 0; k < N_SHARED; k++) heddle_release(lazy[k]);
        heddle_release(shared);
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    return check_done();
}
