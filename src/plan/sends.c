/* Which parts go to another place as soon as they are made, not only when all else is there that
 * their reader waits for. Entry point: heddle__note_sends. */
#include "base/memory.h"
#include "plan/planner.h"

/* A long stream sends nothing: its inputs need the links more. */
static bool sends(const struct heddle_planner *p, const struct heddle_plan_task *task)
{
    return p->plan->steps[task->step].n_tasks <= 16 * (int64_t)p->policy->n_places;
}

bool heddle__note_sends(struct heddle_planner *p)
{
    struct heddle_plan *plan = p->plan;
    if (p->policy->n_gpus == 0) return true;
    int64_t *first = heddle__arena_alloc(&p->scratch, (size_t)plan->n_arrays * sizeof *first);
    int64_t n = 0;
    for (int32_t i = 0; first && i < plan->n_arrays; i++) {
        first[i] = n;
        n += plan->arrays[i].grid->n_parts;
    }
    /* Backwards: where each part is read next, before it is written again. */
    heddle_place *readers = heddle__arena_alloc(&p->scratch, (size_t)n * sizeof *readers);
    if (!first || !readers) return false;
    for (int64_t i = 0; i < n; i++) readers[i] = HEDDLE_ANYWHERE;
    for (int64_t t = plan->n_tasks - 1; t >= 0; t--) {
        const struct heddle_plan_task *task = &plan->tasks[t];
        for (int32_t i = 0; i < task->n_uses; i++) {
            struct heddle_plan_use *use = &plan->uses[task->first_use + i];
            heddle_place *reader = &readers[first[use->array] + use->part];
            const bool writes = use->mode & HEDDLE_WRITE;
            if (writes && *reader != task->place && sends(p, task) &&
                plan->arrays[use->array].role == HEDDLE_ROLE_TEMPORARY)
                use->send_to = *reader;
            *reader = writes ? HEDDLE_ANYWHERE : task->place;
        }
    }
    return true;
}
