/* Reductions over no, one or several axes.
 *
 * Shape: the reduced axes removed, or kept as 1 with .keepdims. Without .axis or .axes all axes are
 * reduced. Negative axes count from the end. The order of additions depends on the shape and the
 * axes alone, so results are bitwise the same for any partition, worker count and schedule.
 * Errors: HEDDLE_EAXIS out of range or repeated, HEDDLE_EDTYPE, and HEDDLE_ESHAPE for max, min,
 * argmax and argmin of nothing. Cost: one pass; elementwise work before and after it fuses. */
#ifndef HEDDLE_REDUCE_H
#define HEDDLE_REDUCE_H

#include <heddle/array.h>

/* "no axis given": all of them. */
#define HEDDLE_ALL_AXES (-0x7fffffff)

struct heddle_reduce_options {
    int axis;        /* one axis, or HEDDLE_ALL_AXES */
    const int *axes; /* several: HEDDLE_AXES(0, 2). If set, .axis is ignored */
    int n_axes;
    bool keepdims;
    enum heddle_dtype dtype; /* sum, prod: dtype of the result and of the accumulator */
    int reserved;
};

/* Several axes as an option: heddle_sum(a, HEDDLE_AXES(0, 2)). HEDDLE_NO_AXES reduces nothing. */
#define HEDDLE_AXES(...)                                                                           \
    .axes = ((const int[]){__VA_ARGS__}), .n_axes = (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int))
#define HEDDLE_NO_AXES .axes = ((const int[]){0}), .n_axes = 0

/* Options NULL: the defaults. */
/** Sum. Integers and bool accumulate in int64 or uint64, floating in their own dtype. */
HEDDLE_API heddle_array *heddle_sum_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Product; dtypes as sum. */
HEDDLE_API heddle_array *heddle_prod_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Maximum of real numbers; NaN if any is NaN. */
HEDDLE_API heddle_array *heddle_max_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Minimum of real numbers; NaN if any is NaN. */
HEDDLE_API heddle_array *heddle_min_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Arithmetic mean; of integers in float64. NaN of nothing. */
HEDDLE_API heddle_array *heddle_mean_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Whether any element is non-zero; bool. */
HEDDLE_API heddle_array *heddle_any_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Whether all elements are non-zero; bool. */
HEDDLE_API heddle_array *heddle_all_with(heddle_array *a, const struct heddle_reduce_options *o);
/** How many elements are non-zero; int64. */
HEDDLE_API heddle_array *heddle_count_nonzero_with(heddle_array *a,
                                                   const struct heddle_reduce_options *o);
/** Index of the first maximum (the first NaN if there is one), int64: along .axis, or flat. */
HEDDLE_API heddle_array *heddle_argmax_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Index of the first minimum, as argmax. */
HEDDLE_API heddle_array *heddle_argmin_with(heddle_array *a, const struct heddle_reduce_options *o);

#define HEDDLE_REDUCE_(f, ...)                                                                     \
    HEDDLE_CALL1(f, heddle_reduce_options, .axis = HEDDLE_ALL_AXES, __VA_ARGS__)
#define heddle_sum(...) HEDDLE_REDUCE_(heddle_sum_with, __VA_ARGS__, .reserved = 0)
#define heddle_prod(...) HEDDLE_REDUCE_(heddle_prod_with, __VA_ARGS__, .reserved = 0)
#define heddle_max(...) HEDDLE_REDUCE_(heddle_max_with, __VA_ARGS__, .reserved = 0)
#define heddle_min(...) HEDDLE_REDUCE_(heddle_min_with, __VA_ARGS__, .reserved = 0)
#define heddle_mean(...) HEDDLE_REDUCE_(heddle_mean_with, __VA_ARGS__, .reserved = 0)
#define heddle_any(...) HEDDLE_REDUCE_(heddle_any_with, __VA_ARGS__, .reserved = 0)
#define heddle_all(...) HEDDLE_REDUCE_(heddle_all_with, __VA_ARGS__, .reserved = 0)
#define heddle_count_nonzero(...) HEDDLE_REDUCE_(heddle_count_nonzero_with, __VA_ARGS__, .reserved = 0)
#define heddle_argmax(...) HEDDLE_REDUCE_(heddle_argmax_with, __VA_ARGS__, .reserved = 0)
#define heddle_argmin(...) HEDDLE_REDUCE_(heddle_argmin_with, __VA_ARGS__, .reserved = 0)

#endif
