/* Elements where a mask is true, in order: the arguments of a call. */
#ifndef HEDDLE_FAMILIES_COMPACT_KERNEL_H
#define HEDDLE_FAMILIES_COMPACT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* The j-th of the mask's elements that are not 0, at i, gives
 *     out[j * row + r] = in[i * row + r] for r in 0..row-1, or out[j] = first + i as int64 if `positions`
 * for j < n; nothing is written beyond, whatever the mask has. All are contiguous. */
struct heddle_compact {
    uint8_t element_bytes; /* of `in`: 1, 2, 4, 8, 16 */
    uint8_t positions;     /* there is no `in` */
    int64_t size, row, n;  /* of the mask; elements for each of its own; how many it selects */
    int64_t first;         /* of the whole mask: the position of this one's first element */
    uint32_t mask, in, out;
};

/* A thread counts and writes chunks of so many elements of the mask; the GPU's are smaller. Scratch has a count for
 * each, and one more. */
enum { HEDDLE_COMPACT_CHUNK = 1 << 14, HEDDLE_COMPACT_TILE = 1 << 12 };

#endif
