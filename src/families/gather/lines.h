/* Indices that are sums of numbers along axes: first + sum(step[d] * i[d]). */
#ifndef HEDDLE_FAMILIES_GATHER_LINES_H
#define HEDDLE_FAMILIES_GATHER_LINES_H

#include "array/map.h"
#include "graph/node.h"

struct heddle_line {
    int64_t first, step[HEDDLE_MAX_NDIM];
};

/* Whether the int32 or int64 array is such, by its operations, and each index is in 0 .. n-1: indices along axes, views, reshapes, casts and sums
 * of them. With `by_values` constants may be added and be factors, too, whose values are no part of a plan; and all may be in -n .. -1: the
 * line is that of 0 .. n-1. No number on the way overflows. May be called without the evaluation lock. */
bool heddle__find_indices(heddle_array *a, int64_t n, bool by_values, struct heddle_line *line);
/* Indices that follow one line from each border to the next along an axis: remainders (`(i + 1) % n`), what has bounds (`minimum(i + 1, n - 1)`),
 * or `i - 1`, whose first index is the last one. Index i of the axis is in the first run whose `end` is beyond it; `line` counts from index 0 of the array on. */
enum { HEDDLE_MOST_RUNS = 4 };
struct heddle_runs {
    int axis; /* -1: along none */
    int n;
    int64_t end[HEDDLE_MOST_RUNS];
    struct heddle_line line[HEDDLE_MOST_RUNS];
};
/* As heddle__find_indices with `by_values`, of indices in -n .. n-1; the runs' are in 0 .. n-1. A single line of one axis is one run. */
bool heddle__find_runs(heddle_array *a, int64_t n, struct heddle_runs *runs);

/* The axis along which it has more than one number; -1: none; HEDDLE_MAX_NDIM: there are several. */
int heddle__line_axis(const struct heddle_line *line, int ndim, const int64_t *shape);

/* The line of a node that is read by `map` from other axes. */
struct heddle_line heddle__line_through(const struct heddle_line *of, const struct heddle_map *map);

/* An array of these indices, none of which is negative, whose operations alone tell the line; owned. NULL: memory is gone. */
heddle_array *heddle__make_line_of(const struct heddle_line *line, int ndim, const int64_t *shape);

#endif
