/* Kernels of the user's: one from text between two neighbours, and those of the examples where several devices share them. */
#ifndef KERNELS_H
#define KERNELS_H

#include <stdint.h>

/* kernel(3 a, b) + 1 of n float32, where kernel is (x - y) * (x - y) from text. The peers' three steps are the same. */
void run_text_fused(const char *name, int64_t n);

/* Reductions of n float32 from text: the sum of absolute values, and the least value with its place, as a commutative operation
 * or, _ordered, as one that may not be. */
void run_reduction(const char *name, int64_t n);
void run_reduction_pair(const char *name, int64_t n);

/* n x n points of the Mandelbrot set, 256 rounds at most. */
void run_mandelbrot(const char *name, int64_t n);
/* n paths of 64 steps each. */
void run_paths(const char *name, int64_t n);
/* The median of 3 x 3 neighbours, ten times, of n x n float32: a raw kernel over parts, with a halo. */
void run_median(const char *name, int64_t n);
/* Four steps of n bodies, float64: a raw kernel over parts that reads all bodies. */
void run_n_body(const char *name, int64_t n);

#endif
