/* What the files share that plan sums over windows, and the operation for functions that are made of it. */
#ifndef HEDDLE_FAMILIES_WINDOW_H
#define HEDDLE_FAMILIES_WINDOW_H

#include "families/window/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__window_family;

/* Parameters of a node over (x, taps), each of one axis and of the node's dtype. */
struct heddle_window_params {
    int64_t first; /* where the window of result 0 begins in x; below 0: before it */
    int64_t turned;
};

/* The sums over the n windows of `x` that begin at first, first + 1, ..., each element times its tap (kernel.h), in the common dtype of
 * both; `turned`: the window's first element meets the last tap. `x` and `taps` have one axis and elements, and each window has an
 * element of `x`. Halves are summed in float32. The innermost scope's or the caller's. Cost: n times as many multiplications and
 * additions as there are taps. */
heddle_array *heddle__windows(heddle_array *x, heddle_array *taps, bool turned, int64_t first,
                              int64_t n);

/* As in struct heddle_family_info (cut.c). */
bool heddle__window_reads_view(const heddle_array *node, int i, const struct heddle_map *map,
                               const int64_t *shape);
/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__window_cut(struct heddle_planner *p, int32_t at);

#endif
