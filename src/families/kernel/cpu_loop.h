/* Kernels on the CPU by a function of the program's own. */
#ifndef HEDDLE_FAMILIES_KERNEL_CPU_LOOP_H
#define HEDDLE_FAMILIES_KERNEL_CPU_LOOP_H

#include "families/kernel/kernel.h"

/* Runs it over elements first .. end - 1 of the part. */
void heddle__kernel_run_loop(const struct heddle_kernel_program *program,
                             const struct heddle_kernel_part *call, void *const buffers[],
                             int64_t first, int64_t end);

#endif
