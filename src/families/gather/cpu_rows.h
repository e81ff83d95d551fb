/* Rows of elements by index, whose code cpu_rows.c has for each instruction set. */
#ifndef HEDDLE_FAMILIES_GATHER_CPU_ROWS_H
#define HEDDLE_FAMILIES_GATHER_CPU_ROWS_H

#include "families/gather/kernel.h"

#include <stdbool.h>

/* A row of the box: where it begins, and its steps. From one element to the next, `in` moves on by in_step beside what
 * the indices say. Several short rows may be one, whose element k is in `in` at (k / period * in_jump + k % period * in_step),
 * and begins with k = number. */
struct heddle__gather_row {
    const char *in, *index[HEDDLE_MAX_NDIM];
    char *out;
    int64_t in_step, out_step, step[HEDDLE_MAX_NDIM];
    int64_t number, period, in_jump; /* period 0: it is one row */
    size_t run_bytes; /* elements are runs of so many bytes; 0: they are elements of the call */
    bool whole;       /* every index in range is of an element that is here */
};

/* Takes the first n elements of a row. Gives n, or an element before which all indices are in range: after it there is one that is
 * not, and what elements from it on then have is undefined. */
typedef int64_t heddle__gather_rows(const struct heddle_gather *g, int64_t n,
                                    const struct heddle__gather_row *r);
heddle__gather_rows heddle__gather_rows_baseline, heddle__gather_rows_avx2,
    heddle__gather_rows_avx512;

#endif
