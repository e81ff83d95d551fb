/* Plans as values: references, freeing. Entry points: plan.h. */
#include "plan/plan.h"

#include "base/arena.h"
#include "base/memory.h"
#include "plan/programs.h"

struct heddle_plan *heddle__plan_retain(struct heddle_plan *plan)
{
    atomic_fetch_add_explicit(&plan->refs, 1, memory_order_relaxed);
    return plan;
}

void heddle__plan_release(struct heddle_plan *plan)
{
    if (!plan || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1) return;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        heddle__grid_release(plan->arrays[i].grid);
        heddle__grid_release(plan->arrays[i].like);
    }
    for (int64_t i = 0; i < plan->n_programs; i++) heddle__program_release(plan->programs[i]);
    for (int64_t i = 0; plan->memos && i < plan->n_calls; i++) heddle__free(plan->memos[i]);
    if (plan->arena) heddle__arena_free(plan->arena);
    heddle__free(plan->arena);
    heddle__free((void *)(uintptr_t)plan->programs);
    heddle__free(plan->literals);
    heddle__free(plan->arrays);
    heddle__free(plan->results);
    heddle__free(plan->steps);
    heddle__free(plan->tasks);
    heddle__free(plan->uses);
    heddle__free(plan->calls);
    heddle__free(plan->slots);
    heddle__free(plan->order);
    heddle__free(plan->memos);
    heddle__free(plan);
}

int64_t heddle__plan_bytes(const struct heddle_plan *plan)
{
    const size_t rows = (size_t)plan->n_arrays * sizeof *plan->arrays +
                        (size_t)plan->n_steps * sizeof *plan->steps +
                        (size_t)plan->n_tasks * (sizeof *plan->tasks + sizeof *plan->order) +
                        (size_t)plan->n_uses * sizeof *plan->uses +
                        (size_t)plan->n_calls * (sizeof *plan->calls + sizeof *plan->memos) +
                        (size_t)plan->n_slots * sizeof *plan->slots +
                        (size_t)plan->n_results * sizeof *plan->results;
    return (int64_t)(sizeof *plan + rows + (plan->arena ? plan->arena->size_bytes : 0));
}

int64_t heddle__plan_array_bytes(const struct heddle_plan_array *a)
{
    int64_t n = a->element_bytes;
    for (int d = 0; d < a->grid->ndim; d++) n *= a->grid->shape[d];
    return n;
}
