/* What the host gives the CUDA kernels that sum over windows. */
#ifndef HEDDLE_FAMILIES_WINDOW_CUDA_WINDOW_H
#define HEDDLE_FAMILIES_WINDOW_CUDA_WINDOW_H

#include "families/window/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A call (kernel.h) with its addresses, those of x and y with their offsets. */
struct heddle_window_kernel {
    const void *x, *taps;
    void *y;
    struct heddle_window call;
};

/* Enqueues it; a cudaError_t. */
int heddle__window_launch(const struct heddle_window_kernel *p, void *stream);

#ifdef __cplusplus
}
#endif

#endif
