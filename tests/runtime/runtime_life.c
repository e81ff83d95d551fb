/* Proves that memory is let go of exactly once and not too early, that arrays survive shut-down and
 * restart, that nothing is left at the end, and that an idle runtime uses no processor. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { N = 1 << 18 };
static const int64_t shape[] = {N};
static atomic_int n_deleted;

static void deleter(void *user)
{
    double *data = user;
    for (int i = 0; i < N; i++) data[i] = -1e300; /* whoever still reads it computes nonsense */
    free(data);
    atomic_fetch_add(&n_deleted, 1);
}

static heddle_array *borrowed(double value)
{
    double *data = malloc(N * sizeof *data);
    for (int i = 0; data && i < N; i++) data[i] = value + i;
    return heddle_asarray(data, HEDDLE_FLOAT64, 1, shape, .borrow = true, .deleter = deleter,
                          .user = data);
}

static void wait_deleted(int n)
{
    const struct timespec ms = {0, 1000000};
    for (int i = 0; i < 5000 && atomic_load(&n_deleted) < n; i++) nanosleep(&ms, NULL);
    CHECK_EQ(atomic_load(&n_deleted), n);
}

/* The input is released while tasks that read it are in flight. */
static void test_borrowed(void)
{
    atomic_store(&n_deleted, 0);
    for (int i = 0; i < 20; i++) {
        heddle_array *a = borrowed(i), *b = heddle_add(a, a);
        CHECK_EQ(heddle_eval(b), HEDDLE_OK);
        heddle_release(a);
        static double out[N];
        CHECK_EQ(heddle_read(b, out, sizeof out), HEDDLE_OK);
        for (int k = 0; k < N; k += 1001) CHECK_NUM(out[k], 2.0 * (i + k));
        heddle_release(b);
    }
    wait_deleted(20);
}

static void test_restart(void)
{
    atomic_store(&n_deleted, 0);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = borrowed(1), *b = heddle_multiply(a, a), *s = heddle_sum(b);
    CHECK_EQ(heddle_wait(b), HEDDLE_OK);
    CHECK_EQ(heddle_eval(s), HEDDLE_OK); /* not waited for */
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&n_deleted), 0);
    static double out[N];
    double sum = 0, before;
    CHECK_EQ(heddle_read(b, out, sizeof out), HEDDLE_OK);
    for (int k = 0; k < N; k += 1001) CHECK_NUM(out[k], (1.0 + k) * (1.0 + k));
    CHECK_EQ(heddle_read(s, &before, sizeof before), HEDDLE_OK);

    heddle_array *again = heddle_sum(heddle_add(b, heddle_scalar(0)));
    CHECK_EQ(heddle_read(again, &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, before);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_read(again, &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, before);
    heddle_scope_close(scope);
    wait_deleted(1);
}

static double cpu_ms(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-3;
}

static void test_idle(void)
{
    heddle_array *a = borrowed(0), *b = heddle_add(a, a);
    CHECK_EQ(heddle_wait(b), HEDDLE_OK);
    const struct timespec settle = {0, 50000000}, idle = {0, 300000000};
    nanosleep(&settle, NULL);
    const double before = cpu_ms();
    nanosleep(&idle, NULL);
    const double used = cpu_ms() - before;
    CHECK(used < 30, "%.1f ms of 300", used);
    heddle_array *c = heddle_add(b, b);
    CHECK_EQ(heddle_wait(c), HEDDLE_OK); /* it wakes up */
    heddle_release(a);
    heddle_release(b);
    heddle_release(c);
}

/* Small plans run on the caller's thread; that they read what the workers made does not keep these spinning. */
static void test_idle_beside_small(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu", .inline_bytes = 1 << 16}),
             HEDDLE_OK);
    heddle_array *a = borrowed(0), *b = heddle_add(a, a);
    CHECK_EQ(heddle_wait(b), HEDDLE_OK);
    heddle_statistics_reset();
    double before = 0;
    for (int i = 0; i < 300; i++) {
        double sum = 0;
        if (i == 50) before = cpu_ms();
        heddle_scope scope = heddle_scope_open();
        heddle_array *few = heddle_getitem(b, HEDDLE_INDEX(HEDDLE_SLICE(i, i + 2)));
        CHECK_EQ(heddle_read(heddle_sum(few), &sum, sizeof sum), HEDDLE_OK);
        CHECK_NUM(sum, 4 * i + 2);
        heddle_scope_close(scope);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    const double used = cpu_ms() - before;
    CHECK(used < 120, "%.1f ms of 250", used);
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    CHECK(s.inline_programs >= 300, "%lld", (long long)s.inline_programs);
    heddle_release(a);
    heddle_release(b);
    check_nothing_left();
}

int main(void)
{
    static const struct heddle_config ways[] = {
        {.devices = "cpu", .inline_bytes = -1},
        {.devices = "cpu", .inline_bytes = -1, .partition = "3"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_EQ(heddle_configure(&ways[i]), HEDDLE_OK);
        test_borrowed();
        test_restart();
        test_idle();
        check_nothing_left();
    }
    test_idle_beside_small();
    return check_done();
}
