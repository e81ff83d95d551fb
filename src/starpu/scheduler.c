/* The scheduler: StarPU's dmdas, which binds a task to a worker as soon as it is ready, by predicted costs.
 * Only tasks of a stream wait in one queue until a worker has room, so that no prediction of a whole
 * stream's time must be right (list scheduling: R. L. Graham, Bounds for certain multiprocessing
 * anomalies, 1966). A GPU takes a few ahead, whose data then come while it computes. Near the end a worker
 * leaves tasks to faster ones that would do them sooner. Tasks bound to one GPU are in gpu_queue.c. Entry
 * points: scheduler.h. */
#include "starpu/scheduler.h"

#include "base/machine.h"
#include "starpu/gpu_queue.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { AHEAD = 2 }; /* tasks whose data are on their way to a GPU, beside the one that it runs */

static struct starpu_sched_policy bound; /* dmdas, for all other tasks */
static bool crowded;                     /* workers share cores */

static starpu_pthread_mutex_t mutex;
static struct starpu_task_list waiting;
static atomic_int n_waiting; /* changes under the mutex */
static struct place {
    struct starpu_task *ahead[AHEAD + 1];
    int n_ahead, n_begun;
    bool refused; /* it takes none of the queue, until more come or one is done */
    bool named;   /* it was idle when another left it a task: it must take one */
} places[STARPU_NMAXWORKERS];

static const char late; /* in sched_data, it marks a task for the queue */

void heddle__bind_late(struct starpu_task *task)
{
    task->sched_data = (void *)&late;
}

static bool is_late(const struct starpu_task *task)
{
    return task->sched_data == &late;
}

/* ---- What may wait ----------------------------------------------------------------------------------- */

/* Whether all that it reads is in host memory alone. Data that a GPU has are better read there, and dmdas
 * knows what moving them costs. */
static bool reads_host_memory(struct starpu_task *task)
{
    bool reads = false;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++) {
        if (!(STARPU_TASK_GET_MODE(task, i) & STARPU_R)) continue;
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
        reads = true;
        for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
            if (heddle__is_valid_on(handle, node) != (node == STARPU_MAIN_RAM)) return false;
    }
    return reads;
}

/* ---- The queue ----------------------------------------------------------------------------------------- */

static void forget_refusals(void)
{
    for (unsigned i = 0; i < starpu_worker_get_count(); i++) places[i].refused = false;
}

static int push(struct starpu_task *task)
{
    if (heddle__is_placed(task)) {
        bound.push_task_notify(task, (int)task->workerid, (int)task->workerid, task->sched_ctx);
        heddle__placed_push(task);
        return 0;
    }
    if (is_late(task) && !reads_host_memory(task)) task->sched_data = NULL;
    if (!is_late(task)) return bound.push_task(task);
    starpu_worker_relax_on();
    STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    starpu_worker_relax_off();
    starpu_task_list_push_back(&waiting, task);
    atomic_fetch_add(&n_waiting, 1);
    forget_refusals();
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
#if !defined(STARPU_NON_BLOCKING_DRIVERS) || defined(STARPU_SIMGRID)
    for (int i = 0; i < (int)starpu_worker_get_count(); i++) starpu_wake_worker_relax_light(i);
#endif
    return 0;
}

/* Microseconds of a task on a worker; INFINITY: it cannot run there. */
static double cost_us(struct starpu_task *task, int worker)
{
    unsigned implementation = 0;
    if (!starpu_worker_can_execute_task_first_impl((unsigned)worker, task, &implementation))
        return INFINITY;
    return starpu_task_worker_expected_length(task, (unsigned)worker, task->sched_ctx,
                                              implementation);
}

/* Whether the others would have done `task` and all before it sooner than this worker would do `task`. If
 * so, one of them has tasks and will come back, or is idle and gets named: costs change between two
 * decisions, and no task may be left by all. */
static bool is_left_to_others(struct starpu_task *task, int worker)
{
    double rate = 0, left = atomic_load(&n_waiting), soonest = INFINITY;
    int first = -1;
    for (int i = 0; i < (int)starpu_worker_get_count(); i++) {
        if (i == worker) continue;
        const double us = cost_us(task, i);
        if (!(us < INFINITY)) continue;
        const int begun = places[i].n_ahead + places[i].n_begun;
        rate += 1 / us;
        left += begun;
        if ((begun + 1) * us >= soonest) continue;
        soonest = (begun + 1) * us;
        first = i;
    }
    const int begun = places[worker].n_ahead + places[worker].n_begun;
    if ((begun + 1) * cost_us(task, worker) <= fmax(left / rate, soonest)) return false;
    struct place *p = &places[first];
    p->named = p->n_ahead + p->n_begun == 0;
    p->refused = false;
    return true;
}

/* The first task that the worker can run, unless it is better left to others; NULL: none. Under the
 * mutex. */
static struct starpu_task *take(int worker)
{
    struct place *p = &places[worker];
    if (p->refused) return NULL;
    struct starpu_task *task = starpu_task_list_begin(&waiting);
    while (task && !starpu_worker_can_execute_task_first_impl((unsigned)worker, task, NULL))
        task = starpu_task_list_next(task);
    if (!task || (!p->named && is_left_to_others(task, worker))) {
        p->refused = true;
        return NULL;
    }
    p->named = false;
    starpu_task_list_erase(&waiting, task);
    atomic_fetch_sub(&n_waiting, 1);
    return task;
}

static struct starpu_task *pop(unsigned context)
{
    const int worker = starpu_worker_get_id();
    struct place *p = &places[worker];
    struct starpu_task *task = heddle__placed_pop(worker);
    if (!task) task = bound.pop_task(context);
    /* a worker that has nothing to do asks again and again: let those on its core work */
    if (!task && crowded) sched_yield();
    if (task || (p->n_ahead == 0 && atomic_load(&n_waiting) == 0)) return task;

    struct starpu_task *taken[AHEAD + 1];
    int n_taken = 0;
    const bool is_cpu = starpu_worker_get_type(worker) == STARPU_CPU_WORKER;
    starpu_worker_relax_on();
    STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    starpu_worker_relax_off();
    while (p->n_ahead <= (is_cpu ? 0 : AHEAD) && (task = take(worker)))
        taken[n_taken++] = p->ahead[p->n_ahead++] = task;
    task = NULL;
    if (p->n_ahead > 0) {
        task = p->ahead[0];
        memmove(p->ahead, p->ahead + 1, (size_t)--p->n_ahead * sizeof *p->ahead);
        p->n_begun++;
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
    for (int i = 0; i < n_taken && starpu_get_prefetch_flag(); i++)
        if (taken[i] != task) starpu_prefetch_task_input_for(taken[i], (unsigned)worker);
    return task;
}

/* ---- The rest of a policy --------------------------------------------------------------------------------- */

static void before(struct starpu_task *task, unsigned context)
{
    if (is_late(task)) return;
    bound.pre_exec_hook(task, context);
    if (task->sched_data) heddle__placed_begin(task->sched_data);
}

static void after(struct starpu_task *task, unsigned context)
{
    const int worker = starpu_worker_get_id();
    if (!is_late(task)) {
        bound.post_exec_hook(task, context);
        if (heddle__is_placed(task)) heddle__placed_done(worker, task->sched_data);
        return;
    }
    STARPU_PTHREAD_MUTEX_LOCK(&mutex);
    places[worker].n_begun--;
    forget_refusals();
    STARPU_PTHREAD_MUTEX_UNLOCK(&mutex);
}

static void begin(unsigned context)
{
    STARPU_PTHREAD_MUTEX_INIT(&mutex, NULL);
    starpu_task_list_init(&waiting);
    atomic_store(&n_waiting, 0);
    memset(places, 0, sizeof places);
    crowded = (int)starpu_worker_get_count() > heddle__machine()->n_allowed;
    heddle__placed_open();
    bound.init_sched(context);
}

static void end(unsigned context)
{
    bound.deinit_sched(context);
    heddle__placed_close();
    STARPU_PTHREAD_MUTEX_DESTROY(&mutex);
}

struct starpu_sched_policy *heddle__scheduler(void)
{
    static struct starpu_sched_policy policy;
    struct starpu_sched_policy **p = starpu_sched_get_predefined_policies();
    while (*p && strcmp((*p)->policy_name, "dmdas") != 0) p++;
    if (!*p) return NULL;
    policy = bound = **p;
    policy.init_sched = begin;
    policy.deinit_sched = end;
    policy.push_task = push;
    policy.pop_task = pop;
    policy.pre_exec_hook = before;
    policy.post_exec_hook = after;
    policy.policy_name = "heddle";
    policy.policy_description = "dmdas; streams are bound late, placed tasks wait for data";
    return &policy;
}
