/* Proves that functions over parts run as tasks, at once over places and behind heddle_eval; that
 * their errors flow; that they are called lazily, and what they need is given back once. */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>
#include <time.h>

enum { PLACES = 3, ROWS = 60, COLUMNS = 8 };

static heddle_place teams[PLACES];
static int n_cpus; /* of which that many differ */

static heddle_array *counting(void)
{
    heddle_array *i = heddle_arange(heddle_scalar((double)(ROWS * COLUMNS)), NULL, NULL);
    return heddle_reshape(i, HEDDLE_SHAPE(ROWS, COLUMNS));
}

static heddle_array *in_rows(heddle_array *a, int64_t n)
{
    struct heddle_distribution d = {.n_places = PLACES, .places = teams};
    d.cut[0].kind = HEDDLE_CUT_PARTS;
    d.cut[0].n = n;
    return heddle_distribute(a, &d);
}

struct job {
    atomic_int calls, inside, most, given_back;
    atomic_bool may_go; /* functions wait for it, or for all places to be in one */
    int64_t fails;      /* part; -1: none */
    enum heddle_status code;
};

static void give_back(void *user)
{
    struct job *j = user;
    atomic_fetch_add(&j->given_back, 1);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/* float32 halves. */
static enum heddle_status halve(const struct heddle_part_view *in, void *out, void *user)
{
    struct job *j = user;
    const double *x = in->data;
    float *y = out;
    atomic_fetch_add(&j->calls, 1);
    if (in->part == j->fails) return j->code;
    for (int64_t i = 0; i < in->shape[0] * in->shape[1]; i++) y[i] = (float)(x[i] / 2);
    return HEDDLE_OK;
}

static void check_halves(heddle_array *m)
{
    static float y[ROWS * COLUMNS];
    CHECK_EQ(heddle_dtype_of(m), HEDDLE_FLOAT32);
    CHECK(heddle_read(m, y, sizeof y) == HEDDLE_OK, "%s", heddle_error(m));
    for (int i = 0; i < ROWS * COLUMNS; i++) CHECK_NUM(y[i], i / 2.0);
}

static void test_values(void)
{
    heddle_scope scope = heddle_scope_open();
    struct job j = {.fails = -1};
    heddle_array *a = counting(), *d = in_rows(a, 7);
    heddle_array *m = heddle_map_parts(d, HEDDLE_FLOAT32, halve, .user = &j);
    CHECK_EQ(atomic_load(&j.calls), 0); /* lazy */
    check_halves(m);
    CHECK_EQ(atomic_load(&j.calls), 7);
    check_halves(m); /* data now */
    CHECK_EQ(atomic_load(&j.calls), 7);
    struct heddle_part_info info;
    int64_t n = 0;
    CHECK_EQ(heddle_count_parts(m, &n), HEDDLE_OK);
    CHECK_EQ(n, 7);
    CHECK_EQ(heddle_part(m, 5, &info), HEDDLE_OK);
    CHECK_EQ(info.place, teams[5 % PLACES]);

    /* of an expression, in an expression, of a view, of what is not distributed, of a constant */
    heddle_array *twice = heddle_multiply(d, heddle_scalar(2.0));
    heddle_array *of = heddle_map_parts(twice, HEDDLE_FLOAT32, halve, .user = &j);
    heddle_array *sum = heddle_sum(heddle_subtract(of, a));
    double zero = 1;
    CHECK_EQ(heddle_read(sum, &zero, sizeof zero), HEDDLE_OK);
    CHECK_NUM(zero, 0);
    heddle_array *flipped = heddle_map_parts(heddle_flip(d), HEDDLE_FLOAT32, halve, .user = &j);
    check_halves(heddle_flip(flipped));
    check_halves(heddle_map_parts(a, HEDDLE_FLOAT32, halve, .user = &j));
    check_halves(in_rows(heddle_map_parts(d, HEDDLE_FLOAT32, halve, .user = &j), 2));
    heddle_array *ones = heddle_ones(HEDDLE_SHAPE(2, 2));
    float half[4] = {0};
    heddle_array *c = heddle_map_parts(ones, HEDDLE_FLOAT32, halve, .user = &j);
    CHECK_EQ(heddle_read(c, half, sizeof half), HEDDLE_OK);
    CHECK_NUM(half[3], 0.5);
    heddle_array *none = heddle_map_parts(heddle_zeros(HEDDLE_SHAPE(0, 2)), HEDDLE_FLOAT32, halve);
    CHECK_EQ(heddle_wait(none), HEDDLE_OK);
    CHECK_EQ(heddle_size(none), 0);
    heddle_scope_close(scope);
}

/* Waits until all places are in it. */
static enum heddle_status meet(const struct heddle_part_view *in, void *out, void *user)
{
    struct job *j = user;
    atomic_fetch_add(&j->inside, 1);
    for (int i = 0; i < 50000 && atomic_load(&j->inside) < n_cpus; i++) nap();
    if (atomic_load(&j->inside) < n_cpus) return HEDDLE_EDEVICE;
    memset(out, 0, (size_t)in->shape[0]);
    return HEDDLE_OK;
}

static enum heddle_status wait_for_go(const struct heddle_part_view *in, void *out, void *user)
{
    struct job *j = user;
    for (int i = 0; i < 50000 && !atomic_load(&j->may_go); i++) nap();
    memset(out, 1, (size_t)in->shape[0]);
    return atomic_load(&j->may_go) ? HEDDLE_OK : HEDDLE_EDEVICE;
}

static void test_concurrency(void)
{
    heddle_scope scope = heddle_scope_open();
    struct job j = {.fails = -1};
    heddle_array *d = in_rows(heddle_zeros(HEDDLE_SHAPE(PLACES)), n_cpus);
    heddle_array *met = heddle_map_parts(d, HEDDLE_BOOL, meet, .user = &j);
    CHECK(heddle_wait(met) == HEDDLE_OK, "places do not work at once: %s", heddle_error(met));
    heddle_array *later = heddle_map_parts(d, HEDDLE_BOOL, wait_for_go, .user = &j);
    CHECK_EQ(heddle_eval(later), HEDDLE_OK); /* does not wait */
    atomic_store(&j.may_go, true);
    CHECK(heddle_wait(later) == HEDDLE_OK, "%s", heddle_error(later));
    heddle_scope_close(scope);
}

static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    struct job j = {.fails = 4, .code = HEDDLE_ERANGE};
    heddle_array *d = in_rows(counting(), 7);
    heddle_array *m = heddle_map_parts(d, HEDDLE_FLOAT32, halve, .user = &j);
    heddle_array *after = heddle_sqrt(m);
    CHECK_EQ(heddle_status_of(m), HEDDLE_OK); /* not known yet */
    CHECK_EQ(heddle_wait(after), HEDDLE_ERANGE);
    CHECK_HAS(heddle_error(after), "heddle_map_parts: the function failed on part 4");
    CHECK_EQ(heddle_wait(d), HEDDLE_OK); /* the input is as it was */
    j.code = (enum heddle_status)1;      /* no code of Heddle's */
    CHECK_EQ(heddle_wait(heddle_map_parts(d, HEDDLE_FLOAT32, halve, .user = &j)), HEDDLE_EARG);

    /* at the call: given back at once */
    heddle_array *bad = heddle_map_parts(d, HEDDLE_FLOAT32, NULL, .user = &j, .deleter = give_back);
    CHECK_EQ(heddle_status_of(bad), HEDDLE_EARG);
    bad = heddle_map_parts(NULL, HEDDLE_FLOAT32, halve, .user = &j, .deleter = give_back);
    CHECK_EQ(heddle_status_of(bad), HEDDLE_EARG);
    bad = heddle_map_parts(d, (enum heddle_dtype)99, halve, .user = &j, .deleter = give_back);
    CHECK_EQ(heddle_status_of(bad), HEDDLE_EDTYPE);
    CHECK_EQ(atomic_load(&j.given_back), 3);

    /* for GPUs alone, of which there is none */
    heddle_array *gpu =
        heddle_map_parts(d, HEDDLE_FLOAT32, NULL, .cuda = halve, .user = &j, .deleter = give_back);
    CHECK_EQ(heddle_wait(gpu), HEDDLE_ENODEVICE);
    CHECK_HAS(heddle_error(gpu), "no GPU is in use");
    heddle_scope_close(scope);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&j.given_back), 4);
}

static void test_life(void)
{
    struct job j = {.fails = -1};
    heddle_scope scope = heddle_scope_open();
    heddle_array *d = in_rows(counting(), 3);
    heddle_map_parts(d, HEDDLE_FLOAT32, halve, .user = &j,
                     .deleter = give_back); /* never asked for */
    heddle_array *kept =
        heddle_keep(heddle_map_parts(d, HEDDLE_FLOAT32, halve, .user = &j, .deleter = give_back));
    heddle_scope_close(scope);
    CHECK_EQ(atomic_load(&j.given_back), 1);
    CHECK_EQ(atomic_load(&j.calls), 0);
    CHECK_EQ(heddle_eval(kept), HEDDLE_OK);
    heddle_release(kept); /* cancels nothing */
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(atomic_load(&j.calls), 3);
    CHECK_EQ(atomic_load(&j.given_back), 2);
}

/* What would wait for the worker that it runs on is refused. */
static enum heddle_status misbehave(const struct heddle_part_view *in, void *out, void *user)
{
    heddle_array *a = user;
    (void)out;
    if (heddle_wait(a) != HEDDLE_EARG || !strstr(heddle_last_error(), "heddle_map_parts"))
        return HEDDLE_EINTERNAL;
    if (heddle_eval(a) != HEDDLE_EARG) return HEDDLE_EINTERNAL;
    heddle_array *refused = heddle_to(a, in->place); /* no scope is open here */
    const enum heddle_status status = heddle_status_of(refused);
    heddle_release(refused);
    return status == HEDDLE_EARG ? HEDDLE_OK : HEDDLE_EINTERNAL;
}

static void test_refusal(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *other = heddle_keep(counting());
    heddle_array *m =
        heddle_map_parts(in_rows(counting(), 3), HEDDLE_BOOL, misbehave, .user = other);
    CHECK(heddle_wait(m) == HEDDLE_OK, "%s", heddle_error(m));
    CHECK_EQ(heddle_wait(other), HEDDLE_OK);
    heddle_release(other);
    heddle_scope_close(scope);
}

static enum heddle_status fill(const struct heddle_part_view *in, void *out, void *user)
{
    for (int64_t i = 0; i < in->shape[0]; i++) ((double *)out)[i] = *(const double *)user;
    return HEDDLE_OK;
}

/* A plan serves other functions, too. */
static void test_plans(void)
{
    struct heddle_statistics s;
    heddle_statistics_reset();
    for (int k = 1; k <= 5; k++) {
        heddle_scope scope = heddle_scope_open();
        double value = k, sum = 0;
        heddle_array *d = in_rows(heddle_zeros(HEDDLE_SHAPE(30)), 3);
        heddle_array *m = heddle_map_parts(d, HEDDLE_FLOAT64, fill, .user = &value);
        heddle_array *total = heddle_sum(m);
        CHECK_EQ(heddle_read(total, &sum, sizeof sum), HEDDLE_OK);
        CHECK_NUM(sum, 30 * k);
        heddle_scope_close(scope);
    }
    heddle_statistics_get(&s);
    CHECK_EQ(s.evaluations, 5);
    CHECK_EQ(s.plans_made, 1);
}

int main(void)
{
    const struct heddle_config config = {
        .devices = "cpu", .cpu_workers = PLACES, .cpu_threads = PLACES};
    CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
    int n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    for (int i = 0; i < PLACES; i++) teams[i] = heddle_cpu(i % n_cpus);
    test_values();
    if (n_cpus > 1) test_concurrency();
    test_errors();
    test_life();
    test_refusal();
    test_plans();
    check_nothing_left();
    return check_done();
}
