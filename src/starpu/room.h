/* Memory of GPUs for tasks. StarPU evicts its own data for them, but not what direct launches hold, and it asks for
 * ever for memory that it cannot get. */
#ifndef HEDDLE_STARPU_ROOM_H
#define HEDDLE_STARPU_ROOM_H

#include "run/execute.h"

#include <starpu.h>

/* The scratch handle with room for `size_bytes`, which all tasks share; each worker has memory of its own for it. *room: how
 * much it has; sizes are rounded up. */
starpu_data_handle_t heddle__scratch_handle(int64_t size_bytes, int64_t *room);
void heddle__scratch_close(void);

/* Sees to it that a task which takes much of a GPU's memory goes where it finds that: where it is bound to, to any GPU if all
 * have room, to the CPU if it may run there, else to a GPU that has room. Direct launches leave it the memory until all tasks
 * are done. HEDDLE_ENOMEM: it finds none. *devices: bits of HEDDLE_ON_CPU and _GPU; *worker: where it is bound to, or -1.
 * Under the evaluation lock. */
enum heddle_status heddle__room_find(const struct heddle_plan *plan,
                                     const struct heddle_bindings *bindings,
                                     const struct heddle_plan_task *task, unsigned *devices,
                                     int *worker);

#endif
