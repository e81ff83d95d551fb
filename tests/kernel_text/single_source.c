/* One body for CPUs and GPUs (single_source.h): what is no straight line runs as this compiler made it, over every shape of
 * arguments and by every partition, and what is one is recorded; values are those of loops written here. With
 * HEDDLE_DEVICES=gpu skipped (77) where there is none. */
#include "check_heddle.h"

#include <heddle.h>
#include <heddle/single_source.h>
#include <stdlib.h>

enum { ROWS = 37, COLUMNS = 53, N = ROWS * COLUMNS };

HEDDLE_ELEMENTWISE(squared_diff, (float x, float y), (float z), { z = (x - y) * (x - y); })

/* clang-format off */
HEDDLE_ELEMENTWISE(polynomial, (float x, double y, float shift), (double z), {
    const double t = x * y + shift;
    z = (((((((0.25 * t + 0.5) * t + 0.75) * t + 1) * t + 1.25) * t + 1.5) * t + 1.75) * t + 2) * t;
})

HEDDLE_ELEMENTWISE(escape, (double re, double im, int most), (int32_t count, float last), {
    double x = 0, y = 0;
    while (count < most && x * x + y * y <= 4) {
        const double next = x * x - y * y + re;
        y = 2 * x * y + im;
        x = next;
        count++;
    }
    last = (float)x;
})

/* Every type, the place of the element, a name that the macro's own might hide. */
HEDDLE_ELEMENTWISE(types, (int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g, uint64_t h),
                   (int64_t sum, bool odd, uint8_t low, double mean), {
    int64_t k = 0;
    for (; k < e; k++) sum += a;
    for (int j = 0; j < 3; j++) sum += b + c;
    sum += d + (int64_t)f + g + (int64_t)h + i * 1000 + n;
    odd = sum % 2 != 0;
    low = (uint8_t)sum;
    mean = (double)sum / 8;
})
/* clang-format on */

/* Not what the text says: it shows which of the two ran. */
static void says_42(int64_t n, int n_dense, void *const p[], int64_t first, int64_t size)
{
    (void)n_dense, (void)first, (void)size;
    for (int64_t k = 0; k < n; k++) ((double *)p[1])[k] = 42;
}

static double number(int64_t i, int seed)
{
    return (double)((i * 7919 + seed * 104729) % 1000) / 250 - 2;
}

static heddle_array *numbers(int ndim, const int64_t *shape, int seed, enum heddle_dtype dtype,
                             double scale)
{
    static double values[N];
    int64_t size = 1;
    for (int d = 0; d < ndim; d++) size *= shape[d];
    for (int64_t i = 0; i < size; i++) values[i] = number(i, seed) * scale;
    return heddle_astype(heddle_asarray(values, HEDDLE_FLOAT64, ndim, shape), dtype);
}

static void straight(void)
{
    static float z[N];
    heddle_kernel *k = squared_diff();
    CHECK(heddle_kernel_status(k) == HEDDLE_OK, "%s", heddle_kernel_error(k));
    heddle_array *x = numbers(1, (int64_t[]){N}, 1, HEDDLE_FLOAT32, 1);
    heddle_array *y = numbers(1, (int64_t[]){N}, 2, HEDDLE_FLOAT32, 1);
    heddle_array *result = heddle_kernel_apply(k, HEDDLE_ARRAYS(x, y));
    CHECK(heddle_read(result, z, sizeof z) == HEDDLE_OK, "%s", heddle_error(result));
    for (int64_t i = 0; i < N; i++) {
        const float d = (float)number(i, 1) - (float)number(i, 2);
        CHECK_NUM(z[i], d * d);
    }
    heddle_kernel_release(k);
}

/* A straight line of many operations, with a number last, and with one before an array. */
static void long_line(void)
{
    static double z[2][N];
    heddle_kernel *k = polynomial();
    heddle_array *x = numbers(1, (int64_t[]){N}, 1, HEDDLE_FLOAT32, 1),
                 *y = numbers(1, (int64_t[]){N}, 2, HEDDLE_FLOAT64, 1);
    heddle_array *one = numbers(0, NULL, 3, HEDDLE_FLOAT32, 1),
                 *shifts = numbers(1, (int64_t[]){N}, 4, HEDDLE_FLOAT32, 1);
    CHECK_EQ(heddle_read(heddle_kernel_apply(k, HEDDLE_ARRAYS(x, y, one)), z[0], sizeof z[0]),
             HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_kernel_apply(k, HEDDLE_ARRAYS(one, y, shifts)), z[1], sizeof z[1]),
             HEDDLE_OK);
    for (int64_t i = 0; i < N; i++)
        for (int j = 0; j < 2; j++) {
            const double first = (float)number(j ? 0 : i, j ? 3 : 1);
            const double shift = (float)number(j ? i : 0, j ? 4 : 3),
                         t = first * number(i, 2) + shift;
            double sum = 0;
            for (int c = 1; c <= 8; c++) sum = (sum + 0.25 * c) * t;
            CHECK(fabs(z[j][i] - sum) <= 1e-12 * (1 + fabs(sum)), "%g, not %g", z[j][i], sum);
        }
    heddle_kernel_release(k);
}

/* Arguments of several shapes: [k] is the stride along each axis of the result. */
static void crooked(int re_ndim, const int64_t *re_shape, int64_t re_row, int64_t re_column)
{
    static int32_t counts[N];
    static float lasts[N];
    heddle_kernel *k = escape();
    CHECK(heddle_kernel_status(k) == HEDDLE_OK, "%s", heddle_kernel_error(k));
    heddle_array *re = numbers(re_ndim, re_shape, 3, HEDDLE_FLOAT64, 1);
    heddle_array *im = numbers(2, (int64_t[]){ROWS, COLUMNS}, 4, HEDDLE_FLOAT64, 0.6);
    heddle_array *out[2];
    CHECK(heddle_kernel_call(k, 3, ((heddle_array *[]){re, im, heddle_scalar(40)}), 2, out) ==
              HEDDLE_OK,
          "%s", heddle_last_error());
    CHECK_EQ(heddle_read(out[0], counts, sizeof counts), HEDDLE_OK);
    CHECK_EQ(heddle_read(out[1], lasts, sizeof lasts), HEDDLE_OK);
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t c = 0; c < COLUMNS; c++) {
            const double a = number(r * re_row + c * re_column, 3),
                         b = number(r * COLUMNS + c, 4) * 0.6;
            double x = 0, y = 0;
            int32_t count = 0;
            for (; count < 40 && x * x + y * y <= 4; count++) {
                const double next = x * x - y * y + a;
                y = 2 * x * y + b;
                x = next;
            }
            CHECK_EQ(counts[r * COLUMNS + c], count);
            CHECK_NUM(lasts[r * COLUMNS + c], (float)x);
        }
    heddle_kernel_release(k);
}

static void every_type(void)
{
    static int64_t sums[N];
    static double means[N];
    static uint8_t lows[N];
    static bool odds[N];
    static const enum heddle_dtype dtypes[8] = {HEDDLE_INT8,   HEDDLE_UINT8, HEDDLE_INT16,
                                                HEDDLE_UINT16, HEDDLE_INT32, HEDDLE_UINT32,
                                                HEDDLE_INT64,  HEDDLE_UINT64};
    heddle_array *in[8], *out[4];
    const int64_t shape[2] = {ROWS, COLUMNS};
    for (int j = 0; j < 8; j++)
        in[j] = heddle_astype(heddle_abs(numbers(2, shape, j, HEDDLE_FLOAT64, 20)), dtypes[j]);
    heddle_kernel *k = types();
    CHECK(heddle_kernel_status(k) == HEDDLE_OK, "%s", heddle_kernel_error(k));
    CHECK(heddle_kernel_call(k, 8, in, 4, out) == HEDDLE_OK, "%s", heddle_last_error());
    CHECK_EQ(heddle_read(out[0], sums, sizeof sums), HEDDLE_OK);
    CHECK_EQ(heddle_read(out[1], odds, sizeof odds), HEDDLE_OK);
    CHECK_EQ(heddle_read(out[2], lows, sizeof lows), HEDDLE_OK);
    CHECK_EQ(heddle_read(out[3], means, sizeof means), HEDDLE_OK);
    for (int64_t i = 0; i < N; i++) {
        int64_t v[8];
        for (int j = 0; j < 8; j++) v[j] = (int64_t)fabs(number(i, j) * 20);
        const int64_t sum =
            v[4] * v[0] + 3 * (v[1] + v[2]) + v[3] + v[5] + v[6] + v[7] + i * 1000 + N;
        CHECK_EQ(sums[i], sum);
        CHECK_EQ(odds[i], sum % 2 != 0);
        CHECK_EQ(lows[i], (uint8_t)sum);
        CHECK_NUM(means[i], (double)sum / 8);
    }
    heddle_kernel_release(k);
}

static double first_of(heddle_kernel *k, heddle_array *x)
{
    double values[3] = {0};
    heddle_array *y = heddle_kernel_apply(k, HEDDLE_ARRAYS(x));
    CHECK(heddle_read(y, values, sizeof values) == HEDDLE_OK, "%s", heddle_error(y));
    heddle_kernel_release(k);
    return values[0];
}

static void which_runs(int n_gpus)
{
    static const char *const long_text =
        "y = x; for (int k = 0; k < 3; k++) { y = y * x + 1; y = y * x + 2; y = y * x + 3; "
        "y = y * x - 1; y = y * x - 2; y = y - 6; }";
    const double three[3] = {5, 6, 7};
    heddle_array *x =
        heddle_to(heddle_asarray(three, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)), heddle_cpu(0));
    CHECK_NUM(
        first_of(heddle_kernel_with_loop("double x", "double y", "y = x + 1", "line", says_42), x),
        6);
    CHECK_NUM(first_of(heddle_kernel_with_loop("double x", "double y", "while (y < x) y += 1",
                                               "crooked", says_42),
                       x),
              42);
    CHECK_NUM(first_of(heddle_kernel_with_loop("double x", "double y", "while (y < x) y += 1",
                                               "crooked", NULL),
                       x),
              5);
    const double by_text =
        first_of(heddle_kernel_elementwise("double x", "double y", long_text, "long"), x);
    CHECK_NUM(
        first_of(heddle_kernel_with_loop("double x", "double y", long_text, "long", says_42), x),
        n_gpus == 0 ? 42 : by_text);
    heddle_kernel *wrong =
        heddle_kernel_with_loop("double x", "double y", "y = x +", "wrong", says_42);
    CHECK_EQ(heddle_kernel_status(wrong), HEDDLE_ESYNTAX);
    heddle_kernel_release(wrong);
}

int main(void)
{
    if (heddle_start() == HEDDLE_ENODEVICE) { /* GPUs were asked for */
        fprintf(stderr, "skipped: %s\n", heddle_last_error());
        return getenv("HEDDLE_TEST_GPU") ? 1 : 77;
    }
    heddle_scope scope = heddle_scope_open();
    straight();
    long_line();
    crooked(2, (int64_t[]){ROWS, COLUMNS}, COLUMNS, 1);
    crooked(1, (int64_t[]){COLUMNS}, 0, 1);
    crooked(2, (int64_t[]){ROWS, 1}, 1, 0);
    crooked(0, NULL, 0, 0);
    every_type();
    int n_cpus = 0, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    if (n_cpus > 0) which_runs(n_gpus);
    heddle_scope_close(scope);
    check_nothing_left();
    return check_done();
}
