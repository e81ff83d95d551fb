/* Proves what a child of fork() of a started runtime can do: read what is complete on the host, compute
 * small work, end by exit(); what needs the runtime fails with a code and does not hang, whatever was in
 * flight and whichever locks were held. That the parent is not disturbed, and that a child forked before
 * the start can start its own. */
#include "check.h"
#include "runtime/slow.h"

#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 100000, SOME = 5000, FEW = 100, N_THREADS = 3, N_FORKS = 60 };
static const int64_t shape[] = {N}, some_shape[] = {SOME}, few[] = {FEW};
static double out[N];

static int compute(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(1, shape), *s = heddle_sum(heddle_add(a, a));
    double sum = 0;
    const enum heddle_status status = heddle_read(s, &sum, sizeof sum);
    heddle_scope_close(scope);
    return status != HEDDLE_OK ? (int)status : sum == 2.0 * N ? 0 : -1;
}

/* Exit code of a child that runs `body`; minus the signal that ended it, SIGALRM when it hangs. */
static int in_child(int (*body)(void))
{
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        const int result = body();
        exit(result == 0 ? 0 : result == HEDDLE_EDEVICE ? 40 : 1); /* runs exit handlers */
    }
    int state = 0;
    waitpid(pid, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}

/* ---- With work in flight ---------------------------------------------------------------------------- */

static heddle_array *host, *complete, *parted, *some, *small, *in_flight, *of_it, *failed;
static struct heddle_part_view view;
static int second = 1000; /* ms */

static enum heddle_status fail(const struct heddle_part_view *in, void *to, void *user)
{
    (void)in, (void)to, (void)user;
    return HEDDLE_ERANGE;
}

static heddle_array *in_parts(heddle_array *a, int n)
{
    return heddle_distribute(a, &(struct heddle_distribution){.cut[0] = {HEDDLE_CUT_PARTS, n}});
}

static atomic_int n_told;

static void tell(heddle_array *a, enum heddle_status status, void *data)
{
    (void)a, (void)data;
    CHECK_EQ(status, HEDDLE_OK);
    atomic_fetch_add(&n_told, 1);
}

static void make_all(void)
{
    static double data[N];
    for (int i = 0; i < N; i++) data[i] = i;
    heddle_scope scope = heddle_scope_open();
    host = heddle_keep(heddle_asarray(data, HEDDLE_FLOAT64, 1, shape));
    complete = heddle_keep(heddle_add(host, host));
    parted = heddle_keep(in_parts(heddle_add(complete, host), 3));
    some = heddle_keep(heddle_add(heddle_ones(1, some_shape), heddle_scalar(1.0))); /* by tasks */
    heddle_array *first = heddle_scalar(1.0), *end = heddle_scalar(FEW + 1.0);
    small = heddle_keep(heddle_arange(first, end, NULL));
    failed = heddle_keep(heddle_map_parts(host, HEDDLE_FLOAT64, fail));
    in_flight = heddle_keep(slowed(host, &second));
    of_it = heddle_keep(heddle_sum(in_flight));
    CHECK_EQ(heddle_wait(complete), HEDDLE_OK);
    CHECK_EQ(heddle_wait(parted), HEDDLE_OK);
    CHECK_EQ(heddle_wait(some), HEDDLE_OK);
    CHECK_EQ(heddle_wait(small), HEDDLE_OK);
    CHECK_EQ(heddle_wait(failed), HEDDLE_ERANGE);
    CHECK_EQ(heddle_part_acquire(parted, 1, HEDDLE_ANYWHERE, &view), HEDDLE_OK);
    CHECK_EQ(heddle_eval_all(2, (heddle_array *const[]){in_flight, of_it}), HEDDLE_OK);
    atomic_store(&n_told, 0);
    CHECK_EQ(heddle_on_done(in_flight, tell, NULL), HEDDLE_OK);
    heddle_scope_close(scope);
}

static void check_reads(heddle_array *a, double factor)
{
    memset(out, 0, sizeof out);
    CHECK(heddle_read(a, out, sizeof out) == HEDDLE_OK, "%s", heddle_last_error());
    for (int i = 0; i < N; i += 999) CHECK_NUM(out[i], factor * i);
}

/* HEDDLE_EDEVICE, and why. */
static void check_refused(enum heddle_status status)
{
    CHECK_EQ(status, HEDDLE_EDEVICE);
    CHECK_HAS(heddle_last_error(), "fork");
}

/* What is in flight never will be done here. */
static void check_progress(void)
{
    const struct timespec ms = {0, 1000000};
    heddle_array *const flying[] = {in_flight, of_it}, *const some_done[] = {in_flight, complete};
    int which = -1;
    CHECK(heddle_is_evaluated(in_flight) && !heddle_is_done(in_flight));
    CHECK(heddle_is_done(complete) && heddle_is_done(failed) && heddle_is_done(host));
    check_refused(heddle_wait_any(2, flying, &which));
    CHECK_EQ(which, -1);
    CHECK_EQ(heddle_wait_any(2, some_done, &which), HEDDLE_OK);
    CHECK_EQ(which, 1);
    atomic_store(&n_told, 0);
    check_refused(heddle_on_done(in_flight, tell, NULL));
    CHECK_EQ(heddle_on_done(complete, tell, NULL), HEDDLE_OK);
    for (int i = 0; i < 5000 && atomic_load(&n_told) == 0; i++) nanosleep(&ms, NULL);
    CHECK_EQ(atomic_load(&n_told), 1); /* the parent's wishes are not ours */
}

static void check_small_work(void)
{
    heddle_scope scope = heddle_scope_open();
    double values[FEW], last = 0;
    heddle_array *twice = heddle_add(small, small);
    CHECK(heddle_read(twice, values, sizeof values) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK_NUM(values[FEW - 1], 2 * FEW);
    heddle_array *sum = heddle_sum(heddle_ones(1, few));
    CHECK_EQ(heddle_read(sum, &last, sizeof last), HEDDLE_OK);
    CHECK_NUM(last, FEW);
    heddle_array *end = heddle_negative(heddle_getitem(some, HEDDLE_INDEX(HEDDLE_AT(SOME - 1))));
    CHECK(heddle_read(end, &last, sizeof last) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK_NUM(last, -2);
    heddle_scope_close(scope);
}

static int with_work_in_flight(void)
{
    struct heddle_usage usage[4];
    struct heddle_statistics statistics;
    struct heddle_device devices[4];
    struct heddle_part_view other;
    char *text = NULL;
    double sum;
    int n = 0;
    check_reads(host, 1);
    check_reads(complete, 2);
    check_reads(parted, 3);
    check_small_work();
    check_refused(heddle_read(in_flight, out, sizeof out));
    check_refused(heddle_wait(in_flight));
    check_refused(heddle_read(of_it, &sum, sizeof sum));
    CHECK_EQ(heddle_wait(failed), HEDDLE_ERANGE);
    check_progress();
    CHECK_EQ(compute(), HEDDLE_EDEVICE);
    check_refused(heddle_start());
    check_refused(heddle_shutdown());
    check_refused(heddle_devices(4, devices, &n));
    CHECK_EQ(heddle_usage_get(4, usage, &n), HEDDLE_OK);
    CHECK_EQ(heddle_usage_text(&text), HEDDLE_OK);
    heddle_free(text);
    heddle_statistics_get(&statistics);
    CHECK(statistics.arrays_live >= 6);
    CHECK_NUM(((const double *)view.data)[0], 3.0 * (double)view.lo[0]);
    heddle_part_release(&view);
    CHECK(heddle_part_acquire(parted, 2, HEDDLE_ANYWHERE, &other) == HEDDLE_OK, "%s",
          heddle_last_error());
    CHECK_NUM(((const double *)other.data)[0], 3.0 * (double)other.lo[0]);
    heddle_part_release(&other);
    check_refused(heddle_part_acquire(in_flight, 0, HEDDLE_ANYWHERE, &other));
    heddle_array *const all[] = {host, complete, parted, some, small, in_flight, of_it, failed};
    for (int i = 0; i < 8; i++) heddle_release(all[i]);
    return atomic_load(&check_n_failed) > 0;
}

static void test_in_flight(void)
{
    const struct timespec ms = {0, 1000000};
    make_all();
    CHECK_EQ(in_child(with_work_in_flight), 0);
    double sum = 0;
    CHECK_EQ(heddle_read(of_it, &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, (double)N * (N - 1) / 2);
    for (int i = 0; i < 1000 && atomic_load(&n_told) == 0; i++) nanosleep(&ms, NULL);
    CHECK_EQ(atomic_load(&n_told), 1);
    heddle_part_release(&view);
    heddle_array *const all[] = {host, complete, parted, some, small, in_flight, of_it, failed};
    for (int i = 0; i < 8; i++) heddle_release(all[i]);
}

/* ---- While other threads are in Heddle -------------------------------------------------------------- */

static atomic_bool stop;

static void *work(void *unused)
{
    static _Thread_local double copy[N];
    (void)unused;
    while (!atomic_load(&stop)) {
        heddle_scope scope = heddle_scope_open();
        char *text = NULL;
        double one = 1;
        heddle_array *a = heddle_asarray(copy, HEDDLE_FLOAT64, 1, shape);
        CHECK_EQ(heddle_read(heddle_add(a, heddle_scalar(1.0)), copy, sizeof copy), HEDDLE_OK);
        CHECK_EQ(heddle_read(heddle_add(heddle_scalar(1.0), heddle_scalar(1.0)), &one, sizeof one),
                 HEDDLE_OK);
        CHECK_EQ(heddle_usage_text(&text), HEDDLE_OK);
        heddle_free(text);
        heddle_scope_close(scope);
    }
    return NULL;
}

static int a_little(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(out, HEDDLE_FLOAT64, 1, some_shape);
    heddle_array *end = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(0, 5)));
    double values[5];
    CHECK_EQ(heddle_read(heddle_negative(end), values, sizeof values), HEDDLE_OK);
    CHECK_EQ(compute(), HEDDLE_EDEVICE);
    heddle_scope_close(scope);
    return atomic_load(&check_n_failed) > 0;
}

static void test_busy(void)
{
    pthread_t threads[N_THREADS];
    for (int t = 0; t < N_THREADS; t++) pthread_create(&threads[t], NULL, work, NULL);
    for (int i = 0; i < N_FORKS; i++) CHECK_EQ(in_child(a_little), 0);
    atomic_store(&stop, true);
    for (int t = 0; t < N_THREADS; t++) pthread_join(threads[t], NULL);
}

/* ---- In a user's function ---------------------------------------------------------------------------- */

static int in_a_function(void)
{
    return heddle_start() == HEDDLE_EARG ? 0 : 1;
}

static enum heddle_status forks(const struct heddle_part_view *in, void *to, void *user)
{
    *(int *)user = in_child(in_a_function);
    memcpy(to, in->data, (size_t)in->shape[0] * sizeof(double));
    return HEDDLE_OK;
}

static void test_function(void)
{
    int code = -1;
    heddle_array *a = heddle_ones(1, shape);
    heddle_array *b = heddle_map_parts(a, HEDDLE_FLOAT64, forks, .user = &code);
    CHECK_EQ(heddle_wait(b), HEDDLE_OK);
    CHECK_EQ(code, 0);
    heddle_release(b);
    heddle_release(a);
}

int main(void)
{
    const struct heddle_config tasks = {.devices = "cpu", .inline_bytes = -1};
    const struct heddle_config both = {.devices = "cpu", .inline_bytes = 50000};
    CHECK_EQ(heddle_configure(&tasks), HEDDLE_OK);
    CHECK_EQ(in_child(compute), 0);
    CHECK_EQ(compute(), 0);
    CHECK_EQ(in_child(compute), 40);
    CHECK_EQ(compute(), 0);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(in_child(compute), 0);

    CHECK_EQ(heddle_configure(&both), HEDDLE_OK);
#ifndef __SANITIZE_ADDRESS__ /* its allocator's locks may be held by a thread that the child has not (GCC < 14) */
    test_in_flight();
    test_busy();
#endif
    test_function();
    CHECK_EQ(compute(), 0);
    return check_done();
}
