/* A direct launch: memory for what is made, kernels and copies on the GPUs' streams, results. Entry
 * point: heddle__direct_launch. */
#include "runtime/direct.h"

#include "kernels.h"

/* Of a GPU's memory, made by one plan: for what is larger StarPU can evict, and the launch is no matter. */
enum { RESULT_SHARE = 32 };

/* ---- Slots and copies ---------------------------------------------------------------------------------- */

struct heddle_direct_slot *heddle__direct_slot(struct heddle_direct *l,
                                               const struct heddle_plan_use *use)
{
    return &l->slots[l->first[use->array] + use->part];
}

struct heddle_direct_copy *heddle__direct_copy(struct heddle_direct *l,
                                               const struct heddle_direct_slot *slot, int gpu)
{
    for (int i = 0; i < l->n_copies; i++)
        if (&l->slots[l->copies[i].slot] == slot && l->copies[i].to == gpu) return &l->copies[i];
    return NULL;
}

/* ---- Memory -------------------------------------------------------------------------------------------------- */

static bool is_made(const struct heddle_direct *l, const struct heddle_direct_slot *slot)
{
    return slot->gpu >= 0 && l->plan->arrays[slot->array].role != HEDDLE_ROLE_INPUT;
}

/* False: no room; what was got is noted. */
static bool get_memory(struct heddle_direct *l)
{
    const struct heddle_plan *plan = l->plan;
    for (int i = 0; i < l->n_slots; i++)
        if (is_made(l, &l->slots[i])) l->gpus[l->slots[i].gpu].bytes += l->slots[i].bytes;
    for (int i = 0; i < l->n_copies; i++)
        l->gpus[l->copies[i].to].bytes += l->slots[l->copies[i].slot].bytes;
    for (int64_t t = 0; t < plan->n_tasks; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_calls; i++) {
            const struct heddle_kernel_call *call = &plan->calls[plan->tasks[t].first_call + i];
            const int64_t bytes = (int64_t)heddle__launch_scratch_bytes(&call->program);
            struct heddle_direct_gpu *g = &l->gpus[l->gpu_of[t]];
            if (bytes > g->scratch_bytes) g->scratch_bytes = bytes;
        }
    for (int k = 0; k < l->n_gpus; k++)
        if (l->gpus[k].bytes + l->gpus[k].scratch_bytes >
            l->gpus[k].worker->memory_bytes / RESULT_SHARE)
            return false;
    for (int k = 0; k < l->n_gpus; k++) {
        struct heddle_direct_gpu *g = &l->gpus[k];
        (void)heddle__cuda_enter(g->worker->team);
        for (int i = 0; i < l->n_slots; i++) {
            struct heddle_direct_slot *slot = &l->slots[i];
            if (slot->gpu != k || !is_made(l, slot)) continue;
            slot->at = heddle__gpu_block_get(g->worker, slot->bytes);
            if (!slot->at) return false;
            slot->is_ours = true;
        }
        for (int i = 0; i < l->n_copies; i++)
            if (l->copies[i].to == k && !(l->copies[i].at = heddle__gpu_block_get(
                                              g->worker, l->slots[l->copies[i].slot].bytes)))
                return false;
        if (g->scratch_bytes > 0 &&
            !(g->scratch = heddle__gpu_block_get(g->worker, g->scratch_bytes)))
            return false;
    }
    return true;
}

/* What no result holds. Its GPU's stream may still use it: so will whoever gets it next, after that. */
static void put_memory(struct heddle_direct *l)
{
    for (int i = 0; i < l->n_slots; i++)
        if (l->slots[i].is_ours)
            heddle__gpu_block_put(l->gpus[l->slots[i].gpu].worker, l->slots[i].at,
                                  l->slots[i].bytes);
    for (int i = 0; i < l->n_copies; i++)
        if (l->copies[i].at)
            heddle__gpu_block_put(l->gpus[l->copies[i].to].worker, l->copies[i].at,
                                  l->slots[l->copies[i].slot].bytes);
    for (int k = 0; k < l->n_gpus; k++)
        if (l->gpus[k].scratch)
            heddle__gpu_block_put(l->gpus[k].worker, l->gpus[k].scratch, l->gpus[k].scratch_bytes);
}

/* ---- Launching -------------------------------------------------------------------------------------------- */

/* A mark behind what the GPU, which is the current device, has to do so far. */
static enum heddle_status set_mark(const struct heddle_direct_gpu *g, uint64_t *mark)
{
    *mark = heddle__cuda_mark(g->worker->team, g->worker->stream);
    return *mark ? HEDDLE_OK : heddle__fail(HEDDLE_EDEVICE, "heddle_eval: CUDA records no event");
}

/* Sends what task `t` has made for others, or inputs (-1), from a GPU, which is the current device. */
static enum heddle_status send_copies(struct heddle_direct *l, int from, int64_t t)
{
    enum heddle_status status = HEDDLE_OK;
    struct heddle_direct_gpu *g = &l->gpus[from];
    struct heddle_direct_copy *sent[HEDDLE_DIRECT_COPIES];
    int n_sent = 0;
    for (int i = 0; i < l->n_copies; i++) {
        struct heddle_direct_copy *c = &l->copies[i];
        const struct heddle_direct_slot *slot = &l->slots[c->slot];
        const struct heddle_direct_gpu *to = &l->gpus[c->to];
        if (slot->gpu != from || slot->last_write != t) continue;
        if (!(g->waits_for >> c->to & 1))
            HEDDLE_TRY(heddle__cuda_await(g->worker->stream, to->worker->team, to->begin));
        g->waits_for |= (uint64_t)1 << c->to;
        HEDDLE_TRY(heddle__cuda_copy(c->at, to->worker->team, slot->at, g->worker->team,
                                     (size_t)slot->bytes, g->worker->stream));
        heddle__count_moved(g->worker->place, to->worker->place, slot->bytes);
        sent[n_sent++] = c;
    }
    uint64_t mark = 0;
    if (n_sent > 0) HEDDLE_TRY(set_mark(g, &mark));
    for (int i = 0; i < n_sent; i++) sent[i]->mark = mark;
fail:
    return status;
}

/* The memory of copies is free when their GPU has done what it had to do before. */
static enum heddle_status begin_copies(struct heddle_direct *l)
{
    enum heddle_status status = HEDDLE_OK;
    for (int i = 0; i < l->n_copies; i++) {
        struct heddle_direct_gpu *to = &l->gpus[l->copies[i].to];
        if (to->begin) continue;
        (void)heddle__cuda_enter(to->worker->team);
        HEDDLE_TRY(set_mark(to, &to->begin));
    }
    for (int k = 0; k < l->n_gpus && l->n_copies > 0; k++) {
        (void)heddle__cuda_enter(l->gpus[k].worker->team);
        HEDDLE_TRY(send_copies(l, k, -1));
    }
fail:
    return status;
}

static enum heddle_status launch_task(struct heddle_direct *l, int64_t t)
{
    enum heddle_status status = HEDDLE_OK;
    const struct heddle_plan_task *task = &l->plan->tasks[t];
    const int gpu = l->gpu_of[t];
    const struct heddle_direct_gpu *g = &l->gpus[gpu];
    void *buffers[HEDDLE_DIRECT_SLOTS];
    for (int32_t i = 0; i < task->n_uses; i++) {
        const struct heddle_direct_slot *slot =
            heddle__direct_slot(l, &l->plan->uses[task->first_use + i]);
        struct heddle_direct_copy *c = slot->gpu == gpu ? NULL : heddle__direct_copy(l, slot, gpu);
        buffers[i] = c ? c->at : slot->at;
        if (!c || c->is_awaited) continue;
        HEDDLE_TRY(heddle__cuda_await(g->worker->stream, l->gpus[slot->gpu].worker->team, c->mark));
        c->is_awaited = true;
    }
    for (int32_t i = 0; i < task->n_calls; i++)
        HEDDLE_TRY(heddle__cuda_program(&l->plan->calls[task->first_call + i].program, buffers,
                                        l->constants, g->scratch, g->worker->stream,
                                        &l->interpreted));
    if (l->n_copies > 0) HEDDLE_TRY(send_copies(l, gpu, t));
fail:
    return status;
}

static enum heddle_status launch_all(struct heddle_direct *l)
{
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_TRY(begin_copies(l));
    int current = -1;
    for (int64_t t = 0; t < l->plan->n_tasks; t++) {
        if (l->gpu_of[t] != current) (void)heddle__cuda_enter(l->gpus[l->gpu_of[t]].worker->team);
        current = l->gpu_of[t];
        HEDDLE_TRY(launch_task(l, t));
    }
    for (int k = 0; k < l->n_gpus; k++) {
        if (k != current) (void)heddle__cuda_enter(l->gpus[k].worker->team);
        current = k;
        HEDDLE_TRY(set_mark(&l->gpus[k], &l->gpus[k].end));
    }
    return HEDDLE_OK;
fail: /* memory that was to be sent to may be reused at once */
    for (int k = 0; k < l->n_gpus && l->n_copies > 0; k++) {
        (void)heddle__cuda_enter(l->gpus[k].worker->team);
        heddle__cuda_drain(l->gpus[k].worker->stream);
    }
    return status;
}

/* ---- Results ---------------------------------------------------------------------------------------------- */

/* The storage of result array `i`, new or an input's; NULL when memory is gone. */
static struct heddle_storage *make_result(struct heddle_direct *l, int32_t i)
{
    const struct heddle_plan_array *a = &l->plan->arrays[i];
    if (a->same_as >= 0) {
        const struct heddle_plan_array *o = &l->plan->arrays[heddle__owner_of(l->plan, i)];
        return heddle__storage_same(l->inputs[o->index], o->grid, a->grid);
    }
    struct heddle_storage *s = heddle__storage_parted(a->grid, a->element_bytes);
    if (!s) return NULL;
    s->is_direct = true;
    for (int64_t p = 0; p < s->n_parts; p++) {
        struct heddle_direct_slot *slot = &l->slots[l->first[i] + p];
        const struct heddle_direct_gpu *g = &l->gpus[slot->gpu];
        s->parts[p].hold = HEDDLE_HOLD_OWN;
        s->parts[p].worker = (int16_t)g->number;
        s->parts[p].device = slot->at;
        s->parts[p].mark = g->end;
        slot->is_ours = false; /* it goes with the storage */
    }
    heddle__storage_list(s);
    return s;
}

static enum heddle_status make_results(struct heddle_direct *l, struct heddle_storage *results[])
{
    const struct heddle_plan *plan = l->plan;
    for (int32_t i = 0; i < plan->n_results; i++) results[i] = NULL;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        if (plan->arrays[i].role != HEDDLE_ROLE_RESULT) continue;
        struct heddle_storage *s = make_result(l, i);
        results[plan->arrays[i].index] = s;
        if (s) continue;
        for (int32_t k = 0; k < plan->n_results; k++) {
            heddle__storage_release(results[k]);
            results[k] = NULL;
        }
        return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a result");
    }
    return HEDDLE_OK;
}

/* Until when the GPUs use what is leased, and write what is updated in place. */
static void note_use(struct heddle_direct *l)
{
    for (int i = 0; i < l->n_slots; i++) {
        const struct heddle_direct_slot *slot = &l->slots[i];
        if (l->plan->arrays[slot->array].role != HEDDLE_ROLE_INPUT || slot->gpu < 0) continue;
        struct heddle_part *part = heddle__direct_input(l, slot);
        const uint64_t end = l->gpus[slot->gpu].end;
        if (end && (part->hold == HEDDLE_HOLD_LEASE || slot->last_write >= 0)) part->mark = end;
    }
}

/* How long they take is known to who waits. */
static void count(const struct heddle_direct *l, double start_us)
{
    heddle__count(&heddle__counters.gpu_direct, 1);
    heddle__count(&heddle__counters.gpu_tasks, l->plan->n_tasks);
    for (int64_t t = 0; t < l->plan->n_tasks; t++)
        heddle__count_task(l->plan, &l->plan->tasks[t], l->gpus[l->gpu_of[t]].worker, 0, true);
    for (int k = 0; k < l->n_gpus; k++) heddle__direct_began(l->gpus[k].worker, start_us);
}

static enum heddle_status run(struct heddle_direct *l, const union heddle_scalar constants[],
                              struct heddle_storage *results[])
{
    const struct heddle_plan *plan = l->plan;
    const double start_us = heddle__now_us();
    enum heddle_status status = HEDDLE_OK;
    if (l->n_copies > 0) HEDDLE_TRY(heddle__check_movement(plan));
    for (int32_t i = 0; i < plan->n_constants; i++) l->constants[i] = constants[i];
    for (int32_t i = 0; i < plan->n_literals; i++)
        l->constants[plan->n_constants + i] = plan->literals[i];
    status = launch_all(l);
    note_use(l);
    if (l->interpreted) /* the process may not exit while kernels are being compiled */
        heddle__prepare_calls(plan, 0, plan->n_calls);
    if (status != HEDDLE_OK) return status;
    HEDDLE_TRY(make_results(l, results));
    count(l, start_us);
fail:
    return status;
}

bool heddle__direct_launch(struct heddle_direct *l, const union heddle_scalar constants[],
                           struct heddle_storage *results[], enum heddle_status *status)
{
    const int team = l->gpus[0].worker->team, before = heddle__cuda_enter(team);
    const bool room = get_memory(l);
    if (room) *status = run(l, constants, results);
    put_memory(l);
    /* the current device may be another one by now */
    heddle__cuda_leave(l->n_gpus > 1 ? -1 : team, before);
    return room;
}
