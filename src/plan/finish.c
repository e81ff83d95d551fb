/* Slots, births and deaths, results, memory. Entry point: heddle__plan_finish. */
#include "plan/finish.h"

#include "base/memory.h"

enum { ALIGNMENT = 64 };

static int64_t padded(int64_t size_bytes)
{
    return (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- Slots ---------------------------------------------------------------------------------------- */

static enum heddle_status make_slots(struct heddle_plan *plan)
{
    int64_t n = 0;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        struct heddle_plan_array *a = &plan->arrays[i];
        if (a->owner != i) continue;
        a->first_slot = n;
        n += a->grid->n_parts;
    }
    plan->n_slots = n;
    plan->slots = heddle__alloc((size_t)(n + 1) * sizeof *plan->slots);
    HEDDLE_REQUIRE(plan->slots, HEDDLE_ENOMEM, "heddle_eval: no memory for %lld parts",
                   (long long)n);
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        struct heddle_plan_array *a = &plan->arrays[i];
        if (a->owner != i) {
            a->first_slot = plan->arrays[a->owner].first_slot;
            continue;
        }
        for (int64_t p = 0; p < a->grid->n_parts; p++)
            plan->slots[a->first_slot + p] = (struct heddle_plan_slot){
                .array = i,
                .part = (int32_t)p,
                .bytes = heddle__grid_part_size(a->grid, p) * a->element_bytes,
                .first_task = -1,
                .last_task = -1};
    }
    return HEDDLE_OK;
}

/* ---- Tasks ---------------------------------------------------------------------------------------- */

static enum heddle_status finish_use(struct heddle_plan *plan, int64_t t,
                                     struct heddle_plan_use *use)
{
    const struct heddle_plan_array *a = &plan->arrays[use->array];
    use->slot = a->first_slot + use->part;
    struct heddle_plan_slot *slot = &plan->slots[use->slot];
    HEDDLE_REQUIRE(a->owner == use->array && slot->last_task < t, HEDDLE_EINTERNAL,
                   "plan: task %lld names a part twice, or by a name that is not its owner's",
                   (long long)t);
    HEDDLE_REQUIRE(
        slot->first_task >= 0 || a->role == HEDDLE_ROLE_INPUT || use->mode != HEDDLE_READ,
        HEDDLE_EINTERNAL, "plan: task %lld reads a part that none has written", (long long)t);
    if (slot->first_task < 0) slot->first_task = t;
    slot->last_task = t;
    plan->tasks[t].touched_bytes += slot->bytes;
    if (slot->bytes > plan->largest_slot_bytes) plan->largest_slot_bytes = slot->bytes;
    return HEDDLE_OK;
}

static enum heddle_status finish_task(struct heddle_plan *plan, int64_t t)
{
    struct heddle_plan_task *task = &plan->tasks[t];
    int64_t memory_bytes = 0;
    for (int32_t i = 0; i < task->n_uses; i++) {
        struct heddle_plan_use *use = &plan->uses[task->first_use + i];
        const enum heddle_status status = finish_use(plan, t, use);
        if (status != HEDDLE_OK) return status;
        if (!plan->arrays[use->array].is_file) memory_bytes += plan->slots[use->slot].bytes;
    }
    for (int32_t i = 0; i < task->n_calls; i++) {
        const struct heddle_kernel_call *call = &plan->calls[task->first_call + i];
        if (!call->family->scratch_bytes) continue;
        const int64_t bytes = (int64_t)call->family->scratch_bytes(call->arguments, 0);
        if (bytes > task->scratch_bytes) task->scratch_bytes = bytes;
    }
    if (memory_bytes > plan->largest_task_bytes) plan->largest_task_bytes = memory_bytes;
    return HEDDLE_OK;
}

/* ---- Results and memory ----------------------------------------------------------------------------- */

static void finish_results(struct heddle_plan *plan)
{
    for (int32_t i = 0; i < plan->n_arrays; i++) plan->arrays[i].kept_as = -1;
    for (int32_t i = 0; i < plan->n_results; i++) {
        struct heddle_plan_array *owner = &plan->arrays[plan->arrays[plan->results[i]].owner];
        if (owner->role == HEDDLE_ROLE_INPUT || owner->kept_as >= 0) continue;
        owner->kept_as = i;
        plan->result_bytes += heddle__plan_array_bytes(owner);
    }
    for (int32_t i = 0; i < plan->n_arrays; i++)
        plan->arrays[i].kept_as = plan->arrays[plan->arrays[i].owner].kept_as;
}

/* Where slots are born and die, in the order of tasks. */
static void set_lives(struct heddle_plan *plan)
{
    for (int64_t s = 0; s < plan->n_slots; s++)
        plan->slots[s].first_task = plan->slots[s].last_task = -1;
    for (int64_t i = 0; i < plan->n_tasks; i++) {
        const struct heddle_plan_task *task = &plan->tasks[heddle__plan_task_at(plan, i)];
        for (int32_t k = 0; k < task->n_uses; k++) {
            struct heddle_plan_slot *slot = &plan->slots[plan->uses[task->first_use + k].slot];
            if (slot->first_task < 0) slot->first_task = i;
            slot->last_task = i;
        }
    }
}

/* Temporaries live from their first task to their last. */
static enum heddle_status sum_up_temporaries(struct heddle_plan *plan)
{
    int64_t *change = heddle__calloc((size_t)plan->n_tasks + 2, sizeof *change), now = 0;
    HEDDLE_REQUIRE(change, HEDDLE_ENOMEM, "heddle_eval: no memory to plan");
    plan->temporary_bytes = plan->peak_bytes = 0;
    for (int64_t s = 0; s < plan->n_slots; s++) {
        struct heddle_plan_slot *slot = &plan->slots[s];
        if (!heddle__plan_is_temporary(&plan->arrays[slot->array])) continue;
        if (slot->first_task < 0) continue; /* nobody makes it */
        slot->offset = plan->temporary_bytes;
        plan->temporary_bytes += padded(slot->bytes);
        change[slot->first_task] += slot->bytes;
        change[slot->last_task + 1] -= slot->bytes;
    }
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        now += change[t];
        if (now > plan->peak_bytes) plan->peak_bytes = now;
    }
    heddle__free(change);
    return HEDDLE_OK;
}

enum heddle_status heddle__plan_finish(struct heddle_plan *plan, int64_t most)
{
    enum heddle_status status;
    HEDDLE_TRY(make_slots(plan));
    for (int64_t t = 0; t < plan->n_tasks; t++) HEDDLE_TRY(finish_task(plan, t));
    finish_results(plan);
    HEDDLE_TRY(sum_up_temporaries(plan));
    if (most <= 0 || plan->peak_bytes <= most) return HEDDLE_OK;
    HEDDLE_TRY(heddle__plan_order(plan));
    set_lives(plan);
    HEDDLE_TRY(sum_up_temporaries(plan));
    return HEDDLE_OK;
fail:
    return status;
}
