/* The life of StarPU and CUDA. Call it under the evaluation lock. */
#ifndef HEDDLE_STARPU_START_H
#define HEDDLE_STARPU_START_H

#include "run/settings.h"

enum heddle_status heddle__starpu_start(const struct heddle_settings *settings);
void heddle__starpu_wait_all(void);
/* Nothing may be in flight. keep_memory: StarPU's host memory is not freed. */
enum heddle_status heddle__starpu_stop(bool keep_memory);

#endif
