/* What of the runtime needs StarPU's types. */
#ifndef HEDDLE_RUNTIME_HANDLES_H
#define HEDDLE_RUNTIME_HANDLES_H

#include "runtime/internal.h"
#include "runtime/placed.h"

#include "kernels.h"

#include <starpu.h>

/* A handle of `size_bytes` bytes whose home is `at` on a memory node; -1: that StarPU allocates. */
static inline starpu_data_handle_t heddle__register(int node, const void *at, int64_t size_bytes)
{
    starpu_data_handle_t handle;
    starpu_variable_data_register(&handle, node, (uintptr_t)at,
                                  (size_t)(size_bytes > 0 ? size_bytes : 1));
    return handle;
}

/* ---- Jobs and runs (jobs.c) ----------------------------------------------------------------------- */

/* One task of a plan, as StarPU carries it. */
struct heddle_job {
    struct heddle_run *run;
    int64_t task;
    double started_us;
    bool interpreted;      /* CUDA: its time says nothing of later ones */
    int64_t scratch_bytes; /* the last buffer, when not 0; CUDA only */
    uint16_t *buffer_of;   /* [n_uses]: the StarPU buffer of each; NULL: the same number */
    struct heddle_placement placement;
    struct heddle_job *next; /* free list */
};

/* What the cost of moving an input depends on. */
struct heddle_run_input {
    bool pageable;  /* in host memory that is not pinned */
    uint8_t n_uses; /* plans that used it, this one included; up to 255 */
};

/* One evaluation in flight. Freed when its last task is done. */
struct heddle_run {
    atomic_llong left; /* tasks that are not done, and the submitter */
    struct heddle_plan *plan;
    union heddle_scalar *constants;  /* the walk's, then the plan's literals */
    struct heddle_fault **faults;    /* [n_arrays]: a reference each; NULL: cannot fail */
    struct heddle_run_input *inputs; /* [n_arrays]: of those that are inputs */
    struct heddle_storage **made;    /* [n_arrays]: storages that it computes: a reference each */
    struct heddle_run *next;         /* list of those to be freed */
};

struct heddle_job *heddle__job_new(void); /* zeroed, recycled; NULL when memory is gone */
void heddle__job_free(struct heddle_job *job);
/* StarPU's callback, with a job: a task and its CUDA work are done. */
void heddle__job_done(void *argument);
/* NULL when memory is gone. */
struct heddle_run *heddle__run_new(struct heddle_plan *plan, const union heddle_scalar constants[]);
/* `n` of what the run waits for are done, or will not be; the last one ends it. */
void heddle__run_less(struct heddle_run *run, long long n);
void heddle__free_done_runs(void); /* under the evaluation lock */
void heddle__jobs_close(void);

/* ---- Submission and kernels ------------------------------------------------------------------------ */

/* A task of MAP_PARTS (function.c); others are left alone. Begin: where it may run; it holds the
 * function until the end, once. */
enum heddle_status heddle__function_begin(struct heddle_run *run,
                                          const struct heddle_plan_task *task,
                                          struct starpu_task *to);
void heddle__function_end(const struct heddle_run *run, const struct heddle_plan_task *task);
/* Calls it, on a worker. `stream`: of a GPU. Errors: the function's. */
enum heddle_status heddle__call_function(const struct heddle_part_call *call, void *const buffers[],
                                         const union heddle_scalar constants[],
                                         const struct heddle_worker *worker, void *stream);

/* What calls from `first` on need of CUDA: kernels on their way. */
static inline void heddle__prepare_calls(const struct heddle_plan *plan, int64_t first, int64_t n)
{
    if (!HEDDLE_HAVE_CUDA) return;
    for (int64_t i = first; i < first + n; i++)
        if (plan->calls[i].family == HEDDLE_FAMILY_PROGRAM)
            heddle__cuda_prepare(&plan->calls[i].program);
}

struct starpu_codelet *heddle__codelet(enum heddle_family family);
/* The shared scratch handle with room for that many bytes. */
starpu_data_handle_t heddle__scratch_handle(int64_t size_bytes, int64_t *room);

#endif
