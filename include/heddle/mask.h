/* Elements where something is true, and their positions.
 *
 * How many there are is part of the result's shape. So each of these functions evaluates its mask, and counts it, when
 * it is called; what errors in its data there are show then. The result itself is lazy. Positions are int64 in C order.
 * Also a[mask] is one of them (index.h); heddle_where and a[mask] = value keep the shape and stay lazy.
 * Errors: those of the mask; HEDDLE_ESHAPE. Cost: the mask is read twice, the rest once. */
#ifndef HEDDLE_MASK_H
#define HEDDLE_MASK_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The indices of the elements of `a` that are not zero: out[d] has those along axis d. `n` is the number of axes, not
 *  0 (HEDDLE_ESHAPE). Each result is new; on an error `out` is untouched, but if memory is gone some may be in error. */
HEDDLE_API enum heddle_status heddle_nonzero(heddle_array *a, int n, heddle_array *out[]);
/** The same as the rows of one array (NumPy name). */
HEDDLE_API heddle_array *heddle_argwhere(heddle_array *a);
/** Their positions among all elements (NumPy name). */
HEDDLE_API heddle_array *heddle_flatnonzero(heddle_array *a);

/** The elements of `a` where `condition` is not zero, both in C order, as one axis (NumPy name). A place that `a` lacks is
 *  HEDDLE_EINDEX, as in heddle_take. */
HEDDLE_API heddle_array *heddle_extract(heddle_array *condition, heddle_array *a);

struct heddle_compress_options {
    size_t size;   /* call.h */
    int axis;      /* default: all elements in C order */
    bool has_axis; /* whether it is given; set by the macros */
};

/** What is along .axis of `a` where `condition`, of one axis, is not zero (NumPy name). It may be shorter; a place that
 *  `a` lacks is HEDDLE_EINDEX, as in heddle_take. */
HEDDLE_API heddle_array *heddle_compress_with(heddle_array *condition, heddle_array *a,
                                              const struct heddle_compress_options *o);
#define heddle_compress(...)                                                                       \
    HEDDLE_CALL2_AXIS(heddle_compress_with, heddle_compress_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
