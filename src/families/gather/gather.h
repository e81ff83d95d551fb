/* What the files share that plan elements by index. */
#ifndef HEDDLE_FAMILIES_GATHER_H
#define HEDDLE_FAMILIES_GATHER_H

#include "families/gather/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__gather_family;

/* Parameters of a node over (a, indices). `along` 0: the axes of the indices replace the axis; 1: indices
 * have the array's axes, and extents of 1 of either broadcast. */
struct heddle_gather_params {
    int32_t axis, along;
};

/* a[..., indices[0], ..., indices[1], ...] for the public function `name`, along axes in ascending order: integers,
 * broadcast together to axes that stand at `at` among the others of the result. The innermost scope's or the caller's. */
heddle_array *heddle__gather_by(const char *name, heddle_array *a, int n, const int axes[],
                                heddle_array *const indices[], int at);

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__gather_cut(struct heddle_planner *p, int32_t at);

#endif
