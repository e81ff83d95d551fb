/* Cumulative sums and products along one axis.
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

#include <heddle/reduce.h>

struct heddle_scan_options {
    int axis; /* HEDDLE_ALL_AXES: the only one */
    enum heddle_dtype dtype;
    bool include_initial;
    int reserved;
};

/** The sums of all elements up to each. */
HEDDLE_API heddle_array *heddle_cumulative_sum_with(heddle_array *a,
                                                    const struct heddle_scan_options *o);
/** The products. */
HEDDLE_API heddle_array *heddle_cumulative_prod_with(heddle_array *a,
                                                     const struct heddle_scan_options *o);

#define HEDDLE_SCAN_(f, ...)                                                                       \
    HEDDLE_CALL1(f, heddle_scan_options, .axis = HEDDLE_ALL_AXES, __VA_ARGS__)
#define heddle_cumulative_sum(...) HEDDLE_SCAN_(heddle_cumulative_sum_with, __VA_ARGS__, .reserved = 0)
#define heddle_cumulative_prod(...)                                                                \
    HEDDLE_SCAN_(heddle_cumulative_prod_with, __VA_ARGS__, .reserved = 0)

#endif
