/* Tasks bound to one worker, and what they send to others. It needs StarPU alone, as scheduler.h does. */
#ifndef HEDDLE_STARPU_GPU_QUEUE_H
#define HEDDLE_STARPU_GPU_QUEUE_H

#include <starpu.h>

#include <stdbool.h>
#include <stdint.h>

/* Whether a memory node has valid data. */
static inline bool heddle__is_valid_on(starpu_data_handle_t handle, unsigned node)
{
    int valid = 0;
    starpu_data_query_status2(handle, (int)node, NULL, &valid, NULL, NULL);
    return valid;
}

enum { HEDDLE_MAX_SENDS = 4 }; /* by one task, and to one; more is not sent ahead */

/* The binding of a task to a worker. The caller owns it, until the task is done. */
struct heddle_placement {
    uint64_t number;  /* in the order of submission */
    int32_t priority; /* among tasks whose data are here: first the highest, then by number */
    double us;        /* it is likely to take */
    int n_awaited, n_sends;
    starpu_data_handle_t awaited[HEDDLE_MAX_SENDS]; /* others send them here */
    struct {
        starpu_data_handle_t handle;
        unsigned node;
        bool made; /* the task makes it, and sends it at its end; else when it begins */
    } sends[HEDDLE_MAX_SENDS];
};

/* Binds a task to a worker; `to` is zeroed. With `waits` and a GPU the task waits in the queue here: of
 * those whose data are there, the highest priority goes first, then the first submitted. Else it waits in
 * StarPU's queue, in the order in which tasks become ready, which is a microsecond cheaper. */
void heddle__bind(struct starpu_task *task, int worker, bool waits, struct heddle_placement *to);
void heddle__unbind(struct starpu_task *task); /* it may run anywhere again */
/* The task sends `handle`, one of its buffers, to `worker`, too. */
void heddle__send(struct heddle_placement *from, starpu_data_handle_t handle, int worker,
                  bool made);
/* Another task sends `handle`, which this task reads. */
void heddle__await(struct heddle_placement *to, starpu_data_handle_t handle);

/* ---- For the scheduler ------------------------------------------------------------------------------ */

/* Whether a task is for the queue of a GPU. Other bound tasks do not see the scheduler. */
static inline bool heddle__is_placed(const struct starpu_task *task)
{
    return task->workerids_len > 0;
}

void heddle__placed_open(void);
void heddle__placed_close(void);
void heddle__placed_push(struct starpu_task *task); /* a ready task */
struct starpu_task *heddle__placed_pop(int worker); /* NULL: none, or none yet */
/* begin: a bound task begins, and its data are here. done: a task that was popped is done. */
void heddle__placed_begin(const struct heddle_placement *placement);
void heddle__placed_done(int worker, const struct heddle_placement *placement);

#endif
