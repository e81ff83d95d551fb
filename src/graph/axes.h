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
/* An option `axis`: sets *axis to it or, if it is not given, to `otherwise`. HEDDLE_EAXIS; HEDDLE_EARG: it is
 * set, but has_axis is not. */
enum heddle_status heddle__axis_option(const char *name, bool has_axis, int given, int otherwise,
                                       const heddle_array *a, int *axis);
/* Options `axis` and `axes`: sets bit d for each axis d given, or all bits if none is. HEDDLE_EAXIS;
 * HEDDLE_EARG: both are given, or malformed. */
enum heddle_status heddle__axes_option(const char *name, bool has_axis, int axis,
                                       const struct heddle_axes *axes, const heddle_array *a,
                                       unsigned *mask);

#endif
