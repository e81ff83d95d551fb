/* Elements by index: what the files of the family share that plan them. */
#ifndef HEDDLE_FAMILIES_GATHER_H
#define HEDDLE_FAMILIES_GATHER_H

#include "families/gather/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__gather_family;

/* Parameters of a node over (a, indices). `along` 0: the axis becomes the indices' axes; 1: indices
 * have the array's axes, and those of extent 1 of either are as the other's. */
struct heddle_gather_params {
    int32_t axis, along;
};

/* Tasks that compute value `at` (cut.c). */
bool heddle__gather_cut(struct heddle_planner *p, int32_t at);

#endif
