/* Plans from walks, and their cache. Structure, shapes and the grids of leaves
 * (heddle__storage_grid) go in, never data. Call them under the evaluation lock. */
#ifndef HEDDLE_PLAN_MAKE_MAKE_H
#define HEDDLE_PLAN_MAKE_MAKE_H

#include "plan/policy/policy.h"
#include "plan/plan.h"
#include "plan/walk.h"

/* Makes the plan of a walk: a reference. NULL and this thread's error when it fails. */
struct heddle_plan *heddle__plan_make(const struct heddle_walk *walk,
                                      const struct heddle_policy *policy);

/* Takes it from the cache, or makes and caches it (cache.c). */
struct heddle_plan *heddle__plan_get(const struct heddle_walk *walk,
                                     const struct heddle_policy *policy, bool *was_cached);
/* How many plans are cached, and their bytes. */
void heddle__plan_cache_size(int64_t *plans, int64_t *bytes);
void heddle__plan_cache_clear(void); /* also frees programs without a reference */

#endif
