/* Products by BLAS: of matrices, and of a matrix and a vector. Entry points: cpu_blas.h. */
#include "families/matmul/cpu_blas.h"

#include "base/error.h"

#include <limits.h>
#include <string.h>

/* ---- Forms ---------------------------------------------------------------------------------------------- */

static bool form_of(struct heddle_blas_form *form, int64_t rows, int64_t columns, int64_t row,
                    int64_t column)
{
    const bool plain = column == 1 || columns == 1;
    const int64_t least = plain ? columns : rows, stride = plain ? row : column;
    const int64_t lines = plain ? rows : columns; /* the stride of a single line does not count */
    int64_t ld = lines == 1 || stride < least ? least : stride;
    if (ld < 1) ld = 1;
    if (ld > INT_MAX) return false;
    *form = (struct heddle_blas_form){plain ? CblasNoTrans : CblasTrans, (int)ld};
    return lines == 1 || stride >= least;
}

/* A product of matrices would bring the matrix into another order first, which costs more than its product with a
 * vector. */
static bool is_by_vector(const struct heddle_matmul *mm, struct heddle_blas_product *p)
{
    if (mm->n != 1 && mm->m != 1) return false;
    p->vector_first = mm->n != 1;
    p->is_dot = mm->n == 1 && mm->m == 1;
    int64_t x = p->vector_first ? mm->a_column : mm->b_row;
    int64_t y = p->is_dot ? mm->a_column : p->vector_first ? 1 : mm->c_row;
    if (mm->k == 1) x = 1;
    if (mm->k == 1 && p->is_dot) y = 1;
    p->x_stride = (int)x;
    p->y_stride = (int)y;
    return x > 0 && x <= INT_MAX && y > 0 && y <= INT_MAX;
}

enum heddle_status heddle__blas_product_begin(const struct heddle_matmul *mm,
                                              struct heddle_blas_product *p)
{
    const bool fits = mm->m <= INT_MAX && mm->n <= INT_MAX && mm->k <= INT_MAX &&
                      (mm->m == 1 || (mm->c_row <= INT_MAX && mm->c_row >= mm->n));
    HEDDLE_REQUIRE(fits && form_of(&p->a, mm->m, mm->k, mm->a_row, mm->a_column) &&
                       form_of(&p->b, mm->k, mm->n, mm->b_row, mm->b_column),
                   HEDDLE_EARG, "matmul: a matrix's extent or stride is out of range");
    p->by_vector = is_by_vector(mm, p);
    return heddle__cpu_blas(&p->blas);
}

/* ---- Products --------------------------------------------------------------------------------------------- */

/* Factors 0 and 1, of each precision, as BLAS takes those of complex numbers. */
static const float f32[2][2] = {{0, 0}, {1, 0}};
static const double f64[2][2] = {{0, 0}, {1, 0}};

static void matrices(const struct heddle_blas_product *p, const struct heddle_matmul *mm, int m,
                     int n, const void *a, const void *b, void *c)
{
    const struct heddle_cpu_blas *blas = p->blas;
    const CBLAS_TRANSPOSE ta = p->a.transpose, tb = p->b.transpose;
    const int k = (int)mm->k, lda = p->a.ld, ldb = p->b.ld,
              ldc = mm->m == 1 ? (int)mm->n : (int)mm->c_row, beta = mm->accumulate != 0;
    switch ((enum heddle_dtype)mm->dtype) {
    case HEDDLE_FLOAT32:
        blas->cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, (float)beta, c, ldc);
        break;
    case HEDDLE_FLOAT64:
        blas->cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, beta, c, ldc);
        break;
    case HEDDLE_COMPLEX64:
        blas->cblas_cgemm(CblasRowMajor, ta, tb, m, n, k, f32[1], a, lda, b, ldb, f32[beta], c,
                          ldc);
        break;
    default:
        blas->cblas_zgemm(CblasRowMajor, ta, tb, m, n, k, f64[1], a, lda, b, ldb, f64[beta], c,
                          ldc);
        break;
    }
}

static void clear(char *y, int m, int64_t stride_bytes, size_t size)
{
    for (int i = 0; i < m; i++) memset(y + i * stride_bytes, 0, size);
}

/* y = A x, of m rows; or y = x B, of m columns. It adds to zeros: some versions of BLAS multiply by 0 what was there
 * before, which may be NaN. */
static void by_vector(const struct heddle_blas_product *p, const struct heddle_matmul *mm, int m,
                      const void *a, const void *x, void *y)
{
    const struct heddle_cpu_blas *blas = p->blas;
    const struct heddle_blas_form form = p->vector_first ? p->b : p->a;
    const bool is_tall = (form.transpose == CblasNoTrans) == p->vector_first; /* k lines of m */
    const CBLAS_TRANSPOSE t = is_tall ? CblasTrans : CblasNoTrans;
    const int k = (int)mm->k, rows = is_tall ? k : m, columns = is_tall ? m : k, ld = form.ld,
              x_stride = p->x_stride, y_stride = p->y_stride;
    const size_t size = heddle_dtype_size((enum heddle_dtype)mm->dtype);
    if (!mm->accumulate) clear(y, m, y_stride * (int64_t)size, size);
    switch ((enum heddle_dtype)mm->dtype) {
    case HEDDLE_FLOAT32:
        blas->cblas_sgemv(CblasRowMajor, t, rows, columns, 1, a, ld, x, x_stride, 1, y, y_stride);
        break;
    case HEDDLE_FLOAT64:
        blas->cblas_dgemv(CblasRowMajor, t, rows, columns, 1, a, ld, x, x_stride, 1, y, y_stride);
        break;
    case HEDDLE_COMPLEX64:
        blas->cblas_cgemv(CblasRowMajor, t, rows, columns, f32[1], a, ld, x, x_stride, f32[1], y,
                          y_stride);
        break;
    default:
        blas->cblas_zgemv(CblasRowMajor, t, rows, columns, f64[1], a, ld, x, x_stride, f64[1], y,
                          y_stride);
        break;
    }
}

static void dot(const struct heddle_blas_product *p, const struct heddle_matmul *mm, const void *a,
                const void *b, void *c)
{
    const struct heddle_cpu_blas *blas = p->blas;
    const int k = (int)mm->k, ys = p->y_stride, xs = p->x_stride;
    const bool adds = mm->accumulate != 0;
    float _Complex c64;
    double _Complex c128;
    switch ((enum heddle_dtype)mm->dtype) {
    case HEDDLE_FLOAT32:
        *(float *)c = blas->cblas_sdot(k, a, ys, b, xs) + (adds ? *(float *)c : 0);
        break;
    case HEDDLE_FLOAT64:
        *(double *)c = blas->cblas_ddot(k, a, ys, b, xs) + (adds ? *(double *)c : 0);
        break;
    case HEDDLE_COMPLEX64:
        blas->cblas_cdotu_sub(k, a, ys, b, xs, &c64);
        *(float _Complex *)c = c64 + (adds ? *(float _Complex *)c : 0);
        break;
    default:
        blas->cblas_zdotu_sub(k, a, ys, b, xs, &c128);
        *(double _Complex *)c = c128 + (adds ? *(double _Complex *)c : 0);
        break;
    }
}

void heddle__blas_product(const struct heddle_blas_product *p, const struct heddle_matmul *mm,
                          int64_t m, int64_t n, const char *a, const char *b, char *c)
{
    if (!p->by_vector)
        matrices(p, mm, (int)m, (int)n, a, b, c);
    else if (p->is_dot)
        dot(p, mm, a, b, c);
    else if (p->vector_first)
        by_vector(p, mm, (int)n, b, a, c);
    else
        by_vector(p, mm, (int)m, a, b, c);
}
