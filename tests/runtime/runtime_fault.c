/* Proves that a task that fails makes an error of the arrays that need it, and of no other; and that
 * what cannot fit memory is refused. The kernel is diverted by the linker. */
#include "check_heddle.h"

#include "base/error.h"
#include "run/execute.h"
#include "run/life.h"

#include <heddle.h>
#include <stdlib.h>

enum { N = 3000 };
static const int64_t shape[] = {N};
static atomic_int fail_in; /* counts kernels down; the one that gets it to 0 fails */

enum heddle_status __real_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context);
enum heddle_status __wrap_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context);
enum heddle_status __wrap_heddle__call_cpu(const struct heddle_kernel_call *call,
                                           struct heddle_kernel_context *context)
{
    if (atomic_load(&fail_in) > 0 && atomic_fetch_sub(&fail_in, 1) == 1)
        return heddle__fail(HEDDLE_ENOMEM, "the kernel was told to fail");
    return __real_heddle__call_cpu(call, context);
}

static heddle_array *numbers(void)
{
    static double data[N];
    for (int i = 0; i < N; i++) data[i] = i;
    return heddle_asarray(data, HEDDLE_FLOAT64, 1, shape);
}

static void test_failed_task(void)
{
    heddle_scope scope = heddle_scope_open();
    double out[N];
    heddle_array *a = numbers(), *bad = heddle_add(a, a);
    atomic_store(&fail_in, 1);
    const enum heddle_status first = heddle_eval(bad);
    heddle_array *needs_it = heddle_sum(heddle_exp(bad)), *other = heddle_negative(a);
    if (first == HEDDLE_OK) heddle_eval(needs_it); /* it may be known already, inline */
    CHECK_EQ(heddle_read(other, out, sizeof out), HEDDLE_OK);
    CHECK_NUM(out[N - 1], 1 - N);
    CHECK_EQ(heddle_wait(bad), HEDDLE_ENOMEM);
    CHECK_HAS(heddle_error(bad), "told to fail");
    CHECK_EQ(heddle_status_of(bad), HEDDLE_ENOMEM);
    CHECK_EQ(heddle_read(bad, out, sizeof out), HEDDLE_ENOMEM);
    CHECK_EQ(heddle_wait(needs_it), HEDDLE_ENOMEM);
    CHECK_HAS(heddle_error(needs_it), "told to fail");
    CHECK_EQ(heddle_eval(heddle_add(bad, a)), HEDDLE_ENOMEM);
    CHECK_EQ(heddle_wait(heddle_add(a, a)), HEDDLE_OK);
    atomic_store(&fail_in, 0);
    heddle_scope_close(scope);
}

/* An error that is not known yet at shut-down. */
static void test_shutdown_with_error(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = numbers(), *bad = heddle_multiply(a, a), *good = heddle_add(a, a);
    atomic_store(&fail_in, 1);
    heddle_eval(bad);
    CHECK_EQ(heddle_wait(good), HEDDLE_OK);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_wait(bad), HEDDLE_ENOMEM);
    CHECK_EQ(heddle_wait(good), HEDDLE_OK);
    atomic_store(&fail_in, 0);
    heddle_scope_close(scope);
}

static void test_too_large(void)
{
    heddle_scope scope = heddle_scope_open();
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu",
                                                      .inline_bytes = -1,
                                                      .cpu_memory_bytes = 1 << 20,
                                                      .temp_dir = "/none"}),
             HEDDLE_OK);
    const int64_t large[] = {1 << 18};
    heddle_array *a = heddle_add(heddle_ones(1, large), heddle_scalar(1.0));
    CHECK_EQ(heddle_eval(a), HEDDLE_ENOMEM);
    CHECK_HAS(heddle_error(a),
              "heddle_eval: 0 B are in use and 2.1 MB more are needed, of 1.05 MB of memory "
              "and 0 B that are free in '/none' (HEDDLE_TMP)");
    heddle_array *s = heddle_sum(heddle_ones(1, large));
    double sum;
    CHECK_EQ(heddle_read(s, &sum, sizeof sum), HEDDLE_OK);
    CHECK_NUM(sum, 1 << 18);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    heddle_scope_close(scope);
}

/* `n` operations one after the other, each a pass over memory. */
static heddle_array *chain(heddle_array *a, int n)
{
    for (int i = 0; i < n; i++) a = heddle_add(a, heddle_scalar(1.0));
    return a;
}

/* Under a limit a chain over an array that is larger is refused at once; one over an array that fits
 * goes on for as long as it likes. */
static void test_limited_chain(void)
{
    enum { LARGE = 1 << 18, LIMIT = 3 * LARGE * 8 };
    static double data[2 * LARGE];
    const int64_t large[] = {LARGE}, larger[] = {2 * LARGE};
    CHECK_EQ(heddle_configure(&(struct heddle_config){.devices = "cpu",
                                                      .inline_bytes = -1,
                                                      .partition = "16",
                                                      .no_fusion = true,
                                                      .temp_dir = "/none",
                                                      .cpu_memory_bytes = LIMIT}),
             HEDDLE_OK);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = chain(heddle_asarray(data, HEDDLE_FLOAT64, 1, larger, .borrow = true), 10);
    CHECK_EQ(heddle_wait(a), HEDDLE_ENOMEM);
    CHECK_HAS(heddle_error(a), "are in use and");
    heddle_scope_close(scope);

    heddle_array *x = heddle_asarray(data, HEDDLE_FLOAT64, 1, large, .borrow = true);
    heddle_array *one = heddle_scalar(1.0);
    for (int i = 0; i < 30; i++) {
        heddle_array *next = heddle_add(x, one);
        CHECK_EQ(heddle_wait(next), HEDDLE_OK);
        heddle_release(x);
        x = next;
    }
    double *out = calloc(LARGE, sizeof *out);
    CHECK_EQ(heddle_read(x, out, LARGE * 8), HEDDLE_OK);
    if (out) CHECK_NUM(out[LARGE - 1], 30);
    free(out);
    heddle_release(x);
    heddle_release(one);
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
}

int main(void)
{
    static const struct heddle_config ways[] = {
        {.devices = "cpu"},
        {.devices = "cpu", .inline_bytes = -1},
        {.devices = "cpu", .inline_bytes = -1, .partition = "3"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_EQ(heddle_configure(&ways[i]), HEDDLE_OK);
        test_failed_task();
        if (i > 0) test_shutdown_with_error();
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    test_too_large();
    test_limited_chain();
    check_nothing_left();
    return check_done();
}
