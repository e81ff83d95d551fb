/* Evaluates one array for its data. */
#ifndef HEDDLE_RUN_EVALUATE_H
#define HEDDLE_RUN_EVALUATE_H

#include "array/parts.h"
#include "graph/node.h"

/* Evaluates `a` and waits for it alone; gives a reference to its data. Not under the evaluation lock. */
enum heddle_status heddle__wait_storage(heddle_array *a, struct heddle_storage **out);

/* Evaluates arrays together, as heddle_eval_all does; what is not evaluated yet is computed into memory of mapped
 * files, where memory is given and can be used: then the array's data are there from now on. */
struct heddle_given;
enum heddle_status heddle__evaluate_into(int n, heddle_array *const arrays[],
                                         const struct heddle_given *given);

void heddle__evaluate_close(void); /* frees what is kept between evaluations; under the lock */

#endif
