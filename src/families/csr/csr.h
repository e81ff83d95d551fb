/* What the files share that plan products of sparse matrices. */
#ifndef HEDDLE_FAMILIES_CSR_CSR_H
#define HEDDLE_FAMILIES_CSR_CSR_H

#include "families/csr/kernel.h"
#include "graph/family.h"

#include <heddle/sparse.h>

extern const struct heddle_family_info heddle__csr_family;

/* Parameters of a node over (data, indices, starts, x): where a distributed matrix is cut. */
struct heddle_csr_params {
    int64_t lanes, n_parts; /* parts: 1 if it is not distributed */
    int64_t row[HEDDLE_CSR_MAX_BOUNDS], entry[HEDDLE_CSR_MAX_BOUNDS];
};

/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__csr_cut(struct heddle_planner *p, int32_t at);

#endif
