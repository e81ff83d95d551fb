/* Direct launches: a plan whose data are where its tasks run, on one GPU or on several, is launched by
 * the caller's thread on the streams of StarPU's workers, so in order with StarPU's tasks. A task
 * through StarPU takes 20 us beside its kernel; this takes 6. What one GPU makes and another reads is
 * copied by the one that made it, at once; the other's stream waits for that. Entry point:
 * heddle__direct. */
#include "runtime/direct.h"

#include "kernels.h"

enum { TASKS_EACH = 8 };        /* of a GPU */
#define MAX_COPIED (64LL << 20) /* bytes: StarPU's copies do not wait for kernels, these do */

/* ---- Which plans, and where ------------------------------------------------------------------------------ */

/* Whether the plan can be launched directly, by its form. */
static bool is_direct(const struct heddle_plan *plan)
{
    if (plan->n_tasks <= 0 || plan->n_tasks > HEDDLE_DIRECT_TASKS ||
        plan->n_arrays > HEDDLE_DIRECT_ARRAYS ||
        plan->n_constants + plan->n_literals > HEDDLE_DIRECT_CONSTANTS)
        return false;
    int64_t n_slots = 0;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        const enum heddle_plan_role owner = plan->arrays[heddle__owner_of(plan, i)].role;
        if (a->same_as >= 0 && (a->role != HEDDLE_ROLE_RESULT || owner != HEDDLE_ROLE_INPUT))
            return false;
        n_slots += a->grid->n_parts;
    }
    for (int64_t i = 0; i < plan->n_calls; i++)
        if (plan->calls[i].family != HEDDLE_FAMILY_PROGRAM) return false;
    return n_slots <= HEDDLE_DIRECT_SLOTS;
}

/* Whether nobody is still writing an input but direct launches. */
static bool is_quiet(struct heddle_storage *s, const struct heddle_grid *grid)
{
    const char *text;
    s = heddle__storage_root(s);
    return s->parts && s->n_parts == grid->n_parts &&
           atomic_load_explicit(&s->unwritten, memory_order_acquire) == 0 &&
           heddle__fault_get(s->fault, &text) == HEDDLE_OK; /* StarPU's tasks pass it on */
}

/* For tasks that may run anywhere: the GPU that has all inputs; without any, the only one, if it is
 * the fastest device; -1. */
static int choose(const struct heddle_plan *plan, struct heddle_storage *const inputs[])
{
    int chosen = -1;
    for (int i = 0; i < heddle__n_workers() && chosen < 0; i++) {
        if (!heddle__worker(i)->is_gpu || heddle__worker(i)->team >= HEDDLE_MAX_GPUS) continue;
        bool all = plan->n_inputs > 0 || heddle__n_gpus() == 1;
        for (int32_t a = 0; a < plan->n_inputs && all; a++) {
            const struct heddle_storage *s = heddle__storage_root(inputs[a]);
            all = s->parts && s->n_parts == 1 && heddle__part_is_on(&s->parts[0], i);
        }
        if (all) chosen = i;
    }
    if (chosen < 0 || plan->n_inputs > 0) return chosen;
    for (int i = 0; i < heddle__n_workers(); i++)
        if (i != chosen && heddle__predict_us(plan, &plan->tasks[0], heddle__worker(i)) <
                               heddle__predict_us(plan, &plan->tasks[0], heddle__worker(chosen)))
            return -1;
    return chosen;
}

/* The number of a worker's GPU in gpus[]; -1: it takes part in no direct launch. */
static int gpu_at(struct heddle_direct *l, int number)
{
    for (int g = 0; g < l->n_gpus; g++)
        if (l->gpus[g].number == number) return g;
    if (number < 0 || l->n_gpus == HEDDLE_MAX_GPUS) return -1;
    struct heddle_worker *w = heddle__worker(number);
    if (!w->is_gpu || !w->stream || w->team >= HEDDLE_MAX_GPUS) return -1;
    l->gpus[l->n_gpus] = (struct heddle_direct_gpu){.worker = w, .number = number};
    return l->n_gpus++;
}

static bool find_gpus(struct heddle_direct *l)
{
    const struct heddle_plan *plan = l->plan;
    int anywhere = -2;
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        int number = heddle__worker_at(plan->tasks[t].place);
        if (plan->tasks[t].place == HEDDLE_ANYWHERE) {
            if (anywhere == -2) anywhere = choose(plan, l->inputs);
            number = anywhere;
        }
        const int gpu = gpu_at(l, number);
        if (gpu < 0) return false;
        l->gpu_of[t] = (int16_t)gpu;
    }
    return plan->n_tasks <= (int64_t)TASKS_EACH * l->n_gpus;
}

/* ---- Slots and copies -------------------------------------------------------------------------------------- */

static void make_slots(struct heddle_direct *l)
{
    for (int32_t i = 0; i < l->plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &l->plan->arrays[i];
        if (a->same_as >= 0) continue;
        l->first[i] = l->n_slots;
        for (int64_t p = 0; p < a->grid->n_parts; p++)
            l->slots[l->n_slots++] = (struct heddle_direct_slot){
                .bytes = heddle__grid_part_size(a->grid, p) * a->element_bytes,
                .last_write = -1,
                .array = i,
                .part = (int32_t)p,
                .gpu = -1};
    }
    for (int32_t i = 0; i < l->plan->n_arrays; i++)
        if (l->plan->arrays[i].same_as >= 0) l->first[i] = l->first[heddle__owner_of(l->plan, i)];
}

/* `gpu` reads what is on another one; false: that is too much. */
static bool send(struct heddle_direct *l, struct heddle_direct_slot *slot, int gpu)
{
    if (heddle__direct_copy(l, slot, gpu)) return true;
    l->copied_bytes += slot->bytes;
    if (l->n_copies == HEDDLE_DIRECT_COPIES || l->copied_bytes > MAX_COPIED) return false;
    slot->is_copied = true;
    l->copies[l->n_copies++] =
        (struct heddle_direct_copy){.slot = (int32_t)(slot - l->slots), .to = (int16_t)gpu};
    return true;
}

/* The GPU that has a part, `gpu` if it does; -1. */
static int gpu_with(struct heddle_direct *l, const struct heddle_part *part, int gpu)
{
    if (heddle__part_is_on(part, l->gpus[gpu].number)) return gpu;
    for (int i = 0; i < heddle__n_workers(); i++)
        if (heddle__worker(i)->is_gpu && heddle__part_is_on(part, i)) return gpu_at(l, i);
    return -1;
}

/* What is updated in place must be unknown to StarPU, which may have copies of it. */
static bool use_input(struct heddle_direct *l, struct heddle_direct_slot *slot,
                      enum heddle_mode mode, int64_t task)
{
    const int gpu = l->gpu_of[task];
    const struct heddle_plan_array *a = &l->plan->arrays[slot->array];
    if (!is_quiet(l->inputs[a->index], a->grid)) return false;
    const struct heddle_part *part = heddle__direct_input(l, slot);
    if (slot->gpu < 0) slot->gpu = (int16_t)gpu_with(l, part, gpu);
    if (slot->gpu < 0) return false;
    if (!(mode & HEDDLE_WRITE))
        return slot->gpu == gpu || (slot->last_write < 0 && send(l, slot, gpu));
    slot->last_write = task;
    return slot->gpu == gpu && !slot->is_copied && part->hold == HEDDLE_HOLD_OWN && !part->handle;
}

static bool use_made(struct heddle_direct *l, struct heddle_direct_slot *slot,
                     enum heddle_mode mode, int64_t task)
{
    const int gpu = l->gpu_of[task];
    if (mode & HEDDLE_WRITE) {
        if (slot->is_copied || (slot->gpu >= 0 && slot->gpu != gpu)) return false;
        slot->gpu = (int16_t)gpu;
        slot->last_write = task;
        return true;
    }
    return slot->gpu == gpu || (slot->gpu >= 0 && send(l, slot, gpu));
}

/* Where everything is and is made; false: not here. */
static bool trace(struct heddle_direct *l)
{
    const struct heddle_plan *plan = l->plan;
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        const struct heddle_plan_task *task = &plan->tasks[t];
        for (int32_t i = 0; i < task->n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[task->first_use + i];
            struct heddle_direct_slot *slot = heddle__direct_slot(l, use);
            const bool is_input = plan->arrays[slot->array].role == HEDDLE_ROLE_INPUT;
            if (!(is_input ? use_input(l, slot, use->mode, t) : use_made(l, slot, use->mode, t)))
                return false;
        }
    }
    for (int i = 0; i < l->n_slots; i++) { /* parts of no elements: nobody writes them */
        struct heddle_direct_slot *slot = &l->slots[i];
        if (slot->gpu >= 0 || plan->arrays[slot->array].role != HEDDLE_ROLE_RESULT) continue;
        if (slot->bytes > 0) return false;
        slot->gpu = 0;
    }
    return true;
}

static bool lease_inputs(struct heddle_direct *l)
{
    for (int i = 0; i < l->n_slots; i++) {
        struct heddle_direct_slot *slot = &l->slots[i];
        const struct heddle_plan_array *a = &l->plan->arrays[slot->array];
        if (a->role != HEDDLE_ROLE_INPUT || slot->gpu < 0) continue;
        slot->at = heddle__part_lease(l->inputs[a->index], slot->part, l->gpus[slot->gpu].number);
        if (!slot->at) return false;
    }
    return true;
}

bool heddle__direct(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                    const union heddle_scalar constants[], struct heddle_storage *results[],
                    enum heddle_status *status)
{
    if (heddle__n_gpus() == 0 || !is_direct(plan)) return false;
    heddle__direct_poll();
    struct heddle_direct l; /* not by a literal, which would clear all of it */
    l.plan = plan;
    l.inputs = inputs;
    l.n_gpus = l.n_slots = l.n_copies = 0;
    l.copied_bytes = 0;
    l.interpreted = false;
    if (!find_gpus(&l)) return false;
    make_slots(&l);
    if (!trace(&l) || !lease_inputs(&l)) return false;
    return heddle__direct_launch(&l, constants, results, status);
}
