/* What the host gives the CUDA kernels that search. */
#ifndef HEDDLE_FAMILIES_SEARCH_CUDA_SEARCH_H
#define HEDDLE_FAMILIES_SEARCH_CUDA_SEARCH_H

#include "families/search/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A call (kernel.h) with its addresses. */
struct heddle_search_kernel {
    const void *sorted, *values;
    int64_t *out;
    struct heddle_search call;
};

/* Enqueues it; a cudaError_t. */
int heddle__search_launch(const struct heddle_search_kernel *p, void *stream);

#ifdef __cplusplus
}
#endif

#endif
