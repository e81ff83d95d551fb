/* Storage: the data of one array, host memory or parts with StarPU handles. Reference counted. The
 * graph and the planner see this header; what a storage is only src/runtime/ knows. */
#ifndef HEDDLE_RUNTIME_STORAGE_H
#define HEDDLE_RUNTIME_STORAGE_H

#include "plan/plan.h"

struct heddle_storage;

/* Host memory of the caller's, in C order; `deleter` (may be NULL) is called once when it is needed
 * no more, also when this fails. NULL when memory is gone. */
struct heddle_storage *heddle__storage_wrap(const void *data, int64_t size_bytes,
                                            void (*deleter)(void *user), void *user);
/* A copy of host memory, pinned for transfers when the runtime has GPUs. */
struct heddle_storage *heddle__storage_copy(const void *data, int64_t size_bytes);

struct heddle_storage *heddle__storage_retain(struct heddle_storage *storage);
void heddle__storage_release(struct heddle_storage *storage); /* NULL is ignored; never waits */

/* The partition, once it has one; NULL while it is plain host memory. Owned by the storage. */
struct heddle_grid *heddle__storage_grid(const struct heddle_storage *storage);
/* Whether its data can be read in host memory without waiting or moving. */
bool heddle__storage_on_host(const struct heddle_storage *storage);

/* Whether there are such places; starts the runtime when one is named. `name` is the public
 * function's, without "heddle_". HEDDLE_EARG, HEDDLE_ENODEVICE, or why the runtime does not start. */
enum heddle_status heddle__check_places(const char *name, int n, const heddle_place *places);

/* Starts the runtime if it is not, and whether it is; under the evaluation lock. */
enum heddle_status heddle__need_runtime(void);
bool heddle__is_started(void);
/* Waits until nothing is in flight. */
void heddle__wait_all(void);

/* Runs a plan: `inputs` are the leaves' storages, `constants` the walk's values. Gives one new
 * storage for each of the plan's results, whose data may still be being computed. Returns when
 * everything is submitted; an inline plan is done then. On failure no result is given. */
enum heddle_status heddle__execute(struct heddle_plan *plan, struct heddle_storage *const inputs[],
                                   const union heddle_scalar constants[],
                                   struct heddle_storage *results[]);

#endif
