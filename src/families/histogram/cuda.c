/* Counts by bin on the GPU: a call to launches. */
#include "cuda/device.h"
#include "families/histogram/cuda_histogram.h"

#include "kernels.h"

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_histogram_kernel p = {.call = *(const struct heddle_histogram *)arguments};
    const struct heddle_histogram *h = &p.call;
    p.in = k->buffers[h->in];
    p.edges = h->by_edges ? k->buffers[h->edges] : NULL;
    p.weights = h->weighted ? k->buffers[h->weights] : NULL;
    p.out = k->buffers[h->out];
    if (h->rows == 0) return HEDDLE_OK;
    const enum heddle_status status =
        heddle__cuda_check(cudaMemsetAsync(p.out, 0, (size_t)(h->rows * h->bins) * 8, k->stream),
                           "clearing the counts of a histogram");
    if (status != HEDDLE_OK) return status;
    return heddle__cuda_check((cudaError_t)heddle__histogram_launch(&p, k->stream),
                              "launch of a histogram");
}

const struct heddle_cuda_kernel heddle__histogram_cuda = {.run = run};
