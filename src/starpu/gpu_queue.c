/* Tasks bound to one GPU. Each GPU has a queue in which they wait for their data, so that a task whose data
 * are there does not wait behind one whose data are not. And what tasks send from one place to the next,
 * and await. Entry points: gpu_queue.h. */
#include "starpu/gpu_queue.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define NEAR_US 50 /* data that come sooner count as here */
#define AHEAD_US                                                                                   \
    200 /* of tasks that are enough for a GPU, if there are two: so it has one while StarPU brings the next */

static struct queue {
    starpu_pthread_mutex_t mutex;
    struct starpu_task_list tasks; /* ready ones */
    atomic_int n_tasks;
    int n_running;     /* popped, and not done */
    double running_us; /* of these */
    double idle_since; /* us; it is idle and awaits data; 0: it is not idle */
} queues[STARPU_NMAXWORKERS];

static void lock(struct queue *q)
{
    starpu_worker_relax_on(); /* StarPU must not wait for a worker in a lock */
    STARPU_PTHREAD_MUTEX_LOCK(&q->mutex);
    starpu_worker_relax_off();
}

/* ---- Binding and sending ------------------------------------------------------------------------------- */

static struct heddle_placement *placement_of(const struct starpu_task *task)
{
    return task->sched_data;
}

static void send(const struct heddle_placement *p, bool made)
{
    for (int i = 0; i < p->n_sends; i++)
        if (p->sends[i].made == made)
            starpu_data_prefetch_on_node(p->sends[i].handle, p->sends[i].node, 1);
}

/* StarPU's callback: the task is done, but its readers are not released yet. */
static void send_made(void *placement)
{
    send(placement, true);
}

void heddle__bind(struct starpu_task *task, int worker, bool waits, struct heddle_placement *to)
{
    static atomic_ullong n_bound;
    static uint32_t masks[STARPU_NMAXWORKERS][STARPU_NMAXWORKERS / 32 + 1];
    to->number = atomic_fetch_add(&n_bound, 1);
    task->sched_data = to;
    task->epilogue_callback_func = send_made;
    task->epilogue_callback_arg = to;
    task->workerid = (unsigned)worker;
    if (waits && starpu_worker_get_type(worker) == STARPU_CUDA_WORKER) {
        masks[worker][worker / 32] = (uint32_t)1 << worker % 32;
        task->workerids = masks[worker];
        task->workerids_len = (unsigned)worker / 32 + 1;
    } else { /* without the scheduler */
        task->execute_on_a_specific_worker = 1;
    }
}

void heddle__unbind(struct starpu_task *task)
{
    task->sched_data = NULL;
    task->workerids = NULL;
    task->workerids_len = 0;
    task->execute_on_a_specific_worker = 0;
}

void heddle__send(struct heddle_placement *from, starpu_data_handle_t handle, int worker, bool made)
{
    if (worker < 0 || from->n_sends == HEDDLE_MAX_SENDS) return;
    from->sends[from->n_sends].handle = handle;
    from->sends[from->n_sends].node = starpu_worker_get_memory_node((unsigned)worker);
    from->sends[from->n_sends++].made = made;
}

void heddle__await(struct heddle_placement *to, starpu_data_handle_t handle)
{
    if (to->n_awaited < HEDDLE_MAX_SENDS) to->awaited[to->n_awaited++] = handle;
}

/* ---- The queue of a GPU -------------------------------------------------------------------------------- */

static bool misses(struct starpu_task *task, unsigned i, unsigned node)
{
    return STARPU_TASK_GET_MODE(task, i) & STARPU_R &&
           !heddle__is_valid_on(STARPU_TASK_GET_HANDLE(task, i), node);
}

/* Whether the node has room for what the task misses. Where it has none, a prefetch waits for ever, so the
 * task must ask for its data. */
static bool has_room(struct starpu_task *task, unsigned node)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
        int allocated = 0;
        starpu_data_query_status2(handle, (int)node, &allocated, NULL, NULL, NULL);
        if (!allocated) bytes += starpu_data_get_size(handle);
    }
    const starpu_ssize_t available = bytes > 0 ? starpu_memory_get_available(node) : 0;
    return bytes == 0 || available < 0 || (size_t)available >= bytes;
}

static bool is_awaited(const struct heddle_placement *p, starpu_data_handle_t handle)
{
    for (int i = 0; i < p->n_awaited; i++)
        if (p->awaited[i] == handle) return true;
    return false;
}

/* Microseconds that host memory would take to send what the task misses or, if `awaited`, only what of
 * that other places send. */
static double transfer_us(struct starpu_task *task, unsigned node, bool awaited)
{
    double us = 0;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
        if (misses(task, i, node) && (!awaited || is_awaited(placement_of(task), handle)))
            us += starpu_transfer_predict(STARPU_MAIN_RAM, node, starpu_data_get_size(handle));
    }
    return isfinite(us) ? us : 0; /* StarPU does not know the link */
}

/* Whether an idle GPU goes on waiting for what is sent to it: about as long as host memory would take to
 * send it. Many share that link, so it is left to what only host memory has. */
static bool may_wait(struct queue *q, struct starpu_task *task, unsigned node)
{
    const double now = starpu_timing_now();
    if (q->idle_since == 0) q->idle_since = now;
    return now - q->idle_since < 2 * transfer_us(task, node, true);
}

void heddle__placed_push(struct starpu_task *task)
{
    const unsigned worker = task->workerid, node = starpu_worker_get_memory_node(worker);
    struct queue *q = &queues[worker];
    /* not starpu_prefetch_task_input_for, which puts what was asked for before behind all else */
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task) && starpu_get_prefetch_flag(); i++) {
        starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
        if (misses(task, i, node) && !is_awaited(placement_of(task), handle))
            starpu_data_prefetch_on_node(handle, node, 1);
    }
    lock(q);
    starpu_task_list_push_back(&q->tasks, task);
    atomic_fetch_add(&q->n_tasks, 1);
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&q->mutex);
#if !defined(STARPU_NON_BLOCKING_DRIVERS) || defined(STARPU_SIMGRID)
    starpu_wake_worker_relax_light((int)worker);
#endif
}

/* Whether to run a task whose data are far all the same, while those behind it wait. */
static bool goes(struct queue *q, struct starpu_task *task, unsigned node)
{
    return !has_room(task, node) || (q->n_running == 0 && !may_wait(q, task, node));
}

static bool is_before(const struct starpu_task *a, const struct starpu_task *b)
{
    if (!b) return true;
    const struct heddle_placement *x = placement_of(a), *y = placement_of(b);
    return x->priority != y->priority ? x->priority > y->priority : x->number < y->number;
}

/* Whether a GPU has enough work. A task that comes later may be more urgent, but not pass those that are in the stream. */
static bool has_enough(const struct queue *q)
{
    return q->n_running > 1 && q->running_us > AHEAD_US;
}

/* The first of the tasks whose data are here, or nearly; else perhaps the first of all. */
struct starpu_task *heddle__placed_pop(int worker)
{
    enum { LOOK = 64 };
    struct queue *q = &queues[worker];
    if (atomic_load(&q->n_tasks) == 0) return NULL;
    const unsigned node = starpu_worker_get_memory_node((unsigned)worker);
    struct starpu_task *task = NULL, *first = NULL;
    lock(q);
    struct starpu_task *t = has_enough(q) ? NULL : starpu_task_list_begin(&q->tasks);
    for (int i = 0; t && i < LOOK; i++, t = starpu_task_list_next(t)) {
        if (is_before(t, first)) first = t;
        if (is_before(t, task) && transfer_us(t, node, false) < NEAR_US) task = t;
    }
    if (!task && first && goes(q, first, node)) task = first;
    if (task) {
        starpu_task_list_erase(&q->tasks, task);
        atomic_fetch_sub(&q->n_tasks, 1);
        q->n_running++;
        q->running_us += placement_of(task)->us;
        q->idle_since = 0;
    }
    STARPU_PTHREAD_MUTEX_UNLOCK(&q->mutex);
    return task;
}

void heddle__placed_begin(const struct heddle_placement *placement)
{
    send(placement, false);
}

void heddle__placed_done(int worker, const struct heddle_placement *placement)
{
    lock(&queues[worker]);
    queues[worker].n_running--;
    queues[worker].running_us -= placement->us;
    if (queues[worker].n_running == 0) queues[worker].running_us = 0; /* no rounding adds up */
    STARPU_PTHREAD_MUTEX_UNLOCK(&queues[worker].mutex);
}

void heddle__placed_open(void)
{
    memset(queues, 0, sizeof queues);
    for (int i = 0; i < STARPU_NMAXWORKERS; i++) {
        STARPU_PTHREAD_MUTEX_INIT(&queues[i].mutex, NULL);
        starpu_task_list_init(&queues[i].tasks);
    }
}

void heddle__placed_close(void)
{
    for (int i = 0; i < STARPU_NMAXWORKERS; i++) STARPU_PTHREAD_MUTEX_DESTROY(&queues[i].mutex);
}
