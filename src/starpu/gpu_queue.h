/* Tasks that are for one worker, and what they send to others. Of StarPU alone, as scheduler.h. */
#ifndef HEDDLE_STARPU_GPU_QUEUE_H
#define HEDDLE_STARPU_GPU_QUEUE_H

#include <starpu.h>

#include <stdbool.h>
#include <stdint.h>

/* Whether a memory node has the data as they are. */
static inline bool heddle__is_valid_on(starpu_data_handle_t handle, unsigned node)
{
    int valid = 0;
    starpu_data_query_status2(handle, (int)node, NULL, &valid, NULL, NULL);
    return valid;
}

enum { HEDDLE_MAX_SENDS = 4 }; /* of and to one task; what is more waits for its reader */

/* Of a task that is for one worker; the caller's, until the task is done. */
struct heddle_placement {
    uint64_t number;  /* of its submission */
    int32_t priority; /* of those whose data are here the highest goes first, then the number */
    int n_awaited, n_sends;
    starpu_data_handle_t awaited[HEDDLE_MAX_SENDS]; /* others send them here */
    struct {
        starpu_data_handle_t handle;
        unsigned node;
        bool made; /* by the task, which sends it at its end; else it does so when it begins */
    } sends[HEDDLE_MAX_SENDS];
};

/* `to` is zeroed. `waits`: if the worker is a GPU, the task waits in the queue here; a GPU does of these
 * what has its data first, then by priority, then what was submitted first. Else in StarPU's, in the order in which they
 * become ready, which is a microsecond a task cheaper. */
void heddle__bind(struct starpu_task *task, int worker, bool waits, struct heddle_placement *to);
void heddle__unbind(struct starpu_task *task); /* it may run anywhere after all */
/* `handle`, of a task with a placement, goes to `worker` too. */
void heddle__send(struct heddle_placement *from, starpu_data_handle_t handle, int worker,
                  bool made);
/* `handle`, which the task reads, is sent by another one. */
void heddle__await(struct heddle_placement *to, starpu_data_handle_t handle);

/* ---- For the scheduler ------------------------------------------------------------------------------ */

/* Whether it is for one GPU, so for the queue here. Others pass by the scheduler. */
static inline bool heddle__is_placed(const struct starpu_task *task)
{
    return task->workerids_len > 0;
}

void heddle__placed_open(void);
void heddle__placed_close(void);
void heddle__placed_push(struct starpu_task *task); /* it is ready */
struct starpu_task *heddle__placed_pop(int worker); /* NULL: nothing, or nothing yet */
/* A task with a placement begins, its data are here; one that was popped is done. */
void heddle__placed_begin(const struct heddle_placement *placement);
void heddle__placed_done(int worker);

#endif
