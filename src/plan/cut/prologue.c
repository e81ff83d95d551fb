/* After all tasks are made: elementwise work that makes what a family's calls read becomes part of these calls, where the
 * family takes it. Cumulative sums do it on elements as they read them. Entry point: heddle__join_prologues. */
#include "plan/cut/join.h"

#include "plan/policy/thresholds.h"
#include "plan/programs.h"

#include <string.h>

/* A step of maps, and the step behind it that reads what they make. */
struct prologue {
    struct heddle_join join;
    int32_t made;                  /* what the first step writes: it is not stored any more */
    struct heddle_launch **launch; /* of each task, with the joined task's numbers of buffers */
    struct heddle_plan_task *tasks;
    struct heddle_plan_use **uses;
};

/* Whether the steps have the form: one map for each call that may take it. */
static bool is_pair(const struct heddle_plan *plan, int64_t from)
{
    const struct heddle_plan_step *s = &plan->steps[from], *next = s + 1;
    if (!next->family->takes || s->n_tasks == 0 || next->n_tasks != s->n_tasks ||
        s->family != &heddle__program_family || !s->program || s->program->n_reductions > 0 ||
        s->program->n_checked > 0)
        return false;
    for (int64_t i = 0; i < s->n_tasks; i++)
        if (heddle__step_task(plan, from, i)->n_calls != 1 ||
            heddle__step_task(plan, from + 1, i)->n_calls != 1 ||
            heddle__step_task(plan, from, i)->place != heddle__step_task(plan, from + 1, i)->place)
            return false;
    return true;
}

/* Its number among the uses of a task; -1: it is none. */
static int32_t find_use(const struct heddle_plan_use *uses, int32_t n,
                        const struct heddle_plan_use *use)
{
    for (int32_t u = 0; u < n; u++)
        if (uses[u].array == use->array && uses[u].part == use->part) return u;
    return -1;
}

/* The uses of task i together: those of the call keep their numbers, and the place of what is not stored any more is for the first of
 * the map's. False: there is none, or memory is gone. number[k]: of the map's. */
static bool join_uses(struct prologue *e, int64_t i, uint32_t *number)
{
    struct heddle_planner *p = e->join.p;
    const struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *map = heddle__step_task(plan, e->join.from, i);
    struct heddle_plan_task *task = &e->tasks[i];
    const struct heddle_plan_use *to =
        heddle__only_write(plan, heddle__step_task(plan, e->join.from + 1, i));
    struct heddle_plan_use *list =
        heddle__arena_alloc(&p->scratch, (size_t)(task->n_uses + map->n_uses) * sizeof *list);
    if (!list) return !(p->failed = true);
    memcpy(list, plan->uses + task->first_use, (size_t)task->n_uses * sizeof *list);
    const uint32_t out = (uint32_t)find_use(list, task->n_uses, to);
    int32_t free = -1;
    for (int32_t u = 0; u < task->n_uses; u++)
        if (list[u].array == e->made) free = u;
    for (int32_t k = 0; k < map->n_uses; k++) {
        const struct heddle_plan_use *use = &plan->uses[map->first_use + k];
        if (use->array == e->made) {
            number[k] = out;
            continue;
        }
        int32_t u = find_use(list, task->n_uses, use);
        if (u < 0) {
            u = free >= 0 ? free : task->n_uses++;
            free = -1;
            list[u] = *use;
        }
        number[k] = (uint32_t)u;
    }
    e->uses[i] = list;
    return free < 0;
}

/* Task i as it will be. False: the family does not take it, or memory is gone. */
static bool prepare(struct prologue *e, int64_t i)
{
    struct heddle_planner *p = e->join.p;
    const struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *first = heddle__step_task(plan, e->join.from, i),
                                  *second = heddle__step_task(plan, e->join.from + 1, i);
    const struct heddle_plan_use *from = heddle__only_write(plan, first),
                                 *to = heddle__only_write(plan, second);
    const struct heddle_kernel_call *call = heddle__step_call(plan, e->join.from + 1, i);
    if (!from || !to || from->array != e->made || !heddle__join_reads_its_own(&e->join, i))
        return false;
    const struct heddle_plan_array *made = &plan->arrays[e->made],
                                   *result = &plan->arrays[to->array];
    const int64_t elements = heddle__grid_part_size(made->grid, from->part);
    if (made->element_bytes != result->element_bytes ||
        elements != heddle__grid_part_size(result->grid, to->part))
        return false;
    const struct heddle_launch *map = heddle__step_call(plan, e->join.from, i)->arguments;
    e->tasks[i] = *second;
    struct heddle_plan_task *task = &e->tasks[i];
    const int n_operands = map->program->n_operands;
    struct heddle_launch *launch = heddle__arena_alloc(plan->arena, sizeof *launch);
    uint32_t *buffer = heddle__arena_alloc(plan->arena, (size_t)(n_operands + 1) * sizeof *buffer),
             *number =
                 heddle__arena_alloc(&p->scratch, (size_t)(first->n_uses + 1) * sizeof *number);
    if (!launch || !buffer || !number) return !(p->failed = true);
    if (!join_uses(e, i, number)) return false;
    *launch = *map;
    launch->buffer = buffer;
    for (int k = 0; k < n_operands; k++) buffer[k] = number[map->buffer[k]];
    e->launch[i] = launch;
    task->flops += first->flops;
    task->bytes += first->bytes - 2 * (double)elements * made->element_bytes;
    if (first->priority > task->priority) task->priority = first->priority;
    return call->family->takes(call->arguments, launch, HEDDLE_BEFORE);
}

static bool is_prologue(struct prologue *e)
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
    e->launch = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof(struct heddle_launch *));
    e->tasks = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *e->tasks);
    e->uses = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof(struct heddle_plan_use *));
    if (!e->launch || !e->tasks || !e->uses) return !(p->failed = true);
    for (int64_t i = 0; i < n; i++)
        if (!prepare(e, i)) return false;
    return true;
}

static bool join(const struct prologue *e)
{
    struct heddle_plan *plan = e->join.p->plan;
    struct heddle_plan_step *step = &plan->steps[e->join.from];
    const struct heddle_family_info *family = step[1].family;
    for (int64_t i = 0; i < step->n_tasks; i++) {
        plan->bytes += e->tasks[i].bytes - heddle__step_task(plan, e->join.from, i)->bytes -
                       heddle__step_task(plan, e->join.from + 1, i)->bytes;
        e->tasks[i].step = heddle__step_task(plan, e->join.from, i)->step;
        /* the plan is in the making, and its arena is ours */
        family->join((void *)heddle__step_call(plan, e->join.from + 1, i)->arguments, e->launch[i],
                     HEDDLE_BEFORE);
    }
    step->family = family;
    return heddle__join_steps(&e->join, e->tasks, e->uses);
}

bool heddle__join_prologues(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    if (!p->policy->fusion) return true;
    for (int64_t s = 0; s + 1 < plan->n_steps; s++) {
        struct prologue e = {.join = {p, s, s + 2}};
        const bool joins = is_prologue(&e);
        if (p->failed || (joins && !join(&e))) return false;
    }
    return true;
}
