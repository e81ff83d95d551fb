/* Reductions over no, one or several axes.
 *
 * Shape: the reduced axes removed, or kept as 1 with .keepdims. Without .axis or .axes all axes are
 * reduced. Negative axes count from the end. The order of additions depends on the shape and the
 * axes alone, so results are bitwise the same for any partition, worker count and schedule.
 * Errors: HEDDLE_EAXIS out of range or repeated; HEDDLE_EDTYPE; HEDDLE_EARG both .axis and .axes, or
 * .dtype where it means nothing; HEDDLE_ESHAPE for max, min, argmax and argmin of nothing. Cost: one
 * pass; elementwise work before and after it fuses. */
#ifndef HEDDLE_REDUCE_H
#define HEDDLE_REDUCE_H

#include <heddle/array.h>
#include <heddle/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Several axes, as a value: heddle_sum(a, .axes = HEDDLE_AXES(0, 2)). Zeroed: none are given. */
struct heddle_axes {
    int count;               /* 0: not given; -1: given, and none */
    int at[HEDDLE_MAX_NDIM]; /* the first `count` are meant */
};

/* HEDDLE_NO_AXES: reduces nothing. */
#ifndef __cplusplus
#define HEDDLE_AXES(...)                                                                           \
    ((struct heddle_axes){.count = (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)),        \
                          .at = {__VA_ARGS__}})
#define HEDDLE_NO_AXES ((struct heddle_axes){.count = -1})
#else
#define HEDDLE_AXES(...) heddle_axes_of_(__VA_ARGS__)
#define HEDDLE_NO_AXES (heddle_axes{-1, {}})
#endif

struct heddle_reduce_options {
    size_t size;             /* call.h */
    int axis;                /* one axis */
    bool has_axis;           /* whether it is given; set by the macros */
    bool keepdims;           /* reduced axes stay, with extent 1 */
    struct heddle_axes axes; /* several, instead of `axis` */
    enum heddle_dtype dtype; /* sum, prod, mean: dtype of the result and of the accumulator */
};

/** Sum. Integers and bool accumulate in int64 or uint64, floating in their own dtype. */
HEDDLE_API heddle_array *heddle_sum_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Product; dtypes as sum. */
HEDDLE_API heddle_array *heddle_prod_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Maximum of real numbers; NaN if any is NaN. Of -0.0 and 0.0, which are equal, either may be given. */
HEDDLE_API heddle_array *heddle_max_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Minimum of real numbers; NaN if any is NaN. Of -0.0 and 0.0, which are equal, either may be given. */
HEDDLE_API heddle_array *heddle_min_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Maximum of what is not NaN; NaN if all are (NumPy name). */
HEDDLE_API heddle_array *heddle_nanmax_with(heddle_array *a, const struct heddle_reduce_options *o);
/** Minimum of what is not NaN; NaN if all are (NumPy name). */
HEDDLE_API heddle_array *heddle_nanmin_with(heddle_array *a, const struct heddle_reduce_options *o);
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

#define heddle_sum(...) HEDDLE_CALL1_AXIS(heddle_sum_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_prod(...) HEDDLE_CALL1_AXIS(heddle_prod_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_max(...) HEDDLE_CALL1_AXIS(heddle_max_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_min(...) HEDDLE_CALL1_AXIS(heddle_min_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_nanmax(...) HEDDLE_CALL1_AXIS(heddle_nanmax_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_nanmin(...) HEDDLE_CALL1_AXIS(heddle_nanmin_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_mean(...) HEDDLE_CALL1_AXIS(heddle_mean_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_any(...) HEDDLE_CALL1_AXIS(heddle_any_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_all(...) HEDDLE_CALL1_AXIS(heddle_all_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_count_nonzero(...)                                                                  \
    HEDDLE_CALL1_AXIS(heddle_count_nonzero_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_argmax(...) HEDDLE_CALL1_AXIS(heddle_argmax_with, heddle_reduce_options, __VA_ARGS__)
#define heddle_argmin(...) HEDDLE_CALL1_AXIS(heddle_argmin_with, heddle_reduce_options, __VA_ARGS__)

#ifdef __cplusplus
} /* extern "C" */

template <class... Axes> constexpr heddle_axes heddle_axes_of_(Axes... axes)
{
    static_assert(sizeof...(axes) <= HEDDLE_MAX_NDIM, "more axes than an array can have");
    return {static_cast<int>(sizeof...(axes)), {static_cast<int>(axes)...}};
}
#endif

#endif
