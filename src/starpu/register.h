/* Data that StarPU is told of. */
#ifndef HEDDLE_STARPU_REGISTER_H
#define HEDDLE_STARPU_REGISTER_H

#include <starpu.h>

/* A handle of `size_bytes` bytes whose home is `at` on a memory node; -1: StarPU allocates it. */
static inline starpu_data_handle_t heddle__register(int node, const void *at, int64_t size_bytes)
{
    starpu_data_handle_t handle;
    starpu_variable_data_register(&handle, node, (uintptr_t)at,
                                  (size_t)(size_bytes > 0 ? size_bytes : 1));
    return handle;
}

#endif
