/* After all tasks are made: elementwise work on what a family's calls write becomes part of these calls, where the
 * family takes it. Matrix products do it on each tile while that is in the cache. Entry point: heddle__join_epilogues. */
#include "plan/cut/join.h"

#include "base/memory.h"
#include "plan/policy/thresholds.h"
#include "plan/programs.h"

/* A step, and the step of maps behind it. */
struct epilogue {
    struct heddle_join join;
    int32_t made;   /* what the first step writes */
    int32_t result; /* what the second one writes, and the first one can instead; -1: nothing */
    struct heddle_launch **launch; /* of each task, with the joined task's numbers of buffers */
    struct heddle_plan_task *tasks;
    struct heddle_plan_use **uses;
};

/* Whether the steps have the form: calls that may take maps, and one map for each. */
static bool is_pair(const struct heddle_plan *plan, int64_t from)
{
    const struct heddle_plan_step *s = &plan->steps[from], *next = s + 1;
    if (!s->family->takes || s->n_tasks == 0 || next->n_tasks != s->n_tasks ||
        next->family != &heddle__program_family || !next->program ||
        next->program->n_reductions > 0 || next->program->n_checked > 0)
        return false;
    for (int64_t i = 0; i < s->n_tasks; i++)
        if (heddle__step_task(plan, from, i)->n_calls != 1 ||
            heddle__step_task(plan, from + 1, i)->n_calls != 1 ||
            heddle__step_task(plan, from, i)->place != heddle__step_task(plan, from + 1, i)->place)
            return false;
    return true;
}

/* The array that the map alone writes, if it has the elements of what the first step makes where that has them:
 * they can be made there. */
static int32_t result_instead(const struct epilogue *e)
{
    const struct heddle_plan *plan = e->join.p->plan;
    const struct heddle_plan_use *to =
        heddle__only_write(plan, heddle__step_task(plan, e->join.from + 1, 0));
    if (!to) return -1;
    const struct heddle_plan_array *made = &plan->arrays[e->made],
                                   *result = &plan->arrays[to->array];
    if (made->dtype != result->dtype || made->element_bytes != result->element_bytes ||
        made->grid->n_parts != result->grid->n_parts || result->role == HEDDLE_ROLE_INPUT)
        return -1;
    for (int64_t i = 0; i < plan->steps[e->join.from].n_tasks; i++) {
        const struct heddle_plan_use *from = heddle__only_write(
                                         plan, heddle__step_task(plan, e->join.from, i)),
                                     *at = heddle__only_write(
                                         plan, heddle__step_task(plan, e->join.from + 1, i));
        if (!at || at->array != to->array || at->part != from->part ||
            heddle__grid_part_size(made->grid, from->part) !=
                heddle__grid_part_size(result->grid, at->part))
            return -1;
    }
    return to->array;
}

/* The uses of task i together, and its launch by their numbers. False: the family does not take it, or memory is gone. */
static bool prepare(struct epilogue *e, int64_t i)
{
    struct heddle_planner *p = e->join.p;
    const struct heddle_plan *plan = p->plan;
    struct heddle_plan_task *task = &e->tasks[i];
    uint32_t *number[2];
    const struct heddle_launch *map = heddle__step_call(plan, e->join.from + 1, i)->arguments;
    const int n_operands = map->program->n_operands;
    *task = *heddle__step_task(plan, e->join.from, i);
    struct heddle_launch *launch = heddle__arena_alloc(plan->arena, sizeof *launch);
    uint32_t *buffer = heddle__arena_alloc(plan->arena, (size_t)(n_operands + 1) * sizeof *buffer);
    if (!launch || !buffer || !heddle__join_uses(&e->join, i, &e->uses[i], &task->n_uses, number)) {
        p->failed = true;
        return false;
    }
    *launch = *map;
    launch->buffer = buffer;
    for (int k = 0; k < n_operands; k++) buffer[k] = number[1][map->buffer[k]];
    e->launch[i] = launch;
    if (e->result >= 0) {
        struct heddle_plan_use *uses = e->uses[i];
        uint32_t made = 0, result = 0;
        while (uses[made].array != e->made) made++;
        while (uses[result].array != e->result) result++;
        const uint32_t last = (uint32_t)--task->n_uses;
        uses[made] = uses[result];
        uses[result] = uses[last];
        for (int k = 0; k < n_operands; k++)
            buffer[k] = buffer[k] == result ? made : buffer[k] == last ? result : buffer[k];
    }
    const struct heddle_plan_task *second = heddle__step_task(plan, e->join.from + 1, i);
    const struct heddle_plan_array *made = &plan->arrays[e->made];
    const int64_t elements = heddle__grid_part_size(
        made->grid, heddle__only_write(plan, heddle__step_task(plan, e->join.from, i))->part);
    task->flops += second->flops;
    task->bytes += second->bytes - 2 * (double)elements * made->element_bytes;
    if (second->priority > task->priority) task->priority = second->priority;
    return plan->steps[e->join.from].family->takes(
        heddle__step_call(plan, e->join.from, i)->arguments, launch, HEDDLE_AFTER);
}

/* Prepares all tasks, which make what they write in the result's place if e->result is one. */
static bool prepare_all(struct epilogue *e)
{
    const int64_t n = e->join.p->plan->steps[e->join.from].n_tasks;
    for (int64_t i = 0; i < n; i++)
        if (!prepare(e, i)) return false;
    return true;
}

/* Whether the second step can be part of the first one; then all is prepared. */
static bool is_epilogue(struct epilogue *e)
{
    struct heddle_planner *p = e->join.p;
    struct heddle_plan *plan = p->plan;
    if (!is_pair(plan, e->join.from)) return false;
    const int64_t n = plan->steps[e->join.from].n_tasks;
    const struct heddle_plan_use *made =
        heddle__only_write(plan, heddle__step_task(plan, e->join.from, 0));
    if (!made) return false;
    e->made = made->array;
    if (heddle__plan_array_bytes(&plan->arrays[e->made]) < heddle__thresholds.worth_appending ||
        heddle__join_leaves(&e->join, e->made) || heddle__join_overwrites(&e->join))
        return false;
    for (int64_t i = 0; i < n; i++) {
        const struct heddle_plan_use *use =
            heddle__only_write(plan, heddle__step_task(plan, e->join.from, i));
        if (!use || use->array != e->made || !heddle__join_reads_its_own(&e->join, i)) return false;
    }
    e->launch = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof(struct heddle_launch *));
    e->tasks = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *e->tasks);
    e->uses = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof(struct heddle_plan_use *));
    if (!e->launch || !e->tasks || !e->uses) {
        p->failed = true;
        return false;
    }
    e->result = result_instead(e);
    if (e->result >= 0 && prepare_all(e)) return true;
    e->result = -1;
    return !p->failed && prepare_all(e);
}

static bool join(const struct epilogue *e)
{
    struct heddle_plan *plan = e->join.p->plan;
    struct heddle_plan_step *step = &plan->steps[e->join.from];
    for (int64_t i = 0; i < step->n_tasks; i++) {
        plan->bytes += e->tasks[i].bytes - heddle__step_task(plan, e->join.from, i)->bytes -
                       heddle__step_task(plan, e->join.from + 1, i)->bytes;
        /* the plan is in the making, and its arena is ours */
        step->family->join((void *)heddle__step_call(plan, e->join.from, i)->arguments,
                           e->launch[i], HEDDLE_AFTER);
    }
    for (int32_t i = 0; i < plan->n_arrays && e->result >= 0; i++)
        if (plan->arrays[i].owner == e->made) plan->arrays[i].owner = e->result;
    step->program = plan->steps[e->join.from + 1].program;
    return heddle__join_steps(&e->join, e->tasks, e->uses);
}

bool heddle__join_epilogues(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    if (!p->policy->fusion) return true;
    for (int64_t s = 0; s + 1 < plan->n_steps; s++) {
        struct epilogue e = {.join = {p, s, s + 2}};
        const bool joins = is_epilogue(&e);
        if (p->failed || (joins && !join(&e))) return false;
    }
    return true;
}
