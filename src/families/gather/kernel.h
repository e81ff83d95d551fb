/* Elements by index along one axis: the arguments of a call. */
#ifndef HEDDLE_FAMILIES_GATHER_KERNEL_H
#define HEDDLE_FAMILIES_GATHER_KERNEL_H

#include <heddle/array.h>
#include <stddef.h>
#include <stdint.h>

/* For each index i of the box:
 *     k = indices[index_offset + sum(i[d] * index_stride[d])], plus n if it is negative
 *     out[out_offset + sum(i[d] * out_stride[d])] =
 *         in[in_offset + sum(i[d] * in_stride[d]) + (k - lo) * axis_stride]
 * if lo <= k < hi; else the element stays as it is, for another call. Strides are in elements. An index
 * outside of -n <= k < n is HEDDLE_EINDEX, and no address is made of it. */
struct heddle_gather {
    uint8_t element_bytes; /* 1, 2, 4, 8, 16 */
    uint8_t index_bytes;   /* 4, 8: int32, int64 */
    uint8_t along;         /* it is a take_along_axis: for the text of errors */
    int32_t ndim;
    int64_t extent[HEDDLE_MAX_NDIM];
    int64_t in_stride[HEDDLE_MAX_NDIM], index_stride[HEDDLE_MAX_NDIM], out_stride[HEDDLE_MAX_NDIM];
    int64_t in_offset, index_offset, out_offset, axis_stride;
    int64_t n, lo, hi; /* extent of the axis; where this part begins and ends */
    uint32_t in, indices, out;
};

/* The error that words 1 and 2 stand for: the index, and n. */
enum heddle_status heddle__gather_describe(const int64_t words[], char *text, size_t room);

#endif
