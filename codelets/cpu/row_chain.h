/* Chains of launches over the same rows (rows.h) on CPUs. */
#ifndef HEDDLE_CPU_ROW_CHAIN_H
#define HEDDLE_CPU_ROW_CHAIN_H

#include "kernels.h"

/* Runs the chain that begins with `first`. `team`: NULL for the caller alone. Errors: HEDDLE_ENOMEM. */
enum heddle_status heddle__cpu_rows(const struct heddle_launch *first, void *const buffers[],
                                    const union heddle_scalar constants[],
                                    struct heddle_team *team);

#endif
