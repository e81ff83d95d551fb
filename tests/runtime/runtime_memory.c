/* Proves that an evaluation whose memory is held by work in flight waits for it, and that one which nothing
 * in flight can help is refused, at once or when that is done. */
#include "check_heddle.h"
#include "runtime/slow.h"

#include <heddle.h>
#include <stdlib.h>
#include <time.h>

enum { N = 1 << 20, LIMIT = 64 << 20, MANY = 20 }; /* 8 MB each */
static const int64_t shape[] = {N};
static int ms = 20;

static double one(heddle_array *a)
{
    double value = 0;
    heddle_array *first = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(0)));
    CHECK(heddle_read(first, &value, sizeof value) == HEDDLE_OK, "%s", heddle_last_error());
    heddle_release(first);
    return value;
}

static heddle_array *slow(double value)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_multiply(heddle_ones(1, shape), heddle_scalar(value));
    heddle_array *b = slowed(a, &ms);
    heddle_array *c = heddle_keep(heddle_add(b, heddle_scalar(1.0)));
    heddle_scope_close(scope);
    return c;
}

/* Each is dropped while it is computed: more than fit together. */
static void test_dropped(void)
{
    for (int i = 0; i < MANY; i++) {
        heddle_array *a = slow(i);
        CHECK(heddle_eval(a) == HEDDLE_OK, "%d: %s", i, heddle_last_error());
        heddle_release(a);
    }
    heddle_array *last = slow(7);
    CHECK_NUM(one(last), 8);
    heddle_release(last);
}

/* What is held fills the memory: waiting does not help. The last that is accepted may find, as its tasks
 * run, that sizes are rounded up. */
static void test_held(void)
{
    heddle_array *held[MANY];
    int n = 0, n_good = 0;
    enum heddle_status status = HEDDLE_OK;
    while (n < MANY && status == HEDDLE_OK) {
        held[n] = slow(n);
        status = heddle_eval(held[n++]);
    }
    CHECK_EQ(status, HEDDLE_ENOMEM);
    CHECK_HAS(heddle_last_error(), "are in use and");
    for (int i = 0; i < n; i++) {
        status = heddle_wait(held[i]);
        CHECK(status == HEDDLE_OK || (status == HEDDLE_ENOMEM && i > 3), "%d: %d", i, status);
        if (status == HEDDLE_OK) CHECK_NUM(one(held[i]), i + 1);
        n_good += status == HEDDLE_OK;
    }
    CHECK(n_good > 3 && n_good < n, "%d of %d", n_good, n);
    for (int i = 0; i < n; i++) heddle_release(held[i]);
    heddle_array *after = slow(1);
    CHECK_NUM(one(after), 2);
    heddle_release(after);
}

static void test_too_large(void)
{
    heddle_array *busy = slow(1);
    CHECK_EQ(heddle_eval(busy), HEDDLE_OK);
    heddle_array *ones = heddle_ones(HEDDLE_SHAPE(LIMIT)), *by = heddle_scalar(2.0);
    heddle_array *a = heddle_multiply(ones, by);
    CHECK_EQ(heddle_eval(a), HEDDLE_ENOMEM);
    CHECK_NUM(one(busy), 2);
    heddle_release(ones);
    heddle_release(by);
    heddle_release(a);
    heddle_release(busy);
}

int main(void)
{
    setenv("HEDDLE_TMP", "/nonexistent", 1); /* no disk instead */
    const struct heddle_config config = {
        .devices = "cpu", .inline_bytes = -1, .cpu_memory_bytes = LIMIT};
    CHECK_EQ(heddle_configure(&config), HEDDLE_OK);
    test_dropped();
    test_held();
    test_too_large();
    check_nothing_left();
    return check_done();
}
