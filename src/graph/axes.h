/* Axis arguments: negative ones count from the end. Names are without "heddle_". */
#ifndef HEDDLE_GRAPH_AXES_H
#define HEDDLE_GRAPH_AXES_H

#include "graph/infer.h"

#include <heddle/reduce.h>

/* 0 <= *axis < ndim of a shape that axis counts in. HEDDLE_EAXIS. */
enum heddle_status heddle__axis(const char *name, int axis, int ndim, const int64_t *shape,
                                int *out);
/* Bit d for each axis given, none twice. HEDDLE_EAXIS, HEDDLE_EARG. */
enum heddle_status heddle__axes_mask(const char *name, int n, const int *axes,
                                     const heddle_array *a, unsigned *mask);
/* The same of .axes, or .axis, or all when neither is given (or `o` is NULL). */
enum heddle_status heddle__axes_option(const char *name, const struct heddle_reduce_options *o,
                                       const heddle_array *a, unsigned *mask);

#endif
