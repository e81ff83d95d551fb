/* Cuts of axes. Entry points: cuts.h. */
#include "graph/cuts.h"

#include <string.h>

void heddle__cuts_begin(struct heddle_cuts *c, int ndim, const int64_t *shape)
{
    c->ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        c->n[d] = 1;
        c->at[d][0] = 0;
        c->at[d][1] = shape[d];
    }
}

bool heddle__cut_at(struct heddle_cuts *c, int d, int64_t at)
{
    int i = 0;
    while (c->at[d][i] < at) i++;
    if (c->at[d][i] == at) return true;
    if (c->n[d] == HEDDLE_MOST_PIECES) return false;
    memmove(&c->at[d][i + 1], &c->at[d][i], (size_t)(c->n[d] + 1 - i) * sizeof(int64_t));
    c->at[d][i] = at;
    c->n[d]++;
    return true;
}

int64_t heddle__n_pieces(const struct heddle_cuts *c)
{
    int64_t n = 1;
    for (int d = 0; d < c->ndim; d++) n *= c->n[d];
    return n;
}

struct heddle_box heddle__piece(const struct heddle_cuts *c, int64_t i)
{
    struct heddle_box box = {{0}, {0}};
    for (int d = c->ndim - 1; d >= 0; i /= c->n[d--]) {
        box.lo[d] = c->at[d][i % c->n[d]];
        box.hi[d] = c->at[d][i % c->n[d] + 1];
    }
    return box;
}
