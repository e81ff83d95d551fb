/* StarPU's scheduler as Heddle wants it. Of StarPU alone, so that simulations run it, too. */
#ifndef HEDDLE_STARPU_SCHEDULER_H
#define HEDDLE_STARPU_SCHEDULER_H

#include <starpu.h>

/* For starpu_conf.sched_policy. NULL: this StarPU lacks what it is made of. */
struct starpu_sched_policy *heddle__scheduler(void);

/* Before it is submitted: a task that may run anywhere, one of many alike, is bound to a worker only
 * when that has room for it, if all that it reads is in host memory. */
void heddle__bind_late(struct starpu_task *task);

#endif
