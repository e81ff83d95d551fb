/* Running plans. All under the evaluation lock. */
#ifndef HEDDLE_RUN_EXECUTE_H
#define HEDDLE_RUN_EXECUTE_H

#include "array/parts.h"
#include "plan/policy/policy.h"
#include "plan/plan.h"

/* What an evaluation brings to a plan. */
struct heddle_bindings {
    struct heddle_storage *const *inputs; /* [n_inputs]: of the walk's leaves */
    const union heddle_scalar *constants; /* [n_constants]: the walk's values */
    struct heddle_object *const *objects; /* [n_objects]: the walk's */
};

/* How to partition on this machine with this configuration; it changes when the runtime starts or is
 * configured anew. NULL and this thread's error when a setting is malformed. */
const struct heddle_policy *heddle__policy(void);
/* For tests: plans are made for this machine instead, and run on the caller's thread, in memory that is
 * filled first, so that what no task writes shows; NULL: no more. And that machine; NULL: none is. */
void heddle__invent_machine(const struct heddle_policy *invented);
const struct heddle_policy *heddle__invented_machine(void);

/* Whether a plan needs no devices: it is small, or there is nothing that drives any. */
bool heddle__runs_here(const struct heddle_plan *plan);
/* Runs a plan: gives one new storage for each of its results, whose data may still be being computed.
 * Returns when everything is submitted; an inline plan is done then. On failure no result is given. */
enum heddle_status heddle__execute(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                   struct heddle_storage *results[]);

/* On the caller's thread (inline.c). */
enum heddle_status heddle__execute_inline(struct heddle_plan *plan,
                                          const struct heddle_bindings *bindings,
                                          struct heddle_storage *results[]);
void heddle__inline_close(void);

/* The constants of an evaluation with the plan's literals behind them, in `room` for that many. */
void heddle__all_constants(const struct heddle_plan *plan, const union heddle_scalar *constants,
                           union heddle_scalar *room);
/* The storage of result `i`, given those of the results that make one (their kept_as is themselves)
 * and the inputs: a reference; NULL when memory is gone. */
struct heddle_storage *heddle__result_storage(const struct heddle_plan *plan, int32_t i,
                                              const struct heddle_bindings *bindings,
                                              struct heddle_storage *const results[]);

/* HEDDLE_ENOMEM when the plan cannot fit; limits are of the machine (memory.c). */
enum heddle_status heddle__check_memory(const struct heddle_plan *plan);
/* What the plan moves between places though nobody asked for it: reported, or HEDDLE_EARG
 * (movement.c). */
enum heddle_status heddle__check_movement(const struct heddle_plan *plan);

/* ---- Kernel calls (dispatch.c) ------------------------------------------------------------------- */

/* One call on the CPU; scratch is allocated here. HEDDLE_EINTERNAL for an unknown family. */
enum heddle_status heddle__call_cpu(const struct heddle_kernel_call *call,
                                    struct heddle_kernel_context *k);
/* One call on the current CUDA device. */
enum heddle_status heddle__call_cuda(const struct heddle_kernel_call *call,
                                     struct heddle_kernel_context *k);
/* What calls from `first` on need of CUDA: kernels on their way. */
void heddle__prepare_calls(const struct heddle_plan *plan, int64_t first, int64_t n);
/* Where all calls of a task can run: HEDDLE_ON_ bits. */
unsigned heddle__task_devices(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                              struct heddle_object *const objects[]);

static inline int64_t heddle__use_bytes(const struct heddle_plan *plan,
                                        const struct heddle_plan_use *use)
{
    return plan->slots[use->slot].bytes;
}

#endif
