/* Products of integers, which BLAS has none of. */
#ifndef HEDDLE_FAMILIES_MATMUL_CPU_INTEGERS_H
#define HEDDLE_FAMILIES_MATMUL_CPU_INTEGERS_H

#include "families/matmul/cpu_epilogue.h"

/* Computes C; no extent is 0. `epilogue`: NULL, or done too where tiles are large enough. */
void heddle__integer_product(const struct heddle_matmul *mm, const char *a, const char *b, char *c,
                             struct heddle_team *team, struct heddle_epilogue *epilogue);

#endif
