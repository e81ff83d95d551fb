/* Short axes that a reduction keeps, of work on pairs: `sum(d * w[:, :, None], axis=1)`, where w is computed of each pair
 * and d has three components. Index by index of that axis, it is several reductions over the same space, which the planner
 * makes one program of: w is computed where it is used, and never stored. The same of few outer products of many rows,
 * `sum(a[:, :, None] * b[:, None, :], axis=0)`: what they share is loaded once. */
#ifndef HEDDLE_GRAPH_COMPONENTS_H
#define HEDDLE_GRAPH_COMPONENTS_H

#include "graph/node.h"

/* A result each of one program, which has room for 24 operands. */
enum { HEDDLE_MOST_COMPONENTS = 4, HEDDLE_MOST_STACKED = 16 };

/* The axis of x, of 2 to HEDDLE_MOST_COMPONENTS indices, that a reduction of x over the axes of `mask` had better
 * take index by index; -1: none. It looks at no more than some dozens of nodes. */
int heddle__component_axis(heddle_array *x, unsigned mask);

/* x at `index` of `axis`, which is removed: an owned reference, or NULL with this thread's error set. Elementwise work is
 * done after the axis is removed, not before. */
heddle_array *heddle__make_component(heddle_array *x, int axis, int64_t index);

/* The operation that combines two elements of a reduction; HEDDLE_OP_NONE: none does. */
enum heddle_op heddle__combining(enum heddle_reduction reduction);

/* Of a reduction of x over `axis` alone: whether it has few elements, and x is elementwise work on arrays that are stacked
 * along that axis. Such elements are better combined one after the other: the stack is never stored. */
bool heddle__is_stacked(heddle_array *x, int axis);

/* The x->shape[axis] components of x, as heddle__make_component gives them, but inputs of stacks themselves and not views
 * of stacks: owned references. False: none, with this thread's error set. */
bool heddle__make_stacked(heddle_array *x, int axis, heddle_array *components[]);

#endif
