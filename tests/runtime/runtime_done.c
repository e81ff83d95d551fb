/* Proves that it can be known, waited for and told when arrays are done: heddle_is_done never waits,
 * heddle_wait_any gives one that is, heddle_on_done calls once, in error and over shut-downs too. With the
 * argument `tasks` there is a runtime, whose tasks take as long as they are told. */
#include "check.h"
#include "machine/machine.h"
#include "runtime/slow.h"

#include <heddle.h>
#include <pthread.h>
#include <time.h>

enum { N = 1000, MANY = 200 };
static const int64_t shape[] = {N};
static const struct timespec little = {0, 1000000};

/* ---- Tasks that wait to be let go ---------------------------------------------------------------------- */

static atomic_bool may_go[4];

static enum heddle_status wait_to_go(const struct heddle_part_view *in, void *out, void *user)
{
    const int i = *(const int *)user;
    while (!atomic_load(&may_go[i])) nanosleep(&little, NULL);
    memcpy(out, in->data, (size_t)in->shape[0] * sizeof(double));
    return i == 3 ? HEDDLE_ERANGE : HEDDLE_OK; /* the last one fails */
}

static heddle_array *held_at(int i, heddle_place place)
{
    static int numbers[] = {0, 1, 2, 3};
    atomic_store(&may_go[i], false);
    heddle_array *a = computed(N, i + 1), *there = heddle_to(a, place);
    heddle_array *b = heddle_map_parts(there, HEDDLE_FLOAT64, wait_to_go, .user = &numbers[i]);
    heddle_release(a);
    heddle_release(there);
    return b;
}

static heddle_array *held(int i)
{
    return held_at(i, heddle_cpu(0));
}

/* ---- What was called ----------------------------------------------------------------------------------- */

struct note {
    atomic_int calls, status;
    pthread_t thread;
    heddle_array *array; /* that it was called with */
};

static void note(heddle_array *a, enum heddle_status status, void *data)
{
    struct note *n = data;
    if (status != HEDDLE_OK) CHECK(heddle_last_error()[0], "no text");
    n->thread = pthread_self();
    n->array = a;
    atomic_store(&n->status, (int)status);
    atomic_fetch_add(&n->calls, 1);
}

static void wait_calls(struct note *n, int calls)
{
    for (int i = 0; i < 10000 && atomic_load(&n->calls) < calls; i++) nanosleep(&little, NULL);
    CHECK_EQ(atomic_load(&n->calls), calls);
}

/* ---- Everywhere ----------------------------------------------------------------------------------------- */

static void test_done(void)
{
    heddle_array *a = computed(N, 2), *data = NULL;
    double values[N] = {0};
    CHECK(!heddle_is_evaluated(a) && !heddle_is_done(a) && !heddle_is_done(NULL));
    CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    CHECK(heddle_is_evaluated(a) && heddle_is_done(a));
    data = heddle_asarray(values, HEDDLE_FLOAT64, 1, shape);
    CHECK(heddle_is_done(data));
    heddle_array *bad = heddle_add(a, NULL);
    CHECK(!heddle_is_evaluated(bad) && heddle_is_done(bad));
    heddle_release(a);
    heddle_release(data);
    heddle_release(bad);
}

static void test_wait_any(void)
{
    int which = -7;
    heddle_array *arrays[] = {computed(N, 1), computed(N, 2), heddle_add(NULL, NULL)};
    CHECK_EQ(heddle_wait_any(2, arrays, &which), HEDDLE_OK);
    CHECK(which == 0 || which == 1);
    CHECK(heddle_is_done(arrays[which]) && heddle_is_evaluated(arrays[!which]));
    which = -7;
    CHECK_EQ(heddle_wait_any(1, &arrays[2], &which), HEDDLE_EARG); /* done, in error */
    CHECK_EQ(which, 0);

    which = -7;
    heddle_array *const none[] = {arrays[0], NULL};
    CHECK_EQ(heddle_wait_any(0, arrays, &which), HEDDLE_EARG);
    CHECK_EQ(heddle_wait_any(-1, arrays, &which), HEDDLE_EARG);
    CHECK_EQ(heddle_wait_any(2, NULL, &which), HEDDLE_EARG);
    CHECK_EQ(heddle_wait_any(2, none, &which), HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), "heddle_wait_any: array 1 is NULL");
    CHECK_EQ(heddle_wait_any(2, arrays, NULL), HEDDLE_EARG);
    CHECK_EQ(which, -7);
    for (int i = 0; i < 3; i++) heddle_release(arrays[i]);
}

static void test_on_done(void)
{
    struct note plain = {0}, again = {0}, error = {0};
    heddle_array *a = computed(N, 3), *bad = heddle_add(NULL, NULL);
    CHECK_EQ(heddle_on_done(a, note, &plain), HEDDLE_OK);
    wait_calls(&plain, 1);
    CHECK(heddle_is_done(a) && plain.array == a && !pthread_equal(plain.thread, pthread_self()));
    CHECK_EQ(atomic_load(&plain.status), HEDDLE_OK);
    CHECK_EQ(heddle_on_done(a, note, &again), HEDDLE_OK); /* done already */
    wait_calls(&again, 1);
    CHECK_EQ(heddle_on_done(bad, note, &error), HEDDLE_OK);
    wait_calls(&error, 1);
    CHECK_EQ(atomic_load(&error.status), HEDDLE_EARG);
    CHECK_EQ(heddle_on_done(NULL, note, &plain), HEDDLE_EARG);
    CHECK_EQ(heddle_on_done(a, NULL, &plain), HEDDLE_EARG);
    heddle_release(a);
    heddle_release(bad);
    wait_calls(&plain, 1);
}

/* The function is the last to hold the array. */
static void test_many(void)
{
    static struct note notes[MANY];
    memset(notes, 0, sizeof notes);
    for (int i = 0; i < MANY; i++) {
        heddle_array *a = computed(N, i);
        CHECK_EQ(heddle_on_done(a, note, &notes[i]), HEDDLE_OK);
        heddle_release(a);
    }
    for (int i = 0; i < MANY; i++) wait_calls(&notes[i], 1);
}

/* A function may do what a thread may: evaluate, read, wish for more, shut down. */
static struct note chained;

static void go_on(heddle_array *a, enum heddle_status status, void *data)
{
    double values[N];
    int *left = data;
    heddle_array *next = heddle_add(a, a);
    CHECK_EQ(status, HEDDLE_OK);
    CHECK_EQ(heddle_read(next, values, sizeof values), HEDDLE_OK);
    CHECK_NUM(values[N - 1], 32 >> *left);
    if (*left == 2) CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    if (--*left > 0)
        CHECK_EQ(heddle_on_done(next, go_on, left), HEDDLE_OK);
    else
        CHECK_EQ(heddle_on_done(next, note, &chained), HEDDLE_OK);
    heddle_release(next);
}

static void test_chain(void)
{
    int left = 4;
    memset(&chained, 0, sizeof chained);
    heddle_array *a = computed(N, 1);
    CHECK_EQ(heddle_on_done(a, go_on, &left), HEDDLE_OK);
    heddle_release(a);
    wait_calls(&chained, 1);
}

/* From several threads, while another one shuts down. */
static void *wish(void *unused)
{
    struct note n = {0};
    (void)unused;
    for (int i = 1; i <= 50; i++) {
        int which;
        heddle_array *arrays[] = {computed(N, i), computed(N, -i)};
        CHECK_EQ(heddle_on_done(arrays[0], note, &n), HEDDLE_OK);
        CHECK_EQ(heddle_wait_any(2, arrays, &which), HEDDLE_OK);
        while (!heddle_is_done(arrays[1])) nanosleep(&little, NULL);
        heddle_release(arrays[0]);
        heddle_release(arrays[1]);
        wait_calls(&n, i);
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[4];
    for (int t = 0; t < 4; t++) CHECK_EQ(pthread_create(&threads[t], NULL, wish, NULL), 0);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        nanosleep(&little, NULL);
    }
    for (int t = 0; t < 4; t++) pthread_join(threads[t], NULL);
}

/* ---- With tasks ------------------------------------------------------------------------------------------ */

static void test_in_flight(void)
{
    struct note n = {0};
    heddle_array *a = held(0);
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    CHECK(heddle_is_evaluated(a) && !heddle_is_done(a));
    CHECK_EQ(heddle_on_done(a, note, &n), HEDDLE_OK);
    for (int i = 0; i < 20; i++) nanosleep(&little, NULL);
    CHECK(!heddle_is_done(a));
    CHECK_EQ(atomic_load(&n.calls), 0);
    atomic_store(&may_go[0], true);
    wait_calls(&n, 1);
    CHECK(heddle_is_done(a));
    heddle_release(a);
}

static void *let_go(void *number)
{
    for (int i = 0; i < 20; i++) nanosleep(&little, NULL);
    atomic_store(&may_go[*(int *)number], true);
    return NULL;
}

/* One that is let go while others are held, and fail. */
static void test_first_of_several(void)
{
    pthread_t thread;
    int n_cpus = 0, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    if (n_cpus < 2) return;
    heddle_array *arrays[] = {held(0), held_at(1, heddle_cpu(1)), held_at(3, heddle_cpu(1))};
    int which = -1, number = 1, failing = 3;
    for (int i = 0; i < 3; i++) CHECK_EQ(heddle_eval(arrays[i]), HEDDLE_OK);
    CHECK_EQ(pthread_create(&thread, NULL, let_go, &number), 0);
    CHECK_EQ(heddle_wait_any(3, arrays, &which), HEDDLE_OK);
    pthread_join(thread, NULL);
    CHECK_EQ(which, 1);
    CHECK(!heddle_is_done(arrays[0]) && heddle_is_done(arrays[1]) && !heddle_is_done(arrays[2]));

    heddle_array *others[] = {arrays[0], arrays[2]};
    CHECK_EQ(pthread_create(&thread, NULL, let_go, &failing), 0);
    CHECK_EQ(heddle_wait_any(2, others, &which), HEDDLE_ERANGE);
    pthread_join(thread, NULL);
    CHECK_EQ(which, 1);
    CHECK_HAS(heddle_last_error(), "the function failed");
    CHECK(heddle_is_done(others[1]) && !heddle_is_done(others[0]));
    atomic_store(&may_go[0], true);
    CHECK_EQ(heddle_wait(arrays[0]), HEDDLE_OK);
    for (int i = 0; i < 3; i++) heddle_release(arrays[i]);
}

static void test_failing(void)
{
    struct note n = {0};
    heddle_array *a = held(3), *b = heddle_negative(a);
    CHECK_EQ(heddle_on_done(b, note, &n), HEDDLE_OK);
    atomic_store(&may_go[3], true);
    wait_calls(&n, 1);
    CHECK_EQ(atomic_load(&n.status), HEDDLE_ERANGE);
    heddle_release(a);
    heddle_release(b);
}

/* Shut-down completes the work; the function is called, then or later. */
static void test_shutdown(void)
{
    struct note n = {0};
    pthread_t thread;
    int number = 2;
    heddle_array *a = held(2);
    CHECK_EQ(heddle_on_done(a, note, &n), HEDDLE_OK);
    CHECK_EQ(pthread_create(&thread, NULL, let_go, &number), 0);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK(heddle_is_done(a));
    wait_calls(&n, 1);
    pthread_join(thread, NULL);
    heddle_release(a);
}

int main(int argc, char **argv)
{
    const bool tasks = argc > 1 && strcmp(argv[1], "tasks") == 0;
    static const struct heddle_config ways[] = {
        {.devices = "cpu", .cpu_workers = 4, .cpu_threads = 4, .inline_bytes = -1},
        {.devices = "cpu"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_EQ(machine_configure(&ways[i]), HEDDLE_OK);
        test_done();
        test_wait_any();
        test_on_done();
        test_many();
        test_chain();
        test_threads();
        if (tasks) {
            test_in_flight();
            if (i == 0) test_first_of_several();
            test_failing();
            test_shutdown();
        }
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    return check_done();
}
