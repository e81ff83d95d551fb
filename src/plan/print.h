/* Plans as text. */
#ifndef HEDDLE_PLAN_PRINT_H
#define HEDDLE_PLAN_PRINT_H

#include "plan/plan.h"

/* Programs, partitions, tasks: the same plan always prints the same. Free *text with
 * heddle__free. */
enum heddle_status heddle__plan_text(const struct heddle_plan *plan, char **text);

#endif
