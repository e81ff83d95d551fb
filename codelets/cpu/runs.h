/* How the elements of a block lie in an operand: in runs, of one stride each. */
#ifndef HEDDLE_CODELETS_CPU_RUNS_H
#define HEDDLE_CODELETS_CPU_RUNS_H

#include "cpu/interpreter.h"

/* The runs of a block: axes first..ndim-1 seen by one operand, merged from the inside. */
struct heddle__runs {
    int64_t n, stride; /* elements of a run, their stride */
    int64_t n_runs;
    int n_axes; /* over which runs repeat, the innermost first */
    int64_t extent[WALK_MAX_NDIM], step[WALK_MAX_NDIM];
    int64_t pad[WALK_MAX_NDIM]; /* the same in the block */
};

static inline void heddle__runs_find(struct heddle__runs *runs, const struct heddle__walk *walk,
                                     const int64_t *stride, int64_t rows)
{
    int d = walk->ndim - 1;
    runs->n = d == walk->first ? rows : walk->extent[d];
    runs->stride = stride[d];
    runs->n_runs = 1;
    runs->n_axes = 0;
    int64_t next = 1;
    for (d--; d >= walk->first; d--) {
        const int64_t extent = d == walk->first ? rows : walk->extent[d];
        next = walk->padded ? walk->pad[d] : next * walk->extent[d + 1];
        if (extent == 1) continue;
        if (runs->n_axes == 0 && next == runs->n &&
            (runs->n == 1 || stride[d] == runs->stride * runs->n)) {
            if (runs->n == 1) runs->stride = stride[d];
            runs->n *= extent;
            continue;
        }
        const int before = runs->n_axes - 1;
        runs->n_runs *= extent;
        if (before >= 0 && next == runs->pad[before] * runs->extent[before] &&
            stride[d] == runs->step[before] * runs->extent[before]) {
            runs->extent[before] *= extent;
            continue;
        }
        runs->extent[runs->n_axes] = extent;
        runs->pad[runs->n_axes] = next;
        runs->step[runs->n_axes++] = stride[d];
    }
}

/* Where a run begins: for the operand, and in the block. */
struct heddle__position {
    int64_t offset, number;
    int64_t at[WALK_MAX_NDIM];
};

static inline void heddle__runs_next(const struct heddle__runs *runs, struct heddle__position *p)
{
    for (int k = 0; k < runs->n_axes; k++) {
        p->offset += runs->step[k];
        p->number += runs->pad[k];
        if (++p->at[k] < runs->extent[k]) return;
        p->offset -= p->at[k] * runs->step[k];
        p->number -= p->at[k] * runs->pad[k];
        p->at[k] = 0;
    }
}

/* Brings them together: element number k to out + k. Where runs jump, and what is beside their elements belongs to other
 * runs, squares of both are turned over, so that a cache line is read once. */
void heddle__runs_gather(const struct heddle__runs *runs, const struct heddle__block_moves *moves,
                         int log2_size, void *out, const char *x);

#endif
