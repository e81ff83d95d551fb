/* Writing by position on the GPU: a call to a copy and launches. */
#include "cuda/device.h"
#include "families/scatter/cuda_scatter.h"

#include "kernels.h"

static cudaError_t add_in_order(struct heddle_scatter_kernel *p, char *scratch, void *stream)
{
    const size_t numbers = heddle__scatter_numbers_bytes(&p->call);
    for (int i = 0; i < 2; i++) {
        p->rows[i] = (unsigned *)(void *)(scratch + (size_t)i * numbers);
        p->updates[i] = (unsigned *)(void *)(scratch + (size_t)(2 + i) * numbers);
    }
    int bits = 1; /* of 0..n_rows */
    while (bits < 32 && p->call.n_rows >> bits) bits++;
    int error = heddle__scatter_number_rows(p, stream);
    if (error == cudaSuccess)
        error = heddle__sort_numbers(p->rows, p->updates, p->call.n, bits, scratch + 4 * numbers,
                                     heddle__sort_numbers_bytes(p->call.n), stream);
    return (cudaError_t)(error == cudaSuccess ? heddle__scatter_add_in_order(p, stream) : error);
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
        if (error == cudaSuccess) error = (cudaError_t)heddle__scatter_set(&p, stream);
    } else if (error == cudaSuccess) {
        error = heddle__scatter_is_atomic(s) ? (cudaError_t)heddle__scatter_add(&p, stream)
                                             : add_in_order(&p, k->scratch, stream);
    }
    return heddle__cuda_check(error, "launch of a scatter");
}

const struct heddle_cuda_kernel heddle__scatter_cuda = {.run = run};
