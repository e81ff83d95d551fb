/* Reductions of lines on which a wrong expression shows: of NaN alone and NaN anywhere, infinities, zeros
 * of both signs, ties, negative numbers, the least and the greatest. A line for each way to fill one,
 * reduced by several rows of reductions.def in one program. */
#ifndef HEDDLE_TESTS_KERNELS_SPECIAL_LINES_H
#define HEDDLE_TESTS_KERNELS_SPECIAL_LINES_H

#include "random_program.h"

enum { N_LINES = 14, LINES_TOGETHER = HEDDLE_MAX_REDUCTIONS };

/* Rows from..from+LINES_TOGETHER-1 of reductions.def that accept the dtype, over N_LINES lines of n elements; of columns
 * if `sequential`. Returns how many; 0: nothing was made. Runs and is freed as a random program. */
int lines_make(struct random_program *r, enum heddle_dtype dtype, int from, int64_t n,
               bool sequential);

#endif
