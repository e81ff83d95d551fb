/* Writing by position on the GPU: a call to a copy and launches. */
#include "cuda/device.h"
#include "families/scatter/cuda_scatter.h"

#include "kernels.h"

/* The updates by position: a stable sort. */
static cudaError_t put_in_order(struct heddle_scatter_kernel *p, char *scratch, void *stream)
{
    struct heddle_sort_kernel sort = {.call = heddle__scatter_sort(&p->call),
                                      .in = p->positions,
                                      .out = scratch,
                                      .scratch = scratch + (p->call.n * 8 + 255) / 256 * 256};
    p->order = (const int64_t *)(const void *)scratch;
    return (cudaError_t)heddle__sort_launch(&sort, stream);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    struct heddle_scatter_kernel p = {.call = *(const struct heddle_scatter *)arguments};
    const struct heddle_scatter *s = &p.call;
    const size_t bytes = (size_t)(s->n_rows * s->row) * s->element_bytes;
    const void *in = k->buffers[s->in];
    cudaStream_t stream = k->stream;
    p.positions = k->buffers[s->positions];
    p.values = k->buffers[s->values];
    p.out = k->buffers[s->out];
    p.report = k->report.words;
    p.tag = k->report.tag;
    cudaError_t error = cudaSuccess;
    if (in != p.out) error = cudaMemcpyAsync(p.out, in, bytes, cudaMemcpyDeviceToDevice, stream);
    if (!s->add) {
        p.owner = k->scratch;
        if (error == cudaSuccess)
            error = cudaMemsetAsync(p.owner, 0, heddle__scatter_cuda_bytes(s), stream);
    } else if (!heddle__scatter_is_atomic(s) && error == cudaSuccess) {
        error = put_in_order(&p, k->scratch, stream);
    }
    if (error == cudaSuccess)
        error = (cudaError_t)(s->add ? heddle__scatter_add : heddle__scatter_set)(&p, stream);
    return heddle__cuda_check(error, "launch of a scatter");
}

const struct heddle_cuda_kernel heddle__scatter_cuda = {.run = run};
