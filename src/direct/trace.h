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
    /* Where a GPU keeps a copy of a box of a part of an input, since an earlier launch; NULL: it keeps none. NULL as a
     * function: nothing is kept. */
    void *(*kept)(const void *context, int32_t input, int64_t part, const struct heddle_box *box,
                  int gpu);
    /* Whether copies for that GPU of an input's boxes, so many bytes, may be kept; not NULL if `kept` is not. */
    bool (*may_keep)(const void *context, int32_t input, int64_t size_bytes, int gpu);
    /* Whether kernels of a GPU may read what is in another one's memory; NULL: none may. */
    bool (*reaches)(const void *context, int gpu, int other);
    /* Whether a plan without inputs is best done on that GPU. */
    bool (*is_fastest)(const void *context, const struct heddle_plan *plan, int gpu);
    const void *context;
};

/* A slot of the plan. */
struct heddle_direct_slot {
    int64_t last_write; /* the last task that writes it; -1: none does */
    int16_t gpu;        /* index in the world: where it is, or is made; -1: not known yet */
    bool is_copied, is_ours;
    bool is_kept; /* since an earlier launch, at `at`: it is not made */
    void *at;
};

/* The copy of a slot for a GPU that reads what is on another one; or that it is read there. */
struct heddle_direct_copy {
    int32_t slot;
    int16_t to;
    bool is_kept;     /* since an earlier launch, at `at`: it is not sent */
    bool is_keepable; /* it may be kept for later launches: it is of an input */
    bool is_there;    /* no copy: kernels read the other GPU's memory */
    bool is_awaited;  /* the stream of `to` waits for it */
    void *at;
    uint64_t mark; /* of the GPU that sends it */
    uint64_t read; /* is_there: mark of the GPU that reads it, behind its last reader so far */
};

struct heddle_direct_trace {
    const struct heddle_plan *plan;
    const struct heddle_direct_world *world;
    uint64_t gpus; /* bit i: GPU i of the world takes part */
    int n_copies;
    int64_t copied_bytes, most_bytes; /* that are sent; and of these that are sent in each launch */
    bool reads_pieces; /* of large parts, in other GPUs' memory: StarPU would send all of these */
    int16_t gpu_of[HEDDLE_DIRECT_TASKS];
    bool is_skipped[HEDDLE_DIRECT_TASKS];                 /* what the task would make is kept */
    struct heddle_direct_slot slots[HEDDLE_DIRECT_SLOTS]; /* [plan->n_slots] */
    struct heddle_direct_copy copies[HEDDLE_DIRECT_COPIES];
};

/* Fills `trace`, which may be uninitialised. False: it cannot be launched directly. */
bool heddle__direct_trace(struct heddle_direct_trace *trace, const struct heddle_plan *plan,
                          const struct heddle_direct_world *world);
/* What box of which part of an input a slot has: its own, or that which a halo was cut out of. False: it has none. */
bool heddle__direct_box(const struct heddle_direct_trace *trace, int64_t slot,
                        struct heddle_plan_halo *out);
/* The copy of a slot for `gpu`; NULL: there is none. */
struct heddle_direct_copy *heddle__direct_copy(struct heddle_direct_trace *trace, int64_t slot,
                                               int gpu);

#endif
