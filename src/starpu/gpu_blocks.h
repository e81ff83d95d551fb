/* GPU memory of direct launches, recycled. */
#ifndef HEDDLE_STARPU_GPU_BLOCKS_H
#define HEDDLE_STARPU_GPU_BLOCKS_H

#include "run/workers.h"

#if HEDDLE_HAVE_CUDA
/* Memory of a GPU, which must be the current device. NULL: there is no room. Put it back with the same
 * size. */
void *heddle__gpu_block_get(const struct heddle_worker *worker, int64_t size_bytes);
void heddle__gpu_block_put(const struct heddle_worker *worker, void *at, int64_t size_bytes);
void heddle__gpu_blocks_trim(void); /* frees what is cached */
#else
static inline void heddle__gpu_blocks_trim(void) {}
#endif

#endif
