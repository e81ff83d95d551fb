/* What the files share that plan writing by position. */
#ifndef HEDDLE_FAMILIES_SCATTER_H
#define HEDDLE_FAMILIES_SCATTER_H

#include "families/scatter/kernel.h"
#include "graph/family.h"

/* A node over (a, positions as int64, values of a's dtype: as many rows as there are positions, one, or one element). */
extern const struct heddle_family_info heddle__scatter_family;

struct heddle_scatter_params {
    int32_t add, name; /* enum heddle_indexing */
    int64_t row;       /* elements: those of some of the last axes */
};

/* `a` with rows of `row` elements, the product of its last extents, replaced by those of `values`, or added: the last
 * update of a row wins. Positions: kernel.h; as many rows as values have, not 0, or of one row or one element, which all
 * updates have. The innermost scope's or the caller's. */
heddle_array *heddle__scatter(enum heddle_indexing name, heddle_array *a, heddle_array *positions,
                              heddle_array *values, int64_t row);

/* How many elements of the values of a node an update has for itself; 0: all have the same. */
static inline int64_t heddle__scatter_per_update(const heddle_array *node)
{
    const int64_t row = ((const struct heddle_scatter_params *)heddle__params_of(node))->row;
    return node->in[2]->size == node->in[1]->size * row ? row : 0;
}
/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__scatter_cut(struct heddle_planner *p, int32_t at);
/* As in struct heddle_family_info (scratch.c). */
size_t heddle__scatter_scratch(const void *arguments, int n_threads);

#endif
