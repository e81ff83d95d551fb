/* Codelets: from a StarPU task to the kernel calls of a plan's task. One codelet a family, for the
 * names in traces; any number of buffers. A task that reads an array in error does nothing but pass
 * the error on. Never prints, never aborts. Entry points: heddle__codelet. */
#include "runtime/handles.h"

#include "base/memory.h"
#include "kernels.h"
#include "plan/roofline.h"

enum { STACK_BUFFERS = 64 };

static const struct heddle_plan_task *task_of(const struct heddle_job *job)
{
    return &job->run->plan->tasks[job->task];
}

/* Marks what the task writes as failed. */
static void poison(const struct heddle_job *job, enum heddle_status code, const char *text)
{
    const struct heddle_run *run = job->run;
    const struct heddle_plan_task *task = task_of(job);
    const struct heddle_plan_use *uses = run->plan->uses + task->first_use;
    for (int i = 0; i < task->n_uses; i++)
        if (uses[i].mode & HEDDLE_WRITE) heddle__fault_set(run->faults[uses[i].array], code, text);
}

/* Whether an array that the task reads, or adds to, is in error: then it is passed on. */
static bool is_poisoned(const struct heddle_job *job)
{
    const struct heddle_run *run = job->run;
    const struct heddle_plan_task *task = task_of(job);
    const struct heddle_plan_use *uses = run->plan->uses + task->first_use;
    for (int i = 0; i < task->n_uses; i++) {
        const char *text;
        const enum heddle_status code = heddle__fault_get(run->faults[uses[i].array], &text);
        if (code == HEDDLE_OK) continue;
        poison(job, code, text);
        return true;
    }
    return false;
}

static void **buffers_of(const struct heddle_job *job, void *descriptions[], void **room)
{
    const struct heddle_plan_task *task = task_of(job);
    void **buffers = room;
    if (task->n_uses > STACK_BUFFERS) {
        buffers = heddle__alloc((size_t)task->n_uses * sizeof *buffers);
        if (!buffers) return NULL;
    }
    for (int i = 0; i < task->n_uses; i++) {
        const int at = job->buffer_of ? job->buffer_of[i] : i;
        buffers[i] = (void *)STARPU_VARIABLE_GET_PTR(descriptions[at]);
    }
    return buffers;
}

/* ---- CPU ------------------------------------------------------------------------------------------- */

static enum heddle_status call_cpu(const struct heddle_kernel_call *call, void *const buffers[],
                                   const union heddle_scalar constants[],
                                   const struct heddle_worker *worker)
{
    const struct heddle_cpu_team team = {worker->n_threads};
    switch (call->family) {
    case HEDDLE_FAMILY_PROGRAM:
        return heddle__cpu_program(&call->program, buffers, constants, &team);
    case HEDDLE_FAMILY_MATMUL: return heddle__cpu_matmul(&call->matmul, buffers, &team);
    case HEDDLE_FAMILY_MAP_PARTS:
        return heddle__call_function(call->part, buffers, constants, worker, NULL);
    }
    return HEDDLE_EINTERNAL;
}

static void run_cpu(void *descriptions[], void *argument)
{
    struct heddle_job *job = argument;
    const struct heddle_run *run = job->run;
    const struct heddle_plan_task *task = task_of(job);
    void *room[STACK_BUFFERS];
    heddle__count(&heddle__counters.cpu_tasks, 1);
    if (is_poisoned(job)) return;

    const struct heddle_worker *worker = heddle__worker(starpu_worker_get_id());
    void **buffers = buffers_of(job, descriptions, room);
    enum heddle_status status = buffers ? HEDDLE_OK : heddle__fail(HEDDLE_ENOMEM, "no memory");
    const double start = heddle__now_us();
    for (int i = 0; i < task->n_calls && status == HEDDLE_OK; i++)
        status = call_cpu(&run->plan->calls[task->first_call + i], buffers, run->constants, worker);
    if (status != HEDDLE_OK)
        poison(job, status, heddle_last_error());
    else
        heddle__count_task(run->plan, task, worker, heddle__now_us() - start, false);
    if (buffers != room) heddle__free(buffers);
}

/* ---- CUDA ------------------------------------------------------------------------------------------ */

#if HEDDLE_HAVE_CUDA
static enum heddle_status call_cuda(const struct heddle_kernel_call *call, void *const buffers[],
                                    const union heddle_scalar constants[], void *scratch,
                                    bool *interpreted)
{
    if (call->family == HEDDLE_FAMILY_MAP_PARTS)
        return heddle__call_function(call->part, buffers, constants,
                                     heddle__worker(starpu_worker_get_id()),
                                     starpu_cuda_get_local_stream());
    if (call->family == HEDDLE_FAMILY_MATMUL)
        return heddle__cuda_matmul(&call->matmul, buffers, starpu_cuda_get_local_stream());
    return heddle__cuda_program(&call->program, buffers, constants, scratch,
                                starpu_cuda_get_local_stream(), interpreted);
}

static void run_cuda(void *descriptions[], void *argument)
{
    struct heddle_job *job = argument;
    const struct heddle_run *run = job->run;
    const struct heddle_plan_task *task = task_of(job);
    void *room[STACK_BUFFERS];
    heddle__count(&heddle__counters.gpu_tasks, 1);
    if (is_poisoned(job)) return;

    void **buffers = buffers_of(job, descriptions, room);
    enum heddle_status status = buffers ? HEDDLE_OK : heddle__fail(HEDDLE_ENOMEM, "no memory");
    void *scratch = NULL;
    if (job->scratch_bytes > 0) {
        const unsigned last = STARPU_TASK_GET_NBUFFERS(starpu_task_get_current()) - 1;
        scratch = (void *)STARPU_VARIABLE_GET_PTR(descriptions[last]);
    }
    job->started_us = heddle__now_us();
    for (int i = 0; i < task->n_calls && status == HEDDLE_OK; i++)
        status = call_cuda(&run->plan->calls[task->first_call + i], buffers, run->constants,
                           scratch, &job->interpreted);
    if (status != HEDDLE_OK) {
        job->started_us = 0;
        poison(job, status, heddle_last_error());
    }
    if (buffers != room) heddle__free(buffers);
}
#endif

/* ---- Codelets --------------------------------------------------------------------------------------- */

#define PAGEABLE_RATE 7e9 /* bytes/s from host memory that is not pinned (H200: 7.2e9) */
#define TRANSFER_US 10    /* to start one */

/* Bytes/s of the link over which a part would come to a worker; 0: it is there, or nowhere yet. */
static double link_rate(starpu_data_handle_t handle, const struct heddle_worker *to, bool pageable)
{
    if (heddle__is_valid_on(handle, to->node)) return 0;
    if (heddle__is_valid_on(handle, STARPU_MAIN_RAM)) return pageable ? PAGEABLE_RATE : to->link;
    for (int i = 0; i < heddle__n_workers(); i++) {
        const struct heddle_worker *from = heddle__worker(i);
        if (!from->is_gpu || !heddle__is_valid_on(handle, from->node)) continue;
        if (!to->is_gpu) return from->link;
        const double rate = 1e6 * starpu_transfer_bandwidth(from->node, to->node); /* from MB/s */
        return rate > 1e8 ? rate : 1e10;
    }
    return 0;
}

/* What it costs to bring what the task reads. An input that several evaluations read will be read
 * again: the move is shared among them, or nothing would ever move to a faster place. */
static double transfer_us(struct starpu_task *task, const struct heddle_worker *w)
{
    const struct heddle_job *job = task->cl_arg;
    const struct heddle_plan_task *plan_task = task_of(job);
    const struct heddle_plan_use *uses = job->run->plan->uses + plan_task->first_use;
    double us = 0;
    for (int i = 0; i < plan_task->n_uses; i++) {
        if (!(uses[i].mode & HEDDLE_READ)) continue;
        const struct heddle_run_input *input = &job->run->inputs[uses[i].array];
        starpu_data_handle_t handle =
            STARPU_TASK_GET_HANDLE(task, job->buffer_of ? job->buffer_of[i] : i);
        const double rate = link_rate(handle, w, input->pageable);
        if (rate > 0)
            us += (TRANSFER_US + 1e6 * (double)starpu_data_get_size(handle) / rate) /
                  (input->n_uses > 1 ? input->n_uses : 1);
    }
    return us;
}

/* StarPU's scheduler adds no cost of its own for transfers (STARPU_SCHED_BETA): it takes them for
 * hidden behind earlier tasks, also where the link is what all of them wait for. */
static double cost_us(struct starpu_task *task, unsigned worker, unsigned nimpl)
{
    (void)nimpl;
    const struct heddle_job *job = task->cl_arg;
    const struct heddle_plan_task *plan_task = task_of(job);
    const struct heddle_worker *w = heddle__worker((int)worker);
    const double work = heddle__predict_us(job->run->plan, plan_task, w);
    if (heddle__n_gpus() == 0 || plan_task->place != HEDDLE_ANYWHERE) return work;
    const double transfer = transfer_us(task, w);
    const double n = (double)job->run->plan->steps[plan_task->step].n_tasks;
    return heddle__overlap_us(work, transfer, n);
}

/* For each worker: CPU teams may differ, too. Tasks must not have priorities: with a model of this
 * type StarPU 1.4 aborts where it puts a task before others (starpu_task_expected_length). */
static struct starpu_perfmodel models[] = {
    [HEDDLE_FAMILY_PROGRAM] = {.type = STARPU_PER_WORKER,
                               .symbol = "heddle_program",
                               .worker_cost_function = cost_us},
    [HEDDLE_FAMILY_MATMUL] = {.type = STARPU_PER_WORKER,
                              .symbol = "heddle_matmul",
                              .worker_cost_function = cost_us},
    [HEDDLE_FAMILY_MAP_PARTS] = {.type = STARPU_PER_WORKER,
                                 .symbol = "heddle_map_parts",
                                 .worker_cost_function = cost_us},
};

#if HEDDLE_HAVE_CUDA
#define CUDA_TWIN .cuda_funcs = {run_cuda}, .cuda_flags = {STARPU_CUDA_ASYNC},
#else
#define CUDA_TWIN
#endif
#define CODELET(family_name, family)                                                               \
    {                                                                                              \
        .name = family_name, .cpu_funcs = {run_cpu}, .cpu_funcs_name = {"run_cpu"},                \
        CUDA_TWIN.nbuffers = STARPU_VARIABLE_NBUFFERS, .model = &models[family]                    \
    }

static struct starpu_codelet codelets[] = {
    [HEDDLE_FAMILY_PROGRAM] = CODELET("program", HEDDLE_FAMILY_PROGRAM),
    [HEDDLE_FAMILY_MATMUL] = CODELET("matmul", HEDDLE_FAMILY_MATMUL),
    [HEDDLE_FAMILY_MAP_PARTS] = CODELET("map_parts", HEDDLE_FAMILY_MAP_PARTS),
};

struct starpu_codelet *heddle__codelet(enum heddle_family family)
{
    return &codelets[family];
}
