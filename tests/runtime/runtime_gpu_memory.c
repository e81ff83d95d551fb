/* Memory of a GPU that is nearly full: what does not fit beside arrays fails, and says so, or goes to the CPU; what fits once
 * leases have ended runs; nothing waits for ever. Needs a GPU (else skipped; HEDDLE_TEST_GPU makes that a failure). */
#include "check_heddle.h"

#include <heddle.h>
#include <stdlib.h>

enum {
    MEMORY = 1 << 30,
    N_HELD = 12,
    HELD = 4 << 20,
    FITS = 12 << 20,
    LARGE = 28 << 20,
    LARGER = 32 << 20
};

static heddle_array *ready(heddle_array *a)
{
    CHECK(heddle_wait(a) == HEDDLE_OK, "%s", heddle_error(a));
    return a;
}

/* n, n - 1, ..., 1 */
static heddle_array *falling(int64_t n)
{
    heddle_array *i = heddle_arange(heddle_scalar((double)n), NULL, NULL, .dtype = HEDDLE_FLOAT64);
    return ready(heddle_subtract(heddle_scalar((double)n), i));
}

static double item(heddle_array *a)
{
    double value = -1;
    CHECK(heddle_read(a, &value, sizeof value) == HEDDLE_OK, "%s", heddle_error(a));
    return value;
}

static void check_sorted(heddle_array *a, int64_t n)
{
    heddle_array *right = heddle_arange(heddle_scalar(1.0), heddle_scalar((double)n + 1), NULL,
                                        .dtype = HEDDLE_FLOAT64);
    CHECK_NUM(item(heddle_sum(heddle_abs(heddle_subtract(a, right)))), 0);
}

/* Results of direct launches, which take three eighths of the memory. */
static void hold(heddle_array *held[N_HELD])
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = falling(HELD);
    for (int k = 0; k < N_HELD; k++)
        held[k] = heddle_keep(ready(heddle_add(a, heddle_scalar((double)k))));
    heddle_scope_close(scope);
}

static void check_held(heddle_array *held[N_HELD])
{
    heddle_scope scope = heddle_scope_open();
    for (int k = 0; k < N_HELD; k++)
        CHECK_NUM(item(heddle_sum(held[k])), (double)HELD * ((HELD + 1) / 2.0 + k));
    heddle_scope_close(scope);
}

/* A sort takes its operand, its result, and as much scratch memory. */
static void test_results(bool with_cpu)
{
    heddle_array *held[N_HELD];
    hold(held);
    heddle_scope scope = heddle_scope_open();
    check_sorted(heddle_sort(falling(FITS)), FITS);
    heddle_array *large = falling(LARGE), *sorted = heddle_sort(large);
    if (with_cpu) {
        check_sorted(sorted, LARGE);
    } else {
        CHECK_EQ(heddle_eval(sorted), HEDDLE_ENOMEM);
        CHECK_HAS(heddle_last_error(), "of a GPU's memory");
    }
    check_held(held);
    for (int k = 0; k < N_HELD; k++) heddle_release(held[k]);
    check_sorted(heddle_sort(large), LARGE);
    heddle_scope_close(scope);
}

/* What StarPU brought, and direct launches use: a quarter of the memory, which StarPU may evict all the same. */
static void test_leases(void)
{
    enum { N = 1 << 20, MANY = 30 };
    double *data = malloc(N * sizeof *data);
    heddle_array *leased[MANY];
    for (int64_t i = 0; i < N; i++) data[i] = 1;
    heddle_scope scope = heddle_scope_open();
    for (int k = 0; k < MANY; k++) {
        heddle_array *host = heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(N));
        leased[k] = ready(heddle_add(host, heddle_scalar((double)k)));
        heddle_scope inner = heddle_scope_open();
        ready(heddle_add(leased[k], leased[k]));
        heddle_scope_close(inner);
    }
    check_sorted(heddle_sort(falling(LARGER)), LARGER);
    for (int k = 0; k < MANY; k++)
        CHECK_NUM(item(heddle_sum(heddle_add(leased[k], leased[k]))), 2.0 * N * (k + 1));
    check_sorted(heddle_sort(falling(LARGER)), LARGER);
    heddle_scope_close(scope);
    free(data);
}

/* More than the GPU has, whatever else is there. */
static void test_too_large(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *sorted = heddle_sort(falling(2 * LARGE));
    CHECK_EQ(heddle_eval(sorted), HEDDLE_ENOMEM);
    check_sorted(heddle_sort(falling(FITS)), FITS);
    heddle_scope_close(scope);
}

int main(void)
{
    CHECK_EQ(heddle_configure(&(struct heddle_config){
                 .devices = "gpu:0", .gpu_memory_bytes = MEMORY, .inline_bytes = -1}),
             HEDDLE_OK);
    const int no = check_started();
    if (no) return no;
    test_results(false);
    test_leases();
    test_too_large();
    CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    CHECK_EQ(heddle_configure(&(struct heddle_config){
                 .devices = "cpu,gpu:0", .gpu_memory_bytes = MEMORY, .inline_bytes = -1}),
             HEDDLE_OK);
    test_results(true);
    check_nothing_left();
    return check_done();
}
