/* What the host gives the CUDA kernels that select by a mask. */
#ifndef HEDDLE_FAMILIES_COMPACT_CUDA_COMPACT_H
#define HEDDLE_FAMILIES_COMPACT_CUDA_COMPACT_H

#include "families/compact/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_compact_kernel {
    struct heddle_compact call;
    const uint8_t *mask;
    const void *in;
    void *out;
    int64_t *counts; /* of tiles (kernel.h) */
};

/* Enqueues it; a cudaError_t. */
int heddle__compact_launch(const struct heddle_compact_kernel *p, void *stream);

#ifdef __cplusplus
}
#endif

#endif
