/* Searching in a sorted array: by counting what stands before a value; members, by looking at all. */
#include "families/cases.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    if (a != a || b != b) return (a != a) - (b != b);
    return (a > b) - (a < b);
}

bool search_case(struct random *r, const struct value *a, const struct value *b, struct value *out)
{
    (void)b;
    if (!a->exact || a->size == 0 || a->size > 300000) return false;
    const int64_t n = 1 + random_below(r, a->size > 3000 ? 40 : 300);
    const bool right = random_below(r, 2), is_float = value_is_float(a->dtype);
    double *row = malloc((size_t)n * sizeof *row); /* elements of a, so that many are found */
    for (int64_t i = 0; i < n; i++) {
        row[i] = a->data[random_below(r, a->size)];
        if (is_float && random_below(r, 20) == 0) row[i] = random_below(r, 2) ? NAN : -0.0;
    }
    qsort(row, (size_t)n, sizeof *row, compare);
    heddle_array *sorted = heddle_astype(heddle_asarray(row, HEDDLE_FLOAT64, 1, &n), a->dtype);
    const bool members = random_below(r, 3) == 0;
    *out = value_new(members ? HEDDLE_BOOL : HEDDLE_INT64, a->ndim, a->shape);
    out->exact = true;
    for (int64_t i = 0; i < a->size; i++) {
        int64_t before = 0;
        bool is_member = false;
        for (int64_t k = 0; k < n; k++) {
            const int order = compare(&row[k], &a->data[i]);
            before += order < 0 || (right && order == 0);
            is_member = is_member || row[k] == a->data[i];
        }
        out->data[i] = members ? (double)is_member : (double)before;
    }
    out->array = members
                     ? heddle_isin_with(a->array, sorted, NULL)
                     : heddle_searchsorted(sorted, a->array,
                                           .side = right ? HEDDLE_SIDE_RIGHT : HEDDLE_SIDE_LEFT);
    free(row);
    return true;
}
