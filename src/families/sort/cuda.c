/* Sorting on the GPU: a call to launches. */
#include "cuda/device.h"
#include "families/sort/cuda_sort.h"

#include "kernels.h"

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_sort_kernel p = {.call = *(const struct heddle_sort *)arguments};
    if (p.call.rows * p.call.n == 0) return HEDDLE_OK;
    p.in = k->buffers[p.call.in];
    p.out = k->buffers[p.call.out];
    p.scratch = k->scratch;
    return heddle__cuda_check((cudaError_t)heddle__sort_launch(&p, k->stream), "launch of a sort");
}

const struct heddle_cuda_kernel heddle__sort_cuda = {.run = run};
