/* Recycled host memory of large buffers, plain or pinned for transfers to GPUs. */
#ifndef HEDDLE_ARRAY_LARGE_BUFFERS_H
#define HEDDLE_ARRAY_LARGE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

/* At least 64-byte aligned, unset; put it back with the same size. NULL when memory is gone. */
void *heddle__large_buffer_get(size_t size_bytes, bool pinned);
void heddle__large_buffer_put(void *at, size_t size_bytes, bool pinned);
void heddle__large_buffers_trim(bool pinned); /* gives what is cached back */

#endif
