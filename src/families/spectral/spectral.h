/* What the files share that plan eigenvalues and singular values. */
#ifndef HEDDLE_FAMILIES_SPECTRAL_H
#define HEDDLE_FAMILIES_SPECTRAL_H

#include "families/spectral/kernel.h"
#include "graph/family.h"

/* One for each number of results; all have the same kernels. */
extern const struct heddle_family_info heddle__spectral_family, heddle__spectral_pair_family,
    heddle__spectral_triple_family;

/* Parameters of a node over matrices (..., rows, columns), of kernel.h's form. */
struct heddle_spectral_params {
    int32_t operation, upper, full, unused;
};

/* The results of matrices of floating or complex dtype, in kernel.h's form, which have elements: a new reference to each.
 * False: memory is gone. */
bool heddle__spectral(enum heddle_spectral_operation operation, heddle_array *a, bool upper,
                      bool full, heddle_array *results[]);
/* Adds the tasks that compute value `at` (cut.c). */
bool heddle__spectral_cut(struct heddle_planner *p, int32_t at);
/* Floating-point operations for one matrix, roughly. */
double heddle__spectral_flops(int operation, int64_t rows, int64_t columns, bool is_complex);

#endif
