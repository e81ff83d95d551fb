/* Products whose operands the threads of a team bring into the order of their kernels together, each element once. */
#ifndef HEDDLE_FAMILIES_MATMUL_CPU_PACKED_H
#define HEDDLE_FAMILIES_MATMUL_CPU_PACKED_H

#include "families/matmul/cpu_epilogue.h"
#include "families/matmul/kernel_packed.h"

/* Computes the product if it is such a one, in scratch of heddle__packed_bytes. The bits are the same for any number of threads.
 * `epilogue`: NULL, or done too. False: it is not, or the instruction set has no kernels for it; nothing is computed. */
bool heddle__packed_product(const struct heddle_matmul *mm, const char *a, const char *b, char *c,
                            void *scratch, int n_threads, struct heddle_team *team,
                            struct heddle_epilogue *epilogue);

#endif
