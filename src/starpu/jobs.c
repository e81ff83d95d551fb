/* Evaluations in flight, and their tasks as StarPU has them. submit.c makes them; they are done when StarPU
 * says so, on any thread. Entry points: jobs.h. */
#include "starpu/jobs.h"

#include "array/file_pages.h"
#include "base/memory.h"
#include "run/cost.h"
#include "run/counters/counters.h"
#include "run/done/done.h"

#include <stdatomic.h>

/* ---- Recycled jobs ---------------------------------------------------------------------------------- */

static starpu_pthread_mutex_t jobs_mutex = STARPU_PTHREAD_MUTEX_INITIALIZER;
static struct heddle_job *free_jobs;

struct heddle_job *heddle__job_new(void)
{
    starpu_pthread_mutex_lock(&jobs_mutex);
    struct heddle_job *job = free_jobs;
    if (job) free_jobs = job->next;
    starpu_pthread_mutex_unlock(&jobs_mutex);
    if (!job) job = heddle__alloc(sizeof *job);
    if (job) *job = (struct heddle_job){0};
    return job;
}

void heddle__job_free(struct heddle_job *job)
{
    starpu_pthread_mutex_lock(&jobs_mutex);
    job->next = free_jobs;
    free_jobs = job;
    starpu_pthread_mutex_unlock(&jobs_mutex);
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* Runs that are done. Plans are freed only under the evaluation lock, by whoever has it next. */
static _Atomic(struct heddle_run *) done_runs;

static atomic_llong bytes_in_flight;

static int64_t bytes_of(const struct heddle_run *run)
{
    return run->plan->result_bytes + run->plan->peak_bytes;
}

int64_t heddle__runs_bytes(void)
{
    return atomic_load_explicit(&bytes_in_flight, memory_order_relaxed);
}

void heddle__run_less(struct heddle_run *run, long long n)
{
    if (atomic_fetch_sub(&run->left, n) != n) return;
    atomic_fetch_sub(&bytes_in_flight, (long long)bytes_of(run));
    for (int32_t i = 0; i < run->plan->n_arrays; i++) {
        heddle__fault_release(run->faults[i]);
        heddle__storage_let_go(run->made[i]);
    }
    for (int32_t i = 0; i < run->plan->n_objects; i++) heddle__object_release(run->objects[i]);
    heddle__pages_end();
    run->next = atomic_load(&done_runs);
    while (!atomic_compare_exchange_weak(&done_runs, &run->next, run)) {
    }
}

void heddle__free_done_runs(void)
{
    struct heddle_run *run = atomic_exchange(&done_runs, NULL);
    while (run) {
        struct heddle_run *next = run->next;
        heddle__plan_release(run->plan);
        heddle__free(run);
        run = next;
    }
}

struct heddle_run *heddle__run_new(struct heddle_plan *plan, const struct heddle_bindings *bindings)
{
    const size_t n_constants = (size_t)(plan->n_constants + plan->n_literals);
    const size_t head = (sizeof(struct heddle_run) + 15) / 16 * 16;
    const size_t bytes_constants = n_constants * sizeof(union heddle_scalar);
    const size_t bytes_faults = (size_t)plan->n_arrays * sizeof(struct heddle_fault *);
    const size_t bytes_objects = (size_t)plan->n_objects * sizeof(struct heddle_object *);
    char *memory = heddle__calloc(1, head + bytes_constants + bytes_faults + bytes_objects +
                                         (size_t)plan->n_arrays *
                                             (sizeof(void *) + sizeof(struct heddle_run_input)));
    if (!memory) return NULL;
    struct heddle_run *run = (struct heddle_run *)(void *)memory;
    atomic_init(&run->left, plan->n_tasks + 1);
    run->plan = heddle__plan_retain(plan);
    atomic_fetch_add(&bytes_in_flight, (long long)bytes_of(run));
    run->constants = (union heddle_scalar *)(void *)(memory + head);
    run->faults = (struct heddle_fault **)(void *)(memory + head + bytes_constants);
    run->made = (struct heddle_storage **)(void *)(memory + head + bytes_constants + bytes_faults);
    run->objects = (struct heddle_object **)(void *)(run->made + plan->n_arrays);
    run->inputs = (struct heddle_run_input *)(void *)(run->objects + plan->n_objects);
    heddle__all_constants(plan, bindings->constants, run->constants);
    for (int32_t i = 0; i < plan->n_objects; i++)
        run->objects[i] = heddle__object_retain(bindings->objects[i]);
    heddle__pages_begin();
    return run;
}

void heddle__job_done(void *argument)
{
    struct heddle_job *job = argument;
    struct heddle_run *run = job->run;
    const struct heddle_plan *plan = run->plan;
    const struct heddle_plan_task *task = &plan->tasks[job->task];
    for (int32_t i = 0; i < task->n_uses; i++) { /* first of all: somebody may wait for it */
        const struct heddle_plan_use *use = &plan->uses[task->first_use + i];
        if ((use->mode & HEDDLE_WRITE) && run->made[use->array] &&
            atomic_fetch_sub(&run->made[use->array]->unwritten, 1) == 1)
            heddle__signal_done();
    }
    const int id = starpu_worker_get_id();
    if (job->started_us > 0 && id >= 0) { /* CUDA: a stream runs one task after the other */
        struct heddle_worker *w = heddle__worker(id);
        const double now = heddle__now_us();
        const double start = job->started_us > w->last_end ? job->started_us : w->last_end;
        w->last_end = now;
        heddle__count_task(plan, task, w, now - start, job->interpreted);
    }
    heddle__job_free(job);
    heddle__run_less(run, 1);
}

void heddle__jobs_close(void)
{
    heddle__free_done_runs();
    while (free_jobs) {
        struct heddle_job *job = free_jobs;
        free_jobs = job->next;
        heddle__free(job);
    }
}
