/* Sorting: by qsort of positions, ties by position. */
#include "families/cases.h"

#include <stdlib.h>

static _Thread_local const double *keys;
static _Thread_local bool descending;

static int compare(const void *x, const void *y)
{
    const int64_t i = *(const int64_t *)x, j = *(const int64_t *)y;
    const double a = keys[i], b = keys[j];
    const bool a_nan = a != a, b_nan = b != b;
    if (a_nan || b_nan) {
        if (a_nan != b_nan) return a_nan ? 1 : -1;
    } else if (a != b) {
        return (a < b) != descending ? -1 : 1;
    }
    return i < j ? -1 : i > j;
}

bool sort_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    if (a->ndim == 0 || a->size > 300000) return false;
    const int axis = (int)random_below(r, a->ndim);
    const bool positions = a->exact && random_below(r, 2);
    const int64_t n = a->shape[axis];
    int64_t inner = 1;
    for (int d = axis + 1; d < a->ndim; d++) inner *= a->shape[d];
    descending = random_below(r, 2);
    *out = value_new(positions ? HEDDLE_INT64 : a->dtype, a->ndim, a->shape);
    if (positions)
        out->exact = true;
    else
        value_inherit(out, a);
    double *line = malloc(((size_t)n + 1) * sizeof *line);
    int64_t *order = malloc(((size_t)n + 1) * sizeof *order);
    keys = line;
    for (int64_t first = 0; first < a->size; first++) {
        if (first / inner % n != 0) continue;
        for (int64_t k = 0; k < n; k++) {
            line[k] = a->data[first + k * inner];
            order[k] = k;
        }
        qsort(order, (size_t)n, sizeof *order, compare);
        for (int64_t k = 0; k < n; k++)
            out->data[first + k * inner] = positions ? (double)order[k] : line[order[k]];
    }
    free(line);
    free(order);
    const struct heddle_sort_options o = {
        .axis = axis - a->ndim, .has_axis = true, .descending = descending};
    out->array = positions ? heddle_argsort_with(a->array, &o) : heddle_sort_with(a->array, &o);
    return true;
}
