/* What the files share that plan writing by position. */
#ifndef HEDDLE_FAMILIES_SCATTER_H
#define HEDDLE_FAMILIES_SCATTER_H

#include "families/scatter/kernel.h"
#include "graph/family.h"

/* A node over (a, positions as int64, values of a's dtype, as many rows as there are positions). */
extern const struct heddle_family_info heddle__scatter_family;

struct heddle_scatter_params {
    int32_t add, name; /* enum heddle_indexing */
    int64_t row;       /* elements: those of some of the last axes */
};

/* `a` with rows of `row` elements, the product of its last extents, replaced by those of `values`, or added: the last
 * update of a row wins. Positions: kernel.h; as many rows as values have, not 0. The innermost scope's or the caller's. */
heddle_array *heddle__scatter(enum heddle_indexing name, heddle_array *a, heddle_array *positions,
                              heddle_array *values, int64_t row);

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__scatter_cut(struct heddle_planner *p, int32_t at);
/* As in struct heddle_family_info (scratch.c). */
size_t heddle__scatter_scratch(const void *arguments, int n_threads);

#endif
