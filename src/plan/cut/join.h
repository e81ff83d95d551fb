/* Steps that follow each other and become one: task i of all of them is one task. All give false when memory is
 * gone, or what is said. */
#ifndef HEDDLE_PLAN_CUT_JOIN_H
#define HEDDLE_PLAN_CUT_JOIN_H

#include "plan/cut/cut.h"

/* Steps from..to-1, which may become one. */
struct heddle_join {
    struct heddle_planner *p;
    int64_t from, to;
};

static inline struct heddle_plan_task *heddle__step_task(const struct heddle_plan *plan,
                                                         int64_t step, int64_t i)
{
    return &plan->tasks[plan->steps[step].first_task + i];
}

/* The first call of task i. */
static inline const struct heddle_kernel_call *heddle__step_call(const struct heddle_plan *plan,
                                                                 int64_t step, int64_t i)
{
    return &plan->calls[heddle__step_task(plan, step, i)->first_call];
}
/* The only use of a task that writes, and only writes; NULL: there is none. */
const struct heddle_plan_use *heddle__only_write(const struct heddle_plan *plan,
                                                 const struct heddle_plan_task *task);

/* Whether task i of the last step reads, of what the steps write, only what tasks i before it write. */
bool heddle__join_reads_its_own(const struct heddle_join *c, int64_t i);
/* Whether the last step writes an array that the others read: parts of it would be gone before they are read. */
bool heddle__join_overwrites(const struct heddle_join *c);
/* Whether an array is read by tasks after the steps, or by the user. */
bool heddle__join_leaves(const struct heddle_join *c, int32_t array);
/* Uses of task i of all steps together: list[*n], in the planner's scratch, and in number[step - from][k] the place of
 * each; those of the first step keep their numbers. A part that the steps make is written; whoever reads it later reads
 * what is there. */
bool heddle__join_uses(const struct heddle_join *c, int64_t i, struct heddle_plan_use **list,
                       int32_t *n, uint32_t *number[]);
/* The steps become the first one, with these tasks and their uses; what follows moves up. */
bool heddle__join_steps(const struct heddle_join *c, const struct heddle_plan_task tasks[],
                        struct heddle_plan_use *const uses[]);
/* Whether a task of step `later` reads what a task of steps from..to-1 writes. */
bool heddle__join_follows(const struct heddle_join *c, int64_t later);
/* Moves step `later`, beyond to, to `to`, if the order of the steps between does not matter for it. false: memory is gone. */
bool heddle__join_bring(const struct heddle_join *c, int64_t later);

#endif
