/* Appends steps, tasks, uses and calls to the plan in the making. */
#ifndef HEDDLE_PLAN_BUILD_TASKS_H
#define HEDDLE_PLAN_BUILD_TASKS_H

#include "plan/build/planner.h"

/* False, with p->failed set, when memory is gone; so do all below. */
bool heddle__step_begin(struct heddle_planner *p, const struct heddle_family_info *family,
                        const struct heddle_program *program, const char *name, int n_nodes);
bool heddle__task_begin(struct heddle_planner *p);
/* Ends the task, and drops it if it has no calls. */
void heddle__task_end(struct heddle_planner *p);
/* The number of the current task's buffer for a part; modes of several uses add up. */
uint32_t heddle__task_use(struct heddle_planner *p, int32_t array, int64_t part,
                          enum heddle_mode mode);
/* Adds a call to the current task: `size` bytes of zeroed arguments in the plan's arena. */
void *heddle__task_call(struct heddle_planner *p, const struct heddle_family_info *family,
                        size_t size, double flops, double bytes);

/* Calls of the current task, of which no two write the same element, that are stretches of the same rows become one, if a GPU may run it
 * (codelets/stretches.h). */
void heddle__task_join_stretches(struct heddle_planner *p);

/* The current task keeps what others have written of the parts that it writes. */
void heddle__task_updates(struct heddle_planner *p);
/* The same, in any order with others that do so. */
void heddle__task_commutes(struct heddle_planner *p);
/* Says where the current task runs, if nothing has said so before. */
void heddle__task_place(struct heddle_planner *p, heddle_place place);

#endif
