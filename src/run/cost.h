/* What tasks cost on the devices of this machine. */
#ifndef HEDDLE_RUN_COST_H
#define HEDDLE_RUN_COST_H

#include "plan/plan.h"
#include "run/workers.h"

double heddle__predict_us(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                          const struct heddle_worker *worker);
/* Learns what a task took instead. */
void heddle__learn_us(const struct heddle_plan *plan, const struct heddle_plan_task *task,
                      const struct heddle_worker *worker, double measured_us);
double heddle__now_us(void);

#endif
