/* Factorisations and equations, float64, of well-conditioned matrices. */
#ifndef FACTORS_H
#define FACTORS_H

#include <stdint.h>

/* n x n, by the name: cholesky_f64, lu_f64, qr_f64, solve_f64 (one right-hand side), inv_f64, cholesky_batched_f64 and
 * solve_batched_f64 (n matrices of 64 x 64); several_... on what devices there are; host_...: of a matrix in host memory. */
void run_factor(const char *name, int64_t n);

#endif
