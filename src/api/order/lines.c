/* Lines of an array in order, and what is taken of them. Entry points: lines.h. */
#include "api/order/lines.h"

#include "api/compose/compose.h"

#include "families/gather/gather.h"

#include <heddle/sort.h>

bool heddle__has_nan(const heddle_array *a)
{
    return heddle__kind_rank((enum heddle_dtype)a->dtype) >= 2;
}

heddle_array *heddle__sorted_lines(heddle_array *a, unsigned mask)
{
    int order[HEDDLE_MAX_NDIM], n = 0;
    int64_t length = 1;
    struct heddle_shape s = {.ndim = 0};
    for (int d = 0; d < a->ndim; d++)
        if (!(mask & 1u << d)) {
            s.extent[s.ndim++] = a->shape[d];
            order[n++] = d;
        }
    for (int d = 0; d < a->ndim; d++)
        if (mask & 1u << d) {
            length *= a->shape[d];
            order[n++] = d;
        }
    if (s.ndim == HEDDLE_MAX_NDIM) /* no axis is reduced */
        return heddle__error_array(HEDDLE_EUNSUPPORTED, "heddle: no axis of %d is reduced", n);
    s.extent[s.ndim++] = length;
    heddle_array *x = heddle_reshape(heddle_permute_dims(a, n, order), s.ndim, s.extent);
    return heddle_sort_with(x, NULL);
}

heddle_array *heddle__laid_out(heddle_array *r, const heddle_array *a, unsigned mask, bool keepdims,
                               int n_places)
{
    if (heddle_status_of(r) != HEDDLE_OK) return r;
    int order[HEDDLE_MAX_NDIM];
    const int others = r->ndim - n_places;
    struct heddle_shape s = {.ndim = 0};
    for (int d = 0; d < r->ndim; d++) order[d] = d < n_places ? others + d : d - n_places;
    for (int d = 0; d < n_places; d++) s.extent[s.ndim++] = r->shape[others + d];
    for (int d = 0, other = 0; d < a->ndim; d++) {
        const bool reduced = mask & 1u << d;
        if (!reduced)
            s.extent[s.ndim++] = r->shape[other++];
        else if (keepdims)
            s.extent[s.ndim++] = 1;
    }
    return heddle_reshape(heddle_permute_dims(r, r->ndim, order), s.ndim, s.extent);
}

heddle_array *heddle__count_numbers(heddle_array *lines)
{
    const struct heddle_reduce_options o = {
        .size = sizeof o, .axis = lines->ndim - 1, .has_axis = true, .keepdims = true};
    return heddle_sum_with(heddle_astype(heddle_logical_not(heddle_isnan(lines)), HEDDLE_INT64),
                           &o);
}

heddle_array *heddle__elements_at(heddle_array *lines, heddle_array *places, bool each)
{
    const int axis = lines->ndim - 1;
    return each ? heddle__take_along(lines, places, axis) : heddle__take(lines, places, axis);
}

heddle_array *heddle__or_nan(heddle_array *r, heddle_array *lines)
{
    if (!heddle__has_nan(lines)) return r;
    const int axis = lines->ndim - 1;
    const int64_t n = lines->shape[axis];
    heddle_array *last = heddle__slice(lines, axis, n - 1, n);
    return heddle_where(heddle_isnan(last), last, r);
}
