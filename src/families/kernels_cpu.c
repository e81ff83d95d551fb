/* The CPU kernels of all families by number. */
#include "families/kernel_tables.h"

#define HEDDLE_FAMILY(ID, name) extern const struct heddle_cpu_kernel heddle__##name##_cpu;
#include "families.def"
#undef HEDDLE_FAMILY

const struct heddle_cpu_kernel *const heddle__cpu_kernels[HEDDLE_N_FAMILIES] = {
#define HEDDLE_FAMILY(ID, name) [HEDDLE_FAMILY_##ID] = &heddle__##name##_cpu,
#include "families.def"
#undef HEDDLE_FAMILY
};
