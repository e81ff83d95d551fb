/* What every executor asks of a plan, computed once, when all tasks are there. */
#ifndef HEDDLE_PLAN_FINISH_H
#define HEDDLE_PLAN_FINISH_H

#include "plan/plan.h"

/* Numbers the slots, resolves uses and results, and sums up memory and scratch: the fields that
 * plan.h calls finished. If temporaries would take more than `most` bytes, tasks are ordered anew; 0: they are not.
 * Errors: HEDDLE_ENOMEM; HEDDLE_EINTERNAL for a plan that no executor could
 * run, such as a task that reads what no task before it writes. */
enum heddle_status heddle__plan_finish(struct heddle_plan *plan, int64_t most);
/* Sets plan->order so that little is alive at once (order.c). Needs the slots of uses. */
enum heddle_status heddle__plan_order(struct heddle_plan *plan);

#endif
