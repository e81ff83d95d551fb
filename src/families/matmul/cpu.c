/* The CPU twin of matmul: BLAS for floating dtypes, a loop that vectorises over columns for
 * integers. Threads: BLAS's own for one large product, a region over the batch for small ones.
 * Must leave the number of threads of the calling thread as it was. Entry: heddle__cpu_matmul. */
#include "families/matmul/kernel.h"

#include <cblas.h>
#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <string.h>

enum {
    SMALL_PRODUCT = 100 * 100 * 100, /* m * n * k up to which one thread does a product */
    ROWS_FOR_THREADS = 32768         /* integer multiplications that are worth a parallel region */
};

/* ---- floating ---------------------------------------------------------------------------------- */

/* How BLAS sees an operand with one unit stride: transposed or not, and its leading dimension. */
struct form {
    CBLAS_TRANSPOSE transpose;
    int ld;
};

static bool form_of(struct form *form, int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    const bool plain = column == 1 || columns == 1;
    const int64_t least = plain ? columns : rows, stride = plain ? row : column;
    const int64_t lines = plain ? rows : columns; /* the stride of a single line does not count */
    int64_t ld = lines == 1 || stride < least ? least : stride;
    if (ld < 1) ld = 1;
    if (ld > INT_MAX) return false;
    *form = (struct form){plain ? CblasNoTrans : CblasTrans, (int)ld};
    return lines == 1 || stride >= least;
}

static void gemm(const struct heddle_matmul *mm, struct form a, struct form b, const char *pa,
                 const char *pb, char *pc)
{
    const int m = (int)mm->m, n = (int)mm->n, k = (int)mm->k;
    const int ldc = mm->m == 1 ? n : (int)mm->c_row;
    const double beta = mm->accumulate ? 1 : 0;
    const float one32[2] = {1, 0}, beta32[2] = {(float)beta, 0};
    const double one64[2] = {1, 0}, beta64[2] = {beta, 0};
    const void *x = pa, *y = pb;
    void *z = pc;
    switch ((enum heddle_dtype)mm->dtype) {
    case HEDDLE_FLOAT32:
        cblas_sgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, 1, x, a.ld, y, b.ld,
                    (float)beta, z, ldc);
        break;
    case HEDDLE_FLOAT64:
        cblas_dgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, 1, x, a.ld, y, b.ld, beta, z,
                    ldc);
        break;
    case HEDDLE_COMPLEX64:
        cblas_cgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, one32, x, a.ld, y, b.ld,
                    beta32, z, ldc);
        break;
    default:
        cblas_zgemm(CblasRowMajor, a.transpose, b.transpose, m, n, k, one64, x, a.ld, y, b.ld,
                    beta64, z, ldc);
        break;
    }
}

/* ---- integers ---------------------------------------------------------------------------------- */

/* Rows from..to-1 of C: for each row, k goes outside and columns inside, so that C's row stays in
 * the cache. Unsigned arithmetic of the same width wraps as the signed one would. */
#define DEFINE_PRODUCT(T)                                                                          \
    static void product_##T(const struct heddle_matmul *mm, const void *pa, const void *pb,        \
                            void *pc, int64_t from, int64_t to)                                    \
    {                                                                                              \
        enum { COLUMNS = 1024 };                                                                   \
        for (int64_t j0 = 0; j0 < mm->n; j0 += COLUMNS) {                                          \
            const int64_t width = mm->n - j0 < COLUMNS ? mm->n - j0 : COLUMNS;                     \
            for (int64_t i = from; i < to; i++) {                                                  \
                T *c = (T *)pc + i * mm->c_row + j0;                                               \
                const T *a = (const T *)pa + i * mm->a_row;                                        \
                if (!mm->accumulate) memset(c, 0, (size_t)width * sizeof(T));                      \
                for (int64_t l = 0; l < mm->k; l++) {                                              \
                    const uint64_t x = a[l * mm->a_column];                                        \
                    const T *b = (const T *)pb + l * mm->b_row + j0 * mm->b_column;                \
                    if (mm->b_column == 1)                                                         \
                        for (int64_t j = 0; j < width; j++) c[j] = (T)(c[j] + x * b[j]);           \
                    else                                                                           \
                        for (int64_t j = 0; j < width; j++)                                        \
                            c[j] = (T)(c[j] + x * b[j * mm->b_column]);                            \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE_PRODUCT(uint8_t)
DEFINE_PRODUCT(uint16_t)
DEFINE_PRODUCT(uint32_t)
DEFINE_PRODUCT(uint64_t)

static void product(const struct heddle_matmul *mm, const void *a, const void *b, void *c,
                    int64_t from, int64_t to)
{
    switch (heddle_dtype_size((enum heddle_dtype)mm->dtype)) {
    case 1: product_uint8_t(mm, a, b, c, from, to); break;
    case 2: product_uint16_t(mm, a, b, c, from, to); break;
    case 4: product_uint32_t(mm, a, b, c, from, to); break;
    default: product_uint64_t(mm, a, b, c, from, to); break;
    }
}

/* ---- the call ---------------------------------------------------------------------------------- */

struct operands {
    char *a, *b, *c;
    int64_t a_batch, b_batch, c_batch; /* bytes */
};

static void clear(const struct heddle_matmul *mm, const struct operands *p, size_t size)
{
    for (int64_t i = 0; i < mm->batch; i++)
        for (int64_t r = 0; r < mm->m; r++)
            memset(p->c + i * p->c_batch + r * mm->c_row * (int64_t)size, 0, (size_t)mm->n * size);
}

static enum heddle_status integers(const struct heddle_matmul *mm, const struct operands *p,
                                   int n_threads)
{
    const int64_t rows = mm->m * mm->batch;
    if ((double)rows * (double)mm->n * (double)mm->k < ROWS_FOR_THREADS) n_threads = 1;
    if (rows < n_threads) n_threads = (int)rows;
    if (n_threads <= 1) {
        for (int64_t i = 0; i < mm->batch; i++)
            product(mm, p->a + i * p->a_batch, p->b + i * p->b_batch, p->c + i * p->c_batch, 0,
                    mm->m);
        return HEDDLE_OK;
    }
#pragma omp parallel num_threads(n_threads)
    {
        const int64_t t = omp_get_thread_num(), n = omp_get_num_threads();
        int64_t from = rows * t / n;
        const int64_t to = rows * (t + 1) / n;
        while (from < to) {
            const int64_t i = from / mm->m, first = from - i * mm->m;
            const int64_t count = mm->m - first < to - from ? mm->m - first : to - from;
            product(mm, p->a + i * p->a_batch, p->b + i * p->b_batch, p->c + i * p->c_batch, first,
                    first + count);
            from += count;
        }
    }
    return HEDDLE_OK;
}

/* OpenBLAS's pthread build has one number of threads for the process; the OpenMP build takes that
 * of the calling thread, and one inside a region. */
static void set_blas_threads(int n)
{
    if (openblas_get_parallel() == 1)
        openblas_set_num_threads(n);
    else
        omp_set_num_threads(n);
}

static enum heddle_status floating(const struct heddle_matmul *mm, const struct operands *p,
                                   int n_threads)
{
    struct form a, b;
    const bool fits = mm->m <= INT_MAX && mm->n <= INT_MAX && mm->k <= INT_MAX &&
                      (mm->m == 1 || (mm->c_row <= INT_MAX && mm->c_row >= mm->n));
    if (!fits || !form_of(&a, mm->m, mm->k, mm->a_row, mm->a_column) ||
        !form_of(&b, mm->k, mm->n, mm->b_row, mm->b_column))
        return heddle__fail(HEDDLE_EARG, "matmul: a matrix's extent or stride is out of range");
    const bool small = (double)mm->m * (double)mm->n * (double)mm->k <= SMALL_PRODUCT;
    const int before = omp_get_max_threads();
    if (n_threads > 1 && small && mm->batch > 1) {
        const int n_used = mm->batch < n_threads ? (int)mm->batch : n_threads;
        (void)n_used; /* for builds without OpenMP */
        if (openblas_get_parallel() == 1) openblas_set_num_threads(1);
#pragma omp parallel for schedule(static) num_threads(n_used)
        for (int64_t i = 0; i < mm->batch; i++)
            gemm(mm, a, b, p->a + i * p->a_batch, p->b + i * p->b_batch, p->c + i * p->c_batch);
        return HEDDLE_OK;
    }
    set_blas_threads(small ? 1 : n_threads);
    for (int64_t i = 0; i < mm->batch; i++)
        gemm(mm, a, b, p->a + i * p->a_batch, p->b + i * p->b_batch, p->c + i * p->c_batch);
    omp_set_num_threads(before);
    return HEDDLE_OK;
}

enum heddle_status heddle__cpu_matmul(const struct heddle_matmul *matmul, void *const buffers[],
                                      const struct heddle_cpu_team *team)
{
    const struct heddle_matmul *mm = matmul;
    if (mm->m <= 0 || mm->n <= 0 || mm->batch <= 0) return HEDDLE_OK;
    const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)mm->dtype);
    const struct operands p = {
        .a = (char *)buffers[mm->buffer[0]] + mm->a_offset * size,
        .b = (char *)buffers[mm->buffer[1]] + mm->b_offset * size,
        .c = (char *)buffers[mm->buffer[2]] + mm->c_offset * size,
        .a_batch = mm->a_batch * size,
        .b_batch = mm->b_batch * size,
        .c_batch = mm->c_batch * size,
    };
    if (mm->k <= 0) {
        if (!mm->accumulate) clear(mm, &p, (size_t)size);
        return HEDDLE_OK;
    }
    const char kind = heddle_dtype_kind((enum heddle_dtype)mm->dtype);
    if (kind == 'F' || kind == 'C') return floating(mm, &p, team->n_threads);
    return integers(mm, &p, team->n_threads);
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_cpu_team team = {k->n_threads};
    return heddle__cpu_matmul(arguments, k->buffers, &team);
}

const struct heddle_cpu_kernel heddle__matmul_cpu = {.run = run};
