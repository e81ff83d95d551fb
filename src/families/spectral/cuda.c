/* Eigenvalues and singular values on the GPU, by cuSOLVER: many small matrices at a time, or one after the other. It
 * works on the host, too, and waits for the device; so does this, to learn whether it succeeded. How much memory it
 * wants only it knows, so that is taken from the stream's pool. */
#include "cuda/device.h"
#include "families/spectral/cuda_jacobi.h"
#include "families/spectral/cuda_solve.h"
#include "families/spectral/cuda_unpack.h"

#include "base/dtype.h"
#include "base/memory.h"
#include "kernels.h"

static size_t rounded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

static cusolverStatus_t solve(struct heddle_spectral_solve *c, heddle_spectral_solver *solver,
                              void *const buffers[], int64_t i, int64_t n)
{
    const struct heddle_spectral *s = c->s;
    const size_t bytes = (size_t)(s->rows * s->columns) * heddle__spectral_in_bytes(s);
    void *out[HEDDLE_SPECTRAL_OUTPUTS] = {NULL};
    for (int k = 0; k < HEDDLE_SPECTRAL_OUTPUTS; k++) {
        const int64_t size = heddle__spectral_elements(s, k);
        if (size > 0)
            out[k] = (char *)buffers[s->out[k]] + i * size * (int64_t)heddle__spectral_bytes(s, k);
    }
    return solver(c, (const char *)buffers[s->in] + (size_t)i * bytes, out, i, n);
}

/* Takes memory for the matrices of a call and for what cuSOLVER says of each; one block, which is c->device. */
static enum heddle_status get_memory(struct heddle_spectral_solve *c)
{
    const struct heddle_spectral *s = c->s;
    const size_t n = (size_t)c->together,
                 matrix = (size_t)(s->rows * s->columns) * heddle__spectral_in_bytes(s),
                 copy = c->jacobi ? 0 : rounded(n * matrix),
                 packed = c->jacobi ? 0 : rounded(n * heddle__solver_packed(c)),
                 info = rounded((size_t)s->batch * sizeof *c->info),
                 total = rounded(c->device_bytes) + copy + packed + info;
    c->host = heddle__alloc_aligned(c->host_bytes + (size_t)s->batch * sizeof *c->info);
    if (!c->host || cudaMallocAsync(&c->device, total, c->stream) != cudaSuccess) {
        (void)cudaGetLastError();
        c->device = NULL;
        return heddle__fail(HEDDLE_ENOMEM, "%s: no memory for cuSOLVER, %zu bytes on the device",
                            heddle__spectral_name(s->operation), total);
    }
    c->copy = (char *)c->device + rounded(c->device_bytes);
    c->packed = c->copy + copy;
    c->info = (int *)(void *)(c->packed + packed);
    return heddle__cuda_check(cudaMemsetAsync(c->info, 0, info, c->stream), "cudaMemsetAsync");
}

/* Whether all matrices of a call are of finite numbers; else some algorithms might not end. */
static enum heddle_status check_finite(struct heddle_spectral_solve *c, const void *in)
{
    const struct heddle_spectral *s = c->s;
    const int64_t each = s->rows * s->columns * (c->type == c->real ? 1 : 2);
    return heddle__cuda_check((cudaError_t)heddle__spectral_check(c->real == CUDA_R_64F,
                                                                  s->batch * each, each, in,
                                                                  c->info, c->stream),
                              "launch of a check");
}

/* Puts the values in order; those of a matrix that is not finite are not. */
static enum heddle_status order_values(struct heddle_spectral_solve *c, void *values)
{
    const struct heddle_spectral *s = c->s;
    const bool descending = s->operation >= HEDDLE_SPECTRAL_SVDVALS;
    return heddle__cuda_check((cudaError_t)heddle__spectral_order(c->real == CUDA_R_64F, descending,
                                                                  s->batch, s->rows, values,
                                                                  c->info, c->stream),
                              "launch of an order");
}

/* Waits, and says which matrix has no result. */
static enum heddle_status read_info(struct heddle_spectral_solve *c)
{
    int *info = (int *)(void *)((char *)c->host + c->host_bytes);
    const size_t bytes = (size_t)c->s->batch * sizeof *info;
    const enum heddle_status status = heddle__cuda_read(info, c->info, bytes, c->stream);
    for (int64_t i = 0; status == HEDDLE_OK && i < c->s->batch; i++)
        if (info[i] != 0) return heddle__spectral_failed(c->s, i);
    return status;
}

/* How the matrices are solved, and how many at a time. */
static heddle_spectral_solver *choose(struct heddle_spectral_solve *c)
{
    enum { SMALL = 32, SMALL_EIGH = 512, FEW_VALUES = 64 };
    enum { MOST = 1 << 15 };              /* cuSOLVER fails on 65536 together */
    static const double most_polar = 4e9; /* bytes: it works in several times as many */
    const struct heddle_spectral *s = c->s;
    const int64_t together = s->batch < MOST ? s->batch : MOST;
    const bool vectors = s->operation == HEDDLE_SPECTRAL_SVD;
    c->together = 1;
    switch ((enum heddle_spectral_operation)s->operation) {
    case HEDDLE_SPECTRAL_EIGVALSH:
    case HEDDLE_SPECTRAL_EIGH:
        if (s->rows <= SMALL_EIGH) c->together = together;
        return c->together > 1 && s->rows <= SMALL ? heddle__solver_eigh_small
                                                   : heddle__solver_eigh;
    case HEDDLE_SPECTRAL_SVDVALS:
    case HEDDLE_SPECTRAL_SVD:
        c->jacobi = heddle__jacobi_serves(&(struct heddle_jacobi){.dtype = s->dtype,
                                                                  .rows = (int)s->rows,
                                                                  .columns = (int)s->columns,
                                                                  .n = s->batch,
                                                                  .has_vectors = vectors}) &&
                    (!s->full || s->rows == s->columns);
        if (c->jacobi) {
            c->together = s->batch;
            return heddle__solver_svd_jacobi;
        }
        if (s->columns <= SMALL) c->together = together;
        if (c->together > 1) return heddle__solver_svd_small;
        c->polar =
            vectors && s->rows > FEW_VALUES &&
            (double)(s->rows * s->columns) * (double)heddle__spectral_in_bytes(s) <= most_polar;
        return c->polar ? heddle__solver_svd_polar : heddle__solver_svd;
    default: return heddle__solver_eig;
    }
}

static enum heddle_status run_with(struct heddle_spectral_solve *c, void *const buffers[])
{
    const struct heddle_spectral *s = c->s;
    heddle_spectral_solver *const solver = choose(c);
    const char *name = heddle__spectral_name(s->operation);
    const bool is_general = s->operation >= HEDDLE_SPECTRAL_EIGVALS;
    enum heddle_status status = HEDDLE_OK;
    c->asks = true;
    cusolverStatus_t said = solve(c, solver, buffers, 0, c->together);
    HEDDLE_REQUIRE(said == CUSOLVER_STATUS_SUCCESS, HEDDLE_EDEVICE,
                   "%s: cuSOLVER gives no size: status %d", name, (int)said);
    c->asks = false;
    HEDDLE_TRY(get_memory(c));
    if (is_general || c->polar) {
        HEDDLE_TRY(check_finite(c, buffers[s->in]));
        HEDDLE_TRY(read_info(c));
    }
    for (int64_t i = 0; i < s->batch; i += c->together) {
        const int64_t left = s->batch - i;
        said = solve(c, solver, buffers, i, left < c->together ? left : c->together);
        if (said != CUSOLVER_STATUS_SUCCESS)
            HEDDLE_TRY(
                heddle__fail(HEDDLE_EDEVICE, "%s: cuSOLVER fails: status %d", name, (int)said));
    }
    if (!is_general) HEDDLE_TRY(order_values(c, buffers[s->out[0]]));
    status = read_info(c);
fail:
    if (c->device && cudaFreeAsync(c->device, c->stream) != cudaSuccess) (void)cudaGetLastError();
    heddle__free(c->host);
    return status;
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_spectral *s = arguments;
    const enum heddle_dtype dtype = (enum heddle_dtype)s->dtype;
    const bool is_double = heddle__real_dtype(dtype) == HEDDLE_FLOAT64;
    struct heddle_spectral_solve c = {.s = s,
                                      .real = is_double ? CUDA_R_64F : CUDA_R_32F,
                                      .complex = is_double ? CUDA_C_64F : CUDA_C_32F,
                                      .stream = k->stream};
    c.type = heddle_dtype_kind(dtype) == 'C' ? c.complex : c.real;
    enum heddle_status status =
        heddle__solver_get(heddle__spectral_name(s->operation), k->stream, &c.solver, &c.handle);
    if (status != HEDDLE_OK) return status;
    HEDDLE_REQUIRE(c.solver->cusolverDnCreateParams(&c.params) == CUSOLVER_STATUS_SUCCESS,
                   HEDDLE_EDEVICE, "%s: cuSOLVER gives no parameters",
                   heddle__spectral_name(s->operation));
    status = run_with(&c, k->buffers);
    c.solver->cusolverDnDestroyParams(c.params);
    return status;
}

const struct heddle_cuda_kernel heddle__spectral_cuda = {.run = run};
