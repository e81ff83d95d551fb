/* The walk: what an evaluation touches of the graph, in topological order, with a signature of its
 * structure. Runs under the evaluation lock; reads structure, shapes and the grids of leaves, never
 * data. */
#ifndef HEDDLE_PLAN_WALK_H
#define HEDDLE_PLAN_WALK_H

#include "graph/family.h"

/* An array that is to be computed: a node, or an output of an operation that has several. */
struct heddle_walk_result {
    heddle_array *node;
    int32_t output; /* -1: the node itself */
};

/* What evaluating `roots` touches. Leaves are DATA nodes, in order of first visit. */
struct heddle_walk {
    int64_t n, capacity;
    heddle_array **nodes; /* operands before users; leaves and constants included */
    int32_t n_leaves, n_constants, n_objects, n_results;
    heddle_array **leaves;
    heddle_array **constants;
    int32_t *equal_constant; /* [n_constants]: the first one of the same value, dtype and shape */
    heddle_array **objects;  /* operations that have an object, in order */
    struct heddle_walk_result *results; /* each once: roots, and all outputs of what has several */
    uint64_t *signature; /* structure, shapes, partitions, which constants are equal; no values */
    int64_t n_signature;
    /* capacities of the arrays above */
    int64_t leaf_room, constant_room, equal_room, object_room, result_room, signature_room,
        stack_room;
    heddle_array **stack;
    int32_t *stack_next;
    int64_t repeated; /* how often nodes that are no leaves were walked before, all together */
    bool updates;     /* there is an ASSEMBLE over a base, or a family that updates */
    bool may_fail;    /* there is an operation that may fail for what its operands have */
    bool gives;       /* leaves that are `reusable` may be overwritten */
    bool *reusable;   /* [n_leaves] */
    int32_t *held;    /* [n] */
    int64_t reusable_room, held_room;
};

/* Fills `walk`, which is zeroed or was used before; then its memory is reused. Call it under the
 * evaluation lock. It leaves DATA roots out; outputs of a TUPLE become DATA. An error below a root is an
 * error of the walk, with that node's code and text. Errors: HEDDLE_ENOMEM. */
enum heddle_status heddle__walk(struct heddle_walk *walk, int n, heddle_array *const roots[]);
void heddle__walk_free(struct heddle_walk *walk);

/* What plans depend on of a DATA node beside its dtype and shape: how the data are cut, and where they are. */
enum { HEDDLE_LEAF_WORDS = 2 };
void heddle__leaf_words(const heddle_array *leaf, uint64_t words[HEDDLE_LEAF_WORDS]);

/* Finds the leaves that nobody will see once the walk's roots are evaluated, so that their storage may become a
 * result's (reuse.c). If an evaluation that overwrites them fails, none of the roots can be computed again. Sets walk->reusable; false when there are none, or none would be
 * overwritten. Call it under the evaluation lock. */
bool heddle__walk_find_reusable(struct heddle_walk *walk);
/* An array that the user holds, that the walk computes without keeping it, and that earlier walks computed so often
 * that keeping it costs less: evaluated first, it ends the repetition. NULL: none, or it is large beside the
 * host's memory (0: not known). Call it under the evaluation lock. */
heddle_array *heddle__walk_find_repeated(struct heddle_walk *walk, int64_t host_bytes);
/* Lets the plan overwrite those that are still set, and adds them to the signature. False: none is. */
bool heddle__walk_give_reusable(struct heddle_walk *walk);

#endif
