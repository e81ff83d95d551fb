/* A plan: all tasks of one evaluation, as a plain value. It holds no data, no pointers to arrays and
 * no constants, so that every evaluation of equal structure uses the same one, from a cache.
 *
 * Arrays of the plan are its inputs (data that the graph's leaves hold), results (of the arrays
 * asked for) and temporaries. Each is cut by a grid; a part is stored compactly in C order in a
 * buffer of its own, its slot. Arrays may be the data of another one, their owner, under another
 * shape or with other places: only owners have slots. Tasks are in an order that respects their
 * dependences, which follow from the slots that they read and write.
 *
 * While a plan is made (build/) arrays, steps, tasks, uses and calls are appended; finish.h then
 * computes once what every executor asks: slots with their births and deaths, scratch, memory. */
#ifndef HEDDLE_PLAN_PLAN_H
#define HEDDLE_PLAN_PLAN_H

#include "array/grid.h"
#include "graph/family.h"

#include "kernels.h"

enum heddle_plan_role { HEDDLE_ROLE_INPUT, HEDDLE_ROLE_RESULT, HEDDLE_ROLE_TEMPORARY };

struct heddle_plan_array {
    enum heddle_plan_role role;
    int32_t index;            /* INPUT: of the walk's leaves; RESULT: of the walk's results */
    uint8_t dtype;            /* HEDDLE_DTYPE_NONE: elements of no dtype, of so many bytes */
    int32_t element_bytes;    /* > 0 */
    struct heddle_grid *grid; /* a reference; its shape is the array's */
    int32_t owner;            /* the array whose data it is, part by part; itself for most. What is
                                 another's is never written under its own name */
    bool on_host;             /* an input's, all of it in host memory */
    bool fresh;               /* INPUT: on_host, and cut by this plan first */
    bool partial;             /* what tasks leave for others to combine: no value of the graph */
    int64_t first_slot;       /* finished: of its part 0, the owner's; others follow by number */
    int32_t kept_as; /* finished: the result whose storage has its data; -1: an input's has,
                                 or it dies with the evaluation */
};

enum heddle_mode {
    HEDDLE_READ = 1,
    HEDDLE_WRITE = 2,
    HEDDLE_READ_WRITE = 3,
    HEDDLE_COMMUTE = 4, /* with READ_WRITE: in any order with others that commute */
};

/* One buffer of a task: a part of an owner. */
struct heddle_plan_use {
    int32_t array;
    int32_t part;
    int64_t slot;       /* finished */
    uint8_t mode;       /* enum heddle_mode, bits */
    bool is_sent;       /* READ: it comes here from another place's send_to */
    heddle_place place; /* where the part lives, by the array that was named */
    heddle_place
        send_to; /* where the part goes next, as soon as it is made (WRITE) or has come here
                             (READ); ANYWHERE: nowhere */
};

/* Kernel calls applied one after the other on one device. */
struct heddle_plan_task {
    int64_t first_call, first_use;
    int32_t n_calls, n_uses;
    double flops, bytes;   /* for the cost model */
    int32_t step;          /* which step it belongs to */
    int32_t priority;      /* of those that are ready the highest goes first; 0: in order */
    heddle_place place;    /* where it runs; HEDDLE_ANYWHERE: where it costs least */
    int64_t scratch_bytes; /* finished: on a GPU, the most of a call */
    int64_t touched_bytes; /* finished: of its buffers */
};

/* What a group of tasks, one a part, computes: for printing and statistics. */
struct heddle_plan_step {
    const struct heddle_family_info *family;
    const struct heddle_program *program; /* of programs: the main one */
    char name[48];                        /* "exp+3 -> sum": traces show it */
    int64_t first_task, n_tasks;
    int32_t n_nodes; /* recorded operations that it covers */
    bool asked;      /* it computes what the user distributed: what it moves is meant to move */
};

/* The memory of a part. */
struct heddle_plan_slot {
    int32_t array; /* an owner */
    int32_t part;
    int64_t bytes;
    int64_t first_task,
        last_task;  /* that use it: temporaries are born and die there; -1: none does */
    int64_t offset; /* of a temporary among all, each at a multiple of 64 bytes */
};

struct heddle_plan {
    atomic_int refs;
    uint64_t hash; /* of the signature */
    int32_t n_arrays, n_inputs, n_results;
    int32_t n_constants; /* of the walk: the first constants of an evaluation ... */
    int32_t n_literals;  /* ... and those that the plan itself adds after them */
    int32_t n_objects;   /* of the walk */
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
    double flops, bytes; /* of all tasks */

    /* finished */
    struct heddle_plan_slot *slots;
    int64_t n_slots;
    int64_t result_bytes;    /* of the storages that it makes */
    int64_t temporary_bytes; /* of all temporaries, with padding */
    int64_t peak_bytes;      /* the most of temporaries at once when tasks run in order */
    int64_t largest_task_bytes;

    struct heddle_arena *arena;             /* owns what calls point to */
    const struct heddle_program **programs; /* a reference each */
    int64_t n_programs;
    struct heddle_cpu_memo **memos; /* [n_calls], or NULL: the inline executor's, of each call */
};

struct heddle_plan *heddle__plan_retain(struct heddle_plan *plan);
void heddle__plan_release(struct heddle_plan *plan); /* NULL is ignored */

/* Whether an array is a temporary that no result keeps. */
static inline bool heddle__plan_is_temporary(const struct heddle_plan_array *array)
{
    return array->role != HEDDLE_ROLE_INPUT && array->kept_as < 0;
}
static inline bool heddle__plan_owns(const struct heddle_plan *plan, int32_t array)
{
    return plan->arrays[array].owner == array;
}
/* Bytes of all elements of an array. */
int64_t heddle__plan_array_bytes(const struct heddle_plan_array *array);

#endif
