/* Counts by bin: one element after the other, its bin by comparing it with each edge. */
#include "families/cases.h"

#include <stdlib.h>
#include <string.h>

/* -1: it has none. */
static int64_t bin_of(double x, const double *edges, int64_t bins)
{
    for (int64_t k = 0; k < bins; k++)
        if (x >= edges[k] && (x < edges[k + 1] || (k == bins - 1 && x == edges[k + 1]))) return k;
    return -1;
}

/* Edges that are uniform to the last bit, or others. */
static void random_edges(struct random *r, bool uniform, int64_t bins, double *edges)
{
    edges[0] = (double)random_below(r, 40) - 20;
    const double step = (double)(1 + random_below(r, 5)) / 4;
    for (int64_t k = 1; k <= bins; k++)
        edges[k] =
            uniform ? edges[0] + (double)k * step : edges[k - 1] + (double)random_below(r, 9) / 4;
}

bool histogram_case(struct random *r, const struct value *a, const struct value *b,
                    struct value *out)
{
    if (!a->exact || a->size == 0 || a->size > 300000) return false;
    const bool weighted = b->exact && b->ndim == a->ndim && b->size == a->size &&
                          memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0 &&
                          value_largest(b) < 1e6 && random_below(r, 2);
    const bool uniform = random_below(r, 2);
    int64_t bins = 1 + random_below(r, random_below(r, 4) ? 40 : 700);
    double *edges = malloc((size_t)(bins + 1) * sizeof *edges);
    random_edges(r, uniform, bins, edges);
    *out = value_new(weighted ? b->dtype : HEDDLE_INT64, 1, &bins);
    if (weighted && b->dtype == HEDDLE_BOOL) out->dtype = HEDDLE_FLOAT64;
    out->exact = true;
    double *sum = calloc((size_t)bins, sizeof *sum);
    for (int64_t i = 0; i < a->size; i++) {
        const int64_t k = bin_of(a->data[i], edges, bins);
        if (k >= 0) sum[k] += weighted ? b->data[i] : 1;
    }
    for (int64_t k = 0; k < bins; k++) out->data[k] = value_round(out->dtype, sum[k]);
    if (weighted && value_is_float(b->dtype)) {
        out->exact = false; /* by chunks */
        out->spread = 1e-9 + value_epsilon(out->dtype);
    }
    heddle_array *weights = weighted ? b->array : NULL;
    const int64_t n = bins + 1;
    heddle_array *given = uniform ? NULL : heddle_asarray(edges, HEDDLE_FLOAT64, 1, &n);
    if (uniform)
        heddle_histogram(a->array, &out->array, NULL, .bins = bins, .low = edges[0],
                         .high = edges[bins], .has_range = true, .weights = weights);
    else
        heddle_histogram(a->array, &out->array, NULL, .edges = given, .weights = weights);
    free(edges);
    free(sum);
    return true;
}
