/* What the files share that plan counts by bin, and the operation for functions that are made of it. */
#ifndef HEDDLE_FAMILIES_HISTOGRAM_H
#define HEDDLE_FAMILIES_HISTOGRAM_H

#include "families/histogram/kernel.h"
#include "graph/family.h"

enum { HEDDLE_HISTOGRAM_CHUNK = 1 << 14 }; /* chunks have multiples of so many elements */

extern const struct heddle_family_info heddle__histogram_family;

/* Parameters of a node over (in[, edges][, weights]), each of one axis; its shape is (chunks, bins). */
struct heddle_histogram_params {
    int64_t bins, chunk;
    int32_t by_edges, uniform, weighted, unused;
};

/* How many elements of `in` are in each bin (kernel.h), int64, or the sums of their weights, float64. `edges` and
 * `weights` may be NULL, `in` has elements. The innermost scope's or the caller's. */
heddle_array *heddle__histogram(heddle_array *in, heddle_array *edges, bool uniform,
                                heddle_array *weights, int64_t bins);

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__histogram_cut(struct heddle_planner *p, int32_t at);

#endif
