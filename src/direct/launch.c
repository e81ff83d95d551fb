/* A direct launch: gets memory for what is made, enqueues kernels and copies on the GPUs' streams, makes
 * the results. Entry point: heddle__direct_run. */
#include "direct/launch.h"

#include "array/devices.h"
#include "direct/kept_boxes.h"
#include "plan/policy/thresholds.h"
#include "run/cost.h"
#include "run/counters/counters.h"
#include "starpu/gpu_blocks.h"
#include "starpu/handles.h"
#include "starpu/leases.h"

/* A plan makes at most this share of a GPU's memory: for more, StarPU can evict, and the time of a launch
 * does not matter. */
enum { RESULT_SHARE = 32 };

static bool takes_part(const struct heddle_direct_launch *l, int gpu)
{
    return l->trace.gpus >> gpu & 1;
}

/* ---- Memory -------------------------------------------------------------------------------------------------- */

static int64_t bytes_of(const struct heddle_direct_launch *l, int64_t slot)
{
    return l->trace.plan->slots[slot].bytes;
}

/* Of what another GPU takes of it: an equal piece for each part, where that is known only later. */
static int64_t read_bytes(const struct heddle_direct_launch *l, int64_t slot)
{
    const struct heddle_plan_array *a = &l->trace.plan->arrays[l->trace.plan->slots[slot].array];
    return bytes_of(l, slot) / (a->in_pieces ? a->grid->n_parts : 1);
}

static bool is_made(const struct heddle_direct_launch *l, int64_t slot)
{
    const struct heddle_plan *plan = l->trace.plan;
    return l->trace.slots[slot].gpu >= 0 && !l->trace.slots[slot].is_kept &&
           plan->arrays[plan->slots[slot].array].role != HEDDLE_ROLE_INPUT;
}

static bool is_sent(const struct heddle_direct_copy *c)
{
    return !c->is_kept && !c->is_there;
}

/* Whether what the plan makes fits. */
static bool has_room(struct heddle_direct_launch *l)
{
    const struct heddle_direct_trace *t = &l->trace;
    for (int64_t i = 0; i < t->plan->n_slots; i++)
        if (is_made(l, i)) l->gpus[t->slots[i].gpu].bytes += bytes_of(l, i);
    for (int i = 0; i < t->n_copies; i++)
        if (is_sent(&t->copies[i]))
            l->gpus[t->copies[i].to].bytes += bytes_of(l, t->copies[i].slot);
    for (int64_t i = 0; i < t->plan->n_tasks; i++) {
        struct heddle_direct_gpu *g = &l->gpus[t->gpu_of[i]];
        if (t->plan->tasks[i].scratch_bytes > g->scratch_bytes)
            g->scratch_bytes = t->plan->tasks[i].scratch_bytes;
    }
    const int share = t->reads_pieces ? heddle__thresholds.pieces_of_memory : RESULT_SHARE;
    for (int k = 0; k < t->world->n_gpus; k++)
        if (takes_part(l, k) &&
            l->gpus[k].bytes + l->gpus[k].scratch_bytes > l->gpus[k].worker->memory_bytes / share)
            return false;
    return true;
}

/* False: there is no room; what it got is noted. */
static bool get_memory(struct heddle_direct_launch *l)
{
    struct heddle_direct_trace *t = &l->trace;
    if (!has_room(l)) return false;
    for (int k = 0; k < t->world->n_gpus; k++) {
        struct heddle_direct_gpu *g = &l->gpus[k];
        if (!takes_part(l, k)) continue;
        (void)heddle__cuda_enter(g->worker->team);
        for (int64_t i = 0; i < t->plan->n_slots; i++) {
            struct heddle_direct_slot *slot = &t->slots[i];
            if (slot->gpu != k || !is_made(l, i)) continue;
            slot->at = heddle__gpu_block_get(g->worker, bytes_of(l, i));
            if (!slot->at) return false;
            slot->is_ours = true;
        }
        for (int i = 0; i < t->n_copies; i++)
            if (t->copies[i].to == k && is_sent(&t->copies[i]) &&
                !(t->copies[i].at =
                      heddle__gpu_block_get(g->worker, bytes_of(l, t->copies[i].slot))))
                return false;
        if (g->scratch_bytes > 0 &&
            !(g->scratch = heddle__gpu_block_get(g->worker, g->scratch_bytes)))
            return false;
    }
    return true;
}

/* Gives back what no result holds. Its GPU's stream may still use it; whoever gets it next will use it on
 * that stream, too, so later. */
static void put_memory(struct heddle_direct_launch *l)
{
    struct heddle_direct_trace *t = &l->trace;
    for (int64_t i = 0; i < t->plan->n_slots; i++)
        if (t->slots[i].is_ours)
            heddle__gpu_block_put(l->gpus[t->slots[i].gpu].worker, t->slots[i].at, bytes_of(l, i));
    for (int i = 0; i < t->n_copies; i++)
        if (t->copies[i].at && is_sent(&t->copies[i]))
            heddle__gpu_block_put(l->gpus[t->copies[i].to].worker, t->copies[i].at,
                                  bytes_of(l, t->copies[i].slot));
    for (int k = 0; k < t->world->n_gpus; k++)
        if (l->gpus[k].scratch)
            heddle__gpu_block_put(l->gpus[k].worker, l->gpus[k].scratch, l->gpus[k].scratch_bytes);
}

/* ---- Launching -------------------------------------------------------------------------------------------- */

/* Sets a mark behind what the GPU, the current device, has to do so far. */
static enum heddle_status set_mark(const struct heddle_direct_gpu *g, uint64_t *mark)
{
    *mark = heddle__cuda_mark(g->worker->team, g->worker->stream);
    return *mark ? HEDDLE_OK : heddle__fail(HEDDLE_EDEVICE, "heddle_eval: CUDA records no event");
}

static enum heddle_status send_copy(struct heddle_direct_launch *l, struct heddle_direct_gpu *g,
                                    struct heddle_direct_copy *c)
{
    enum heddle_status status = HEDDLE_OK;
    const struct heddle_direct_gpu *to = &l->gpus[c->to];
    if (!(g->waits_for >> c->to & 1))
        HEDDLE_TRY(heddle__cuda_await(g->worker->stream, to->worker->team, to->begin));
    g->waits_for |= (uint64_t)1 << c->to;
    HEDDLE_TRY(heddle__cuda_copy(c->at, to->worker->team, l->trace.slots[c->slot].at,
                                 g->worker->team, (size_t)bytes_of(l, c->slot), g->worker->stream));
fail:
    return status;
}

/* Sends to other GPUs what task `task` made for them, or inputs (-1), from GPU `from`, the current device; or lets them read
 * it there. */
static enum heddle_status send_copies(struct heddle_direct_launch *l, int from, int64_t task)
{
    enum heddle_status status = HEDDLE_OK;
    struct heddle_direct_trace *t = &l->trace;
    struct heddle_direct_gpu *g = &l->gpus[from];
    struct heddle_direct_copy *sent[HEDDLE_DIRECT_COPIES];
    int n_sent = 0;
    for (int i = 0; i < t->n_copies; i++) {
        struct heddle_direct_copy *c = &t->copies[i];
        const struct heddle_direct_slot *slot = &t->slots[c->slot];
        if (c->is_kept || slot->gpu != from || slot->last_write != task) continue;
        if (!c->is_there) HEDDLE_TRY(send_copy(l, g, c));
        heddle__count_moved(g->worker->place, l->gpus[c->to].worker->place, read_bytes(l, c->slot));
        sent[n_sent++] = c;
    }
    uint64_t mark = 0;
    if (n_sent > 0) HEDDLE_TRY(set_mark(g, &mark));
    for (int i = 0; i < n_sent; i++) sent[i]->mark = mark;
fail:
    return status;
}

/* The memory of copies may be in use until its GPU has done what it has to do so far: senders wait for a
 * mark behind that. Then inputs are sent. */
static enum heddle_status begin_copies(struct heddle_direct_launch *l)
{
    enum heddle_status status = HEDDLE_OK;
    for (int i = 0; i < l->trace.n_copies; i++) {
        struct heddle_direct_gpu *to = &l->gpus[l->trace.copies[i].to];
        if (to->begin || !is_sent(&l->trace.copies[i])) continue;
        (void)heddle__cuda_enter(to->worker->team);
        HEDDLE_TRY(set_mark(to, &to->begin));
    }
    for (int k = 0; k < l->trace.world->n_gpus && l->trace.n_copies > 0; k++) {
        if (!takes_part(l, k)) continue;
        (void)heddle__cuda_enter(l->gpus[k].worker->team);
        HEDDLE_TRY(send_copies(l, k, -1));
    }
fail:
    return status;
}

static enum heddle_status lend_report(struct heddle_direct_launch *l,
                                      const struct heddle_kernel_call *call,
                                      struct heddle_kernel_context *k)
{
    if (!l->fault) l->fault = heddle__fault_new();
    HEDDLE_REQUIRE(l->fault && heddle__fault_report(l->fault, call->family->describe, &k->report),
                   HEDDLE_ENOMEM, "heddle_eval: no memory for what a kernel may report");
    return HEDDLE_OK;
}

/* Sets a mark behind a task that reads what is in other GPUs' memory. */
static enum heddle_status mark_reads(struct heddle_direct_launch *l,
                                     const struct heddle_plan_task *task, int gpu)
{
    enum heddle_status status = HEDDLE_OK;
    uint64_t mark;
    HEDDLE_TRY(set_mark(&l->gpus[gpu], &mark));
    for (int32_t i = 0; i < task->n_uses; i++) {
        struct heddle_direct_copy *c =
            heddle__direct_copy(&l->trace, l->trace.plan->uses[task->first_use + i].slot, gpu);
        if (c && c->is_there) c->read = mark;
    }
fail:
    return status;
}

static enum heddle_status launch_task(struct heddle_direct_launch *l, int64_t number)
{
    enum heddle_status status = HEDDLE_OK;
    struct heddle_direct_trace *t = &l->trace;
    const struct heddle_plan_task *task = &t->plan->tasks[number];
    const int gpu = t->gpu_of[number];
    const struct heddle_direct_gpu *g = &l->gpus[gpu];
    void *buffers[HEDDLE_DIRECT_SLOTS];
    bool reads_there = false;
    for (int32_t i = 0; i < task->n_uses; i++) {
        const int64_t number_of_slot = t->plan->uses[task->first_use + i].slot;
        const struct heddle_direct_slot *slot = &t->slots[number_of_slot];
        struct heddle_direct_copy *c =
            slot->gpu == gpu ? NULL : heddle__direct_copy(t, number_of_slot, gpu);
        buffers[i] = c && !c->is_there ? c->at : slot->at;
        reads_there = reads_there || (c && c->is_there);
        if (!c || c->is_awaited) continue;
        HEDDLE_TRY(heddle__cuda_await(g->worker->stream, l->gpus[slot->gpu].worker->team, c->mark));
        c->is_awaited = true;
    }
    struct heddle_kernel_context k = {.buffers = buffers,
                                      .constants = l->constants,
                                      .objects = l->bindings->objects,
                                      .scratch = g->scratch,
                                      .place = g->worker->place,
                                      .stream = g->worker->stream};
    for (int32_t i = 0; i < task->n_calls; i++) {
        const struct heddle_kernel_call *call = &t->plan->calls[task->first_call + i];
        if (call->family->describe) HEDDLE_TRY(lend_report(l, call, &k));
        HEDDLE_TRY(heddle__call_cuda(call, &k));
    }
    l->interpreted = l->interpreted || k.interpreted;
    if (reads_there) HEDDLE_TRY(mark_reads(l, task, gpu));
    if (t->n_copies > 0) HEDDLE_TRY(send_copies(l, gpu, number));
fail:
    return status;
}

/* What uses the memory next, on its own GPU's stream, waits until other GPUs have read it. */
static enum heddle_status await_readers(struct heddle_direct_launch *l)
{
    enum heddle_status status = HEDDLE_OK;
    const struct heddle_direct_trace *t = &l->trace;
    for (int i = 0; i < t->n_copies; i++) {
        const struct heddle_direct_copy *c = &t->copies[i];
        if (!c->read) continue;
        HEDDLE_TRY(heddle__cuda_await(l->gpus[t->slots[c->slot].gpu].worker->stream,
                                      l->gpus[c->to].worker->team, c->read));
    }
fail:
    return status;
}

/* Whether all that a task reads of other GPUs has been sent. */
static bool is_ready(struct heddle_direct_launch *l, int64_t number)
{
    struct heddle_direct_trace *t = &l->trace;
    const struct heddle_plan_task *task = &t->plan->tasks[number];
    for (int32_t i = 0; i < task->n_uses && t->n_copies > 0; i++) {
        const int64_t slot = t->plan->uses[task->first_use + i].slot;
        const int gpu = t->gpu_of[number];
        if (t->slots[slot].gpu == gpu) continue;
        const struct heddle_direct_copy *c = heddle__direct_copy(t, slot, gpu);
        if (!c->is_kept && !c->mark) return false;
    }
    return true;
}

/* A task of each GPU in turn, so that none waits for the launches of another one's; the one that has the plan's last task, which
 * combines what the others made, comes last. A GPU's own tasks stay in order, so that all it reads of others is sent sometime. */
static enum heddle_status launch_tasks(struct heddle_direct_launch *l)
{
    enum heddle_status status = HEDDLE_OK;
    const struct heddle_direct_trace *t = &l->trace;
    const int64_t n_tasks = t->plan->n_tasks;
    const int n_gpus = t->world->n_gpus, last = t->gpu_of[n_tasks - 1];
    int64_t next[HEDDLE_MAX_GPUS] = {0};
    int current = -1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 1; i <= n_gpus; i++) {
            const int gpu = (last + i) % n_gpus;
            int64_t *const at = &next[gpu];
            while (*at < n_tasks && (t->gpu_of[*at] != gpu || t->is_skipped[*at])) ++*at;
            if (*at == n_tasks || !is_ready(l, *at)) continue;
            if (gpu != current) (void)heddle__cuda_enter(l->gpus[gpu].worker->team);
            current = gpu;
            HEDDLE_TRY(launch_task(l, (*at)++));
            more = true;
        }
    }
fail:
    return status;
}

static enum heddle_status launch_all(struct heddle_direct_launch *l)
{
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_TRY(begin_copies(l));
    HEDDLE_TRY(launch_tasks(l));
    int current = -1;
    for (int k = 0; k < l->trace.world->n_gpus; k++) {
        if (!takes_part(l, k)) continue;
        if (k != current) (void)heddle__cuda_enter(l->gpus[k].worker->team);
        current = k;
        HEDDLE_TRY(set_mark(&l->gpus[k], &l->gpus[k].end));
    }
    HEDDLE_TRY(await_readers(l));
    return HEDDLE_OK;
fail: /* memory may be reused at once, and no mark is behind what was launched */
    for (int k = 0; k < l->trace.world->n_gpus; k++) {
        if (!takes_part(l, k)) continue;
        (void)heddle__cuda_enter(l->gpus[k].worker->team);
        heddle__cuda_drain(l->gpus[k].worker->stream);
    }
    return status;
}

/* ---- Results ---------------------------------------------------------------------------------------------- */

/* Makes the storage of result `i` of what was made; NULL when memory is gone. */
static struct heddle_storage *make_result(struct heddle_direct_launch *l, int32_t i)
{
    const struct heddle_plan_array *a = &l->trace.plan->arrays[l->trace.plan->results[i]];
    struct heddle_storage *s = heddle__storage_parted(a->grid, a->element_bytes);
    if (!s) return NULL;
    s->is_direct = true;
    if (l->fault) {
        heddle__fault_release(s->fault);
        s->fault = heddle__fault_retain(l->fault);
    }
    for (int64_t p = 0; p < s->n_parts; p++) {
        struct heddle_direct_slot *slot = &l->trace.slots[a->first_slot + p];
        const struct heddle_direct_gpu *g = &l->gpus[slot->gpu];
        s->parts[p].hold = HEDDLE_HOLD_OWN;
        s->parts[p].worker = (int16_t)g->worker->number;
        s->parts[p].device = slot->at;
        s->parts[p].mark = g->end;
        slot->is_ours = false; /* it is the storage's */
    }
    heddle__storage_list(s);
    return s;
}

static enum heddle_status make_results(struct heddle_direct_launch *l,
                                       struct heddle_storage *results[])
{
    const struct heddle_plan *plan = l->trace.plan;
    for (int32_t i = 0; i < plan->n_results; i++) results[i] = NULL;
    for (int32_t i = 0; i < plan->n_results; i++) {
        results[i] = plan->arrays[plan->results[i]].kept_as == i
                         ? make_result(l, i)
                         : heddle__result_storage(plan, i, l->bindings, results);
        if (results[i]) continue;
        for (int32_t k = 0; k < i; k++) {
            heddle__storage_release(results[k]);
            results[k] = NULL;
        }
        return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a result");
    }
    return HEDDLE_OK;
}

/* Has the copies of inputs kept for later launches. */
static void keep_copies(struct heddle_direct_launch *l)
{
    struct heddle_direct_trace *t = &l->trace;
    for (int i = 0; i < t->n_copies; i++) {
        struct heddle_direct_copy *c = &t->copies[i];
        struct heddle_plan_halo of;
        if (!c->is_keepable || !heddle__direct_box(t, c->slot, &of)) continue;
        struct heddle_storage *s = l->bindings->inputs[t->plan->arrays[of.array].index];
        c->is_kept = heddle__keep_box(s, of.part, &of.box, l->gpus[c->to].worker, c->at,
                                      bytes_of(l, c->slot));
    }
}

/* Notes until when the GPUs use what is leased, and write what they update in place. */
static void note_use(struct heddle_direct_launch *l)
{
    const struct heddle_plan *plan = l->trace.plan;
    for (int64_t i = 0; i < plan->n_slots; i++) {
        const struct heddle_direct_slot *slot = &l->trace.slots[i];
        if (plan->arrays[plan->slots[i].array].role != HEDDLE_ROLE_INPUT || slot->gpu < 0) continue;
        struct heddle_part *part = heddle__direct_input(l, i);
        const uint64_t end = l->gpus[slot->gpu].end;
        if (end && (part->hold == HEDDLE_HOLD_LEASE || slot->last_write >= 0)) part->mark = end;
        if (slot->last_write >= 0)
            heddle__kept_drop(heddle__storage_root(
                l->bindings->inputs[plan->arrays[plan->slots[i].array].index]));
    }
}

/* Counts tasks, not their time: whoever waits for them learns that. */
static void count(const struct heddle_direct_launch *l, double start_us)
{
    const struct heddle_plan *plan = l->trace.plan;
    heddle__count(&heddle__counters.gpu_direct, 1);
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        if (l->trace.is_skipped[t]) continue;
        heddle__count(&heddle__counters.gpu_tasks, 1);
        heddle__count_task(plan, &plan->tasks[t], l->gpus[l->trace.gpu_of[t]].worker, 0, true);
    }
    for (int k = 0; k < l->trace.world->n_gpus; k++)
        if (takes_part(l, k)) heddle__direct_began(l->gpus[k].worker, start_us);
}

static enum heddle_status run(struct heddle_direct_launch *l, struct heddle_storage *results[])
{
    const struct heddle_plan *plan = l->trace.plan;
    const double start_us = heddle__now_us();
    enum heddle_status status = HEDDLE_OK;
    if (l->trace.copied_bytes > 0) HEDDLE_TRY(heddle__check_movement(plan));
    heddle__all_constants(plan, l->bindings->constants, l->constants);
    status = launch_all(l);
    if (status == HEDDLE_OK) keep_copies(l);
    note_use(l);
    /* The launches have started compiling what they found uncompiled. Preparing it on this thread, too,
     * makes exit() wait for the compilers. */
    if (l->interpreted) heddle__prepare_calls(plan, 0, plan->n_calls);
    if (status != HEDDLE_OK) return status;
    HEDDLE_TRY(make_results(l, results));
    count(l, start_us);
fail:
    return status;
}

bool heddle__direct_run(struct heddle_direct_launch *l, struct heddle_storage *results[],
                        enum heddle_status *status)
{
    const int team = l->gpus[l->trace.gpu_of[0]].worker->team;
    const int before = heddle__cuda_enter(team);
    const bool room = get_memory(l);
    l->fault = NULL;
    if (room) *status = run(l, results);
    heddle__fault_release(l->fault);
    put_memory(l);
    /* the current device may be another one now */
    heddle__cuda_leave(l->trace.world->n_gpus > 1 ? -1 : team, before);
    return room;
}
