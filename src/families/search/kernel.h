/* Searching values in a sorted row: the arguments of a call. */
#ifndef HEDDLE_FAMILIES_SEARCH_KERNEL_H
#define HEDDLE_FAMILIES_SEARCH_KERNEL_H

#include <stdint.h>

/* For each of `size` values x: how many of the n elements of `sorted` are before it, to `out` as int64. Before x is
 * what is less and, with `right`, what is equal. NaNs are greater than numbers, and equal.
 *
 * Both kernels halve the row in the same way, n - n / 2 elements staying each time, so that they agree on a row that
 * is not sorted, too. */
struct heddle_search {
    uint8_t dtype; /* of `sorted` and `values`; not complex */
    uint8_t right;
    int64_t n, size;
    uint32_t sorted, values, out;
};

#endif
