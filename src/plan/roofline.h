/* What a task costs on a processor of known rates: it computes and moves at the same time, and the
 * slower of the two counts. Pure: the cost model and the simulator use it. */
#ifndef HEDDLE_PLAN_ROOFLINE_H
#define HEDDLE_PLAN_ROOFLINE_H

#include "plan/plan.h"

/* Microseconds at `flops` and `bytes` a second, with `launch_us` for each kernel call; > 0 even if a
 * rate is not a number: StarPU's schedulers fall back to guessing then. */
static inline double heddle__roofline_us(const struct heddle_plan_task *task, double flops,
                                         double bytes, double launch_us)
{
    const double compute = task->flops / flops, move = task->bytes / bytes;
    const double us = launch_us * task->n_calls + 1e6 * (compute > move ? compute : move);
    return us > 0.1 ? us : 0.1; /* also if it is NaN */
}

/* What a task that may run anywhere costs, when its step has `n`: the work and the transfers of a step's
 * tasks overlap, except those of the first. */
static inline double heddle__overlap_us(double work_us, double transfer_us, double n)
{
    return work_us > transfer_us ? work_us + transfer_us / n : transfer_us + work_us / n;
}

#endif
