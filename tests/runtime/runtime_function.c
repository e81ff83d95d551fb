/* Proves that a function of the user's, or a deleter, that Heddle calls may call what records, asks and
 * releases, and that the calls that would wait for this very call are errors that name them. Over the
 * library, where a worker calls the functions, and alone, where the caller's thread does under the
 * evaluation lock. */
#include "check.h"
#include "machine/machine.h"

#include <heddle.h>
#include <pthread.h>
#include <time.h>

enum { N = 1000, N_PARTS = 3 };
static const int64_t shape[] = {N};
static atomic_int n_called;

static void check_refused(enum heddle_status status, const char *name)
{
    CHECK_EQ(status, HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), name);
}

static void check_refused_array(heddle_array *a, const char *name)
{
    CHECK_EQ(heddle_status_of(a), HEDDLE_EARG);
    CHECK_HAS(heddle_error(a), name);
}

static void try_life(void)
{
    int n = 0, m = 0;
    struct heddle_device devices[4];
    struct heddle_usage usage[4];
    struct heddle_traffic traffic[4];
    struct heddle_statistics statistics;
    char *text = NULL;
    check_refused(heddle_configure(NULL), "heddle_configure");
    check_refused(heddle_start(), "heddle_start");
    check_refused(heddle_shutdown(), "heddle_shutdown");
    check_refused(heddle_devices(4, devices, &n), "heddle_devices");
    check_refused(heddle_usage_get(4, usage, &n), "heddle_usage_get");
    check_refused(heddle_usage_text(&text), "heddle_usage_text");
    check_refused(heddle_traffic_get(4, traffic, &n), "heddle_traffic_get");
    check_refused(heddle_count_places(&n, &m), "heddle_count_places");
    heddle_statistics_get(&statistics);
    CHECK(statistics.arrays_live > 0);
    heddle_statistics_reset();
}

static void try_array(heddle_array *a)
{
    double out[N];
    struct heddle_part_info info;
    struct heddle_part_view view;
    char *text = NULL;
    int64_t n = 0;
    check_refused(heddle_eval(a), "heddle_eval");
    check_refused(heddle_eval_all(1, &a), "heddle_eval_all");
    check_refused(heddle_wait(a), "heddle_wait");
    check_refused(heddle_read(a, out, sizeof out), "heddle_read");
    check_refused(heddle_save(a, "function.npy"), "heddle_save");
    check_refused(heddle_explain(a, HEDDLE_EXPLAIN_PLAN, &text), "heddle_explain");
    check_refused(heddle_explain(a, HEDDLE_EXPLAIN_RUN, &text), "heddle_explain");
    check_refused(heddle_explain(a, HEDDLE_EXPLAIN_DOT, &text), "heddle_explain");
    check_refused(heddle_format(a, 0, &text), "heddle_eval");
    check_refused(heddle_count_parts(a, &n), "heddle_count_parts");
    check_refused(heddle_part(a, 0, &info), "heddle_part:");
    check_refused(heddle_part_acquire(a, 0, HEDDLE_ANYWHERE, &view), "heddle_part_acquire");
    check_refused(heddle_parts_text(a, &text), "heddle_count_parts");
    CHECK_EQ(heddle_ndim(a), 1);
}

static void try_making(heddle_array *a)
{
    static double data[N];
    const struct heddle_part_source part = {.data = data, .place = heddle_cpu(0), .extent = N};
    heddle_scope scope = heddle_scope_open();
    check_refused_array(heddle_to(a, heddle_cpu(0)), "heddle_to");
    check_refused_array(heddle_distribute_like(a, a), "heddle_distribute_like");
    check_refused_array(heddle_from_parts(1, &part, 0, HEDDLE_FLOAT64, 1, shape),
                        "heddle_from_parts");
    heddle_array *more = heddle_add(a, heddle_asarray(data, HEDDLE_FLOAT64, 1, shape));
    CHECK_EQ(heddle_status_of(more), HEDDLE_OK); /* recorded */
    heddle_scope_close(scope);
}

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* `data` */

static enum heddle_status try_all(const struct heddle_part_view *in, void *out, void *user)
{
    pthread_mutex_lock(&one_at_a_time);
    try_life();
    try_array(user);
    try_making(user);
    pthread_mutex_unlock(&one_at_a_time);
    memset(out, 0, (size_t)in->shape[0] * sizeof(double));
    atomic_fetch_add(&n_called, 1);
    return HEDDLE_OK;
}

static void try_as_deleter(void *user)
{
    try_life();
    try_array(user);
    try_making(user);
    heddle_release(user);
    atomic_fetch_add(&n_called, 1);
}

static heddle_array *lazy(void)
{
    heddle_array *ones = heddle_ones(1, shape), *a = heddle_add(ones, ones);
    heddle_release(ones);
    return a;
}

static void wait_called(int n)
{
    const struct timespec ms = {0, 1000000};
    for (int i = 0; i < 5000 && atomic_load(&n_called) < n; i++) nanosleep(&ms, NULL);
    CHECK_EQ(atomic_load(&n_called), n);
}

static void test_function(void)
{
    atomic_store(&n_called, 0);
    heddle_array *other = lazy(), *a = lazy();
    const struct heddle_distribution parts = {.cut[0] = {HEDDLE_CUT_PARTS, N_PARTS}};
    heddle_array *d = heddle_distribute(a, &parts);
    heddle_array *b = heddle_map_parts(d, HEDDLE_FLOAT64, try_all, .user = other);
    CHECK(heddle_wait(b) == HEDDLE_OK, "%s", heddle_error(b));
    CHECK_EQ(atomic_load(&n_called), N_PARTS);
    CHECK_EQ(heddle_wait(other), HEDDLE_OK);
    heddle_array *const all[] = {other, a, d, b};
    for (int i = 0; i < 4; i++) heddle_release(all[i]);
}

static void test_deleter(void)
{
    static double data[N];
    atomic_store(&n_called, 0);
    for (int i = 0; i < 3; i++) {
        heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT64, 1, shape, .borrow = true,
                                         .deleter = try_as_deleter, .user = lazy());
        heddle_array *b = heddle_negative(a);
        if (i > 0) CHECK_EQ(heddle_eval(b), HEDDLE_OK);
        if (i > 1) CHECK_EQ(heddle_wait(b), HEDDLE_OK);
        heddle_release(a);
        heddle_release(b);
        wait_called(i + 1);
    }
}

int main(void)
{
    static const struct heddle_config ways[] = {
        {.devices = "cpu", .inline_bytes = -1},
        {.devices = "cpu"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_EQ(machine_configure(&ways[i]), HEDDLE_OK);
        test_function();
        test_deleter();
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    return check_done();
}
