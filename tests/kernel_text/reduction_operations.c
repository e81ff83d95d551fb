/* Reductions from text that Heddle has operations for, in each way to say them; types of accumulators, raw arguments,
 * numbers, nothing; and that the map belongs to the first round. */
#include "reduction_forms.h"

static int64_t places[5000];

/* ---- Operations that Heddle has ------------------------------------------------------------------------- */

static double sum(double a, double b)
{
    return a + b;
}

static double product(double a, double b)
{
    return a * b;
}

static double bits_or(double a, double b)
{
    return (double)((int64_t)a | (int64_t)b);
}

static double bits_and(double a, double b)
{
    return (double)((int64_t)a & (int64_t)b);
}

static double bits_xor(double a, double b)
{
    return (double)((int64_t)a ^ (int64_t)b);
}

static double both(double a, double b)
{
    return a != 0 && b != 0;
}

static double either(double a, double b)
{
    return a != 0 || b != 0;
}

/* A row for each way to say it; `bits`: not of floating types. `map` of x, whose values `of` has. */
struct plain {
    const char *map, *reduce;
    double (*combine)(double, double);
    bool bits, positive; /* positive: whether x > 2 is reduced, not x */
};

static const struct plain plains[] = {
    {"x", "a + b", sum, false, false},         {"x", "b + a", sum, false, false},
    {"x", "a * b", product, false, false},     {"x", "min(a, b)", fmin, false, false},
    {"x", "max(b, a)", fmax, false, false},    {"x", "fmin(a, b)", fmin, false, false},
    {"x", "fmax(a, b)", fmax, false, false},   {"x", "a | b", bits_or, true, false},
    {"x", "a & b", bits_and, true, false},     {"x", "a ^ b", bits_xor, true, false},
    {"x > 2", "a + b", sum, false, true},      {"x > 2", "a && b", both, false, true},
    {"x > 2", "a || b", either, false, true},  {"x > 2", "a | b", either, false, true},
    {"x > 2", "a & b", both, false, true},     {"x > 2", "a * b", both, false, true},
    {"x > 2", "a ^ b", bits_xor, false, true}, {"x > 2", "min(a, b)", fmin, false, true},
};

static void check_plain(const struct plain *row, enum heddle_dtype dtype, const struct form *f)
{
    static double values[5000], found[5000];
    heddle_scope scope = heddle_scope_open();
    const bool floating = dtype == HEDDLE_FLOAT32 || dtype == HEDDLE_FLOAT64;
    const bool products = row->combine == product;
    for (int64_t i = 0; i < size_of(f, false); i++) {
        const int64_t v = (int64_t)(random_word() % 9);
        values[i] = products ? (i % 400 == 7 ? 2 : 1) : (double)(dtype == HEDDLE_BOOL ? v > 3 : v);
        if (floating && (row->combine == fmin || row->combine == fmax) && v == 0) values[i] = NAN;
    }
    if (row->positive)
        for (int64_t i = 0; i < size_of(f, false); i++)
            if (random_word() % 3) values[i] = row->combine == both ? 8 : 0;
    heddle_array *const a =
        heddle_astype(heddle_asarray(values, HEDDLE_FLOAT64, f->ndim, f->shape), dtype);
    if (dtype == HEDDLE_BOOL)
        for (int64_t i = 0; i < size_of(f, false); i++) values[i] = values[i] != 0;
    heddle_kernel *const k =
        heddle_kernel_reduction("T x", "float64 y", row->map, row->reduce, "y = a");
    results(k, 1, &a, f, 1, HEDDLE_FLOAT64, (void *[]){found});
    for (int64_t r = 0; r < size_of(f, true); r++) {
        const int64_t n = places_of(f, r, places);
        double right = 0;
        for (int64_t j = 0; j < n; j++) {
            const double v = row->positive ? values[places[j]] > 2 : values[places[j]];
            right = j == 0 ? v : row->combine(right, v);
        }
        CHECK(found[r] == right || (isnan(found[r]) && isnan(right)),
              "%s of %s, %s: %.17g, not %.17g", row->reduce, row->map, heddle_dtype_name(dtype),
              found[r], right);
    }
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

static void check_plains(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_BOOL,    HEDDLE_INT8,   HEDDLE_UINT16,
                                               HEDDLE_INT32,   HEDDLE_INT64,  HEDDLE_UINT64,
                                               HEDDLE_FLOAT32, HEDDLE_FLOAT64};
    static const struct form forms[] = {{1, {1}, 1},      {1, {97}, 1},       {2, {6, 40}, 2},
                                        {2, {70, 40}, 1}, {3, {3, 20, 7}, 5}, {1, {4999}, 1}};
    for (size_t i = 0; i < sizeof plains / sizeof *plains; i++)
        for (int d = 0; d < 8; d++)
            for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
                if (!plains[i].bits || d < 6) check_plain(&plains[i], dtypes[d], &forms[k]);
}

/* ---- Beyond ---------------------------------------------------------------------------------------------- */

static double first(heddle_array *a)
{
    double v = (double)NAN;
    CHECK(heddle_read(heddle_astype(a, HEDDLE_FLOAT64), &v, sizeof v) == HEDDLE_OK, "%s",
          heddle_error(a));
    return v;
}

/* All of one argument, as float64. */
static double of(const char *in, const char *map, const char *reduce, const char *type,
                 const char *identity, heddle_array *a)
{
    heddle_kernel *const k = heddle_kernel_reduction(in, "float64 y", map, reduce, "y = a",
                                                     .identity = identity, .type = type);
    heddle_array *const r = heddle_kernel_reduce(k, HEDDLE_ARRAYS(a));
    heddle_kernel_release(k);
    return first(r);
}

static void check_beyond(void)
{
    heddle_scope scope = heddle_scope_open();
    static const int64_t small[6] = {3, 1, 4, 1, 5, 9};
    heddle_array *const six = heddle_asarray(small, HEDDLE_INT64, HEDDLE_SHAPE(2, 3));
    heddle_array *const ones = heddle_ones(HEDDLE_SHAPE(4100), .dtype = HEDDLE_FLOAT16);
    heddle_array *const none = heddle_zeros(HEDDLE_SHAPE(0, 3));
    heddle_array *const bytes =
        heddle_full(HEDDLE_SHAPE(3), heddle_scalar(100), .dtype = HEDDLE_INT8);

    /* types of accumulators; halves are float32 */
    CHECK_NUM(of("T x", "x", "a + b", NULL, NULL, ones), 4100);
    CHECK_NUM(of("T x", "x", "a + b * 1", NULL, NULL, ones), 4100);
    CHECK_NUM(of("T x", "x", "a + b", NULL, NULL, bytes), 300);
    CHECK_NUM(of("T x", "x", "a + b", "T", NULL, bytes), 300 - 256);
    CHECK_NUM(of("T x", "x", "a + b * 1", "int8", NULL, bytes), 300 - 256);
    CHECK_NUM(of("T x", "x", "a * b", "double", NULL, bytes), 1e6);
    CHECK_NUM(of("T x", "x * 0.5f", "a + b", "int", NULL, six), 10 - 1);

    /* places, loops that data end, raw arguments, numbers */
    CHECK_NUM(of("T x", "i * 100 + n", "10 * a + b - 9 * a", NULL, NULL, six), 1500 + 36);
    CHECK_NUM(of("T x", "i * x", "a + b", NULL, NULL, six), 1 + 8 + 3 + 20 + 45);
    CHECK_NUM(of("T x", "i", "a > b ? a : b", NULL, NULL, heddle_scalar(7)), 0);
    CHECK_NUM(of("T x", "x", "b", NULL, NULL, heddle_scalar(7)), 7);
    heddle_kernel *k = heddle_kernel_reduction("raw T x, int64 at", "T y", "x[at] * 2", "b - a + a",
                                               "T s = 0; while (s < a) s += 1; y = s");
    CHECK_NUM(first(heddle_kernel_reduce(k, HEDDLE_ARRAYS(six, six))), 0);
    int64_t two[2] = {-1, -1};
    heddle_array *const rows = heddle_kernel_reduce(k, HEDDLE_ARRAYS(six, six), .axis = 1);
    CHECK_EQ(heddle_read(rows, two, sizeof two), HEDDLE_OK);
    CHECK_EQ(two[0], 10);
    CHECK_EQ(two[1], 0);
    heddle_kernel_release(k);
    k = heddle_kernel_reduction("raw T x", "T y", "x.size()", "a + b", "y = a");
    CHECK_NUM(first(heddle_kernel_reduce(k, HEDDLE_ARRAYS(six), .shape = HEDDLE_LENGTHS(7))), 42);
    heddle_kernel_release(k);

    /* arguments that broadcast; a greatest common divisor, whose loop data end */
    heddle_array *const row = heddle_asarray(small, HEDDLE_INT64, HEDDLE_SHAPE(3));
    k = heddle_kernel_reduction("T x, T y, T z", "T s", "x * y + z", "10 * a + b - 9 * a", "s = a");
    CHECK_NUM(first(heddle_kernel_reduce(k, HEDDLE_ARRAYS(six, row, heddle_scalar(2)))),
              9 + 1 + 16 + 3 + 5 + 36 + 12);
    heddle_kernel_release(k);
    heddle_array *const many = heddle_multiply(heddle_add(six, heddle_scalar(1)), heddle_scalar(6));
    CHECK_NUM(of("int64 x", "x", "a", NULL, NULL, many), 24);
    k = heddle_kernel_reduction(
        "T x", "T y", "x > 9 ? x : 12", "a + b * 0",
        "T p = a, q = 18; while (q) { const T t = p % q; p = q; q = t; } y = p");
    CHECK_NUM(first(heddle_kernel_reduce(k, HEDDLE_ARRAYS(many))), 6);
    heddle_kernel_release(k);

    /* how many elements become one */
    k = heddle_kernel_reduction("T x", "float64 y", "x", "a + b", "y = a / double(n)",
                                .identity = "1");
    CHECK_NUM(first(heddle_kernel_reduce(k, HEDDLE_ARRAYS(six))), 23.0 / 6);
    CHECK_NUM(first(heddle_sum(heddle_kernel_reduce(k, HEDDLE_ARRAYS(six), .axis = 0))), 11.5);
    CHECK_NUM(
        first(heddle_sum(heddle_kernel_reduce(k, HEDDLE_ARRAYS(six), .axes = HEDDLE_NO_AXES))), 23);
    CHECK_NUM(first(heddle_kernel_reduce(k, HEDDLE_ARRAYS(heddle_scalar(4)))), 4);
    CHECK_NUM(first(heddle_kernel_reduce(k, HEDDLE_ARRAYS(none))), (double)INFINITY);
    heddle_kernel_release(k);
    k = heddle_kernel_reduction("T x", "T y", "x", "b",
                                "T s = 0; while (s < n) s += 1; y = s * 10 + a");
    CHECK_NUM(first(heddle_kernel_reduce(k, HEDDLE_ARRAYS(six))), 69);
    heddle_kernel_release(k);

    /* nothing */
    CHECK_NUM(of("T x", "x", "a + b", NULL, "0", none), 0);
    CHECK_NUM(of("T x", "x", "a - b", NULL, "-INFINITY", none), -(double)INFINITY);
    k = heddle_kernel_reduction("T x", "T y", "x", "a + b", "y = a + 1");
    check_error(heddle_kernel_reduce(k, HEDDLE_ARRAYS(none)), HEDDLE_ESHAPE,
                "nothing to reduce in shape (0, 3), and it has no identity");
    heddle_array *const empty = heddle_kernel_reduce(k, HEDDLE_ARRAYS(none), .axis = -1);
    CHECK_EQ(heddle_status_of(empty), HEDDLE_OK);
    CHECK_EQ(heddle_size(empty), 0);
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* The map is part of the first round: no array of its values is made. */
static void check_fusion(void)
{
    heddle_scope scope = heddle_scope_open();
    static float values[4096 * 16];
    heddle_array *const a = heddle_asarray(values, HEDDLE_FLOAT32, HEDDLE_SHAPE(4096, 16));
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    for (int axis = 0; axis < 2; axis++) {
        char *text = NULL;
        heddle_kernel *const k = heddle_kernel_reduction(
            "T x", "T y", "x * x + i, i", "a0 + b0 * 1, a0 > b0 ? a1 : b1", "y = sqrt(a0) + a1");
        heddle_array *const r = heddle_kernel_reduce(k, HEDDLE_ARRAYS(a), .axis = axis);
        CHECK_EQ(heddle_explain(r, HEDDLE_EXPLAIN_PLAN, &text), HEDDLE_OK);
        CHECK(text && !strstr(text, "temporary float32 (4096, 16)"), "%s", text);
        CHECK(text && !strstr(text, "temporary bool"), "a program was cut: %s", text);
        CHECK_HAS(text ? text : "", axis ? "plan: 2 steps" : "plan: 6 steps");
        heddle_free(text);
        heddle_kernel_release(k);
    }
    heddle_scope_close(scope);
}

/* An operation that is not recorded as operations: one kernel for each two slices. */
static void check_crooked(void)
{
    enum { ROWS = 37, COLUMNS = 50 };
    static double x[ROWS * COLUMNS], got[COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++) x[k] = k % 11 - 4;
    heddle_kernel *sum = heddle_kernel_reduction("T x", "T y", "x * 2", "fma(a, (T)1, b)", "y = a",
                                                 .identity = "0", .name = "by_fma");
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(ROWS, COLUMNS));
    for (int axis = 0; axis < 2; axis++) {
        const int kept = axis ? ROWS : COLUMNS, reduced = axis ? COLUMNS : ROWS;
        heddle_array *y =
            heddle_kernel_reduce(sum, HEDDLE_ARRAYS(a), .axis = axis, .has_axis = true);
        CHECK(heddle_read(y, got, kept * 8) == HEDDLE_OK, "%s", heddle_error(y));
        for (int i = 0; i < kept; i++) {
            double want = 0;
            for (int j = 0; j < reduced; j++)
                want += 2 * (axis ? x[i * COLUMNS + j] : x[j * COLUMNS + i]);
            CHECK_NUM(got[i], want);
        }
    }
    heddle_scope_close(scope);
    heddle_kernel_release(sum);
}

int main(void)
{
    const int no = check_started();
    if (no) return no;
    check_plains();
    check_crooked();
    check_beyond();
    check_fusion();
    check_nothing_left();
    return check_done();
}
