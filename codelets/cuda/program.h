/* What launches of single programs and of chains (rows/) share: parameters, counters, the interpreter. */
#ifndef HEDDLE_CUDA_PROGRAM_H
#define HEDDLE_CUDA_PROGRAM_H

#include "kernels.h"

/* {multiplier, shift} for hd_quotient: n / d of 0 <= n < 2^31. */
int64_t heddle__cuda_magic(int64_t d);
/* Writes the constants of a launch to parameter slots from `at` on; returns where they end. */
int64_t *heddle__cuda_pack_constants(int64_t *at, const struct heddle_launch *launch,
                                     const union heddle_scalar constants[]);
/* Whether kernels are compiled; else the interpreter runs everything. */
bool heddle__cuda_compiles(void);
void heddle__cuda_count(int n_kernels, int n_interpreted);
/* As heddle__cuda_program, but nothing is compiled for it. */
enum heddle_status heddle__cuda_interpret(const struct heddle_launch *launch, void *const buffers[],
                                          const union heddle_scalar constants[], void *scratch,
                                          void *stream);

#endif
