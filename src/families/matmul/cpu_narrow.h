/* Products with a matrix of few rows and columns, as of a million points by a rotation. */
#ifndef HEDDLE_FAMILIES_MATMUL_CPU_NARROW_H
#define HEDDLE_FAMILIES_MATMUL_CPU_NARROW_H

#include "families/matmul/cpu_epilogue.h"

/* Computes C of one result after the other, each n_threads' rows in ranges, if it is such a product. False: it is not; nothing is
 * computed. Whether it is depends on the dtype, n, k and strides alone: the bits are the same for any number of rows. `epilogue`: NULL,
 * or done too. */
bool heddle__narrow_product(const struct heddle_matmul *mm, const char *a, const char *b, char *c,
                            int n_threads, struct heddle_team *team,
                            struct heddle_epilogue *epilogue);

#endif
