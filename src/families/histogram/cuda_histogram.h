/* What the host gives the CUDA kernels that count by bin. */
#ifndef HEDDLE_FAMILIES_HISTOGRAM_CUDA_HISTOGRAM_H
#define HEDDLE_FAMILIES_HISTOGRAM_CUDA_HISTOGRAM_H

#include "families/histogram/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A call (kernel.h) with its addresses; `out` is zero. */
struct heddle_histogram_kernel {
    const void *in, *edges;
    const double *weights;
    void *out;
    struct heddle_histogram call;
};

/* Enqueues it; a cudaError_t. */
int heddle__histogram_launch(const struct heddle_histogram_kernel *p, void *stream);

#ifdef __cplusplus
}
#endif

#endif
