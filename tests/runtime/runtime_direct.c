/* Direct launches: plans whose data are where their tasks run, on one GPU or on several, and how they
 * and StarPU share data. Needs a GPU (else skipped; HEDDLE_TEST_GPU makes that a failure). */
#include "check_heddle.h"

#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEVERAL = 8 };

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

/* Shut-down brings home what only direct launches know of: `x` is 0, 1, ..., n - 1. */
static void check_shutdown(heddle_array *x, int64_t n)
{
    heddle_array *a = ready(x);
    heddle_array *b = heddle_add(a, heddle_scalar(1.0));
    CHECK_EQ(heddle_eval(b), HEDDLE_OK);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    check_range(b, n, 1, 1);
    check_range(heddle_add(a, b), n, 2, 1);
}

static void test_shutdown(void)
{
    enum { N = 1 << 19 };
    heddle_scope scope = heddle_scope_open();
    check_shutdown(range(N), N);
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

/* ---- Several GPUs ---------------------------------------------------------------------------------------- */

static int n_several; /* GPUs */

/* In parts of unlike sizes, one of them empty, over all GPUs. */
static heddle_array *over_gpus(heddle_array *a)
{
    int64_t sizes[MAX_SEVERAL + 1], left = heddle_shape(a)[0];
    heddle_place places[MAX_SEVERAL + 1];
    for (int i = 0; i <= n_several; i++) {
        sizes[i] = i == n_several ? left : i == 1 ? 0 : left / (n_several + 1 - i) + i;
        if (sizes[i] > left) sizes[i] = left;
        left -= sizes[i];
        places[i] = heddle_gpu(i > 0 ? i - 1 : 0);
    }
    return heddle_distribute(
        a, &(struct heddle_distribution){.cut[0] = {HEDDLE_CUT_SIZES, n_several + 1, sizes},
                                         .n_places = n_several + 1,
                                         .places = places});
}

static heddle_array *smooth(heddle_array *u)
{
    heddle_array *inner = heddle_add(heddle_getitem(u, HEDDLE_INDEX(HEDDLE_TO(-2))),
                                     heddle_getitem(u, HEDDLE_INDEX(HEDDLE_FROM(2))));
    return heddle_set_item(u, HEDDLE_INDEX(HEDDLE_SLICE(1, -1)),
                           heddle_multiply(inner, heddle_scalar(0.5)));
}

/* Halos go from GPU to GPU behind what makes them: many steps, none waited for, against one GPU. */
static void test_halos(int64_t n, bool in_place)
{
    enum { STEPS = 40 };
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_sin(range(n));
    double *expected = malloc((size_t)n * sizeof *expected), *got = malloc((size_t)n * sizeof *got);
    for (int several = 0; several < 2; several++) {
        heddle_array *u = heddle_keep(several ? over_gpus(x) : heddle_to(x, heddle_gpu(0)));
        CHECK_EQ(heddle_wait(u), HEDDLE_OK);
        const int64_t before = n_direct();
        for (int i = 0; i < STEPS; i++) {
            heddle_scope inner = heddle_scope_open();
            heddle_array *next = heddle_keep(smooth(u));
            if (in_place) heddle_release(u);
            CHECK_EQ(heddle_eval(next), HEDDLE_OK);
            if (!in_place) heddle_release(u);
            u = next;
            heddle_scope_close(inner);
        }
        CHECK(n_direct() >= before + STEPS, "%lld of %d steps were launched directly",
              (long long)(n_direct() - before), STEPS);
        CHECK_EQ(heddle_read(u, several ? got : expected, n * (int64_t)sizeof *got), HEDDLE_OK);
        heddle_release(u);
    }
    CHECK(memcmp(got, expected, (size_t)n * sizeof *got) == 0,
          "%lld elements differ from one GPU's", (long long)n);
    free(expected);
    free(got);
    heddle_scope_close(scope);
}

/* Elementwise, reductions, and what StarPU does in between; parts are let go while they are in use. */
static void test_several(int64_t n)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_keep(over_gpus(range(n)));
    CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    const int64_t before = n_direct();
    for (int i = 0; i < 20; i++) {
        heddle_scope inner = heddle_scope_open();
        heddle_array *next = heddle_keep(heddle_add(a, heddle_scalar(1.0)));
        CHECK_EQ(heddle_eval(next), HEDDLE_OK);
        heddle_release(a);
        a = next;
        heddle_scope_close(inner);
    }
    CHECK_EQ(n_direct(), before + 20);
    double sum = 0, most = 0;
    heddle_array *total = heddle_sum(a), *largest = heddle_max(a);
    CHECK_EQ(heddle_eval(total), HEDDLE_OK);
    CHECK_EQ(n_direct(), before + 21);
    CHECK_EQ(heddle_read(total, &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, (double)n * ((double)n - 1) / 2 + 20 * (double)n);
    CHECK_EQ(heddle_read(largest, &most, sizeof most), HEDDLE_OK);
    CHECK_NUM(most, (double)n + 19);
    struct heddle_part_info part;
    CHECK_EQ(heddle_part(a, n_several, &part), HEDDLE_OK);
    CHECK_EQ(part.current, heddle_gpu(n_several - 1));
    /* to one GPU, which is StarPU's, and back */
    heddle_array *moved = heddle_to(a, heddle_gpu(n_several - 1));
    check_range(heddle_add(moved, a), n, 2, 40);
    check_range(heddle_multiply(over_gpus(moved), heddle_scalar(3.0)), n, 3, 60);
    check_range(a, n, 1, 20);
    heddle_release(a);
    heddle_scope_close(scope);
}

/* GPU `most` has most of the array, and the first combines what the others leave. If that is the same one, the others are ahead
 * by many launches, and must not write the next ones' partial results where it still reads; else it has to wait for them. */
static void test_sums(int most)
{
    enum { N = 1 << 25, SUMS = 48 };
    int64_t sizes[MAX_SEVERAL], left = N;
    heddle_place places[MAX_SEVERAL];
    for (int i = 0; i < n_several; i++) {
        left -= sizes[i] = (N >> 5) + i;
        places[i] = heddle_gpu(i);
    }
    sizes[most] += left;
    heddle_scope scope = heddle_scope_open();
    heddle_array *ones = heddle_distribute(
        heddle_add(heddle_multiply(range(N), heddle_scalar(0.0)), heddle_scalar(1.0)),
        &(struct heddle_distribution){.cut[0] = {HEDDLE_CUT_SIZES, n_several, sizes},
                                      .n_places = n_several,
                                      .places = places});
    CHECK_EQ(heddle_wait(ones), HEDDLE_OK);
    double sum = 0;
    heddle_array *sums[SUMS];
    const int64_t before = n_direct();
    for (int i = 0; i < SUMS; i++) {
        sums[i] = heddle_sum(heddle_multiply(ones, heddle_scalar(i + 1.0)));
        CHECK_EQ(heddle_eval(sums[i]), HEDDLE_OK);
    }
    CHECK_EQ(n_direct(), before + SUMS);
    for (int i = 0; i < SUMS; i++) {
        CHECK_EQ(heddle_read(sums[i], &sum, sizeof sum), HEDDLE_OK);
        CHECK_NUM(sum, (i + 1.0) * N);
    }
    heddle_scope_close(scope);
}

/* What moves is counted, and refused where it is forbidden. */
static void test_movement(void)
{
    enum { N = 1 << 20 };
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){.movement = HEDDLE_MOVE_FORBIDDEN}),
             HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *u = over_gpus(range(N));
    CHECK_EQ(heddle_wait(u), HEDDLE_OK);
    CHECK_EQ(heddle_eval(smooth(u)), HEDDLE_EARG);
    check_range(heddle_add(u, heddle_scalar(1.0)), N, 1, 1);
    heddle_scope_close(scope);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){0}), HEDDLE_OK);
    scope = heddle_scope_open();
    u = over_gpus(range(N));
    CHECK_EQ(heddle_wait(u), HEDDLE_OK);
    heddle_statistics_reset();
    heddle_array *next = smooth(u);
    CHECK_EQ(heddle_wait(next), HEDDLE_OK);
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    CHECK_EQ(s.gpu_direct, 1);
    CHECK_EQ(s.bytes_gpu_to_gpu, 2 * 8 * (n_several - 1)); /* an element to either side */
    heddle_scope_close(scope);
}

/* What one GPU reads of another's again and again is sent once, small or large; not after it has changed. is_own: StarPU does
 * not know of the array, so that direct launches update it in its memory. */
static void test_kept(int64_t n, bool is_own)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = over_gpus(heddle_reshape(range(n * n), HEDDLE_SHAPE(n, n)));
    CHECK_EQ(heddle_wait(b), HEDDLE_OK);
    b = heddle_keep(is_own ? heddle_add(b, heddle_scalar(0.0)) : b);
    CHECK_EQ(heddle_wait(b), HEDDLE_OK);
    heddle_scope_close(scope); /* which has it, too */
    double *got = malloc((size_t)(n * n) * sizeof *got);
    struct heddle_statistics s;
    for (int i = 0; i < 6; i++) {
        const double plus = i < 4 ? 0 : 0.5;
        heddle_scope inner = heddle_scope_open();
        if (i == 4) { /* in its memory, as nobody else has it */
            heddle_scope temporaries = heddle_scope_open();
            heddle_array *changed = heddle_keep(heddle_set_item(
                b, HEDDLE_INDEX(HEDDLE_FROM(1)),
                heddle_add(heddle_getitem(b, HEDDLE_INDEX(HEDDLE_FROM(1))), heddle_scalar(0.5))));
            heddle_scope_close(temporaries);
            heddle_release(b);
            b = changed;
            heddle_statistics_reset();
            CHECK_EQ(heddle_wait(b), HEDDLE_OK);
            heddle_statistics_get(&s);
            CHECK(!is_own || s.gpu_direct == 1, "StarPU updates it");
        }
        heddle_statistics_reset();
        heddle_array *sum =
            heddle_add(heddle_subtract(b, heddle_matrix_transpose(b)), heddle_scalar((double)i));
        CHECK_EQ(heddle_wait(sum), HEDDLE_OK);
        heddle_statistics_get(&s);
        if (i == 3) {
            CHECK_EQ(s.gpu_direct, 1);
            CHECK_EQ(s.bytes_gpu_to_gpu, 0);
        }
        if (i == 0 || i == 4) CHECK(s.bytes_gpu_to_gpu > 0, "nothing was sent");
        heddle_array *across = heddle_add(heddle_matrix_transpose(b), heddle_scalar((double)i));
        CHECK_EQ(heddle_read(across, got, n * n * (int64_t)sizeof *got), HEDDLE_OK);
        int64_t wrong = 0;
        for (int64_t r = 0; r < n; r++)
            for (int64_t c = 0; c < n; c++)
                wrong += got[r * n + c] != (double)(c * n + r) + (c > 0 ? plus : 0) + i;
        CHECK_EQ(wrong, 0);
        CHECK_EQ(heddle_read(sum, got, n * n * (int64_t)sizeof *got), HEDDLE_OK);
        for (int64_t r = 0; r < n; r++)
            for (int64_t c = 0; c < n; c++)
                wrong += got[r * n + c] !=
                         (double)((r - c) * n + c - r) + ((r > 0) - (c > 0)) * plus + i;
        CHECK_EQ(wrong, 0);
        heddle_scope_close(inner);
    }
    free(got);
    heddle_release(b);
}

/* Parts of several GPUs come home. */
static void test_several_shutdown(void)
{
    enum { N = (1 << 20) + 3 };
    heddle_scope scope = heddle_scope_open();
    check_shutdown(over_gpus(range(N)), N);
    heddle_scope_close(scope);
}

static void test_all_gpus(void)
{
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu,gpu"}), HEDDLE_OK);
    n_several = n_gpus() < MAX_SEVERAL ? n_gpus() : MAX_SEVERAL;
    if (n_several < 2) {
        printf("one GPU: launches over several are not tested\n");
        return;
    }
    for (int64_t n = 300000; n <= 3000000; n *= 3) {
        test_several(n + 7);
        test_halos(n, false);
        test_halos(n + 1, true);
    }
    test_sums(0);
    test_sums(n_several - 1);
    test_kept(300, true);
    test_kept(300, false);
    test_kept(5001, false);
    test_movement();
    test_several_shutdown();
}

/* Where nothing is launched directly all goes through StarPU. */
static void test_off(void)
{
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){
                 .devices = "gpu:0", .inline_bytes = -1, .no_direct = true}),
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
        return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
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
    test_all_gpus();
    test_off();
    check_nothing_left();
    return check_done();
}
