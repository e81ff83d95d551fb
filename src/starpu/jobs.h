/* Evaluations in flight, and their tasks as StarPU has them. */
#ifndef HEDDLE_STARPU_JOBS_H
#define HEDDLE_STARPU_JOBS_H

#include "array/parts.h"
#include "run/execute.h"
#include "starpu/gpu_queue.h"

/* A task of a plan, as StarPU has it. */
struct heddle_job {
    struct heddle_run *run;
    int64_t task;
    double started_us;
    bool interpreted;      /* CUDA: its time does not predict later ones */
    int64_t scratch_bytes; /* CUDA: if not 0, the last buffer is scratch */
    struct heddle_placement placement;
    struct heddle_job *next; /* in the list of free ones */
};

/* What the cost of moving an input depends on. */
struct heddle_run_input {
    bool pageable;  /* in host memory that is not pinned */
    uint8_t n_uses; /* how many plans used it, with this one; up to 255 */
};

/* One evaluation in flight. Freed when its last task is done. */
struct heddle_run {
    atomic_llong left; /* tasks that are not done, and 1 for the submitter */
    struct heddle_plan *plan;
    union heddle_scalar *constants;  /* those of the walk, then the plan's literals */
    struct heddle_object **objects;  /* those of the walk: a reference each */
    struct heddle_fault **faults;    /* [n_arrays]: a reference each; NULL: it cannot fail */
    struct heddle_run_input *inputs; /* [n_arrays]: for those that are inputs */
    struct heddle_storage **made;    /* [n_arrays]: what it computes or changes: a hold each */
    struct heddle_run *next;         /* in the list of those to be freed */
};

struct heddle_job *heddle__job_new(void); /* zeroed, recycled; NULL when memory is gone */
void heddle__job_free(struct heddle_job *job);
/* StarPU's callback, whose argument is a job: the task and its CUDA work are done. */
void heddle__job_done(void *argument);
/* NULL when memory is gone. */
struct heddle_run *heddle__run_new(struct heddle_plan *plan,
                                   const struct heddle_bindings *bindings);
/* The run has `n` less to wait for: tasks that are done, or will not be submitted. The last ends it. */
void heddle__run_less(struct heddle_run *run, long long n);
/* Bytes of results and temporaries of the evaluations in flight, allocated or not. */
int64_t heddle__runs_bytes(void);
void heddle__free_done_runs(void); /* under the evaluation lock */
void heddle__jobs_close(void);

#endif
