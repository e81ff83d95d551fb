/* Building blocks of expressions. Each gives an owned reference that no scope knows, or NULL with
 * this thread's error set; the public function hands its result on with heddle__hand_out. The
 * caller has checked shapes and dtypes.
 *
 * What they keep: the inputs of a MAP have its shape (a CONSTANT may be 0-d) and its in_dtype; a VIEW
 * is never over a VIEW; a node of no elements is a CONSTANT or DATA. */
#ifndef HEDDLE_GRAPH_MAKE_H
#define HEDDLE_GRAPH_MAKE_H

#include "graph/infer.h"
#include "graph/node.h"

/* Gives `owned` to the innermost scope or the caller; when it is NULL, an array of this thread's error. */
heddle_array *heddle__hand_out(heddle_array *owned);
/* Sets HEDDLE_ENOMEM as this thread's error and gives NULL. */
heddle_array *heddle__no_memory(void);

/* Whether every element is x->value: x is a constant, or was one until it was evaluated. */
bool heddle__is_constant(const heddle_array *x);

/* Every element is `value`, in `dtype`; strong. */
heddle_array *heddle__make_constant(union heddle_scalar value, enum heddle_dtype dtype, int ndim,
                                    const int64_t *shape);
heddle_array *heddle__make_zeros(enum heddle_dtype dtype, int ndim, const int64_t *shape);
/* x converted as astype does, or x itself; strong. */
heddle_array *heddle__make_cast(heddle_array *x, enum heddle_dtype dtype);
/* `owned` as `dtype`, in its place; NULL stays NULL. */
heddle_array *heddle__recast(heddle_array *owned, enum heddle_dtype dtype);
/* The elements of x that the map reads, as an array of `shape`; strong. */
heddle_array *heddle__make_view(heddle_array *x, const struct heddle_map *map, int ndim,
                                const int64_t *shape);
/* The axes of x with axis `from` moved to place `to`. */
heddle_array *heddle__make_moved_axis(heddle_array *x, int from, int to);
heddle_array *heddle__make_broadcast(heddle_array *x, int ndim, const int64_t *shape);
/* only_ones_differ: whether `shape` is x's but for axes of extent 1. make_ones: x with that shape. */
bool heddle__only_ones_differ(const heddle_array *x, int ndim, const int64_t *shape);
heddle_array *heddle__make_ones(heddle_array *x, int ndim, const int64_t *shape);
/* The elements of x in C order, in a shape that has as many. */
heddle_array *heddle__make_reshape(heddle_array *x, int ndim, const int64_t *shape);
/* x cut and placed by `grid`, whose reference moves in; NULL: as the planner likes. */
heddle_array *heddle__make_distribute(heddle_array *x, struct heddle_grid *grid);
/* 0, 1, ..., extent - 1 as int64. */
heddle_array *heddle__make_index(int64_t extent);
/* op of operands[i] converted to dtypes[i] and broadcast to `shape`. */
heddle_array *heddle__make_map(enum heddle_op op, enum heddle_dtype in_dtype,
                               enum heddle_dtype dtype, const struct heddle_shape *shape, int n,
                               heddle_array *const operands[], const enum heddle_dtype dtypes[]);
/* x's operation on other operands, of `shape`: `kind` is what x was when its own were looked at, MAP or CAST. */
heddle_array *heddle__make_same(const heddle_array *x, enum heddle_node_kind kind,
                                const struct heddle_shape *shape, int n,
                                heddle_array *const operands[], const enum heddle_dtype dtypes[]);
/* inputs[0], which may be NULL, with inputs[i], i >= 1, written over it at landings[i]. The inputs are
 * borrowed; the caller leaves out those without elements. */
heddle_array *heddle__make_assemble(enum heddle_dtype dtype, int ndim, const int64_t *shape, int n,
                                    heddle_array *const inputs[],
                                    const struct heddle_landing landings[]);

#endif
