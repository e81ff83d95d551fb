/* Steps that make what nobody reads: the indices of what is seen by strides, which are known without them (families/gather). Entry point:
 * heddle__drop_unread. */
#include "plan/cut/cut.h"

#include <string.h>

/* Notes the owners that a step uses in a mode; whether there is one that is noted already. */
static bool visit(const struct heddle_plan *plan, const struct heddle_plan_step *step,
                  enum heddle_mode mode, bool *noted, bool notes)
{
    bool some = false;
    for (int64_t t = step->first_task; t < step->first_task + step->n_tasks; t++) {
        const struct heddle_plan_task *task = &plan->tasks[t];
        for (int32_t k = 0; k < task->n_uses; k++) {
            const struct heddle_plan_use *use = &plan->uses[task->first_use + k];
            if (!(use->mode & mode)) continue;
            bool *is = &noted[plan->arrays[use->array].owner];
            some |= *is;
            *is |= notes;
        }
    }
    return some;
}

/* Closes the gaps that tasks without uses leave among tasks, uses and calls, and steps without tasks among steps. */
static void close_gaps(struct heddle_plan *plan, const bool *gone)
{
    int64_t n_tasks = 0, n_uses = 0, n_calls = 0, n_steps = 0;
    for (int64_t s = 0; s < plan->n_steps; s++) {
        struct heddle_plan_step step = plan->steps[s];
        if (gone[s]) continue;
        for (int64_t t = 0; t < step.n_tasks; t++) {
            struct heddle_plan_task task = plan->tasks[step.first_task + t];
            memmove(plan->uses + n_uses, plan->uses + task.first_use,
                    (size_t)task.n_uses * sizeof *plan->uses);
            memmove(plan->calls + n_calls, plan->calls + task.first_call,
                    (size_t)task.n_calls * sizeof *plan->calls);
            task.first_use = n_uses;
            task.first_call = n_calls;
            task.step = (int32_t)n_steps;
            n_uses += task.n_uses;
            n_calls += task.n_calls;
            plan->tasks[n_tasks + t] = task;
        }
        step.first_task = n_tasks;
        n_tasks += step.n_tasks;
        plan->steps[n_steps++] = step;
    }
    plan->n_tasks = n_tasks;
    plan->n_uses = n_uses;
    plan->n_calls = n_calls;
    plan->n_steps = n_steps;
}

bool heddle__drop_unread(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    bool some = false, any = false;
    for (int32_t i = 0; i < p->n && !some; i++) some = p->values[i].shares;
    if (!some) return true;
    bool *noted = heddle__arena_alloc(&p->scratch, (size_t)(plan->n_arrays + 1) * sizeof *noted);
    bool *gone = heddle__arena_alloc(&p->scratch, (size_t)(plan->n_steps + 1) * sizeof *gone);
    if (!noted || !gone) return false;
    for (int32_t i = 0; i < plan->n_arrays; i++)
        noted[i] = plan->arrays[i].role != HEDDLE_ROLE_TEMPORARY;
    for (int32_t r = 0; r < plan->n_results; r++)
        noted[plan->arrays[plan->results[r]].owner] = true;
    for (int64_t s = plan->n_steps - 1; s >= 0; s--) {
        gone[s] = !visit(plan, &plan->steps[s], HEDDLE_WRITE, noted, false);
        any |= gone[s];
        if (!gone[s]) visit(plan, &plan->steps[s], HEDDLE_READ_WRITE, noted, true);
    }
    if (any) close_gaps(plan, gone);
    return true;
}
