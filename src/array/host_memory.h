/* The limit of host memory, for all who take some. */
#ifndef HEDDLE_ARRAY_HOST_MEMORY_H
#define HEDDLE_ARRAY_HOST_MEMORY_H

#include <stdint.h>

/* Bytes that Heddle may use; never more than the machine has. */
int64_t heddle__host_limit(void);
void heddle__set_host_limit(int64_t size_bytes); /* 0: the default, a share of the machine's */

#endif
