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

/* What a temporary of one part is, if one task copies a box of an input's part into it for another place. Inputs do not
 * change: whoever keeps such a copy need not make it again. */
struct heddle_plan_halo {
    int32_t array; /* the input */
    int64_t part;
    heddle_place to;
    struct heddle_box box; /* in the array */
};

/* A part that begins within one of another array, in C order. */
struct heddle_plan_run {
    int32_t array, part;
    int64_t start; /* in elements */
};

struct heddle_plan_array {
    enum heddle_plan_role role;
    int32_t index;            /* INPUT: among the walk's leaves; RESULT: among its results */
    uint8_t dtype;            /* HEDDLE_DTYPE_NONE: elements of a size alone */
    int32_t element_bytes;    /* > 0 */
    struct heddle_grid *grid; /* a reference; its shape is the array's */
    int32_t owner;            /* the array that has its data, part by part; most own theirs. Tasks
                                 write under the owner's name only */
    bool on_host;             /* an input's data, all in host memory */
    bool fresh;               /* INPUT: on_host, and this plan is the first to cut it */
    bool is_file;   /* an input's data, in a mapped file: what is not read takes no memory */
    bool partial;   /* left by tasks for others to combine: no value of the graph */
    bool in_pieces; /* tasks read pieces of its parts, which are known only when they run */
    const struct heddle_plan_halo *halo; /* NULL: it is no such copy */
    /* NULL: its elements are those of the owner, in C order. Else of one part, as the owner: element i is the owner's
     * offset + sum(i[d] * stride[d]), maybe the same as another one's. Only programs read it. */
    const struct heddle_access *seen;
    /* NULL: part i is part i of the owner. Else where each part is: a run of an owner's part. Only programs read it. */
    const struct heddle_plan_run *runs;
    struct heddle_grid
        *like; /* a reference, with `runs`: how what follows it is cut; NULL: like itself */
    int64_t first_slot; /* finished: the owner's, of part 0; others follow by number */
    int32_t kept_as;    /* finished: the result whose storage gets its data; -1: an input has
                                 them, or they die with the evaluation */
};

enum heddle_mode {
    HEDDLE_READ = 1,
    HEDDLE_WRITE = 2,
    HEDDLE_READ_WRITE = 3,
    HEDDLE_COMMUTE = 4, /* with READ_WRITE: in any order with others of it */
};

/* One buffer of a task: a part of an owner. */
struct heddle_plan_use {
    int32_t array;
    int32_t part;
    int64_t slot;       /* finished */
    uint8_t mode;       /* enum heddle_mode, bits */
    bool is_sent;       /* READ: another use's send_to brings it here */
    heddle_place place; /* where the part of the array that was named lives */
    /* Where the part goes as soon as it is made (WRITE) or has come here (READ); ANYWHERE: nowhere. */
    heddle_place send_to;
};

/* Kernel calls that run one after the other on one device. */
struct heddle_plan_task {
    int64_t first_call, first_use;
    int32_t n_calls, n_uses;
    double flops, bytes; /* for the cost model */
    int32_t step;        /* which step it belongs to */
    int32_t priority;    /* the highest of those that are ready goes first; equal ones in order */
    int32_t weight;      /* as how many more than one it counts in chains that priorities follow */
    heddle_place place;  /* where it runs; HEDDLE_ANYWHERE: where it costs least */
    int64_t scratch_bytes; /* finished: on a GPU, the most that a call needs */
    int64_t touched_bytes; /* finished: of its buffers */
};

/* What a group of tasks, one for each part, computes: for printing and statistics. */
struct heddle_plan_step {
    const struct heddle_family_info *family;
    const struct heddle_program *program; /* the main one, if there are programs */
    char name[48];                        /* "exp+3 -> sum": traces show it */
    int64_t first_task, n_tasks;
    int32_t n_nodes; /* recorded operations that it covers */
    bool asked;      /* the user distributed what it computes, so what it moves is meant to move */
};

/* The memory of a part. */
struct heddle_plan_slot {
    int32_t array; /* an owner */
    int32_t part;
    int64_t bytes;
    int64_t first_task,
        last_task;  /* places, in the order of tasks, of those that use it: a temporary's
                                      birth and death; -1: none does */
    int64_t offset; /* of a temporary in memory for all: a multiple of 64 bytes */
};

struct heddle_plan {
    atomic_int refs;
    uint64_t hash; /* of the signature */
    int32_t n_arrays, n_inputs, n_results;
    int32_t n_constants; /* of the walk; an evaluation's constants begin with them, ... */
    int32_t n_literals;  /* ... and the plan's own follow */
    int32_t n_objects;   /* of the walk */
    union heddle_scalar *literals;
    struct heddle_plan_array *arrays;
    int32_t *results; /* [n_results]: the plan array of each */
    struct heddle_plan_step *steps;
    struct heddle_plan_task *tasks;
    struct heddle_plan_use *uses;
    struct heddle_kernel_call *calls;
    int64_t n_steps, n_tasks, n_uses, n_calls;
    bool run_inline;     /* small, with all inputs whole in host memory */
    bool wears;          /* if it runs inline, and often, a GPU would do it sooner */
    bool uses_team;      /* if it runs inline: enough work for more than the caller */
    bool waits_for_data; /* tasks at GPUs read from host memory, or what GPUs pass on */
    double flops, bytes; /* of all tasks */

    /* finished */
    int64_t *order; /* [n_tasks]: the order in which tasks run, few at a time; NULL: as they are */
    struct heddle_plan_slot *slots;
    int64_t n_slots;
    int64_t result_bytes;    /* of the storages that it makes for results */
    int64_t temporary_bytes; /* of all temporaries, with padding */
    int64_t peak_bytes;      /* of temporaries alive at once when tasks run in order */
    int64_t largest_task_bytes, largest_slot_bytes;

    struct heddle_arena *arena;             /* owns what calls point to */
    const struct heddle_program **programs; /* a reference each */
    int64_t n_programs;
    struct heddle_cpu_memo **memos; /* [n_calls], or NULL: what the inline executor keeps */
};

struct heddle_plan *heddle__plan_retain(struct heddle_plan *plan);
void heddle__plan_release(struct heddle_plan *plan); /* NULL is ignored */

/* Bytes of memory that a plan takes, programs and grids left out: others may have the same ones. */
int64_t heddle__plan_bytes(const struct heddle_plan *plan);

/* The i-th task to run. */
static inline int64_t heddle__plan_task_at(const struct heddle_plan *plan, int64_t i)
{
    return plan->order ? plan->order[i] : i;
}

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
