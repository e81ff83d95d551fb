/* Elements by a mask on the GPU: a call to launches. */
#include "cuda/device.h"
#include "families/compact/cuda_compact.h"

#include "kernels.h"

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_compact_kernel p = {.call = *(const struct heddle_compact *)arguments};
    if (p.call.size == 0) return HEDDLE_OK;
    p.mask = k->buffers[p.call.mask];
    p.in = p.call.positions ? NULL : k->buffers[p.call.in];
    p.out = k->buffers[p.call.out];
    p.counts = k->scratch;
    return heddle__cuda_check((cudaError_t)heddle__compact_launch(&p, k->stream),
                              "launch of a compaction");
}

const struct heddle_cuda_kernel heddle__compact_cuda = {.run = run};
