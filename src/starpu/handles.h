/* StarPU handles of storages, one for each part; callers need not see StarPU. */
#ifndef HEDDLE_STARPU_HANDLES_H
#define HEDDLE_STARPU_HANDLES_H

#include "array/parts.h"

/* Gives a storage the partition `grid`, and each part a StarPU handle. Under the evaluation lock. */
enum heddle_status heddle__storage_attach(struct heddle_storage *storage, struct heddle_grid *grid,
                                          int32_t element_bytes);
/* Puts it on the list, as its parts get handles from now on: shut-down must find it. */
void heddle__storage_list(struct heddle_storage *storage);
/* Takes it off the list, under the lock of the list. While that is held, StarPU stays up. */
void heddle__handles_forget(struct heddle_storage *storage);
void heddle__handles_lock(void);
void heddle__handles_unlock(void);
/* Ends the leases of all storages on the list, so that StarPU may evict what they kept. */
void heddle__handles_end_leases(void);
void heddle__storage_unpin(struct heddle_storage *storage);
/* For shut-down: makes every storage host memory; no handle is left. */
enum heddle_status heddle__storages_come_home(void);

/* ---- Access (access.c): as struct heddle_backend says ---------------------------------------------- */

void heddle__starpu_wait(struct heddle_storage *storage);
const char *heddle__starpu_acquire(struct heddle_storage *storage, int64_t part);
void heddle__starpu_release(struct heddle_storage *storage, int64_t part);
void heddle__starpu_prefetch(struct heddle_storage *storage, int64_t part);
void heddle__starpu_evict(struct heddle_storage *storage, int64_t part);
enum heddle_status heddle__starpu_acquire_at(struct heddle_storage *storage,
                                             struct heddle_grid *grid, int32_t element_bytes,
                                             int64_t part, int worker, const void **data,
                                             int *node);
void heddle__starpu_release_at(struct heddle_storage *storage, int64_t part, int node);
enum heddle_status heddle__starpu_lend(struct heddle_storage *storage, int64_t part, int worker,
                                       void *data);
heddle_place heddle__starpu_place_now(struct heddle_storage *storage, int64_t part);

/* ---- Retiring (retire.c) ---------------------------------------------------------------------------- */

/* Gives up the data of a storage whose last reference is gone. Never waits. */
void heddle__storage_retire(struct heddle_storage *storage);
/* Unregisters the handles that were put off; cheap if there are none. */
void heddle__let_go(void);
/* For shut-down, once nothing is in flight and no storage is on the list: waits until all that was given up
 * is. A storage that is given up later has nothing of StarPU's. */
void heddle__retire_all(void);
/* Whether there are storages that are being given up, or wait to be reaped. */
bool heddle__retiring(void);
/* reap frees storages that StarPU let go of. */
void heddle__reap(void);
bool heddle__reap_pending(void);

#endif
