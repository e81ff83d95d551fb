/* Direct launches: plans whose data are all on one GPU, and how they and StarPU share data. Needs a
 * GPU (else skipped; HEDDLE_REQUIRE_GPU makes that a failure). */
#include "check_heddle.h"

#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>

static int64_t n_direct(void)
{
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    return s.gpu_direct;
}

static int n_gpus(void)
{
    struct heddle_device devices[64];
    int n = 0, gpus = 0;
    if (heddle_devices(64, devices, &n) != HEDDLE_OK) return 0;
    for (int i = 0; i < n && i < 64; i++) gpus += devices[i].used && devices[i].name[0] == 'g';
    return gpus;
}

static heddle_array *range(int64_t n)
{
    return heddle_arange(heddle_scalar((double)n), NULL, NULL, .dtype = HEDDLE_FLOAT64);
}

static void check_range(heddle_array *a, int64_t n, double scale, double plus)
{
    double *got = malloc((size_t)n * sizeof *got);
    CHECK(heddle_read(a, got, n * (int64_t)sizeof *got) == HEDDLE_OK, "%s", heddle_last_error());
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) wrong += got[i] != scale * (double)i + plus;
    CHECK_EQ(wrong, 0);
    free(got);
}

static heddle_array *ready(heddle_array *a)
{
    CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    return a;
}

/* A chain of evaluations that never leaves the GPU, of sizes around the reading limit. */
static void test_chain(int64_t n)
{
    enum { LARGE = 1 << 20 };
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = ready(range(n));
    const int64_t before = n_direct();
    for (int i = 0; i < 5; i++) {
        a = heddle_add(a, heddle_scalar(1.0));
        CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    }
    if (n >= LARGE)
        CHECK_EQ(n_direct(), before + 5); /* what is small the caller's thread computes */
    check_range(a, n, 1, 5);
    heddle_array *twice = heddle_multiply(a, heddle_scalar(2.0)); /* after StarPU knows of a */
    check_range(twice, n, 2, 10);
    double sum = 0;
    CHECK_EQ(heddle_read(heddle_sum(a), &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, (double)n * ((double)n - 1) / 2 + 5 * (double)n);
    heddle_scope_close(scope);
}

/* An expression of many scalars. */
static void test_constants(void)
{
    enum { N = 1 << 20, MANY = 100 };
    double sum = 0;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = ready(range(N));
    const int64_t before = n_direct();
    for (int i = 0; i < MANY; i++) {
        a = heddle_add(a, heddle_scalar((double)i));
        sum += i;
    }
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    CHECK_EQ(n_direct(), before + 1);
    check_range(a, N, 1, sum);
    heddle_scope_close(scope);
}

/* What StarPU brought to the GPU is used there, and goes when it is released in the middle. */
static void test_lease(void)
{
    enum { N = 3 << 20 };
    double *data = malloc(N * sizeof *data);
    for (int64_t i = 0; i < N; i++) data[i] = (double)i;
    for (int round = 0; round < 20; round++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *host = heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(N));
        heddle_array *a = heddle_keep(heddle_add(host, heddle_scalar(1.0)));
        CHECK_EQ(heddle_eval(a), HEDDLE_OK); /* through StarPU */
        if (round % 2) CHECK_EQ(heddle_wait(a), HEDDLE_OK);
        heddle_array *b = heddle_keep(heddle_add(a, a));
        CHECK_EQ(heddle_eval(b), HEDDLE_OK);
        heddle_array *c = heddle_keep(heddle_subtract(heddle_add(host, b), a));
        CHECK_EQ(heddle_eval(c), HEDDLE_OK);
        heddle_release(a); /* while the GPU may still read it */
        heddle_release(b);
        heddle_scope_close(scope);
        check_range(c, N, 2, 1);
        heddle_release(c);
    }
    free(data);
}

/* Memory that is let go serves the next array, and no reader sees it change. */
static void test_reuse(void)
{
    enum { N = 1 << 20, KEPT = 4, ROUNDS = 200 };
    heddle_array *kept[KEPT] = {NULL};
    double from[KEPT] = {0};
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_keep(ready(range(N)));
    heddle_scope_close(scope);
    for (int i = 0; i < ROUNDS; i++) {
        scope = heddle_scope_open();
        const int at = (i * 7) % KEPT;
        heddle_array *next = heddle_keep(heddle_add(a, heddle_scalar((double)i)));
        CHECK_EQ(heddle_eval(next), HEDDLE_OK);
        heddle_release(kept[at]);
        kept[at] = next;
        from[at] = i;
        heddle_scope_close(scope);
    }
    for (int k = 0; k < KEPT; k++) {
        check_range(kept[k], N, 1, from[k]);
        heddle_release(kept[k]);
    }
    heddle_release(a);
}

/* Direct launches among tasks of StarPU's: arrays in parts, on the CPU, distributed. */
static void test_mixed(void)
{
    enum { N = 1 << 20 };
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = ready(range(N));
    heddle_array *cut = heddle_distribute(
        a, &(struct heddle_distribution){.cut[0] = {.kind = HEDDLE_CUT_PARTS, .n = 3}});
    heddle_array *b = heddle_add(cut, a);
    CHECK_EQ(heddle_eval(b), HEDDLE_OK);
    heddle_array *c = heddle_multiply(a, heddle_scalar(3.0));
    CHECK_EQ(heddle_eval(c), HEDDLE_OK);
    check_range(heddle_add(b, c), N, 5, 0);
    check_range(heddle_subtract(c, a), N, 2, 0);
    heddle_array *view = heddle_reshape(c, HEDDLE_SHAPE(N / 4, 4));
    check_range(heddle_reshape(heddle_add(view, view), HEDDLE_SHAPE(N)), N, 6, 0);
    struct heddle_part_view part;
    CHECK_EQ(heddle_part_acquire(c, 0, HEDDLE_ANYWHERE, &part), HEDDLE_OK);
    heddle_part_release(&part);
    check_range(c, N, 3, 0);
    heddle_scope_close(scope);
}

/* Shut-down brings home what only direct launches know of. */
static void test_shutdown(void)
{
    enum { N = 1 << 19 };
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = ready(range(N));
    heddle_array *b = heddle_add(a, heddle_scalar(1.0));
    CHECK_EQ(heddle_eval(b), HEDDLE_OK);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    check_range(b, N, 1, 1);
    check_range(heddle_add(a, b), N, 2, 1);
    heddle_scope_close(scope);
}

static void *run_thread(void *argument)
{
    enum { N = 1 << 18, ROUNDS = 50 };
    const double own = *(const double *)argument;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_keep(ready(heddle_add(range(N), heddle_scalar(own))));
    heddle_scope_close(scope);
    for (int i = 0; i < ROUNDS; i++) {
        scope = heddle_scope_open();
        heddle_array *next = heddle_keep(heddle_add(a, heddle_scalar(1.0)));
        CHECK_EQ(heddle_eval(next), HEDDLE_OK);
        heddle_release(a);
        a = next;
        heddle_scope_close(scope);
    }
    check_range(a, N, 1, own + ROUNDS);
    heddle_release(a);
    return NULL;
}

static void test_threads(void)
{
    enum { N = 4 };
    pthread_t threads[N];
    double own[N];
    for (int i = 0; i < N; i++) {
        own[i] = 1000.0 * i;
        CHECK_EQ(pthread_create(&threads[i], NULL, run_thread, &own[i]), 0);
    }
    for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
}

/* With nothing for the caller's thread all goes through StarPU. */
static void test_off(void)
{
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "gpu:0", .inline_bytes = -1}),
             HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    const int64_t before = n_direct();
    check_range(heddle_add(ready(range(1000)), heddle_scalar(1.0)), 1000, 1, 1);
    CHECK_EQ(n_direct(), before);
    heddle_scope_close(scope);
}

int main(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu,gpu:0"}), HEDDLE_OK);
    if (n_gpus() == 0) {
        printf("no GPU: %s\n", heddle_last_error());
        return getenv("HEDDLE_REQUIRE_GPU") ? 1 : 77;
    }
    heddle_shutdown();
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "gpu:0"}), HEDDLE_OK);
    test_chain(0);
    test_chain(1);
    test_chain(1000);
    test_chain((1 << 17) + 1);
    test_chain(3 << 20);
    test_constants();
    test_lease();
    test_reuse();
    test_mixed();
    test_threads();
    test_shutdown();
    test_off();
    check_nothing_left();
    return check_done();
}
