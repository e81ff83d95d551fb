/* Who gets which partition: a chooser each for what is computed elementwise, reduced, assembled, and for
 * what follows nothing. NULL when memory is gone, unless said otherwise. Families have their own. */
#ifndef HEDDLE_PLAN_PARTITION_CHOOSE_H
#define HEDDLE_PLAN_PARTITION_CHOOSE_H

#include "plan/build/planner.h"

/* Of what a program computes elementwise (choose.c); the builder has its loads. */
struct heddle_grid *heddle__map_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                     int ndim, const int64_t *extent);
/* Of a reduction's iteration space (reduction.c): cut as what it reads where chunks allow. */
struct heddle_grid *heddle__reduce_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                        const struct heddle_group *g);
/* The user's partition that input i of a value follows (assembled.c): that of its array or, if it is
 * computed while it is read, of an operand; NULL: none, or memory is gone (p->failed). */
struct heddle_grid *heddle__followed_grid(struct heddle_planner *p, const struct heddle_value *v,
                                          int i);
/* Of arrays that an assemble joins along an axis: each is cut along it, and lives, as before; along the
 * others as the first that the user distributed. NULL: none is, or they are not joined so. */
struct heddle_grid *heddle__assembled_grid(struct heddle_planner *p, const struct heddle_value *v);

/* How what has no partition is spread over the machine, by where most of what is read is: sets
 * p->spread and p->share (spread.c). */
void heddle__choose_spread(struct heddle_planner *p);

#endif
