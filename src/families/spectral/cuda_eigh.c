/* Eigenvalues of Hermitian matrices on the GPU. cuSOLVER sees the transposes, whose other triangle counts and whose
 * eigenvectors are the conjugate ones, and leaves them where the matrices were. Many of at most 32 rows are solved by Jacobi's
 * method. Entry points: heddle__solver_eigh, heddle__solver_eigh_small. */
#include "families/spectral/cuda_solve.h"

/* The call, or the question how much memory it wants: *n_work elements. */
static cusolverStatus_t call_small(const struct heddle_spectral_solve *c, syevjInfo_t how, int n,
                                   void *a, void *values, int *n_work, int *info)
{
    const struct heddle_spectral *s = c->s;
    const cusolverEigMode_t job = s->operation == HEDDLE_SPECTRAL_EIGH ? CUSOLVER_EIG_MODE_VECTOR
                                                                       : CUSOLVER_EIG_MODE_NOVECTOR;
    const cublasFillMode_t triangle = s->upper ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const int rows = (int)s->rows;
    const struct heddle_solver *f = c->solver;
#define CALL(name)                                                                                 \
    return c->asks ? f->name##_bufferSize(c->handle, job, triangle, rows, a, rows, values, n_work, \
                                          how, n)                                                  \
                   : f->name(c->handle, job, triangle, rows, a, rows, values, c->device, *n_work,  \
                             info, how, n)
    switch (c->type) {
    case CUDA_R_32F: CALL(cusolverDnSsyevjBatched);
    case CUDA_R_64F: CALL(cusolverDnDsyevjBatched);
    case CUDA_C_32F: CALL(cusolverDnCheevjBatched);
    default: CALL(cusolverDnZheevjBatched);
    }
#undef CALL
}

cusolverStatus_t heddle__solver_eigh_small(struct heddle_spectral_solve *c, const void *in,
                                           void *const out[], int64_t i, int64_t n)
{
    const struct heddle_spectral *s = c->s;
    const size_t element = heddle__spectral_in_bytes(s),
                 bytes = (size_t)(n * s->rows * s->rows) * element;
    void *a = s->operation == HEDDLE_SPECTRAL_EIGH ? out[1] : c->copy;
    int n_work = (int)(c->device_bytes / element);
    syevjInfo_t how;
    cusolverStatus_t status = c->solver->cusolverDnCreateSyevjInfo(&how);
    if (status != CUSOLVER_STATUS_SUCCESS) return status;
    if (!c->asks &&
        cudaMemcpyAsync(a, in, bytes, cudaMemcpyDeviceToDevice, c->stream) != cudaSuccess)
        status = CUSOLVER_STATUS_EXECUTION_FAILED;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = call_small(c, how, (int)n, a, out[0], &n_work, c->info + i);
    c->solver->cusolverDnDestroySyevjInfo(how);
    if (c->asks) c->device_bytes = (size_t)n_work * element;
    return status;
}

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
