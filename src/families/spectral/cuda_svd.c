/* Singular values on the GPU. cuSOLVER sees the transpose: what it calls u is vh to us, and what it calls vt is u.
 * Entry point: heddle__solver_svd. */
#include "families/spectral/cuda_solve.h"

cusolverStatus_t heddle__solver_svd(struct heddle_spectral_solve *c, const void *in,
                                    void *const out[], int64_t i, int64_t n)
{
    const struct heddle_spectral *s = c->s;
    (void)n; /* one */
    const bool vectors = s->operation == HEDDLE_SPECTRAL_SVD;
    const signed char job = !vectors ? 'N' : s->full ? 'A' : 'S';
    const size_t bytes = (size_t)(s->rows * s->columns) * heddle__spectral_in_bytes(s);
    if (c->asks)
        return c->solver->cusolverDnXgesvd_bufferSize(
            c->handle, c->params, job, job, s->columns, s->rows, c->type, in, s->columns, c->real,
            out[0], c->type, out[2], s->columns, c->type, out[1], s->rows, c->type,
            &c->device_bytes, &c->host_bytes);
    if (cudaMemcpyAsync(c->copy, in, bytes, cudaMemcpyDeviceToDevice, c->stream) != cudaSuccess)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    return c->solver->cusolverDnXgesvd(c->handle, c->params, job, job, s->columns, s->rows, c->type,
                                       c->copy, s->columns, c->real, out[0], c->type, out[2],
                                       s->columns, c->type, out[1], s->rows, c->type, c->device,
                                       c->device_bytes, c->host, c->host_bytes, c->info + i);
}
