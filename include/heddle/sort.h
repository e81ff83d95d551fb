/* Sorting along an axis.
 *
 * NaNs come last, in a descending order too, and lose their payload. Complex numbers have no order: HEDDLE_EDTYPE.
 * Errors also: HEDDLE_EAXIS. Cost: some passes over keys of the elements' size, and memory for two copies of them.
 * An axis that is cut among parts is brought together first. */
#ifndef HEDDLE_SORT_H
#define HEDDLE_SORT_H

#include <heddle/array.h>
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

/** The elements in order. */
HEDDLE_API heddle_array *heddle_sort_with(heddle_array *a, const struct heddle_sort_options *o);
/** Where they are: int64 positions along the axis, so that take_along_axis of `a` is sort of `a`. Stable: equal
 *  elements stay in the order of their positions, in a descending order too; -0 and 0 are equal. */
HEDDLE_API heddle_array *heddle_argsort_with(heddle_array *a, const struct heddle_sort_options *o);

#define heddle_sort(...) HEDDLE_CALL1_AXIS(heddle_sort_with, heddle_sort_options, __VA_ARGS__)
#define heddle_argsort(...) HEDDLE_CALL1_AXIS(heddle_argsort_with, heddle_sort_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
