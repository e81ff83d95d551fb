/* Whether a plan can be launched directly, where each of its tasks then runs, and where each part is: a
 * function of the plan and of where its inputs are, which needs no device. */
#ifndef HEDDLE_DIRECT_TRACE_H
#define HEDDLE_DIRECT_TRACE_H

#include "base/machine.h"
#include "plan/plan.h"

enum {
    HEDDLE_DIRECT_TASKS = 256,
    HEDDLE_DIRECT_ARRAYS = 1024,
    HEDDLE_DIRECT_SLOTS = 512,
    HEDDLE_DIRECT_COPIES = 256,
    HEDDLE_DIRECT_CONSTANTS = 2048,
};

/* What the trace asks about the machine and the storages of inputs. */
struct heddle_direct_world {
    int n_gpus; /* how many can take part, at most HEDDLE_MAX_GPUS */
    heddle_place place[HEDDLE_MAX_GPUS];
    /* Whether only direct launches may still write an input, and it is cut as the plan says. */
    bool (*is_quiet)(const void *context, int32_t input, const struct heddle_grid *grid);
    /* Whether a GPU, an index of place[], has the value of a part of an input. Part -1 is the only one; false
     * if there are several. */
    bool (*is_on)(const void *context, int32_t input, int64_t part, int gpu);
    /* Whether only direct launches know of the part: it may be updated in place. */
    bool (*is_own)(const void *context, int32_t input, int64_t part);
    /* Whether a plan without inputs is best done on that GPU. */
    bool (*is_fastest)(const void *context, const struct heddle_plan *plan, int gpu);
    const void *context;
};

/* A slot of the plan. */
struct heddle_direct_slot {
    int64_t last_write; /* the last task that writes it; -1: none does */
    int16_t gpu;        /* index in the world: where it is, or is made; -1: not known yet */
    bool is_copied, is_ours;
    void *at;
};

/* The copy of a slot for a GPU that reads what is on another one. */
struct heddle_direct_copy {
    int32_t slot;
    int16_t to;
    bool is_awaited; /* the stream of `to` waits for it */
    void *at;
    uint64_t mark; /* of the GPU that sends it */
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

/* Fills `trace`, which may be uninitialised. False: it cannot be launched directly. */
bool heddle__direct_trace(struct heddle_direct_trace *trace, const struct heddle_plan *plan,
                          const struct heddle_direct_world *world);
/* The copy of a slot for `gpu`; NULL: there is none. */
struct heddle_direct_copy *heddle__direct_copy(struct heddle_direct_trace *trace, int64_t slot,
                                               int gpu);

#endif
