/* Sorting rows: the arguments of a call, and the order that both kernels follow.
 *
 * An element becomes an unsigned key whose order is its own: an integer by its sign bit, a float by the order
 * of IEEE 754 totals (-inf ... -0, 0 ... inf). A descending order complements the key. A NaN has the largest key
 * either way, so NaNs come last; they come out as the quiet NaN without payload. Where positions are asked for, -0
 * has the key of 0, and equal keys stay in the order of their positions. */
#ifndef HEDDLE_FAMILIES_SORT_KERNEL_H
#define HEDDLE_FAMILIES_SORT_KERNEL_H

#include <stdint.h>

/* `rows` rows of `n` contiguous elements in buffer `in`. To `out`: each row sorted or, with `positions`, the
 * positions in it as int64, in the order of their elements. */
struct heddle_sort {
    uint8_t dtype;         /* not complex */
    uint8_t element_bytes; /* of `in` */
    uint8_t descending, positions;
    int64_t rows, n;
    uint32_t in, out;
};

#endif
