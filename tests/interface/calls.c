/* Every call with named options, as a program writes it: compiled without a warning, and not run. Its
 * functions are the counterparts of the refusals in headers.sh. */
#include <heddle.h>

void calls(heddle_array *a, heddle_array *b, heddle_part_function *f, const void *data, int64_t n);
heddle_array *nested(heddle_array *a, heddle_array *b);
heddle_array *variables(heddle_array *a, int axis, bool keep, const struct heddle_axes *axes);

void calls(heddle_array *a, heddle_array *b, heddle_part_function *f, const void *data, int64_t n)
{
    heddle_asarray(data, HEDDLE_INT8, HEDDLE_SHAPE(3, n));
    heddle_asarray(data, HEDDLE_INT8, HEDDLE_SHAPE(3), .borrow = true, .user = NULL,
                   .deleter = NULL,
                   .distribution = &(struct heddle_distribution){.cut[0] = {.n = 2}});
    heddle_empty(HEDDLE_NO_SHAPE);
    heddle_zeros(HEDDLE_SHAPE(3, 4), .dtype = HEDDLE_INT8);
    heddle_ones(1, &n, .dtype = HEDDLE_BOOL, .distribution = NULL);
    heddle_full(HEDDLE_SHAPE(2), heddle_scalar(1.5), .dtype = HEDDLE_FLOAT32);
    heddle_empty_like(a);
    heddle_zeros_like(a, .dtype = HEDDLE_INT8);
    heddle_ones_like(a, .dtype = HEDDLE_INT8);
    heddle_full_like(a, heddle_scalar(1), .dtype = HEDDLE_INT8);
    heddle_arange(heddle_scalar(3), NULL, NULL, .dtype = HEDDLE_INT8);
    heddle_linspace(heddle_scalar(0), heddle_scalar(1), 5, .endpoint_excluded = true);
    heddle_eye(3, -1, .k = -1, .dtype = HEDDLE_INT8);
    heddle_sum(a);
    heddle_sum(a, .axis = 0);
    heddle_sum(a, .axis = -1, .keepdims = true, .dtype = HEDDLE_FLOAT64);
    heddle_prod(a, .axes = HEDDLE_AXES(0, -1), .keepdims = true);
    heddle_max(a, .axes = HEDDLE_NO_AXES);
    heddle_min(a, .axis = 0);
    heddle_mean(a, .axis = 0);
    heddle_any(a, .axis = 0);
    heddle_all(a, .axis = 0);
    heddle_count_nonzero(a, .axis = 0);
    heddle_argmax(a, .axis = 0);
    heddle_argmin(a, .axis = 0);
    heddle_cumulative_sum(a, .axis = 0, .include_initial = true);
    heddle_cumulative_prod(a);
    heddle_flip(a);
    heddle_flip(a, .axes = HEDDLE_AXES(0));
    heddle_take(a, b);
    heddle_take(a, b, .axis = 1);
    heddle_take_along_axis(a, b, .axis = 0);
    heddle_map_parts(a, HEDDLE_INT8, f);
    heddle_map_parts(a, HEDDLE_INT8, NULL, .cuda = f, .user = a, .deleter = NULL);
}

/* In arguments, in options and in several levels at once: no name shadows another. */
heddle_array *nested(heddle_array *a, heddle_array *b)
{
    return heddle_sum(heddle_take(heddle_sum(heddle_max(a, .axis = 0), .axis = 0), heddle_flip(b),
                                  .axis = heddle_ndim(heddle_sum(b, .keepdims = true))),
                      .axis = heddle_ndim(heddle_any(a, .axis = heddle_ndim(heddle_flip(a)))),
                      .keepdims = heddle_size(heddle_sum(a)) > 0);
}

heddle_array *variables(heddle_array *a, int axis, bool keep, const struct heddle_axes *axes)
{
    if (axes) return heddle_sum(a, .axes = *axes, .keepdims = keep);
    return axis > 7 ? heddle_sum(a) : heddle_sum(a, .axis = axis < 0 ? 0 : axis, .keepdims = keep);
}
