/* What the files share that plan cumulative sums, products and extremes. */
#ifndef HEDDLE_FAMILIES_SCAN_H
#define HEDDLE_FAMILIES_SCAN_H

#include "families/scan/kernel.h"
#include "graph/family.h"

extern const struct heddle_family_info heddle__scan_family;

/* Parameters of a node: in[0] is of the result's dtype. */
struct heddle_scan_params {
    int32_t axis, operation, initial, columns; /* columns: the order (kernel.h) */
};

/* As in struct heddle_family_info (scratch.c). */
size_t heddle__scan_scratch(const void *arguments, int n_threads);
/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__scan_cut(struct heddle_planner *p, int32_t at);

#endif
