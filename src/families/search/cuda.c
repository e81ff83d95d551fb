/* Searching on the GPU: a call to a launch. */
#include "cuda/device.h"
#include "families/search/cuda_search.h"

#include "kernels.h"

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_search_kernel p = {.call = *(const struct heddle_search *)arguments};
    p.sorted = k->buffers[p.call.sorted];
    p.values = k->buffers[p.call.values];
    p.out = k->buffers[p.call.out];
    return heddle__cuda_check((cudaError_t)heddle__search_launch(&p, k->stream),
                              "launch of a search");
}

const struct heddle_cuda_kernel heddle__search_cuda = {.run = run};
