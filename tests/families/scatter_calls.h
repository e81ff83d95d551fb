/* Random calls of the kernels that write by position, and what they must do. */
#ifndef HEDDLE_TESTS_FAMILIES_SCATTER_CALLS_H
#define HEDDLE_TESTS_FAMILIES_SCATTER_CALLS_H

#include "families/scatter/kernel.h"

/* Of 0..n-1. */
int64_t scatter_below(int64_t n);
/* A part of an array of up to three axes before those of a row, any dtype, up to `most` updates; buffers 0 to 3 are in,
 * positions, values, out. */
void scatter_call(struct heddle_scatter *s, int64_t most);
/* Good positions, many of them equal. */
void scatter_positions(const struct heddle_scatter *s, int64_t *positions);
/* Elements: integers of all bits, numbers whose sums round. */
void scatter_random(enum heddle_dtype dtype, char *to, size_t bytes);
/* What the call must make of `to`, which is the part already. */
void scatter_by_loop(const struct heddle_scatter *s, const int64_t *positions, const char *values,
                     char *to);

#endif
