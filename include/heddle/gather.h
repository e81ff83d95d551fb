/* Elements by index: arrays of integers that say which.
 *
 * An index counts from the end if it is negative. One that is out of range makes the result an error,
 * HEDDLE_EINDEX, which shows when it is evaluated. Dtype: the array's. Errors: HEDDLE_EAXIS, HEDDLE_EDTYPE
 * indices that are no integers, HEDDLE_ESHAPE. Cost: the indices, the result, and what is read of the array
 * in no order. */
#ifndef HEDDLE_GATHER_H
#define HEDDLE_GATHER_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_take_options {
    size_t size;   /* call.h */
    int axis;      /* default: of take the only one, of take_along_axis the last */
    bool has_axis; /* whether it is given; set by the macros */
};

/** a[..., indices, ...] along .axis, which becomes the axes of `indices`. */
HEDDLE_API heddle_array *heddle_take_with(heddle_array *a, heddle_array *indices,
                                          const struct heddle_take_options *o);
/** For each element of `indices` that of `a` at this index along .axis (default: the last) and the same
 *  place along the others, which are broadcast. */
HEDDLE_API heddle_array *heddle_take_along_axis_with(heddle_array *a, heddle_array *indices,
                                                     const struct heddle_take_options *o);

#define heddle_take(...)                                                                           \
    HEDDLE_CALL2_AXIS(heddle_take_with, heddle_take_options, __VA_ARGS__)
#define heddle_take_along_axis(...)                                                                \
    HEDDLE_CALL2_AXIS(heddle_take_along_axis_with, heddle_take_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
