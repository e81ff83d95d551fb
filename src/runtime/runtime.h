/* What the rest of the library may ask of the runtime besides storage.h: the evaluation lock, the
 * planner's policy, where caches live. No StarPU here. */
#ifndef HEDDLE_RUNTIME_RUNTIME_H
#define HEDDLE_RUNTIME_RUNTIME_H

#include "plan/plan.h"
#include "runtime/storage.h"

/* Serialises walks, plans, submission and the transitions of nodes. Not recursive. */
void heddle__evaluation_lock(void);
void heddle__evaluation_unlock(void);

/* How to partition on this machine with this configuration. Call it under the evaluation lock; it
 * changes when the runtime starts or is configured anew. NULL and this thread's error when a
 * setting is malformed. */
const struct heddle_policy *heddle__policy(void);

/* As heddle_part_acquire, by the name of the public function that asks; `wide`: with the overlap. */
enum heddle_status heddle__part_view(const char *name, heddle_array *a, int64_t part,
                                     heddle_place place, bool wide, struct heddle_part_view *out);

/* The folder for caches, made at the first call; NULL when there is none to write to. */
const char *heddle__cache_dir(void);

#endif
