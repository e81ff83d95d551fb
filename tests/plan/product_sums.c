/* Proves that products whose sums are cut among places are right: on invented machines, of operands that lie over
 * them in all ways along the inner axis, through views that turn them over, of all dtypes; against sums by hand, modulo
 * 2^64 for integers, rounded once for halves. */
#include "check.h"
#include "machine/machine.h"
#include "random_words.h"

#include <complex.h>
#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of complex dtypes both numbers count; of others the first, modulo 2^64. */
struct number {
    uint64_t re, im;
};

/* Matrices, one after the other, and their values in C order. */
struct operand {
    int64_t batch, rows, columns;
    struct number *x;
    heddle_array *a;
};

static struct number random_number(enum heddle_dtype dtype)
{
    const size_t bits = 8 * heddle_dtype_size(dtype);
    const uint64_t word = random_word() >> (64 - bits % 65);
    switch (dtype) {
    case HEDDLE_INT8:
    case HEDDLE_INT16:
    case HEDDLE_INT32:
    case HEDDLE_INT64:
        return (struct number){(uint64_t)((int64_t)(word << (64 - bits)) >> (64 - bits)), 0};
    case HEDDLE_UINT8:
    case HEDDLE_UINT16:
    case HEDDLE_UINT32:
    case HEDDLE_UINT64: return (struct number){word, 0};
    default: break;
    }
    return (struct number){(uint64_t)(word_below(12) - 2), (uint64_t)(word_below(9) - 4)};
}

static bool is_complex(enum heddle_dtype dtype)
{
    return dtype == HEDDLE_COMPLEX64 || dtype == HEDDLE_COMPLEX128;
}

/* An array of `n` numbers of a shape. */
static heddle_array *array_of(const struct number *x, int64_t n, const int64_t shape[3],
                              enum heddle_dtype dtype)
{
    const enum heddle_dtype as = is_complex(dtype)         ? HEDDLE_COMPLEX128
                                 : dtype == HEDDLE_UINT64  ? HEDDLE_UINT64
                                 : dtype == HEDDLE_FLOAT64 ? HEDDLE_FLOAT64
                                                           : HEDDLE_INT64;
    void *data = calloc((size_t)n + 1, 16);
    for (int64_t i = 0; i < n; i++) {
        if (as == HEDDLE_COMPLEX128) {
            ((double *)data)[2 * i] = (double)(int64_t)x[i].re;
            ((double *)data)[2 * i + 1] = (double)(int64_t)x[i].im;
        } else if (as == HEDDLE_FLOAT64) {
            ((double *)data)[i] = (double)(int64_t)x[i].re;
        } else {
            ((uint64_t *)data)[i] = x[i].re;
        }
    }
    heddle_array *a = heddle_asarray(data, as, 3 - (shape[0] == 0), shape + (shape[0] == 0),
                                     .borrow = true, .deleter = free, .user = data);
    return heddle_astype(a, dtype);
}

/* Cut along an axis at places, or whole at one, or as Heddle does. */
static heddle_array *placed(heddle_array *a, int axis)
{
    const heddle_place all[] = {heddle_gpu(0), heddle_gpu(1), heddle_gpu(2), heddle_cpu(0)};
    heddle_place places[5];
    const int kind = (int)word_below(8);
    if (kind == 0) return heddle_to(a, all[word_below(4)]);
    if (kind == 1) return a;
    if (kind > 2) {
        struct heddle_distribution d = {.n_places = 2 + (int)word_below(4), .places = places};
        for (int i = 0; i < d.n_places; i++) places[i] = all[word_below(4)];
        d.cut[axis] = (struct heddle_cut){HEDDLE_CUT_PARTS, 2 + word_below(6), NULL};
        if (d.cut[axis].n > heddle_shape(a)[axis]) d.cut[axis].n = heddle_shape(a)[axis];
        a = heddle_distribute(a, &d);
    }
    CHECK(heddle_eval(a) == HEDDLE_OK, "%s", heddle_error(a));
    return a;
}

/* A view of a larger array, which may lie across, backwards, or have others between its rows. */
static struct operand operand(int64_t batch, int64_t rows, int64_t columns, bool k_is_row,
                              enum heddle_dtype dtype)
{
    struct operand o = {batch, rows, columns, NULL, NULL};
    const bool across = word_below(2), turned = word_below(4) == 0;
    const int64_t step = word_below(4) ? 1 : 2, before = word_below(3) ? 0 : word_below(4);
    const int64_t k = k_is_row ? rows : columns, other = k_is_row ? columns : rows;
    const int64_t K = before + k * step, n = (batch ? batch : 1) * K * (other + before);
    const int k_axis = k_is_row != across ? 0 : 1;
    const int64_t shape[3] = {batch, k_axis ? other + before : K, k_axis ? K : other + before};
    const int64_t along[2] = {shape[2], 1}; /* of the axes of the stored matrix */
    const int first = batch > 0;
    struct number *x = calloc((size_t)n + 1, sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = random_number(dtype);
    o.a = placed(array_of(x, n, shape, dtype), first + k_axis);
    const int64_t by[2] = {k_axis ? 1 : step, k_axis ? step : 1},
                  end[2] = {before + (k_axis ? other : k * step),
                            before + (k_axis ? k * step : other)};
    o.a =
        heddle_getitem(o.a, HEDDLE_INDEX(HEDDLE_ELLIPSIS, HEDDLE_SLICE_STEP(before, end[0], by[0]),
                                         HEDDLE_SLICE_STEP(before, end[1], by[1])));
    if (turned) o.a = heddle_flip(o.a, .axis = first + k_axis);
    if (across) o.a = heddle_matrix_transpose(o.a);
    o.x = calloc((size_t)n + 1, sizeof *o.x);
    for (int64_t b = 0; b < (batch ? batch : 1); b++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                int64_t l = k_is_row ? i : j;
                if (turned) l = k - 1 - l;
                const int64_t at_k = before + l * step, at_other = before + (k_is_row ? j : i);
                o.x[(b * rows + i) * columns + j] =
                    x[b * K * (other + before) + at_k * along[k_axis] + at_other * along[!k_axis]];
            }
    free(x);
    return o;
}

static double rounded(double x, enum heddle_dtype dtype)
{
    const int digits = dtype == HEDDLE_FLOAT16 ? 11 : 8;
    int exponent;
    if (x == 0 || (dtype != HEDDLE_FLOAT16 && dtype != HEDDLE_BFLOAT16)) return x;
    frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(x, digits - exponent)), exponent - digits);
}

/* Whether element i of the result is what it should be. */
static bool is_right(const void *got, int64_t i, struct number sum, enum heddle_dtype dtype)
{
    const uint64_t bits = 8 * heddle_dtype_size(dtype);
    if (is_complex(dtype))
        return ((const double *)got)[2 * i] == (double)(int64_t)sum.re &&
               ((const double *)got)[2 * i + 1] == (double)(int64_t)sum.im;
    if (heddle_dtype_kind(dtype) == 'F')
        return ((const double *)got)[i] == rounded((double)(int64_t)sum.re, dtype);
    return (((const uint64_t *)got)[i] ^ sum.re) << (64 - bits) == 0;
}

static void check_values(heddle_array *product, const struct operand *a, const struct operand *b,
                         enum heddle_dtype dtype, const char *plan)
{
    const int64_t m = a->rows, k = a->columns, n = b->columns, batch = a->batch ? a->batch : 1;
    const enum heddle_dtype as = is_complex(dtype)                 ? HEDDLE_COMPLEX128
                                 : heddle_dtype_kind(dtype) == 'F' ? HEDDLE_FLOAT64
                                                                   : HEDDLE_UINT64;
    void *got = calloc((size_t)(batch * m * n) + 1, 16);
    heddle_array *wide = heddle_astype(product, as);
    CHECK(heddle_read(wide, got, batch * m * n * (int64_t)heddle_dtype_size(as)) == HEDDLE_OK, "%s",
          heddle_error(wide));
    int64_t wrong = 0;
    for (int64_t i = 0; i < batch * m * n; i++) {
        const int64_t first_a = i / n * k, first_b = i / (m * n) * k * n + i % n;
        struct number sum = {0, 0};
        for (int64_t l = 0; l < k; l++) {
            const struct number x = a->x[first_a + l], y = b->x[first_b + l * n];
            sum.re += x.re * y.re - (is_complex(dtype) ? x.im * y.im : 0);
            sum.im += x.re * y.im + x.im * y.re;
        }
        wrong += !is_right(got, i, sum, dtype);
    }
    CHECK(wrong == 0, "%lld of %lld x %lld x %lld elements are wrong, k = %lld, %s\n%s",
          (long long)wrong, (long long)batch, (long long)m, (long long)n, (long long)k,
          heddle_dtype_name(dtype), plan);
    free(got);
}

/* Whether the plan adds partial results up. */
static bool check_product(void)
{
    static const enum heddle_dtype dtypes[] = {
        HEDDLE_FLOAT64,   HEDDLE_FLOAT32,    HEDDLE_INT8,    HEDDLE_UINT8,   HEDDLE_INT32,
        HEDDLE_INT64,     HEDDLE_UINT64,     HEDDLE_FLOAT16, HEDDLE_FLOAT64, HEDDLE_BFLOAT16,
        HEDDLE_COMPLEX64, HEDDLE_COMPLEX128, HEDDLE_FLOAT32};
    const enum heddle_dtype dtype = dtypes[word_below(sizeof dtypes / sizeof *dtypes)];
    const int64_t batch = word_below(6) ? 0 : 1 + word_below(3),
                  m = word_below(3) ? 1 + word_below(6) : 1,
                  n = word_below(3) ? 1 + word_below(6) : 1,
                  k = 2 + word_below(word_below(3) ? 900 : 60);
    heddle_scope scope = heddle_scope_open();
    struct operand a = operand(batch, m, k, false, dtype), b;
    const bool same = m == n && word_below(3) == 0; /* x.T @ x */
    if (same) {
        b = (struct operand){batch, k, m,
                             calloc((size_t)((batch ? batch : 1) * k * m), sizeof *b.x),
                             heddle_matrix_transpose(a.a)};
        for (int64_t i = 0; i < (batch ? batch : 1) * k * m; i++)
            b.x[i] = a.x[i / (k * m) * k * m + i % m * k + i / m % k];
    } else {
        b = operand(batch, k, n, true, dtype);
    }
    heddle_array *x = a.a, *y = b.a;
    if (batch == 0 && m == 1 && word_below(2)) x = heddle_reshape(x, HEDDLE_SHAPE(k));
    if (batch == 0 && n == 1 && word_below(2)) y = heddle_reshape(y, HEDDLE_SHAPE(k));
    heddle_array *product = heddle_matmul(x, y);
    char *plan = NULL;
    CHECK_EQ(heddle_explain(product, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    check_values(product, &a, &b, dtype, plan);
    const bool adds = plan && strstr(plan, "combine");
    heddle_free(plan);
    heddle_scope_close(scope);
    free(a.x);
    free(b.x);
    return adds;
}

/* One row of x times k rows of n elements, of whole numbers. */
CHECK_ORACLE static void whole_products(const struct number *x, const struct number *y, int64_t k,
                                        int64_t n, int64_t *sum)
{
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int64_t l = 0; l < k; l++)
        for (int64_t j = 0; j < n; j++) sum[j] += (int64_t)x[l].re * (int64_t)y[l * n + j].re;
}

/* Elementwise work on results so large that products take it into their calls, were their sums not cut; in one part or
 * in parts at several places. */
static void check_map(enum heddle_dtype dtype, int64_t m, int64_t n)
{
    enum { K = 3600 };
    heddle_scope scope = heddle_scope_open();
    struct operand o[2];
    const heddle_place places[] = {heddle_gpu(2), heddle_gpu(0)};
    for (int i = 0; i < 2; i++) {
        o[i] =
            (struct operand){0, i ? K : m, i ? n : K, calloc((size_t)(K * (i ? n : m)), 16), NULL};
        const int64_t shape[3] = {0, o[i].rows, o[i].columns}, size = K * (i ? n : m);
        for (int64_t j = 0; j < size; j++)
            o[i].x[j] = (struct number){(uint64_t)(word_below(7) - 2), 0};
        struct heddle_distribution d = {.n_places = 2, .places = places};
        d.cut[i ? 0 : 1] = (struct heddle_cut){HEDDLE_CUT_PARTS, 2, NULL};
        o[i].a = heddle_distribute(array_of(o[i].x, size, shape, dtype), &d);
    }
    heddle_array *r = heddle_matmul(o[0].a, o[1].a);
    r = heddle_add(heddle_maximum(r, heddle_scalar_int(9)), heddle_scalar_int(1));
    char *plan = NULL;
    CHECK_EQ(heddle_explain(r, HEDDLE_EXPLAIN_PLAN, &plan), HEDDLE_OK);
    CHECK_HAS(plan, "combine");
    heddle_free(plan);
    double *got = calloc((size_t)(m * n), sizeof *got);
    heddle_array *wide = heddle_astype(r, HEDDLE_FLOAT64);
    CHECK_EQ(heddle_read(wide, got, m * n * (int64_t)sizeof *got), HEDDLE_OK);
    int64_t wrong = 0;
    int64_t *row = malloc((size_t)n * sizeof *row);
    for (int64_t i = 0; i < m; i++) {
        whole_products(o[0].x + i * K, o[1].x, K, n, row);
        for (int64_t j = 0; j < n; j++)
            wrong += got[i * n + j] != (double)(row[j] > 9 ? row[j] : 9) + 1;
    }
    free(row);
    CHECK(wrong == 0, "%lld of %lld elements are wrong", (long long)wrong, (long long)(m * n));
    heddle_scope_close(scope);
    free(got);
    free(o[0].x);
    free(o[1].x);
}

int main(int argc, char **argv)
{
    enum { PRODUCTS = CHECK_SOME(600, 150) };
    static const int64_t part_bytes[] = {1 << 20, 1 << 12, 1 << 9};
    const int products = argc > 1 ? atoi(argv[1]) : PRODUCTS;
    for (int way = 0; way < 3; way++) {
        int n_adds = 0;
        CHECK_EQ(machine_configure(
                     &(struct heddle_config){.inline_bytes = -1, .part_bytes = part_bytes[way]}),
                 HEDDLE_OK);
        check_map(HEDDLE_FLOAT64, 190, 181);
        check_map(HEDDLE_FLOAT32, 330, 200);
        for (int i = 0; i < products; i++) n_adds += check_product();
        CHECK(n_adds > products / 8, "%d of %d products add partial results", n_adds, products);
        heddle_shutdown();
    }
    return check_done();
}
