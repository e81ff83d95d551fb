/* Direct launches: if the data of a plan are on the GPUs where its tasks run, the caller's thread launches
 * it on the streams of StarPU's workers, so in order with StarPU's tasks. Through StarPU a task takes
 * 20 us beside its kernel; this way it takes 6. What one GPU makes for another it copies there at once;
 * the other's stream waits for that. Entry point: launch,
 * which run/execute.c calls. */
#include "array/devices.h"
#include "array/fault.h"
#include "direct/kept_boxes.h"
#include "direct/launch.h"
#include "run/backend.h"
#include "run/cost.h"
#include "starpu/leases.h"

/* ---- The world of a trace -------------------------------------------------------------------------------- */

#define SMALL_BYTES (4LL << 20) /* of a copy that is kept the first time */

struct context {
    const struct heddle_bindings *bindings;
    int worker[HEDDLE_MAX_GPUS]; /* of each GPU of the world */
};

static struct heddle_storage *input_of(const void *context, int32_t input)
{
    const struct context *c = context;
    return heddle__storage_root(c->bindings->inputs[input]);
}

/* Whether a GPU may still report that the data are wrong: then the plan goes through StarPU, whose tasks
 * wait for that. */
static bool may_report(struct heddle_storage *s)
{
    if (!heddle__fault_is_reported(s->fault)) return false;
    for (int64_t p = 0; p < s->n_parts; p++) {
        const struct heddle_part *part = &s->parts[p];
        if (part->hold == HEDDLE_HOLD_OWN &&
            heddle__cuda_passed(heddle__worker(part->worker)->team, part->mark) != 1)
            return true;
    }
    return false;
}

static bool is_quiet(const void *context, int32_t input, const struct heddle_grid *grid)
{
    const char *text;
    struct heddle_storage *s = input_of(context, input);
    return s->parts && s->n_parts == grid->n_parts &&
           atomic_load_explicit(&s->unwritten, memory_order_acquire) == 0 && !may_report(s) &&
           heddle__fault_get(s->fault, &text) == HEDDLE_OK; /* StarPU's tasks pass errors on */
}

static bool is_on(const void *context, int32_t input, int64_t part, int gpu)
{
    const struct context *c = context;
    const struct heddle_storage *s = input_of(context, input);
    if (!s->parts || (part < 0 && s->n_parts != 1)) return false;
    return heddle__part_is_on(&s->parts[part < 0 ? 0 : part], c->worker[gpu]);
}

static bool is_own(const void *context, int32_t input, int64_t part)
{
    const struct heddle_part *p = &input_of(context, input)->parts[part];
    return p->hold == HEDDLE_HOLD_OWN && !p->handle;
}

/* A box is of the array that the plan names: copies are kept with storages that are no other's under another shape. */
static void *kept(const void *context, int32_t input, int64_t part, const struct heddle_box *box,
                  int gpu)
{
    const struct context *c = context;
    struct heddle_storage *s = c->bindings->inputs[input];
    return s->base ? NULL : heddle__kept_box(s, part, box, heddle__worker(c->worker[gpu]));
}

/* Not the first time that StarPU would send them: much that is read once is sent better beside kernels. */
static bool may_keep(const void *context, int32_t input, int64_t size_bytes, int gpu)
{
    const struct context *c = context;
    const struct heddle_storage *s = c->bindings->inputs[input];
    return !s->base && s->parts && (s->n_attached > 0 || size_bytes <= SMALL_BYTES) &&
           heddle__kept_room(heddle__worker(c->worker[gpu]), size_bytes);
}

static bool reaches(const void *context, int gpu, int other)
{
    const struct context *c = context;
    return heddle__cuda_reaches(heddle__worker(c->worker[gpu])->team,
                                heddle__worker(c->worker[other])->team);
}

static bool is_fastest(const void *context, const struct heddle_plan *plan, int gpu)
{
    const struct context *c = context;
    const double us = heddle__predict_us(plan, &plan->tasks[0], heddle__worker(c->worker[gpu]));
    for (int i = 0; i < heddle__n_workers(); i++)
        if (heddle__predict_us(plan, &plan->tasks[0], heddle__worker(i)) < us) return false;
    return true;
}

static void find_gpus(struct heddle_direct_world *w, struct context *c)
{
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *worker = heddle__worker(i);
        if (!worker->is_gpu || !worker->stream || worker->team >= HEDDLE_MAX_GPUS) continue;
        c->worker[w->n_gpus] = i;
        w->place[w->n_gpus++] = worker->place;
    }
}

/* ---- The launch ------------------------------------------------------------------------------------------- */

static bool lease_inputs(struct heddle_direct_launch *l)
{
    const struct heddle_plan *plan = l->trace.plan;
    for (int64_t i = 0; i < plan->n_slots; i++) {
        struct heddle_direct_slot *slot = &l->trace.slots[i];
        const struct heddle_plan_array *a = &plan->arrays[plan->slots[i].array];
        if (a->role != HEDDLE_ROLE_INPUT || slot->gpu < 0) continue;
        slot->at = heddle__part_lease(l->bindings->inputs[a->index], plan->slots[i].part,
                                      l->gpus[slot->gpu].worker->number);
        if (!slot->at) return false;
    }
    return true;
}

/* Whether all kernels are for GPUs, too: those of a user's may not be. */
static bool has_kernels(const struct heddle_plan *plan, struct heddle_object *const objects[])
{
    for (int64_t t = 0; t < plan->n_tasks && plan->n_objects > 0; t++)
        if (!(heddle__task_devices(plan, &plan->tasks[t], objects) & HEDDLE_ON_GPU)) return false;
    return true;
}

static bool launch(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                   struct heddle_storage *results[], enum heddle_status *status)
{
    if (heddle__n_gpus() == 0) return false;
    heddle__direct_poll();
    struct context context = {.bindings = bindings};
    struct heddle_direct_world world = {.is_quiet = is_quiet,
                                        .is_on = is_on,
                                        .is_own = is_own,
                                        .kept = kept,
                                        .may_keep = may_keep,
                                        .reaches = reaches,
                                        .is_fastest = is_fastest,
                                        .context = &context};
    find_gpus(&world, &context);
    /* Large, and under the evaluation lock. No initialiser: it would clear all of it. */
    static struct heddle_direct_launch l;
    l.bindings = bindings;
    l.interpreted = false;
    if (!heddle__direct_trace(&l.trace, plan, &world) || !has_kernels(plan, bindings->objects))
        return false;
    for (int k = 0; k < world.n_gpus; k++)
        l.gpus[k] = (struct heddle_direct_gpu){.worker = heddle__worker(context.worker[k])};
    return lease_inputs(&l) && heddle__direct_run(&l, results, status);
}

__attribute__((constructor)) static void fill_port(void)
{
    heddle__direct = launch;
    heddle__direct_forget = heddle__kept_drop;
}
