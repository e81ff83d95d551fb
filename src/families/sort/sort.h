/* What the files share that plan sorting. */
#ifndef HEDDLE_FAMILIES_SORT_H
#define HEDDLE_FAMILIES_SORT_H

#include "families/sort/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__sort_family;

/* Parameters of a node: along the last axis. */
struct heddle_sort_params {
    int32_t descending, positions;
};

/* As in struct heddle_family_info (scratch.c). */
size_t heddle__sort_scratch(const void *arguments, int n_threads);
/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__sort_cut(struct heddle_planner *p, int32_t at);

#endif
