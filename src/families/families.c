/* The table of all families, by number. */
#include "families/families.h"

#define HEDDLE_FAMILY(ID, name) extern const struct heddle_family_info heddle__##name##_family;
#include "families.def"
#undef HEDDLE_FAMILY

const struct heddle_family_info *const heddle__families[HEDDLE_N_FAMILIES] = {
#define HEDDLE_FAMILY(ID, name) [HEDDLE_FAMILY_##ID] = &heddle__##name##_family,
#include "families.def"
#undef HEDDLE_FAMILY
};
