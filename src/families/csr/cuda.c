/* Products of sparse matrices on the GPU: a call to a launch. The kernels are our own, as cuSPARSE reads what a bad index
 * points to, and adds in an order of its own. */
#include "cuda/device.h"
#include "families/csr/cuda_csr.h"

#include "kernels.h"

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_csr_call *call = arguments;
    const struct heddle_csr_kernel p = {.data = k->buffers[call->data],
                                        .indices = k->buffers[call->indices],
                                        .starts = k->buffers[call->starts],
                                        .x = k->buffers[call->x],
                                        .y = k->buffers[call->y],
                                        .report = k->report.words,
                                        .tag = k->report.tag,
                                        .call = *call};
    return heddle__cuda_check((cudaError_t)heddle__csr_launch(&p, k->stream),
                              "launch of a sparse product");
}

const struct heddle_cuda_kernel heddle__csr_cuda = {.run = run};
