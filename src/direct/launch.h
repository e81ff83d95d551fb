/* The launch of a plan that was traced: memory, kernels, copies, results. */
#ifndef HEDDLE_DIRECT_LAUNCH_H
#define HEDDLE_DIRECT_LAUNCH_H

#include "direct/trace.h"
#include "run/execute.h"
#include "run/workers.h"

/* A GPU of the trace's world during the launch. */
struct heddle_direct_gpu {
    struct heddle_worker *worker;
    int64_t bytes, scratch_bytes;
    void *scratch;
    uint64_t begin, end; /* marks; begin: only if something is sent to it */
    uint64_t waits_for;  /* bit i: its stream waits for GPU i's `begin` already */
};

struct heddle_direct_launch {
    struct heddle_direct_trace trace;
    const struct heddle_bindings *bindings;
    struct heddle_fault *fault; /* of the result, if kernels report about data; or NULL */
    bool interpreted;
    struct heddle_direct_gpu gpus[HEDDLE_MAX_GPUS];
    union heddle_scalar constants[HEDDLE_DIRECT_CONSTANTS];
};

/* The part that a slot of an input is: of its storage, or of the one whose data that is. */
static inline struct heddle_part *heddle__direct_input(const struct heddle_direct_launch *l,
                                                       int64_t slot)
{
    const struct heddle_plan *plan = l->trace.plan;
    const int32_t index = plan->arrays[plan->slots[slot].array].index;
    return &heddle__storage_root(l->bindings->inputs[index])->parts[plan->slots[slot].part];
}

/* Runs it; before, the trace's inputs must be leased, and gpus[].worker set. False: there is no room. */
bool heddle__direct_run(struct heddle_direct_launch *l, struct heddle_storage *results[],
                        enum heddle_status *status);

#endif
