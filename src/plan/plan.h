/* A plan: all tasks of one evaluation, as a plain value. It holds no data, no pointers to arrays and
 * no constants, so that every evaluation of equal structure uses the same one, from a cache.
 *
 * Arrays of the plan are its inputs (data that the graph's leaves hold), results (of the arrays
 * asked for) and temporaries. Each is cut by a grid; a part is stored compactly in C order in a
 * buffer of its own. Tasks are in an order that respects their dependences, which follow from the
 * parts that they read and write. */
#ifndef HEDDLE_PLAN_PLAN_H
#define HEDDLE_PLAN_PLAN_H

#include "graph/node.h"
#include "plan/grid.h"

#include "kernels.h"

enum heddle_plan_role { HEDDLE_ROLE_INPUT, HEDDLE_ROLE_RESULT, HEDDLE_ROLE_TEMPORARY };

struct heddle_plan_array {
    enum heddle_plan_role role;
    int32_t index; /* INPUT: of the walk's leaves; RESULT: of the walk's results */
    uint8_t dtype;
    int32_t element_bytes;    /* of the dtype; 16 for partials of argmax */
    struct heddle_grid *grid; /* a reference; its shape is the array's */
    int32_t same_as;          /* >= 0: this array is that one's storage, part by part, under another
                                 shape or with other places; it is never written itself */
    int64_t last_task;        /* after it a temporary dies; -1: no task uses it */
    bool on_host;             /* an input's, all of it in host memory */
    bool fresh;               /* INPUT: on_host, and cut by this plan first */
    bool partial;             /* what reductions combine, not a value of the graph */
};

enum heddle_mode { HEDDLE_READ = 1, HEDDLE_WRITE = 2, HEDDLE_READ_WRITE = 3 };

/* One buffer of a task. */
struct heddle_plan_use {
    int32_t array;
    int32_t part;
    enum heddle_mode mode;
    heddle_place place; /* where the part lives, by the array that was named */
    heddle_place
        send_to;  /* where the part goes next, as soon as it is made (WRITE) or has come here
                             (READ); ANYWHERE: nowhere */
    bool is_sent; /* READ: it comes here from such a place */
};

/* Kernel calls applied one after the other on one device. */
struct heddle_plan_task {
    int64_t first_call, first_use;
    int32_t n_calls, n_uses;
    double flops, bytes; /* for the cost model */
    int32_t step;        /* which step it belongs to */
    heddle_place place;  /* where it runs; HEDDLE_ANYWHERE: where it costs least */
};

/* What a group of tasks, one a part, computes: for printing and statistics. */
struct heddle_plan_step {
    enum heddle_family family;
    const struct heddle_program *program; /* of PROGRAM: the main one */
    char name[48];                        /* "exp+3 -> sum": codelet instances show it */
    int64_t first_task, n_tasks;
    int32_t n_nodes; /* recorded operations that it covers */
    bool asked;      /* it computes what the user distributed: what it moves is meant to move */
};

struct heddle_plan {
    atomic_int refs;
    uint64_t hash; /* of the signature */
    int32_t n_arrays, n_inputs, n_results;
    int32_t n_constants; /* of the walk: the first constants of an evaluation ... */
    int32_t n_literals;  /* ... and those that the plan itself adds after them */
    union heddle_scalar *literals;
    struct heddle_plan_array *arrays;
    int32_t *results; /* [n_results]: plan array of each */
    struct heddle_plan_step *steps;
    struct heddle_plan_task *tasks;
    struct heddle_plan_use *uses;
    struct heddle_kernel_call *calls;
    int64_t n_steps, n_tasks, n_uses, n_calls;
    bool run_inline; /* small, and all inputs are of one part in host memory */
    bool
        waits_for_data; /* tasks at GPUs read what is in host memory, or goes along a chain of GPUs */
    double flops, bytes;                    /* of all tasks */
    struct heddle_arena *arena;             /* owns what calls point to */
    const struct heddle_program **programs; /* a reference each */
    int64_t n_programs;
    struct heddle_cpu_memo **memos; /* [n_calls], or NULL: the inline path's, of each call */
};

/* ---- The walk: a graph in topological order ---------------------------------------------------- */

/* What evaluating `roots` touches. Leaves are DATA nodes, in order of first visit. */
struct heddle_walk {
    int64_t n, capacity;
    heddle_array **nodes; /* operands before users; leaves and constants included */
    int32_t n_leaves, n_constants, n_results;
    heddle_array **leaves;
    heddle_array **constants;
    heddle_array **results; /* the roots that are to be computed, each once */
    uint64_t *signature;    /* structure, shapes, partitions; no values */
    int64_t n_signature;
    /* capacities of the above */
    int64_t leaf_room, constant_room, result_room, signature_room, stack_room;
    heddle_array **stack;
    int32_t *stack_next;
    bool updates;  /* there is an array of a box over a base */
    bool gives;    /* leaves that are `dying` may be overwritten */
    bool *dying;   /* [n_leaves] */
    int32_t *held; /* [n] */
    int64_t dying_room, held_room;
};

/* Fills `walk` (zeroed, or used before: its memory is reused). Under the evaluation lock. DATA roots
 * are left out. An error below a root is an error of the walk: that node's code and text are set.
 * Errors: HEDDLE_ENOMEM. */
enum heddle_status heddle__walk(struct heddle_walk *walk, int n, heddle_array *const roots[]);
void heddle__walk_free(struct heddle_walk *walk);

/* Dying leaves: nobody will be able to see them once the walk's one root is evaluated. Sets
 * walk->dying; false when there is none, or none would be overwritten. Under the evaluation lock. */
bool heddle__walk_find_dying(struct heddle_walk *walk);
/* The plan may overwrite those that are still set: part of the signature. False: none is. */
bool heddle__walk_give_dying(struct heddle_walk *walk);

/* ---- Making ------------------------------------------------------------------------------------- */

/* The plan of a walk, from the cache or made and cached: a reference. Pure: reads structure, shapes
 * and the grids of leaves (heddle__storage_grid), never data. Under the evaluation lock.
 * NULL and this thread's error when memory is gone. */
struct heddle_plan *heddle__plan_get(const struct heddle_walk *walk,
                                     const struct heddle_policy *policy, bool *was_cached);
/* The same with no cache, for tests and explain. */
struct heddle_plan *heddle__plan_make(const struct heddle_walk *walk,
                                      const struct heddle_policy *policy);
struct heddle_plan *heddle__plan_retain(struct heddle_plan *plan);
void heddle__plan_release(struct heddle_plan *plan);
void heddle__plan_cache_clear(void); /* also forgets interned programs that no plan uses */

/* As text: programs, partitions, tasks. *text is to be freed with heddle__free. */
enum heddle_status heddle__plan_text(const struct heddle_plan *plan, char **text);

#endif
