/* Searching on the GPU: a call to a launch. */
#include "cuda/device.h"
#include "families/search/cuda_search.h"

#include "kernels.h"

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_search_kernel p = {.call = *(const struct heddle_search *)arguments};
    p.sorted = k->buffers[p.call.sorted];
    p.values = k->buffers[p.call.values];
    p.heights = p.call.what == HEDDLE_SEARCH_LINE ? k->buffers[p.call.heights] : NULL;
    p.out = k->buffers[p.call.out];
    int n;
    const enum heddle_status status = heddle__cuda_processors(&n);
    if (status != HEDDLE_OK) return status;
    return heddle__cuda_check((cudaError_t)heddle__search_launch(&p, n, k->stream),
                              "launch of a search");
}

const struct heddle_cuda_kernel heddle__search_cuda = {.run = run};
