/* Proves that what is computed again and again is kept before it costs: a chain that elements are read of in
 * turns is evaluated now and then, with the right values; a chain that is read once is not, nor what is
 * long beside the little that is read of it. */
#include "check_heddle.h"

#include <heddle.h>

enum { N = 500, TURNS = 400, OFTEN = 40 };
static const int64_t shape[] = {N};

static double element(heddle_array *a, int64_t i)
{
    double x = -1;
    heddle_scope scope = heddle_scope_open();
    heddle_array *at = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_AT(i)));
    CHECK(heddle_read(at, &x, sizeof x) == HEDDLE_OK, "%s", heddle_last_error());
    heddle_scope_close(scope);
    return x;
}

static heddle_array *with_element(heddle_array *a, int64_t i, double x)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *b = heddle_set_item(a, HEDDLE_INDEX(HEDDLE_AT(i)), heddle_scalar(x));
    heddle_keep(b);
    heddle_scope_close(scope);
    return b;
}

/* Turns after which the array was evaluated, though nobody asked for all of it. */
static int elements_in_turns(void)
{
    double want[N] = {0};
    heddle_array *a = heddle_zeros(1, shape);
    int kept = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        const int i = turn * 37 % N, j = turn * 101 % N;
        heddle_array *b = with_element(a, i, turn + 0.5);
        heddle_release(a);
        a = b;
        want[i] = turn + 0.5;
        CHECK_NUM(element(a, j), want[j]);
        kept += heddle_is_evaluated(a);
    }
    for (int i = 0; i < N; i += 7) CHECK_NUM(element(a, i), want[i]);
    heddle_release(a);
    return kept;
}

/* The same of sums: all heads are held. */
static int sums_in_turns(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(1, shape);
    int kept = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        a = heddle_add(a, heddle_scalar(2.0));
        CHECK_NUM(element(a, turn % N), 1 + 2.0 * (turn + 1));
        kept += heddle_is_evaluated(a);
    }
    heddle_scope_close(scope);
    return kept;
}

/* Each turn computes at most some more than is worth keeping. */
static void test_turns(void)
{
    const int elements = elements_in_turns(), sums = sums_in_turns();
    CHECK(elements >= TURNS / OFTEN && elements < TURNS / 2, "%d of %d", elements, TURNS);
    CHECK(sums >= TURNS / OFTEN && sums < TURNS / 2, "%d of %d", sums, TURNS);
}

static void test_once(void)
{
    heddle_array *a = heddle_zeros(1, shape);
    for (int i = 0; i < TURNS; i++) {
        heddle_array *b = with_element(a, i % N, i);
        heddle_release(a);
        a = b;
    }
    CHECK_NUM(element(a, 3), 3);
    CHECK(!heddle_is_evaluated(a));
    heddle_release(a);
}

/* Keeping all of an array for some elements of it is not worth it when it is long. */
static void test_long(void)
{
    const int64_t many[] = {200 << 20};
    heddle_array *a = heddle_ones(1, many), *b = heddle_add(a, a);
    for (int turn = 0; turn < TURNS; turn++) CHECK_NUM(element(b, turn), 2);
    CHECK(!heddle_is_evaluated(b));
    heddle_release(a);
    heddle_release(b);
}

/* What depends on an operation that fails stays an error, and the operation's message stays. */
static void test_failing(void)
{
    heddle_scope scope = heddle_scope_open();
    const int64_t beyond[] = {N + 5}, one[] = {1};
    heddle_array *a = heddle_ones(1, shape), *index = heddle_asarray(beyond, HEDDLE_INT64, 1, one);
    heddle_array *b = heddle_add(a, heddle_take(a, index));
    for (int turn = 0; turn < TURNS; turn++) {
        double x;
        heddle_array *at = heddle_getitem(b, HEDDLE_INDEX(HEDDLE_AT(turn)));
        CHECK_EQ(heddle_read(at, &x, sizeof x), HEDDLE_EINDEX);
        CHECK(strstr(heddle_last_error(), "index 505"), "%s", heddle_last_error());
    }
    heddle_scope_close(scope);
}

int main(void)
{
    static const struct heddle_config ways[] = {
        {.devices = "cpu"},
        {.devices = "cpu", .inline_bytes = -1},
        {.devices = "cpu", .inline_bytes = -1, .partition = "3"},
    };
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        CHECK_EQ(heddle_configure(&ways[w]), HEDDLE_OK);
        test_turns();
        test_once();
        test_failing();
        if (w == 0) test_long();
        heddle_shutdown();
    }
    return check_done();
}
