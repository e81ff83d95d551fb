/* What direct launches hold of storages: memory of their own on GPUs, of which StarPU may know nothing
 * yet, and StarPU's memory, leased so that it stays where it is. */
#ifndef HEDDLE_STARPU_LEASES_H
#define HEDDLE_STARPU_LEASES_H

#include "array/parts.h"
#include "run/workers.h"

#if HEDDLE_HAVE_CUDA
/* Whether a worker's GPU has a part as it is, and direct launches there may use it. */
bool heddle__part_is_on(const struct heddle_part *part, int worker);
/* Its address there: StarPU's copy stays from now on. NULL: there is no room for a lease. Under the
 * evaluation lock. */
void *heddle__part_lease(struct heddle_storage *storage, int64_t part, int worker);
/* A direct launch on the worker began; the time is counted once somebody has waited. */
void heddle__direct_began(struct heddle_worker *worker, double start_us);

/* Waits until direct launches have written the storage. */
void heddle__direct_wait(struct heddle_storage *storage);
/* StarPU is to know of what a direct launch made: waits for it. */
void heddle__direct_adopt(struct heddle_storage *storage);
/* The only part of what a direct launch made and StarPU does not know, copied to host memory: true,
 * and how it went; false: it is not such a storage, or too large. */
bool heddle__direct_read(struct heddle_storage *storage, void *out, int64_t size_bytes,
                         enum heddle_status *status);
/* StarPU may move the storage again: waits for what uses it; unless `now`, the lease may end later. */
void heddle__direct_end_leases(struct heddle_storage *storage, bool now);
/* Frees its own memory, which StarPU has let go of, if it knew of it. */
void heddle__direct_free_own(struct heddle_storage *storage);
/* Ends the leases that were to end later and whose last use is done; cheap when there are none. */
void heddle__direct_poll(void);
/* At shutdown: waits for all launches; then, with no storage left on GPUs, gives all memory back. */
void heddle__direct_drain(void);
void heddle__direct_close(void);
#else /* there are none */
static inline void heddle__direct_wait(struct heddle_storage *storage)
{
    (void)storage;
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
