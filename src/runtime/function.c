/* Functions of the user's, called by tasks. While one runs, its thread is a worker's: what waits for
 * tasks, or for the evaluation lock, could wait for this very task. Entry points: handles.h,
 * heddle__refuse_in_function. */
#include "runtime/handles.h"

#include "base/thread.h"

#include <string.h>

static HEDDLE_THREAD_LOCAL bool in_function;

enum heddle_status heddle__refuse_in_function(const char *caller)
{
    HEDDLE_REQUIRE(!in_function, HEDDLE_EARG,
                   "heddle_%s: called by a function of heddle_map_parts, which may not", caller);
    return HEDDLE_OK;
}

static bool is_status(enum heddle_status status)
{
    switch (status) {
#define STATUS(id, number, text) case id:
        HEDDLE_STATUS_MAP(STATUS)
#undef STATUS
        return true;
    }
    return false;
}

enum heddle_status heddle__call_function(const struct heddle_part_call *call, void *const buffers[],
                                         const union heddle_scalar constants[],
                                         const struct heddle_worker *worker, void *stream)
{
    const struct heddle_function *f = heddle__function_of(constants[call->function]);
    heddle_part_function *function = worker->is_gpu ? f->cuda : f->cpu;
    struct heddle_part_view view = {
        .data = buffers[call->in], .place = worker->place, .stream = stream, .part = call->part};
    memcpy(view.lo, call->lo, sizeof view.lo);
    memcpy(view.shape, call->shape, sizeof view.shape);
    memcpy(view.before, call->before, sizeof view.before);
    memcpy(view.after, call->after, sizeof view.after);
    in_function = true;
    const enum heddle_status status = function(&view, buffers[call->out], f->user);
    in_function = false;
    if (status == HEDDLE_OK) return HEDDLE_OK;
    return heddle__fail(is_status(status) ? status : HEDDLE_EARG,
                        "heddle_map_parts: the function failed on part %lld with %d, %s",
                        (long long)call->part, (int)status, heddle_status_text(status));
}

/* The function of a task, whose one call it is. */
static struct heddle_function *function_of(const struct heddle_run *run,
                                           const struct heddle_plan_task *task)
{
    return heddle__function_of(run->constants[run->plan->calls[task->first_call].part->function]);
}

static bool is_call(const struct heddle_run *run, const struct heddle_plan_task *task)
{
    return run->plan->steps[task->step].family == HEDDLE_FAMILY_MAP_PARTS;
}

enum heddle_status heddle__function_begin(struct heddle_run *run,
                                          const struct heddle_plan_task *task,
                                          struct starpu_task *to)
{
    if (!is_call(run, task)) return HEDDLE_OK;
    struct heddle_function *f = function_of(run, task);
    bool cpu = false, gpu = false;
    for (int i = 0; i < heddle__n_workers(); i++) {
        cpu = cpu || (!heddle__worker(i)->is_gpu && f->cpu);
        gpu = gpu || (heddle__worker(i)->is_gpu && f->cuda);
    }
    HEDDLE_REQUIRE(cpu || gpu, HEDDLE_ENODEVICE,
                   "heddle_map_parts: no %s is in use, and the function is for no other device",
                   f->cpu ? "CPU" : "GPU");
    const int worker = heddle__worker_at(task->place);
    if (worker >= 0 && !(heddle__worker(worker)->is_gpu ? f->cuda : f->cpu))
        heddle__unbind(to); /* not where the part lives: elsewhere */
    to->where = (cpu ? STARPU_CPU : 0) | (gpu ? STARPU_CUDA : 0);
    heddle__function_retain(f);
    return HEDDLE_OK;
}

void heddle__function_end(const struct heddle_run *run, const struct heddle_plan_task *task)
{
    if (is_call(run, task)) heddle__function_release(function_of(run, task));
}
