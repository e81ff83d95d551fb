/* Proves that heddle_shutdown in one thread disturbs nobody: others start, evaluate, read, wait, look at
 * parts, count and release meanwhile, and get what they asked for. `runtime_shutdown 10000` goes on for
 * so many rounds in all; without a number there are a few. */
#include "check_heddle.h"
#include "machine/machine.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { N_THREADS = 8, N = 1 << 15, N_SHARED = 16 };
static const int64_t shape[] = {N};
static heddle_array *shared[N_SHARED];
static atomic_bool stop;
static atomic_llong n_done[N_THREADS];

/* Evaluates, drops before it is done, reads. */
static void compute(int64_t k, double *out)
{
    heddle_array *ones = heddle_ones(1, shape);
    heddle_array *a = heddle_add(ones, heddle_scalar((double)(k % 100)));
    heddle_array *dropped = heddle_multiply(a, a);
    CHECK_EQ(heddle_eval(dropped), HEDDLE_OK);
    CHECK(heddle_read(a, out, N * sizeof *out) == HEDDLE_OK, "%s", heddle_error(a));
    CHECK_NUM(out[0], 1.0 + (double)(k % 100));
    CHECK_NUM(out[N - 1], 1.0 + (double)(k % 100));
}

/* Chains: what was computed before a shut-down is used after it. */
static _Thread_local heddle_array *sum;
static _Thread_local double expected;

static void chain(int64_t k, double *out)
{
    heddle_array *one = heddle_ones(1, shape);
    heddle_array *next = heddle_keep(sum ? heddle_add(sum, one) : one);
    heddle_release(sum);
    sum = next;
    expected++;
    CHECK(heddle_wait(sum) == HEDDLE_OK, "%s", heddle_error(sum));
    if (k % 4) return;
    CHECK(heddle_read(sum, out, N * sizeof *out) == HEDDLE_OK, "%s", heddle_error(sum));
    CHECK_NUM(out[N / 2], expected);
}

static void look_at_parts(int64_t k, double *out)
{
    (void)out;
    struct heddle_distribution rows = {.cut[0] = {HEDDLE_CUT_PARTS, 4}};
    struct heddle_part_view view;
    struct heddle_part_info info;
    int64_t n = 0;
    heddle_array *d = heddle_distribute(shared[k % N_SHARED], &rows);
    heddle_array *a = heddle_add(d, heddle_scalar(1.0));
    CHECK_EQ(heddle_count_parts(a, &n), HEDDLE_OK);
    CHECK_EQ(heddle_part(a, n - 1, &info), HEDDLE_OK);
    CHECK(heddle_part_acquire(a, n - 1, HEDDLE_ANYWHERE, &view) == HEDDLE_OK, "%s",
          heddle_last_error());
    CHECK_NUM(((const double *)view.data)[0], (double)(k % N_SHARED) + 2);
    heddle_part_release(&view);
    if (k % 8) return;
    char *text = NULL;
    CHECK_EQ(heddle_parts_text(a, &text), HEDDLE_OK);
    heddle_free(text);
}

static void count(int64_t k, double *out)
{
    (void)out;
    struct heddle_usage usage[8];
    struct heddle_traffic traffic[8];
    struct heddle_statistics statistics;
    char *text = NULL;
    int n = 0;
    CHECK_EQ(heddle_usage_get(8, usage, &n), HEDDLE_OK);
    CHECK_EQ(heddle_traffic_get(8, traffic, &n), HEDDLE_OK);
    heddle_statistics_get(&statistics);
    CHECK_EQ(heddle_usage_text(&text), HEDDLE_OK);
    heddle_free(text);
    heddle_array *a = heddle_sqrt(shared[k % N_SHARED]);
    CHECK_EQ(heddle_explain(a, k % 2 ? HEDDLE_EXPLAIN_RUN : HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
    heddle_free(text);
}

static void start(int64_t k, double *out)
{
    struct heddle_device devices[8];
    int n = 0;
    CHECK_EQ(heddle_start(), HEDDLE_OK);
    CHECK_EQ(heddle_devices(8, devices, &n), HEDDLE_OK);
    CHECK(n > 0);
    CHECK(heddle_read(shared[k % N_SHARED], out, N * sizeof *out) == HEDDLE_OK);
    CHECK_NUM(out[7], (double)(k % N_SHARED) + 1);
}

static void *work(void *argument)
{
    static void (*const kinds[])(int64_t k, double *out) = {compute, chain, look_at_parts,
                                                            count,   start, compute};
    const int id = *(const int *)argument;
    double *out = malloc(N * sizeof *out);
    for (int64_t k = id; !atomic_load(&stop); k++) {
        heddle_scope scope = heddle_scope_open();
        kinds[(size_t)id % (sizeof kinds / sizeof *kinds)](k, out);
        heddle_scope_close(scope);
        atomic_fetch_add(&n_done[id], 1);
    }
    heddle_release(sum);
    free(out);
    return NULL;
}

static void make_shared(void)
{
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < N_SHARED; i++)
        shared[i] = heddle_keep(heddle_add(heddle_ones(1, shape), heddle_scalar((double)i)));
    heddle_scope_close(scope);
}

/* Waits until each thread has done something since. */
static void let_them_work(void)
{
    const struct timespec little = {0, 100000};
    long long before[N_THREADS];
    for (int t = 0; t < N_THREADS; t++) before[t] = atomic_load(&n_done[t]);
    for (int t = 0; t < N_THREADS; t++)
        while (atomic_load(&n_done[t]) == before[t]) nanosleep(&little, NULL);
}

static void storm(const struct heddle_config *config, int rounds)
{
    pthread_t threads[N_THREADS];
    int ids[N_THREADS], refused = 0;
    CHECK_EQ(machine_configure(config), HEDDLE_OK);
    make_shared();
    atomic_store(&stop, false);
    for (int t = 0; t < N_THREADS; t++) {
        ids[t] = t;
        CHECK_EQ(pthread_create(&threads[t], NULL, work, &ids[t]), 0);
    }
    for (int i = 0; i < rounds; i++) {
        const enum heddle_status status = heddle_shutdown();
        refused += status == HEDDLE_EARG; /* a view is held at this moment */
        CHECK(status == HEDDLE_OK || status == HEDDLE_EARG, "%s", heddle_last_error());
        if (i % 8 == 0) let_them_work();
    }
    atomic_store(&stop, true);
    for (int t = 0; t < N_THREADS; t++) pthread_join(threads[t], NULL);
    for (int i = 0; i < N_SHARED; i++) heddle_release(shared[i]);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK(refused < rounds, "%d of %d", refused, rounds);
    fprintf(stderr, "%d shut-downs, %d of them refused\n", rounds, refused);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) / 2 : 40;
    static const struct heddle_config ways[] = {
        {.devices = "cpu", .cpu_workers = 2, .inline_bytes = -1},
        {.devices = "cpu", .inline_bytes = 1 << 17, .partition = "3"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) storm(&ways[i], rounds);
    return check_done();
}
