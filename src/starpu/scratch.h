/* Scratch memory of tasks on GPUs: StarPU gives each worker its own. */
#ifndef HEDDLE_STARPU_SCRATCH_H
#define HEDDLE_STARPU_SCRATCH_H

#include <starpu.h>
#include <stdint.h>

/* The scratch handle with room for `size_bytes`, which all tasks share; *room: how much it has. */
starpu_data_handle_t heddle__scratch_handle(int64_t size_bytes, int64_t *room);
void heddle__scratch_close(void);

#endif
