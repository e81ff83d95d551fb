/* Steps, tasks, uses, calls. Entry points: tasks.h. */
#include "plan/build/tasks.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* ---- Appending -------------------------------------------------------------------------------------- */

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
    if (!heddle__grow(&plan->tasks, sizeof *plan->tasks, plan->n_tasks + 1, &p->task_room)) {
        p->failed = true;
        return false;
    }
    plan->tasks[plan->n_tasks++] = (struct heddle_plan_task){
        .first_call = plan->n_calls, .first_use = plan->n_uses, .step = (int32_t)plan->n_steps - 1};
    plan->steps[plan->n_steps - 1].n_tasks++;
    return true;
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
    plan->n_uses = task->first_use;
    plan->n_tasks--;
    plan->steps[plan->n_steps - 1].n_tasks--;
}

uint32_t heddle__task_use(struct heddle_planner *p, int32_t array, int64_t part,
                          enum heddle_mode mode)
{
    struct heddle_plan *plan = p->plan;
    struct heddle_plan_task *task = &plan->tasks[plan->n_tasks - 1];
    heddle_place place = heddle__grid_place_of(plan->arrays[array].grid, part);
    array = plan->arrays[array].owner;
    if (place == HEDDLE_ANYWHERE) place = heddle__grid_place_of(plan->arrays[array].grid, part);
    for (int64_t i = task->first_use; i < plan->n_uses; i++) {
        struct heddle_plan_use *use = &plan->uses[i];
        if (use->array != array || use->part != part) continue;
        use->mode = (uint8_t)(use->mode | mode);
        if (place == task->place) use->place = place; /* the nearer of two right ones */
        return (uint32_t)(i - task->first_use);
    }
    if (!heddle__grow(&plan->uses, sizeof *plan->uses, plan->n_uses + 1, &p->use_room)) {
        p->failed = true;
        return 0;
    }
    plan->uses[plan->n_uses++] = (struct heddle_plan_use){
        .array = array, .part = (int32_t)part, .mode = (uint8_t)mode, .place = place};
    return (uint32_t)task->n_uses++;
}

void *heddle__task_call(struct heddle_planner *p, const struct heddle_family_info *family,
                        size_t size, double flops, double bytes)
{
    struct heddle_plan *plan = p->plan;
    void *arguments = heddle__arena_alloc(plan->arena, size);
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
