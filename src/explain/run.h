/* What the files share that explain plans and runs. */
#ifndef HEDDLE_EXPLAIN_RUN_H
#define HEDDLE_EXPLAIN_RUN_H

#include "graph/node.h"

/* The plan of evaluating `a` now, as text, and whether it needs the runtime. Call it under the evaluation
 * lock, and free *text with heddle__free. */
enum heddle_status heddle__explain_plan(heddle_array *a, char **text, bool *needs_runtime);
/* The text of HEDDLE_EXPLAIN_RUN: evaluates `a`. */
enum heddle_status heddle__explain_run(heddle_array *a, char **text);

#endif
