/* Kernels compiled for this processor by a C compiler, if the machine has one. */
#ifndef HEDDLE_FAMILIES_KERNEL_CPU_COMPILE_H
#define HEDDLE_FAMILIES_KERNEL_CPU_COMPILE_H

#include "families/kernel/kernel.h"

/* Elements first to end - 1 of a part. */
typedef void kernel_function(const int64_t *slots, int64_t first, int64_t end);

/* The program compiled, NULL: it is interpreted. A compiler is run only if the work, in operations, is worth the wait, or
 * if HEDDLE_CC names one. */
kernel_function *heddle__kernel_compiled(const struct heddle_kernel_program *program, double work);

/* operations.h as text. */
extern const char heddle__kernel_operations[];

#endif
