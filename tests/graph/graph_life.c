/* Life of nodes: references, scopes, transitions, long chains, threads, the text of a graph. */
#include "graph/meaning.h"

#include "base/memory.h"
#include "graph/print.h"
#include "array/parts.h"

#include "check.h"

#include <heddle.h>
#include <pthread.h>

static int n_deleted;

static void deleted(void *user)
{
    (void)user;
    n_deleted++;
}

static void references(void)
{
    /* no scope: the caller owns */
    const double x[2] = {1, 2};
    heddle_array *a =
        heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(2), .borrow = true, .deleter = deleted);
    heddle_array *b = heddle_add(a, a);
    CHECK_EQ(heddle__nodes_live(), 2);
    heddle_release(a);
    CHECK_EQ(n_deleted, 0);
    heddle_release(b);
    CHECK_EQ(n_deleted, 1);
    CHECK_EQ(heddle__nodes_live(), 0);
    heddle_release(NULL);
    CHECK(heddle_keep(NULL) == NULL && heddle_own(NULL) == NULL);

    /* copies let go at once; so do failures and arrays of nothing */
    heddle_release(heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(2), .deleter = deleted));
    heddle_release(
        heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(-2), .borrow = true, .deleter = deleted));
    heddle_release(
        heddle_asarray(NULL, HEDDLE_FLOAT64, HEDDLE_SHAPE(0), .borrow = true, .deleter = deleted));
    CHECK_EQ(n_deleted, 4);

    /* the out-of-memory array is not counted */
    heddle_array *none = heddle__error_memory();
    heddle_release(none);
    heddle_release(heddle_keep(none));
    heddle_release(heddle_own(none));
    CHECK_EQ(heddle_status_of(none), HEDDLE_ENOMEM);
    CHECK_STR(heddle_error(none), "out of memory");
    CHECK(heddle_add(none, none) == none);
}

/* The same calls and releases, whatever is open: what heddle_own gives is released once. */
static void own_and_release(void)
{
    const int64_t before = heddle__nodes_live();
    heddle_array *a = heddle_own(heddle_ones(HEDDLE_SHAPE(3)));
    heddle_array *same = heddle_own(heddle_sum(a, .axes = HEDDLE_NO_AXES)); /* the operand itself */
    CHECK(same == a);
    heddle_array *b = heddle_own(heddle_negative(a));
    CHECK_EQ(heddle__nodes_live(), before + 2);
    heddle_release(a);
    heddle_release(same);
    CHECK_EQ(heddle__nodes_live(), before + 2); /* b is made of it */
    heddle_release(b);
    CHECK_EQ(heddle__nodes_live(), before); /* nothing waits for the scope to close */
    heddle_array *bad = heddle_own(heddle_add(NULL, NULL));
    CHECK_EQ(heddle_status_of(bad), HEDDLE_EARG);
    heddle_release(bad);
    CHECK_EQ(heddle__nodes_live(), before);
}

static void *own_elsewhere(void *unused)
{
    own_and_release(); /* no scope is open on this thread */
    return unused;
}

static void owned(void)
{
    pthread_t thread;
    own_and_release();
    heddle_scope outer = heddle_scope_open();
    own_and_release();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(3)), *b = heddle_negative(a);
    own_and_release();
    CHECK(heddle_own(a) == a); /* not the last one: the scope has a reference, too */
    heddle_scope inner = heddle_scope_open();
    own_and_release();
    CHECK(heddle_own(b) == b); /* the outer scope's */
    heddle_array *c = heddle_own(heddle_add(a, b));
    pthread_create(&thread, NULL, own_elsewhere, NULL);
    pthread_join(thread, NULL);
    heddle_scope_close(inner);
    heddle_scope_close(outer);
    CHECK_EQ(heddle__nodes_live(), 3);
    heddle_release(a);
    heddle_release(b);
    CHECK_EQ(heddle__nodes_live(), 3); /* c is made of them */
    heddle_release(c);
    CHECK_EQ(heddle__nodes_live(), 0);

    /* heddle_keep adds a reference in any case */
    a = heddle_keep(heddle_ones(HEDDLE_SHAPE(3)));
    heddle_release(a);
    CHECK_EQ(heddle__nodes_live(), 1);
    heddle_release(a);
    CHECK_EQ(heddle__nodes_live(), 0);
}

static void scopes(void)
{
    heddle_scope outer = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(2));
    heddle_scope inner = heddle_scope_open();
    heddle_array *b = heddle_add(a, a), *kept = heddle_keep(heddle_add(b, b));
    heddle_scope_open(); /* closed with the one around it */
    heddle_add(a, b);
    CHECK_EQ(heddle__nodes_live(), 4);
    heddle_scope_close(inner);
    CHECK_EQ(heddle__nodes_live(), 3); /* b lives below kept */
    heddle_scope_close(inner);         /* again: nothing */
    heddle_scope_close(NULL);
    heddle_scope_close(outer);
    CHECK_EQ(heddle__nodes_live(), 3);
    heddle_release(kept);
    CHECK_EQ(heddle__nodes_live(), 0);
    CHECK_EQ(heddle__alloc_live(), 0);
}

static void long_chains(void)
{
    /* no recursion, however long; both with and without a scope, and through errors */
    const int n = 1000000;
    const double x = 1;
    for (int in_scope = 0; in_scope < 2; in_scope++) {
        heddle_scope scope = in_scope ? heddle_scope_open() : NULL;
        heddle_array *a = heddle_asarray(&x, HEDDLE_FLOAT64, 0, NULL);
        for (int i = 0; i < n; i++) {
            heddle_array *next = i % 3 ? heddle_negative(a) : heddle_add(a, a);
            if (!in_scope) heddle_release(a);
            a = next;
        }
        CHECK_EQ(heddle__nodes_live(), n + 1);
        if (in_scope)
            heddle_scope_close(scope);
        else
            heddle_release(a);
        CHECK_EQ(heddle__nodes_live(), 0);
    }
}

static void transitions(void)
{
    const double x[2] = {1, 2};
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(2));
    heddle_array *view = heddle_flip(a), *sum = heddle_add(a, view);
    heddle_array *const parts[4] = {a, view, sum, a};
    heddle_array *joined = heddle_concat(4, parts, 0), *one = heddle_scalar(2.0);
    CHECK_EQ(joined->n_in, 5);
    CHECK(joined->in[0] == NULL);
    heddle_release(a);
    heddle__node_become_data(view, heddle__storage_copy(x, sizeof x));
    heddle__node_become_data(joined, heddle__storage_copy((double[8]){0}, 64));
    heddle__node_become_data(one, heddle__storage_copy((double[1]){2}, 8));
    CHECK(heddle_is_evaluated(view) && heddle_is_evaluated(one));
    heddle__node_become_error(sum, HEDDLE_EDEVICE, "it broke");
    CHECK_EQ(heddle_status_of(sum), HEDDLE_EDEVICE);
    CHECK_STR(heddle_error(heddle_add(sum, sum)), "it broke");
    heddle_release(sum); /* the error that add passed on */
    heddle__node_become_error(joined, HEDDLE_EDEVICE, "late");

    /* a scalar keeps its value when it is evaluated */
    heddle_array *twice = heddle_multiply(view, one);
    CHECK_EQ(twice->in[1]->kind, HEDDLE_NODE_CONSTANT);
    CHECK_NUM(meaning_nth(twice, 1), 4);
    heddle_array *all[] = {view, sum, joined, one, twice};
    for (int i = 0; i < 5; i++) heddle_release(all[i]);
    CHECK_EQ(heddle__nodes_live(), 0);
    CHECK_EQ(heddle__storage_bytes_live(), 0);
    CHECK_EQ(heddle__alloc_live(), 0);
}

/* ---- Threads ------------------------------------------------------------------------------------ */

enum { N_THREADS = 4 };

static void *build_on_shared(void *shared)
{
    heddle_array *base = shared;
    for (int round = 0; round < 200; round++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *x = base;
        for (int i = 0; i < 50; i++)
            x = heddle_add(heddle_flip(x), heddle_multiply(base, heddle_scalar(2.0)));
        CHECK_EQ(heddle_status_of(x), HEDDLE_OK);
        CHECK_EQ(heddle_size(heddle_sum(x, .axis = 0)), 4);
        heddle_scope_close(scope);
    }
    heddle_scope_open(); /* left open: the end of the thread closes it */
    return heddle_keep(heddle_negative(base));
}

/* Evaluates views while others record over them. */
static void *turn_views_to_data(void *arrays)
{
    heddle_array **views = arrays;
    static const double zeros[12];
    for (int i = 0; i < 1000; i++)
        heddle__node_become_data(views[i], heddle__storage_copy(zeros, sizeof zeros));
    return NULL;
}

static void *record_over_views(void *arrays)
{
    heddle_array **views = arrays;
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < 1000; i++) {
        heddle_array *r = heddle_sum(heddle_flip(heddle_matrix_transpose(views[i])));
        CHECK_EQ(heddle_status_of(r), HEDDLE_OK);
    }
    heddle_scope_close(scope);
    return NULL;
}

static void threads(void)
{
    pthread_t t[N_THREADS];
    static const double x[12];
    heddle_array *base = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(3, 4), .borrow = true);
    for (int i = 0; i < N_THREADS; i++) pthread_create(&t[i], NULL, build_on_shared, base);
    for (int i = 0; i < N_THREADS; i++) {
        void *kept = NULL;
        pthread_join(t[i], &kept);
        heddle_release(kept); /* made on another thread */
    }

    static heddle_array *views[1000];
    for (int i = 0; i < 1000; i++) views[i] = heddle_flip(base);
    pthread_create(&t[0], NULL, turn_views_to_data, views);
    for (int i = 1; i < N_THREADS; i++) pthread_create(&t[i], NULL, record_over_views, views);
    for (int i = 0; i < N_THREADS; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 1000; i++) heddle_release(views[i]);
    heddle_release(base);
    CHECK_EQ(heddle__nodes_live(), 0);
    CHECK_EQ(heddle__storage_bytes_live(), 0);
    CHECK_EQ(heddle__alloc_live(), 0);
}

static void text(void)
{
    heddle_scope scope = heddle_scope_open();
    const float x[6] = {0};
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(2, 3));
    heddle_array *r =
        heddle_sum(heddle_multiply(heddle_flip(a, .axis = 1), heddle_scalar(2.5)), .axis = 0);
    char *out = NULL;
    CHECK_EQ(heddle__graph_text(r, false, &out), HEDDLE_OK);
    CHECK_STR(out, "%0 data: float32 (2, 3)\n"
                   "%1 view %0: float32 (2, 3) [i0, 2 - i1]\n"
                   "%2 constant: float32 () = 2.5\n"
                   "%3 multiply %1, %2: float32 (2, 3)\n"
                   "%4 sum %3: float32 (3,) axes 0\n");
    heddle__free(out);
    CHECK_EQ(heddle__graph_text(r, true, &out), HEDDLE_OK);
    CHECK_HAS(out, "digraph");
    CHECK_HAS(out, "n3 -> n4;");
    heddle__free(out);
    heddle_scope_close(scope);
    CHECK_EQ(heddle__alloc_live(), 0);
}

int main(void)
{
    references();
    owned();
    scopes();
    long_chains();
    transitions();
    threads();
    text();
    return check_done();
}
