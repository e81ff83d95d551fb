/* Which plans are launched directly, and where. Entry points: trace.h. */
#include "direct/trace.h"

#define MAX_COPIED (64LL << 20) /* bytes: these copies wait for kernels, StarPU's do not */
/* Bytes of a part that is read in another GPU's memory; more is sent sooner. */
#define MAX_THERE (4LL << 20)

/* ---- Which plans ------------------------------------------------------------------------------------------ */

/* Whether the form of the plan allows it: families with HEDDLE_FAMILY_DIRECT, not too many of anything, and results
 * that are made here or are inputs or other results under another name. What kernels report becomes the error of all that
 * is made; so plans that may report must have one result. */
static bool is_direct(const struct heddle_plan *plan)
{
    if (plan->n_tasks <= 0 || plan->n_tasks > HEDDLE_DIRECT_TASKS ||
        plan->n_arrays > HEDDLE_DIRECT_ARRAYS || plan->n_slots > HEDDLE_DIRECT_SLOTS ||
        plan->n_constants + plan->n_literals > HEDDLE_DIRECT_CONSTANTS)
        return false;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        const enum heddle_plan_role owner = plan->arrays[a->owner].role;
        if (a->owner != i && a->role != HEDDLE_ROLE_TEMPORARY &&
            (a->role != HEDDLE_ROLE_RESULT || owner == HEDDLE_ROLE_TEMPORARY))
            return false;
    }
    for (int64_t i = 0; i < plan->n_calls; i++)
        if (!(plan->calls[i].family->flags & HEDDLE_FAMILY_DIRECT) ||
            (plan->calls[i].family->describe && plan->n_results != 1))
            return false;
    return true;
}

/* ---- Where ------------------------------------------------------------------------------------------------- */

/* The GPU for tasks that may run anywhere: the one that has all inputs or, without inputs, the only one, if
 * it is the fastest device; -1: there is none. */
static int choose(const struct heddle_plan *plan, const struct heddle_direct_world *w)
{
    if (plan->n_inputs == 0) return w->n_gpus == 1 && w->is_fastest(w->context, plan, 0) ? 0 : -1;
    for (int gpu = 0; gpu < w->n_gpus; gpu++) {
        bool all = true;
        for (int32_t i = 0; i < plan->n_inputs && all; i++) all = w->is_on(w->context, i, -1, gpu);
        if (all) return gpu;
    }
    return -1;
}

static int gpu_at(const struct heddle_direct_world *w, heddle_place place)
{
    for (int gpu = 0; gpu < w->n_gpus; gpu++)
        if (w->place[gpu] == place) return gpu;
    return -1;
}

/* Small tasks that may run anywhere, of a plan whose others have their GPUs, are left for place_task. */
static bool find_gpus(struct heddle_direct_trace *t)
{
    const struct heddle_plan *plan = t->plan;
    int anywhere = -2;
    double left_bytes = 0;
    bool is_left = false;
    for (int64_t i = 0; i < plan->n_tasks; i++) {
        const struct heddle_plan_task *task = &plan->tasks[i];
        int gpu = gpu_at(t->world, task->place);
        if (task->place == HEDDLE_ANYWHERE) {
            if (anywhere == -2) anywhere = choose(plan, t->world);
            gpu = anywhere;
            if (gpu < 0) left_bytes += task->bytes;
            is_left = is_left || gpu < 0;
        } else if (gpu < 0) {
            return false;
        }
        t->gpu_of[i] = (int16_t)gpu;
        if (gpu >= 0) t->gpus |= (uint64_t)1 << gpu;
    }
    return !is_left || (t->gpus && left_bytes <= MAX_THERE);
}

/* ---- What is kept ------------------------------------------------------------------------------------------ */

bool heddle__direct_box(const struct heddle_direct_trace *t, int64_t slot,
                        struct heddle_plan_halo *out)
{
    const struct heddle_plan_slot *s = &t->plan->slots[slot];
    const struct heddle_plan_array *a = &t->plan->arrays[s->array];
    if (a->role == HEDDLE_ROLE_INPUT)
        *out = (struct heddle_plan_halo){s->array, s->part, HEDDLE_ANYWHERE,
                                         heddle__grid_part(a->grid, s->part)};
    else if (a->halo)
        *out = *a->halo;
    else
        return false;
    return true;
}

static bool writes(const struct heddle_plan *plan, int64_t slot)
{
    for (int64_t i = 0; i < plan->n_uses; i++)
        if (plan->uses[i].slot == slot && plan->uses[i].mode & HEDDLE_WRITE) return true;
    return false;
}

/* Skips the task that copies a box of an input for another GPU, if that GPU has it. */
static void find_halo(struct heddle_direct_trace *t, const struct heddle_plan_array *copy)
{
    const struct heddle_plan *plan = t->plan;
    const struct heddle_direct_world *w = t->world;
    const struct heddle_plan_halo *halo = copy->halo;
    const struct heddle_plan_array *input = &plan->arrays[halo->array];
    const int64_t slot = copy->first_slot, task = plan->slots[slot].first_task;
    const int gpu = gpu_at(w, halo->to);
    if (gpu < 0 || task < 0 || plan->tasks[task].n_uses != 2 || plan->tasks[task].n_calls != 1 ||
        writes(plan, input->first_slot + halo->part) ||
        !w->is_quiet(w->context, input->index, input->grid))
        return;
    t->slots[slot].at = w->kept(w->context, input->index, halo->part, &halo->box, gpu);
    if (!t->slots[slot].at) return;
    t->slots[slot].gpu = (int16_t)gpu;
    t->slots[slot].is_kept = t->is_skipped[task] = true;
}

static void find_kept(struct heddle_direct_trace *t)
{
    for (int32_t i = 0; i < t->plan->n_arrays && t->world->kept; i++)
        if (t->plan->arrays[i].halo && heddle__plan_owns(t->plan, i))
            find_halo(t, &t->plan->arrays[i]);
}

/* ---- Slots and copies -------------------------------------------------------------------------------------- */

struct heddle_direct_copy *heddle__direct_copy(struct heddle_direct_trace *t, int64_t slot, int gpu)
{
    for (int i = 0; i < t->n_copies; i++)
        if (t->copies[i].slot == slot && t->copies[i].to == gpu) return &t->copies[i];
    return NULL;
}

/* What tasks leave for others to combine is read about once, so where it is: a copy and the second wait behind it take longer.
 * So is what they read pieces of: a copy would be of all. */
static bool is_read_there(const struct heddle_direct_trace *t, int64_t number, int gpu)
{
    const struct heddle_direct_world *w = t->world;
    const struct heddle_plan_slot *slot = &t->plan->slots[number];
    const struct heddle_plan_array *a = &t->plan->arrays[slot->array];
    return (a->in_pieces || (a->partial && slot->bytes <= MAX_THERE)) && w->reaches &&
           w->reaches(w->context, gpu, t->slots[number].gpu);
}

/* Notes that `gpu` reads what is on another one; false: that is too much. Boxes cut out of inputs may be more, if they are
 * kept, so that only one launch waits for them. StarPU keeps whole parts better: beside kernels, and until it needs the room. */
static bool send(struct heddle_direct_trace *t, int64_t number, int gpu)
{
    const struct heddle_direct_world *w = t->world;
    const struct heddle_plan_slot *slot = &t->plan->slots[number];
    const struct heddle_plan_array *a = &t->plan->arrays[slot->array];
    struct heddle_direct_copy c = {.slot = (int32_t)number, .to = (int16_t)gpu};
    struct heddle_plan_halo of;
    if (heddle__direct_copy(t, number, gpu)) return true;
    c.is_there = is_read_there(t, number, gpu);
    if (w->kept && heddle__direct_box(t, number, &of)) {
        const int32_t input = t->plan->arrays[of.array].index;
        if (a->role == HEDDLE_ROLE_INPUT) c.at = w->kept(w->context, input, of.part, &of.box, gpu);
        c.is_kept = c.is_awaited = c.at;
        c.is_keepable = !c.is_kept && w->may_keep(w->context, input, slot->bytes, gpu);
    }
    const bool pieces = c.is_there && a->in_pieces;
    t->reads_pieces = t->reads_pieces || pieces;
    if (!c.is_kept) t->copied_bytes += slot->bytes;
    if (!c.is_kept && !(c.is_keepable && a->halo) && !pieces) t->most_bytes += slot->bytes;
    if (t->n_copies == HEDDLE_DIRECT_COPIES || t->most_bytes > MAX_COPIED) return false;
    t->slots[number].is_copied = true;
    t->copies[t->n_copies++] = c;
    return true;
}

/* A GPU that has a part of an input, preferably `gpu`; -1: none has it. */
static int gpu_with(const struct heddle_direct_world *w, int32_t input, int64_t part, int gpu)
{
    if (w->is_on(w->context, input, part, gpu)) return gpu;
    for (int i = 0; i < w->n_gpus; i++)
        if (w->is_on(w->context, input, part, i)) return i;
    return -1;
}

/* StarPU must not know of a part that is updated in place: it may have copies. */
static bool use_input(struct heddle_direct_trace *t, const struct heddle_plan_use *use,
                      int64_t task)
{
    const struct heddle_direct_world *w = t->world;
    const struct heddle_plan_array *a = &t->plan->arrays[use->array];
    struct heddle_direct_slot *slot = &t->slots[use->slot];
    const int gpu = t->gpu_of[task];
    if (!w->is_quiet(w->context, a->index, a->grid)) return false;
    if (slot->gpu < 0) slot->gpu = (int16_t)gpu_with(w, a->index, use->part, gpu);
    if (slot->gpu < 0) return false;
    t->gpus |= (uint64_t)1 << slot->gpu;
    if (!(use->mode & HEDDLE_WRITE))
        return slot->gpu == gpu || (slot->last_write < 0 && send(t, use->slot, gpu));
    slot->last_write = task;
    return slot->gpu == gpu && !slot->is_copied && w->is_own(w->context, a->index, use->part);
}

static bool use_made(struct heddle_direct_trace *t, const struct heddle_plan_use *use, int64_t task)
{
    struct heddle_direct_slot *slot = &t->slots[use->slot];
    const int gpu = t->gpu_of[task];
    if (use->mode & HEDDLE_WRITE) {
        if (slot->is_copied || (slot->gpu >= 0 && slot->gpu != gpu)) return false;
        slot->gpu = (int16_t)gpu;
        slot->last_write = task;
        return true;
    }
    return slot->gpu == gpu || (slot->gpu >= 0 && send(t, use->slot, gpu));
}

/* Where most is of what the task reads; if it reads nothing, the first GPU that takes part. */
static void place_task(struct heddle_direct_trace *t, int64_t task)
{
    const struct heddle_plan *plan = t->plan;
    int64_t bytes[HEDDLE_MAX_GPUS] = {0};
    int most = 0;
    while (!(t->gpus >> most & 1)) most++;
    for (int32_t k = 0; k < plan->tasks[task].n_uses; k++) {
        const struct heddle_plan_use *use = &plan->uses[plan->tasks[task].first_use + k];
        const struct heddle_plan_array *a = &plan->arrays[use->array];
        int gpu = t->slots[use->slot].gpu;
        if (gpu < 0 && a->role == HEDDLE_ROLE_INPUT)
            gpu = gpu_with(t->world, a->index, use->part, most);
        if (gpu < 0) continue;
        bytes[gpu] += plan->slots[use->slot].bytes;
        if (bytes[gpu] > bytes[most]) most = gpu;
    }
    t->gpu_of[task] = (int16_t)most;
    t->gpus |= (uint64_t)1 << most;
}

bool heddle__direct_trace(struct heddle_direct_trace *t, const struct heddle_plan *plan,
                          const struct heddle_direct_world *world)
{
    if (world->n_gpus == 0 || !is_direct(plan)) return false;
    t->plan = plan; /* no initialiser: it would clear all of it */
    t->world = world;
    t->gpus = 0;
    t->n_copies = 0;
    t->copied_bytes = t->most_bytes = 0;
    t->reads_pieces = false;
    if (!find_gpus(t)) return false;
    for (int64_t i = 0; i < plan->n_slots; i++)
        t->slots[i] = (struct heddle_direct_slot){.last_write = -1, .gpu = -1};
    for (int64_t i = 0; i < plan->n_tasks; i++) t->is_skipped[i] = false;
    find_kept(t);
    for (int64_t i = 0; i < plan->n_tasks; i++) {
        if (t->gpu_of[i] < 0) place_task(t, i);
        for (int32_t k = 0; k < plan->tasks[i].n_uses && !t->is_skipped[i]; k++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[i].first_use + k];
            const bool is_input = plan->arrays[use->array].role == HEDDLE_ROLE_INPUT;
            if (!(is_input ? use_input(t, use, i) : use_made(t, use, i))) return false;
        }
    }
    for (int64_t i = 0; i < plan->n_slots; i++) { /* no task writes parts without elements */
        if (t->slots[i].gpu >= 0 || plan->arrays[plan->slots[i].array].kept_as < 0) continue;
        if (plan->slots[i].bytes > 0) return false;
        t->slots[i].gpu = t->gpu_of[0];
    }
    return true;
}
