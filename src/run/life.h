/* The life of the runtime: it starts at need, stops by heddle_shutdown or at exit, and is of no use in a
 * forked child. The lock for evaluations, and the gate: who is inside keeps the runtime up without that
 * lock. */
#ifndef HEDDLE_RUN_LIFE_H
#define HEDDLE_RUN_LIFE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Serialises walks, plans, submission and the transitions of nodes. Not recursive. Waits while the runtime
 * goes down, unless this thread is inside. */
void heddle__evaluation_lock(void);
void heddle__evaluation_unlock(void);

/* From now on this thread is inside, and shut-down waits for it. Nests. Inside, wait for nothing but tasks,
 * the evaluation lock and locks under which nobody waits. enter_locked: under the evaluation lock. */
void heddle__enter(void);
void heddle__enter_locked(void);
void heddle__leave(void);
/* Without the lock: enters if the runtime is up and stays so; true: leave. Never waits. */
bool heddle__enter_if_up(void);

/* need_runtime starts the runtime unless it is up; is_started tells whether it is. Under the evaluation
 * lock. */
enum heddle_status heddle__need_runtime(void);
bool heddle__is_started(void);
/* A plan runs on the caller's thread and could use more: if that happens often before the runtime is up, a team is lent
 * until then. Under the evaluation lock. */
void heddle__want_team(void);
/* Waits until nothing is in flight. Without the lock. */
void heddle__wait_all(void);

/* HEDDLE_EDEVICE in a child of fork() of a started runtime. */
enum heddle_status heddle__check_fork(void);
bool heddle__is_forked(void);
/* Sees to what is to be done at exit, and has it begun? */
void heddle__watch_exit(void);
bool heddle__is_exiting(void);
/* A number that changes at each start, stop and configuration: policies of another one are stale. */
uint64_t heddle__generation(void);
void heddle__new_generation(void);
/* Takes the evaluation lock and, unless the runtime is up, keeps it and gives HEDDLE_OK. */
enum heddle_status heddle__require_stopped(const char *caller);

#endif
