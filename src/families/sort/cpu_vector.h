/* Sorting keys by vectors, where the processor has those and Highway was there when Heddle was built. */
#ifndef HEDDLE_FAMILIES_SORT_CPU_VECTOR_H
#define HEDDLE_FAMILIES_SORT_CPU_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Whether there are any; of no row this changes the result. */
bool heddle__vector_sorts(void);
/* Sort `n` keys where they are. False: it cannot be done here, and nothing is. */
bool heddle__vector_sort_32(uint32_t *keys, int64_t n);
bool heddle__vector_sort_64(uint64_t *keys, int64_t n);

#endif
