/* Steps, tasks, uses, calls. Entry points: tasks.h. */
#include "plan/build/tasks.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- Appending -------------------------------------------------------------------------------------- */

bool heddle__plan_may_grow(struct heddle_planner *p)
{
    const int64_t most = p->most_bytes > 0 ? p->most_bytes : HEDDLE_PLAN_BYTES_MAX;
    if (heddle__plan_bytes(p->plan) <= most) return true;
    p->failed = p->is_too_large = true;
    return false;
}

bool heddle__step_begin(struct heddle_planner *p, const struct heddle_family_info *family,
                        const struct heddle_program *program, const char *name, int n_nodes)
{
    struct heddle_plan *plan = p->plan;
    if (!heddle__grow(&plan->steps, sizeof *plan->steps, plan->n_steps + 1, &p->step_room)) {
        p->failed = true;
        return false;
    }
    struct heddle_plan_step *step = &plan->steps[plan->n_steps++];
    *step = (struct heddle_plan_step){.family = family,
                                      .program = program,
                                      .first_task = plan->n_tasks,
                                      .n_nodes = n_nodes,
                                      .asked = p->asked};
    snprintf(step->name, sizeof step->name, "%s", name);
    return true;
}

bool heddle__task_begin(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    if (!heddle__plan_may_grow(p) ||
        !heddle__grow(&plan->tasks, sizeof *plan->tasks, plan->n_tasks + 1, &p->task_room)) {
        p->failed = true;
        return false;
    }
    plan->tasks[plan->n_tasks++] = (struct heddle_plan_task){
        .first_call = plan->n_calls, .first_use = plan->n_uses, .step = (int32_t)plan->n_steps - 1};
    plan->steps[plan->n_steps - 1].n_tasks++;
    return true;
}

enum { FEW_USES = 16 }; /* of a task, that are found faster one by one than by the hash table */

static void clear_table(struct heddle_planner *p)
{
    memset(p->use_table, 0xff, (size_t)p->use_table_size * sizeof *p->use_table);
}

void heddle__task_end(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    if (task->n_calls > 0) {
        plan->flops += task->flops;
        plan->bytes += task->bytes;
        return;
    }
    if (task->n_uses > FEW_USES) clear_table(p); /* the next task's uses have the same numbers */
    plan->n_uses = task->first_use;
    plan->n_tasks--;
    plan->steps[plan->n_steps - 1].n_tasks--;
}

/* ---- Uses ------------------------------------------------------------------------------------------- */

/* The slot of the hash table that has the current task's use of a part, or the free one that it would get:
 * one that has nothing, or a use of a task before. */
static int64_t *slot_of_use(const struct heddle_planner *p, int32_t array, int64_t part)
{
    const struct heddle_plan *plan = p->plan;
    const int64_t first = plan->tasks[plan->n_tasks - 1].first_use, mask = p->use_table_size - 1;
    int64_t i = (int64_t)heddle__hash_word((uint64_t)array, (uint64_t)part) & mask;
    for (;; i = (i + 1) & mask) {
        const int64_t at = p->use_table[i];
        if (at < first || (plan->uses[at].array == array && plan->uses[at].part == part))
            return &p->use_table[i];
    }
}

/* The current task's use of a part; -1: there is none. */
static int64_t find_use(const struct heddle_planner *p, int32_t array, int64_t part)
{
    const struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    if (task->n_uses > FEW_USES) {
        const int64_t at = *slot_of_use(p, array, part);
        return at < task->first_use ? -1 : at;
    }
    for (int64_t i = task->first_use; i < plan->n_uses; i++)
        if (plan->uses[i].array == array && plan->uses[i].part == part) return i;
    return -1;
}

/* Makes room in the table for one more use of the current task, which has more than a few, and enters
 * those that it has if the table is new to it. False when memory is gone. */
static bool make_room(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    const bool is_full = 2 * (int64_t)(task->n_uses + 1) > p->use_table_size;
    if (is_full) {
        const int64_t size = p->use_table_size > 0 ? 2 * p->use_table_size : 8 * FEW_USES;
        int64_t *table = heddle__arena_alloc(&p->scratch, (size_t)size * sizeof *table);
        if (!table) return false;
        p->use_table = table;
        p->use_table_size = size;
        clear_table(p);
    }
    for (int64_t i = task->first_use; i < plan->n_uses && (is_full || task->n_uses == FEW_USES);
         i++)
        *slot_of_use(p, plan->uses[i].array, plan->uses[i].part) = i;
    return true;
}

/* Adds a use to the current task. */
static bool add_use(struct heddle_planner *p, const struct heddle_plan_use *use)
{
    struct heddle_plan *plan = p->plan;
    struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    if (!heddle__plan_may_grow(p) ||
        !heddle__grow(&plan->uses, sizeof *plan->uses, plan->n_uses + 1, &p->use_room))
        return false;
    if (task->n_uses >= FEW_USES) {
        if (!make_room(p)) return false;
        *slot_of_use(p, use->array, use->part) = plan->n_uses;
    }
    plan->uses[plan->n_uses++] = *use;
    task->n_uses++;
    return true;
}

uint32_t heddle__task_use(struct heddle_planner *p, int32_t array, int64_t part,
                          enum heddle_mode mode)
{
    struct heddle_plan *plan = p->plan;
    const struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    heddle_place place = heddle__grid_place_of(plan->arrays[array].grid, part);
    if (plan->arrays[array].runs) {
        const struct heddle_plan_run *run = &plan->arrays[array].runs[part];
        array = run->array;
        part = run->part;
    }
    array = plan->arrays[array].owner;
    if (place == HEDDLE_ANYWHERE) place = heddle__grid_place_of(plan->arrays[array].grid, part);
    const int64_t at = find_use(p, array, part);
    if (at >= 0) {
        struct heddle_plan_use *use = &plan->uses[at];
        use->mode = (uint8_t)(use->mode | mode);
        if (place == task->place) use->place = place; /* the nearer of two right ones */
        return (uint32_t)(at - task->first_use);
    }
    const struct heddle_plan_use use = {
        .array = array, .part = (int32_t)part, .mode = (uint8_t)mode, .place = place};
    if (add_use(p, &use)) return (uint32_t)task->n_uses - 1;
    p->failed = true;
    return 0;
}

/* ---- Calls ------------------------------------------------------------------------------------------ */

void *heddle__task_call(struct heddle_planner *p, const struct heddle_family_info *family,
                        size_t size, double flops, double bytes)
{
    struct heddle_plan *plan = p->plan;
    void *arguments = heddle__plan_may_grow(p) ? heddle__arena_alloc(plan->arena, size) : NULL;
    if (!arguments ||
        !heddle__grow(&plan->calls, sizeof *plan->calls, plan->n_calls + 1, &p->call_room)) {
        p->failed = true;
        return NULL;
    }
    memset(arguments, 0, size);
    struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    task->n_calls++;
    task->flops += flops;
    task->bytes += bytes;
    plan->calls[plan->n_calls++] = (struct heddle_kernel_call){family, arguments};
    return arguments;
}

void heddle__task_updates(struct heddle_planner *p)
{
    for (int64_t i = p->plan->tasks[p->plan->n_tasks - 1].first_use; i < p->plan->n_uses; i++)
        if (p->plan->uses[i].mode & HEDDLE_WRITE) p->plan->uses[i].mode = HEDDLE_READ_WRITE;
}

void heddle__task_commutes(struct heddle_planner *p)
{
    heddle__task_updates(p);
    for (int64_t i = p->plan->tasks[p->plan->n_tasks - 1].first_use; i < p->plan->n_uses; i++)
        if (p->plan->uses[i].mode & HEDDLE_WRITE) p->plan->uses[i].mode |= HEDDLE_COMMUTE;
}

void heddle__task_place(struct heddle_planner *p, heddle_place place)
{
    struct heddle_plan_task *task = &p->plan->tasks[p->plan->n_tasks - 1];
    if (task->place == HEDDLE_ANYWHERE) task->place = place;
}
