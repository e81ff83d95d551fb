/* Elements by arrays of indices: the arguments of a call. */
#ifndef HEDDLE_FAMILIES_GATHER_KERNEL_H
#define HEDDLE_FAMILIES_GATHER_KERNEL_H

#include "indexing.h"

#include <heddle/array.h>
#include <stddef.h>
#include <stdint.h>

/* One array of indices, and what these index. */
struct heddle_gather_by {
    int64_t offset, stride[HEDDLE_MAX_NDIM]; /* of the array */
    int64_t n;                               /* index k is in -n <= k < n */
    int64_t first, step;                     /* it stands for first + k * step along an axis ... */
    int64_t lo, hi, in_stride;               /* ... of which this part has lo..hi-1 */
    uint32_t buffer;
};

/* For each index i of the box, and each array of indices:
 *     k = indices[offset + sum(i[d] * stride[d])], plus n if it is negative;  j = first + k * step
 *     out[out_offset + sum(i[d] * out_stride[d])] =
 *         in[in_offset + sum(i[d] * in_stride[d]) + sum of all arrays ((j - lo) * by.in_stride)]
 * if lo <= j < hi for all of them; else the element stays as it is, for another call. Strides are in elements. An index
 * that is out of range is HEDDLE_EINDEX, and no address is made of it. */
struct heddle_gather {
    uint8_t element_bytes; /* 1, 2, 4, 8, 16 */
    uint8_t index_bytes;   /* 4, 8: int32, int64 */
    uint8_t name;          /* enum heddle_indexing */
    uint8_t n_by;          /* at least 1 */
    int32_t ndim;
    int64_t extent[HEDDLE_MAX_NDIM];
    int64_t in_stride[HEDDLE_MAX_NDIM], out_stride[HEDDLE_MAX_NDIM];
    int64_t in_offset, out_offset;
    struct heddle_gather_by by[HEDDLE_MAX_NDIM];
    uint32_t in, out;
};

/* Neighbouring axes that all walk as one become one, and those of extent 1 go: fewer and longer rows. */
void heddle__gather_merge_axes(struct heddle_gather *g);

#endif
