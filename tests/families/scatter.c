/* Elements written by index: one after the other, in the order of the indices. */
#include "families/cases.h"
#include "families/random_index.h"

#include <stdlib.h>
#include <string.h>

/* Integers, in the dtype of `a`, of a shape that broadcasts to the selection; *values has all that it stands for. */
static heddle_array *random_values(struct random *r, const struct value *a,
                                   const struct random_index *x, double **values)
{
    int64_t shape[HEDDLE_MAX_NDIM], size = 1;
    const int drop = (int)random_below(r, x->ndim + 1);
    for (int d = drop; d < x->ndim; d++)
        size *= shape[d - drop] = random_below(r, 4) ? x->shape[d] : 1;
    double *own = calloc((size_t)size + 1, sizeof *own);
    for (int64_t i = 0; i < size; i++)
        own[i] = (double)random_below(r, a->dtype == HEDDLE_BOOL ? 2 : 9);
    *values = calloc((size_t)x->size + 1, sizeof **values);
    for (int64_t e = 0; e < x->size; e++) {
        int64_t at = 0, along = 1, rest = e;
        for (int d = x->ndim - 1; d >= 0; rest /= x->shape[d--]) {
            if (d < drop) continue;
            at += shape[d - drop] == 1 ? 0 : rest % x->shape[d] * along;
            along *= shape[d - drop];
        }
        (*values)[e] = own[at];
    }
    heddle_array *v =
        heddle_astype(heddle_asarray(own, HEDDLE_FLOAT64, x->ndim - drop, shape), a->dtype);
    free(own);
    return v;
}

bool scatter_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    struct random_index x;
    const bool add = a->exact && random_below(r, 2);
    bool arrays = false;
    if (a->size == 0 || a->size > 100000) return false;
    if (!random_index(r, a->ndim, a->shape, &x)) return false;
    for (int i = 0; i < x.n; i++) arrays |= x.index[i].kind == HEDDLE_INDEX_ARRAY;
    if (!arrays) {
        free(x.at);
        return false;
    }
    double *values;
    heddle_array *v = random_values(r, a, &x, &values);
    *out = value_new(a->dtype, a->ndim, a->shape);
    value_inherit(out, a);
    memcpy(out->data, a->data, (size_t)a->size * sizeof *a->data);
    for (int64_t i = 0; i < x.size; i++) {
        double *at = &out->data[x.at[i]];
        *at = !add                      ? values[i]
              : a->dtype == HEDDLE_BOOL ? (*at != 0 || values[i] != 0)
                                        : value_round(a->dtype, *at + values[i]);
    }
    out->array = (add ? heddle_add_at : heddle_set_item)(a->array, x.n, x.index, v);
    free(values);
    free(x.at);
    return true;
}
