/* Elements by index: one after the other. */
#include "families/cases.h"
#include "families/random_index.h"

#include <stdlib.h>

enum { MOST = 1 << 18 }; /* elements of what is taken */

/* Indices in range, some negative, of random dtype; their values stay the caller's to free. */
static heddle_array *random_indices(struct random *r, int ndim, const int64_t *shape, int64_t n,
                                    int64_t **values)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    int64_t *at = calloc((size_t)size + 1, sizeof *at);
    for (int64_t i = 0; i < size; i++) at[i] = random_below(r, 2 * n) - n;
    heddle_array *a = heddle_asarray(at, HEDDLE_INT64, ndim, shape);
    for (int64_t i = 0; i < size; i++) at[i] += at[i] < 0 ? n : 0;
    *values = at;
    return random_below(r, 3) == 0 && n < 100 ? heddle_astype(a, HEDDLE_INT8)
           : random_below(r, 2)               ? heddle_astype(a, HEDDLE_INT32)
                                              : a;
}

static bool take_case(struct random *r, const struct value *a, int axis, struct value *out)
{
    int64_t shape[HEDDLE_MAX_NDIM], index_shape[2], inner = 1, *index;
    const int index_ndim = (int)random_below(r, 3), ndim = a->ndim - 1 + index_ndim;
    if (ndim > HEDDLE_MAX_NDIM) return false;
    int64_t m = 1;
    for (int d = 0; d < axis; d++) shape[d] = a->shape[d];
    for (int d = 0; d < index_ndim; d++)
        m *= shape[axis + d] = index_shape[d] = random_below(r, a->size > 1000 ? 300 : 12);
    for (int d = axis + 1; d < a->ndim; d++) inner *= shape[d - 1 + index_ndim] = a->shape[d];
    const int64_t n = a->shape[axis];
    if (m * (a->size / n) > MOST) return false;
    heddle_array *indices = random_indices(r, index_ndim, index_shape, n, &index);
    *out = value_new(a->dtype, ndim, shape);
    value_inherit(out, a);
    for (int64_t i = 0; i < out->size; i++) {
        const int64_t o = i / (m * inner), k = i / inner % m;
        out->data[i] = a->data[(o * n + index[k]) * inner + i % inner];
    }
    out->array = heddle_take(a->array, indices, .axis = axis);
    free(index);
    return true;
}

static bool along_case(struct random *r, const struct value *a, int axis, struct value *out)
{
    int64_t shape[HEDDLE_MAX_NDIM], index_shape[HEDDLE_MAX_NDIM], *index;
    for (int d = 0; d < a->ndim; d++) {
        shape[d] = index_shape[d] = d == axis ? random_below(r, 2 * a->shape[d] + 1) : a->shape[d];
        if (d != axis && random_below(r, 4) == 0) index_shape[d] = 1;
    }
    const int64_t n = a->shape[axis];
    heddle_array *indices = random_indices(r, a->ndim, index_shape, n, &index);
    *out = value_new(a->dtype, a->ndim, shape);
    value_inherit(out, a);
    for (int64_t i = 0; i < out->size; i++) {
        int64_t at[HEDDLE_MAX_NDIM], rest = i, from = 0, in_index = 0;
        for (int d = a->ndim - 1; d >= 0; d--) {
            at[d] = rest % shape[d];
            rest /= shape[d];
        }
        for (int d = 0; d < a->ndim; d++)
            in_index = in_index * index_shape[d] + (index_shape[d] == 1 ? 0 : at[d]);
        for (int d = 0; d < a->ndim; d++)
            from = from * a->shape[d] + (d == axis ? index[in_index] : at[d]);
        out->data[i] = a->data[from];
    }
    out->array = heddle_take_along_axis(a->array, indices, .axis = axis - a->ndim);
    free(index);
    return true;
}

/* Indices of all kinds. */
static bool getitem_case(struct random *r, const struct value *a, struct value *out)
{
    struct random_index index;
    if (!random_index(r, a->ndim, a->shape, &index)) return false;
    *out = value_new(a->dtype, index.ndim, index.shape);
    value_inherit(out, a);
    for (int64_t i = 0; i < out->size; i++) out->data[i] = a->data[index.at[i]];
    free(index.at);
    out->array = heddle_getitem(a->array, index.n, index.index);
    return true;
}

bool gather_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    if (a->ndim == 0 || a->size == 0 || a->size > 400000) return false;
    if (random_below(r, 2)) return getitem_case(r, a, out);
    const int axis = (int)random_below(r, a->ndim);
    return (random_below(r, 2) ? take_case : along_case)(r, a, axis, out);
}
