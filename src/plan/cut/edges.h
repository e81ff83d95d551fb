/* Reductions of operands whose parts end elsewhere than those of the iteration: slices, neighbours, rows that are no whole
 * chunks. Most of each part reads one part of each operand; of the rest, the edges, what it reads is brought together. */
#ifndef HEDDLE_PLAN_CUT_EDGES_H
#define HEDDLE_PLAN_CUT_EDGES_H

#include "plan/cut/cut.h"

/* A piece of a part of the iteration: from lo to hi along the axis that is cut. */
struct heddle_edge {
    int64_t part, lo, hi;
    struct heddle_operand
        *operands; /* of an edge: what it reads instead, for each operand; NULL: the same */
};

struct heddle_edges {
    int axis;
    int64_t
        n; /* pieces, in the order of parts; 0: each part reads one part of each operand, or too much would be edges */
    struct heddle_edge *at;
};

/* Finds them, and makes the steps that bring together what edges read. Pieces end at multiples of `unit`. False: memory is
 * gone. */
bool heddle__edges_find(struct heddle_planner *p, const struct heddle_builder *b,
                        const struct heddle_grid *iteration, int64_t unit, struct heddle_edges *e);
/* The iteration with a part for each piece, where its part is. NULL: memory is gone. */
struct heddle_grid *heddle__edges_grid(struct heddle_planner *p,
                                       const struct heddle_grid *iteration,
                                       const struct heddle_edges *e);
/* What piece `i` reads becomes the builder's operands; called again, it gives these back. */
void heddle__edges_swap(const struct heddle_edges *e, int64_t i, struct heddle_builder *b);

#endif
