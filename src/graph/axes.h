/* Axis arguments: negative ones count from the end. `name`: the public function's, without "heddle_". */
#ifndef HEDDLE_GRAPH_AXES_H
#define HEDDLE_GRAPH_AXES_H

#include "graph/infer.h"

#include <heddle/reduce.h>

/* Sets *axis to 0 <= axis < ndim. HEDDLE_EAXIS: out of range for this shape. */
enum heddle_status heddle__axis(const char *name, int axis, int ndim, const int64_t *shape,
                                int *out);
/* Sets bit d for each axis d given. HEDDLE_EAXIS: out of range; HEDDLE_EARG: one is given twice. */
enum heddle_status heddle__axes_mask(const char *name, int n, const int *axes,
                                     const heddle_array *a, unsigned *mask);
/* The same for .axes, else .axis, else all axes (also when `o` is NULL). */
enum heddle_status heddle__axes_option(const char *name, const struct heddle_reduce_options *o,
                                       const heddle_array *a, unsigned *mask);

#endif
