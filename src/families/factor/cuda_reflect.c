/* Products with Q of a panel, I - V T V^H, by matrix products: cuSOLVER's own find T anew for each block. Entry points:
 * cuda_steps.h. */
#include "cuda/device.h"
#include "families/factor/cuda_steps.h"

static const double zero[2] = {0, 0}; /* of any dtype */

static enum heddle_status gemm(const struct heddle_factor_cuda *c, cublasOperation_t op, int64_t m,
                               int64_t n, int64_t k, const void *alpha, const char *a, int64_t lda,
                               const char *b, int64_t ldb, const void *beta, char *to, int64_t ld)
{
    return heddle__factor_multiplied(c->blas->gemm(c->blas_handle, op, CUBLAS_OP_N, m, n, k, alpha,
                                                   a, lda, b, ldb, beta, to, ld),
                                     "gemm");
}

/* T^-1 has 1 / tau on its diagonal and, above it, what V^H V has (the UT transform). */
enum heddle_status heddle__cuda_qr_send(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    const int64_t m = f->rows - f->first, k = heddle__factor_pivots(f);
    char *const v = c->below, *const t = v + m * k * c->size;
    struct heddle_factor_room w = {.device_bytes = (size_t)(k * k * c->size)};
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_TRY(heddle__cuda_check(
        (cudaError_t)heddle__factor_reflectors(v, c->panel + f->first * c->size, f->rows, m, k,
                                               c->size, c->real, c->stream),
        "reflectors"));
    HEDDLE_TRY(heddle__factor_room_get(c, &w));
    HEDDLE_TRY(gemm(c, c->adjoint, k, k, m, c->one, v, m, v, m, zero, w.device, k));
    HEDDLE_TRY(heddle__cuda_check((cudaError_t)heddle__factor_reciprocals(
                                      w.device, c->scales, k, c->size, c->real, c->stream),
                                  "reciprocals"));
    HEDDLE_TRY(heddle__cuda_check(
        (cudaError_t)heddle__factor_identity(t, k, k, 0, c->size, c->real, 1, c->stream),
        "identity"));
    HEDDLE_TRY(heddle__factor_multiplied(
        c->blas->trsm(c->blas_handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                      CUBLAS_DIAG_NON_UNIT, k, k, c->one, w.device, k, t, k),
        "trsm"));
fail:
    heddle__factor_room_put(c, &w);
    return status;
}

enum heddle_status heddle__cuda_qr_reflect(const struct heddle_factor_cuda *c, bool adjoint)
{
    const struct heddle_factor *f = c->f;
    const int64_t m = f->rows - f->first, k = heddle__factor_pivots(f), n = f->columns;
    const char *const v = c->below, *const t = v + m * k * c->size;
    char *const x = c->block + f->first * c->size;
    struct heddle_factor_room w = {.device_bytes = 2 * (size_t)(k * n * c->size)};
    enum heddle_status status = HEDDLE_OK;
    if (f->begins)
        HEDDLE_TRY(
            heddle__cuda_check((cudaError_t)heddle__factor_identity(c->block, f->rows, n, f->begin,
                                                                    c->size, c->real, 1, c->stream),
                               "identity"));
    HEDDLE_TRY(heddle__factor_room_get(c, &w));
    char *const vx = w.device, *const tvx = vx + k * n * c->size;
    HEDDLE_TRY(gemm(c, c->adjoint, k, n, m, c->one, v, m, x, f->rows, zero, vx, k));
    HEDDLE_TRY(
        gemm(c, adjoint ? c->adjoint : CUBLAS_OP_N, k, n, k, c->one, t, k, vx, k, zero, tvx, k));
    HEDDLE_TRY(gemm(c, CUBLAS_OP_N, m, n, k, c->minus_one, v, m, tvx, k, c->one, x, f->rows));
fail:
    heddle__factor_room_put(c, &w);
    return status;
}
