/* How a GPU reads operands of a reduction that lie across: their neighbours in memory are not neighbours of the innermost reduced
 * axis, as of `sum(a * b.T)`. A thread then takes strips: a few neighbours along the axis that such operands lie along, for each index
 * of the others (decision 52). The planner asks, too: what is read so needs no copy. */
#ifndef HEDDLE_CODELETS_STRIPS_H
#define HEDDLE_CODELETS_STRIPS_H

#include "program.h"

#include <stdbool.h>

enum heddle_strips_kind {
    HEDDLE_STRIPS_NONE,
    HEDDLE_STRIPS_UNITS, /* neighbours are of different chunks: a block has as many chunks at once */
    HEDDLE_STRIPS_ROWS,  /* they are of one chunk, whose rows are whole */
};

struct heddle_strips {
    enum heddle_strips_kind kind;
    int axis;    /* of the box */
    int length;  /* elements of a strip: a power of two */
    int columns; /* ROWS: elements between two neighbours, in 256 */
};

/* Of a reduction; its geometry has its chunks. */
struct heddle_strips heddle__strips_of(const struct heddle_launch *launch);
/* Whether strips of `s` read operand k by its own order. */
bool heddle__strips_read(const struct heddle_strips *s, const struct heddle_launch *launch, int k);
/* ROWS: in how many passes a thread goes through its columns, as each has elements of other lanes of the tree. */
int heddle__strips_passes(int columns);

#endif
