/* What the files share that plan searches. */
#ifndef HEDDLE_FAMILIES_SEARCH_H
#define HEDDLE_FAMILIES_SEARCH_H

#include "families/search/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__search_family;

/* Parameters of a node over (sorted, values), which have one dtype. */
struct heddle_search_params {
    int64_t right;
};

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__search_cut(struct heddle_planner *p, int32_t at);

#endif
