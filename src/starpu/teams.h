/* StarPU's workers. */
#ifndef HEDDLE_STARPU_TEAMS_H
#define HEDDLE_STARPU_TEAMS_H

#include "run/settings.h"

/* Finds the workers, fills the table (run/workers.h), binds and starts the teams, which have no more than
 * `threads_max` threads together, their workers included. StarPU must be up. */
void heddle__teams_open(const struct heddle_settings *settings, int threads_max);
/* Ends the teams. No task may run. */
void heddle__teams_close(void);
/* Sets the rates of all workers, measured or from the cache (rates.c). */
void heddle__rates_open(void);

#endif
