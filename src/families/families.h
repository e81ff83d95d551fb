/* What the core knows of all families, by number. */
#ifndef HEDDLE_FAMILIES_FAMILIES_H
#define HEDDLE_FAMILIES_FAMILIES_H

#include "graph/family.h"

extern const struct heddle_family_info *const heddle__families[HEDDLE_N_FAMILIES];

#endif
