/* The order of a reduction, the same for every executor, partition and schedule, so that results
 * are bitwise the same. It depends on the extents of the reduced axes and on the program alone.
 *
 * 1. The reduced axes are cut into chunks (heddle__reduce_chunks): axes after `split_axis` whole,
 *    `split_rows` (a power of two) indices of it, one index of each reduced axis before it. Chunks are numbered
 *    row-major. Within a chunk elements are numbered row-major, 0..n-1.
 * 2. A chunk of n elements is reduced
 *    - SEQUENTIAL (programs with `sequential`, for which the innermost axis is kept), or n <=
 *      HEDDLE_TREE_SHORT: left to right, ((e0 + e1) + e2) + ...;
 *    - LANES otherwise: L = HEDDLE_TREE_LANES lanes, fewer if n is smaller: the least power of two
 *      >= n. Lane l takes e(l), e(l + L), e(l + 2L), ... left to right. Then for half = L/2, L/4,
 *      ..., 1: lane l takes lane l + half, for l < half, where that lane has any element.
 * 3. The partials of the n_chunks chunks, in order, are reduced as a chunk by LANES (or left to
 *    right if n_chunks <= HEDDLE_TREE_SHORT). One chunk: its partial is the result.
 * An element is what its row of reductions.def makes of it, `element`; mostly itself. An accumulator
 * starts as its first element (not as identity + element: 0 + -0.0 is 0). The accumulator is always
 * the left operand. A reduction of no elements is the identity. */
#ifndef HEDDLE_CODELETS_REDUCE_TREE_H
#define HEDDLE_CODELETS_REDUCE_TREE_H

#include "program.h"

enum {
    HEDDLE_TREE_LANES = 1024,
    HEDDLE_TREE_LANES_CHUNK = 65536,
    HEDDLE_TREE_SEQUENTIAL_CHUNK = 256,
    HEDDLE_TREE_SHORT = 16,
};

/* Few long chunks would keep few multiprocessors of a GPU busy: then several blocks share the lanes of each. */
enum {
    HEDDLE_TREE_SHARES = 32,         /* blocks of a chunk */
    HEDDLE_TREE_SHARED_CHUNK = 8192, /* its elements, at least */
    HEDDLE_TREE_MOST_SHARED = 64,    /* chunks of a launch, at most */
    HEDDLE_TREE_COSTLY_FLOPS = 16,   /* the same of elements that take longer than their loads */
    HEDDLE_TREE_COSTLY_CHUNK = 32768,
    HEDDLE_TREE_MOST_COSTLY = 512,
};
/* How many chunks a launch has whose lanes may be shared; 0: they may not. */
int64_t heddle__shared_chunks(const struct heddle_launch *launch);

/* Sets split_axis, split_rows and n_chunks of `g` from its ndim, n_kept, whole and extent. The box
 * must start at a multiple of split_rows on split_axis and span the reduced axes after it. */
void heddle__reduce_chunks(struct heddle_geometry *g, int sequential);
/* Elements of a chunk; the last one of a group may have fewer. The reduced box has an axis. */
int64_t heddle__chunk_size(const struct heddle_geometry *g);
/* The geometry of a whole reduction over `extent`, kept axes first. */
struct heddle_geometry heddle__reduce_geometry(int ndim, int n_kept, const int64_t *extent,
                                               int sequential);

#endif
