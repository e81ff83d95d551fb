/* Singular values of many matrices of at most 32 rows and columns on the GPU, by Jacobi's method. cuSOLVER sees the
 * transposes, and gives all of u, which is vh to us, and v, of which u is the conjugate transpose. Entry points:
 * heddle__solver_svd_small, heddle__solver_packed; by our own kernel heddle__solver_svd_jacobi. */
#include "families/spectral/cuda_jacobi.h"
#include "families/spectral/cuda_solve.h"
#include "families/spectral/cuda_unpack.h"

/* Of a real matrix the vectors as geev packs them; of a small one v, and u, if not all of it is wanted;
 * of a polar decomposition v. */
size_t heddle__solver_packed(const struct heddle_spectral_solve *c)
{
    const struct heddle_spectral *s = c->s;
    const size_t bytes = heddle__spectral_in_bytes(s);
    if (s->operation == HEDDLE_SPECTRAL_EIG)
        return c->type == c->real ? (size_t)(s->rows * s->rows) * bytes : 0;
    if (c->polar) return (size_t)(s->rows * s->rows) * bytes;
    if (c->together == 1 || s->operation < HEDDLE_SPECTRAL_SVDVALS) return 0;
    return (size_t)(s->rows * s->rows + s->columns * s->columns) * bytes;
}

/* The call, or the question how much memory it wants: *n_work elements. */
static cusolverStatus_t call(const struct heddle_spectral_solve *c, gesvdjInfo_t how, int n,
                             void *values, void *u, void *v, int *n_work, int *info)
{
    const struct heddle_spectral *s = c->s;
    const cusolverEigMode_t job =
        s->operation == HEDDLE_SPECTRAL_SVD ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const int rows = (int)s->columns, columns = (int)s->rows;
    const struct heddle_solver *f = c->solver;
    void *a = c->copy;
#define CALL(name)                                                                                 \
    return c->asks ? f->name##_bufferSize(c->handle, job, rows, columns, a, rows, values, u, rows, \
                                          v, columns, n_work, how, n)                              \
                   : f->name(c->handle, job, rows, columns, a, rows, values, u, rows, v, columns,  \
                             c->device, *n_work, info, how, n)
    switch (c->type) {
    case CUDA_R_32F: CALL(cusolverDnSgesvdjBatched);
    case CUDA_R_64F: CALL(cusolverDnDgesvdjBatched);
    case CUDA_C_32F: CALL(cusolverDnCgesvdjBatched);
    default: CALL(cusolverDnZgesvdjBatched);
    }
#undef CALL
}

/* u and vh of n matrices from v and, unless it is vh already, cuSOLVER's u. */
static cudaError_t put_vectors(const struct heddle_spectral_solve *c, int64_t n, const void *u,
                               const void *v, void *const out[])
{
    const struct heddle_spectral *s = c->s;
    const size_t line = (size_t)s->columns * heddle__spectral_in_bytes(s);
    cudaError_t error = cudaSuccess;
    if (!s->full)
        error = cudaMemcpy2DAsync(out[2], (size_t)s->rows * line, u, (size_t)s->columns * line,
                                  (size_t)s->rows * line, (size_t)n, cudaMemcpyDeviceToDevice,
                                  c->stream);
    if (error != cudaSuccess) return error;
    return (cudaError_t)heddle__spectral_adjoint(c->real == CUDA_R_64F, c->type != c->real, n,
                                                 s->rows, v, out[1], c->stream);
}

cusolverStatus_t heddle__solver_svd_small(struct heddle_spectral_solve *c, const void *in,
                                          void *const out[], int64_t i, int64_t n)
{
    const struct heddle_spectral *s = c->s;
    const bool vectors = s->operation == HEDDLE_SPECTRAL_SVD;
    const size_t element = heddle__spectral_in_bytes(s),
                 bytes = (size_t)(n * s->rows * s->columns) * element;
    char *v = c->packed, *u = v ? v + (size_t)(c->together * s->rows * s->rows) * element : NULL;
    int n_work = (int)(c->device_bytes / element);
    gesvdjInfo_t how;
    if (vectors && s->full) u = out[2];
    cusolverStatus_t status = c->solver->cusolverDnCreateGesvdjInfo(&how);
    if (status != CUSOLVER_STATUS_SUCCESS) return status;
    if (!c->asks &&
        cudaMemcpyAsync(c->copy, in, bytes, cudaMemcpyDeviceToDevice, c->stream) != cudaSuccess)
        status = CUSOLVER_STATUS_EXECUTION_FAILED;
    if (status == CUSOLVER_STATUS_SUCCESS)
        status = call(c, how, (int)n, out[0], u, v, &n_work, c->info + i);
    c->solver->cusolverDnDestroyGesvdjInfo(how);
    if (c->asks) c->device_bytes = (size_t)n_work * element;
    if (status != CUSOLVER_STATUS_SUCCESS || c->asks || !vectors) return status;
    return put_vectors(c, n, u, v, out) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                       : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t heddle__solver_svd_jacobi(struct heddle_spectral_solve *c, const void *in,
                                           void *const out[], int64_t i, int64_t n)
{
    const struct heddle_spectral *s = c->s;
    const struct heddle_jacobi j = {.dtype = s->dtype,
                                    .rows = (int)s->rows,
                                    .columns = (int)s->columns,
                                    .n = n,
                                    .has_vectors = s->operation == HEDDLE_SPECTRAL_SVD,
                                    .in = in,
                                    .values = out[0],
                                    .u = out[1],
                                    .vh = out[2],
                                    .info = c->info + i};
    if (c->asks) return CUSOLVER_STATUS_SUCCESS;
    return heddle__jacobi(&j, c->stream) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                        : CUSOLVER_STATUS_EXECUTION_FAILED;
}
