/* Proves that small work on data in host memory runs on the caller's thread until the data have been read often, and then at a GPU, if it
 * takes longer than a launch there; on an invented machine. */
#include "check.h"
#include "planned.h"

#include "machine/machine.h"

#include <heddle.h>
#include <stdlib.h>

enum { OFTEN = 16 };

static struct heddle_policy machine(int64_t worn_bytes)
{
    CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = 2 << 20}), HEDDLE_OK);
    struct heddle_policy policy = *heddle__policy();
    policy.worn_bytes = worn_bytes;
    return policy;
}

/* exp(x), or, of as much work, a chain of many operations, which would be several launches. */
static heddle_array *of(heddle_array *x, bool is_chain)
{
    if (!is_chain) return heddle_exp(x);
    for (int i = 0; i < 20; i++) x = heddle_add(x, heddle_scalar(1.0));
    return x;
}

/* How many evaluations of that run on the caller's thread before one does not; `fresh`: of other data each time. */
static int inline_runs(const struct heddle_policy *policy, int64_t n, bool fresh, bool is_chain)
{
    heddle__invent_machine(policy);
    heddle_scope all = heddle_scope_open();
    heddle_array *x = zeros_data(HEDDLE_FLOAT64, HEDDLE_SHAPE(n));
    int runs = 0;
    for (; runs < 3 * OFTEN; runs++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *y = of(fresh ? zeros_data(HEDDLE_FLOAT64, HEDDLE_SHAPE(n)) : x, is_chain);
        struct heddle_plan *plan = planned(y, policy);
        const bool run_inline = plan->run_inline;
        heddle__plan_release(plan);
        CHECK_EQ(heddle_wait(y), HEDDLE_OK);
        heddle_scope_close(scope);
        if (!run_inline) break;
    }
    heddle_scope_close(all);
    heddle__invent_machine(NULL);
    return runs;
}

int main(void)
{
    const int64_t some = 1 << 20, n = 32000, few = 10000;
    const struct heddle_policy gpus = machine(some), patient = machine(0);
    CHECK_EQ(inline_runs(&gpus, n, false, false), OFTEN);
    CHECK_EQ(inline_runs(&gpus, n, true, false), 3 * OFTEN);
    CHECK_EQ(inline_runs(&gpus, few, false, false), 3 * OFTEN); /* a launch takes longer */
    CHECK_EQ(inline_runs(&gpus, n, false, true), 3 * OFTEN);
    CHECK_EQ(inline_runs(&patient, n, false, false), 3 * OFTEN);
    return check_done();
}
