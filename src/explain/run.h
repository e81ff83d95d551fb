/* Explaining by doing: between the files of explain. */
#ifndef HEDDLE_EXPLAIN_RUN_H
#define HEDDLE_EXPLAIN_RUN_H

#include "graph/node.h"

/* The plan of what evaluating `a` would do now; whether it would be for a runtime that is up. Under
 * the evaluation lock. *text is to be freed with heddle__free. */
enum heddle_status heddle__explain_plan(heddle_array *a, char **text, bool *needs_runtime);
/* HEDDLE_EXPLAIN_RUN. */
enum heddle_status heddle__explain_run(heddle_array *a, char **text);

#endif
