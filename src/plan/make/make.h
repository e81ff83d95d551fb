/* Plans from walks, and their cache. Pure: structure, shapes and the grids of leaves go in
 * (heddle__storage_grid), never data. Under the evaluation lock. */
#ifndef HEDDLE_PLAN_MAKE_MAKE_H
#define HEDDLE_PLAN_MAKE_MAKE_H

#include "plan/policy/policy.h"
#include "plan/plan.h"
#include "plan/walk.h"

/* The plan of a walk: a reference. NULL and this thread's error when memory is gone. */
struct heddle_plan *heddle__plan_make(const struct heddle_walk *walk,
                                      const struct heddle_policy *policy);

/* The same from the cache, or made and cached (cache.c). */
struct heddle_plan *heddle__plan_get(const struct heddle_walk *walk,
                                     const struct heddle_policy *policy, bool *was_cached);
void heddle__plan_cache_clear(void); /* also forgets interned programs that no plan uses */

#endif
