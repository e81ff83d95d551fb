/* Copies of boxes of arrays that direct launches sent to another GPU, and keep there while the array lives: arrays do not
 * change, so whoever reads the same box there again need not wait for a link. They go with the array's data, when it is
 * updated in place, and the longest unused first when others need the room. */
#ifndef HEDDLE_DIRECT_KEPT_BOXES_H
#define HEDDLE_DIRECT_KEPT_BOXES_H

#include "array/parts.h"
#include "run/workers.h"

/* Where a worker's GPU has a copy of `box`, in the array, of a part of a storage that is nobody's view (base); NULL: it has
 * none. Work that uses it must be enqueued on the worker's stream. Under the evaluation lock, as are room and keep. */
void *heddle__kept_box(struct heddle_storage *storage, int64_t part, const struct heddle_box *box,
                       const struct heddle_worker *worker);
/* Whether so many bytes may be kept on a GPU. */
bool heddle__kept_room(const struct heddle_worker *worker, int64_t size_bytes);
/* Takes over a copy, a block of gpu_blocks.h. False: it was not kept, and stays the caller's. */
bool heddle__keep_box(struct heddle_storage *storage, int64_t part, const struct heddle_box *box,
                      const struct heddle_worker *worker, void *at, int64_t size_bytes);
/* Drops all copies of a storage's boxes; NULL: of all storages, under the evaluation lock. */
void heddle__kept_drop(struct heddle_storage *storage);

#endif
