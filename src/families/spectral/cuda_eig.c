/* Eigenvalues of a general matrix on the GPU. Of a real matrix cuSOLVER leaves a pair of conjugate eigenvectors as their
 * real and their imaginary part. Entry point: heddle__solver_eig. */
#include "families/spectral/cuda_solve.h"
#include "families/spectral/cuda_unpack.h"

cusolverStatus_t heddle__solver_eig(struct heddle_spectral_solve *c, const void *in,
                                    void *const out[], int64_t i, int64_t n)
{
    const struct heddle_spectral *s = c->s;
    (void)n; /* one */
    const bool vectors = s->operation == HEDDLE_SPECTRAL_EIG, is_real = c->type == c->real;
    const cusolverEigMode_t job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const size_t bytes = (size_t)(s->rows * s->rows) * heddle__spectral_in_bytes(s);
    void *rows = vectors && is_real ? c->packed : out[1];
    if (c->asks)
        return c->solver->cusolverDnXgeev_bufferSize(
            c->handle, c->params, CUSOLVER_EIG_MODE_NOVECTOR, job, s->rows, c->type, in, s->rows,
            c->complex, out[0], c->type, NULL, 1, c->type, rows, s->rows, c->type, &c->device_bytes,
            &c->host_bytes);
    if (cudaMemcpyAsync(c->copy, in, bytes, cudaMemcpyDeviceToDevice, c->stream) != cudaSuccess)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    const cusolverStatus_t status = c->solver->cusolverDnXgeev(
        c->handle, c->params, CUSOLVER_EIG_MODE_NOVECTOR, job, s->rows, c->type, c->copy, s->rows,
        c->complex, out[0], c->type, NULL, 1, c->type, rows, s->rows, c->type, c->device,
        c->device_bytes, c->host, c->host_bytes, c->info + i);
    if (status != CUSOLVER_STATUS_SUCCESS || !vectors || !is_real) return status;
    return heddle__spectral_unpack(c->type == CUDA_R_64F, s->rows, out[0], rows, out[1],
                                   c->stream) == cudaSuccess
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_EXECUTION_FAILED;
}
