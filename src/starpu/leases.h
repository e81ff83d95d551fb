/* What direct launches hold of storages: memory of their own on GPUs, of which StarPU may not know yet, and
 * StarPU's memory, leased so that it stays where it is. */
#ifndef HEDDLE_STARPU_LEASES_H
#define HEDDLE_STARPU_LEASES_H

#include "array/parts.h"
#include "run/workers.h"

#if HEDDLE_HAVE_CUDA
/* Whether a worker's GPU has the value of a part, and direct launches there may use it. */
bool heddle__part_is_on(const struct heddle_part *part, int worker);
/* Leases a part, so that StarPU's copy stays from now on, and gives its address. NULL: there is no room for
 * a lease. Under the evaluation lock. */
void *heddle__part_lease(struct heddle_storage *storage, int64_t part, int worker);
/* Notes that a direct launch on the worker began; the time is counted once somebody has waited for it. */
void heddle__direct_began(struct heddle_worker *worker, double start_us);

/* Bytes that are leased on a worker's GPU: StarPU cannot evict them. */
int64_t heddle__direct_leased_bytes(const struct heddle_worker *worker);

/* Waits until direct launches have written the storage. */
void heddle__direct_wait(struct heddle_storage *storage);
/* Whether they have, or failed. */
bool heddle__direct_is_done(struct heddle_storage *storage);
/* Waits for what a direct launch made, and registers it with StarPU. */
void heddle__direct_adopt(struct heddle_storage *storage);
/* If a direct launch made the storage, in one part that StarPU does not know, copies it to host memory:
 * true, with the outcome in *status. False: it is no such storage, or too large. */
bool heddle__direct_read(struct heddle_storage *storage, void *out, int64_t size_bytes,
                         enum heddle_status *status);
/* Ends the leases, so that StarPU may move the storage again, and drops kept boxes. With `now` it waits for what uses it; else
 * leases may end later. */
void heddle__direct_end_leases(struct heddle_storage *storage, bool now);
/* Frees the memory of direct launches. StarPU must have let go of it, if it knew of it. */
void heddle__direct_free_own(struct heddle_storage *storage);
/* Ends the leases that were to end later, if their last use is done; cheap if there are none. */
void heddle__direct_poll(void);
/* For shut-down: drain waits for all launches; close, once no storage is on GPUs, gives all memory back. */
void heddle__direct_drain(void);
void heddle__direct_close(void);
#else /* without CUDA there are no direct launches */
static inline void heddle__direct_wait(struct heddle_storage *storage)
{
    (void)storage;
}
static inline bool heddle__direct_is_done(struct heddle_storage *storage)
{
    (void)storage;
    return true;
}
static inline void heddle__direct_adopt(struct heddle_storage *storage)
{
    (void)storage;
}
static inline bool heddle__direct_read(struct heddle_storage *storage, void *out,
                                       int64_t size_bytes, enum heddle_status *status)
{
    (void)storage, (void)out, (void)size_bytes, (void)status;
    return false;
}
static inline void heddle__direct_end_leases(struct heddle_storage *storage, bool now)
{
    (void)storage, (void)now;
}
static inline void heddle__direct_free_own(struct heddle_storage *storage)
{
    (void)storage;
}
static inline void heddle__direct_poll(void) {}
static inline void heddle__direct_drain(void) {}
static inline void heddle__direct_close(void) {}
#endif

#endif
