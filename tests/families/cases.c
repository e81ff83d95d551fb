#include "families/cases.h"

const struct family_cases families_cases[] = {
#define HEDDLE_FAMILY(ID, name) {#name, name##_case},
#include "families.def"
#undef HEDDLE_FAMILY
};
const int n_families_cases = (int)(sizeof families_cases / sizeof families_cases[0]);
