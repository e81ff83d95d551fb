/* Cumulative sums, products and extremes along one axis.
 *
 * Shape: the operand's; one more along the axis with .include_initial, of which the first is 0 or 1.
 * Dtype: as heddle_sum: integers and bool accumulate in int64 or uint64, others in their own, or in
 * .dtype. The order of operations depends on the extents alone, and each is rounded by itself, so results
 * are bitwise the same for any partition, worker count and schedule, on CPUs and on GPUs (of a NaN only
 * that it is one). Errors: HEDDLE_EAXIS out of range, or none named for more than one axis;
 * HEDDLE_EDTYPE. Cost: one pass; when parts along the axis are on several devices they read the operand
 * twice. */
#ifndef HEDDLE_SCAN_H
#define HEDDLE_SCAN_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_scan_options {
    size_t size;             /* call.h */
    int axis;                /* default: the only one */
    bool has_axis;           /* whether it is given; set by the macros */
    bool include_initial;    /* the result begins with 0 or 1 */
    enum heddle_dtype dtype; /* of the result and of the accumulator */
};

/** The sums of all elements up to each. */
HEDDLE_API heddle_array *heddle_cumulative_sum_with(heddle_array *a,
                                                    const struct heddle_scan_options *o);
/** The products. */
HEDDLE_API heddle_array *heddle_cumulative_prod_with(heddle_array *a,
                                                     const struct heddle_scan_options *o);

/** The largest of all elements up to each; NaN from a NaN on. Dtype: the operand's, or .dtype; there is no initial element,
 *  so .include_initial is HEDDLE_EARG (NumPy: maximum.accumulate). */
HEDDLE_API heddle_array *heddle_cumulative_max_with(heddle_array *a,
                                                    const struct heddle_scan_options *o);
/** The smallest (NumPy: minimum.accumulate). */
HEDDLE_API heddle_array *heddle_cumulative_min_with(heddle_array *a,
                                                    const struct heddle_scan_options *o);
/** Sums and products of what is not NaN (NumPy names). */
HEDDLE_API heddle_array *heddle_nancumsum_with(heddle_array *a,
                                               const struct heddle_scan_options *o);
HEDDLE_API heddle_array *heddle_nancumprod_with(heddle_array *a,
                                                const struct heddle_scan_options *o);

#define heddle_cumulative_max(...)                                                                 \
    HEDDLE_CALL1_AXIS(heddle_cumulative_max_with, heddle_scan_options, __VA_ARGS__)
#define heddle_cumulative_min(...)                                                                 \
    HEDDLE_CALL1_AXIS(heddle_cumulative_min_with, heddle_scan_options, __VA_ARGS__)
#define heddle_nancumsum(...)                                                                      \
    HEDDLE_CALL1_AXIS(heddle_nancumsum_with, heddle_scan_options, __VA_ARGS__)
#define heddle_nancumprod(...)                                                                     \
    HEDDLE_CALL1_AXIS(heddle_nancumprod_with, heddle_scan_options, __VA_ARGS__)
#define heddle_cumulative_sum(...)                                                                 \
    HEDDLE_CALL1_AXIS(heddle_cumulative_sum_with, heddle_scan_options, __VA_ARGS__)
#define heddle_cumulative_prod(...)                                                                \
    HEDDLE_CALL1_AXIS(heddle_cumulative_prod_with, heddle_scan_options, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
