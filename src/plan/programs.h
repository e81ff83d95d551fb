/* Interned programs: equal ones are one pointer, so that what is compiled for one serves all. */
#ifndef HEDDLE_PLAN_PROGRAMS_H
#define HEDDLE_PLAN_PROGRAMS_H

#include "graph/family.h"

/* Programs as a family. It has no nodes: fused operations become its calls. */
extern const struct heddle_family_info heddle__program_family;
extern const struct heddle_family_info heddle__checked_family; /* of calls that check indices */

/* Sets the hash of `program` and gives the interned one: a reference. NULL when memory is gone. Call it,
 * and heddle__programs_trim, under the evaluation lock. */
const struct heddle_program *heddle__program_intern(struct heddle_program *program);
void heddle__program_release(const struct heddle_program *program); /* any thread */
/* Frees interned programs that have no reference. */
void heddle__programs_trim(void);

#endif
