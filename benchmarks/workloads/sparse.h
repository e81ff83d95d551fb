/* Products of sparse matrices with a vector. */
#ifndef SPARSE_H
#define SPARSE_H

#include <stdint.h>

/* n rows of f64: five entries near the diagonal and at a distance (csr_band), or 32 all over (csr_spread). */
void run_csr(const char *name, int64_t n);

#endif
