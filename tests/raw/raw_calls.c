/* Proves that calls of raw kernels compute what their functions do, whole or over parts; that they are lazy and keep what
 * they need; that updates leave what others hold. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };

struct job {
    atomic_int calls, given_back;
    atomic_llong largest; /* of the parts */
    enum heddle_status code;
    const void *memory;
};

static void give_back(void *user)
{
    atomic_fetch_add(&((struct job *)user)->given_back, 1);
}

static heddle_array *counting(int64_t n)
{
    return heddle_astype(heddle_arange(heddle_scalar((double)n), NULL, NULL), HEDDLE_FLOAT32);
}

/* saxpy(float a, const float *x, const float *y, float *z, long long n) */
static enum heddle_status saxpy(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_view *v = l->arguments;
    const float *x = v[1].data, *y = v[2].data;
    float a, *z = v[3].data;
    int64_t n;
    struct job *job = l->user;
    memcpy(&a, v[0].data, sizeof a);
    memcpy(&n, v[4].data, sizeof n);
    if (job) {
        atomic_fetch_add(&job->calls, 1);
        if (n > atomic_load(&job->largest)) atomic_store(&job->largest, n);
        if (job->code) return job->code;
    }
    if (l->grid[0] * l->block[0] < n) return HEDDLE_EARG;
    for (int64_t i = 0; i < n; i++) z[i] = a * x[i] + y[i];
    return HEDDLE_OK;
}

static enum heddle_status call_saxpy(heddle_raw_kernel *k, heddle_array *x, heddle_array *y,
                                     heddle_array **z, bool over_parts)
{
    return heddle_raw_call(
        k,
        HEDDLE_RAW_ARGUMENTS(heddle_raw_f32(2), heddle_raw_read(x), heddle_raw_read(y),
                             heddle_raw_write(z, HEDDLE_FLOAT32, HEDDLE_SHAPE(heddle_size(x))),
                             heddle_raw_size_of(3)),
        .over_parts = over_parts);
}

static void check_saxpy(heddle_array *z, int64_t n)
{
    float *got = malloc((size_t)n * sizeof *got);
    CHECK(heddle_read(z, got, n * 4) == HEDDLE_OK, "%s", heddle_error(z));
    for (int64_t i = 0; i < n; i++) CHECK_NUM(got[i], 3.0f * (float)i);
    free(got);
}

static struct job job_of_values;

static void test_values(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k =
        heddle_raw_kernel_from_functions(saxpy, .user = &job_of_values, .deleter = give_back);
    heddle_array *x = counting(N), *z;
    CHECK_EQ(call_saxpy(k, x, x, &z, false), HEDDLE_OK);
    heddle_raw_kernel_release(k); /* the call keeps it */
    CHECK_EQ(heddle_dtype_of(z), HEDDLE_FLOAT32);
    CHECK_EQ(atomic_load(&job_of_values.calls), 0); /* lazy */
    CHECK_EQ(atomic_load(&job_of_values.given_back), 0);
    check_saxpy(z, N);
    check_saxpy(z, N); /* data now */
    CHECK_EQ(atomic_load(&job_of_values.calls), 1);
    heddle_scope_close(scope);
}

/* Of views, constants and a distribution; over parts. */
static void test_parts(void)
{
    heddle_scope scope = heddle_scope_open();
    struct job job = {.code = HEDDLE_OK};
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(saxpy, .user = &job);
    const struct heddle_distribution sevenths = {.cut[0] = {HEDDLE_CUT_PARTS, 7, NULL}};
    heddle_array *x = heddle_distribute(counting(N), &sevenths), *y = counting(N), *z, *w;
    CHECK_EQ(call_saxpy(k, x, y, &z, true), HEDDLE_OK);
    check_saxpy(z, N);
    CHECK_EQ(atomic_load(&job.calls), 7);
    CHECK_EQ(atomic_load(&job.largest), (N + 6) / 7);
    int64_t parts = 0;
    CHECK_EQ(heddle_count_parts(z, &parts), HEDDLE_OK);
    CHECK_EQ(parts, 7);
    CHECK_EQ(call_saxpy(k, heddle_flip(heddle_flip(y)), x, &w, true), HEDDLE_OK);
    check_saxpy(w, N);
    CHECK_EQ(call_saxpy(k, x, y, &w, false), HEDDLE_OK); /* whole: gathered first */
    check_saxpy(w, N);
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

/* minmax(const float *x, long long n, float *least, float *most), of rows. */
static enum heddle_status minmax(const struct heddle_raw_launch *l)
{
    const struct heddle_raw_view *x = &l->arguments[0];
    const struct heddle_raw_extents *e = l->arguments[1].data;
    const float *at = x->data;
    float *least = l->arguments[2].data, *most = l->arguments[3].data;
    if (memcmp(e, &x->extents, sizeof *e) != 0) return HEDDLE_EINTERNAL;
    for (int64_t i = 0; i < e->shape[0]; i++, at += e->shape[1]) {
        least[i] = most[i] = at[0];
        for (int64_t j = 1; j < e->shape[1]; j++) {
            if (at[j] < least[i]) least[i] = at[j];
            if (at[j] > most[i]) most[i] = at[j];
        }
    }
    return HEDDLE_OK;
}

/* Several results, of another shape than what is read. */
static void test_results(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(minmax);
    const struct heddle_distribution cut = {
        .cut = {{HEDDLE_CUT_PARTS, 3, NULL}, {HEDDLE_CUT_PARTS, 2, NULL}}};
    for (int parts = 0; parts < 3; parts++) {
        heddle_array *x = heddle_reshape(counting(N), HEDDLE_SHAPE(50, 20)), *least, *most;
        if (parts == 2) x = heddle_distribute(x, &cut);
        const int64_t shape[] = {50, 1};
        CHECK_EQ(
            heddle_raw_call(k,
                            HEDDLE_RAW_ARGUMENTS(heddle_raw_read(x), heddle_raw_extents_of(0),
                                                 heddle_raw_write(&least, HEDDLE_FLOAT32, 2, shape),
                                                 heddle_raw_write(&most, HEDDLE_FLOAT32, 2, shape)),
                            .over_parts = parts > 0, .uncut = parts > 0 ? 2 : 0),
            HEDDLE_OK);
        float low[50], high[50];
        CHECK(heddle_read(most, high, sizeof high) == HEDDLE_OK, "%s", heddle_error(most));
        CHECK_EQ(heddle_read(least, low, sizeof low), HEDDLE_OK);
        for (int i = 0; i < 50; i++) {
            CHECK_NUM(low[i], 20 * i);
            CHECK_NUM(high[i], 20 * i + 19);
        }
    }
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

/* increment(float *x) */
static enum heddle_status increment(const struct heddle_raw_launch *l)
{
    struct job *job = l->user;
    float *x = l->arguments[0].data;
    if (job) job->memory = x;
    for (int64_t i = 0; i < l->arguments[0].bytes / 4; i++) x[i] += 1;
    return HEDDLE_OK;
}

static void check_from(heddle_array *a, int64_t n, float first)
{
    float *got = malloc((size_t)n * sizeof *got);
    CHECK(heddle_read(a, got, n * 4) == HEDDLE_OK, "%s", heddle_error(a));
    for (int64_t i = 0; i < n; i++) CHECK_NUM(got[i], first + (float)i);
    free(got);
}

/* What somebody holds stays; what nobody holds is overwritten. */
static void test_updates(void)
{
    struct job job = {.code = HEDDLE_OK};
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(increment, .user = &job);
    const int64_t n = 1 << 20; /* more than what is done at once */
    heddle_scope scope = heddle_scope_open();
    heddle_array *held = heddle_own(counting(n)), *x, *y;
    heddle_scope_close(scope);
    CHECK_EQ(heddle_wait(held), HEDDLE_OK);
    CHECK_EQ(heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(held, &x))), HEDDLE_OK);
    check_from(x, n, 1);
    check_from(held, n, 0);
    heddle_release(held);
    const void *memory = job.memory;
    CHECK_EQ(heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(x, &y))), HEDDLE_OK);
    heddle_release(x);
    CHECK_EQ(heddle_wait(y), HEDDLE_OK);
    CHECK(job.memory == memory, "an array that nobody holds is copied");
    check_from(y, n, 2);
    for (int i = 0; i < 20; i++) { /* a chain, at once and one by one */
        CHECK_EQ(heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(y, &x)),
                                 .over_parts = i % 2 == 0),
                 HEDDLE_OK);
        heddle_release(y);
        y = x;
        if (i % 3 == 0) CHECK_EQ(heddle_eval(y), HEDDLE_OK);
    }
    check_from(y, n, 22);
    heddle_release(y);
    heddle_raw_kernel_release(k);
}

static enum heddle_status read_struct(const struct heddle_raw_launch *l)
{
    struct {
        char c;
        double d;
        int8_t tail[30];
    } s;
    int32_t i;
    int64_t j;
    double *out = l->arguments[0].data, e;
    if (l->n != 5 || l->arguments[1].bytes != (int64_t)sizeof s) return HEDDLE_EINTERNAL;
    memcpy(&s, l->arguments[1].data, sizeof s);
    memcpy(&i, l->arguments[2].data, sizeof i);
    memcpy(&j, l->arguments[3].data, sizeof j);
    memcpy(&e, l->arguments[4].data, sizeof e);
    out[0] = s.c;
    out[1] = s.d;
    out[2] = s.tail[29];
    out[3] = i;
    out[4] = (double)j;
    out[5] = e;
    out[6] = (double)(l->grid[0] * 100 + l->grid[1] * 10 + l->grid[2]);
    out[7] = (double)(l->block[0] * 100 + l->block[1] * 10 + l->block[2]);
    out[8] = (double)l->shared_bytes;
    return HEDDLE_OK;
}

/* Values are those of the call, not of the plan that calls share. */
static void test_scalars(void)
{
    heddle_scope scope = heddle_scope_open();
    struct {
        char c;
        double d;
        int8_t tail[30];
    } s = {.c = 7, .d = 2.5};
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(read_struct);
    for (int i = 0; i < 4; i++) {
        heddle_array *out;
        s.tail[29] = (int8_t)-i;
        CHECK_EQ(heddle_raw_call(k,
                                 HEDDLE_RAW_ARGUMENTS(
                                     heddle_raw_write(&out, HEDDLE_FLOAT64, HEDDLE_SHAPE(9)),
                                     heddle_raw_bytes(&s, sizeof s), heddle_raw_i32(-5 * i),
                                     heddle_raw_i64((int64_t)i << 40), heddle_raw_f64(i / 8.0)),
                                 .grid = HEDDLE_LENGTHS(4, 3, 2), .block = HEDDLE_LENGTHS(8, 2),
                                 .shared_bytes = 64 + i),
                 HEDDLE_OK);
        s.tail[29] = 99; /* was copied */
        double got[9];
        const double want[9] = {7,       2.5, -i,  -5 * i,  (double)((int64_t)i << 40),
                                i / 8.0, 432, 821, 64.0 + i};
        CHECK(heddle_read(out, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(out));
        for (int j = 0; j < 9; j++) CHECK_NUM(got[j], want[j]);
    }
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

static enum heddle_status grid_of(const struct heddle_raw_launch *l)
{
    double *out = l->arguments[1].data;
    memset(l->arguments[0].data, 0, (size_t)l->arguments[0].bytes);
    for (int k = 0; k < 3; k++) out[k] = (double)l->grid[k];
    return HEDDLE_OK;
}

/* Without a grid it covers the first result. */
static void test_grids(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(grid_of);
    static const struct {
        struct heddle_lengths block;
        int64_t grid[3];
    } rows[] = {
        {{0, {0}}, {(3 * 70 * 33 + 255) / 256, 1, 1}},
        {{1, {100}}, {(3 * 70 * 33 + 99) / 100, 1, 1}},
        {{2, {16, 8}}, {3, (3 * 70 + 7) / 8, 1}},
        {{3, {32, 4, 2}}, {2, 18, 2}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        heddle_array *a, *out;
        double got[3];
        CHECK_EQ(heddle_raw_call(k,
                                 HEDDLE_RAW_ARGUMENTS(
                                     heddle_raw_write(&a, HEDDLE_INT8, HEDDLE_SHAPE(3, 70, 33)),
                                     heddle_raw_write(&out, HEDDLE_FLOAT64, HEDDLE_SHAPE(3))),
                                 .block = rows[i].block),
                 HEDDLE_OK);
        CHECK(heddle_read(out, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(out));
        for (int d = 0; d < 3; d++) CHECK_NUM(got[d], rows[i].grid[d]);
    }
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

static void test_nothing(void)
{
    heddle_scope scope = heddle_scope_open();
    struct job job = {.code = HEDDLE_OK};
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(saxpy, .user = &job);
    heddle_array *none = heddle_astype(heddle_zeros(HEDDLE_SHAPE(0)), HEDDLE_FLOAT32), *z;
    for (int parts = 0; parts < 2; parts++) {
        CHECK_EQ(call_saxpy(k, none, none, &z, parts), HEDDLE_OK);
        CHECK_EQ(heddle_wait(z), HEDDLE_OK);
        CHECK_EQ(heddle_size(z), 0);
    }
    CHECK_EQ(atomic_load(&job.calls), 0);
    heddle_raw_kernel_release(k);
    k = heddle_raw_kernel_from_functions(grid_of); /* of two results, one has elements */
    heddle_array *out;
    double got[3];
    CHECK_EQ(heddle_raw_call(
                 k, HEDDLE_RAW_ARGUMENTS(heddle_raw_write(&z, HEDDLE_INT8, HEDDLE_SHAPE(4, 0)),
                                         heddle_raw_write(&out, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)))),
             HEDDLE_OK);
    CHECK(heddle_read(out, got, sizeof got) == HEDDLE_OK, "%s", heddle_error(out));
    CHECK_NUM(got[0], 0);
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

/* A function's error is that of all that is made of its results, and of nothing else. */
static void test_failures(void)
{
    heddle_scope scope = heddle_scope_open();
    struct job job = {.code = HEDDLE_ERANGE};
    heddle_raw_kernel *k = heddle_raw_kernel_from_functions(saxpy, .user = &job);
    heddle_array *x = counting(N), *z;
    CHECK_EQ(call_saxpy(k, x, x, &z, false), HEDDLE_OK);
    heddle_array *after = heddle_add(z, z), *beside = heddle_add(x, x);
    heddle_array *const both[] = {after, beside};
    (void)heddle_eval_all(2, both);
    CHECK_EQ(heddle_wait(after), HEDDLE_ERANGE);
    CHECK_HAS(heddle_error(after), "heddle_raw_call: the function failed on part 0");
    CHECK_EQ(heddle_wait(beside), HEDDLE_OK);
    heddle_array *before = z;
    CHECK_EQ(call_saxpy(k, after, x, &z, false), HEDDLE_ERANGE); /* an array in error */
    CHECK(z == before, "a call that fails writes a result");
    heddle_raw_kernel_release(k);
    k = heddle_raw_kernel_from_source("extern \"C\" __global__ void f(float *x) {}", "f");
    CHECK(k != NULL, "%s", heddle_last_error());
    CHECK_EQ(heddle_raw_call(k, HEDDLE_RAW_ARGUMENTS(heddle_raw_update(x, &z))), HEDDLE_OK);
    int n_cpus, n_gpus;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    if (n_gpus == 0) {
        CHECK_EQ(heddle_wait(z), HEDDLE_ENODEVICE);
        CHECK_HAS(heddle_error(z), "heddle_raw_call: no GPU is in use");
    }
    heddle_raw_kernel_release(k);
    heddle_scope_close(scope);
}

int main(void)
{
    test_values();
    test_parts();
    test_results();
    test_updates();
    test_scalars();
    test_grids();
    test_nothing();
    test_failures();
    check_nothing_left();
    CHECK_EQ(atomic_load(&job_of_values.given_back), 1);
    return check_done();
}
