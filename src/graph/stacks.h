/* Elementwise work on an array that is stacked of others, of which what it is combined with is computed, too:
 * `n / sqrt(sum(n * n, axis=1))[:, None]`, where n is a stack of three components. Input by input of the stack it is several
 * operations over one space, which the planner makes one program of; the stack itself is never stored. */
#ifndef HEDDLE_GRAPH_STACKS_H
#define HEDDLE_GRAPH_STACKS_H

#include "graph/infer.h"
#include "graph/node.h"

/* Whether x is data, or a view of them, which it costs nothing to read index by index. */
bool heddle__is_seen_data(heddle_array *x);

/* Whether x is assembled of as many inputs as it has indices of `axis`, up to HEDDLE_MOST_STACKED, each of them one index. */
bool heddle__is_stacked_along(heddle_array *x, int axis);
/* That input of such an array, of extent 1 along `axis`: an owned reference; NULL: x is none any more. */
heddle_array *heddle__input_of_stack(heddle_array *x, int axis, int64_t index);

/* All of x at one index of `axis`, whose extent becomes 1: an owned reference, or NULL with this thread's error set. */
heddle_array *heddle__make_line(heddle_array *x, int axis, int64_t index);

/* n arrays of one dtype and shape, of extent 1 along `axis`, 1 <= n <= HEDDLE_MOST_STACKED, one after the other along it: an owned
 * reference, or NULL with this thread's error set. */
heddle_array *heddle__make_stack(int axis, int n, heddle_array *const inputs[]);

/* What heddle__make_map would make, as a stack of the operations on each input: an owned reference. NULL: no operand is such a
 * stack, or another one is neither free to read input by input nor the same for all. It looks at some dozens of nodes. */
heddle_array *heddle__make_map_of_stack(enum heddle_op op, enum heddle_dtype in_dtype,
                                        enum heddle_dtype dtype, const struct heddle_shape *shape,
                                        int n, heddle_array *const operands[],
                                        const enum heddle_dtype dtypes[]);

#endif
