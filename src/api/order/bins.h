/* Edges of bins, for functions that count by them. */
#ifndef HEDDLE_API_ORDER_BINS_H
#define HEDDLE_API_ORDER_BINS_H

#include "graph/node.h"

#include <heddle/histogram.h>

/* The edges that the options ask for: of one axis, floating unless they are the caller's. The innermost scope's, or in
 * error. It evaluates what it must. */
heddle_array *heddle__bin_edges(const char *name, heddle_array *a,
                                const struct heddle_histogram_options *o);

#endif
