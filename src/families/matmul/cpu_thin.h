/* Products with a small result and long sums. */
#ifndef HEDDLE_FAMILIES_MATMUL_CPU_THIN_H
#define HEDDLE_FAMILIES_MATMUL_CPU_THIN_H

#include "families/matmul/cpu_blas.h"

/* Computes the product if it is such a one, by so many threads of the team. False: it is not, or memory is gone; nothing is
 * computed. */
bool heddle__thin_product(const struct heddle_blas_product *product, const struct heddle_matmul *mm,
                          const char *a, const char *b, char *c, int n_threads,
                          struct heddle_team *team);

#endif
