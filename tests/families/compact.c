/* Elements where a mask is true: one after the other. */
#include "families/cases.h"

#include <stdlib.h>

/* Random bytes, few or many of them true, some as a comparison that is not evaluated yet. */
static heddle_array *random_mask(struct random *r, int ndim, const int64_t *shape, bool *is)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    const int64_t percent = (int64_t[]){0, 1, 50, 99, 100}[random_below(r, 5)];
    const int64_t run = random_below(r, 3) ? 1 : 40;
    bool now = false;
    for (int64_t i = 0; i < size; i++) {
        if (i % run == 0) now = random_below(r, 100) < percent;
        is[i] = now;
    }
    heddle_array *mask = heddle_asarray(is, HEDDLE_BOOL, ndim, shape);
    return random_below(r, 2) ? mask
                              : heddle_greater(heddle_astype(mask, HEDDLE_INT8), heddle_scalar(0));
}

bool compact_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    if (a->ndim == 0 || a->size == 0 || a->size > 400000) return false;
    const int ndim = 1 + (int)random_below(r, a->ndim);
    const bool positions = random_below(r, 4) == 0;
    bool *is = malloc((size_t)a->size);
    heddle_array *mask = random_mask(r, ndim, a->shape, is);
    int64_t size = 1, n = 0, shape[HEDDLE_MAX_NDIM], out_ndim = 1;
    for (int d = 0; d < ndim; d++) size *= a->shape[d];
    for (int64_t i = 0; i < size; i++) n += is[i];
    shape[0] = n;
    for (int d = ndim; d < a->ndim && !positions; d++) shape[out_ndim++] = a->shape[d];
    *out = value_new(positions ? HEDDLE_INT64 : a->dtype, (int)out_ndim, shape);
    if (positions)
        out->exact = true;
    else
        value_inherit(out, a);
    const int64_t row = positions ? 1 : a->size / size;
    int64_t at = 0;
    for (int64_t i = 0; i < size; i++)
        for (int64_t k = 0; is[i] && k < row; k++)
            out->data[at++] = positions ? (double)i : a->data[i * row + k];
    struct heddle_index index[2] = {HEDDLE_BY(mask), HEDDLE_ELLIPSIS};
    out->array = positions ? heddle_flatnonzero(mask)
                           : heddle_getitem(a->array, 1 + (int)random_below(r, 2), index);
    free(is);
    return true;
}
