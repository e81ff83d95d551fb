/* What the files of direct launches share: direct.c decides where, launch.c does it, leases.c holds the
 * data. */
#ifndef HEDDLE_RUNTIME_DIRECT_H
#define HEDDLE_RUNTIME_DIRECT_H

#include "runtime/handles.h"

enum {
    HEDDLE_DIRECT_TASKS = 64,
    HEDDLE_DIRECT_ARRAYS = 32,
    HEDDLE_DIRECT_SLOTS = 256,
    HEDDLE_DIRECT_COPIES = 64,
    HEDDLE_DIRECT_CONSTANTS = 256,
};

struct heddle_direct_gpu {
    struct heddle_worker *worker;
    int number; /* the worker's */
    int64_t bytes, scratch_bytes;
    void *scratch;
    uint64_t begin, end; /* marks; begin: of those that are sent something */
    uint64_t waits_for;  /* bit i: its stream waits for gpu i's begin already */
};

/* A part of an array that has data of its own. */
struct heddle_direct_slot {
    int64_t bytes;
    int64_t last_write; /* the task; -1: none */
    int32_t array, part;
    int16_t gpu; /* number in gpus[]: where it is or is made; -1: not known */
    bool is_copied, is_ours;
    void *at;
};

/* A slot for a GPU that reads what another one made. */
struct heddle_direct_copy {
    int32_t slot;
    int16_t to;
    bool is_awaited; /* by the stream of `to` */
    void *at;
    uint64_t mark; /* of the GPU that made it */
};

struct heddle_direct {
    struct heddle_plan *plan;
    struct heddle_storage *const *inputs;
    int n_gpus, n_slots, n_copies;
    int64_t copied_bytes;
    bool interpreted;
    struct heddle_direct_gpu gpus[HEDDLE_MAX_GPUS];
    int16_t gpu_of[HEDDLE_DIRECT_TASKS];
    int32_t first[HEDDLE_DIRECT_ARRAYS]; /* slot of an array's part 0 */
    struct heddle_direct_slot slots[HEDDLE_DIRECT_SLOTS];
    struct heddle_direct_copy copies[HEDDLE_DIRECT_COPIES];
    union heddle_scalar constants[HEDDLE_DIRECT_CONSTANTS];
};

/* ---- launch.c ---------------------------------------------------------------------------------------- */

/* The part of a storage, or of another's that it is, that a slot of an input's is. */
static inline struct heddle_part *heddle__direct_input(const struct heddle_direct *l,
                                                       const struct heddle_direct_slot *slot)
{
    const int32_t index = l->plan->arrays[slot->array].index;
    return &heddle__storage_root(l->inputs[index])->parts[slot->part];
}
struct heddle_direct_slot *heddle__direct_slot(struct heddle_direct *l,
                                               const struct heddle_plan_use *use);
/* Of what another GPU made; NULL: there is none. */
struct heddle_direct_copy *heddle__direct_copy(struct heddle_direct *l,
                                               const struct heddle_direct_slot *slot, int gpu);
/* Runs what has been traced: memory, kernels, copies, results. False: there is no room. */
bool heddle__direct_launch(struct heddle_direct *l, const union heddle_scalar constants[],
                           struct heddle_storage *results[], enum heddle_status *status);

/* ---- leases.c ---------------------------------------------------------------------------------------- */

/* Whether a worker's GPU has a part as it is, and direct launches there may use it. */
bool heddle__part_is_on(const struct heddle_part *part, int worker);
/* Its address there: StarPU's copy stays from now on. NULL: there is no room for a lease. Under the
 * evaluation lock. */
void *heddle__part_lease(struct heddle_storage *storage, int64_t part, int worker);
/* A direct launch on the worker began; the time is counted once somebody has waited. */
void heddle__direct_began(struct heddle_worker *worker, double start_us);

#endif
