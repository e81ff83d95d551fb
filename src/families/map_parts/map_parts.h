/* What the files share that plan functions of the user's over the parts of an array. */
#ifndef HEDDLE_FAMILIES_MAP_PARTS_H
#define HEDDLE_FAMILIES_MAP_PARTS_H

#include "families/map_parts/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__map_parts_family;

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__map_parts_cut(struct heddle_planner *p, int32_t at);

#endif
