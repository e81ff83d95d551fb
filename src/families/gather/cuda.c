/* Elements by index on the GPU: a call to a launch. */
#include "cuda/device.h"
#include "families/gather/cuda_gather.h"

#include "kernels.h"

/* Whether elements are pairs: of runs along the last axis that lie together, and begin at even places. */
static bool are_pairs(const struct heddle_gather_kernel *p)
{
    const struct heddle_gather *g = &p->call;
    const int last = g->ndim - 1;
    const uintptr_t bytes = 2 * (uintptr_t)g->element_bytes;
    if (last < 0 || bytes > 16 || g->extent[last] % 2 != 0 || g->in_stride[last] != 1 ||
        g->out_stride[last] != 1 || (uintptr_t)p->in % bytes != 0 || (uintptr_t)p->out % bytes != 0)
        return false;
    int64_t odd = g->in_offset | g->out_offset;
    for (int d = 0; d < last; d++) odd |= g->in_stride[d] | g->out_stride[d];
    for (int b = 0; b < g->n_by; b++) {
        odd |= g->by[b].in_stride;
        if (g->by[b].stride[last] != 0) return false;
    }
    return odd % 2 == 0;
}

/* Runs are moved 16 bytes at a time, if they allow it. */
static void widen(struct heddle_gather_kernel *p)
{
    struct heddle_gather *g = &p->call;
    while (are_pairs(p)) {
        g->element_bytes *= 2;
        p->size /= 2;
        g->extent[g->ndim - 1] /= 2;
        g->in_offset /= 2;
        g->out_offset /= 2;
        for (int d = 0; d < g->ndim - 1; d++) {
            g->in_stride[d] /= 2;
            g->out_stride[d] /= 2;
        }
        for (int b = 0; b < g->n_by; b++) g->by[b].in_stride /= 2;
    }
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
    heddle__gather_merge_axes(&p.call);
    widen(&p);
    return heddle__cuda_check((cudaError_t)heddle__gather_launch(&p, k->stream),
                              "launch of a gather");
}

const struct heddle_cuda_kernel heddle__gather_cuda = {.run = run};
