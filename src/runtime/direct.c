/* Direct launches: a plan of few tasks whose data are all on one GPU is launched there by the caller's
 * thread, on the stream of StarPU's worker, so in order with StarPU's tasks. A task through StarPU
 * takes 20 us beside its kernel; this takes 6. What is made stays unknown to StarPU until StarPU needs
 * it (heddle__direct_adopt); what StarPU has on that GPU is leased, so that it stays where it is.
 * Entry points: internal.h, "Direct launches". */
#include "runtime/handles.h"

#include "base/memory.h"
#include "kernels.h"

#include <pthread.h>
#include <time.h>

enum {
    MAX_TASKS = 8,
    MAX_ARRAYS = 32,
    MAX_CONSTANTS = 256,
    MAX_ENDINGS = 64,
    LEASE_SHARE = 4,  /* at most that share of a GPU's memory is leased, */
    RESULT_SHARE = 8, /* made by one plan: what is larger StarPU may have to evict for */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t leased_bytes[HEDDLE_MAX_GPUS];

/* ---- Marks ----------------------------------------------------------------------------------------- */

/* Until the worker's GPU has passed a mark; false: CUDA failed. */
static bool await(const struct heddle_worker *w, uint64_t mark)
{
    enum { SPIN_US = 2000, PAUSE_NS = 50000 };
    const double until = heddle__now_us() + SPIN_US;
    int passed;
    while ((passed = heddle__cuda_passed(w->team, mark)) == 0)
        if (heddle__now_us() > until) nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    return passed > 0;
}

/* ---- Where data are -------------------------------------------------------------------------------- */

/* The only part of a storage that nobody is still writing but by direct launches; or NULL. */
static struct heddle_part *quiet_part(struct heddle_storage *s)
{
    s = heddle__storage_root(s);
    if (!s->parts || s->n_parts != 1) return NULL;
    if (atomic_load_explicit(&s->unwritten, memory_order_acquire) != 0) return NULL;
    return &s->parts[0];
}

static bool is_on(const struct heddle_part *part, int worker)
{
    if (part->hold != HEDDLE_HOLD_NONE && part->worker != worker) return false;
    return part->handle ? heddle__is_valid_on(part->handle, heddle__worker(worker)->node)
                        : part->device != NULL;
}

/* StarPU's copy on the GPU stays there from now on. Under the evaluation lock. */
static bool lease(struct heddle_storage *s, int worker)
{
    s = heddle__storage_root(s);
    struct heddle_part *part = &s->parts[0];
    const struct heddle_worker *w = heddle__worker(worker);
    const int64_t bytes = heddle__part_bytes(s, 0);
    pthread_mutex_lock(&mutex);
    const bool room = leased_bytes[w->team] + bytes <= w->memory_bytes / LEASE_SHARE;
    if (room) leased_bytes[w->team] += bytes;
    pthread_mutex_unlock(&mutex);
    if (!room) return false;
    heddle__workers_hold();
    const bool ok = starpu_data_acquire_on_node(part->handle, (int)w->node, STARPU_R) == 0;
    heddle__workers_release();
    if (ok) {
        part->device = starpu_data_handle_to_pointer(part->handle, w->node);
        part->worker = (int16_t)worker;
        part->hold = HEDDLE_HOLD_LEASE;
        return true;
    }
    pthread_mutex_lock(&mutex);
    leased_bytes[w->team] -= bytes;
    pthread_mutex_unlock(&mutex);
    return false;
}

/* Leases of storages that are gone, until the GPU is done with them: StarPU's copy engines know
 * nothing of the stream. */
static struct ending {
    starpu_data_handle_t handle;
    const struct heddle_worker *worker;
    uint64_t mark;
    int64_t bytes;
} endings[MAX_ENDINGS];
static atomic_int n_endings; /* changes under the mutex */

static void end_lease(const struct ending *e)
{
    starpu_data_release_on_node(e->handle, (int)e->worker->node);
    pthread_mutex_lock(&mutex);
    leased_bytes[e->worker->team] -= e->bytes;
    pthread_mutex_unlock(&mutex);
}

/* Takes one that is done off the list. */
static bool next_ending(struct ending *out)
{
    bool found = false;
    pthread_mutex_lock(&mutex);
    const int n = atomic_load(&n_endings);
    for (int i = 0; i < n && !found; i++) {
        if (heddle__cuda_passed(endings[i].worker->team, endings[i].mark) == 0) continue;
        *out = endings[i];
        endings[i] = endings[n - 1];
        atomic_store(&n_endings, n - 1);
        found = true;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

void heddle__direct_poll(void)
{
    struct ending e;
    while (atomic_load_explicit(&n_endings, memory_order_relaxed) > 0 && next_ending(&e))
        end_lease(&e);
}

static bool end_later(const struct ending *e)
{
    pthread_mutex_lock(&mutex);
    const int n = atomic_load(&n_endings);
    if (n < MAX_ENDINGS) {
        endings[n] = *e;
        atomic_store(&n_endings, n + 1);
    }
    pthread_mutex_unlock(&mutex);
    return n < MAX_ENDINGS;
}

void heddle__direct_end_leases(struct heddle_storage *s, bool now)
{
    for (int64_t p = 0; p < s->n_parts && s->parts; p++) {
        struct heddle_part *part = &s->parts[p];
        if (part->hold != HEDDLE_HOLD_LEASE) continue;
        const struct heddle_worker *w = heddle__worker(part->worker);
        const struct ending e = {part->handle, w, part->used, heddle__part_bytes(s, p)};
        if (heddle__cuda_passed(w->team, e.mark) != 0 || now || !end_later(&e)) {
            await(w, e.mark);
            end_lease(&e);
        }
        part->hold = HEDDLE_HOLD_NONE;
        part->device = NULL;
    }
}

void heddle__direct_free_own(struct heddle_storage *s)
{
    for (int64_t p = 0; p < s->n_parts && s->parts; p++) {
        struct heddle_part *part = &s->parts[p];
        if (part->hold != HEDDLE_HOLD_OWN) continue;
        heddle__gpu_block_put(heddle__worker(part->worker), part->device, heddle__part_bytes(s, p));
        part->hold = HEDDLE_HOLD_NONE;
        part->device = NULL;
    }
}

/* ---- Waiting, and StarPU ----------------------------------------------------------------------------- */

void heddle__direct_wait(struct heddle_storage *s)
{
    struct heddle_worker *w = heddle__worker(s->parts[0].worker);
    if (!await(w, s->mark))
        heddle__fault_set(s->fault, HEDDLE_EDEVICE, "heddle_wait: a kernel failed on the GPU");
    const double now = heddle__now_us();
    pthread_mutex_lock(&mutex);
    if (w->direct_since > 0) heddle__count_busy(w, now - w->direct_since);
    w->direct_since = 0;
    pthread_mutex_unlock(&mutex);
}

bool heddle__direct_read(struct heddle_storage *s, void *out, int64_t size_bytes,
                         enum heddle_status *status)
{
    enum { MOST = 1 << 20 }; /* what is larger is faster by way of pinned memory */
    s = heddle__storage_root(s);
    if (!s->mark || s->parts[0].handle || size_bytes > MOST) return false;
    const struct heddle_worker *w = heddle__worker(s->parts[0].worker);
    const int before = heddle__cuda_enter(w->team);
    *status = size_bytes > 0
                  ? heddle__cuda_read(out, s->parts[0].device, (size_t)size_bytes, w->stream)
                  : HEDDLE_OK;
    heddle__cuda_leave(w->team, before);
    return true;
}

void heddle__direct_adopt(struct heddle_storage *s)
{
    static pthread_mutex_t adopting = PTHREAD_MUTEX_INITIALIZER;
    if (!s->mark) return;
    struct heddle_part *part = &s->parts[0];
    heddle__direct_wait(s);
    pthread_mutex_lock(&adopting);
    if (!part->handle && part->device) {
        part->is_lent = true;
        part->handle = heddle__register((int)heddle__worker(part->worker)->node, part->device,
                                        heddle__part_bytes(s, 0));
    }
    pthread_mutex_unlock(&adopting);
}

/* ---- Which GPU ------------------------------------------------------------------------------------------ */

/* The GPU that has all inputs; without any, the only one, if it is the fastest device; -1. */
static int choose(const struct heddle_plan *plan, struct heddle_storage *const inputs[])
{
    int chosen = -1;
    for (int i = 0; i < heddle__n_workers() && chosen < 0; i++) {
        if (!heddle__worker(i)->is_gpu || heddle__worker(i)->team >= HEDDLE_MAX_GPUS) continue;
        bool all = plan->n_inputs > 0 || heddle__n_gpus() == 1;
        for (int32_t a = 0; a < plan->n_inputs && all; a++) {
            const struct heddle_part *part = quiet_part(inputs[a]);
            all = part && is_on(part, i);
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

/* Whether the plan is one for a direct launch on some GPU, by its form. */
static bool is_direct(const struct heddle_plan *plan)
{
    if (plan->n_tasks == 0 || plan->n_tasks > MAX_TASKS || plan->n_arrays > MAX_ARRAYS ||
        plan->n_constants + plan->n_literals > MAX_CONSTANTS)
        return false;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        const enum heddle_plan_role owner = plan->arrays[heddle__owner_of(plan, i)].role;
        if (a->grid->n_parts != 1) return false;
        if (a->same_as >= 0 && (a->role != HEDDLE_ROLE_RESULT || owner != HEDDLE_ROLE_INPUT))
            return false;
    }
    for (int64_t i = 0; i < plan->n_calls; i++)
        if (plan->calls[i].family != HEDDLE_FAMILY_PROGRAM) return false;
    return true;
}

static bool places_allow(const struct heddle_plan *plan, int worker)
{
    for (int64_t t = 0; t < plan->n_tasks; t++)
        if (plan->tasks[t].place != HEDDLE_ANYWHERE &&
            plan->tasks[t].place != heddle__worker(worker)->place)
            return false;
    return true;
}

/* ---- Launching -------------------------------------------------------------------------------------------- */

struct launch {
    struct heddle_plan *plan;
    struct heddle_worker *worker;
    int number; /* the worker's */
    void *at[MAX_ARRAYS];
    int64_t bytes[MAX_ARRAYS];
    union heddle_scalar constants[MAX_CONSTANTS];
    void *scratch;
    int64_t scratch_bytes;
    bool interpreted;
};

/* Not by a literal, which would clear the constants. */
static void launch_begin(struct launch *l, struct heddle_plan *plan, int number)
{
    l->plan = plan;
    l->number = number;
    for (int32_t i = 0; i < plan->n_arrays; i++) l->at[i] = NULL;
    l->scratch = NULL;
    l->scratch_bytes = 0;
    l->interpreted = false;
}

static bool is_made(const struct heddle_plan *plan, int32_t array)
{
    return plan->arrays[array].role != HEDDLE_ROLE_INPUT && plan->arrays[array].same_as < 0;
}

/* Memory for what is made. False: no room; what was got is in `at`. */
static bool get_memory(struct launch *l)
{
    const struct heddle_plan *plan = l->plan;
    int64_t total = 0;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        l->bytes[i] = heddle__grid_part_size(a->grid, 0) * a->element_bytes;
        if (is_made(plan, i)) total += l->bytes[i];
    }
    for (int64_t i = 0; i < plan->n_calls; i++) {
        const int64_t bytes = (int64_t)heddle__launch_scratch_bytes(&plan->calls[i].program);
        if (bytes > l->scratch_bytes) l->scratch_bytes = bytes;
    }
    if (total + l->scratch_bytes > l->worker->memory_bytes / RESULT_SHARE) return false;
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (is_made(plan, i) && !(l->at[i] = heddle__gpu_block_get(l->worker, l->bytes[i])))
            return false;
    if (l->scratch_bytes > 0) l->scratch = heddle__gpu_block_get(l->worker, l->scratch_bytes);
    return l->scratch_bytes == 0 || l->scratch;
}

/* What no result holds. The stream may still use it: so will whoever gets it next, after that. */
static void put_memory(struct launch *l)
{
    for (int32_t i = 0; i < l->plan->n_arrays; i++)
        if (l->at[i] && is_made(l->plan, i))
            heddle__gpu_block_put(l->worker, l->at[i], l->bytes[i]);
    if (l->scratch) heddle__gpu_block_put(l->worker, l->scratch, l->scratch_bytes);
}

static enum heddle_status launch_all(struct launch *l)
{
    enum heddle_status status = HEDDLE_OK;
    const struct heddle_plan *plan = l->plan;
    for (int64_t t = 0; t < plan->n_tasks; t++) {
        const struct heddle_plan_task *task = &plan->tasks[t];
        const struct heddle_plan_use *uses = plan->uses + task->first_use;
        void *buffers[MAX_ARRAYS];
        for (int32_t i = 0; i < task->n_uses; i++) buffers[i] = l->at[uses[i].array];
        for (int32_t i = 0; i < task->n_calls && status == HEDDLE_OK; i++)
            status =
                heddle__cuda_program(&plan->calls[task->first_call + i].program, buffers,
                                     l->constants, l->scratch, l->worker->stream, &l->interpreted);
    }
    return status;
}

/* The storage of result array `i`, new or an input's; NULL when memory is gone. */
static struct heddle_storage *make_result(struct launch *l, int32_t i, uint64_t mark,
                                          struct heddle_storage *const inputs[])
{
    const struct heddle_plan_array *a = &l->plan->arrays[i];
    if (a->same_as >= 0) {
        const struct heddle_plan_array *o = &l->plan->arrays[heddle__owner_of(l->plan, i)];
        return heddle__storage_same(inputs[o->index], o->grid, a->grid);
    }
    struct heddle_storage *s = heddle__storage_parted(a->grid, a->element_bytes);
    if (!s) return NULL;
    s->mark = mark;
    s->parts[0].hold = HEDDLE_HOLD_OWN;
    s->parts[0].worker = (int16_t)l->number;
    s->parts[0].device = l->at[i];
    l->at[i] = NULL; /* it goes with the storage */
    heddle__storage_list(s);
    return s;
}

static enum heddle_status make_results(struct launch *l, uint64_t mark,
                                       struct heddle_storage *const inputs[],
                                       struct heddle_storage *results[])
{
    const struct heddle_plan *plan = l->plan;
    for (int32_t i = 0; i < plan->n_results; i++) results[i] = NULL;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        if (plan->arrays[i].role != HEDDLE_ROLE_RESULT) continue;
        struct heddle_storage *s = make_result(l, i, mark, inputs);
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

/* How long they take is known to who waits. */
static void count(const struct launch *l, double start_us)
{
    const struct heddle_plan *plan = l->plan;
    heddle__count(&heddle__counters.gpu_direct, 1);
    heddle__count(&heddle__counters.gpu_tasks, plan->n_tasks);
    for (int64_t t = 0; t < plan->n_tasks; t++)
        heddle__count_task(plan, &plan->tasks[t], l->worker, 0, true);
    pthread_mutex_lock(&mutex);
    if (l->worker->direct_since == 0) l->worker->direct_since = start_us;
    pthread_mutex_unlock(&mutex);
}

/* What is updated in place must be unknown to StarPU, which may have copies of it. */
static bool may_update(const struct heddle_plan *plan, struct heddle_storage *const inputs[])
{
    for (int64_t u = 0; u < plan->n_uses; u++) {
        const struct heddle_plan_array *a = &plan->arrays[plan->uses[u].array];
        if (!(plan->uses[u].mode & HEDDLE_WRITE) || a->role != HEDDLE_ROLE_INPUT) continue;
        const struct heddle_part *part = &heddle__storage_root(inputs[a->index])->parts[0];
        if (part->hold != HEDDLE_HOLD_OWN || part->handle) return false;
    }
    return true;
}

static bool find_inputs(struct launch *l, struct heddle_storage *const inputs[])
{
    for (int32_t i = 0; i < l->plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &l->plan->arrays[i];
        if (a->role != HEDDLE_ROLE_INPUT) continue;
        struct heddle_part *part = quiet_part(inputs[a->index]);
        if (part->hold == HEDDLE_HOLD_NONE && !lease(inputs[a->index], l->number)) return false;
        l->at[i] = part->device;
    }
    return true;
}

/* Until when the GPU uses what is leased, and what is updated in place. */
static void note_use(const struct launch *l, struct heddle_storage *const inputs[], uint64_t mark)
{
    const struct heddle_plan *plan = l->plan;
    for (int32_t i = 0; i < plan->n_inputs && mark > 0; i++) {
        struct heddle_part *part = &heddle__storage_root(inputs[i])->parts[0];
        if (part->hold == HEDDLE_HOLD_LEASE) part->used = mark;
    }
    for (int64_t u = 0; u < plan->n_uses && mark > 0; u++) {
        const struct heddle_plan_array *a = &plan->arrays[plan->uses[u].array];
        if ((plan->uses[u].mode & HEDDLE_WRITE) && a->role == HEDDLE_ROLE_INPUT)
            heddle__storage_root(inputs[a->index])->mark = mark;
    }
}

bool heddle__direct(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                    const union heddle_scalar constants[], struct heddle_storage *results[],
                    enum heddle_status *status)
{
    if (heddle__n_gpus() == 0 || !is_direct(plan)) return false;
    heddle__direct_poll();
    struct launch l;
    launch_begin(&l, plan, choose(plan, inputs));
    if (l.number < 0 || !places_allow(plan, l.number)) return false;
    l.worker = heddle__worker(l.number);
    if (!l.worker->stream || !may_update(plan, inputs) || !find_inputs(&l, inputs)) return false;

    const double start_us = heddle__now_us();
    const int before = heddle__cuda_enter(l.worker->team);
    const bool room = get_memory(&l);
    if (room) {
        for (int32_t i = 0; i < plan->n_constants; i++) l.constants[i] = constants[i];
        for (int32_t i = 0; i < plan->n_literals; i++)
            l.constants[plan->n_constants + i] = plan->literals[i];
        *status = launch_all(&l);
        uint64_t mark = 0;
        if (*status == HEDDLE_OK && !(mark = heddle__cuda_mark(l.worker->team, l.worker->stream)))
            *status = heddle__fail(HEDDLE_EDEVICE, "heddle_eval: CUDA records no event");
        note_use(&l, inputs, mark);
        if (*status == HEDDLE_OK) *status = make_results(&l, mark, inputs, results);
        if (*status == HEDDLE_OK) count(&l, start_us);
        if (l.interpreted) /* the process may not exit while kernels are being compiled */
            heddle__prepare_calls(plan, 0, plan->n_calls);
    }
    put_memory(&l);
    heddle__cuda_leave(l.worker->team, before);
    return room;
}

/* ---- The end ------------------------------------------------------------------------------------------------ */

void heddle__direct_drain(void)
{
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *w = heddle__worker(i);
        if (!w->is_gpu || !w->stream) continue;
        const int before = heddle__cuda_enter(w->team);
        heddle__cuda_drain(w->stream);
        heddle__cuda_leave(w->team, before);
    }
    heddle__direct_poll();
}

void heddle__direct_close(void)
{
    heddle__gpu_blocks_trim();
    for (int i = 0; i < heddle__n_workers(); i++)
        if (heddle__worker(i)->is_gpu) heddle__cuda_marks_close(heddle__worker(i)->team);
}
