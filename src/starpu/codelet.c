/* Codelets: from a StarPU task to the kernel calls of a plan's task. Each family has a codelet, for the
 * names in traces, and any number of buffers. A task that reads an array in error only passes the error
 * on. It never prints and never aborts. Entry point: heddle__codelet. */
#include "array/spill.h"
#include "base/memory.h"
#include "families/families.h"
#include "run/cost.h"
#include "run/counters/counters.h"
#include "starpu/jobs.h"
#include "starpu/spare.h"
#include "starpu/submit.h"

enum { STACK_BUFFERS = 64 };

static const struct heddle_plan_task *task_of(const struct heddle_job *job)
{
    return &job->run->plan->tasks[job->task];
}

/* Sets the error of all arrays that the task writes. */
static void poison(const struct heddle_job *job, enum heddle_status code, const char *text)
{
    const struct heddle_run *run = job->run;
    const struct heddle_plan_task *task = task_of(job);
    const struct heddle_plan_use *uses = run->plan->uses + task->first_use;
    for (int i = 0; i < task->n_uses; i++)
        if (uses[i].mode & HEDDLE_WRITE) heddle__fault_set(run->faults[uses[i].array], code, text);
}

/* If an array that the task reads, or adds to, is in error, passes the error on: true. */
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
    for (int i = 0; i < task->n_uses; i++)
        buffers[i] = (void *)STARPU_VARIABLE_GET_PTR(descriptions[i]);
    return buffers;
}

/* Whether StarPU had no memory for one of the buffers. */
static enum heddle_status check_buffers(void **buffers, int n)
{
    char folder[128];
    for (int i = 0; i < n; i++) {
        if (!heddle__is_spare(buffers[i])) continue;
        heddle__spill_room(folder, sizeof folder);
        return heddle__fail(HEDDLE_ENOMEM,
                            "heddle_eval: memory is full, and there is no room for more in '%s' "
                            "(HEDDLE_TMP)",
                            folder);
    }
    return HEDDLE_OK;
}

/* ---- Running ----------------------------------------------------------------------------------------- */

/* Lends a kernel on a GPU the report of the arrays that the task writes. */
static enum heddle_status lend_report(const struct heddle_job *job,
                                      const struct heddle_kernel_call *call,
                                      struct heddle_kernel_context *k)
{
    const struct heddle_run *run = job->run;
    const struct heddle_plan_task *task = task_of(job);
    const struct heddle_plan_use *uses = run->plan->uses + task->first_use;
    if (!call->family->describe) return HEDDLE_OK;
    struct heddle_fault *first = NULL;
    for (int i = 0; i < task->n_uses; i++) {
        if (!(uses[i].mode & HEDDLE_WRITE)) continue;
        struct heddle_fault *fault = run->faults[uses[i].array];
        if (first)
            heddle__fault_join(fault, first);
        else if (!heddle__fault_report(first = fault, call->family->describe, &k->report))
            break;
    }
    if (k->report.words) return HEDDLE_OK;
    return heddle__fail(HEDDLE_ENOMEM, "no memory for what a kernel may report");
}

/* Runs all calls of the task, with what they are lent. */
static enum heddle_status run_calls(const struct heddle_job *job, void **buffers,
                                    struct heddle_kernel_context *k, bool on_gpu)
{
    const struct heddle_run *run = job->run;
    const struct heddle_plan_task *task = task_of(job);
    if (!buffers) return heddle__fail(HEDDLE_ENOMEM, "no memory");
    k->buffers = buffers;
    k->constants = run->constants;
    k->objects = run->objects;
    enum heddle_status status = check_buffers(buffers, task->n_uses);
    for (int i = 0; i < task->n_calls && status == HEDDLE_OK; i++) {
        const struct heddle_kernel_call *call = &run->plan->calls[task->first_call + i];
        if (on_gpu) status = lend_report(job, call, k);
        if (status != HEDDLE_OK) break;
        status = on_gpu ? heddle__call_cuda(call, k) : heddle__call_cpu(call, k);
    }
    return status;
}

static void run_cpu(void *descriptions[], void *argument)
{
    struct heddle_job *job = argument;
    void *room[STACK_BUFFERS];
    heddle__count(&heddle__counters.cpu_tasks, 1);
    if (is_poisoned(job)) return;

    const struct heddle_worker *worker = heddle__worker(starpu_worker_get_id());
    struct heddle_kernel_context k = {.place = worker->place, .team = worker->threads};
    void **buffers = buffers_of(job, descriptions, room);
    if (buffers) heddle__expect_task_pages(job->run->plan, task_of(job), buffers);
    const double start = heddle__now_us();
    const enum heddle_status status = run_calls(job, buffers, &k, false);
    if (status != HEDDLE_OK)
        poison(job, status, heddle_last_error());
    else
        heddle__count_task(job->run->plan, task_of(job), worker, heddle__now_us() - start, false);
    if (buffers) heddle__drop_task_pages(job->run->plan, task_of(job), buffers);
    if (buffers != room) heddle__free(buffers);
}

#if HEDDLE_HAVE_CUDA
static void run_cuda(void *descriptions[], void *argument)
{
    struct heddle_job *job = argument;
    void *room[STACK_BUFFERS];
    heddle__count(&heddle__counters.gpu_tasks, 1);
    if (is_poisoned(job)) return;

    struct heddle_kernel_context k = {.place = heddle__worker(starpu_worker_get_id())->place,
                                      .stream = starpu_cuda_get_local_stream()};
    if (job->scratch_bytes > 0) {
        const unsigned last = STARPU_TASK_GET_NBUFFERS(starpu_task_get_current()) - 1;
        k.scratch = (void *)STARPU_VARIABLE_GET_PTR(descriptions[last]);
    }
    void **buffers = buffers_of(job, descriptions, room);
    job->started_us = heddle__now_us();
    const enum heddle_status status = run_calls(job, buffers, &k, true);
    job->interpreted = k.interpreted;
    if (status != HEDDLE_OK) {
        job->started_us = 0;
        poison(job, status, heddle_last_error());
    }
    if (buffers != room) heddle__free(buffers);
}
#endif

/* ---- Codelets --------------------------------------------------------------------------------------- */

static struct starpu_perfmodel models[HEDDLE_N_FAMILIES];
static struct starpu_codelet codelets[HEDDLE_N_FAMILIES];

/* Each worker has a cost of its own, since CPU teams may differ, too. Tasks must not have StarPU's
 * priorities: with a model of this type StarPU 1.4 aborts where it puts a task before others
 * (starpu_task_expected_length). */
void heddle__codelets_open(void)
{
    if (codelets[0].name) return; /* made at an earlier start */
    for (int i = 0; i < HEDDLE_N_FAMILIES; i++) {
        models[i] = (struct starpu_perfmodel){.type = STARPU_PER_WORKER,
                                              .symbol = heddle__families[i]->name,
                                              .worker_cost_function = heddle__task_cost_us};
        codelets[i] = (struct starpu_codelet)
        {
            .name = heddle__families[i]->name, .cpu_funcs = {run_cpu},
            .cpu_funcs_name = {"run_cpu"},
#if HEDDLE_HAVE_CUDA
            .cuda_funcs = {run_cuda}, .cuda_flags = {STARPU_CUDA_ASYNC},
#endif
            .nbuffers = STARPU_VARIABLE_NBUFFERS, .model = &models[i]
        };
    }
}

struct starpu_codelet *heddle__codelet(const struct heddle_family_info *family)
{
    return &codelets[family->id];
}
