/* Searching values in a sorted row: the arguments of a call. */
#ifndef HEDDLE_FAMILIES_SEARCH_KERNEL_H
#define HEDDLE_FAMILIES_SEARCH_KERNEL_H

#include <stdint.h>

/* What is put out for each value x. LEFT and RIGHT: how many elements are before it, as int64. Before x is what is less and,
 * RIGHT, what is equal. NaNs are greater than numbers, and equal. MEMBER: whether one equals it, as bool; no NaN does. LINE:
 * the height at x of the lines between the points of `sorted` and `heights`, as float64 (kernel_line.h).
 *
 * Both kernels halve the row in the same way, n - n / 2 elements staying each time, so that they agree on a row that
 * is not sorted, too. */
enum heddle_search_what {
    HEDDLE_SEARCH_LEFT,
    HEDDLE_SEARCH_RIGHT,
    HEDDLE_SEARCH_MEMBER,
    HEDDLE_SEARCH_LINE
};

/* `size` values in a row of n elements. */
struct heddle_search {
    uint8_t dtype; /* of `sorted` and `values`; not complex; LINE: float64 */
    uint8_t what;  /* enum heddle_search_what */
    int64_t n, size;
    uint32_t sorted, values, heights, out; /* heights: LINE, of n float64 */
};

#endif
