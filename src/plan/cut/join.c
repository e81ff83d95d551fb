/* Steps that become one. Entry points: join.h. */
#include "plan/cut/join.h"

#include "base/memory.h"

#include <string.h>

/* ---- Uses ------------------------------------------------------------------------------------------ */

static const struct heddle_plan_use *uses_of(const struct heddle_plan *plan,
                                             const struct heddle_plan_task *task)
{
    return plan->uses + task->first_use;
}

static bool writes(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                   const struct heddle_plan_use *what, bool any_part)
{
    for (int32_t k = 0; k < task->n_uses; k++) {
        const struct heddle_plan_use *use = &uses_of(plan, task)[k];
        if (use->array == what->array && (any_part || use->part == what->part) &&
            use->mode & HEDDLE_WRITE)
            return true;
    }
    return false;
}

const struct heddle_plan_use *heddle__only_write(const struct heddle_plan *plan,
                                                 const struct heddle_plan_task *task)
{
    const struct heddle_plan_use *found = NULL;
    for (int32_t k = 0; k < task->n_uses; k++) {
        const struct heddle_plan_use *use = &plan->uses[task->first_use + k];
        if (!(use->mode & HEDDLE_WRITE)) continue;
        if (found || use->mode != HEDDLE_WRITE) return NULL;
        found = use;
    }
    return found;
}

/* All tasks of a step write parts of the same arrays. */
bool heddle__join_reads_its_own(const struct heddle_join *c, int64_t i)
{
    const struct heddle_plan *plan = c->p->plan;
    const struct heddle_plan_task *task = heddle__step_task(plan, c->to - 1, i);
    for (int32_t k = 0; k < task->n_uses; k++) {
        const struct heddle_plan_use *use = &uses_of(plan, task)[k];
        for (int64_t step = c->from; step < c->to - 1; step++)
            if (writes(plan, heddle__step_task(plan, step, 0), use, true) &&
                (use->mode & HEDDLE_WRITE ||
                 !writes(plan, heddle__step_task(plan, step, i), use, false)))
                return false;
    }
    return true;
}

bool heddle__join_overwrites(const struct heddle_join *c)
{
    const struct heddle_plan *plan = c->p->plan;
    const struct heddle_plan_task *last = heddle__step_task(plan, c->to - 1, 0);
    for (int32_t k = 0; k < last->n_uses; k++) {
        const struct heddle_plan_use *use = &uses_of(plan, last)[k];
        if (!(use->mode & HEDDLE_WRITE)) continue;
        const struct heddle_plan_task *first = heddle__step_task(plan, c->from, 0);
        for (int64_t u = first->first_use; u < last->first_use; u++)
            if (plan->uses[u].array == use->array) return true;
    }
    return false;
}

bool heddle__join_uses(const struct heddle_join *c, int64_t i, struct heddle_plan_use **list,
                       int32_t *n, uint32_t *number[])
{
    struct heddle_planner *p = c->p;
    const struct heddle_plan *plan = p->plan;
    size_t most = 0;
    for (int64_t s = c->from; s < c->to; s++) most += (size_t)heddle__step_task(plan, s, i)->n_uses;
    *list = heddle__arena_alloc(&p->scratch, most * sizeof **list);
    if (!*list) return false;
    *n = 0;
    for (int64_t s = c->from; s < c->to; s++) {
        const struct heddle_plan_task *task = heddle__step_task(plan, s, i);
        uint32_t *at = heddle__arena_alloc(&p->scratch, (size_t)(task->n_uses + 1) * sizeof *at);
        if (!at) return false;
        for (int32_t k = 0; k < task->n_uses; k++) {
            const struct heddle_plan_use *use = &uses_of(plan, task)[k];
            int32_t u = 0;
            while (u < *n && ((*list)[u].array != use->array || (*list)[u].part != use->part)) u++;
            if (u == *n) (*list)[(*n)++] = *use;
            at[k] = (uint32_t)u;
        }
        number[s - c->from] = at;
    }
    return true;
}

bool heddle__join_leaves(const struct heddle_join *c, int32_t array)
{
    const struct heddle_plan *plan = c->p->plan;
    if (plan->arrays[array].role != HEDDLE_ROLE_TEMPORARY) return true;
    for (int32_t r = 0; r < plan->n_results; r++)
        if (plan->arrays[plan->results[r]].owner == array) return true;
    const struct heddle_plan_task *last =
        heddle__step_task(plan, c->to - 1, plan->steps[c->to - 1].n_tasks - 1);
    for (int64_t u = last->first_use + last->n_uses; u < plan->n_uses; u++)
        if (plan->uses[u].array == array) return true;
    return false;
}

/* Makes the plan's uses and calls anew, in the order of its tasks. Tasks from..from+n-1 have uses[]. */
static bool list_again(struct heddle_planner *p, int64_t from, int64_t n,
                       struct heddle_plan_use *const uses[])
{
    struct heddle_plan *plan = p->plan;
    struct heddle_plan_use *list = NULL;
    struct heddle_kernel_call *calls = NULL;
    int64_t use_room = 0, call_room = 0, n_uses = 0, n_calls = 0;
    if (!heddle__grow(&list, sizeof *list, plan->n_uses, &use_room) ||
        !heddle__grow(&calls, sizeof *calls, plan->n_calls, &call_room)) {
        heddle__free(list);
        heddle__free(calls);
        return false;
    }
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        struct heddle_plan_task *task = &plan->tasks[t];
        memcpy(list + n_uses, t >= from && t < from + n ? uses[t - from] : uses_of(plan, task),
               (size_t)task->n_uses * sizeof *list);
        memcpy(calls + n_calls, plan->calls + task->first_call,
               (size_t)task->n_calls * sizeof *calls);
        task->first_use = n_uses;
        task->first_call = n_calls;
        n_uses += task->n_uses;
        n_calls += task->n_calls;
    }
    heddle__free(plan->uses);
    heddle__free(plan->calls);
    plan->uses = list;
    plan->calls = calls;
    plan->n_uses = n_uses;
    plan->n_calls = n_calls;
    p->use_room = use_room;
    p->call_room = call_room;
    return true;
}

bool heddle__join_steps(const struct heddle_join *c, const struct heddle_plan_task tasks[],
                        struct heddle_plan_use *const uses[])
{
    struct heddle_planner *p = c->p;
    struct heddle_plan *plan = p->plan;
    struct heddle_plan_step *first = &plan->steps[c->from];
    const int64_t n = first->n_tasks, gone = c->to - c->from - 1;
    memcpy(plan->tasks + first->first_task, tasks, (size_t)n * sizeof *tasks);
    size_t at = strlen(first->name);
    for (int64_t s = c->from + 1; s < c->to; s++) {
        const struct heddle_plan_step *step = &plan->steps[s];
        const size_t length = strlen(step->name);
        if (at + 2 + length < sizeof first->name) {
            first->name[at] = ';';
            memcpy(first->name + at + 1, step->name, length + 1);
            at += 1 + length;
        }
        first->n_nodes += step->n_nodes;
        first->asked |= step->asked;
    }
    const int64_t end = first->first_task + n; /* of what stays; tasks of the others go */
    const int64_t from =
        plan->steps[c->to - 1].first_task + plan->steps[c->to - 1].n_tasks; /* of what follows */
    memmove(plan->tasks + end, plan->tasks + from,
            (size_t)(plan->n_tasks - from) * sizeof *plan->tasks);
    plan->n_tasks -= from - end;
    for (int64_t t = end; t < plan->n_tasks; t++) plan->tasks[t].step -= (int32_t)gone;
    memmove(plan->steps + c->from + 1, plan->steps + c->to,
            (size_t)(plan->n_steps - c->to) * sizeof *plan->steps);
    plan->n_steps -= gone;
    for (int64_t s = c->from + 1; s < plan->n_steps; s++) plan->steps[s].first_task -= from - end;
    return list_again(p, first->first_task, n, uses);
}

/* ---- Steps that are moved --------------------------------------------------------------------------------- */

/* Whether a use of the tasks of step `later` is of an array that those of `step` use, where one of the two, or `step`, writes. */
static bool depends(const struct heddle_plan *plan, int64_t later, int64_t step, bool on_writes)
{
    const struct heddle_plan_task *const a = heddle__step_task(plan, later, 0),
                                         *const b = heddle__step_task(plan, step, 0);
    const int64_t n_a = plan->steps[later].n_tasks, n_b = plan->steps[step].n_tasks;
    if (n_a == 0 || n_b == 0) return false;
    for (int64_t u = a->first_use; u < a[n_a - 1].first_use + a[n_a - 1].n_uses; u++)
        for (int64_t w = b->first_use; w < b[n_b - 1].first_use + b[n_b - 1].n_uses; w++)
            if (plan->uses[u].array == plan->uses[w].array &&
                (plan->uses[w].mode & HEDDLE_WRITE ||
                 (!on_writes && plan->uses[u].mode & HEDDLE_WRITE)))
                return true;
    return false;
}

bool heddle__join_follows(const struct heddle_join *c, int64_t later)
{
    for (int64_t step = c->from; step < c->to; step++)
        if (depends(c->p->plan, later, step, true)) return true;
    return false;
}

bool heddle__join_bring(const struct heddle_join *c, int64_t later)
{
    struct heddle_planner *p = c->p;
    struct heddle_plan *plan = p->plan;
    for (int64_t step = c->to; step < later; step++)
        if (depends(plan, later, step, false)) return true;
    const struct heddle_plan_step moved = plan->steps[later];
    const int64_t first = plan->steps[c->to].first_task, n = moved.n_tasks;
    struct heddle_plan_task *tasks = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *tasks);
    if (!tasks) return false;
    memcpy(tasks, plan->tasks + moved.first_task, (size_t)n * sizeof *tasks);
    memmove(plan->tasks + first + n, plan->tasks + first,
            (size_t)(moved.first_task - first) * sizeof *tasks);
    memcpy(plan->tasks + first, tasks, (size_t)n * sizeof *tasks);
    memmove(plan->steps + c->to + 1, plan->steps + c->to,
            (size_t)(later - c->to) * sizeof *plan->steps);
    plan->steps[c->to] = moved;
    for (int64_t s = c->to, at = first; s <= later; at += plan->steps[s++].n_tasks) {
        plan->steps[s].first_task = at;
        for (int64_t i = 0; i < plan->steps[s].n_tasks; i++) plan->tasks[at + i].step = (int32_t)s;
    }
    return list_again(p, 0, 0, NULL);
}
