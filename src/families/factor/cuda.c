/* The CUDA twin of factorisations, by cuSOLVER and cuBLAS, or, of small matrices of a batch, by kernels of our own. Entry points:
 * heddle__cholesky_cuda, heddle__lu_cuda, heddle__qr_cuda, heddle__reflect_cuda, heddle__triangular_cuda. */
#include "cuda/device.h"
#include "families/factor/cuda_batch.h"
#include "families/factor/cuda_steps.h"

#include <limits.h>

enum { TOGETHER = 512 }; /* rows of matrices up to which all of a batch are factored by one call */

static char *at(const struct heddle_factor_cuda *c, char *matrix, int64_t row, int64_t column)
{
    return matrix + (column * c->f->rows + row) * c->size;
}

static enum heddle_status launched(int error, const char *what)
{
    return heddle__cuda_check((cudaError_t)error, what);
}

/* C (m, n) -= A (m, k) times B, or its adjoint. ld: of both. */
static enum heddle_status subtract(const struct heddle_factor_cuda *c, int64_t m, int64_t n,
                                   int64_t k, const char *a, const char *b, int64_t ld, int adjoint,
                                   char *to)
{
    if (m <= 0 || n <= 0 || k <= 0) return HEDDLE_OK;
    return heddle__factor_multiplied(
        c->blas->gemm(c->blas_handle, CUBLAS_OP_N, adjoint ? c->adjoint : CUBLAS_OP_N, m, n, k,
                      c->minus_one, a, ld, b, ld, c->one, to, c->f->rows),
        "gemm");
}

/* The call as a batch of small matrices. */
static struct heddle_batch batch_of(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    return (struct heddle_batch){.dtype = f->dtype,
                                 .rows = (int)f->rows,
                                 .columns = (int)f->width,
                                 .block_columns = (int)f->columns,
                                 .n = f->batch,
                                 .panel = c->panel,
                                 .block = c->block,
                                 .scales = c->scales,
                                 .lower = f->lower,
                                 .unit = f->unit,
                                 .begins = f->begins};
}

/* ---- Cholesky ------------------------------------------------------------------------------------------- */

static enum heddle_status cholesky(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    enum heddle_status status = HEDDLE_OK;
    if (f->batch > 1 && f->batch <= INT_MAX && f->width <= TOGETHER) {
        HEDDLE_TRY(launched(
            heddle__factor_pointers(c->pointers[0], c->panel, c->panel_bytes, f->batch, c->stream),
            "pointers"));
        HEDDLE_TRY(heddle__factor_solved(
            c->solver->potrf_batched(c->solver_handle, CUBLAS_FILL_MODE_LOWER, (int)f->width,
                                     c->pointers[0], (int)f->rows, c->info, (int)f->batch),
            "potrfBatched"));
    } else {
        for (int64_t i = 0; i < f->batch; i++) HEDDLE_TRY(heddle__cuda_cholesky(c, i));
    }
    HEDDLE_TRY(launched(heddle__factor_info(c->info, f->batch, &c->report, c->stream), "report"));
fail:
    return status;
}

static enum heddle_status cholesky_send(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    const int64_t row = f->first + f->width;
    const size_t bytes = (size_t)((f->rows - row) * c->size);
    return heddle__cuda_check(cudaMemcpy2DAsync(c->below, bytes, at(c, c->panel, row, 0),
                                                (size_t)(f->rows * c->size), bytes,
                                                (size_t)f->width, cudaMemcpyDeviceToDevice,
                                                (cudaStream_t)c->stream),
                              "copy of a panel");
}

/* The part of the block above its diagonal is undefined, so all of its rows are one product. */
static enum heddle_status cholesky_update(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    const int64_t row = f->first + f->width;
    char *const rows = c->below + (f->begin - row) * c->size;
    return subtract(c, f->rows - f->begin, f->columns, f->width, rows, rows, f->rows - row, 1,
                    at(c, c->block, f->begin, 0));
}

/* ---- LU --------------------------------------------------------------------------------------------------- */

static enum heddle_status lu(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    const struct heddle_batch b = batch_of(c);
    enum heddle_status status = HEDDLE_OK;
    if (heddle__batch_factors(&b)) return launched(heddle__batch_lu(&b, c->stream), "LU");
    if (f->batch > 1 && f->batch <= INT_MAX && f->width == f->rows && f->width <= TOGETHER) {
        HEDDLE_TRY(launched(
            heddle__factor_pointers(c->pointers[0], c->panel, c->panel_bytes, f->batch, c->stream),
            "pointers"));
        HEDDLE_TRY(heddle__factor_multiplied(
            c->blas->getrf_batched(c->blas_handle, (int)f->width, c->pointers[0], (int)f->rows,
                                   c->pivots, c->info, (int)f->batch),
            "getrfBatched"));
        return launched(heddle__factor_rows_of_int((int64_t *)(void *)c->scales, c->pivots,
                                                   f->width * f->batch, c->stream),
                        "pivots");
    }
    for (int64_t i = 0; i < f->batch; i++) HEDDLE_TRY(heddle__cuda_lu(c, i));
fail:
    return status;
}

/* Swaps the block's rows as n pivots from row `row` on say, `from` the first of them. */
static enum heddle_status swap(const struct heddle_factor_cuda *c, const int64_t *from, int64_t row,
                               int64_t n)
{
    return launched(
        heddle__factor_swap(c->block, c->f->rows, c->f->columns, c->size, from, row, n, c->stream),
        "swaps");
}

static enum heddle_status lu_update(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    const int64_t k = heddle__factor_pivots(f), row = f->first;
    char *const diagonal = at(c, c->panel, row, 0), *const to = at(c, c->block, row, 0);
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_TRY(swap(c, (const int64_t *)(const void *)c->scales, row, k));
    HEDDLE_TRY(heddle__factor_multiplied(
        c->blas->trsm(c->blas_handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                      CUBLAS_DIAG_UNIT, k, f->columns, c->one, diagonal, f->rows, to, f->rows),
        "trsm"));
    HEDDLE_TRY(subtract(c, f->rows - row - k, f->columns, k, diagonal + k * c->size, to, f->rows, 0,
                        to + k * c->size));
fail:
    return status;
}

static enum heddle_status lu_swap(const struct heddle_factor_cuda *c)
{
    const int64_t row = c->f->begin + c->f->columns, n = c->f->n_pivots - row;
    return n > 0 ? swap(c, (const int64_t *)(const void *)c->scales + row, row, n) : HEDDLE_OK;
}

/* ---- Triangular equations ----------------------------------------------------------------------------------- */

static enum heddle_status solve_one(const struct heddle_factor_cuda *c, int64_t i)
{
    const struct heddle_factor *f = c->f;
    char *const panel = c->panel + i * c->panel_bytes, *const to = c->block + i * c->block_bytes,
                *const rows = to + f->first * c->size;
    enum heddle_status status = HEDDLE_OK;
    HEDDLE_TRY(heddle__factor_multiplied(
        c->blas->trsm(c->blas_handle, CUBLAS_SIDE_LEFT,
                      f->lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                      f->unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, f->width, f->columns,
                      c->one, at(c, panel, f->first, 0), f->rows, rows, f->rows),
        "trsm"));
    if (f->lower)
        HEDDLE_TRY(subtract(c, f->rows - f->first - f->width, f->columns, f->width,
                            at(c, panel, f->first + f->width, 0), rows, f->rows, 0,
                            rows + f->width * c->size));
    else
        HEDDLE_TRY(subtract(c, f->first, f->columns, f->width, panel, rows, f->rows, 0, to));
fail:
    return status;
}

static enum heddle_status triangular(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    const struct heddle_batch b = batch_of(c);
    enum heddle_status status = HEDDLE_OK;
    if (!f->unit)
        HEDDLE_TRY(launched(heddle__factor_diagonal(at(c, c->panel, f->first, 0), f->rows, f->width,
                                                    c->size, c->real, c->panel_bytes, f->batch,
                                                    c->long_pivots, &c->report, c->stream),
                            "report"));
    if (heddle__batch_applies(&b))
        return launched(heddle__batch_triangular(&b, c->stream), "triangular equations");
    if (f->batch > 1 && f->width <= TOGETHER) {
        HEDDLE_TRY(launched(
            heddle__factor_pointers(c->pointers[0], c->panel, c->panel_bytes, f->batch, c->stream),
            "pointers"));
        HEDDLE_TRY(launched(
            heddle__factor_pointers(c->pointers[1], c->block, c->block_bytes, f->batch, c->stream),
            "pointers"));
        return heddle__factor_multiplied(
            c->blas->trsm_batched(c->blas_handle, CUBLAS_SIDE_LEFT,
                                  f->lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
                                  CUBLAS_OP_N, f->unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT,
                                  f->width, f->columns, c->one, c->pointers[0], f->rows,
                                  c->pointers[1], f->rows, f->batch),
            "trsmBatched");
    }
    for (int64_t i = 0; i < f->batch; i++) HEDDLE_TRY(solve_one(c, i));
fail:
    return status;
}

/* ---- QR ----------------------------------------------------------------------------------------------------- */

static enum heddle_status qr(const struct heddle_factor_cuda *c)
{
    const struct heddle_batch b = batch_of(c);
    enum heddle_status status = HEDDLE_OK;
    if (heddle__batch_reflects(&b)) return launched(heddle__batch_qr(&b, c->stream), "QR");
    for (int64_t i = 0; i < c->f->batch; i++) HEDDLE_TRY(heddle__cuda_qr(c, i));
fail:
    return status;
}

static enum heddle_status expand(const struct heddle_factor_cuda *c)
{
    const struct heddle_batch b = batch_of(c);
    enum heddle_status status = HEDDLE_OK;
    if (c->f->sent) return heddle__cuda_qr_reflect(c, false);
    if (heddle__batch_applies(&b)) return launched(heddle__batch_expand(&b, c->stream), "Q");
    for (int64_t i = 0; i < c->f->batch; i++) HEDDLE_TRY(heddle__cuda_expand(c, i));
fail:
    return status;
}

/* ---- The call ------------------------------------------------------------------------------------------------- */

static enum heddle_status step(const struct heddle_factor_cuda *c)
{
    const struct heddle_factor *f = c->f;
    switch ((enum heddle_factor_step)f->step) {
    case HEDDLE_CHOLESKY_PANEL: return cholesky(c);
    case HEDDLE_CHOLESKY_SEND: return cholesky_send(c);
    case HEDDLE_CHOLESKY_UPDATE: return cholesky_update(c);
    case HEDDLE_LU_PANEL: return lu(c);
    case HEDDLE_LU_UPDATE: return lu_update(c);
    case HEDDLE_LU_SWAP: return lu_swap(c);
    case HEDDLE_LU_ORDER:
        return launched(heddle__factor_order(c->order, c->signs,
                                             (const int64_t *)(const void *)c->scales, f->rows,
                                             f->n_pivots, f->batch, c->stream),
                        "order of rows");
    case HEDDLE_QR_PANEL: return qr(c);
    case HEDDLE_QR_SEND: return heddle__cuda_qr_send(c);
    case HEDDLE_QR_UPDATE: return heddle__cuda_qr_reflect(c, true);
    case HEDDLE_QR_EXPAND: return expand(c);
    case HEDDLE_TRIANGULAR: return triangular(c);
    case HEDDLE_FACTOR_STEPS: break;
    }
    return HEDDLE_OK;
}

/* Divides the scratch (kernel.c). */
static void use_scratch(struct heddle_factor_cuda *c, char *scratch)
{
    const struct heddle_factor *f = c->f;
    const int64_t pivots = f->batch * (f->width > f->n_pivots ? f->width : f->n_pivots);
    char *const begin = scratch;
    for (int i = 0; i < 2; i++) {
        c->pointers[i] = (void **)(void *)scratch;
        scratch += f->batch * (int64_t)sizeof(void *);
    }
    c->long_pivots = (int64_t *)(void *)scratch;
    scratch += f->width * (int64_t)sizeof(int64_t);
    c->info = (int *)(void *)scratch;
    scratch += f->batch * (int64_t)sizeof(int);
    c->pivots = (int *)(void *)scratch;
    scratch += pivots * (int64_t)sizeof(int);
    const size_t used = (size_t)(scratch - begin + 255) / 256 * 256;
    c->room = begin + used;
    c->room_bytes = heddle__factor_scratch(f, 0) - used;
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    static const float one32[2] = {1, 0}, minus32[2] = {-1, 0};
    static const double one64[2] = {1, 0}, minus64[2] = {-1, 0};
    const struct heddle_factor *f = arguments;
    const char kind = heddle_dtype_kind((enum heddle_dtype)f->dtype);
    const int size = (int)heddle_dtype_size((enum heddle_dtype)f->dtype);
    const int real = kind == 'C' ? size / 2 : size;
    const bool of_all = heddle__factor_is_of_all(f);
    HEDDLE_REQUIRE(f->rows <= INT_MAX && f->width <= INT_MAX && f->columns <= INT_MAX,
                   HEDDLE_EUNSUPPORTED, "heddle_linalg: a matrix of %lld rows is beyond cuSOLVER's",
                   (long long)f->rows);
    struct heddle_factor_cuda c = {
        .f = f,
        .size = size,
        .real = real,
        .adjoint = kind == 'C' ? CUBLAS_OP_C : CUBLAS_OP_T,
        .one = real == 4 ? (const void *)one32 : one64,
        .minus_one = real == 4 ? (const void *)minus32 : minus64,
        .panel_bytes = f->rows * f->width * size,
        .block_bytes = f->rows * f->columns * size,
        .scale_bytes = of_all ? f->n_pivots * 8
                              : heddle__factor_pivots(f) * (f->step <= HEDDLE_LU_UPDATE ? 8 : size),
        .report = {.words = k->report.words,
                   .tag = k->report.tag,
                   .name = f->name,
                   .matrix = f->matrix,
                   .row = f->first},
        .stream = k->stream};
    if (heddle__factor_has_below(f)) c.below = k->buffers[f->below];
    if (heddle__factor_has_panel(f)) c.panel = k->buffers[f->panel];
    if (f->columns > 0) c.block = k->buffers[f->block];
    if (of_all || heddle__factor_has_scales(f)) c.scales = k->buffers[f->scales];
    if (f->step == HEDDLE_LU_ORDER) {
        c.order = k->buffers[f->order];
        c.signs = k->buffers[f->signs];
    }
    use_scratch(&c, k->scratch);
    const enum heddle_status status = heddle__factor_libraries(&c);
    return status == HEDDLE_OK ? step(&c) : status;
}

const struct heddle_cuda_kernel heddle__cholesky_cuda = {.run = run};
const struct heddle_cuda_kernel heddle__lu_cuda = {.run = run};
const struct heddle_cuda_kernel heddle__qr_cuda = {.run = run};
const struct heddle_cuda_kernel heddle__reflect_cuda = {.run = run};
const struct heddle_cuda_kernel heddle__triangular_cuda = {.run = run};
