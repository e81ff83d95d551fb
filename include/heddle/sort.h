/* Sorting along an axis.
 *
 * NaNs come last, in a descending order too, and lose their payload. Complex numbers are ordered as in
 * NumPy, by their real parts and equal ones by their imaginary parts; a descending order of them is HEDDLE_EDTYPE.
 * Errors also: HEDDLE_EAXIS. Cost: some passes over keys of the elements' size, and memory for two copies of them.
 * If the axis is cut among several places, each sorts its parts, and each part of the result takes what is its own from
 * all of them and merges it: the bits are those of one part, and each place reads the whole line once. Parts of one place
 * are brought together first. */
#ifndef HEDDLE_SORT_H
#define HEDDLE_SORT_H

#include <heddle/array.h>
#include <heddle/assemble.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_sort_options {
    size_t size;     /* call.h */
    int axis;        /* default: the last */
    bool has_axis;   /* whether it is given; set by the macros */
    bool descending; /* the largest first */
};

/** The elements in order; equal ones, as -0 and 0 are, in any. Along an axis of few indices it is elementwise work, which is
 *  computed with what reads it. */
HEDDLE_API heddle_array *heddle_sort_with(heddle_array *a, const struct heddle_sort_options *o);
/** Where they are: int64 positions along the axis, so that take_along_axis of `a` is sort of `a`. Stable: equal
 *  elements stay in the order of their positions, in a descending order too; -0 and 0 are equal. */
HEDDLE_API heddle_array *heddle_argsort_with(heddle_array *a, const struct heddle_sort_options *o);

#define heddle_sort(...) HEDDLE_CALL1_AXIS(heddle_sort_with, heddle_sort_options, __VA_ARGS__)
#define heddle_argsort(...) HEDDLE_CALL1_AXIS(heddle_argsort_with, heddle_sort_options, __VA_ARGS__)

/** The order of rows by several keys of one shape, the last of which counts most: int64 positions along .axis
 *  (default: the last), as argsort; stable (NumPy name). */
HEDDLE_API heddle_array *heddle_lexsort_with(int n, heddle_array *const keys[],
                                             const struct heddle_along_options *o);
#define heddle_lexsort(...)                                                                        \
    HEDDLE_CALL2_AXIS(heddle_lexsort_with, heddle_along_options, __VA_ARGS__)

struct heddle_topk_options {
    size_t size;   /* call.h */
    int axis;      /* default: the last */
    bool has_axis; /* whether it is given; set by the macro */
    bool smallest; /* the least instead */
};

/** The `k` largest elements along .axis, the largest first, and their positions, int64; of equal ones the first. NaNs
 *  are the last that are taken. `values` or `indices` may be NULL: not wanted. */
HEDDLE_API enum heddle_status heddle_topk_with(heddle_array *a, int64_t k, heddle_array **values,
                                               heddle_array **indices,
                                               const struct heddle_topk_options *o);
#define heddle_topk(...) HEDDLE_CALL4_AXIS(heddle_topk_with, heddle_topk_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
