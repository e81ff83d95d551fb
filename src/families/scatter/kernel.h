/* Elements written by position: the arguments of a call, and what a position is. */
#ifndef HEDDLE_FAMILIES_SCATTER_KERNEL_H
#define HEDDLE_FAMILIES_SCATTER_KERNEL_H

#include "indexing.h"

#include <heddle/array.h>
#include <stddef.h>
#include <stdint.h>

/* The part of an array of rows becomes that of `in`, and then, for i = 0, 1, ..., n-1 in this order,
 *     row positions[i] of the array becomes, or is added, row i of `values`: element k is values[i * per_update + k * per_element]
 * if this part has it. A position counts rows in C order. One that is negative stands for an index that is out of range
 * (below), and is HEDDLE_EINDEX. All arrays are contiguous; `in` may be `out`. Each row is updated in that order by both
 * kernels, so that sums have the same bits. */
struct heddle_scatter {
    uint8_t dtype, element_bytes;
    uint8_t add;  /* bool: or */
    uint8_t name; /* enum heddle_indexing */
    int64_t n, row;
    int64_t per_update,
        per_element; /* row and 1; 0 and 1: all updates have one row; 0 and 0: one element */
    /* The array's axes before those of a row; those that the part has as a whole are one with what is before them. */
    int32_t n_axes; /* at least 1 */
    int64_t extent[HEDDLE_MAX_NDIM], lo[HEDDLE_MAX_NDIM], hi[HEDDLE_MAX_NDIM];
    int64_t n_rows;                 /* of the part */
    int64_t shape[HEDDLE_MAX_NDIM]; /* all axes of the array */
    uint32_t in, positions, values, out;
};

/* Index k of axis `axis`, out of range, as a position: HEDDLE_SCATTER_BAD(axis) + k, where k is at most
 * HEDDLE_SCATTER_FAR from 0. */
#define HEDDLE_SCATTER_FAR ((INT64_C(1) << 59) - 1)
#define HEDDLE_SCATTER_BAD(axis) (INT64_MIN + ((int64_t)(axis) << 60) + (INT64_C(1) << 59))

/* And back. */
#define HEDDLE_SCATTER_BAD_AXIS(position) ((int)((uint64_t)(position) >> 60 & 7))
#define HEDDLE_SCATTER_BAD_INDEX(position)                                                         \
    (((position) & ((INT64_C(1) << 60) - 1)) - (INT64_C(1) << 59))

#endif
