/* Submission of plans, and the codelets that their tasks become. */
#ifndef HEDDLE_STARPU_SUBMIT_H
#define HEDDLE_STARPU_SUBMIT_H

#include "run/execute.h"

#include <starpu.h>

enum heddle_status heddle__submit(struct heddle_plan *plan, const struct heddle_bindings *bindings,
                                  struct heddle_storage *results[]);
void heddle__submit_close(void);

/* Makes the codelets; call it before StarPU starts (codelet.c). */
void heddle__codelets_open(void);
/* The codelet of a family's tasks. */
struct starpu_codelet *heddle__codelet(const struct heddle_family_info *family);
/* What a task costs on a worker; with transfers, if StarPU chooses the worker (model.c). */
double heddle__task_cost_us(struct starpu_task *task, unsigned worker, unsigned nimpl);

#endif
