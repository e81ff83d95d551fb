/* Pauses the workers, which spin, while there is nothing to do, and frees what StarPU has let go of. */
#ifndef HEDDLE_STARPU_IDLE_H
#define HEDDLE_STARPU_IDLE_H

#include <stdbool.h>

/* Starts the small thread that does both. `may_pause`: only Heddle uses StarPU. False: it has no thread. */
bool heddle__idle_start(bool may_pause);
void heddle__idle_stop(void); /* frees all that is queued; leaves the workers running */
/* Whether the thread looks every few milliseconds for handles to unregister. */
bool heddle__idle_ticks(void);
/* Tells the thread that there may be something to free. */
void heddle__idle_wake(void);

/* Hold the workers around every call that needs them to make progress. Cheap while they run. */
void heddle__workers_hold(void);
void heddle__workers_release(void);
/* The two halves of a hold: from now on those that run are not paused; those that are paused run. */
void heddle__workers_stay(void);
void heddle__workers_resume(void);

#endif
