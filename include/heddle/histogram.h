/* Counts: of integers, of numbers between edges.
 *
 * Weights are summed in float64, in an order that the lengths alone decide, so that results are bitwise the same for any
 * partition, worker count and schedule. Complex numbers have no order: HEDDLE_EDTYPE. Cost: a pass, and one for the
 * least and the largest element where they are asked for. */
#ifndef HEDDLE_HISTOGRAM_H
#define HEDDLE_HISTOGRAM_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_bincount_options {
    size_t size;           /* call.h */
    heddle_array *weights; /* of x's shape: the result has their sums; NULL: each counts 1 */
    int64_t minlength;     /* of the result */
};

/** How often each of 0, 1, ... is among the integers `x`, of one axis: int64, or float64 with weights. The result is as
 *  long as the largest of `x` asks for, so `x` is evaluated at the call. Errors: HEDDLE_ERANGE of a negative one,
 *  HEDDLE_EDTYPE, HEDDLE_ESHAPE (NumPy name). */
HEDDLE_API heddle_array *heddle_bincount_with(heddle_array *x,
                                              const struct heddle_bincount_options *o);
#define heddle_bincount(...)                                                                       \
    HEDDLE_CALL1(heddle_bincount_with, heddle_bincount_options, __VA_ARGS__)

struct heddle_histogram_options {
    size_t size;         /* call.h */
    int64_t bins;        /* of equal width; 0: 10 */
    heddle_array *edges; /* instead: one more than there are bins, ascending; evaluated at the call */
    double low, high;    /* the outermost edges, if has_range; else the least and the largest element */
    bool has_range;
    heddle_array *weights; /* of a's shape; NULL: each counts 1 */
    bool density;          /* divide by the sum and the widths of the bins; float64 */
};

/** How many elements of `a` are in each bin, which has its lower edge and, if it is the last, its upper one: int64, or
 *  with weights their sums in the dtype of these. `edges` gets the edges; it may be NULL. Without .edges and .has_range `a` is
 *  evaluated at the call. Errors: HEDDLE_ERANGE of a range that is not finite, ends before it begins or is too narrow
 *  or too wide for its bins, and of edges that do not ascend; HEDDLE_EDTYPE, HEDDLE_ESHAPE (NumPy name). */
HEDDLE_API enum heddle_status heddle_histogram_with(heddle_array *a, heddle_array **counts,
                                                    heddle_array **edges,
                                                    const struct heddle_histogram_options *o);
/** The edges alone. */
HEDDLE_API heddle_array *
heddle_histogram_bin_edges_with(heddle_array *a, const struct heddle_histogram_options *o);
#define heddle_histogram(...)                                                                      \
    HEDDLE_CALL3(heddle_histogram_with, heddle_histogram_options, __VA_ARGS__)
#define heddle_histogram_bin_edges(...)                                                            \
    HEDDLE_CALL1(heddle_histogram_bin_edges_with, heddle_histogram_options, __VA_ARGS__)

struct heddle_digitize_options {
    size_t size; /* call.h */
    bool right;  /* a bin has its upper edge, not its lower one */
};

/** The bin of each element among `bins`, edges of one axis that ascend or descend and are evaluated at the call: int64, 0
 *  of what is before the first. Errors: HEDDLE_ERANGE of edges in no order (NumPy name). */
HEDDLE_API heddle_array *heddle_digitize_with(heddle_array *x, heddle_array *bins,
                                              const struct heddle_digitize_options *o);
#define heddle_digitize(...)                                                                       \
    HEDDLE_CALL2(heddle_digitize_with, heddle_digitize_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
