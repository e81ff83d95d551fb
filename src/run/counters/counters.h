/* Counters of what was done: by evaluations and tasks, by devices, by links. */
#ifndef HEDDLE_RUN_COUNTERS_H
#define HEDDLE_RUN_COUNTERS_H

#include "plan/plan.h"
#include "run/workers.h"

#include <stdatomic.h>

struct heddle_counters {
    atomic_llong evaluations, plans_made, runs_again,
        inline_programs; /* changed under the evaluation lock */
    atomic_llong cpu_tasks, gpu_tasks, gpu_direct, implicit_bytes;
};
extern struct heddle_counters heddle__counters;
static inline void heddle__count(atomic_llong *counter, long long n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}
/* For the evaluation lock: avoids the price of an atomic addition. */
static inline void heddle__count_locked(atomic_llong *counter, long long n)
{
    const long long now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + n, memory_order_relaxed);
}
/* Adds what the devices counted since the last call. Called also before they go down. */
void heddle__collect_counters(void);

/* ---- Usage of devices (usage.c) ------------------------------------------------------------------ */

/* The workers are up from the one to the other. */
void heddle__usage_open(void);
void heddle__usage_close(void);
void heddle__usage_reset(void);
/* Counts a task that ended, with its measured and predicted time; unless it is untypical, the cost model
 * learns from it. */
void heddle__count_task(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                        const struct heddle_worker *worker, double measured_us, bool untypical);
/* Adds the time that a device was busy with tasks which were counted before. */
void heddle__count_busy(const struct heddle_worker *worker, double us);
/* Adds bytes that a direct launch moved (statistics.c). */
void heddle__count_moved(heddle_place from, heddle_place to, int64_t bytes);

#endif
