/* cuSOLVER's and cuBLAS's functions by dtype, and factorisations of one matrix by them. What they work in is the call's
 * scratch or, if they want more, memory of the stream's order. Entry points: cuda_steps.h. */
#include "families/factor/cuda_steps.h"

#include "base/memory.h"
#include "cuda/device.h"
#include "cuda/library.h"

/* ---- Libraries ------------------------------------------------------------------------------------------ */

#define BLAS_NAMES(T)                                                                              \
    {                                                                                              \
        "cublas" #T "trsm_v2_64", "cublas" #T "trsmBatched_64", "cublas" #T "gemm_v2_64",          \
            "cublas" #T "getrfBatched"                                                             \
    }
#define SOLVER_NAMES(T, or, un)                                                                    \
    {                                                                                              \
        "cusolverDn" #T or "gqr_bufferSize", "cusolverDn" #T or "gqr",                             \
            "cusolverDn" #T un "mqr_bufferSize", "cusolverDn" #T un "mqr",                         \
            "cusolverDn" #T "potrfBatched"                                                         \
    }
enum { N_BLAS = 4, N_SOLVER = 5, N_ANY = 8 };
static const char *const blas_names[4][N_BLAS] = {BLAS_NAMES(S), BLAS_NAMES(D), BLAS_NAMES(C),
                                                  BLAS_NAMES(Z)};
static const char *const solver_names[4][N_SOLVER] = {
    SOLVER_NAMES(S, "or", "or"), SOLVER_NAMES(D, "or", "or"), SOLVER_NAMES(C, "un", "un"),
    SOLVER_NAMES(Z, "un", "un")};
static const char *const any_names[N_ANY] = {
    "cusolverDnCreateParams",      "cusolverDnDestroyParams",
    "cusolverDnXpotrf_bufferSize", "cusolverDnXpotrf",
    "cusolverDnXgetrf_bufferSize", "cusolverDnXgetrf",
    "cusolverDnXgeqrf_bufferSize", "cusolverDnXgeqrf"};
_Static_assert(sizeof(struct heddle_factor_blas) == N_BLAS * sizeof(void (*)(void)) &&
                   sizeof(struct heddle_factor_solver) == N_SOLVER * sizeof(void (*)(void)) &&
                   sizeof(struct heddle_factor_any) == N_ANY * sizeof(void (*)(void)),
               "a function for each name");

static struct heddle_factor_blas blas[4];
static struct heddle_factor_solver solver[4];
static struct heddle_factor_any any;

#define BLAS(i)                                                                                    \
    {                                                                                              \
        .file = "cublas", .name = "cuBLAS", .major = CUBLAS_VER_MAJOR, .n = N_BLAS,                \
        .names = blas_names[i], .functions = &blas[i]                                              \
    }
#define SOLVER(count, list, table)                                                                 \
    {                                                                                              \
        .file = "cusolver", .name = "cuSOLVER", .major = CUSOLVER_VER_MAJOR, .n = (count),         \
        .names = (list), .functions = (table)                                                      \
    }
static struct heddle_library blas_library[4] = {BLAS(0), BLAS(1), BLAS(2), BLAS(3)};
static struct heddle_library solver_library[4] = {
    SOLVER(N_SOLVER, solver_names[0], &solver[0]), SOLVER(N_SOLVER, solver_names[1], &solver[1]),
    SOLVER(N_SOLVER, solver_names[2], &solver[2]), SOLVER(N_SOLVER, solver_names[3], &solver[3])};
static struct heddle_library any_library = SOLVER(N_ANY, any_names, &any);

enum heddle_status heddle__factor_libraries(struct heddle_factor_cuda *c)
{
    static const char who[] = "heddle_linalg";
    static const cudaDataType types[4] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    const struct heddle_solver *ours;
    const struct heddle_blas *products;
    const int i = (c->size > c->real ? 2 : 0) + (c->real == 8);
    enum heddle_status status = HEDDLE_OK;
    c->type = types[i];
    c->blas = &blas[i];
    c->solver = &solver[i];
    c->any = &any;
    HEDDLE_TRY(heddle__library_get(&blas_library[i], who, c->stream, NULL));
    HEDDLE_TRY(heddle__library_get(&solver_library[i], who, c->stream, NULL));
    HEDDLE_TRY(heddle__library_get(&any_library, who, c->stream, NULL));
    HEDDLE_TRY(heddle__blas_get(who, c->stream, &products, &c->blas_handle));
    HEDDLE_TRY(heddle__solver_get(who, c->stream, &ours, &c->solver_handle));
fail:
    return status;
}

enum heddle_status heddle__factor_solved(cusolverStatus_t status, const char *what)
{
    HEDDLE_REQUIRE(status == CUSOLVER_STATUS_SUCCESS, HEDDLE_EDEVICE, "cuSOLVER: %s: status %d",
                   what, (int)status);
    return HEDDLE_OK;
}

enum heddle_status heddle__factor_multiplied(cublasStatus_t status, const char *what)
{
    HEDDLE_REQUIRE(status == CUBLAS_STATUS_SUCCESS, HEDDLE_EDEVICE, "cuBLAS: %s: status %d", what,
                   (int)status);
    return HEDDLE_OK;
}

/* ---- Workspaces ----------------------------------------------------------------------------------------- */

enum heddle_status heddle__factor_room_get(const struct heddle_factor_cuda *c,
                                           struct heddle_factor_room *w)
{
    if (w->device_bytes <= c->room_bytes) {
        w->device = c->room;
    } else {
        const enum heddle_status status = heddle__cuda_check(
            cudaMallocAsync(&w->device, w->device_bytes, (cudaStream_t)c->stream),
            "memory for a factorisation");
        if (status != HEDDLE_OK) return status;
        w->taken = true;
    }
    if (w->host_bytes == 0) return HEDDLE_OK;
    w->host = heddle__alloc(w->host_bytes);
    HEDDLE_REQUIRE(w->host, HEDDLE_ENOMEM, "heddle_linalg: no memory");
    return HEDDLE_OK;
}

void heddle__factor_room_put(const struct heddle_factor_cuda *c, struct heddle_factor_room *w)
{
    if (w->taken) (void)cudaFreeAsync(w->device, (cudaStream_t)c->stream);
    if (!w->host) return;
    (void)cudaStreamSynchronize((cudaStream_t)c->stream); /* it may be read until then */
    heddle__free(w->host);
}

/* ---- Factors -------------------------------------------------------------------------------------------- */

static char *at(const struct heddle_factor_cuda *c, char *matrix, int64_t row, int64_t column)
{
    return matrix + (column * c->f->rows + row) * c->size;
}

enum heddle_status heddle__cuda_cholesky(const struct heddle_factor_cuda *c, int64_t i)
{
    const struct heddle_factor *f = c->f;
    char *const diagonal = at(c, c->panel + i * c->panel_bytes, f->first, 0);
    const int64_t below = f->rows - f->first - f->width;
    enum heddle_status status = HEDDLE_OK;
    struct heddle_factor_room w = {0};
    cusolverDnParams_t params = NULL;
    HEDDLE_TRY(heddle__factor_solved(c->any->create_params(&params), "parameters"));
    HEDDLE_TRY(heddle__factor_solved(
        c->any->potrf_size(c->solver_handle, params, CUBLAS_FILL_MODE_LOWER, f->width, c->type,
                           diagonal, f->rows, c->type, &w.device_bytes, &w.host_bytes),
        "size of potrf"));
    HEDDLE_TRY(heddle__factor_room_get(c, &w));
    HEDDLE_TRY(
        heddle__factor_solved(c->any->potrf(c->solver_handle, params, CUBLAS_FILL_MODE_LOWER,
                                            f->width, c->type, diagonal, f->rows, c->type, w.device,
                                            w.device_bytes, w.host, w.host_bytes, c->info + i),
                              "potrf"));
    if (below > 0)
        HEDDLE_TRY(heddle__factor_multiplied(
            c->blas->trsm(c->blas_handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, c->adjoint,
                          CUBLAS_DIAG_NON_UNIT, below, f->width, c->one, diagonal, f->rows,
                          diagonal + f->width * c->size, f->rows),
            "trsm"));
fail:
    if (params) (void)c->any->destroy_params(params);
    heddle__factor_room_put(c, &w);
    return status;
}

enum heddle_status heddle__cuda_lu(const struct heddle_factor_cuda *c, int64_t i)
{
    const struct heddle_factor *f = c->f;
    const int64_t m = f->rows - f->first, k = heddle__factor_pivots(f);
    char *const from = at(c, c->panel + i * c->panel_bytes, f->first, 0);
    enum heddle_status status = HEDDLE_OK;
    struct heddle_factor_room w = {0};
    cusolverDnParams_t params = NULL;
    HEDDLE_TRY(heddle__factor_solved(c->any->create_params(&params), "parameters"));
    HEDDLE_TRY(heddle__factor_solved(c->any->getrf_size(c->solver_handle, params, m, f->width,
                                                        c->type, from, f->rows, c->type,
                                                        &w.device_bytes, &w.host_bytes),
                                     "size of getrf"));
    HEDDLE_TRY(heddle__factor_room_get(c, &w));
    HEDDLE_TRY(heddle__factor_solved(c->any->getrf(c->solver_handle, params, m, f->width, c->type,
                                                   from, f->rows, c->long_pivots, c->type, w.device,
                                                   w.device_bytes, w.host, w.host_bytes, c->info),
                                     "getrf"));
    HEDDLE_TRY(heddle__cuda_check(
        (cudaError_t)heddle__factor_rows_of((int64_t *)(void *)(c->scales + i * c->scale_bytes),
                                            c->long_pivots, f->first, k, c->stream),
        "pivots"));
fail:
    if (params) (void)c->any->destroy_params(params);
    heddle__factor_room_put(c, &w);
    return status;
}

enum heddle_status heddle__cuda_qr(const struct heddle_factor_cuda *c, int64_t i)
{
    const struct heddle_factor *f = c->f;
    const int64_t m = f->rows - f->first;
    char *const from = at(c, c->panel + i * c->panel_bytes, f->first, 0), *const tau =
                                                                              c->scales +
                                                                              i * c->scale_bytes;
    enum heddle_status status = HEDDLE_OK;
    struct heddle_factor_room w = {0};
    cusolverDnParams_t params = NULL;
    HEDDLE_TRY(heddle__factor_solved(c->any->create_params(&params), "parameters"));
    HEDDLE_TRY(heddle__factor_solved(c->any->geqrf_size(c->solver_handle, params, m, f->width,
                                                        c->type, from, f->rows, c->type, tau,
                                                        c->type, &w.device_bytes, &w.host_bytes),
                                     "size of geqrf"));
    HEDDLE_TRY(heddle__factor_room_get(c, &w));
    HEDDLE_TRY(heddle__factor_solved(c->any->geqrf(c->solver_handle, params, m, f->width, c->type,
                                                   from, f->rows, c->type, tau, c->type, w.device,
                                                   w.device_bytes, w.host, w.host_bytes, c->info),
                                     "geqrf"));
fail:
    if (params) (void)c->any->destroy_params(params);
    heddle__factor_room_put(c, &w);
    return status;
}

/* All of Q of one panel, made where its reflectors are copied to. */
static enum heddle_status expand_whole(const struct heddle_factor_cuda *c, const char *panel,
                                       char *block, const char *tau)
{
    const struct heddle_factor *f = c->f;
    const int m = (int)f->rows, n = (int)f->columns, k = (int)heddle__factor_pivots(f);
    enum heddle_status status = HEDDLE_OK;
    struct heddle_factor_room w = {0};
    int elements = 0;
    HEDDLE_TRY(
        heddle__cuda_check(cudaMemcpyAsync(block, panel, (size_t)(f->rows * k * c->size),
                                           cudaMemcpyDeviceToDevice, (cudaStream_t)c->stream),
                           "copy of reflectors"));
    HEDDLE_TRY(heddle__factor_solved(
        c->solver->orgqr_size(c->solver_handle, m, n, k, block, m, tau, &elements),
        "size of orgqr"));
    w.device_bytes = (size_t)elements * (size_t)c->size;
    HEDDLE_TRY(heddle__factor_room_get(c, &w));
    HEDDLE_TRY(heddle__factor_solved(
        c->solver->orgqr(c->solver_handle, m, n, k, block, m, tau, w.device, elements, c->info),
        "orgqr"));
fail:
    heddle__factor_room_put(c, &w);
    return status;
}

enum heddle_status heddle__cuda_expand(const struct heddle_factor_cuda *c, int64_t i)
{
    const struct heddle_factor *f = c->f;
    const int m = (int)(f->rows - f->first), n = (int)f->columns, ld = (int)f->rows;
    const int k = (int)heddle__factor_pivots(f);
    char *const panel = c->panel + i * c->panel_bytes, *const block = c->block + i * c->block_bytes,
                *const tau = c->scales + i * c->scale_bytes;
    char *const v = at(c, panel, f->first, 0), *const to = at(c, block, f->first, 0);
    enum heddle_status status = HEDDLE_OK;
    struct heddle_factor_room w = {0};
    int elements = 0;
    if (f->begins && f->first == 0 && f->begin == 0 && k <= n)
        return expand_whole(c, panel, block, tau);
    if (f->begins)
        HEDDLE_TRY(heddle__cuda_check(
            (cudaError_t)heddle__factor_identity(block, f->rows, f->columns, f->begin, c->size,
                                                 c->real, 1, c->stream),
            "identity"));
    HEDDLE_TRY(
        heddle__factor_solved(c->solver->ormqr_size(c->solver_handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N,
                                                    m, n, k, v, ld, tau, to, ld, &elements),
                              "size of ormqr"));
    w.device_bytes = (size_t)elements * (size_t)c->size;
    HEDDLE_TRY(heddle__factor_room_get(c, &w));
    HEDDLE_TRY(heddle__factor_solved(c->solver->ormqr(c->solver_handle, CUBLAS_SIDE_LEFT,
                                                      CUBLAS_OP_N, m, n, k, v, ld, tau, to, ld,
                                                      w.device, elements, c->info),
                                     "ormqr"));
fail:
    heddle__factor_room_put(c, &w);
    return status;
}
