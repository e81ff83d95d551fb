/* A storage's data in host memory, whether devices have them or not: to wait for, to bring there, to give
 * back. */
#ifndef HEDDLE_RUN_DATA_H
#define HEDDLE_RUN_DATA_H

#include "array/parts.h"

/* Waits for its tasks; moves nothing. False: they were in flight when the process forked, and this is the
 * child. */
bool heddle__storage_wait(struct heddle_storage *storage);
/* Waits for a part and gives its data in host memory; release it. NULL: HEDDLE_EDEVICE. */
const char *heddle__part_acquire(struct heddle_storage *storage, int64_t part);
void heddle__part_release(struct heddle_storage *storage, int64_t part);
/* HEDDLE_EDEVICE: heddle__part_acquire gave the public function `name` nothing. */
enum heddle_status heddle__no_data(const char *name, const struct heddle_storage *storage,
                                   int64_t part);

#endif
