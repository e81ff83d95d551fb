/* Storage: the data of one array, in host memory or in parts that devices have. Reference counted. This
 * is what the graph and the planner see of it; parts.h has the struct, for executors. */
#ifndef HEDDLE_ARRAY_STORAGE_H
#define HEDDLE_ARRAY_STORAGE_H

#include "array/grid.h"

struct heddle_storage;

/* The caller's host memory, in C order; `deleter` (may be NULL) is called once when the memory is no
 * longer needed, also when this fails. NULL when memory is gone. */
struct heddle_storage *heddle__storage_wrap(const void *data, int64_t size_bytes,
                                            void (*deleter)(void *user), void *user);
/* The same for memory of a mapped file, of which it takes over a reference, also when it fails. It is no memory
 * in use: what is read of it comes and goes. */
struct heddle_mapping;
struct heddle_storage *heddle__storage_of_file(const void *data, int64_t size_bytes,
                                               struct heddle_mapping *mapping);
/* A copy of host memory, pinned for transfers when there are GPUs. */
struct heddle_storage *heddle__storage_copy(const void *data, int64_t size_bytes);

struct heddle_storage *heddle__storage_retain(struct heddle_storage *storage);
void heddle__storage_release(struct heddle_storage *storage); /* NULL is ignored; never waits */

/* The partition, once it has one; NULL while it is plain host memory. Owned by the storage. */
struct heddle_grid *heddle__storage_grid(const struct heddle_storage *storage);
/* Whether its data are those of a mapped file. */
bool heddle__storage_is_file(const struct heddle_storage *storage);
/* Whether its data can be read in host memory without waiting or moving. */
bool heddle__storage_on_host(const struct heddle_storage *storage);
/* Whether so many evaluations of some work (plan->wears) have read it in host memory, on the caller's thread, that it is better at a
 * GPU. To note one more. */
bool heddle__storage_is_worn(const struct heddle_storage *storage);
void heddle__storage_wear(struct heddle_storage *storage);

#endif
