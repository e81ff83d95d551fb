/* What the files that plan small systems share. A node's matrices are row-major, as in kernel_systems.h. */
#ifndef HEDDLE_FAMILIES_FACTOR_SYSTEMS_H
#define HEDDLE_FAMILIES_FACTOR_SYSTEMS_H

#include "families/factor/factor.h"
#include "families/factor/kernel_systems.h"

extern const struct heddle_family_info heddle__systems_family, heddle__pivots_family;

struct heddle_systems_params {
    int32_t what, name; /* enum heddle_systems_what, enum heddle_factor_name */
};

bool heddle__systems_cut(struct heddle_planner *p, int32_t at);
/* Floating-point operations of a system, roughly. */
double heddle__systems_flops(int64_t n, int64_t columns);

#endif
