/* Building blocks of expressions. Each gives an owned reference that no scope knows, or NULL with
 * this thread's error set; the public function hands its result on with heddle__hand_out. Arguments
 * are right already: shapes and dtypes are checked by the caller.
 *
 * What they keep: the inputs of a MAP have its shape (a CONSTANT may be 0-d) and its in_dtype; a VIEW
 * is never over a VIEW; a node of no elements is a CONSTANT or DATA. */
#ifndef HEDDLE_GRAPH_MAKE_H
#define HEDDLE_GRAPH_MAKE_H

#include "graph/infer.h"
#include "graph/node.h"

/* For the scope or the caller: `owned`, or an array of this thread's error when it is NULL. */
heddle_array *heddle__hand_out(heddle_array *owned);
/* NULL, with the error "heddle_name: out of memory"... */
heddle_array *heddle__no_memory(void);

/* Whether every element is x->value: a constant, or one that was evaluated since. */
bool heddle__is_constant(const heddle_array *x);

/* Every element is `value`, in `dtype`; strong. */
heddle_array *heddle__make_constant(union heddle_scalar value, enum heddle_dtype dtype, int ndim,
                                    const int64_t *shape);
heddle_array *heddle__make_zeros(enum heddle_dtype dtype, int ndim, const int64_t *shape);
/* x, or its conversion as astype does; strong. */
heddle_array *heddle__make_cast(heddle_array *x, enum heddle_dtype dtype);
/* The map walks x and gives an array of `shape`; strong. */
heddle_array *heddle__make_view(heddle_array *x, const struct heddle_map *map, int ndim,
                                const int64_t *shape);
heddle_array *heddle__make_broadcast(heddle_array *x, int ndim, const int64_t *shape);
/* x with axes of extent 1 added and removed; false extents: not such a shape (NULL, no error set). */
bool heddle__only_ones_differ(const heddle_array *x, int ndim, const int64_t *shape);
heddle_array *heddle__make_ones(heddle_array *x, int ndim, const int64_t *shape);
/* The elements in C order under a shape of as many. */
heddle_array *heddle__make_reshape(heddle_array *x, int ndim, const int64_t *shape);
/* x cut and placed by `grid`, whose reference moves in; NULL: as the planner likes. */
heddle_array *heddle__make_distribute(heddle_array *x, struct heddle_grid *grid);
/* The index along its one axis, int64. */
heddle_array *heddle__make_index(int64_t extent);
/* op of operands[i] converted to dtypes[i] and broadcast to `shape`. */
heddle_array *heddle__make_map(enum heddle_op op, enum heddle_dtype in_dtype,
                               enum heddle_dtype dtype, const struct heddle_shape *shape, int n,
                               heddle_array *const operands[], const enum heddle_dtype dtypes[]);
/* Boxes inputs[i] at landings[i], i >= 1, over inputs[0], which may be NULL. The inputs are only
 * borrowed; those of no elements are left out by the caller. */
heddle_array *heddle__make_assemble(enum heddle_dtype dtype, int ndim, const int64_t *shape, int n,
                                    heddle_array *const inputs[],
                                    const struct heddle_landing landings[]);

#endif
