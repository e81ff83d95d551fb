/* Submission: makes StarPU tasks of a plan's tasks, in the plan's order, from which StarPU infers the
 * dependences. A temporary part is registered at its first use and unregistered after its last. Kernels
 * are called in codelet.c. Entry points: submit.h. */
#include "starpu/submit.h"

#include "array/devices.h"
#include "array/large_buffers.h"
#include "array/spill.h"
#include "base/limits.h"
#include "base/memory.h"
#include "run/backend.h"
#include "run/cost.h"
#include "run/workers.h"
#include "starpu/gpu_blocks.h"
#include "starpu/gpu_queue.h"
#include "starpu/handles.h"
#include "starpu/register.h"
#include "starpu/idle.h"
#include "starpu/jobs.h"
#include "starpu/leases.h"
#include "starpu/room.h"
#include "starpu/scheduler.h"
#include "starpu/spare.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- The plan's slots, as StarPU knows them. Memory is kept, under the evaluation lock ---------------- */

struct place {
    starpu_data_handle_t handle;
    bool written;
    bool brought; /* its GPU has been sent it, before the first task */
};
static struct place *places; /* [n_slots] */
static int64_t place_room;

struct submission {
    struct heddle_plan *plan;
    struct heddle_run *run;
    const struct heddle_bindings *bindings;
    struct heddle_storage **results;
    const struct heddle_workers_summary *workers;
    int64_t brought[HEDDLE_MAX_WORKERS]; /* bytes sent to each worker */
};

static enum heddle_status prepare_places(const struct heddle_plan *plan)
{
    HEDDLE_REQUIRE(heddle__grow(&places, sizeof *places, plan->n_slots + 1, &place_room),
                   HEDDLE_ENOMEM, "heddle_eval: no memory for %lld parts",
                   (long long)plan->n_slots);
    memset(places, 0, (size_t)plan->n_slots * sizeof *places);
    return HEDDLE_OK;
}

/* ---- Arrays ------------------------------------------------------------------------------------------- */

static enum heddle_status prepare_input(struct submission *s, int32_t array)
{
    const struct heddle_plan_array *a = &s->plan->arrays[array];
    struct heddle_storage *storage = s->bindings->inputs[a->index];
    const enum heddle_status status = heddle__storage_attach(storage, a->grid, a->element_bytes);
    if (status != HEDDLE_OK) return status;
    storage = heddle__storage_root(storage);
    s->run->faults[array] = heddle__fault_retain(storage->fault);
    s->run->inputs[array] = (struct heddle_run_input){
        storage->data && !storage->pinned && heddle__n_gpus() > 0, storage->n_attached};
    for (int64_t p = 0; p < storage->n_parts; p++) {
        places[a->first_slot + p].handle = storage->parts[p].handle;
        places[a->first_slot + p].written = storage->parts[p].handle != NULL;
    }
    return HEDDLE_OK;
}

static enum heddle_status prepare_result(struct submission *s, int32_t array)
{
    const int32_t result = s->plan->arrays[array].kept_as;
    const struct heddle_plan_array *a = &s->plan->arrays[s->plan->results[result]];
    const struct heddle_given *given = heddle__given_memory(s->plan, result, s->bindings);
    struct heddle_storage *storage =
        given ? heddle__storage_in_file(a->grid, a->element_bytes, given->at, given->mapping)
              : heddle__storage_parted(a->grid, a->element_bytes);
    if (!storage) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a result");
    s->results[result] = storage;
    s->run->made[array] = heddle__storage_hold(storage);
    s->run->faults[array] = heddle__fault_retain(storage->fault);
    heddle__storage_list(storage);
    return HEDDLE_OK;
}

static enum heddle_status prepare_owner(struct submission *s, int32_t array)
{
    const struct heddle_plan_array *a = &s->plan->arrays[array];
    if (a->role == HEDDLE_ROLE_INPUT) return prepare_input(s, array);
    if (a->kept_as >= 0) return prepare_result(s, array);
    s->run->faults[array] = heddle__fault_new();
    HEDDLE_REQUIRE(s->run->faults[array], HEDDLE_ENOMEM, "heddle_eval: no memory for temporaries");
    return HEDDLE_OK;
}

/* Counts the tasks that write each storage: whoever waits for it waits for them. */
static void count_writers(struct submission *s)
{
    const struct heddle_plan *plan = s->plan;
    for (int64_t i = 0; i < plan->n_uses; i++) {
        const struct heddle_plan_use *use = &plan->uses[i];
        const struct heddle_plan_array *a = &plan->arrays[use->array];
        struct heddle_storage **made = &s->run->made[use->array];
        if (!(use->mode & HEDDLE_WRITE)) continue;
        if (a->role == HEDDLE_ROLE_INPUT && !*made) { /* overwritten: the result waits for it */
            *made = heddle__storage_hold(heddle__storage_root(s->bindings->inputs[a->index]));
            heddle__direct_end_leases(*made, true);
        }
        if (*made) atomic_fetch_add_explicit(&(*made)->unwritten, 1, memory_order_relaxed);
    }
}

static enum heddle_status prepare_arrays(struct submission *s)
{
    const struct heddle_plan *plan = s->plan;
    enum heddle_status status;
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (heddle__plan_owns(plan, i)) HEDDLE_TRY(prepare_owner(s, i));
    for (int32_t i = 0; i < plan->n_arrays; i++)
        if (!heddle__plan_owns(plan, i))
            s->run->faults[i] = heddle__fault_retain(s->run->faults[plan->arrays[i].owner]);
    for (int32_t i = 0; i < plan->n_results; i++) {
        if (s->results[i]) continue;
        s->results[i] = heddle__result_storage(plan, i, s->bindings, s->results);
        if (!s->results[i])
            return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a result");
    }
    count_writers(s);
    return HEDDLE_OK;
fail:
    return status;
}

/* ---- One task ------------------------------------------------------------------------------------------ */

static starpu_data_handle_t handle_of(struct submission *s, const struct heddle_plan_use *use)
{
    struct place *at = &places[use->slot];
    if (at->handle) return at->handle;
    struct heddle_storage *made = s->run->made[use->array];
    const char *home = made ? made->parts[use->part].host : NULL;
    at->handle =
        heddle__register(home ? STARPU_MAIN_RAM : -1, home, heddle__use_bytes(s->plan, use));
    if (made) made->parts[use->part].handle = at->handle;
    return at->handle;
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
    /* StarPU frees them with the task */
    task->dyn_handles = malloc((size_t)room * sizeof *task->dyn_handles);
    task->dyn_modes = malloc((size_t)room * sizeof *task->dyn_modes);
    b->handles = task->dyn_handles;
    b->modes = task->dyn_modes;
    return b->handles && b->modes;
}

static enum starpu_data_access_mode mode_of(struct place *at, uint8_t mode)
{
    const bool written = at->written;
    if (mode & HEDDLE_WRITE) at->written = true;
    if (!(mode & HEDDLE_WRITE)) return STARPU_R;
    if (mode == HEDDLE_WRITE || !written) return STARPU_W;
    return mode & HEDDLE_COMMUTE ? STARPU_RW | STARPU_COMMUTE : STARPU_RW;
}

/* Makes a buffer of each use of the task. */
static void fill_buffers(struct submission *s, const struct heddle_plan_task *task,
                         struct task_buffers *b)
{
    const struct heddle_plan_use *uses = s->plan->uses + task->first_use;
    for (int32_t i = 0; i < task->n_uses; i++) {
        b->handles[b->n] = handle_of(s, &uses[i]);
        b->modes[b->n++] = mode_of(&places[uses[i].slot], uses[i].mode);
    }
}

/* Binds a task to its worker, and notes what it sends and awaits. What it reads from host memory is sent
 * for now, before all that depends on other tasks: in the order of the plan, once, while there is room. */
static void place(struct submission *s, struct starpu_task *task, struct heddle_job *job,
                  int worker)
{
    const struct heddle_plan_task *plan_task = &s->plan->tasks[job->task];
    const struct heddle_worker *w = heddle__worker(worker);
    heddle__bind(task, worker, s->plan->waits_for_data, &job->placement);
    job->placement.priority = plan_task->priority;
    job->placement.us = heddle__predict_us(s->plan, plan_task, w);
    for (int32_t i = 0; i < plan_task->n_uses && s->workers->gpu_bytes > 0; i++) {
        const struct heddle_plan_use *use = &s->plan->uses[plan_task->first_use + i];
        struct place *at = &places[use->slot];
        heddle__send(&job->placement, at->handle, heddle__worker_at(use->send_to),
                     use->mode & HEDDLE_WRITE);
        if (use->is_sent) heddle__await(&job->placement, at->handle);
        const bool comes_here = use->place == plan_task->place || use->place < HEDDLE_PLACE_GPU;
        if (!w->is_gpu || use->mode != HEDDLE_READ || !comes_here || at->brought ||
            !s->plan->arrays[use->array].on_host)
            continue;
        at->brought = true;
        s->brought[worker] += heddle__use_bytes(s->plan, use);
        if (s->brought[worker] < s->workers->gpu_bytes / 4)
            starpu_data_prefetch_on_node(at->handle, w->node, 1);
    }
}

/* Lets go of the temporaries that end with the i-th task. */
static void end_temporaries(struct submission *s, int64_t i_task)
{
    const struct heddle_plan *plan = s->plan;
    const struct heddle_plan_task *task = &plan->tasks[heddle__plan_task_at(plan, i_task)];
    for (int32_t i = 0; i < task->n_uses; i++) {
        const struct heddle_plan_use *use = &plan->uses[task->first_use + i];
        struct place *at = &places[use->slot];
        if (!heddle__plan_is_temporary(&plan->arrays[use->array]) ||
            plan->slots[use->slot].last_task != i_task || !at->handle)
            continue;
        starpu_data_unregister_submit(at->handle);
        at->handle = NULL;
    }
}

/* Which kinds of devices may run the task; 0: no restriction. */
static uint32_t where(const struct submission *s, const struct heddle_plan_task *task,
                      unsigned devices, int worker)
{
    const struct heddle_plan_step *step = &s->plan->steps[task->step];
    const unsigned all = HEDDLE_ON_CPU | HEDDLE_ON_GPU;
    if (devices != all)
        return (devices & HEDDLE_ON_CPU ? STARPU_CPU : 0u) |
               (devices & HEDDLE_ON_GPU ? STARPU_CUDA : 0u);
    if (worker >= 0 || s->workers->gpu_bytes == 0) return 0;
    if (s->workers->links_fill_memory && step->n_tasks >= 2 * heddle__n_gpus())
        return STARPU_CUDA; /* a stream: cores would slow the links down */
    return 0;
}

/* Finds the kinds of devices that the task's kernels are for; fails if none of them is in use. */
static enum heddle_status check_devices(const struct submission *s, int64_t t, unsigned *devices)
{
    const struct heddle_plan_task *task = &s->plan->tasks[t];
    const unsigned wanted = heddle__task_devices(s->plan, task, s->run->objects);
    const unsigned there =
        (s->workers->has_cpu ? HEDDLE_ON_CPU : 0u) | (heddle__n_gpus() > 0 ? HEDDLE_ON_GPU : 0u);
    *devices = wanted;
    HEDDLE_REQUIRE(wanted & there, HEDDLE_ENODEVICE,
                   "heddle_%s: no %s is in use, and the function is for no other device",
                   s->plan->steps[task->step].name, wanted & HEDDLE_ON_CPU ? "CPU" : "GPU");
    return HEDDLE_OK;
}

static enum heddle_status submit_task(struct submission *s, int64_t i_task)
{
    const int64_t t = heddle__plan_task_at(s->plan, i_task);
    const struct heddle_plan_task *plan_task = &s->plan->tasks[t];
    const struct heddle_plan_step *step = &s->plan->steps[plan_task->step];
    enum heddle_status status;
    struct task_buffers buffers;
    unsigned devices;
    struct starpu_task *task = starpu_task_create();
    struct heddle_job *job = heddle__job_new();
    if (!task || !job || !make_buffers(task, plan_task->n_uses + 1, &buffers)) {
        status = heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory for a task");
        goto fail;
    }
    int worker = heddle__worker_at(plan_task->place);
    HEDDLE_TRY(check_devices(s, t, &devices));
    HEDDLE_TRY(heddle__room_find(s->plan, s->bindings, plan_task, &devices, &worker));
    job->run = s->run;
    job->task = t;
    fill_buffers(s, plan_task, &buffers);

    task->cl = heddle__codelet(step->family);
    task->name = step->name;
    task->cl_arg = job;
    task->cl_arg_size = sizeof *job;
    task->callback_func = heddle__job_done;
    task->callback_arg = job;
    task->flops = plan_task->flops;
    if (worker >= 0 &&
        !(devices & (heddle__worker(worker)->is_gpu ? HEDDLE_ON_GPU : HEDDLE_ON_CPU)))
        worker = -1; /* it cannot run where the part lives */
    if (worker >= 0)
        place(s, task, job, worker);
    else if (step->n_tasks >= 2 * heddle__n_workers())
        heddle__bind_late(task);
    if (s->workers->gpu_bytes > 0 && plan_task->scratch_bytes > 0) {
        buffers.handles[buffers.n] =
            heddle__scratch_handle(plan_task->scratch_bytes, &job->scratch_bytes);
        buffers.modes[buffers.n++] = STARPU_SCRATCH;
    }
    const uint32_t kinds = where(s, plan_task, devices, worker);
    if (kinds) task->where = (int32_t)kinds;
    task->nbuffers = buffers.n;
    const int error = starpu_task_submit(task);
    if (error == 0) {
        end_temporaries(s, i_task);
        return HEDDLE_OK;
    }
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

void heddle__submit_close(void)
{
    heddle__jobs_close();
    heddle__scratch_close();
    heddle__free(places);
    places = NULL;
    place_room = 0;
}

/* Starts compiling what the plan needs: of each step the calls of its first task. */
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
    for (int64_t i = 0; i < plan->n_slots; i++) {
        const struct heddle_plan_array *a = &plan->arrays[plan->slots[i].array];
        if (!heddle__plan_is_temporary(a) || !places[i].handle) continue;
        starpu_data_unregister_submit(places[i].handle);
        places[i].handle = NULL;
    }
    heddle__run_less(s->run, plan->n_tasks - n_submitted + 1);
}

/* Makes sure that StarPU finds memory for its own of each task, and the spare. */
static enum heddle_status reserve(const struct heddle_plan *plan)
{
    enum { TASK_BYTES = 32 << 10, HANDLE_BYTES = 72 << 10 }; /* of address space */
    HEDDLE_REQUIRE(
        heddle__memory_has_room((size_t)plan->n_tasks * TASK_BYTES +
                                (size_t)plan->n_slots * HANDLE_BYTES) &&
            (heddle__n_gpus() > 0 || heddle__spare_reserve((size_t)plan->largest_slot_bytes)),
        HEDDLE_ENOMEM,
        "heddle_eval: no memory for %lld tasks: the address space is limited (ulimit -v, "
        "ulimit -d)",
        (long long)plan->n_tasks);
    return HEDDLE_OK;
}

/* Waits until half of the tasks in flight are done, and frees what they let go of. False: nothing is in
 * flight. */
static bool wait_for_memory(void)
{
    const int n = starpu_task_nsubmitted();
    if (n == 0 && !heddle__retiring()) return false;
    heddle__workers_hold();
    starpu_task_wait_for_n_submitted((unsigned)n / 2);
    heddle__let_go();
    heddle__reap();
    heddle__workers_release();
    if (n == 0) sched_yield(); /* another thread frees */
    return true;
}

/* Whether host memory and disk may be too small for the plan beside those in flight. */
static bool is_tight(const struct heddle_plan *plan)
{
    char folder[128];
    const int64_t in_flight = heddle__runs_bytes();
    if (in_flight == 0 || heddle__n_gpus() > 0) return false;
    const int64_t needed = in_flight + plan->result_bytes + plan->peak_bytes;
    const int64_t left = heddle__large_buffers_left() - needed / 8; /* sizes are rounded up */
    return needed > left && needed > left + heddle__spill_room(folder, sizeof folder);
}

/* What does not fit now may fit when work in flight is done, and what it alone uses is free. */
static enum heddle_status check_memory(const struct heddle_plan *plan,
                                       const struct heddle_bindings *bindings)
{
    enum heddle_status status;
    do status = heddle__check_memory(plan, bindings);
    while ((status == HEDDLE_ENOMEM || is_tight(plan)) && wait_for_memory());
    return status;
}

enum heddle_status heddle__submit(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                  struct heddle_storage *results[])
{
    struct submission s = {.plan = plan,
                           .bindings = bindings,
                           .results = results,
                           .workers = heddle__workers_summary()};
    enum heddle_status status = check_memory(plan, bindings);
    if (status == HEDDLE_OK) status = heddle__check_movement(plan);
    if (status == HEDDLE_OK) status = reserve(plan);
    if (status != HEDDLE_OK) return status;
    for (int32_t i = 0; i < plan->n_results; i++) results[i] = NULL;
    const int64_t gpu_bytes = s.workers->gpu_bytes;
    if (gpu_bytes > 0 && plan->bytes > (double)gpu_bytes / 8) {
        if (heddle__direct_forget) heddle__direct_forget(NULL);
        heddle__gpu_blocks_trim();
    }
    heddle__free_done_runs();
    if (gpu_bytes > 0 && starpu_task_nsubmitted() == 0) heddle__gpu_blocks_leave_none();
    status = prepare_places(plan);
    if (status != HEDDLE_OK) return status;
    s.run = heddle__run_new(plan, bindings);
    if (!s.run) return heddle__fail(HEDDLE_ENOMEM, "heddle_eval: no memory");

    /* enough that none waits for work; what is ready runs in the order of submission, not of need */
    const unsigned in_flight = 2 * (unsigned)heddle__n_workers() + 2;
    heddle__workers_hold();
    int64_t t = 0;
    status = prepare_arrays(&s);
    if (status == HEDDLE_OK && heddle__n_gpus() > 0) prepare_cuda(plan);
    for (; t < plan->n_tasks && status == HEDDLE_OK; t++) {
        if (plan->order) starpu_task_wait_for_n_submitted(in_flight);
        status = submit_task(&s, t);
        if (status != HEDDLE_OK) break;
    }
    if (status == HEDDLE_OK)
        heddle__run_less(s.run, 1);
    else
        give_up(&s, t);
    heddle__let_go(); /* the GPU has work meanwhile */
    heddle__workers_release();
    return status;
}
