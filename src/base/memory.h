/* All host allocation of the library goes through here, so that tests can make the k-th allocation
 * fail and count what is live. Array data come from array/blocks.h and array/large_buffers.h. */
#ifndef HEDDLE_BASE_MEMORY_H
#define HEDDLE_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* NULL when memory is gone. A size of 0 gives a pointer that may be freed. */
void *heddle__alloc(size_t size_bytes);
void *heddle__calloc(size_t n, size_t size_bytes);
void *heddle__realloc(void *p, size_t size_bytes);
/* Aligned to 64 bytes, for data that vector code reads; free with heddle__free. */
void *heddle__alloc_aligned(size_t size_bytes);
void heddle__free(void *p);
char *heddle__strdup(const char *text);

/* Memory that a pool keeps: it can be made to fail as any other, but does not count as live. */
void *heddle__alloc_pooled(size_t size_bytes);
void heddle__free_pooled(void *p);

/* Test hooks. The k-th allocation from now on (1 is the next) fails, and with `sticky` all after
 * it; 0 turns it off. */
void heddle__alloc_fail_at(int64_t k, int sticky);
int64_t heddle__alloc_live(void);  /* blocks not yet freed; pooled nodes do not count as live */
int64_t heddle__alloc_calls(void); /* calls so far */

/* Grows *data (elements of size_bytes) to room for n; false when memory is gone. */
int heddle__grow(void *data, size_t size_bytes, int64_t n, int64_t *capacity);

#endif
