/* Elements by index on the GPU: a call to a launch. */
#include "cuda/device.h"
#include "families/gather/cuda_gather.h"

#include "kernels.h"

/* Whether axis `outer` walks on where axis `inner` ends. */
static bool walk_as_one(const struct heddle_gather *g, int outer, int inner)
{
    const int64_t n = g->extent[inner];
    bool one = g->in_stride[outer] == n * g->in_stride[inner] &&
               g->out_stride[outer] == n * g->out_stride[inner];
    for (int b = 0; b < g->n_by; b++) one &= g->by[b].stride[outer] == n * g->by[b].stride[inner];
    return one;
}

/* Neighbouring axes that all walk as one become one, and those of extent 1 go: less to divide by. */
static void merge_axes(struct heddle_gather *g)
{
    int n = 0;
    for (int d = 0; d < g->ndim; d++) {
        if (g->extent[d] == 1) continue;
        int64_t extent = g->extent[d];
        if (n > 0 && walk_as_one(g, n - 1, d)) extent *= g->extent[--n];
        g->extent[n] = extent;
        g->in_stride[n] = g->in_stride[d];
        g->out_stride[n] = g->out_stride[d];
        for (int b = 0; b < g->n_by; b++) g->by[b].stride[n] = g->by[b].stride[d];
        n++;
    }
    g->ndim = n;
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_gather_kernel p = {.call = *(const struct heddle_gather *)arguments, .size = 1};
    for (int d = 0; d < p.call.ndim; d++) p.size *= p.call.extent[d];
    p.in = k->buffers[p.call.in];
    for (int b = 0; b < p.call.n_by; b++) p.indices[b] = k->buffers[p.call.by[b].buffer];
    p.out = k->buffers[p.call.out];
    p.report = k->report.words;
    p.tag = k->report.tag;
    merge_axes(&p.call);
    return heddle__cuda_check((cudaError_t)heddle__gather_launch(&p, k->stream),
                              "launch of a gather");
}

const struct heddle_cuda_kernel heddle__gather_cuda = {.run = run};
