/* Reductions of few elements that another reduction reads: their values, bit for bit, against loops in the order of
 * reduce_tree.h, which for so few elements is from left to right. Skipped (77) where the devices that HEDDLE_DEVICES names
 * are not there. */
#include "each_way.h"
#include "random_words.h"

#include <heddle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 40, MOST_EACH = 20 };
enum inner { SUM, PROD, MAX, MIN, NANMAX, NANMIN, N_INNER };
static const char *const inner_names[] = {"sum", "prod", "max", "min", "nanmax", "nanmin"};
enum element { SQUARE, ABSOLUTE, DIFFERENCE, SCALED, N_ELEMENTS };
static const char *const element_texts[] = {"d * d", "abs(d)", "d", "3 * d + d * d"};

/* How points lie: a row each, a column each, a box each, or a row each from the last one back. */
enum layout { ROWS, COLUMNS, BOXES, BACKWARDS, N_LAYOUTS };
static const char *const layout_texts[] = {
    "a[:, None, :] - b[None, :, :]",
    "a[:, :, None] - b[:, None, :]",
    "a[:, None] - b[None]",
    "a[::-1, None, ::-1] - b[None, :, ::-1]",
};
static const char *const layout_axes[] = {"2", "0", "(2, 3)", "2"};

struct instance {
    enum heddle_dtype dtype;
    enum inner inner;
    enum element element;
    enum layout layout;
    int n, m, k; /* points of a and b, and of how many numbers; BOXES: twice as many */
    int across;  /* the reader reduces the points of a, not those of b */
};

static int n_numbers(const struct instance *c)
{
    return c->layout == BOXES ? 2 * c->k : c->k;
}

static heddle_array *points(const struct instance *c, const void *values, int n)
{
    if (c->layout == COLUMNS) return heddle_asarray(values, c->dtype, HEDDLE_SHAPE(c->k, n));
    if (c->layout == BOXES) return heddle_asarray(values, c->dtype, HEDDLE_SHAPE(n, 2, c->k));
    return heddle_asarray(values, c->dtype, HEDDLE_SHAPE(n, c->k));
}

/* Where number k of point i is. */
static int at(const struct instance *c, int n, int i, int k)
{
    return c->layout == COLUMNS ? k * n + i : i * n_numbers(c) + k;
}

static heddle_array *distances(const struct instance *c, const void *a, const void *b)
{
    char text[256];
    snprintf(text, sizeof text, "d = %s; %s(%s(%s, axis=%s), axis=%d)", layout_texts[c->layout],
             c->across ? "max" : "min", inner_names[c->inner], element_texts[c->element],
             layout_axes[c->layout], c->across ? 0 : 1);
    const struct heddle_binding both[] = {{"a", points(c, a, c->n)}, {"b", points(c, b, c->m)}};
    return heddle_expr(text, 2, both);
}

/* More elements are not unrolled, nor added from left to right. */
static bool is_near(const struct instance *c, double got, double want)
{
    const bool floats = c->dtype == HEDDLE_FLOAT64 || c->dtype == HEDDLE_FLOAT32;
    return floats && n_numbers(c) > 16 && fabs(got - want) <= 1e-4 * fabs(want);
}

/* The loops, of numbers of type T whose differences and products wrap or round to T, and whose sums and products are of
 * type S. In C, numbers that are not a number compare as false. */
#define LOOPS(T, S, IS_NAN, TIMES)                                                                 \
    static S element_##T(const struct instance *c, T x, T y)                                       \
    {                                                                                              \
        const T d = (T)(x - y);                                                                    \
        switch (c->element) {                                                                      \
        case SQUARE: return (S)(T)(d * d);                                                         \
        case ABSOLUTE: return (S)(T)(d > 0 || d == 0 ? d : -d);                                    \
        case SCALED: return (S)(T)((T)(3 * d) + (T)(d * d));                                       \
        case DIFFERENCE:                                                                           \
        case N_ELEMENTS: break;                                                                    \
        }                                                                                          \
        return (S)d;                                                                               \
    }                                                                                              \
    static S combined_##T(enum inner inner, S x, S y)                                              \
    {                                                                                              \
        const bool leave_nan = inner == NANMAX || inner == NANMIN;                                 \
        if (inner == SUM) return (S)(x + y);                                                       \
        if (inner == PROD) return TIMES(S, x, y);                                                  \
        if (IS_NAN(x)) return leave_nan ? y : x;                                                   \
        if (IS_NAN(y)) return leave_nan ? x : y;                                                   \
        return (inner == MAX || inner == NANMAX) == (x > y) ? x : y;                               \
    }                                                                                              \
    static S nearest_##T(const struct instance *c, const T *a, const T *b, int at_a, int at_b)     \
    {                                                                                              \
        S all = 0;                                                                                 \
        const int fixed = c->across ? at_b : at_a;                                                 \
        for (int other = 0; other < (c->across ? c->n : c->m); other++) {                          \
            int i = c->across ? other : fixed;                                                     \
            const int j = c->across ? fixed : other;                                               \
            if (c->layout == BACKWARDS) i = c->n - 1 - i;                                          \
            S one = 0;                                                                             \
            for (int k = 0; k < n_numbers(c); k++) {                                               \
                const int which = c->layout == BACKWARDS ? c->k - 1 - k : k;                       \
                const S x = element_##T(c, a[at(c, c->n, i, which)], b[at(c, c->m, j, which)]);    \
                one = k == 0 ? x : combined_##T(c->inner, one, x);                                 \
            }                                                                                      \
            all = other == 0 ? one : combined_##T(c->across ? MAX : MIN, all, one);                \
        }                                                                                          \
        return all;                                                                                \
    }                                                                                              \
    static void check_##T(const struct instance *c, const T *a, const T *b)                        \
    {                                                                                              \
        S got[MOST] = {0};                                                                         \
        const int n = c->across ? c->m : c->n;                                                     \
        heddle_scope scope = heddle_scope_open();                                                  \
        heddle_array *r = distances(c, a, b);                                                      \
        CHECK_EQ(heddle_read(r, got, (int64_t)((size_t)n * sizeof *got)), HEDDLE_OK);              \
        for (int i = 0; i < n; i++) {                                                              \
            const S want = nearest_##T(c, a, b, i, i);                                             \
            CHECK(got[i] == want || (IS_NAN(got[i]) && IS_NAN(want)) ||                            \
                      is_near(c, (double)got[i], (double)want),                                    \
                  "%s, %s of %s, layout %d, (%d, %d, %d), at %d: %.17g, not %.17g", #T,            \
                  inner_names[c->inner], element_texts[c->element], c->layout, c->n, c->m, c->k,   \
                  i, (double)got[i], (double)want);                                                \
        }                                                                                          \
        heddle_scope_close(scope);                                                                 \
    }
#define NEVER(x) ((void)(x), false)
#define TIMES(S, x, y) ((S)((x) * (y)))
#define WRAPPED(S, x, y) ((S)((uint64_t)(x) * (uint64_t)(y)))
LOOPS(double, double, isnan, TIMES)
LOOPS(float, float, isnan, TIMES)
LOOPS(int16_t, int64_t, NEVER, WRAPPED)
LOOPS(uint8_t, uint64_t, NEVER, WRAPPED)
typedef int16_t narrow; /* the largest keep the dtype */
LOOPS(narrow, int16_t, NEVER, WRAPPED)
typedef uint8_t byte;
LOOPS(byte, uint8_t, NEVER, WRAPPED)

static bool is_wide(enum inner inner)
{
    return inner == SUM || inner == PROD;
}

static void check_instance(struct instance c)
{
    enum { ROOM = MOST * 2 * MOST_EACH };
    static double a[ROOM], b[ROOM];
    static float af[ROOM], bf[ROOM];
    static int16_t as[ROOM], bs[ROOM];
    static uint8_t ab[ROOM], bb[ROOM];
    for (int i = 0; i < ROOM; i++) {
        af[i] = (float)(a[i] = random_word() % 400 ? random_part() * 4 - 2 : NAN);
        bf[i] = (float)(b[i] = random_part() * 4 - 2);
        as[i] = (int16_t)random_word();
        bs[i] = (int16_t)random_word();
        ab[i] = (uint8_t)random_word();
        bb[i] = (uint8_t)random_word();
    }
    c.dtype = HEDDLE_FLOAT64;
    check_double(&c, a, b);
    c.dtype = HEDDLE_FLOAT32;
    check_float(&c, af, bf);
    c.dtype = HEDDLE_INT16;
    if (is_wide(c.inner))
        check_int16_t(&c, as, bs);
    else
        check_narrow(&c, as, bs);
    c.dtype = HEDDLE_UINT8;
    if (is_wide(c.inner))
        check_uint8_t(&c, ab, bb);
    else
        check_byte(&c, ab, bb);
}

static void test_all(void)
{
    static const int counts[] = {1, 2, 3, 4, 6, 7, 8, 12, 16, 17};
    for (int inner = 0; inner < N_INNER; inner++)
        for (int layout = 0; layout < N_LAYOUTS; layout++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
                check_instance(
                    (struct instance){.inner = (enum inner)inner,
                                      .element = (enum element)(random_word() % N_ELEMENTS),
                                      .layout = (enum layout)layout,
                                      .n = 1 + (int)(random_word() % MOST),
                                      .m = 1 + (int)(random_word() % MOST),
                                      .k = counts[k],
                                      .across = (int)(random_word() & 1)});
}

static double number(const char *text, heddle_array *x)
{
    double got = NAN;
    CHECK_EQ(heddle_read(heddle_expr(text, HEDDLE_BIND("x", x)), &got, sizeof got), HEDDLE_OK);
    return got;
}

/* Several readers, readers that are asked for, comparisons, halves, complex numbers, several reductions that one reads, and
 * reductions of reductions of reductions. Sums of whole numbers, which are exact. */
static void test_readers(void)
{
    enum { N = 300, K = 3 };
    static double values[N * K];
    double largest = 0, total = 0, any = 0, pairs = 0, deep = 0;
    for (int i = 0; i < N * K; i++) values[i] = i * 7 % 19;
    for (int i = 0; i < N; i++) {
        const double *x = &values[i * K];
        const double sum = x[0] + x[1] + x[2];
        const double low = fmin(x[0], fmin(x[1], x[2])), high = fmax(x[0], fmax(x[1], x[2]));
        largest = fmax(largest, sum);
        total += sum;
        any += x[0] > 17 || x[1] > 17 || x[2] > 17;
        pairs += high - low;
        deep = i % 2 ? fmax(deep, sum + (x - K)[0] + (x - K)[1] + (x - K)[2]) : deep;
    }
    /* the squares of distances of the first 40 to the next 50, by which each is nearest to one */
    double nearest = 0, other[50];
    for (int j = 0; j < 50; j++) other[j] = INFINITY;
    for (int i = 0; i < 40; i++) {
        double least = INFINITY;
        for (int j = 0; j < 50; j++) {
            double square = 0;
            for (int k = 0; k < K; k++) {
                const double d = values[i * K + k] - values[(40 + j) * K + k];
                square += d * d;
            }
            least = fmin(least, square);
            other[j] = fmin(other[j], square);
        }
        nearest += least;
    }
    for (int j = 0; j < 50; j++) nearest += 1000 * other[j];
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_asarray(values, HEDDLE_FLOAT64, HEDDLE_SHAPE(N, K));
    CHECK_NUM(number("d = x[:40, None] - x[None, 40:90]; s = sum(d * d, axis=2); "
                     "sum(min(s, axis=1)) + 1000 * sum(min(s, axis=0))",
                     x),
              nearest);
    CHECK_NUM(number("s = sum(x, axis=1); max(s) + sum(s) + 0.0", x), largest + total);
    CHECK_NUM(number("s = sum(x + 0, axis=1); max(s) + s[3] * 0", x), largest);
    CHECK_NUM(number("sum(any(x > 17, axis=1)) + 0.0", x), any);
    CHECK_NUM(number("sum(~all(x <= 17, axis=1)) + 0.0", x), any);
    CHECK_NUM(number("sum(max(x, axis=1) - min(x, axis=1))", x), pairs);
    CHECK_NUM(number("sum(max(x * 2, axis=1)) - sum(min(x * 2, axis=1))", x), 2 * pairs);
    CHECK_NUM(number("max(sum(reshape(sum(x, axis=1), (150, 2)), axis=1))", x), deep);
    CHECK_NUM(number("max(sum(sum(reshape(x, (150, 2, 3)) * 1, axis=2), axis=1))", x), deep);
    CHECK_NUM(number("astype(max(sum(astype(x, float16), axis=1)), float64)", x), largest);
    CHECK_NUM(number("real(sum(sum(x + 1j * x, axis=1))) + 0.0", x), total);
    CHECK_NUM(number("y = sum(x - 0, axis=1, keepdims=True); sum(max(x * 0 + y, axis=1))", x),
              total);
    heddle_scope_close(scope);
}

static void test(void)
{
    test_all();
    test_readers();
}

int main(void)
{
    return check_each_way(test);
}
