/* The life of the runtime: started at need, stopped by heddle_shutdown or at exit, useless in a forked
 * child; and the lock under which evaluations are made. */
#ifndef HEDDLE_RUN_LIFE_H
#define HEDDLE_RUN_LIFE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Serialises walks, plans, submission and the transitions of nodes. Not recursive. */
void heddle__evaluation_lock(void);
void heddle__evaluation_unlock(void);

/* Starts the runtime if it is not, and whether it is; under the evaluation lock. */
enum heddle_status heddle__need_runtime(void);
bool heddle__is_started(void);
/* Waits until nothing is in flight. */
void heddle__wait_all(void);

/* HEDDLE_EDEVICE in a child of fork() of a started runtime. */
enum heddle_status heddle__check_fork(void);
bool heddle__is_forked(void);
/* Changes at each start, stop and configuration: what was planned before is stale. */
uint64_t heddle__generation(void);
void heddle__new_generation(void);
/* The evaluation lock is held by this call when it gives OK. */
enum heddle_status heddle__require_stopped(const char *caller);

#endif
