/* Heddle's scheduler for StarPU. It needs StarPU alone, so that simulations run it, too. */
#ifndef HEDDLE_STARPU_SCHEDULER_H
#define HEDDLE_STARPU_SCHEDULER_H

#include <starpu.h>

/* For starpu_conf.sched_policy. NULL: this StarPU lacks the policy that it is built on. */
struct starpu_sched_policy *heddle__scheduler(void);

/* Call it before a task is submitted that may run anywhere and is one of many alike. If all that it reads is
 * in host memory, it is bound to a worker only when that has room for it. */
void heddle__bind_late(struct starpu_task *task);

#endif
