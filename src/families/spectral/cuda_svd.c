/* Singular values on the GPU. cuSOLVER sees the transpose: what it calls u is vh to us, and what it calls vt is u. Vectors by a polar
 * decomposition (Y. Nakatsukasa and N. Higham, 2013) where there are many of them: on an H200 a fifth of the time that the QR
 * algorithm takes for 200 x 200, and nearer. A singular matrix it has to move, by more than rounding would: then the QR algorithm does
 * it after all, and the polar decomposition was in vain, a fifth more. Of values alone that would be more than half, and it is not
 * tried. Entry points: heddle__solver_svd, heddle__solver_svd_polar. */
#include "cuda/device.h"
#include "families/spectral/cuda_solve.h"
#include "families/spectral/cuda_unpack.h"

#include "kernels.h"

#include <float.h>

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

/* Whether the matrix was moved to be decomposed, as singular ones are, by more than the QR algorithm's rounding moves values:
 * the precision times the extent and the largest value. */
static bool was_moved(const struct heddle_spectral_solve *c, double by, const void *values)
{
    const bool is_double = c->real == CUDA_R_64F;
    union {
        float single;
        double twice;
    } largest = {.twice = 0};
    if (by == 0) return false;
    if (heddle__cuda_read(&largest, values, is_double ? sizeof(double) : sizeof(float),
                          c->stream) != HEDDLE_OK)
        return true;
    return !(by <= (double)c->s->rows * (is_double ? DBL_EPSILON * largest.twice
                                                   : (double)(FLT_EPSILON * largest.single)));
}

cusolverStatus_t heddle__solver_svd_polar(struct heddle_spectral_solve *c, const void *in,
                                          void *const out[], int64_t i, int64_t n)
{
    const struct heddle_spectral *s = c->s;
    const cusolverEigMode_t job = CUSOLVER_EIG_MODE_VECTOR;
    const int thin = !s->full;
    const size_t bytes = (size_t)(s->rows * s->columns) * heddle__spectral_in_bytes(s);
    double moved = 0;
    if (c->asks) { /* the QR algorithm may have to do */
        size_t device_bytes = 0, host_bytes = 0;
        cusolverStatus_t status = c->solver->cusolverDnXgesvdp_bufferSize(
            c->handle, c->params, job, thin, s->columns, s->rows, c->type, c->copy, s->columns,
            c->real, out[0], c->type, out[2], s->columns, c->type, c->packed, s->rows, c->type,
            &device_bytes, &host_bytes);
        if (status == CUSOLVER_STATUS_SUCCESS) status = heddle__solver_svd(c, in, out, i, n);
        if (device_bytes > c->device_bytes) c->device_bytes = device_bytes;
        if (host_bytes > c->host_bytes) c->host_bytes = host_bytes;
        return status;
    }
    if (cudaMemcpyAsync(c->copy, in, bytes, cudaMemcpyDeviceToDevice, c->stream) != cudaSuccess)
        return CUSOLVER_STATUS_EXECUTION_FAILED;
    const cusolverStatus_t status = c->solver->cusolverDnXgesvdp(
        c->handle, c->params, job, thin, s->columns, s->rows, c->type, c->copy, s->columns, c->real,
        out[0], c->type, out[2], s->columns, c->type, c->packed, s->rows, c->type, c->device,
        c->device_bytes, c->host, c->host_bytes, c->info + i, &moved);
    if (status != CUSOLVER_STATUS_SUCCESS) return status;
    if (cudaStreamSynchronize(c->stream) != cudaSuccess) return CUSOLVER_STATUS_EXECUTION_FAILED;
    if (was_moved(c, moved, out[0])) return heddle__solver_svd(c, in, out, i, n);
    return heddle__spectral_adjoint(c->real == CUDA_R_64F, c->type != c->real, 1, s->rows,
                                    c->packed, out[1], c->stream) == cudaSuccess
               ? CUSOLVER_STATUS_SUCCESS
               : CUSOLVER_STATUS_EXECUTION_FAILED;
}
