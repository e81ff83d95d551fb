/* Evaluates one array for its data. */
#ifndef HEDDLE_RUN_EVALUATE_H
#define HEDDLE_RUN_EVALUATE_H

#include "array/parts.h"
#include "graph/node.h"

/* Evaluates `a` and waits for it alone; gives a reference to its data. Not under the evaluation lock. */
enum heddle_status heddle__wait_storage(heddle_array *a, struct heddle_storage **out);

void heddle__evaluate_close(void); /* frees what is kept between evaluations; under the lock */

#endif
