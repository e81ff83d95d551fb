/* The checked mode: each misuse is an error that names the call, or is reported; what is right stays right.
 * Runs with HEDDLE_CHECK=1. */
#include "check_heddle.h"

#include <heddle.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* An array whose scope is closed: float64 (3). */
static heddle_array *of_closed_scope(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_add(heddle_ones(HEDDLE_SHAPE(3)), heddle_scalar(1.0));
    heddle_scope_close(scope);
    return a;
}

static heddle_array *released(void)
{
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(2, 2));
    heddle_array *b = heddle_sin(a);
    heddle_release(a);
    heddle_release(b);
    return b;
}

/* An array in error whose text has these words. */
static void check_refused(heddle_array *r, const char *function, const char *what)
{
    CHECK_EQ(heddle_status_of(r), HEDDLE_EARG);
    CHECK_HAS(heddle_error(r), function);
    CHECK_HAS(heddle_error(r), what);
}

static void check_failed(enum heddle_status status, const char *function, const char *what)
{
    CHECK_EQ(status, HEDDLE_EARG);
    CHECK_HAS(heddle_last_error(), function);
    CHECK_HAS(heddle_last_error(), what);
}

/* A call without an error of its own was reported. */
static int64_t n_before;
static void check_reported(const char *function, const char *what)
{
    CHECK_EQ(heddle_check_count(), n_before + 1);
    CHECK_HAS(heddle_last_error(), function);
    CHECK_HAS(heddle_last_error(), what);
    n_before = heddle_check_count();
}

static void operations(void)
{
    heddle_array *const gone = released();
    heddle_scope scope = heddle_scope_open();
    heddle_array *const one = heddle_ones(HEDDLE_SHAPE(3)), *dead = of_closed_scope();
    char garbage[512] = {1, 2, 3};
    heddle_array *const no_array = (heddle_array *)(void *)(garbage + 64);

    check_refused(heddle_add(one, dead), "heddle_add: argument 2", "add, float64 (3)");
    check_refused(heddle_add(dead, one), "heddle_add: argument 1", "scope");
    check_refused(heddle_exp(gone), "heddle_exp", "(sin, float64 (2, 2)) that was released");
    check_refused(heddle_sum(dead), "heddle_sum", "closed");
    check_refused(heddle_matmul(one, dead), "heddle_matmul: argument 2", "closed");
    check_refused(heddle_getitem(dead, HEDDLE_INDEX(HEDDLE_AT(0))), "heddle_getitem", "closed");
    check_refused(heddle_set_item(one, HEDDLE_INDEX(HEDDLE_AT(0)), dead),
                  "heddle_set_item: argument 4", "closed");
    check_refused(heddle_set_item(dead, HEDDLE_INDEX(HEDDLE_AT(0)), one),
                  "heddle_set_item: argument 1", "closed");
    heddle_array *const list[] = {one, one, dead};
    check_refused(heddle_concat(3, list, 0), "heddle_concat: argument 3", "closed");
    check_refused(heddle_cumulative_sum(dead), "heddle_cumulative_sum", "closed");
    check_refused(heddle_take(one, dead), "heddle_take: argument 2", "closed");
    check_refused(heddle_expr("a + b", HEDDLE_BIND_ALL({"a", one}, {"b", dead})),
                  "heddle_expr: input 'b'", "closed");
    check_refused(heddle_to(dead, heddle_cpu(0)), "heddle_to", "closed");
    check_refused(heddle_add(one, no_array), "heddle_add: argument 2", "no array of Heddle's");
    check_refused(heddle_add(NULL, one), "heddle_add: argument 1", "NULL");
    heddle_scope_close(scope);
}

static void evaluation(void)
{
    heddle_array *dead = of_closed_scope(), *gone = released(), *text_of = of_closed_scope();
    double out[4] = {0};
    char *text = NULL;
    check_failed(heddle_read(dead, out, sizeof out), "heddle_read", "closed");
    check_failed(heddle_eval(gone), "heddle_eval", "released");
    check_failed(heddle_wait(dead), "heddle_wait", "closed");
    heddle_array *const two[] = {gone, dead};
    check_failed(heddle_eval_all(2, two), "heddle_eval_all: argument 1", "released");
    check_failed(heddle_save(dead, "never.npy"), "heddle_", "closed");
    CHECK(access("never.npy", F_OK) != 0);
    check_failed(heddle_format(dead, 0, &text), "heddle_", "closed");
    CHECK_EQ(heddle_status_of(text_of), HEDDLE_EARG);
    CHECK_HAS(heddle_error(text_of), "closed");
}

static void *close_scope(void *scope)
{
    heddle_scope_close(scope);
    CHECK_HAS(heddle_last_error(), "another thread's");
    return NULL;
}

static void *leave_open(void *unused)
{
    (void)unused;
    return heddle_scope_open();
}

static void reports(void)
{
    heddle_array *dead = of_closed_scope(), *gone = released();
    pthread_t thread;
    n_before = heddle_check_count();
    CHECK(heddle_shape(dead) == NULL);
    check_reported("heddle_shape", "closed");
    CHECK_EQ(heddle_size(dead), 0);
    check_reported("heddle_size", "closed");
    CHECK_EQ(heddle_dtype_of(gone), HEDDLE_DTYPE_NONE);
    check_reported("heddle_dtype_of", "released");
    heddle_release(gone); /* twice */
    check_reported("heddle_release", "(sin, float64 (2, 2)) that was released");
    heddle_release(dead);
    check_reported("heddle_release", "closed");
    heddle_keep(dead);
    check_reported("heddle_keep", "closed");

    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(3));
    heddle_release(a); /* the scope's */
    check_reported("heddle_release", "heddle_keep");
    CHECK_EQ(heddle_size(a), 3);
    CHECK_EQ(pthread_create(&thread, NULL, close_scope, scope), 0);
    pthread_join(thread, NULL);
    CHECK_EQ(heddle_check_count(), ++n_before);
    CHECK_EQ(heddle_size(a), 3);
    heddle_scope_close(scope);
    heddle_scope_close(scope);
    check_reported("heddle_scope_close", "closed already");
    int no_scope;
    heddle_scope_close((heddle_scope)(void *)&no_scope);
    check_reported("heddle_scope_close", "no scope");
    CHECK_EQ(pthread_create(&thread, NULL, leave_open, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_EQ(heddle_check_count(), ++n_before);
}

static enum heddle_status scribble(const struct heddle_part_view *in, void *out, void *user)
{
    double *x = (double *)(uintptr_t)in->data;
    memcpy(out, x, 8);
    if (user) x[0] = 7;
    return HEDDLE_OK;
}

static void functions(void)
{
    heddle_scope scope = heddle_scope_open();
    int yes = 1;
    double got = 0;
    heddle_array *a = heddle_full(HEDDLE_SHAPE(1), heddle_scalar(5.0));
    CHECK_EQ(heddle_read(heddle_map_parts(a, HEDDLE_FLOAT64, scribble), &got, 8), HEDDLE_OK);
    heddle_array *bad = heddle_map_parts(heddle_add(a, a), HEDDLE_FLOAT64, scribble, .user = &yes);
    check_failed(heddle_read(bad, &got, 8), "heddle_map_parts", "changed its input");
    heddle_scope_close(scope);
}

/* What is right stays right, also after more arrays than are remembered. */
static void right(void)
{
    const int64_t before = heddle_check_count();
    heddle_array *sum = heddle_zeros(HEDDLE_SHAPE(1));
    for (int i = 0; i < 60000; i++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *next = heddle_keep(heddle_add(sum, heddle_scalar((double)i)));
        heddle_scope_close(scope);
        heddle_release(sum);
        sum = next;
        if (i % 1000 == 0) CHECK_EQ(heddle_eval(sum), HEDDLE_OK);
    }
    double got = 0;
    CHECK_EQ(heddle_read(sum, &got, 8), HEDDLE_OK);
    CHECK_NUM(got, 60000.0 * 59999 / 2);
    heddle_release(sum);
    CHECK_EQ(heddle_check_count(), before);
}

int main(void)
{
    operations();
    evaluation();
    reports();
    functions();
    right();
    right();
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    struct heddle_statistics s;
    heddle_statistics_get(&s);
    CHECK_EQ(s.arrays_live, 0);
    return check_done();
}
