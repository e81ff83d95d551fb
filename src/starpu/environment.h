/* What StarPU and hwloc read from the environment, while they start and stop. */
#ifndef HEDDLE_STARPU_ENVIRONMENT_H
#define HEDDLE_STARPU_ENVIRONMENT_H

#include "run/settings.h"

/* Checks the user's variables that are passed on; `folder` is for StarPU's files. HEDDLE_EARG names a
 * variable that is malformed. */
enum heddle_status heddle__environment_open(const struct heddle_settings *settings,
                                            const char *folder);
/* Puts StarPU's environment in force (false: memory is gone), and the process's own again. */
bool heddle__environment_enter(void);
void heddle__environment_leave(void);
/* The scheduler that the user wants; NULL: Heddle's choice. Not between enter and leave. */
const char *heddle__environment_scheduler(void);

#endif
