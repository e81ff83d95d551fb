/* Workers spin, so they are paused while nothing is to do; and what StarPU has let go of is freed then. */
#ifndef HEDDLE_STARPU_IDLE_H
#define HEDDLE_STARPU_IDLE_H

#include <stdbool.h>

/* The small thread that does both. `may_pause`: StarPU is Heddle's alone. False: no thread. */
bool heddle__idle_start(bool may_pause);
void heddle__idle_stop(void); /* frees all that is queued; leaves the workers running */
/* It looks for what is to be let go every few milliseconds. */
bool heddle__idle_ticks(void);
/* There may be something to free. */
void heddle__idle_wake(void);

/* Around every call that needs workers to make progress. Cheap while they run. */
void heddle__workers_hold(void);
void heddle__workers_release(void);

#endif
