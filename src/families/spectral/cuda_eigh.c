/* Eigenvalues of Hermitian matrices on the GPU. cuSOLVER sees the transposes, whose other triangle counts and whose
 * eigenvectors are the conjugate ones, and leaves them where the matrices were. Entry point: heddle__solver_eigh. */
#include "families/spectral/cuda_solve.h"

cusolverStatus_t heddle__solver_eigh(struct heddle_spectral_solve *c, const void *in,
                                     void *const out[], int64_t i, int64_t n)
{
    const struct heddle_spectral *s = c->s;
    const bool vectors = s->operation == HEDDLE_SPECTRAL_EIGH;
    const cusolverEigMode_t job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const cublasFillMode_t triangle = s->upper ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const size_t bytes = (size_t)(n * s->rows * s->rows) * heddle__spectral_in_bytes(s);
    const struct heddle_solver *f = c->solver;
    void *a = vectors ? out[1] : c->copy;
    if (c->asks && c->together > 1)
        return f->cusolverDnXsyevBatched_bufferSize(c->handle, c->params, job, triangle, s->rows,
                                                    c->type, a, s->rows, c->real, out[0], c->type,
                                                    &c->device_bytes, &c->host_bytes, n);
    if (c->asks)
        return f->cusolverDnXsyevd_bufferSize(c->handle, c->params, job, triangle, s->rows, c->type,
                                              a, s->rows, c->real, out[0], c->type,
                                              &c->device_bytes, &c->host_bytes);
    if (cudaMemcpyAsync(a, in, bytes, cudaMemcpyDeviceToDevice, c->stream) != cudaSuccess)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    if (c->together > 1)
        return f->cusolverDnXsyevBatched(c->handle, c->params, job, triangle, s->rows, c->type, a,
                                         s->rows, c->real, out[0], c->type, c->device,
                                         c->device_bytes, c->host, c->host_bytes, c->info + i, n);
    return f->cusolverDnXsyevd(c->handle, c->params, job, triangle, s->rows, c->type, a, s->rows,
                               c->real, out[0], c->type, c->device, c->device_bytes, c->host,
                               c->host_bytes, c->info + i);
}
