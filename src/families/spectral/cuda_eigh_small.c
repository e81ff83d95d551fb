/* Eigenvalues of many Hermitian matrices of at most 32 rows on the GPU, by Jacobi's method: faster there than a
 * reduction to a tridiagonal matrix for each. As for larger ones cuSOLVER sees the transposes. Entry point:
 * heddle__solver_eigh_small. */
#include "families/spectral/cuda_solve.h"

/* The call, or the question how much memory it wants: *n_work elements. */
static cusolverStatus_t call(const struct heddle_spectral_solve *c, syevjInfo_t how, int n, void *a,
                             void *values, int *n_work, int *info)
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
        status = call(c, how, (int)n, a, out[0], &n_work, c->info + i);
    c->solver->cusolverDnDestroySyevjInfo(how);
    if (c->asks) c->device_bytes = (size_t)n_work * element;
    return status;
}
