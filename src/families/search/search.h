/* What the files share that plan searches. */
#ifndef HEDDLE_FAMILIES_SEARCH_H
#define HEDDLE_FAMILIES_SEARCH_H

#include "families/search/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__search_family;

/* Parameters of a node over (sorted, values), which have one dtype; LINE: (sorted, values, heights), float64. */
struct heddle_search_params {
    int64_t what; /* enum heddle_search_what */
};

/* The operation on a sorted row and values, neither empty, of what has an order, which become `dtype`; `heights`: of LINE
 * alone. An array of the innermost scope. */
heddle_array *heddle__search(enum heddle_search_what what, enum heddle_dtype dtype,
                             heddle_array *sorted, heddle_array *values, heddle_array *heights);

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__search_cut(struct heddle_planner *p, int32_t at);

#endif
