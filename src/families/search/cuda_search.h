/* What the host gives the CUDA kernels that search. */
#ifndef HEDDLE_FAMILIES_SEARCH_CUDA_SEARCH_H
#define HEDDLE_FAMILIES_SEARCH_CUDA_SEARCH_H

#include "families/search/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A call (kernel.h) with its addresses. */
struct heddle_search_kernel {
    const void *sorted, *values, *heights;
    void *out;
    int32_t halvings,
        in_table; /* how many; how many of the first ones read what a block has in shared memory */
    struct heddle_search call;
};

/* Enqueues it, on a GPU of so many multiprocessors; a cudaError_t. Sets what the call does not say. */
int heddle__search_launch(struct heddle_search_kernel *p, int multiprocessors, void *stream);

#ifdef __cplusplus
}
#endif

#endif
