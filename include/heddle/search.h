/* Searching in what is sorted.
 *
 * The order is that of sort.h: NaNs are after all numbers and equal to each other, -0 is 0. Complex numbers have no
 * order: HEDDLE_EDTYPE. Cost: log2 of the length of the sorted array for each value. */
#ifndef HEDDLE_SEARCH_H
#define HEDDLE_SEARCH_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a value goes among elements that are equal to it. */
enum heddle_side {
    HEDDLE_SIDE_LEFT,  /* before them */
    HEDDLE_SIDE_RIGHT, /* after them */
};

struct heddle_searchsorted_options {
    size_t size; /* call.h */
    enum heddle_side side;
    heddle_array *sorter; /* integers: `a` in order is take(a, sorter), as of argsort; NULL: `a` is in order */
};

/** Where each of `values` belongs in `a`, which has one axis and is in ascending order: how many elements stand
 *  before it, int64, in the shape of `values`. Both are compared in their common dtype. Of an array that is not in
 *  order the result is some number from 0 to its length. Errors: HEDDLE_ESHAPE, HEDDLE_EDTYPE. */
HEDDLE_API heddle_array *heddle_searchsorted_with(heddle_array *a, heddle_array *values,
                                                  const struct heddle_searchsorted_options *o);
#define heddle_searchsorted(...)                                                                   \
    HEDDLE_CALL2(heddle_searchsorted_with, heddle_searchsorted_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
