/* Proves that devices' tasks, times and memory are counted and reset, that an evaluation is explained
 * by what it did, and that submission waits when max_tasks are in flight. The kernel can be held up:
 * it is diverted by the linker. */
#include "check.h"

#include "run/execute.h"

#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { N = 1 << 16 };
static const int64_t shape[] = {N};
static const struct timespec ms = {0, 1000000};
static atomic_int held;    /* kernels wait while it is 1 */
static atomic_int n_calls; /* kernels begun */

enum heddle_status __real_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context);
enum heddle_status __wrap_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context);
enum heddle_status __wrap_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context)
{
    atomic_fetch_add(&n_calls, 1);
    while (atomic_load(&held)) nanosleep(&ms, NULL);
    nanosleep(&ms, NULL); /* each task takes a known time at least */
    return __real_heddle__call_cpu(call, context);
}

static heddle_array *numbers(void)
{
    static double data[N];
    for (int i = 0; i < N; i++) data[i] = i;
    return heddle_asarray(data, HEDDLE_FLOAT64, 1, shape);
}

static struct heddle_usage total(void)
{
    struct heddle_usage usage[8], all = {.tasks = 0};
    int n = -1;
    CHECK_EQ(heddle_usage_get(8, usage, &n), HEDDLE_OK);
    for (int i = 0; i < n && i < 8; i++) {
        all.tasks += usage[i].tasks;
        all.busy_seconds += usage[i].busy_seconds;
        all.predicted_seconds += usage[i].predicted_seconds;
        all.idle_seconds += usage[i].idle_seconds;
        if (usage[i].peak_bytes > all.peak_bytes) all.peak_bytes = usage[i].peak_bytes;
    }
    return all;
}

static void test_counts(void)
{
    struct heddle_usage usage[8];
    int n = -1;
    CHECK_EQ(heddle_usage_get(8, usage, &n), HEDDLE_OK);
    CHECK_EQ(n, 0); /* nothing is up yet */
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(), *b = heddle_exp(heddle_negative(a));
    CHECK_EQ(heddle_wait(b), HEDDLE_OK);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK); /* the counts stay */

    struct heddle_usage all = total();
    CHECK_EQ(all.tasks, 4);
    CHECK(all.busy_seconds >= 0.004 && all.busy_seconds < 10, "%g", all.busy_seconds);
    CHECK(all.predicted_seconds > 0 && all.predicted_seconds < 10, "%g", all.predicted_seconds);
    CHECK(all.idle_seconds > 0, "%g", all.idle_seconds);
    CHECK(all.peak_bytes >= 2 * N * 8 && all.peak_bytes < 64 << 20, "%lld",
          (long long)all.peak_bytes);
    CHECK_EQ(heddle_usage_get(1, usage, &n), HEDDLE_OK);
    CHECK_STR(usage[0].name, "cpu:0");
    CHECK_EQ(usage[0].place, heddle_cpu(0));

    heddle_statistics_reset();
    CHECK_EQ(heddle_usage_get(8, usage, &n), HEDDLE_OK);
    CHECK_EQ(n, 0);
    CHECK_EQ(heddle_start(), HEDDLE_OK);
    CHECK_EQ(heddle_usage_get(8, usage, &n), HEDDLE_OK);
    CHECK(n >= 1);
    CHECK_EQ(total().tasks, 0);
    CHECK_EQ(heddle_usage_get(0, NULL, &n), HEDDLE_OK);
    CHECK_EQ(heddle_usage_get(1, NULL, &n), HEDDLE_EARG);
    CHECK_EQ(heddle_usage_get(8, usage, NULL), HEDDLE_EARG);
    CHECK_EQ(heddle_traffic_get(0, NULL, &n), HEDDLE_OK); /* CPUs share the host's memory */
    CHECK_EQ(n, 0);
    CHECK_EQ(heddle_traffic_get(-1, NULL, &n), HEDDLE_EARG);
    heddle_scope_close(scope);
}

static void test_explain(void)
{
    heddle_scope scope = heddle_scope_open();
    char *text = NULL;
    heddle_array *a = numbers(), *b = heddle_exp(a);
    CHECK_EQ(heddle_eval(heddle_add(a, a)), HEDDLE_OK); /* not waited for, and not counted */
    CHECK_EQ(heddle_explain(b, HEDDLE_EXPLAIN_RUN, &text), HEDDLE_OK);
    CHECK(heddle_is_evaluated(b));
    CHECK_HAS(text, "plan: 1 steps, 4 tasks");
    CHECK_HAS(text, "ran: 4 tasks on devices");
    CHECK_HAS(text, "cpu:0");
    CHECK_HAS(text, "predicted ms");
    heddle_free(text);
    CHECK_EQ(heddle_explain(b, HEDDLE_EXPLAIN_RUN, &text), HEDDLE_OK);
    CHECK_HAS(text, "nothing to do");
    CHECK_HAS(text, "ran: 0 tasks");
    heddle_free(text);
    CHECK_EQ(heddle_usage_text(&text), HEDDLE_OK);
    CHECK_HAS(text, "ran: 8 tasks");
    heddle_free(text);
    CHECK_EQ(heddle_usage_text(NULL), HEDDLE_EARG);
    heddle_scope_close(scope);
}

static atomic_int submitted;

static void *submit(void *array)
{
    CHECK_EQ(heddle_eval(array), HEDDLE_OK);
    atomic_store(&submitted, 1);
    return NULL;
}

/* 64 tasks, of which `max_tasks` may be in flight: whether heddle_eval returns before one is done. */
static void check_throttle(int max_tasks, bool returns)
{
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){
                 .devices = "cpu", .partition = "64", .inline_bytes = -1, .max_tasks = max_tasks}),
             HEDDLE_OK);
    CHECK_EQ(heddle_start(), HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = heddle_exp(numbers());
    pthread_t thread;
    atomic_store(&n_calls, 0);
    atomic_store(&submitted, 0);
    atomic_store(&held, 1);
    CHECK_EQ(pthread_create(&thread, NULL, submit, b), 0);
    for (int i = 0; i < 10000 && !(returns ? atomic_load(&submitted) : atomic_load(&n_calls)); i++)
        nanosleep(&ms, NULL);
    for (int i = 0; i < 100; i++) nanosleep(&ms, NULL);
    CHECK_EQ(atomic_load(&submitted), returns);
    atomic_store(&held, 0);
    pthread_join(thread, NULL);
    CHECK_EQ(heddle_wait(b), HEDDLE_OK);
    CHECK_EQ(atomic_load(&n_calls), 64);
    heddle_scope_close(scope);
}

int main(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){
                 .devices = "cpu", .cpu_workers = 2, .partition = "4", .inline_bytes = -1}),
             HEDDLE_OK);
    test_counts();
    test_explain();
    check_throttle(8, false);
    check_throttle(1000, true);
    return check_done();
}
