/* Evaluations in flight, and their tasks as StarPU carries them: made by submit.c, and done when StarPU
 * says so, on any thread. Entry points: handles.h, "Jobs and runs". */
#include "runtime/handles.h"

#include "base/memory.h"

#include <pthread.h>
#include <string.h>

/* ---- Recycled jobs ---------------------------------------------------------------------------------- */

static pthread_mutex_t jobs_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_job *free_jobs;

struct heddle_job *heddle__job_new(void)
{
    pthread_mutex_lock(&jobs_mutex);
    struct heddle_job *job = free_jobs;
    if (job) free_jobs = job->next;
    pthread_mutex_unlock(&jobs_mutex);
    if (!job) job = heddle__alloc(sizeof *job);
    if (job) *job = (struct heddle_job){0};
    return job;
}

void heddle__job_free(struct heddle_job *job)
{
    heddle__free(job->buffer_of);
    pthread_mutex_lock(&jobs_mutex);
    job->next = free_jobs;
    free_jobs = job;
    pthread_mutex_unlock(&jobs_mutex);
}

/* ---- Runs --------------------------------------------------------------------------------------------- */

/* Done, but plans are freed under the evaluation lock only: the next one who has it does it. */
static _Atomic(struct heddle_run *) done_runs;

void heddle__run_less(struct heddle_run *run, long long n)
{
    if (atomic_fetch_sub(&run->left, n) != n) return;
    for (int32_t i = 0; i < run->plan->n_arrays; i++) {
        heddle__fault_release(run->faults[i]);
        heddle__storage_release_run(run->made[i]);
    }
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

struct heddle_run *heddle__run_new(struct heddle_plan *plan, const union heddle_scalar constants[])
{
    const size_t n_constants = (size_t)(plan->n_constants + plan->n_literals);
    const size_t head = (sizeof(struct heddle_run) + 15) / 16 * 16;
    const size_t bytes_constants = n_constants * sizeof(union heddle_scalar);
    const size_t bytes_faults = (size_t)plan->n_arrays * sizeof(struct heddle_fault *);
    char *memory = heddle__calloc(1, head + bytes_constants + bytes_faults +
                                         (size_t)plan->n_arrays *
                                             (sizeof(void *) + sizeof(struct heddle_run_input)));
    if (!memory) return NULL;
    struct heddle_run *run = (struct heddle_run *)(void *)memory;
    atomic_init(&run->left, plan->n_tasks + 1);
    run->plan = heddle__plan_retain(plan);
    run->constants = (union heddle_scalar *)(void *)(memory + head);
    run->faults = (struct heddle_fault **)(void *)(memory + head + bytes_constants);
    run->made = (struct heddle_storage **)(void *)(memory + head + bytes_constants + bytes_faults);
    run->inputs = (struct heddle_run_input *)(void *)(run->made + plan->n_arrays);
    if (plan->n_constants > 0)
        memcpy(run->constants, constants, (size_t)plan->n_constants * sizeof *constants);
    if (plan->n_literals > 0)
        memcpy(run->constants + plan->n_constants, plan->literals,
               (size_t)plan->n_literals * sizeof *constants);
    return run;
}

void heddle__job_done(void *argument)
{
    struct heddle_job *job = argument;
    struct heddle_run *run = job->run;
    const struct heddle_plan *plan = run->plan;
    const struct heddle_plan_task *task = &plan->tasks[job->task];
    for (int32_t i = 0; i < task->n_uses; i++) { /* first: somebody may be waiting */
        const struct heddle_plan_use *use = &plan->uses[task->first_use + i];
        if ((use->mode & HEDDLE_WRITE) && run->made[use->array])
            atomic_fetch_sub_explicit(&run->made[use->array]->unwritten, 1, memory_order_release);
    }
    const int id = starpu_worker_get_id();
    if (job->started_us > 0 && id >= 0) { /* CUDA: tasks of a worker's stream follow each other */
        struct heddle_worker *w = heddle__worker(id);
        const double now = heddle__now_us();
        const double start = job->started_us > w->last_end ? job->started_us : w->last_end;
        w->last_end = now;
        heddle__count_task(plan, task, w, now - start, job->interpreted);
    }
    heddle__function_end(run, task);
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
