/* Recycled host memory of large buffers, plain or pinned for transfers to GPUs; plain ones beyond the limit of host
 * memory are in files (spill.h). */
#ifndef HEDDLE_ARRAY_LARGE_BUFFERS_H
#define HEDDLE_ARRAY_LARGE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At least 64-byte aligned, unset; put it back with the same size. NULL when memory is gone; of pinned memory
 * also when the limit is reached. */
void *heddle__large_buffer_get(size_t size_bytes, bool pinned);
void heddle__large_buffer_put(void *at, size_t size_bytes, bool pinned);
void heddle__large_buffers_trim(bool pinned); /* gives what is cached back */
int64_t heddle__large_buffers_bytes(void);    /* in memory, in use or cached */
int64_t heddle__large_buffers_left(void);     /* that may still be used in memory */

#endif
