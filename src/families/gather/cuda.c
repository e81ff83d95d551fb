/* Elements by index on the GPU: a call to a launch. */
#include "cuda/device.h"
#include "families/gather/cuda_gather.h"

#include "kernels.h"

/* Neighbouring axes that all walk as one become one, and those of extent 1 go: less to divide by. */
static void merge_axes(struct heddle_gather *g)
{
    int n = 0;
    for (int d = 0; d < g->ndim; d++) {
        if (g->extent[d] == 1) continue;
        if (n > 0 && g->in_stride[n - 1] == g->extent[d] * g->in_stride[d] &&
            g->index_stride[n - 1] == g->extent[d] * g->index_stride[d] &&
            g->out_stride[n - 1] == g->extent[d] * g->out_stride[d]) {
            n--;
            g->extent[n] *= g->extent[d];
        } else {
            g->extent[n] = g->extent[d];
        }
        g->in_stride[n] = g->in_stride[d];
        g->index_stride[n] = g->index_stride[d];
        g->out_stride[n] = g->out_stride[d];
        n++;
    }
    g->ndim = n;
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_gather_kernel p = {.call = *(const struct heddle_gather *)arguments, .size = 1};
    for (int d = 0; d < p.call.ndim; d++) p.size *= p.call.extent[d];
    p.in = k->buffers[p.call.in];
    p.indices = k->buffers[p.call.indices];
    p.out = k->buffers[p.call.out];
    p.report = k->report.words;
    p.tag = k->report.tag;
    merge_axes(&p.call);
    return heddle__cuda_check((cudaError_t)heddle__gather_launch(&p, k->stream),
                              "launch of a gather");
}

const struct heddle_cuda_kernel heddle__gather_cuda = {.run = run};
