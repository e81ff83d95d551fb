/* Submission: a plan's tasks become StarPU tasks, in the plan's order, from which StarPU infers the
 * dependences. A temporary part is registered at its first use and let go after its last. Kernels
 * are in codelet.c. Entry points: heddle__submit. */
#include "runtime/handles.h"
#include "runtime/scheduler.h"

#include "base/memory.h"
#include "kernels.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables over the parts of all arrays: kept between evaluations, under the evaluation lock -------- */

struct slot {
    starpu_data_handle_t handle;
    int64_t last_task; /* temporaries: after it the handle goes */
    int64_t stamp;     /* of the task that `buffer` is for */
    int32_t buffer;    /* its number among the task's buffers */
    bool written;
    bool brought; /* to its place, before the first task */
};
static struct slot *slots;
static int64_t *first_slot; /* of an array's parts */
static int64_t slot_room, first_room;

struct submission {
    struct heddle_plan *plan;
    struct heddle_run *run;
    struct heddle_storage *const *inputs;
    struct heddle_storage **results;
    const struct heddle_workers_summary *workers;
    int64_t brought[STARPU_NMAXWORKERS]; /* bytes, to a worker */
};

static enum heddle_status prepare_slots(const struct heddle_plan *plan)
{
    int64_t n = 0;
    for (int32_t i = 0; i < plan->n_arrays; i++) n += plan->arrays[i].grid->n_parts;
    if (!heddle__grow(&slots, sizeof *slots, n, &slot_room) ||
        !heddle__grow(&first_slot, sizeof *first_slot, plan->n_arrays, &first_room))
        return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for %lld parts", (long long)n);
    n = 0;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        if (plan->arrays[i].same_as >= 0) continue;
        first_slot[i] = n;
        n += plan->arrays[i].grid->n_parts;
    }
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (plan->arrays[i].same_as >= 0) first_slot[i] = first_slot[heddle__owner_of(plan, i)];
    for (int64_t i = 0; i < n; i++) slots[i] = (struct slot){.last_task = -1, .stamp = -1};
    for (int64_t t = 0; t < plan->n_tasks; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[t].first_use + i];
            slots[first_slot[use->array] + use->part].last_task = t;
        }
    return HEDDLE_OK;
}

/* ---- Arrays ------------------------------------------------------------------------------------------- */

static enum heddle_status prepare_input(struct submission *s, int32_t array)
{
    const struct heddle_plan_array *a = &s->plan->arrays[array];
    struct heddle_storage *storage = s->inputs[a->index];
    const enum heddle_status status = heddle__storage_attach(storage, a->grid, a->element_bytes);
    if (status != HEDDLE_OK) return status;
    storage = heddle__storage_root(storage);
    s->run->faults[array] = heddle__fault_retain(storage->fault);
    s->run->inputs[array] = (struct heddle_run_input){
        storage->data && !storage->pinned && heddle__n_gpus() > 0, storage->n_attached};
    for (int64_t p = 0; p < storage->n_parts; p++) {
        slots[first_slot[array] + p].handle = storage->parts[p].handle;
        slots[first_slot[array] + p].written = storage->parts[p].handle != NULL;
    }
    return HEDDLE_OK;
}

/* `array` is a result, or a temporary that result `as` is under another shape. */
static enum heddle_status prepare_result(struct submission *s, int32_t array, int32_t as)
{
    const struct heddle_plan_array *a = &s->plan->arrays[as];
    struct heddle_storage *storage = heddle__storage_parted(a->grid, a->element_bytes);
    if (!storage) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a result");
    s->results[a->index] = storage;
    s->run->made[array] = heddle__storage_retain_run(storage);
    s->run->faults[array] = heddle__fault_retain(storage->fault);
    heddle__storage_list(storage);
    return HEDDLE_OK;
}

/* Results that are another array's data. */
static enum heddle_status prepare_same(struct submission *s, int32_t array)
{
    const struct heddle_plan_array *a = &s->plan->arrays[array];
    const int32_t owner = heddle__owner_of(s->plan, array);
    const struct heddle_plan_array *o = &s->plan->arrays[owner];
    if (a->role != HEDDLE_ROLE_RESULT) return HEDDLE_OK;
    if (o->role == HEDDLE_ROLE_TEMPORARY && !s->run->made[owner])
        return prepare_result(s, owner, array);
    struct heddle_storage *of =
        o->role == HEDDLE_ROLE_INPUT ? s->inputs[o->index] : s->run->made[owner];
    s->results[a->index] = heddle__storage_same(of, o->grid, a->grid);
    return s->results[a->index]
               ? HEDDLE_OK
               : heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a result");
}

static enum heddle_status prepare_arrays(struct submission *s)
{
    const struct heddle_plan *plan = s->plan;
    enum heddle_status status;
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        if (plan->arrays[i].same_as >= 0) continue;
        if (plan->arrays[i].role == HEDDLE_ROLE_INPUT)
            HEDDLE_TRY(prepare_input(s, i));
        else if (plan->arrays[i].role == HEDDLE_ROLE_RESULT)
            HEDDLE_TRY(prepare_result(s, i, i));
    }
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (plan->arrays[i].same_as >= 0) HEDDLE_TRY(prepare_same(s, i));
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        if (plan->arrays[i].same_as >= 0 || s->run->faults[i] ||
            plan->arrays[i].role != HEDDLE_ROLE_TEMPORARY || plan->arrays[i].last_task < 0)
            continue;
        s->run->faults[i] = heddle__fault_new();
        if (!s->run->faults[i])
            return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for temporaries");
    }
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (plan->arrays[i].same_as >= 0)
            s->run->faults[i] = heddle__fault_retain(s->run->faults[heddle__owner_of(plan, i)]);
    for (int64_t t = 0; t < plan->n_tasks; t++)
        for (int32_t i = 0; i < plan->tasks[t].n_uses; i++) {
            const struct heddle_plan_use *use = &plan->uses[plan->tasks[t].first_use + i];
            const struct heddle_plan_array *a = &plan->arrays[use->array];
            if ((use->mode & HEDDLE_WRITE) && a->role == HEDDLE_ROLE_INPUT &&
                !s->run->made[use->array]) { /* it is overwritten: the result waits for that */
                s->run->made[use->array] =
                    heddle__storage_retain_run(heddle__storage_root(s->inputs[a->index]));
                heddle__direct_end_leases(s->run->made[use->array], true);
            }
            if ((use->mode & HEDDLE_WRITE) && s->run->made[use->array])
                atomic_fetch_add_explicit(&s->run->made[use->array]->unwritten, 1,
                                          memory_order_relaxed);
        }
    return HEDDLE_OK;
fail:
    return status;
}

/* ---- One task ------------------------------------------------------------------------------------------ */

static starpu_data_handle_t handle_of(struct submission *s, const struct heddle_plan_use *use)
{
    struct slot *slot = &slots[first_slot[use->array] + use->part];
    if (slot->handle) return slot->handle;
    slot->handle = heddle__register(-1, NULL, heddle__use_bytes(s->plan, use));
    if (s->run->made[use->array]) s->run->made[use->array]->parts[use->part].handle = slot->handle;
    return slot->handle;
}

struct task_buffers {
    int n;
    starpu_data_handle_t *handles;
    enum starpu_data_access_mode *modes;
};

static bool make_buffers(struct starpu_task *task, int room, struct task_buffers *b)
{
    b->n = 0;
    b->handles = task->handles;
    b->modes = task->modes;
    if (room <= STARPU_NMAXBUFS) return true;
    /* StarPU frees them with the task. */
    task->dyn_handles = malloc((size_t)room * sizeof *task->dyn_handles);
    task->dyn_modes = malloc((size_t)room * sizeof *task->dyn_modes);
    b->handles = task->dyn_handles;
    b->modes = task->dyn_modes;
    return b->handles && b->modes;
}

static enum starpu_data_access_mode mode_of(struct slot *slot, enum heddle_mode mode)
{
    const bool written = slot->written;
    if (mode & HEDDLE_WRITE) slot->written = true;
    if (mode == HEDDLE_READ) return STARPU_R;
    return mode == HEDDLE_WRITE || !written ? STARPU_W : STARPU_RW;
}

/* Buffers of the task's uses; a part that is used twice is one buffer. */
static enum heddle_status fill_buffers(struct submission *s, struct heddle_job *job,
                                       struct task_buffers *b)
{
    const struct heddle_plan_task *task = &s->plan->tasks[job->task];
    const struct heddle_plan_use *uses = s->plan->uses + task->first_use;
    for (int32_t i = 0; i < task->n_uses; i++) {
        struct slot *slot = &slots[first_slot[uses[i].array] + uses[i].part];
        if ((uses[i].mode & HEDDLE_READ) && !slot->written && uses[i].mode == HEDDLE_READ)
            return heddle__fail(HEDDLE_EINTERNAL,
                                "runtime: task %lld reads a part that none has written",
                                (long long)job->task);
        if (slot->stamp == job->task) { /* twice */
            if (!job->buffer_of) {
                job->buffer_of = heddle__alloc((size_t)task->n_uses * sizeof *job->buffer_of);
                if (!job->buffer_of) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");
                for (int32_t k = 0; k < i; k++) job->buffer_of[k] = (uint16_t)k;
            }
            const enum starpu_data_access_mode both =
                b->modes[slot->buffer] | mode_of(slot, uses[i].mode);
            b->modes[slot->buffer] = both;
            job->buffer_of[i] = (uint16_t)slot->buffer;
            continue;
        }
        slot->stamp = job->task;
        slot->buffer = b->n;
        if (job->buffer_of) job->buffer_of[i] = (uint16_t)b->n;
        b->handles[b->n] = handle_of(s, &uses[i]);
        b->modes[b->n++] = mode_of(slot, uses[i].mode);
    }
    return HEDDLE_OK;
}

static int64_t scratch_bytes(const struct heddle_plan *plan, const struct heddle_plan_task *task)
{
    int64_t most = 0;
    for (int32_t i = 0; i < task->n_calls; i++) {
        const struct heddle_kernel_call *call = &plan->calls[task->first_call + i];
        if (call->family != HEDDLE_FAMILY_PROGRAM) continue;
        const int64_t bytes = (int64_t)heddle__launch_scratch_bytes(&call->program);
        if (bytes > most) most = bytes;
    }
    return most;
}

/* What is to come from host memory comes now, before all that depends on other tasks: in the order of
 * the plan, once, as far as there is room. What goes on from there is noted. */
static void place(struct submission *s, struct starpu_task *task, struct heddle_job *job,
                  int worker)
{
    const struct heddle_plan_task *plan_task = &s->plan->tasks[job->task];
    const struct heddle_worker *w = heddle__worker(worker);
    heddle__bind(task, worker, s->plan->waits_for_data, &job->placement);
    for (int32_t i = 0; i < plan_task->n_uses && s->workers->gpu_bytes > 0; i++) {
        const struct heddle_plan_use *use = &s->plan->uses[plan_task->first_use + i];
        struct slot *slot = &slots[first_slot[use->array] + use->part];
        heddle__send(&job->placement, slot->handle, heddle__worker_at(use->send_to),
                     use->mode & HEDDLE_WRITE);
        if (use->is_sent) heddle__await(&job->placement, slot->handle);
        const bool comes_here = use->place == plan_task->place || use->place < HEDDLE_PLACE_GPU;
        if (!w->is_gpu || use->mode != HEDDLE_READ || !comes_here || slot->brought ||
            !s->plan->arrays[use->array].on_host)
            continue;
        slot->brought = true;
        s->brought[worker] += heddle__use_bytes(s->plan, use);
        if (s->brought[worker] < s->workers->gpu_bytes / 4)
            starpu_data_prefetch_on_node(slot->handle, w->node, 1);
    }
}

/* Lets go of the temporaries that end with task `t`. */
static void end_temporaries(struct submission *s, int64_t t)
{
    const struct heddle_plan_task *task = &s->plan->tasks[t];
    for (int32_t i = 0; i < task->n_uses; i++) {
        const struct heddle_plan_use *use = &s->plan->uses[task->first_use + i];
        struct slot *slot = &slots[first_slot[use->array] + use->part];
        if (s->plan->arrays[use->array].role != HEDDLE_ROLE_TEMPORARY || s->run->made[use->array] ||
            slot->last_task != t || !slot->handle)
            continue;
        starpu_data_unregister_submit(slot->handle);
        slot->handle = NULL;
    }
}

static enum heddle_status submit_task(struct submission *s, int64_t t)
{
    const struct heddle_plan_task *plan_task = &s->plan->tasks[t];
    const struct heddle_plan_step *step = &s->plan->steps[plan_task->step];
    enum heddle_status status;
    struct task_buffers buffers;
    struct starpu_task *task = starpu_task_create();
    struct heddle_job *job = heddle__job_new();
    if (!task || !job || !make_buffers(task, plan_task->n_uses + 1, &buffers)) {
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a task");
        goto fail;
    }
    job->run = s->run;
    job->task = t;
    HEDDLE_TRY(fill_buffers(s, job, &buffers));

    task->cl = heddle__codelet(step->family);
    task->name = step->name;
    task->cl_arg = job;
    task->cl_arg_size = sizeof *job;
    task->callback_func = heddle__job_done;
    task->callback_arg = job;
    task->flops = plan_task->flops;
    const int worker = heddle__worker_at(plan_task->place);
    if (worker >= 0) {
        place(s, task, job, worker);
    } else if (step->n_tasks >= 2 * heddle__n_workers()) {
        heddle__bind_late(task);
    }
    if (s->workers->gpu_bytes > 0) {
        const int64_t scratch = scratch_bytes(s->plan, plan_task);
        if (scratch > 0) {
            buffers.handles[buffers.n] = heddle__scratch_handle(scratch, &job->scratch_bytes);
            buffers.modes[buffers.n++] = STARPU_SCRATCH;
        }
        if (worker < 0 && s->workers->has_cpu &&
            heddle__task_bytes(s->plan, plan_task) + scratch > s->workers->gpu_bytes)
            task->where = STARPU_CPU;
        else if (worker < 0 && s->workers->links_fill_memory &&
                 step->family != HEDDLE_FAMILY_MAP_PARTS && step->n_tasks >= 2 * heddle__n_gpus())
            task->where = STARPU_CUDA; /* a stream: cores would take from the links */
    }
    task->nbuffers = buffers.n;
    HEDDLE_TRY(heddle__function_begin(s->run, plan_task, task));
    const int error = starpu_task_submit(task);
    if (error == 0) {
        end_temporaries(s, t);
        return HEDDLE_OK;
    }
    heddle__function_end(s->run, plan_task);
    status =
        heddle__fail(error == -ENODEV ? HEDDLE_ENODEVICE : HEDDLE_EDEVICE,
                     "heddle_eval: StarPU takes no task \"%s\": %s", step->name, strerror(-error));
fail:
    if (job) heddle__job_free(job);
    if (task) {
        task->destroy = 0;
        starpu_task_destroy(task);
    }
    return status;
}

/* ---- All of a plan --------------------------------------------------------------------------------------- */

static pthread_mutex_t scratch_mutex = PTHREAD_MUTEX_INITIALIZER;
static starpu_data_handle_t scratch[64]; /* by log2 of its size */

starpu_data_handle_t heddle__scratch_handle(int64_t size_bytes, int64_t *room)
{
    int log2 = 12;
    while (((int64_t)1 << log2) < size_bytes) log2++;
    *room = (int64_t)1 << log2;
    pthread_mutex_lock(&scratch_mutex);
    if (!scratch[log2]) scratch[log2] = heddle__register(-1, NULL, *room);
    pthread_mutex_unlock(&scratch_mutex);
    return scratch[log2];
}

void heddle__submit_close(void)
{
    heddle__jobs_close();
    for (int i = 0; i < 64; i++) {
        if (scratch[i]) starpu_data_unregister(scratch[i]);
        scratch[i] = NULL;
    }
    heddle__free(slots);
    heddle__free(first_slot);
    slots = NULL;
    first_slot = NULL;
    slot_room = first_room = 0;
}

/* What a plan needs of CUDA before its first task: of each step, what its first one calls. */
static void prepare_cuda(const struct heddle_plan *plan)
{
    for (int64_t t = 0; t < plan->n_steps; t++) {
        const struct heddle_plan_step *step = &plan->steps[t];
        if (step->n_tasks == 0) continue;
        const struct heddle_plan_task *task = &plan->tasks[step->first_task];
        heddle__prepare_calls(plan, task->first_call, task->n_calls);
    }
}

static void give_up(struct submission *s, int64_t n_submitted)
{
    const struct heddle_plan *plan = s->plan;
    for (int32_t i = 0; i < plan->n_results; i++) {
        heddle__storage_release(s->results[i]);
        s->results[i] = NULL;
    }
    for (int32_t i = 0; i < plan->n_arrays; i++) {
        const struct heddle_plan_array *a = &plan->arrays[i];
        if (a->role != HEDDLE_ROLE_TEMPORARY || a->same_as >= 0 || s->run->made[i]) continue;
        for (int64_t p = 0; p < a->grid->n_parts; p++) {
            struct slot *slot = &slots[first_slot[i] + p];
            if (slot->handle) starpu_data_unregister_submit(slot->handle);
            slot->handle = NULL;
        }
    }
    heddle__run_less(s->run, plan->n_tasks - n_submitted + 1);
}

enum heddle_status heddle__submit(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                                  const union heddle_scalar constants[],
                                  struct heddle_storage *results[])
{
    struct submission s = {
        .plan = plan, .inputs = inputs, .results = results, .workers = heddle__workers_summary()};
    enum heddle_status status = heddle__check_memory(plan);
    if (status == HEDDLE_OK) status = heddle__check_movement(plan);
    if (status != HEDDLE_OK) return status;
    for (int32_t i = 0; i < plan->n_results; i++) results[i] = NULL;
    const int64_t gpu_bytes = s.workers->gpu_bytes;
    if (gpu_bytes > 0 && plan->bytes > (double)gpu_bytes / 8) heddle__gpu_blocks_trim();
    heddle__free_done_runs();
    status = prepare_slots(plan);
    if (status != HEDDLE_OK) return status;
    s.run = heddle__run_new(plan, constants);
    if (!s.run) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");

    heddle__workers_hold();
    int64_t t = 0;
    status = prepare_arrays(&s);
    if (status == HEDDLE_OK && heddle__n_gpus() > 0) prepare_cuda(plan);
    for (; t < plan->n_tasks && status == HEDDLE_OK; t++) {
        status = submit_task(&s, t);
        if (status != HEDDLE_OK) break;
    }
    if (status == HEDDLE_OK)
        heddle__run_less(s.run, 1);
    else
        give_up(&s, t);
    heddle__let_go(); /* the GPU is at work now */
    heddle__workers_release();
    return status;
}
