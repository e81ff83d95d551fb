/* Matrix products: cuBLAS for floating dtypes, else a kernel of ours. cuBLAS is column-major, so that
 * C = A B is asked for as C^T = B^T A^T. Products have the dtype's precision; those of halves, and of operands that
 * were rounded to TF32 for it, are added in float32, on tensor cores. Of a small result with long sums, whose tiles would
 * keep few multiprocessors busy, the sums are cut, and many rows by a vector have a kernel (kernel_thin.h), as products by small
 * matrices have (cuda_narrow.h, cuda_short.h). Results that two axes number are asked for axis by axis, or all at once by their addresses.
 * Entry point: heddle__cuda_matmul. */
#include "cuda/blas.h"
#include "cuda/device.h"
#include "families/matmul/cuda_addresses.h"
#include "families/matmul/cuda_narrow.h"
#include "families/matmul/cuda_short.h"
#include "families/matmul/cuda_thin.h"
#include "families/matmul/kernel_thin.h"

/* A row-major operand as BLAS takes it: as it is or transposed, with a leading dimension. */
struct blas_operand {
    int is_transposed;
    int64_t leading;
};

/* Of the first elements. */
struct addresses {
    const char *a, *b;
    char *c;
};

static int64_t at_least_one(int64_t x)
{
    return x > 1 ? x : 1;
}

/* False when neither stride can be BLAS's unit one, or the other is too short. */
static int as_blas(int64_t rows, int64_t columns, int64_t row, int64_t column,
                   struct blas_operand *out)
{
    if ((column == 1 || columns <= 1) && (rows <= 1 || row >= at_least_one(columns))) {
        *out = (struct blas_operand){0, rows <= 1 ? at_least_one(columns) : row};
        return 1;
    }
    if ((row == 1 || rows <= 1) && (columns <= 1 || column >= at_least_one(rows))) {
        *out = (struct blas_operand){1, columns <= 1 ? at_least_one(rows) : column};
        return 1;
    }
    return 0;
}

static cublasStatus_t gemm(const struct heddle_blas *blas, const struct heddle_matmul *p,
                           cublasHandle_t handle, struct blas_operand a, struct blas_operand b,
                           const void *a_data, const void *b_data, void *c_data)
{
    const cublasOperation_t op_a = a.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t op_b = b.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const float one32[2] = {1, 0}, beta32[2] = {p->accumulate ? 1.0f : 0.0f, 0};
    const double one64[2] = {1, 0}, beta64[2] = {p->accumulate ? 1.0 : 0.0, 0};
    const int64_t c_leading = p->m <= 1 ? at_least_one(p->n) : p->c_row;
    if (p->halves) {
        const cudaDataType_t type = p->halves == HEDDLE_FLOAT16 ? CUDA_R_16F : CUDA_R_16BF;
        return blas->cublasGemmStridedBatchedEx_64(
            handle, op_b, op_a, p->n, p->m, p->k, one32, b_data, type, b.leading, p->b_batch,
            a_data, type, a.leading, p->a_batch, beta32, c_data, p->rounded ? type : CUDA_R_32F,
            c_leading, p->c_batch, p->batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    }
    if (p->tf32)
        return blas->cublasGemmStridedBatchedEx_64(
            handle, op_b, op_a, p->n, p->m, p->k, one32, b_data, CUDA_R_32F, b.leading, p->b_batch,
            a_data, CUDA_R_32F, a.leading, p->a_batch, beta32, c_data, CUDA_R_32F, c_leading,
            p->c_batch, p->batch, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT);
    switch (p->dtype) {
    case HEDDLE_FLOAT32:
        return blas->cublasSgemmStridedBatched_64(
            handle, op_b, op_a, p->n, p->m, p->k, one32, b_data, b.leading, p->b_batch, a_data,
            a.leading, p->a_batch, beta32, c_data, c_leading, p->c_batch, p->batch);
    case HEDDLE_FLOAT64:
        return blas->cublasDgemmStridedBatched_64(
            handle, op_b, op_a, p->n, p->m, p->k, one64, b_data, b.leading, p->b_batch, a_data,
            a.leading, p->a_batch, beta64, c_data, c_leading, p->c_batch, p->batch);
    case HEDDLE_COMPLEX64:
        return blas->cublasCgemmStridedBatched_64(
            handle, op_b, op_a, p->n, p->m, p->k, (const cuComplex *)one32, b_data, b.leading,
            p->b_batch, a_data, a.leading, p->a_batch, (const cuComplex *)beta32, c_data, c_leading,
            p->c_batch, p->batch);
    default:
        return blas->cublasZgemmStridedBatched_64(
            handle, op_b, op_a, p->n, p->m, p->k, (const cuDoubleComplex *)one64, b_data, b.leading,
            p->b_batch, a_data, a.leading, p->a_batch, (const cuDoubleComplex *)beta64, c_data,
            c_leading, p->c_batch, p->batch);
    }
}

static enum heddle_status fill_with_zeros(const struct heddle_matmul *p, char *c, int64_t size,
                                          cudaStream_t stream)
{
    enum heddle_status status = HEDDLE_OK;
    const size_t width = (size_t)(p->n * size);
    const size_t pitch = p->m <= 1 ? width : (size_t)(p->c_row * size);
    for (int64_t i = 0; i < p->batch * p->outer; i++) {
        char *const to = c + (i % p->batch * p->c_batch + i / p->batch * p->c_outer) * size;
        HEDDLE_TRY(heddle__cuda_check(cudaMemset2DAsync(to, pitch, 0, width, (size_t)p->m, stream),
                                      "zeros of an empty matrix product"));
    }
fail:
    return status;
}

/* The same by addresses, [3][batch * outer] on the GPU: of A, of B, of C. */
static cublasStatus_t gemm_at(const struct heddle_blas *blas, const struct heddle_matmul *p,
                              cublasHandle_t handle, struct blas_operand a, struct blas_operand b,
                              void **addresses)
{
    const float one32[2] = {1, 0}, beta32[2] = {p->accumulate ? 1.0f : 0.0f, 0};
    const double one64[2] = {1, 0}, beta64[2] = {p->accumulate ? 1.0 : 0.0, 0};
    const int64_t n = p->batch * p->outer;
    const bool doubles = p->dtype == HEDDLE_FLOAT64 || p->dtype == HEDDLE_COMPLEX128;
    cudaDataType_t type = p->dtype == HEDDLE_FLOAT32     ? CUDA_R_32F
                          : p->dtype == HEDDLE_FLOAT64   ? CUDA_R_64F
                          : p->dtype == HEDDLE_COMPLEX64 ? CUDA_C_32F
                                                         : CUDA_C_64F,
                   c_type = type;
    if (p->halves) type = p->halves == HEDDLE_FLOAT16 ? CUDA_R_16F : CUDA_R_16BF;
    if (p->rounded) c_type = type;
    const cublasComputeType_t compute = doubles   ? CUBLAS_COMPUTE_64F
                                        : p->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                  : CUBLAS_COMPUTE_32F;
    return blas->cublasGemmBatchedEx_64(
        handle, b.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
        a.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, p->n, p->m, p->k,
        doubles ? (const void *)one64 : one32, (const void *const *)(addresses + n), type,
        b.leading, (const void *const *)addresses, type, a.leading,
        doubles ? (const void *)beta64 : beta32, addresses + 2 * n, c_type,
        p->m <= 1 ? at_least_one(p->n) : p->c_row, n, compute, CUBLAS_GEMM_DEFAULT);
}

static struct heddle_matmul_kernel kernel_of(const struct heddle_matmul *p,
                                             const struct addresses *at)
{
    return (struct heddle_matmul_kernel){.dtype = p->dtype,
                                         .accumulate = p->accumulate,
                                         .m = p->m,
                                         .n = p->n,
                                         .k = p->k,
                                         .batch = p->batch,
                                         .outer = p->outer,
                                         .a_row = p->a_row,
                                         .a_column = p->a_column,
                                         .a_batch = p->a_batch,
                                         .a_outer = p->a_outer,
                                         .b_row = p->b_row,
                                         .b_column = p->b_column,
                                         .b_batch = p->b_batch,
                                         .b_outer = p->b_outer,
                                         .c_row = p->c_row,
                                         .c_batch = p->c_batch,
                                         .c_outer = p->c_outer,
                                         .a = at->a,
                                         .b = at->b,
                                         .c = at->c};
}

static int64_t size_of(const struct heddle_matmul *p)
{
    return (int64_t)heddle_dtype_size((enum heddle_dtype)(p->halves ? p->halves : p->dtype));
}

static int64_t c_size_of(const struct heddle_matmul *p)
{
    return p->rounded ? size_of(p) : (int64_t)heddle_dtype_size((enum heddle_dtype)p->dtype);
}

/* By cuBLAS, where it takes the strides; else *done is false. */
static enum heddle_status by_blas(const struct heddle_matmul *p, const struct addresses *at,
                                  void *scratch, void *stream, bool *done)
{
    struct blas_operand a, b;
    *done = as_blas(p->m, p->k, p->a_row, p->a_column, &a) &&
            as_blas(p->k, p->n, p->b_row, p->b_column, &b);
    if (!*done) return HEDDLE_OK;
    const struct heddle_blas *blas;
    cublasHandle_t handle;
    enum heddle_status status = heddle__blas_get("heddle_matmul", stream, &blas, &handle);
    if (status != HEDDLE_OK) return status;
    cublasStatus_t result = CUBLAS_STATUS_SUCCESS;
    if (heddle__matmul_takes_addresses(p)) {
        const struct heddle_matmul_kernel args = kernel_of(p, at);
        status = heddle__cuda_check(
            (cudaError_t)heddle__matmul_addresses(&args, size_of(p), c_size_of(p), scratch, stream),
            "launch of addresses of matrices");
        if (status != HEDDLE_OK) return status;
        result = gemm_at(blas, p, handle, a, b, scratch);
    } else {
        const int64_t size = size_of(p), c_size = c_size_of(p);
        struct heddle_matmul batch = heddle__matmul_longer_axis(p);
        const int64_t n = heddle__matmul_goes_back(&batch) ? batch.batch : 1;
        batch.batch /= n;
        for (int64_t call = 0; call < batch.outer * n && result == CUBLAS_STATUS_SUCCESS; call++) {
            const int64_t i = call / n, j = call % n;
            result = gemm(blas, &batch, handle, a, b,
                          at->a + (i * batch.a_outer + j * batch.a_batch) * size,
                          at->b + (i * batch.b_outer + j * batch.b_batch) * size,
                          at->c + (i * batch.c_outer + j * batch.c_batch) * c_size);
        }
    }
    HEDDLE_REQUIRE(result == CUBLAS_STATUS_SUCCESS, HEDDLE_EDEVICE, "cuBLAS: %s",
                   blas->cublasGetStatusString(result));
    return HEDDLE_OK;
}

/* Partial results of slices of the sums, and the sum of these. */
static enum heddle_status thin(const struct heddle_matmul *p, const struct heddle_thin_cut *cut,
                               const struct addresses *at, void *scratch, void *stream, bool *done)
{
    const int of = p->halves ? p->halves : p->dtype;
    struct heddle_thin_kernel args = {.of = of,
                                      .result = p->rounded ? of : p->dtype,
                                      .accumulate = p->accumulate,
                                      .m = p->m,
                                      .n = p->n,
                                      .k = p->k,
                                      .slices = cut->slices,
                                      .length = cut->length,
                                      .rest = cut->rest,
                                      .a_row = p->a_row,
                                      .a_column = p->a_column,
                                      .b_row = p->b_row,
                                      .b_column = p->b_column,
                                      .c_row = p->c_row,
                                      .a = at->a,
                                      .b = at->b,
                                      .partial = scratch,
                                      .c = at->c};
    *done = true;
    if (cut->way == HEDDLE_THIN_GEMM) {
        struct heddle_matmul slices = *p;
        slices.accumulate = slices.rounded = 0;
        slices.k = cut->length;
        slices.batch = cut->slices;
        slices.a_batch = cut->length * p->a_column;
        slices.b_batch = cut->length * p->b_row;
        slices.c_row = p->n;
        slices.c_batch = p->m * p->n;
        const struct addresses to = {at->a, at->b, scratch};
        const enum heddle_status status = by_blas(&slices, &to, NULL, stream, done);
        if (status != HEDDLE_OK || !*done) return status;
    } else {
        struct heddle_thin_kernel vector = args;
        if (p->m == 1 && p->n > 1) { /* C^T = B^T A^T */
            vector.m = p->n;
            vector.a = at->b;
            vector.a_row = p->b_column;
            vector.a_column = p->b_row;
            vector.b = at->a;
            vector.b_row = p->a_column;
            vector.c_row = 1;
        }
        if (cut->way == HEDDLE_THIN_ROWS)
            return heddle__cuda_check((cudaError_t)heddle__thin_rows(&vector, stream),
                                      "launch of a product of many rows with a vector");
        const enum heddle_status status = heddle__cuda_check(
            (cudaError_t)heddle__thin_vector(&vector, cut->way == HEDDLE_THIN_ALONG, stream),
            "launch of a product with a vector");
        if (status != HEDDLE_OK) return status;
    }
    return heddle__cuda_check((cudaError_t)heddle__thin_sums(&args, stream),
                              "launch of sums of partial products");
}

static bool is_full_real(const struct heddle_matmul *p)
{
    return (p->dtype == HEDDLE_FLOAT32 || p->dtype == HEDDLE_FLOAT64) && !p->halves;
}

/* By n, k and the dtype alone, so that the bits are the same for any number of rows. */
static bool is_narrow(const struct heddle_matmul *p)
{
    return is_full_real(p) && p->n <= HEDDLE_MATMUL_NARROW && p->k <= HEDDLE_MATMUL_NARROW &&
           p->n * p->k <= HEDDLE_MATMUL_NARROW_SIZE;
}

/* Likewise by k and the dtype, and by n or m, once the product is not narrow. */
static bool is_short(const struct heddle_matmul *p, const struct heddle_matmul_kernel *args)
{
    if (!is_full_real(p) || p->k > HEDDLE_MATMUL_SHORT) return false;
    return p->n <= HEDDLE_MATMUL_SHORT ? heddle__matmul_has_one_b(args)
                                       : p->m <= HEDDLE_MATMUL_SHORT && p->b_column == 1;
}

/* Of any dtype and strides. */
static enum heddle_status tiled(const struct heddle_matmul *p,
                                const struct heddle_matmul_kernel *args, void *stream)
{
    HEDDLE_REQUIRE(!p->halves, HEDDLE_EDEVICE, "matmul: strides that cuBLAS does not take");
    return heddle__cuda_check((cudaError_t)heddle__matmul_tiled(args, stream),
                              "launch of a matrix product");
}

enum heddle_status heddle__cuda_matmul(const struct heddle_matmul *matmul, void *const buffers[],
                                       void *scratch, void *stream)
{
    const struct heddle_matmul *p = matmul;
    const enum heddle_dtype dtype = (enum heddle_dtype)p->dtype;
    const struct addresses at = {(const char *)buffers[p->buffer[0]] + p->a_offset * size_of(p),
                                 (const char *)buffers[p->buffer[1]] + p->b_offset * size_of(p),
                                 (char *)buffers[p->buffer[2]] + p->c_offset * c_size_of(p)};
    const char kind = heddle_dtype_kind(dtype);
    enum heddle_status status = HEDDLE_OK;
    bool done = false;

    if (p->m == 0 || p->n == 0 || p->batch == 0) return HEDDLE_OK;
    if (p->k == 0)
        return p->accumulate ? HEDDLE_OK : fill_with_zeros(p, at.c, c_size_of(p), stream);

    const struct heddle_matmul_kernel args = kernel_of(p, &at);
    if (is_narrow(p))
        return heddle__cuda_check((cudaError_t)heddle__matmul_narrow(&args, stream),
                                  "launch of a product by a small matrix");
    if (is_short(p, &args))
        return heddle__cuda_check((cudaError_t)heddle__matmul_short(&args, stream),
                                  "launch of a product by a small matrix");
    const struct heddle_thin_cut cut = heddle__thin_cut(p);
    if (cut.way != HEDDLE_THIN_NOT) status = thin(p, &cut, &at, scratch, stream, &done);
    if (status == HEDDLE_OK && !done && (kind == 'F' || kind == 'C'))
        status = by_blas(p, &at, scratch, stream, &done);
    if (status != HEDDLE_OK || done) return status;
    return tiled(p, &args, stream);
}

/* The epilogue follows as a launch of its own. */
static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_matmul *p = arguments;
    const enum heddle_status status = heddle__cuda_matmul(p, k->buffers, k->scratch, k->stream);
    if (status != HEDDLE_OK || !p->epilogue) return status;
    return heddle__cuda_program(p->epilogue, k->buffers, k->constants, NULL, k->stream,
                                &k->interpreted);
}

static void prepare(const void *arguments)
{
    const struct heddle_matmul *p = arguments;
    if (p->epilogue) heddle__cuda_prepare(p->epilogue);
}

const struct heddle_cuda_kernel heddle__matmul_cuda = {.run = run, .prepare = prepare};
