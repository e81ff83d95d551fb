/* What the files share that apply reductions from texts. */
#ifndef HEDDLE_API_REDUCE_H
#define HEDDLE_API_REDUCE_H

#include "api/kernels/kernels.h"

/* A reduction while it is recorded. What is left of an axis that is reduced is an extent of 1. Arrays are the scope's. */
struct kernel_reducing {
    heddle_kernel *kernel;
    struct heddle_arena *arena;
    const struct kernel_reduction *texts;
    struct heddle__kernel_call map, reduce, post, identity;
    struct heddle_shape shape; /* of the values */
    unsigned axes;             /* bit d: axis d is reduced */
    bool
        mapped; /* whether `values` are there; else they are the map of the inputs, element by element */
    heddle_array *values[KERNEL_MAX_ACCUMULATORS];
};

/* Records a tree over the shape; out[] is the scope's. */
enum heddle_status heddle__reduce_record(struct kernel_reducing *q, struct heddle__kernel_call *c,
                                         const struct heddle_shape *shape, heddle_array *out[]);

/* Reduces the mapped values by reductions that Heddle has. *done: whether it has them all; if not, nothing is made. */
enum heddle_status heddle__reduce_by_known(struct kernel_reducing *q, bool *done);
/* Whether the caller says so, or the text is an operator that is known to be commutative. */
bool heddle__reduce_commutes(const struct kernel_reduction *texts);
/* The first round as one kernel of loops over rows, where there is much data: many values become few, and so do the extents
 * of the shape. Nothing is done where that does not fit. */
enum heddle_status heddle__reduce_by_loop(struct kernel_reducing *q);
/* Reduces by rounds: neighbours first. No axis of `axes` is empty. */
enum heddle_status heddle__reduce_by_rounds(struct kernel_reducing *q);

#endif
