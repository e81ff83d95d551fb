/* Runs plans. Call all of it under the evaluation lock. */
#ifndef HEDDLE_RUN_EXECUTE_H
#define HEDDLE_RUN_EXECUTE_H

#include "array/parts.h"
#include "plan/policy/policy.h"
#include "plan/plan.h"

/* Memory of a mapped file for the data of a result. */
struct heddle_given {
    void *at; /* NULL: there is none */
    struct heddle_mapping *mapping;
};

/* What an evaluation brings to a plan. */
struct heddle_bindings {
    struct heddle_storage *const *inputs; /* [n_inputs]: those of the walk's leaves */
    const union heddle_scalar *constants; /* [n_constants]: the walk's */
    struct heddle_object *const *objects; /* [n_objects]: the walk's */
    const struct heddle_given *given;     /* [n_results]; NULL: none */
};

/* The policy for this machine with this configuration; it changes when the runtime starts or is configured
 * anew. NULL and this thread's error when a setting is malformed. */
const struct heddle_policy *heddle__policy(void);
/* For tests: from now on plans are made for this machine and run on the caller's thread, in memory that is
 * filled first, so that what no task writes shows. NULL ends that. The other one gives the machine; NULL:
 * none is invented. */
void heddle__invent_machine(const struct heddle_policy *invented);
const struct heddle_policy *heddle__invented_machine(void);

/* Whether a plan runs on the caller's thread: it is small, or nothing drives devices. */
bool heddle__runs_here(const struct heddle_plan *plan);
/* Runs a plan: gives a new storage for each of its results. Returns when everything is submitted, while
 * tasks may still compute; an inline plan is done then. On failure it gives no result. */
enum heddle_status heddle__execute(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                   struct heddle_storage *results[]);

/* Runs it on the caller's thread (inline.c). */
enum heddle_status heddle__execute_inline(struct heddle_plan *plan,
                                          const struct heddle_bindings *bindings,
                                          struct heddle_storage *results[]);
void heddle__inline_close(void);

/* Fills `room` with the constants of an evaluation and, behind them, the literals of the plan. */
void heddle__all_constants(const struct heddle_plan *plan, const union heddle_scalar *constants,
                           union heddle_scalar *room);
/* The storage of result `i`, which has the data of an input or of another result, whose storage is made: a
 * reference; NULL when memory is gone. */
struct heddle_storage *heddle__result_storage(const struct heddle_plan *plan, int32_t i,
                                              const struct heddle_bindings *bindings,
                                              struct heddle_storage *const results[]);

/* The memory given for result `i`, if its tasks can write there; else NULL. */
const struct heddle_given *heddle__given_memory(const struct heddle_plan *plan, int32_t i,
                                                const struct heddle_bindings *bindings);

/* HEDDLE_ENOMEM when the plan cannot fit in the machine's memory, or on its disk (memory.c). */
enum heddle_status heddle__check_memory(const struct heddle_plan *plan,
                                        const struct heddle_bindings *bindings);
/* Reports what the plan moves between places though nobody asked for it, or refuses it with HEDDLE_EARG
 * (movement.c). */
enum heddle_status heddle__check_movement(const struct heddle_plan *plan);
/* How many plans it has refused; under the lock of evaluations. */
extern int64_t heddle__n_refused;

/* Before and after a task: prepares for what it reads of large files; gives pages that it used back (pages.c). */
void heddle__expect_task_pages(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                               void *const buffers[]);
void heddle__drop_task_pages(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                             void *const buffers[]);

/* ---- Kernel calls (dispatch.c) ------------------------------------------------------------------- */

/* Runs a call on the CPU, with scratch that it allocates. HEDDLE_EINTERNAL for an unknown family. */
enum heddle_status heddle__call_cpu(const struct heddle_kernel_call *call,
                                    struct heddle_kernel_context *k);
/* Enqueues a call on the current CUDA device. */
enum heddle_status heddle__call_cuda(const struct heddle_kernel_call *call,
                                     struct heddle_kernel_context *k);
/* Starts compiling what n calls from `first` on need of CUDA. When this is the main thread, exit() waits
 * for the compilers from now on. */
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
