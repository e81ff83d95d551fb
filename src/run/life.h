/* The life of the runtime: it starts at need, stops by heddle_shutdown or at exit, and is of no use in a
 * forked child. And the lock for evaluations. */
#ifndef HEDDLE_RUN_LIFE_H
#define HEDDLE_RUN_LIFE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Serialises walks, plans, submission and the transitions of nodes. Not recursive. */
void heddle__evaluation_lock(void);
void heddle__evaluation_unlock(void);

/* need_runtime starts the runtime unless it is up; is_started tells whether it is. Under the evaluation
 * lock. */
enum heddle_status heddle__need_runtime(void);
bool heddle__is_started(void);
/* Waits until nothing is in flight. */
void heddle__wait_all(void);

/* HEDDLE_EDEVICE in a child of fork() of a started runtime. */
enum heddle_status heddle__check_fork(void);
bool heddle__is_forked(void);
/* A number that changes at each start, stop and configuration: policies of another one are stale. */
uint64_t heddle__generation(void);
void heddle__new_generation(void);
/* Takes the evaluation lock and, unless the runtime is up, keeps it and gives HEDDLE_OK. */
enum heddle_status heddle__require_stopped(const char *caller);

#endif
