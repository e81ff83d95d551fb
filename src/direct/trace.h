/* Whether a plan can be launched directly, and where each of its tasks then runs and each part is: a pure
 * function of the plan and of where its inputs are, tested with no device. */
#ifndef HEDDLE_DIRECT_TRACE_H
#define HEDDLE_DIRECT_TRACE_H

#include "base/machine.h"
#include "plan/plan.h"

enum {
    HEDDLE_DIRECT_TASKS = 64,
    HEDDLE_DIRECT_ARRAYS = 32,
    HEDDLE_DIRECT_SLOTS = 256,
    HEDDLE_DIRECT_COPIES = 64,
    HEDDLE_DIRECT_CONSTANTS = 256,
};

/* What the trace asks of the machine and of the inputs' storages. */
struct heddle_direct_world {
    int n_gpus; /* that can take part, at most HEDDLE_MAX_GPUS */
    heddle_place place[HEDDLE_MAX_GPUS];
    /* Whether nobody still writes an input but direct launches, and it is cut as the plan says. */
    bool (*is_quiet)(const void *context, int32_t input, const struct heddle_grid *grid);
    /* Whether a GPU, a number in place[], has a part of an input as it is; part -1: the only one, false
     * if there are several. */
    bool (*is_on)(const void *context, int32_t input, int64_t part, int gpu);
    /* Whether only direct launches know of the part: it may be updated in place. */
    bool (*is_own)(const void *context, int32_t input, int64_t part);
    /* Whether a plan without inputs is best done on that GPU. */
    bool (*is_fastest)(const void *context, const struct heddle_plan *plan, int gpu);
    const void *context;
};

/* A part of an array that has data of its own: a slot of the plan. */
struct heddle_direct_slot {
    int64_t last_write; /* the task; -1: none */
    int16_t gpu;        /* number in the world: where it is or is made; -1: not known */
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

struct heddle_direct_trace {
    const struct heddle_plan *plan;
    const struct heddle_direct_world *world;
    uint64_t gpus; /* bit i: GPU i of the world takes part */
    int n_copies;
    int64_t copied_bytes;
    int16_t gpu_of[HEDDLE_DIRECT_TASKS];
    struct heddle_direct_slot slots[HEDDLE_DIRECT_SLOTS]; /* [plan->n_slots] */
    struct heddle_direct_copy copies[HEDDLE_DIRECT_COPIES];
};

/* Fills all of `trace`, which may be uninitialised; false: not directly. */
bool heddle__direct_trace(struct heddle_direct_trace *trace, const struct heddle_plan *plan,
                          const struct heddle_direct_world *world);
/* Of what another GPU made; NULL: there is none. */
struct heddle_direct_copy *heddle__direct_copy(struct heddle_direct_trace *trace, int64_t slot,
                                               int gpu);

#endif
