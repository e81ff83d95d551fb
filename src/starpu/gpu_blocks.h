/* GPU memory of direct launches, recycled. */
#ifndef HEDDLE_STARPU_GPU_BLOCKS_H
#define HEDDLE_STARPU_GPU_BLOCKS_H

#include "run/workers.h"

#if HEDDLE_HAVE_CUDA
/* Memory of a GPU, which must be the current device. NULL: there is no room. Put it back with the same
 * size. */
void *heddle__gpu_block_get(const struct heddle_worker *worker, int64_t size_bytes);
void heddle__gpu_block_put(const struct heddle_worker *worker, void *at, int64_t size_bytes);
void heddle__gpu_blocks_trim(void);                                    /* frees what is cached */
int64_t heddle__gpu_blocks_in_use(const struct heddle_worker *worker); /* bytes */
/* Leaves `bytes` of the GPU to a task of StarPU's from now on, or more if another one needs more; and asks for them. */
void heddle__gpu_blocks_leave(const struct heddle_worker *worker, int64_t bytes);
int64_t heddle__gpu_blocks_left(const struct heddle_worker *worker);
void heddle__gpu_blocks_leave_none(void); /* all tasks are done */
#else
static inline void heddle__gpu_blocks_trim(void) {}
static inline void heddle__gpu_blocks_leave_none(void) {}
#endif

#endif
