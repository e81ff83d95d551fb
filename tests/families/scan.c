/* Cumulative sums, products and extremes: left to right, sums in long double. */
#include "families/cases.h"

#include <math.h>
#include <stdlib.h>

/* Of what has the operand's rounding: each is an element of it. */
static bool extreme_case(struct random *r, const struct value *a, struct value *out)
{
    const int axis = (int)random_below(r, a->ndim), sign = random_below(r, 2) ? 1 : -1;
    *out = value_new(a->dtype, a->ndim, a->shape);
    value_inherit(out, a);
    out->exact = a->exact;
    out->spread = a->spread;
    int64_t inner = 1;
    for (int d = axis + 1; d < a->ndim; d++) inner *= a->shape[d];
    for (int64_t i = 0; i < a->size; i++) {
        const double x = a->data[i];
        const bool first = i / inner % a->shape[axis] == 0;
        const double so_far = first ? x : out->data[i - inner];
        out->data[i] = isnan(so_far) || sign * so_far >= sign * x ? so_far : x;
    }
    const struct heddle_scan_options options = {.axis = axis, .has_axis = true};
    out->array = sign > 0 ? heddle_cumulative_max_with(a->array, &options)
                          : heddle_cumulative_min_with(a->array, &options);
    return true;
}

bool scan_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    if (a->ndim == 0) return false;
    if (random_below(r, 4) == 0) return extreme_case(r, a, out);
    const int axis = (int)random_below(r, a->ndim);
    const bool initial = random_below(r, 3) == 0, is_float = value_is_float(a->dtype);
    const bool multiply = is_float && a->shape[axis] <= 40 && random_below(r, 3) == 0;
    const enum heddle_dtype dtype = is_float ? a->dtype : HEDDLE_INT64;
    if (!(value_largest(a) < (multiply ? 4 : 1e6))) return false;

    int64_t shape[HEDDLE_MAX_NDIM], inner = 1;
    for (int d = 0; d < a->ndim; d++) {
        shape[d] = a->shape[d] + (d == axis && initial);
        if (d > axis) inner *= a->shape[d];
    }
    *out = value_new(dtype, a->ndim, shape);
    value_inherit(out, a);
    const int64_t n = a->shape[axis], m = shape[axis];
    long double sums = 0;
    const int64_t outer = out->size == 0 ? 0 : out->size / (m * inner);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            long double x = multiply, magnitude = 0;
            const double *from = a->data + o * n * inner + i;
            double *to = out->data + o * m * inner + i;
            if (initial) {
                *to = multiply;
                to += inner;
            }
            for (int64_t k = 0; k < n; k++) {
                x = multiply ? x * from[k * inner] : x + from[k * inner];
                magnitude += fabsl(multiply ? x : from[k * inner]);
                to[k * inner] = value_round(dtype, (double)x);
            }
            if (magnitude > sums) sums = magnitude;
        }
    if (is_float) {
        out->exact = false;
        const double largest = value_largest(out) > 0 ? value_largest(out) : 1;
        /* an element meets some 40 others on its way; a product has no error but relative ones */
        out->spread = multiply ? (a->spread * value_largest(a) * 40 + 64 * value_epsilon(dtype)) *
                                     (double)sums / largest
                               : (a->spread + 64 * value_epsilon(dtype)) *
                                     fmax((double)sums, (double)n * value_largest(a)) / largest;
    }
    const struct heddle_scan_options options = {
        .axis = axis, .has_axis = true, .include_initial = initial};
    out->array = multiply ? heddle_cumulative_prod_with(a->array, &options)
                          : heddle_cumulative_sum_with(a->array, &options);
    return true;
}
