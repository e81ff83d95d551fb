/* Kernels compiled for this processor by a C compiler, if the machine has one. */
#ifndef HEDDLE_FAMILIES_KERNEL_CPU_COMPILE_H
#define HEDDLE_FAMILIES_KERNEL_CPU_COMPILE_H

#include "families/kernel/kernel.h"

/* Elements first to end - 1 of a part. */
typedef void kernel_function(const int64_t *slots, int64_t first, int64_t end);

/* The program compiled, NULL: it is interpreted. A compiler is run only if the work, in operations, is worth the wait, or
 * if HEDDLE_CC names one. */
kernel_function *heddle__kernel_compiled(const struct heddle_kernel_program *program, double work);

/* Where compiled kernels are kept, NULL: nowhere; filled by src/run. */
extern const char *(*heddle__kernel_folder)(void);

/* Compiles a source (heddle__kernel_source) with a compiler of this name to a shared object: its bytes, which
 * heddle__free frees. NULL: there is no such compiler, it failed, or it took too long. */
char *heddle__kernel_run_compiler(const char *compiler, const char *source, size_t *size);

/* operations.h as text. */
extern const char heddle__kernel_operations[];

#endif
