/* Counts by bin: an operation that gives a row for each chunk, and the sum of the rows. Entry point:
 * heddle__histogram. */
#include "families/histogram/histogram.h"
#include "graph/make.h"
#include "graph/scope.h"

#include <heddle/reduce.h>

/* Rows cost a quarter of the elements at most, and there are many where elements are. */
static int64_t chunk_of(int64_t n, int64_t bins)
{
    enum { LEAST = HEDDLE_HISTOGRAM_CHUNK, MOST_CHUNKS = 1 << 10 };
    int64_t chunk = (n + MOST_CHUNKS - 1) / MOST_CHUNKS;
    if (chunk < LEAST) chunk = LEAST;
    if (chunk < 4 * bins) chunk = 4 * bins;
    return (chunk + LEAST - 1) / LEAST * LEAST;
}

static enum heddle_dtype counted_in(enum heddle_dtype dtype, const heddle_array *edges)
{
    if (edges) return (enum heddle_dtype)edges->dtype;
    if (dtype == HEDDLE_BOOL || heddle_dtype_size(dtype) < 4) return HEDDLE_INT32;
    return dtype == HEDDLE_INT32 ? HEDDLE_INT32 : HEDDLE_INT64;
}

heddle_array *heddle__histogram(heddle_array *in, heddle_array *edges, bool uniform,
                                heddle_array *weights, int64_t bins)
{
    const struct heddle_histogram_params params = {.bins = bins,
                                                   .chunk = chunk_of(in->size, bins),
                                                   .by_edges = edges != NULL,
                                                   .uniform = uniform,
                                                   .weighted = weights != NULL};
    const int64_t shape[2] = {(in->size + params.chunk - 1) / params.chunk, bins};
    struct heddle_scope_state scope;
    heddle__scope_enter(&scope);
    heddle_array *x[3];
    int n = 0;
    x[n++] = heddle__make_cast(in, counted_in((enum heddle_dtype)in->dtype, edges));
    if (edges) x[n++] = heddle__retain(edges);
    if (weights) x[n++] = heddle__make_cast(weights, HEDDLE_FLOAT64);
    heddle_array *rows = x[0] && x[n - 1]
                             ? heddle__make_operation(&heddle__histogram_family,
                                                      weights ? HEDDLE_FLOAT64 : HEDDLE_INT64, 2,
                                                      shape, n, x, &params, NULL)
                             : NULL;
    for (int i = 0; i < n; i++) heddle__release(x[i]);
    const struct heddle_reduce_options over_chunks = {
        .size = sizeof over_chunks, .axis = 0, .has_axis = true};
    return heddle__scope_leave(&scope, heddle_sum_with(heddle__hand_out(rows), &over_chunks));
}
