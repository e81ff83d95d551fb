/* The kernels of all families: tables by number, made of codelets/families.def. */
#ifndef HEDDLE_FAMILIES_KERNEL_TABLES_H
#define HEDDLE_FAMILIES_KERNEL_TABLES_H

#include "kernels.h"

extern const struct heddle_cpu_kernel *const heddle__cpu_kernels[HEDDLE_N_FAMILIES];
extern const struct heddle_cuda_kernel *const heddle__cuda_kernels[HEDDLE_N_FAMILIES];

#endif
