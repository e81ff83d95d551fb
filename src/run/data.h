/* A storage's data in host memory: waited for, brought there, given back. Whether devices have it or
 * not. */
#ifndef HEDDLE_RUN_DATA_H
#define HEDDLE_RUN_DATA_H

#include "array/parts.h"

/* Waits for its tasks; moves nothing. */
void heddle__storage_wait(struct heddle_storage *storage);
/* Pointer to a part in host memory, waited for; release it. NULL: HEDDLE_EDEVICE. */
const char *heddle__part_acquire(struct heddle_storage *storage, int64_t part);
void heddle__part_release(struct heddle_storage *storage, int64_t part);

#endif
