/* Whether arrays are done, without waiting and without the evaluation lock; and to wait until one of several
 * may be: watchers are woken whenever a storage has been written in full. */
#ifndef HEDDLE_RUN_DONE_DONE_H
#define HEDDLE_RUN_DONE_DONE_H

#include "array/parts.h"
#include "graph/node.h"

enum heddle_progress {
    HEDDLE_LAZY,      /* nobody computes it */
    HEDDLE_IN_FLIGHT, /* tasks do */
    HEDDLE_DONE,      /* it is data or an error */
};

/* *polls becomes true if it is in flight on a device that does not say when it is done. */
enum heddle_progress heddle__progress(const heddle_array *a, bool *polls);

/* Tells watchers that a storage has been written in full, or that they should look again. From any thread;
 * cheap if there are none. */
void heddle__signal_done(void);

/* Begin, look, wait, look ... end. What is signalled between begin and wait is not missed; *seen is of the last
 * look. With `polls` the wait is short. */
void heddle__watch_begin(uint64_t *seen);
void heddle__watch_wait(uint64_t *seen, bool polls);
void heddle__watch_end(void);

#endif
