/* Where the axes of an array are cut, and the pieces between the cuts. */
#ifndef HEDDLE_GRAPH_CUTS_H
#define HEDDLE_GRAPH_CUTS_H

#include "array/map.h"

#include <stdbool.h>

enum { HEDDLE_MOST_PIECES = 16 }; /* along an axis */

struct heddle_cuts {
    int ndim, n[HEDDLE_MAX_NDIM];
    int64_t at[HEDDLE_MAX_NDIM][HEDDLE_MOST_PIECES + 1]; /* at[d][0] is 0, at[d][n[d]] the extent */
};

/* One piece. */
void heddle__cuts_begin(struct heddle_cuts *c, int ndim, const int64_t *shape);
/* Cuts axis d at an index from 0 to the extent, if it is not. False: there would be too many pieces. */
bool heddle__cut_at(struct heddle_cuts *c, int d, int64_t at);
int64_t heddle__n_pieces(const struct heddle_cuts *c);
/* Piece i in C order. */
struct heddle_box heddle__piece(const struct heddle_cuts *c, int64_t i);

#endif
