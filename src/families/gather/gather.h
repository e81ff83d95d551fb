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

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__gather_cut(struct heddle_planner *p, int32_t at);

#endif
