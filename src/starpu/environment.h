/* What StarPU reads from the environment. */
#ifndef HEDDLE_STARPU_ENVIRONMENT_H
#define HEDDLE_STARPU_ENVIRONMENT_H

#include "run/settings.h"

/* open sets what the user has not set; close takes that back. */
enum heddle_status heddle__environment_open(const struct heddle_settings *settings, int n_gpus);
void heddle__environment_close(void);

#endif
