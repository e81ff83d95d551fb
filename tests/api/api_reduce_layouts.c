/* Reductions of arrays of three axes in each order of their axes: a CPU may make another kept axis the innermost one, and turn over what
 * jumps, but results have the bits of the same elements stored in order, and the values of a loop. So have rows that are folded. */
#include "check_heddle.h"
#include "cpu/compiled/forms.h"

#include <math.h>
#include <string.h>

enum { MOST = 400000 };

static const char *const texts[] = {
    "sum(v, axis=2)",
    "mean(v, axis=2)",
    "max(v, axis=2)",
    "argmin(v, axis=2)",
    "sum(v * v, axis=2)",
    "min(abs(v) + 1, axis=2)",
    "sum(v > 0, axis=2)",
    "argmax(-v, axis=2)",
    "any(v > 0.99, axis=2)",
    "prod(v * 0.5, axis=2)",
    "max(v, axis=1)",
    "sum(v, axis=1)",
    "sum(v * 2, axis=(1,2))",
    "var(v, axis=2)",
    "max(v - mean(v, axis=2, keepdims=True), axis=2)",
};
static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static double value_of(int64_t i)
{
    return sin((double)i * 0.37) * (double)(1 + i % 7);
}

/* x of `shape` with its axes in `order`, one after the other. */
static void put_in_order(const int64_t shape[3], const int order[3], enum heddle_dtype dtype,
                         void *out)
{
    const int64_t stride[3] = {shape[1] * shape[2], shape[2], 1};
    int64_t at = 0;
    for (int64_t i = 0; i < shape[order[0]]; i++)
        for (int64_t j = 0; j < shape[order[1]]; j++)
            for (int64_t k = 0; k < shape[order[2]]; k++, at++) {
                const double x =
                    value_of(i * stride[order[0]] + j * stride[order[1]] + k * stride[order[2]]);
                if (dtype == HEDDLE_FLOAT32)
                    ((float *)out)[at] = (float)x;
                else
                    ((double *)out)[at] = x;
            }
}

static void test_order(const int64_t shape[3], const int order[3], enum heddle_dtype dtype)
{
    static double x[MOST], ordered[MOST], got[MOST], want[MOST];
    static const int same[3] = {0, 1, 2};
    put_in_order(shape, same, dtype, x);
    put_in_order(shape, order, dtype, ordered);
    heddle_scope scope = heddle_scope_open();
    heddle_array *v = heddle_permute_dims(
        heddle_asarray(x, dtype, HEDDLE_SHAPE(shape[0], shape[1], shape[2])), 3, order);
    heddle_array *w = heddle_asarray(
        ordered, dtype, HEDDLE_SHAPE(shape[order[0]], shape[order[1]], shape[order[2]]));
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        heddle_array *a = heddle_expr(texts[t], HEDDLE_BIND("v", v));
        heddle_array *b = heddle_expr(texts[t], HEDDLE_BIND("v", w));
        CHECK_EQ(heddle_read(a, got, heddle_nbytes(a)), HEDDLE_OK);
        CHECK_EQ(heddle_read(b, want, heddle_nbytes(a)), HEDDLE_OK);
        CHECK(memcmp(got, want, (size_t)heddle_nbytes(a)) == 0,
              "%s of %s (%d %d %d), axes %d %d %d", texts[t], heddle_dtype_name(dtype),
              (int)shape[0], (int)shape[1], (int)shape[2], order[0], order[1], order[2]);
    }
    heddle_scope_close(scope);
}

/* sum(x[:, None, :] * k[None, :, :], axis=2): n rows by few, whose results lie the other way round. Often, so that it is compiled. */
static void test_pairs(int64_t n, int64_t few, int64_t length, int times)
{
    static float x[MOST], k[MOST], got[MOST];
    for (int64_t i = 0; i < n * length; i++) x[i] = (float)value_of(i);
    for (int64_t i = 0; i < few * length; i++) k[i] = (float)value_of(3 * i + 1);
    for (int round = 0; round < times; round++) {
        heddle_scope scope = heddle_scope_open();
        heddle_array *of_x = heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(n, length));
        heddle_array *of_k = heddle_asarray(k, HEDDLE_FLOAT32, HEDDLE_SHAPE(few, length));
        heddle_array *r = heddle_expr("sum(x[:, None, :] * k[None, :, :], axis=2)",
                                      HEDDLE_BIND_ALL({"x", of_x}, {"k", of_k}));
        CHECK_EQ(heddle_read(r, got, heddle_nbytes(r)), HEDDLE_OK);
        heddle_scope_close(scope);
        int64_t bad = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < few; j++) {
                double sum = 0, size = 0;
                for (int64_t l = 0; l < length; l++) {
                    sum += (double)x[i * length + l] * (double)k[j * length + l];
                    size += fabs((double)x[i * length + l] * (double)k[j * length + l]);
                }
                bad += !(fabs(sum - (double)got[i * few + j]) <= 1e-6 * size);
            }
        CHECK(bad == 0, "%d of (%d, %d, %d)", (int)bad, (int)n, (int)few, (int)length);
    }
}

/* Rows that nothing else reads, of elements that are computed: folded one by one, they have the bits of blocks. */
static const char *const of_rows[] = {
    "sum(x * w, axis=1)",
    "sum(x * y, axis=1) / sqrt(sum(x * x, axis=1) * sum(y * y, axis=1))",
    "max(abs(x - y), axis=1)",
    "prod(x * c + 1, axis=1)",
    "min(x * c, axis=1)",
    "sum(x[::2] * y[1::2], axis=1)",
    "sum(where(x > y, x, 0), axis=1)",
    "all(x + y < 9, axis=1)",
    "sum(astype(x * 9, int32) * 3, axis=1)",
    "max(astype(x * 9, int8) // w8, axis=1)",
    "sum((x + 1j * y) * w, axis=1)",
    "x / sqrt(sum(x * x, axis=1, keepdims=True))",
    "max(x, axis=1) - min(x, axis=1) + sum(x, axis=1)",
};
enum { N_TEXTS = sizeof of_rows / sizeof *of_rows };

static heddle_array *row_text(size_t t, int64_t n, int64_t length, enum heddle_dtype dtype,
                              const void *x, const void *y)
{
    static const int8_t small[] = {1, -2, 3, 5, -7, 11, 100, -128};
    heddle_array *of_x = heddle_asarray(x, dtype, HEDDLE_SHAPE(n, length));
    heddle_array *of_y = heddle_asarray(y, dtype, HEDDLE_SHAPE(n, length));
    heddle_array *w = heddle_asarray(y, dtype, HEDDLE_SHAPE(length));
    heddle_array *c = heddle_asarray(y, dtype, HEDDLE_SHAPE(n, 1));
    heddle_array *w8 = heddle_asarray(small + length % 8, HEDDLE_INT8, HEDDLE_SHAPE(1));
    return heddle_expr(of_rows[t],
                       HEDDLE_BIND_ALL({"x", of_x}, {"y", of_y}, {"w", w}, {"c", c}, {"w8", w8}));
}

static void test_rows(int64_t n, int64_t length, enum heddle_dtype dtype)
{
    static double x[MOST], y[MOST], got[MOST], want[N_TEXTS][MOST];
    for (int64_t i = 0; i < n * length; i++) {
        const double a = value_of(i) / 3, b = value_of(7 * i + 2);
        if (dtype == HEDDLE_FLOAT32) {
            ((float *)x)[i] = (float)a;
            ((float *)y)[i] = (float)b;
        } else {
            x[i] = a;
            y[i] = b;
        }
    }
    for (int folds = 0; folds < 2; folds++) {
        heddle__forms_allow(folds == 1);
        for (size_t t = 0; t < N_TEXTS; t++) {
            heddle_scope scope = heddle_scope_open();
            heddle_array *r = row_text(t, n, length, dtype, x, y);
            const size_t bytes = (size_t)heddle_nbytes(r);
            CHECK_EQ(heddle_read(r, folds ? got : want[t], heddle_nbytes(r)), HEDDLE_OK);
            CHECK(!folds || memcmp(got, want[t], bytes) == 0, "%s of %s (%d, %d)", of_rows[t],
                  heddle_dtype_name(dtype), (int)n, (int)length);
            heddle_scope_close(scope);
        }
    }
}

int main(void)
{
    static const int64_t shapes[][3] = {{3, 70, 130}, {64, 65, 20}, {130, 9, 300}, {2, 200, 17},
                                        {600, 5, 40}, {1, 300, 64}, {16, 40, 512}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            test_order(shapes[s], orders[o], HEDDLE_FLOAT64);
            test_order(shapes[s], orders[o], HEDDLE_FLOAT32);
        }
    test_pairs(6000, 4, 32, 1); /* by blocks */
    heddle__forms_allow(true);
    heddle__forms_hurry(true);
    test_pairs(6000, 4, 32, 3);
    test_pairs(3000, 3, 77, 3);
    test_pairs(700, 13, 511, 3);
    static const int64_t lengths[] = {16,  17,  31,  32,  33,  40,  48,   64,   100,
                                      128, 255, 257, 500, 512, 513, 1000, 1024, 1025};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        const int64_t many = lengths[l] > 512 ? 200 : 600;
        test_rows(l % 3 == 0 ? many : 70, lengths[l], HEDDLE_FLOAT32);
        test_rows(l % 3 == 1 ? many : 70, lengths[l], HEDDLE_FLOAT64);
    }
    CHECK(heddle__forms_counters().ready > 10, "%d folds", (int)heddle__forms_counters().ready);
    CHECK_EQ(heddle__forms_counters().failed, 0);
    return check_done();
}
