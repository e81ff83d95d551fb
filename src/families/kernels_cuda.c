/* The CUDA kernels of all families by number. */
#include "families/kernel_tables.h"

#define HEDDLE_FAMILY(ID, name) extern const struct heddle_cuda_kernel heddle__##name##_cuda;
#include "families.def"
#undef HEDDLE_FAMILY

const struct heddle_cuda_kernel *const heddle__cuda_kernels[HEDDLE_N_FAMILIES] = {
#define HEDDLE_FAMILY(ID, name) [HEDDLE_FAMILY_##ID] = &heddle__##name##_cuda,
#include "families.def"
#undef HEDDLE_FAMILY
};
