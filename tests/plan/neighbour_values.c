/* What a thread has of its neighbours: rows of stencils, rows in stretches, columns of small elements, rows of bytes, numbers that become small integers,
 * quotients of rows, of which all but a few are ordinary, and short axes that are sorted; against values that C computes element by element, exactly. On GPUs each is
 * evaluated until its kernels are compiled. Skipped (77) where the devices that HEDDLE_DEVICES names are not there. */
#include "check_heddle.h"
#include "exact_values.h"
#include "machine/machine.h"
#include "random_words.h"

#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Stencils ------------------------------------------------------------------------------------------ */

enum { MOST_TERMS = 9, MOST_SHIFT = 6 };

static double cell(int64_t i)
{
    return (double)(i * 7919 % 101);
}

/* An array of cell(i), as data. */
static heddle_array *cells(const char *dtype, int64_t planes, int64_t rows, int64_t columns)
{
    char make[256];
    snprintf(make, sizeof make,
             "astype(reshape(arange(%lld) * 7919 %% 101, (%lld, %lld, %lld)), %s)",
             (long long)(planes * rows * columns), (long long)planes, (long long)rows,
             (long long)columns, dtype);
    heddle_array *x = heddle_expr(make, HEDDLE_NO_BINDINGS);
    CHECK(heddle_wait(x) == HEDDLE_OK, "%s", heddle_error(x));
    return x;
}

/* A sum of some windows of (planes, rows, columns), which move by whole elements and keep their extents. */
static void check_stencil(const char *dtype, int64_t planes, int64_t rows, int64_t columns)
{
    const int64_t shape[3] = {planes, rows, columns};
    const int n_terms = 2 + (int)word_below(MOST_TERMS - 1);
    int64_t at[MOST_TERMS][3], window[3];
    char text[2048] = "", part[128];
    for (int d = 0; d < 3; d++) window[d] = shape[d];
    for (int t = 0; t < n_terms; t++)
        for (int d = 0; d < 3; d++) {
            const int64_t most = d == 0 ? 1 : MOST_SHIFT;
            at[t][d] = shape[d] > 2 * most ? word_below(most + 1) : 0;
            if (shape[d] - at[t][d] < window[d]) window[d] = shape[d] - at[t][d];
        }
    for (int t = 0; t < n_terms; t++) {
        snprintf(part, sizeof part, "%s%d * astype(x[%lld:%lld, %lld:%lld, %lld:%lld], int32)",
                 t ? " + " : "", t + 1, (long long)at[t][0], (long long)(at[t][0] + window[0]),
                 (long long)at[t][1], (long long)(at[t][1] + window[1]), (long long)at[t][2],
                 (long long)(at[t][2] + window[2]));
        strcat(text, part);
    }
    const int64_t size = window[0] * window[1] * window[2];
    double *expected = calloc((size_t)size, sizeof *expected);
    for (int64_t i = 0; i < size; i++)
        for (int t = 0; t < n_terms; t++) {
            const int64_t a = i / (window[1] * window[2]) + at[t][0],
                          b = i / window[2] % window[1] + at[t][1], c = i % window[2] + at[t][2];
            expected[i] += (t + 1) * cell((a * rows + b) * columns + c);
        }
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = cells(dtype, planes, rows, columns);
    check_compiled(text, 1, (struct heddle_binding[]){{"x", x}}, expected, size);
    heddle_scope_close(scope);
    free(expected);
}

static void test_stencils(void)
{
    static const char *const dtypes[] = {"float32", "uint8", "float64", "int16"};
    static const int64_t shapes[][3] = {
        {1, 5, 40},   {1, 37, 129}, {1, 64, 64},   {1, 3, 300},   {1, 203, 50},
        {4, 9, 33},   {5, 14, 70},  {3, 63, 65},   {2, 2, 90},    {7, 13, 257},
        {1, 131, 77}, {6, 8, 48},   {1, 258, 514}, {3, 130, 132},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        check_stencil(dtypes[i % 4], shapes[i][0], shapes[i][1], shapes[i][2]);
}

/* A sum of some rolled arrays (planes, rows, columns), each by up to two axes, of some whose last column is another one than a roll's, and of the
 * last axis's index: rows come in stretches, and so do those of a part. */
static void check_rolled(const char *dtype, int64_t planes, int64_t rows, int64_t columns)
{
    const int64_t shape[3] = {planes, rows, columns};
    const int n_terms = 2 + (int)word_below(4), by_index = (int)word_below(3) == 0;
    const int64_t size = planes * rows * columns, far = word_below(3) == 0 ? columns : 3;
    const bool alike = word_below(3) == 0; /* rows that neighbours share, but for the last column */
    int64_t by[MOST_TERMS][3] = {{0}}, edge[MOST_TERMS];
    char text[2048] = "", part[200];
    for (int t = 0; t < n_terms; t++) {
        const int axis = (int)word_below(3);
        edge[t] = (alike ? t == 1 : word_below(3) == 0) ? word_below(columns) : -1;
        by[t][2] = alike || edge[t] >= 0 ? -1 : word_below(2 * far - 1) - (far - 1);
        if (alike)
            by[t][1] = t % 2;
        else if (t % 2)
            by[t][axis] = edge[t] >= 0 && axis == 2 ? -1 : word_below(3) - 1;
        snprintf(part, sizeof part, "roll(x, %lld, axis=2)", (long long)by[t][2]);
        if (edge[t] >= 0)
            snprintf(part, sizeof part, "concat((x[:, :, 1:], x[:, :, %lld:%lld]), axis=2)",
                     (long long)edge[t], (long long)edge[t] + 1);
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s%d * astype(roll(roll(%s, %lld, axis=0), %lld, axis=1), int32)", t ? " + " : "",
                 t + 1, part, (long long)by[t][0], (long long)by[t][1]);
    }
    if (by_index) snprintf(text + strlen(text), 64, " + 7 * arange(%lld)", (long long)columns);
    double *expected = calloc((size_t)size, sizeof *expected);
    for (int64_t i = 0; i < size; i++) {
        for (int t = 0; t < n_terms; t++) {
            int64_t at[3] = {i / (rows * columns), i / columns % rows, i % columns};
            for (int d = 0; d < 3; d++)
                at[d] = d == 2 && edge[t] >= 0 && at[d] == columns - 1
                            ? edge[t]
                            : ((at[d] - by[t][d]) % shape[d] + shape[d]) % shape[d];
            expected[i] += (t + 1) * cell((at[0] * rows + at[1]) * columns + at[2]);
        }
        if (by_index) expected[i] += 7 * (double)(i % columns);
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = cells(dtype, planes, rows, columns);
    check_compiled(text, 1, (struct heddle_binding[]){{"x", x}}, expected, size);
    heddle_scope_close(scope);
    free(expected);
}

static void test_rolled(void)
{
    static const char *const dtypes[] = {"float32", "uint8", "float64", "int16"};
    static const int64_t shapes[][3] = {
        {1, 1, 5},   {1, 7, 2},    {1, 37, 129}, {3, 5, 16},  {9, 4, 100},  {1, 300, 3},
        {2, 33, 64}, {1, 200, 33}, {5, 2, 1000}, {40, 3, 20}, {1, 9, 4098}, {3, 50, 101},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int again = 0; again < 3; again++)
            check_rolled(dtypes[(i + (size_t)again) % 4], shapes[i][0], shapes[i][1], shapes[i][2]);
}

/* ---- Columns and rows of small elements ------------------------------------------------------------------ */

static void check_columns(const char *dtype, const char *reduction, int64_t rows, int64_t columns)
{
    char text[128], make[256];
    double *expected = calloc((size_t)columns, sizeof *expected);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            const double x = cell(i * columns + j);
            if (*reduction == 's')
                expected[j] += x;
            else
                expected[j] = i == 0 || x > expected[j] ? x : expected[j];
        }
    for (int64_t j = 0; j < columns && *reduction == 's'; j++) expected[j] += (double)rows;
    snprintf(text, sizeof text,
             *reduction == 's' ? "sum(astype(x, int32) + 1, axis=0)" : "%s(x, axis=0)", reduction);
    heddle_scope scope = heddle_scope_open();
    snprintf(make, sizeof make, "astype(reshape(arange(%lld) * 7919 %% 101, (%lld, %lld)), %s)",
             (long long)(rows * columns), (long long)rows, (long long)columns, dtype);
    heddle_array *x = heddle_expr(make, HEDDLE_NO_BINDINGS);
    CHECK(heddle_wait(x) == HEDDLE_OK, "%s", heddle_error(x));
    check_compiled(text, 1, (struct heddle_binding[]){{"x", x}}, expected, columns);
    heddle_scope_close(scope);
    free(expected);
}

/* How many elements of two rows differ, and where the greatest of the first is. */
static void check_rows(int64_t rows, int64_t length)
{
    double *differ = calloc((size_t)rows, sizeof *differ),
           *greatest = calloc((size_t)rows, sizeof *greatest);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < length; j++) {
            const int64_t k = i * length + j;
            differ[i] += cell(k) != (double)(k * 31 % 101);
            greatest[i] = fmax(greatest[i], cell(k));
        }
    heddle_scope scope = heddle_scope_open();
    char make[256];
    snprintf(make, sizeof make, "astype(reshape(arange(%lld) * 7919 %% 101, (%lld, %lld)), uint8)",
             (long long)(rows * length), (long long)rows, (long long)length);
    heddle_array *x = heddle_expr(make, HEDDLE_NO_BINDINGS);
    snprintf(make, sizeof make, "astype(reshape(arange(%lld) * 31 %% 101, (%lld, %lld)), uint8)",
             (long long)(rows * length), (long long)rows, (long long)length);
    heddle_array *z = heddle_expr(make, HEDDLE_NO_BINDINGS);
    CHECK(heddle_wait(x) == HEDDLE_OK && heddle_wait(z) == HEDDLE_OK, "%s", heddle_last_error());
    const struct heddle_binding both[] = {{"x", x}, {"z", z}};
    check_compiled("sum(x != z, axis=1)", 2, both, differ, rows);
    check_compiled("max(astype(x, float16), axis=1)", 2, both, greatest, rows);
    heddle_scope_close(scope);
    free(differ);
    free(greatest);
}

/* ---- Conversions ------------------------------------------------------------------------------------------- */

/* Through 64 bits, which saturate; then the lowest bits count. */
static double converted(double x, const char *dtype)
{
    const bool is_unsigned = *dtype == 'u';
    const int bits = atoi(strpbrk(dtype, "0123456789"));
    uint64_t low;
    if (is_unsigned && x >= 0)
        low = x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
    else
        low = x >= 0x1p63 ? INT64_MAX : !(x > -0x1p63) ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)x;
    const uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    low &= mask;
    if (is_unsigned || !(low >> (bits - 1))) return (double)low;
    return -(double)((~low & mask) + 1);
}

/* Fractions stay what they are between floating dtypes. */
static void test_fractions(void)
{
    enum { N = 5003 };
    double *data = malloc(N * sizeof *data), *expected = malloc(N * sizeof *expected);
    for (int i = 0; i < N; i++) {
        data[i] = (double)word_below(1 << 20) / 4096 - 100;
        expected[i] = 3 * (double)(float)data[i];
    }
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(N));
    const struct heddle_binding bindings[] = {{"x", x}};
    check_compiled("astype(astype(x, float32), float64) * 3", 1, bindings, expected, N);
    heddle_scope_close(scope);
    free(data);
    free(expected);
}

static void test_conversions(void)
{
    enum { N = 40003, EVERY = 1000 };
    static const char *const dtypes[] = {"int8",  "uint8",  "int16", "uint16",
                                         "int32", "uint32", "int64"};
    static const float far[] = {INFINITY, -INFINITY, 0x1p31f,  -0x1p31f, 0x1.fffffep30f,
                                0x1p32f,  -0x1p40f,  1e20f,    -1e20f,   3e9f,
                                -0.75f,   0x1p63f,   0x1p-140f};
    float *data = malloc(N * sizeof *data);
    double *expected = malloc(N * sizeof *expected);
    for (int with_far = 0; with_far < 2; with_far++)
        for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
            char text[64];
            for (int i = 0; i < N; i++) {
                data[i] = (float)word_below(200001) / 128 - 700;
                if (with_far && i % EVERY == (int)d)
                    data[i] = far[i / EVERY % (int)(sizeof far / sizeof far[0])];
                expected[i] = converted((double)data[i] * 0.5, dtypes[d]);
            }
            heddle_scope scope = heddle_scope_open();
            heddle_array *x = heddle_asarray(data, HEDDLE_FLOAT32, HEDDLE_SHAPE(N));
            snprintf(text, sizeof text, "astype(x * 0.5, %s)", dtypes[d]);
            check_compiled(text, 1, (struct heddle_binding[]){{"x", x}}, expected, N);
            heddle_scope_close(scope);
        }
    free(data);
    free(expected);
}

/* ---- Rows that are divided --------------------------------------------------------------------------------- */

/* Shares of rows, between a diagonal and another one; some rows have numbers so small, or -0, that quotients take another way. */
static void check_shares(int64_t rows, int64_t length)
{
    float *data = malloc((size_t)(rows * length) * sizeof *data);
    double *expected = malloc((size_t)(rows * length) * sizeof *expected);
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < length; j++) {
            float *x = &data[i * length + j];
            *x = (float)(1 + word_below(16));
            if (i % 5 == 1 && j == i) *x = -0.0f;
            if (i % 5 == 2 && j <= i) *x *= 0x1p-75f;
            if (i % 5 == 2 && j > i) *x = 0;
            if (j <= i && i - j < 700) sum += (double)*x;
        }
        for (int64_t j = 0; j < length; j++) {
            const bool is_in = j <= i && i - j < 700;
            expected[i * length + j] = (double)(is_in ? data[i * length + j] / (float)sum : 0.0f);
        }
    }
    heddle_scope scope = heddle_scope_open();
    char text[256];
    snprintf(text, sizeof text,
             "d = arange(%lld)[:, None] - arange(%lld); e = where((d >= 0) & (d < 700), x, 0); "
             "e / sum(e, axis=1, keepdims=True)",
             (long long)rows, (long long)length);
    heddle_array *x = heddle_asarray(data, HEDDLE_FLOAT32, HEDDLE_SHAPE(rows, length));
    check_compiled(text, 1, (struct heddle_binding[]){{"x", x}}, expected, rows * length);
    heddle_scope_close(scope);
    free(data);
    free(expected);
}

/* ---- Short axes that are sorted ---------------------------------------------------------------------------- */

/* NaN last, in both orders. */
static bool is_before(double x, double y, bool descending)
{
    if (isnan(x) || isnan(y)) return isnan(y) && !isnan(x);
    return descending ? x > y : x < y;
}

/* Lines of n elements, one after the other or side by side, in order; then what lies between the first rank and the last one that is a number. */
static void check_sorted(const char *dtype, int n, bool down, bool descending)
{
    enum { LINES = 611 };
    const bool has_nan = *dtype == 'f', is_bool = *dtype == 'b';
    const int64_t size = (int64_t)LINES * n;
    double *data = malloc((size_t)size * sizeof *data),
           *expected = malloc((size_t)size * sizeof *data), *spread = malloc(LINES * sizeof *data);
    for (int64_t i = 0; i < size; i++)
        data[i] = has_nan && word_below(11) == 0
                      ? NAN
                      : (double)(is_bool ? word_below(2) : word_below(12));
    for (int64_t line = 0; line < LINES; line++) {
        double sorted[16];
        for (int k = 0; k < n; k++) {
            const double x = data[down ? k * LINES + line : line * n + k];
            int at = k;
            for (; at > 0 && is_before(x, sorted[at - 1], descending); at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = x;
        }
        for (int k = 0; k < n; k++)
            expected[down ? k * LINES + line : line * n + k] = isnan(sorted[k]) ? 99 : sorted[k];
        spread[line] =
            (isnan(sorted[n - 1]) ? 99 : sorted[n - 1]) - (isnan(sorted[0]) ? 99 : sorted[0]);
    }
    heddle_scope scope = heddle_scope_open();
    char text[256];
    heddle_array *x =
        heddle_astype(down ? heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(n, LINES))
                           : heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(LINES, n)),
                      heddle_dtype_from_name(dtype));
    if (n != 4) CHECK(heddle_wait(x) == HEDDLE_OK, "%s", heddle_error(x)); /* then it is data */
    const struct heddle_binding bindings[] = {{"x", x}};
    const char *const order = descending ? ", descending=True" : "";
    snprintf(text, sizeof text, "s = astype(sort(x, axis=%d%s), float64); where(s == s, s, 99)",
             !down, order);
    check_compiled(text, 1, bindings, expected, size);
    snprintf(text, sizeof text,
             "s = sort(x, axis=%d%s); s = astype(where(s == s, s, 99), float64); %s", !down, order,
             down ? "s[-1] - s[0]" : "s[:, -1] - s[:, 0]");
    if (!is_bool) check_compiled(text, 1, bindings, spread, LINES);
    heddle_scope_close(scope);
    free(data);
    free(expected);
    free(spread);
}

static void test_sorted(void)
{
    static const char *const dtypes[] = {"float32", "float64", "int32", "uint8",
                                         "float16", "bool",    "int64"};
    int number = 0;
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++)
        for (int n = 2; n <= 9; n++, number++)
            check_sorted(dtypes[d], n, number % 2 == 0, number % 3 == 0);
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    for (int in_parts = 0; in_parts < 2; in_parts++) {
        CHECK_EQ(machine_configure(&(struct heddle_config){.inline_bytes = -1,
                                                           .partition = in_parts ? "2" : NULL}),
                 HEDDLE_OK);
        test_stencils();
        test_rolled();
        check_columns("uint8", "max", 300, 9000);
        check_columns("int8", "sum", 1000, 20004);
        check_columns("int16", "max", 13, 70002);
        check_columns("uint16", "sum", 600, 33000);
        check_columns("float16", "max", 70, 40001);
        check_columns("float32", "max", 520, 40004);
        check_columns("int32", "sum", 300, 9001);
        check_columns("uint8", "sum", 70000, 16);
        check_columns("int16", "max", 9000, 64);
        check_columns("uint8", "max", 40000, 68);
        for (size_t i = 0; i < 9; i++)
            check_rows(1000 + (int64_t)i,
                       (int64_t[]){17, 20, 36, 64, 100, 200, 256, 1000, 1024}[i]);
        test_fractions();
        test_conversions();
        test_sorted();
        check_shares(40, 33);
        check_shares(33, 1000);
        check_shares(900, 4100);
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
    }
    return check_done();
}
