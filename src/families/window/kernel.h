/* Sums over windows of a row: the arguments of a call, and the order of additions.
 *
 * A window has as many elements as there are taps. The sum over it begins with 0; then for each element of the window that the
 * row has, in the order of the row, its product with its tap is added. Each product and each sum is rounded by itself, as where
 * they are operations of their own (docs/decisions/0005): so both twins, all instruction sets and all partitions give the same bits. Integers
 * wrap; of bools the sum is whether there is a product. */
#ifndef HEDDLE_FAMILIES_WINDOW_KERNEL_H
#define HEDDLE_FAMILIES_WINDOW_KERNEL_H

#include <stdint.h>

/* y[i], i < n, over the elements x[first + i + j], 0 <= j < m, of which those from 0 to n_x - 1 are there: others belong to parts that other
 * calls take, or are beyond the ends of the row. The window of each result meets them. Offsets in elements. */
struct heddle_window {
    uint8_t dtype;  /* of all; no half */
    uint8_t turned; /* tap j is taps[m - 1 - j], else taps[j] */
    uint8_t
        adds; /* there are elements before x[0], which have been taken: a window that begins there goes on from y[i] */
    int64_t n, m, n_x, first;
    int64_t x_offset, y_offset;
    uint32_t x, taps, y;
};

#endif
