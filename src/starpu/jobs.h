/* Evaluations in flight, and their tasks as StarPU carries them. */
#ifndef HEDDLE_STARPU_JOBS_H
#define HEDDLE_STARPU_JOBS_H

#include "array/parts.h"
#include "run/execute.h"
#include "starpu/gpu_queue.h"

/* One task of a plan, as StarPU carries it. */
struct heddle_job {
    struct heddle_run *run;
    int64_t task;
    double started_us;
    bool interpreted;      /* CUDA: its time says nothing of later ones */
    int64_t scratch_bytes; /* the last buffer, when not 0; CUDA only */
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
    struct heddle_object **objects;  /* the walk's: a reference each */
    struct heddle_fault **faults;    /* [n_arrays]: a reference each; NULL: cannot fail */
    struct heddle_run_input *inputs; /* [n_arrays]: of those that are inputs */
    struct heddle_storage **made;    /* [n_arrays]: storages that it computes: a hold of each */
    struct heddle_run *next;         /* list of those to be freed */
};

struct heddle_job *heddle__job_new(void); /* zeroed, recycled; NULL when memory is gone */
void heddle__job_free(struct heddle_job *job);
/* StarPU's callback, with a job: a task and its CUDA work are done. */
void heddle__job_done(void *argument);
/* NULL when memory is gone. */
struct heddle_run *heddle__run_new(struct heddle_plan *plan,
                                   const struct heddle_bindings *bindings);
/* `n` of what the run waits for are done, or will not be; the last one ends it. */
void heddle__run_less(struct heddle_run *run, long long n);
void heddle__free_done_runs(void); /* under the evaluation lock */
void heddle__jobs_close(void);

#endif
