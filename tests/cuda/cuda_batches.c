/* Batches of small matrices that are factored by our own kernels (families/factor/cuda_batch.h), against what the factors mean, in long
 * double: L U, the product of reflections, and equations. */
#include "check.h"
#include "cuda/numbers.h"
#include "families/factor/cuda_batch.h"

#include <string.h>

/* The norm of x - y is within 10 times n precisions of `size`. */
static void expect(const char *what, const struct heddle_batch *b, int64_t n, number *x,
                   const number *y, long double size)
{
    for (int64_t i = 0; i < n; i++) x[i] -= y[i];
    const long double error = norm(n, x);
    const long double least =
        is_single(b->dtype) ? 0x1p-149L : 0x1p-1074L; /* what denormal numbers are apart */
    CHECK(error <= 10 * b->rows * (precision(b->dtype) * size + b->columns * least),
          "%s of %s, %d x %d, %d columns: %Lg of %Lg", what,
          heddle_dtype_name((enum heddle_dtype)b->dtype), b->rows, b->columns, b->block_columns,
          error, size);
}

/* Columns of y become the product of reflections 0 .. k - 1, which are below the diagonal of a, times them. */
static void reflect(int rows, int k, const number *a, const number *tau, int columns, number *y)
{
    for (int r = k - 1; r >= 0; r--)
        for (int j = 0; j < columns; j++) {
            number sum = y[j * rows + r];
            for (int i = r + 1; i < rows; i++) sum += conjl(a[r * rows + i]) * y[j * rows + i];
            sum *= tau[r];
            y[j * rows + r] -= sum;
            for (int i = r + 1; i < rows; i++) y[j * rows + i] -= a[r * rows + i] * sum;
        }
}

static void check_qr(struct heddle_batch b, const number *a)
{
    const int64_t each = (int64_t)b.rows * b.columns, of_block = (int64_t)b.rows * b.block_columns;
    const int k = b.rows < b.columns ? b.rows : b.columns;
    number *factor = numbers(b.n * each), *tau = numbers(b.n * k), *x = numbers(each + of_block),
           *block = numbers(b.n * of_block), *got = numbers(b.n * of_block);
    b.panel = put(b.dtype, b.n * each, a);
    b.scales = put(b.dtype, b.n * k, tau);
    CHECK_EQ(heddle__batch_reflects(&b), true);
    CHECK_EQ(heddle__batch_qr(&b, gpu_stream()), 0);
    get(b.dtype, b.n * each, b.panel, factor);
    get(b.dtype, b.n * k, b.scales, tau);
    for (int64_t m = 0; m < b.n; m++) {
        for (int64_t i = 0; i < each; i++)
            x[i] = i % b.rows <= i / b.rows ? factor[m * each + i] : 0;
        for (int i = 0; i < k; i++)
            CHECK(cimagl(factor[m * each + i * (b.rows + 1)]) == 0, "R's diagonal is real");
        reflect(b.rows, k, factor + m * each, tau + m * k, b.columns, x);
        expect("QR", &b, each, x, a + m * each, norm(each, a + m * each));
        number *q =
            numbers((int64_t)b.rows * b.rows); /* Q^H Q is the identity: Q e is as long as e */
        for (int i = 0; i < b.rows; i++) q[i * (b.rows + 1)] = 1;
        reflect(b.rows, k, factor + m * each, tau + m * k, b.rows, q);
        for (int i = 0; i < b.rows; i++)
            CHECK(fabsl(norm(b.rows, q + i * b.rows) - 1) < 10 * b.rows * precision(b.dtype),
                  "Q keeps lengths");
        free(q);
    }
    for (int begins = 0; begins < 2 && b.block_columns > 0; begins++) {
        if (begins && b.block_columns > b.rows) continue;
        for (int64_t i = 0; i < b.n * of_block; i++)
            block[i] = begins ? (number)(i % of_block % b.rows == i % of_block / b.rows)
                              : random_of(b.dtype);
        b.begins = begins;
        b.block =
            put(b.dtype, b.n * of_block, begins ? got : block); /* what was there does not count */
        CHECK_EQ(heddle__batch_applies(&b), true);
        CHECK_EQ(heddle__batch_expand(&b, gpu_stream()), 0);
        get(b.dtype, b.n * of_block, b.block, got);
        for (int64_t m = 0; m < b.n; m++) {
            reflect(b.rows, k, factor + m * each, tau + m * k, b.block_columns,
                    block + m * of_block);
            expect(begins ? "Q" : "Q times", &b, of_block, got + m * of_block, block + m * of_block,
                   norm(of_block, block + m * of_block));
        }
    }
    free(factor), free(tau), free(x), free(block), free(got);
    gpu_free_all();
}

static void check_lu(struct heddle_batch b, const number *a)
{
    const int64_t each = (int64_t)b.rows * b.columns;
    const int k = b.rows < b.columns ? b.rows : b.columns;
    number *factor = numbers(b.n * each), *x = numbers(each), *y = numbers(each);
    int64_t *pivots = calloc((size_t)(b.n * k + 1), sizeof *pivots);
    b.panel = put(b.dtype, b.n * each, a);
    b.scales = families_to_gpu(pivots, (size_t)(b.n * k) * sizeof *pivots);
    CHECK_EQ(heddle__batch_lu(&b, gpu_stream()), 0);
    get(b.dtype, b.n * each, b.panel, factor);
    families_from_gpu(pivots, b.scales, (size_t)(b.n * k) * sizeof *pivots);
    for (int64_t m = 0; m < b.n; m++) {
        const number *f = factor + m * each;
        memcpy(x, a + m * each, (size_t)each * sizeof *x);
        for (int r = 0; r < k; r++) {
            const int64_t with = pivots[m * k + r];
            CHECK(with >= r && with < b.rows, "a pivot's row");
            if (with < r || with >= b.rows) continue;
            for (int j = 0; j < b.columns; j++) {
                const number t = x[j * b.rows + r];
                x[j * b.rows + r] = x[j * b.rows + with];
                x[j * b.rows + with] = t;
            }
        }
        for (int j = 0; j < b.columns; j++)
            for (int i = 0; i < b.rows; i++) {
                number sum = i <= j ? f[j * b.rows + i] : 0;
                for (int l = 0; l < k && l <= j; l++)
                    if (l < i) sum += f[l * b.rows + i] * f[j * b.rows + l];
                y[j * b.rows + i] = sum;
                if (i > j && j < k)
                    CHECK(cabsl(f[j * b.rows + i]) <= (parts(b.dtype) == 2 ? 1.5 : 1),
                          "L is at most 1");
            }
        expect("LU", &b, each, x, y, norm(each, a + m * each));
    }
    free(factor), free(x), free(y), free(pivots);
    gpu_free_all();
}

/* Numbers as the dtype has them. */
static void round_to(int dtype, int64_t n, number *x)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = is_single(dtype) ? CMPLXL((float)creall(x[i]), (float)cimagl(x[i]))
                                : CMPLXL((double)creall(x[i]), (double)cimagl(x[i]));
}

static void check_triangular(struct heddle_batch b, const number *a)
{
    const int n = b.rows;
    const int64_t each = (int64_t)n * n, of_block = (int64_t)n * b.block_columns;
    number *t = numbers(b.n * each), *block = numbers(b.n * of_block),
           *got = numbers(b.n * of_block), *x = numbers(of_block);
    const long double tiny = is_single(b.dtype) ? 0x1p-122L : 0x1p-1010L;
    for (int way = 0; way < 4; way++) {
        b.lower = way & 1;
        b.unit = way & 2;
        for (int64_t i = 0; i < b.n * each; i++) /* the other triangle does not count */
            t[i] = i % each % n == i % each / n ? a[i] + 2 : a[i] / (is_single(b.dtype) ? 16 : 4);
        for (int64_t i = 0; i < b.n * of_block; i++) block[i] = random_of(b.dtype);
        for (int64_t i = 0; i < each; i++) t[i] *= tiny; /* whose inverses are beyond the range */
        for (int64_t i = 0; i < of_block; i++) block[i] *= tiny;
        round_to(b.dtype, of_block, block);
        b.panel = put(b.dtype, b.n * each, t);
        get(b.dtype, b.n * each, b.panel, t);
        b.block = put(b.dtype, b.n * of_block, block);
        CHECK_EQ(heddle__batch_triangular(&b, gpu_stream()), 0);
        get(b.dtype, b.n * of_block, b.block, got);
        for (int64_t m = 0; m < b.n; m++) {
            for (int64_t e = 0; e < of_block; e++) {
                const int64_t i = e % n, j = e / n;
                number sum = 0;
                for (int64_t l = b.lower ? 0 : i; l <= (b.lower ? i : n - 1); l++)
                    sum += (l == i && b.unit ? 1 : t[m * each + l * n + i]) *
                           got[m * of_block + j * n + l];
                x[e] = sum;
            }
            expect("triangular", &b, of_block, x, block + m * of_block,
                   norm(each, t + m * each) * norm(of_block, got + m * of_block));
        }
        gpu_free_all();
    }
    free(t), free(block), free(got), free(x);
}

/* Columns of 0, of the size of the least numbers and of the largest, and equal ones. */
static void spoil(const struct heddle_batch *b, number *a)
{
    const int64_t each = (int64_t)b->rows * b->columns;
    const long double tiny = is_single(b->dtype) ? 0x1p-130L : 0x1p-1030L,
                      huge = is_single(b->dtype) ? 0x1p120L : 0x1p1000L;
    for (int64_t i = 0; i < each; i++) {
        if (i / b->rows == b->columns / 2) a[i] = 0;
        if (i / b->rows == b->columns - 1) a[i] = a[i % b->rows];
        a[each + i] *= tiny;
        a[2 * each + i] *= huge;
    }
    round_to(b->dtype, 2 * each, a + each);
}

void test_batches(void)
{
    static const int shapes[][3] = {{1, 1, 1},    {2, 2, 3},    {5, 3, 5},    {3, 5, 3},
                                    {31, 8, 4},   {32, 10, 10}, {33, 33, 1},  {40, 40, 7},
                                    {64, 20, 64}, {65, 65, 2},  {20, 70, 20}, {130, 9, 3}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int d = 0; d < 4; d++) {
            struct heddle_batch b = {.dtype = dtypes[d],
                                     .rows = shapes[s][0],
                                     .columns = shapes[s][1],
                                     .block_columns = shapes[s][2],
                                     .n = HEDDLE_EMULATED ? 3 : 7};
            const int64_t all = (int64_t)b.rows * b.columns * b.n;
            number *a = numbers(all);
            for (int64_t i = 0; i < all; i++) a[i] = random_of(b.dtype);
            check_qr(b, a);
            check_lu(b, a);
            if (b.rows == b.columns) check_triangular(b, a);
            spoil(&b, a);
            check_qr(b, a);
            free(a);
        }
    /* The rows that warps have at most, and what is beyond it. */
    struct heddle_batch b = {.dtype = HEDDLE_FLOAT64,
                             .rows = HEDDLE_BATCH_ROWS,
                             .columns = 3,
                             .block_columns = 2,
                             .n = 2};
    number *a = numbers((int64_t)b.rows * b.rows * b.n);
    for (int64_t i = 0; i < (int64_t)b.rows * b.rows * b.n; i++) a[i] = random_of(b.dtype);
    check_qr(b, a);
    b.columns = b.rows;
    CHECK_EQ(heddle__batch_factors(&b), false);
    for (int64_t i = 0; i < (int64_t)b.rows * b.rows * b.n; i++) a[i] /= 16;
    check_triangular(b, a);
    b.rows++;
    CHECK_EQ(heddle__batch_applies(&b), false);
    /* QR beyond shared memory: in place, if the batch is large enough and columns are not too long. */
    b = (struct heddle_batch){
        .dtype = HEDDLE_COMPLEX128, .rows = 122, .columns = 119, .block_columns = 2, .n = 2};
    for (int64_t i = 0; i < (int64_t)b.rows * b.columns * b.n; i++) a[i] = random_of(b.dtype);
    CHECK_EQ(heddle__batch_factors(&b), false);
    check_qr(b, a);
    b.rows = b.columns = 512;
    b.n = 7;
    CHECK_EQ(heddle__batch_reflects(&b), false);
    b.n = 8;
    CHECK_EQ(heddle__batch_reflects(&b), true);
    b.columns = 16;
    b.rows = HEDDLE_BATCH_IN_PLACE;
    CHECK_EQ(heddle__batch_reflects(&b), true);
    b.rows++;
    CHECK_EQ(heddle__batch_reflects(&b), false);
    free(a);
}
