/* Proves which operands of reductions are copied first, as their rows lie across those of the iteration, on a GPU and on CPUs
 * alone; and that such a copy is a step of its own on a GPU, where a chain over rows (decision 50) would read it across. */
#include "check.h"
#include "planned.h"

#include "run/execute.h"

#include <heddle.h>
#include <stdlib.h>

static heddle_array *host(int n_axes, const int64_t *shape)
{
    int64_t n = 1;
    for (int d = 0; d < n_axes; d++) n *= shape[d];
    void *zeros = calloc((size_t)n, sizeof(float));
    heddle_array *a = heddle_asarray(zeros, HEDDLE_FLOAT32, n_axes, shape);
    free(zeros);
    return a;
}

static void check_steps(const char *what, heddle_array *a, int64_t n_steps)
{
    struct heddle_plan *plan = planned(a, heddle__policy());
    CHECK(plan && plan->n_steps == n_steps, "%s, %d GPUs: %lld steps", what,
          heddle__policy()->n_gpus, (long long)(plan ? plan->n_steps : 0));
    if (plan) heddle__plan_release(plan);
}

static void test_machine(int n_gpus)
{
    struct heddle_policy policy = {.n_gpus = n_gpus,
                                   .n_places = n_gpus + 1,
                                   .n_teams = 1,
                                   .places = {{HEDDLE_PLACE_GPU, 4e12, 3e13, 5e10, 1LL << 37},
                                              {HEDDLE_PLACE_CPU, 1e11, 1e12, 0, 0}},
                                   .inline_bytes = -1,
                                   .fusion = true};
    if (n_gpus == 0) policy.places[0] = policy.places[1];
    heddle__policy_finish(&policy);
    heddle__invent_machine(&policy);
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = host(HEDDLE_SHAPE(2048, 2048)), *b = host(HEDDLE_SHAPE(2048, 2048));
    heddle_array *product = heddle_multiply(a, heddle_matrix_transpose(b));
    check_steps("all", heddle_sum(product), 1);
    check_steps("rows", heddle_sum(product, .axis = 1), 1);
    check_steps("columns", heddle_sum(product, .axis = 0), 1);
    /* a chunk has fewer rows than a cache line has elements */
    heddle_array *wide = host(HEDDLE_SHAPE(64, 32768)), *tall = host(HEDDLE_SHAPE(32768, 64));
    heddle_array *few = heddle_multiply(wide, heddle_matrix_transpose(tall));
    if (n_gpus == 0) check_steps("few rows", heddle_sum(few), 2);
    heddle_scope_close(scope);
}

int main(void)
{
    test_machine(0);
    test_machine(1);
    return check_done();
}
