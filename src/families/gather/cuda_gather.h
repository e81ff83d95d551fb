/* What the host gives the CUDA kernels that gather. */
#ifndef HEDDLE_FAMILIES_GATHER_CUDA_GATHER_H
#define HEDDLE_FAMILIES_GATHER_CUDA_GATHER_H

#include "families/gather/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A call (kernel.h) with its addresses, and axes that are walked as one merged. */
struct heddle_gather_kernel {
    const void *in, *indices[HEDDLE_MAX_NDIM];
    void *out;
    volatile int64_t *report;
    int64_t tag, size;
    struct heddle_gather call;
};

/* Enqueues it; a cudaError_t. */
int heddle__gather_launch(const struct heddle_gather_kernel *p, void *stream);

#ifdef __cplusplus
}
#endif

#endif
