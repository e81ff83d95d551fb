/* After all tasks are made: elementwise work on what a family's calls write, or that makes what they read, becomes part of these calls,
 * where the family takes it. Matrix products do it on each tile while that is in the cache, cumulative sums on elements as they read and
 * write them. Entry points: heddle__join_prologues, heddle__join_epilogues. */
#include "plan/cut/join.h"

#include "base/memory.h"
#include "plan/policy/thresholds.h"
#include "plan/programs.h"

#include <string.h>

/* A step of maps and a step of calls beside it, in either order. */
struct work {
    struct heddle_join join;
    enum heddle_work_side side; /* of the maps */
    int64_t maps, calls;        /* the steps */
    int32_t made;               /* what the first step writes */
    int32_t result; /* AFTER: what the maps write, and the calls can instead; -1: nothing */
    struct heddle_launch **launch; /* of each task, with the joined task's numbers of buffers */
    struct heddle_plan_task *tasks;
    struct heddle_plan_use **uses;
};

static const struct heddle_launch *map_of(const struct work *w, int64_t i)
{
    return heddle__step_call(w->join.p->plan, w->maps, i)->arguments;
}

/* Whether the steps have the form: calls that may take maps, and one map for each. */
static bool is_pair(const struct work *w)
{
    const struct heddle_plan *plan = w->join.p->plan;
    const struct heddle_plan_step *maps = &plan->steps[w->maps], *calls = &plan->steps[w->calls];
    if (!calls->family->takes || calls->n_tasks == 0 || maps->n_tasks != calls->n_tasks ||
        maps->family != &heddle__program_family || !maps->program ||
        maps->program->n_reductions > 0 || maps->program->n_checked > 0)
        return false;
    for (int64_t i = 0; i < calls->n_tasks; i++)
        if (heddle__step_task(plan, w->calls, i)->n_calls != 1 ||
            heddle__step_task(plan, w->maps, i)->n_calls != 1 || map_of(w, i)->stretches ||
            heddle__step_task(plan, w->calls, i)->place !=
                heddle__step_task(plan, w->maps, i)->place)
            return false;
    return true;
}

static const struct heddle_plan_use *only_write_of(const struct work *w, int64_t step, int64_t i)
{
    const struct heddle_plan *plan = w->join.p->plan;
    return heddle__only_write(plan, heddle__step_task(plan, step, i));
}

/* The array that the map alone writes, if it has the elements of what the calls make where that has them: they can be made there. */
static int32_t result_instead(const struct work *w)
{
    const struct heddle_plan *plan = w->join.p->plan;
    const struct heddle_plan_use *to = only_write_of(w, w->maps, 0);
    if (!to) return -1;
    const struct heddle_plan_array *made = &plan->arrays[w->made],
                                   *result = &plan->arrays[to->array];
    if (made->dtype != result->dtype || made->element_bytes != result->element_bytes ||
        made->grid->n_parts != result->grid->n_parts || result->role == HEDDLE_ROLE_INPUT)
        return -1;
    for (int64_t i = 0; i < plan->steps[w->calls].n_tasks; i++) {
        const struct heddle_plan_use *from = only_write_of(w, w->calls, i),
                                     *at = only_write_of(w, w->maps, i);
        if (!at || at->array != to->array || at->part != from->part ||
            heddle__grid_part_size(made->grid, from->part) !=
                heddle__grid_part_size(result->grid, at->part))
            return -1;
    }
    return to->array;
}

/* ---- Uses ---------------------------------------------------------------------------------------------------- */

/* Its number among the uses of a task; -1: it is none. */
static int32_t find_use(const struct heddle_plan_use *uses, int32_t n,
                        const struct heddle_plan_use *use)
{
    for (int32_t u = 0; u < n; u++)
        if (uses[u].array == use->array && uses[u].part == use->part) return u;
    return -1;
}

/* AFTER: the uses of task i together, those of the call first. number[k]: of the map's. False: memory is gone. */
static bool uses_after(struct work *w, int64_t i, uint32_t **number)
{
    struct heddle_plan_task *task = &w->tasks[i];
    uint32_t *numbers[2];
    if (!heddle__join_uses(&w->join, i, &w->uses[i], &task->n_uses, numbers))
        return !(w->join.p->failed = true);
    *number = numbers[1];
    if (w->result < 0) return true;
    struct heddle_plan_use *uses = w->uses[i];
    uint32_t made = 0, result = 0;
    while (uses[made].array != w->made) made++;
    while (uses[result].array != w->result) result++;
    const uint32_t last = (uint32_t)--task->n_uses;
    uses[made] = uses[result];
    uses[result] = uses[last];
    const int32_t n = heddle__step_task(w->join.p->plan, w->maps, i)->n_uses;
    for (int32_t k = 0; k < n; k++)
        numbers[1][k] = numbers[1][k] == result ? made
                        : numbers[1][k] == last ? result
                                                : numbers[1][k];
    return true;
}

/* BEFORE: the same. The place of what is not stored any more is for the first use of the map's; false also if it has none. */
static bool uses_before(struct work *w, int64_t i, uint32_t **number)
{
    struct heddle_planner *p = w->join.p;
    const struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *map = heddle__step_task(plan, w->maps, i);
    struct heddle_plan_task *task = &w->tasks[i];
    struct heddle_plan_use *list =
        heddle__arena_alloc(&p->scratch, (size_t)(task->n_uses + map->n_uses) * sizeof *list);
    uint32_t *const at =
        heddle__arena_alloc(&p->scratch, (size_t)(map->n_uses + 1) * sizeof **number);
    if (!list || !at) return !(p->failed = true);
    memcpy(list, plan->uses + task->first_use, (size_t)task->n_uses * sizeof *list);
    const uint32_t out = (uint32_t)find_use(list, task->n_uses, only_write_of(w, w->calls, i));
    int32_t free = -1;
    for (int32_t u = 0; u < task->n_uses; u++)
        if (list[u].array == w->made) free = u;
    for (int32_t k = 0; k < map->n_uses; k++) {
        const struct heddle_plan_use *use = &plan->uses[map->first_use + k];
        if (use->array == w->made) {
            at[k] = out;
            continue;
        }
        int32_t u = find_use(list, task->n_uses, use);
        if (u < 0) {
            u = free >= 0 ? free : task->n_uses++;
            free = -1;
            list[u] = *use;
        }
        at[k] = (uint32_t)u;
    }
    w->uses[i] = list;
    *number = at;
    return free < 0;
}

/* BEFORE: whether what the map makes has as many elements, of the same size, as what the call makes in its place. */
static bool fits_the_result(const struct work *w, int64_t i)
{
    const struct heddle_plan *plan = w->join.p->plan;
    const struct heddle_plan_use *from = only_write_of(w, w->maps, i),
                                 *to = only_write_of(w, w->calls, i);
    if (!to) return false;
    const struct heddle_plan_array *made = &plan->arrays[w->made],
                                   *result = &plan->arrays[to->array];
    return made->element_bytes == result->element_bytes &&
           heddle__grid_part_size(made->grid, from->part) ==
               heddle__grid_part_size(result->grid, to->part);
}

/* ---- Joining ------------------------------------------------------------------------------------------------- */

/* Task i as it will be. False: the family does not take it, or memory is gone. */
static bool prepare(struct work *w, int64_t i)
{
    struct heddle_planner *p = w->join.p;
    const struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *maps = heddle__step_task(plan, w->maps, i);
    const struct heddle_kernel_call *call = heddle__step_call(plan, w->calls, i);
    const struct heddle_launch *map = map_of(w, i);
    const int n_operands = map->program->n_operands;
    struct heddle_plan_task *task = &w->tasks[i];
    uint32_t *number;
    *task = *heddle__step_task(plan, w->calls, i);
    struct heddle_launch *launch = heddle__arena_alloc(plan->arena, sizeof *launch);
    uint32_t *buffer = heddle__arena_alloc(plan->arena, (size_t)(n_operands + 1) * sizeof *buffer);
    if (!launch || !buffer) return !(p->failed = true);
    if (w->side == HEDDLE_AFTER ? !uses_after(w, i, &number)
                                : !fits_the_result(w, i) || !uses_before(w, i, &number))
        return false;
    *launch = *map;
    launch->buffer = buffer;
    for (int k = 0; k < n_operands; k++) buffer[k] = number[map->buffer[k]];
    w->launch[i] = launch;
    const struct heddle_plan_array *made = &plan->arrays[w->made];
    const int64_t elements =
        heddle__grid_part_size(made->grid, only_write_of(w, w->join.from, i)->part);
    task->step = heddle__step_task(plan, w->join.from, i)->step;
    task->flops += maps->flops;
    task->bytes += maps->bytes - 2 * (double)elements * made->element_bytes;
    if (maps->priority > task->priority) task->priority = maps->priority;
    return call->family->takes(call->arguments, launch, w->side);
}

/* Prepares all tasks, which make what they write in the result's place if w->result is one. */
static bool prepare_all(struct work *w)
{
    const int64_t n = w->join.p->plan->steps[w->calls].n_tasks;
    for (int64_t i = 0; i < n; i++)
        if (!prepare(w, i)) return false;
    return true;
}

/* Whether the steps can be one; then all is prepared. */
static bool is_work(struct work *w)
{
    struct heddle_planner *p = w->join.p;
    struct heddle_plan *plan = p->plan;
    if (!is_pair(w)) return false;
    const int64_t n = plan->steps[w->calls].n_tasks;
    const struct heddle_plan_use *made = only_write_of(w, w->join.from, 0);
    if (!made) return false;
    w->made = made->array;
    if (heddle__plan_array_bytes(&plan->arrays[w->made]) < heddle__thresholds.worth_appending ||
        heddle__join_leaves(&w->join, w->made) || heddle__join_overwrites(&w->join))
        return false;
    for (int64_t i = 0; i < n; i++) {
        const struct heddle_plan_use *use = only_write_of(w, w->join.from, i);
        if (!use || use->array != w->made || !heddle__join_reads_its_own(&w->join, i)) return false;
    }
    w->launch = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof(struct heddle_launch *));
    w->tasks = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *w->tasks);
    w->uses = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof(struct heddle_plan_use *));
    if (!w->launch || !w->tasks || !w->uses) return !(p->failed = true);
    w->result = w->side == HEDDLE_AFTER ? result_instead(w) : -1;
    if (w->result >= 0 && prepare_all(w)) return true;
    w->result = -1;
    return !p->failed && prepare_all(w);
}

static bool join(const struct work *w)
{
    struct heddle_plan *plan = w->join.p->plan;
    struct heddle_plan_step *step = &plan->steps[w->join.from];
    const struct heddle_plan_step maps = plan->steps[w->maps], calls = plan->steps[w->calls];
    for (int64_t i = 0; i < step->n_tasks; i++) {
        plan->bytes += w->tasks[i].bytes - heddle__step_task(plan, w->maps, i)->bytes -
                       heddle__step_task(plan, w->calls, i)->bytes;
        /* the plan is in the making, and its arena is ours */
        calls.family->join((void *)heddle__step_call(plan, w->calls, i)->arguments, w->launch[i],
                           w->side);
    }
    for (int32_t i = 0; i < plan->n_arrays && w->result >= 0; i++)
        if (plan->arrays[i].owner == w->made) plan->arrays[i].owner = w->result;
    step->family = calls.family;
    step->program = maps.program;
    return heddle__join_steps(&w->join, w->tasks, w->uses);
}

static bool join_all(struct heddle_planner *p, enum heddle_work_side side)
{
    struct heddle_plan *plan = p->plan;
    if (!p->policy->fusion) return true;
    for (int64_t s = 0; s + 1 < plan->n_steps; s++) {
        const bool before = side == HEDDLE_BEFORE;
        struct work w = {.join = {p, s, s + 2},
                         .side = side,
                         .maps = before ? s : s + 1,
                         .calls = before ? s + 1 : s};
        const bool joins = is_work(&w);
        if (p->failed || (joins && !join(&w))) return false;
    }
    return true;
}

bool heddle__join_prologues(struct heddle_planner *p)
{
    return join_all(p, HEDDLE_BEFORE);
}

bool heddle__join_epilogues(struct heddle_planner *p)
{
    return join_all(p, HEDDLE_AFTER);
}
