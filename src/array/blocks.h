/* Recycled host memory of small and middling arrays. */
#ifndef HEDDLE_ARRAY_BLOCKS_H
#define HEDDLE_ARRAY_BLOCKS_H

#include <stddef.h>

/* 64-byte aligned; give *class_of back with it. NULL when memory is gone. */
void *heddle__block_get(size_t size_bytes, int *class_of);
void heddle__block_put(void *block, size_t size_bytes, int class_of);
void heddle__blocks_trim(void); /* gives all cached blocks back */

#endif
