/* Reductions of arrays of three axes in each order of their axes: a CPU may make another kept axis the innermost one, and turn over what
 * jumps, but results have the bits of the same elements stored in order, and the values of a loop. */
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

int main(void)
{
    static const int64_t shapes[][3] = {{3, 70, 130}, {64, 65, 20}, {130, 9, 300}, {2, 200, 17},
                                        {600, 5, 40}, {1, 300, 64}, {16, 40, 512}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            test_order(shapes[s], orders[o], HEDDLE_FLOAT64);
            test_order(shapes[s], orders[o], HEDDLE_FLOAT32);
        }
    heddle__forms_allow(true);
    heddle__forms_hurry(true);
    test_pairs(6000, 4, 32, 3);
    test_pairs(3000, 3, 77, 3);
    test_pairs(700, 13, 511, 3);
    CHECK(heddle__forms_counters().ready > 0, "no fold");
    return check_done();
}
