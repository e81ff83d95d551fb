/* heddle_explain: what evaluating an array would do, as text. Computes nothing; run.c does.
 * Entry points: heddle_explain, heddle__explain_plan. */
#include "base/memory.h"
#include "base/user_function.h"
#include "explain/run.h"
#include "graph/print.h"
#include "plan/make/make.h"
#include "plan/print.h"
#include "run/execute.h"
#include "run/life.h"
#include "graph/check.h"

#include <heddle/explain.h>

enum heddle_status heddle__explain_plan(heddle_array *a, char **text, bool *needs_runtime)
{
    *needs_runtime = false;
    if (heddle__node_has_data(a)) {
        *text = heddle__strdup("plan: nothing to do, the data exist\n");
        return *text ? HEDDLE_OK : heddle__fail(HEDDLE_ENOMEM, "heddle_explain: no memory");
    }
    const struct heddle_policy *policy = heddle__policy();
    if (!policy) return heddle__last_code();
    struct heddle_walk walk = {0};
    enum heddle_status status = heddle__walk(&walk, 1, &a);
    if (status == HEDDLE_OK) {
        struct heddle_plan *plan = heddle__plan_make(&walk, policy);
        status = plan ? heddle__plan_text(plan, text) : heddle__last_code();
        *needs_runtime = plan && !heddle__runs_here(plan);
        heddle__plan_release(plan);
    }
    heddle__walk_free(&walk);
    return status;
}

enum heddle_status heddle_explain(heddle_array *a, enum heddle_explain_form form, char **text)
{
    HEDDLE_REQUIRE(a && text, HEDDLE_EARG, "heddle_explain: %s is NULL", a ? "text" : "the array");
    HEDDLE_REQUIRE_ALIVE("explain", a);
    if (heddle_status_of(a) != HEDDLE_OK)
        return heddle__fail(heddle_status_of(a), "%s", heddle_error(a));
    HEDDLE_REQUIRE(form == HEDDLE_EXPLAIN_PLAN || form == HEDDLE_EXPLAIN_GRAPH ||
                       form == HEDDLE_EXPLAIN_DOT || form == HEDDLE_EXPLAIN_RUN,
                   HEDDLE_EARG, "heddle_explain: form %d is none of PLAN, GRAPH, DOT, RUN",
                   (int)form);
    enum heddle_status status = heddle__refuse_in_function("explain");
    if (status != HEDDLE_OK) return status;
    if (form == HEDDLE_EXPLAIN_RUN) return heddle__explain_run(a, text);
    bool needs_runtime;
    heddle__evaluation_lock();
    status = form == HEDDLE_EXPLAIN_PLAN ? heddle__explain_plan(a, text, &needs_runtime)
                                         : heddle__graph_text(a, form == HEDDLE_EXPLAIN_DOT, text);
    heddle__evaluation_unlock();
    return status;
}
