/* How CUDA cuts the sums of products with a small result and long sums. */
#ifndef HEDDLE_FAMILIES_MATMUL_KERNEL_THIN_H
#define HEDDLE_FAMILIES_MATMUL_KERNEL_THIN_H

#include "families/matmul/kernel.h"

enum heddle_thin_way {
    HEDDLE_THIN_NOT, /* the product has enough tiles, or too little to do, or more than one batch index */
    HEDDLE_THIN_GEMM,   /* slices are the batches of a gemm; `rest` terms are left over */
    HEDDLE_THIN_ACROSS, /* with a vector; consecutive threads have consecutive rows of the matrix */
    HEDDLE_THIN_ALONG,  /* with a vector; the lanes of a warp have consecutive terms of one row */
    HEDDLE_THIN_ROWS /* with a vector; many rows with short sums, which are not cut: no partial results */
};

/* Slices of `length` terms, which give a partial result each, [slices][m][n]. With a vector the last one may be
 * shorter. ROWS: no slices; `length` threads have a row, a power of two up to 32. */
struct heddle_thin_cut {
    enum heddle_thin_way way;
    int64_t slices, length, rest;
};

/* By the extents and strides alone: scratch is asked for before a device is known, and bits are those of any device
 * with the same BLAS. */
struct heddle_thin_cut heddle__thin_cut(const struct heddle_matmul *mm);

/* Of all partial results; 0 if the way is NOT. */
size_t heddle__thin_scratch(const struct heddle_matmul *mm);

#endif
