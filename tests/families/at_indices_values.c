/* Elements by index that the program which needs them reads itself: random expressions over arrays of any dtype and indices of any width,
 * against loops, and bad indices, on every way to run a plan. Values are small integers, whose arithmetic is exact, but for narrow dtypes,
 * where it wraps. */
#include "check_heddle.h"
#include "families/ways.h"
#include "random_words.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = CHECK_CASES(24), MOST = 60000 };

/* ---- Operands ---------------------------------------------------------------------------------------- */

/* x of n, X of rows and columns, Y of rows, columns and 3, W of rows and a column more; i and j of m, below n; r and q of m, below rows; c of m, below columns; k of rows
 * and columns, below rows; g of rows and columns, and a first column that is out of range, below n. All indices are from minus the extent on. */
struct operands {
    enum heddle_dtype dtype, index_dtype;
    bool evaluated;
    int64_t n, rows, columns, m;
    int64_t x[MOST], i[MOST], j[MOST], r[MOST], q[MOST], c[MOST], k[MOST], g[MOST];
};
static struct operands o;

static int64_t from_end(int64_t index, int64_t extent)
{
    return index < 0 ? index + extent : index;
}

static void draw(int64_t *at, int64_t size, int64_t extent)
{
    for (int64_t i = 0; i < size; i++) at[i] = word_below(2 * extent) - extent;
}

static heddle_array *indices(const int64_t *at, int ndim, const int64_t *shape)
{
    heddle_array *a = heddle_astype(heddle_asarray(at, HEDDLE_INT64, ndim, shape), o.index_dtype);
    if (o.evaluated) CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    return a;
}

/* Data, or an expression. */
static heddle_array *numbers(int ndim, const int64_t *shape)
{
    heddle_array *a = heddle_astype(heddle_asarray(o.x, HEDDLE_INT64, ndim, shape), o.dtype);
    if (o.evaluated) CHECK_EQ(heddle_wait(a), HEDDLE_OK);
    return a;
}

static void draw_operands(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_FLOAT64,   HEDDLE_FLOAT32,   HEDDLE_INT64,
                                               HEDDLE_INT32,     HEDDLE_INT16,     HEDDLE_UINT8,
                                               HEDDLE_COMPLEX64, HEDDLE_COMPLEX128},
                                   index_dtypes[] = {HEDDLE_INT64, HEDDLE_INT32, HEDDLE_INT8};
    o.dtype = dtypes[word_below(8)];
    o.index_dtype = index_dtypes[word_below(3)];
    const int64_t most = o.index_dtype == HEDDLE_INT8 ? 127 : 5000;
    o.n = 1 + word_below(most);
    o.evaluated = word_below(2);
    o.rows = 1 + word_below(most < 90 ? most : 90);
    o.columns = 1 + word_below(40);
    o.m = word_below(4) ? 1 + word_below(3000) : word_below(2);
    for (int64_t i = 0; i < MOST; i++)
        o.x[i] = word_below(200) - (o.dtype == HEDDLE_UINT8 ? 0 : 100);
    draw(o.i, o.m, o.n);
    draw(o.j, o.m, o.n);
    draw(o.r, o.m, o.rows);
    draw(o.q, o.m, o.rows);
    draw(o.c, o.m, o.columns);
    draw(o.k, o.rows * o.columns, o.rows);
    draw(o.g, o.rows * (o.columns + 1), o.n);
    for (int64_t row = 0; row < o.rows; row++) o.g[row * (o.columns + 1)] = o.n + 127 - o.n % 128;
}

/* ---- Expressions ------------------------------------------------------------------------------------- */

static int64_t x_at(int64_t index)
{
    return o.x[from_end(index, o.n)];
}
static int64_t X_at(int64_t row, int64_t column)
{
    return o.x[from_end(row, o.rows) * o.columns + from_end(column, o.columns)];
}
static int64_t Y_at(int64_t row, int64_t column, int64_t l)
{
    return o.x[(from_end(row, o.rows) * o.columns + column) * 3 + l];
}

static int64_t most_of_row(int64_t row)
{
    int64_t most = X_at(row, 0);
    for (int64_t c = 1; c < o.columns; c++) most = X_at(row, c) > most ? X_at(row, c) : most;
    return most;
}

static int64_t sum_of_squares(int64_t row)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < o.columns; c++)
        sum += (X_at(row, c) - most_of_row(row)) * (X_at(row, c) - most_of_row(row));
    return sum;
}

/* Element `at` of the result, whose second axis is as long as o.columns; `at` counts all. */
typedef int64_t element(int64_t at);
#define ELEMENT(name, expression)                                                                  \
    static int64_t name(int64_t at)                                                                \
    {                                                                                              \
        const int64_t row = at / o.columns, column = at % o.columns;                               \
        (void)row, (void)column;                                                                   \
        return expression;                                                                         \
    }
#define SUM(name, n, term)                                                                         \
    static int64_t name(int64_t at)                                                                \
    {                                                                                              \
        int64_t sum = 0;                                                                           \
        for (int64_t e = 0; e < (n); e++) sum += (term);                                           \
        (void)at;                                                                                  \
        return sum;                                                                                \
    }
ELEMENT(scaled, x_at(o.i[at]) * 2 + 1)
ELEMENT(difference, x_at(o.i[at]) - x_at(o.j[at]))
ELEMENT(from_first, x_at(o.i[at]) - o.x[0])
ELEMENT(both, X_at(o.r[at], o.c[at]) * 3)
ELEMENT(both_turned, X_at(o.r[at], o.c[at]) + X_at(o.q[at], o.c[at]))
ELEMENT(row_of, X_at(o.r[row], column) * 2)
ELEMENT(rows_apart, X_at(o.r[row], column) - X_at(o.q[row], column))
ELEMENT(rows_back, X_at(o.rows - 1 - from_end(o.r[row], o.rows), column) + 1)
ELEMENT(beside_bad, x_at(o.g[at + row + 1]) + o.x[at + row + 1] * 2)
ELEMENT(along, X_at(o.k[at], column) - 1)
ELEMENT(one_of_column, X_at(o.k[at], at) + 1)
ELEMENT(rows_of_columns, X_at(o.k[at], column) * 2)
ELEMENT(columns_of, X_at(at / (o.m ? o.m : 1), o.c[at % (o.m ? o.m : 1)]) + 1)
ELEMENT(deep, Y_at(o.r[at / (3 * o.columns)], at / 3 % o.columns, at % 3) + 1)
ELEMENT(of_product, (x_at(o.i[at]) * 3) * 2)
ELEMENT(of_row, (X_at(o.r[at], o.c[at]) - most_of_row(o.r[at])) * 2)
ELEMENT(of_row_twice, sum_of_squares(o.r[at]) + X_at(o.r[at], o.c[at]) - most_of_row(o.r[at]))
ELEMENT(of_places, (x_at(o.i[at]) + 3 * from_end(o.i[at], o.n)) * 2)
ELEMENT(of_view, (X_at(o.rows - 1 - from_end(o.r[at], o.rows), o.c[at]) * 5) - 1)
ELEMENT(nested, x_at(o.i[from_end(o.j[at] % o.m, o.m)]) * 2)
ELEMENT(computed, x_at((o.i[at] * 3 % o.n + o.n) % o.n) * 2)
ELEMENT(broadcast, x_at(o.i[row]) + X_at(0, column))
SUM(dot, o.m, x_at(o.i[e]) * x_at(o.j[e]))
SUM(sum_of_rows, o.columns, X_at(o.r[at], e) * X_at(o.q[at], e))
SUM(sum_of_columns, o.m, X_at(o.r[e], at) + 1)
SUM(diagonal, o.m, X_at(o.r[e], o.c[e]))

enum space { EACH, EACH_ROW, EACH_COLUMN, ROWS_OF, ALL_X, COLUMNS_OF, DEEP, ONE };
static const struct expression {
    const char *text;
    element *element;
    enum space space;
} expressions[] = {
    {"x[i] * 2 + 1", scaled, EACH},
    {"x[i] - x[j]", difference, EACH},
    {"x[i] - x[0]", from_first, EACH},
    {"X[r, c] * 3", both, EACH},
    {"X.T[c, r] + X[q, c]", both_turned, EACH},
    {"X[r] * 2", row_of, ROWS_OF},
    {"X[r] - take(X, q, axis=0)", rows_apart, ROWS_OF},
    {"X[::-1][r] + 1", rows_back, ROWS_OF},
    {"x[g[:, 1:]] + W[:, 1:] * 2", beside_bad, ALL_X},
    {"take_along_axis(X, k, axis=0) - 1", along, ALL_X},
    {"X[k[0], arange(w)] + 1", one_of_column, EACH_COLUMN},
    {"X[k, arange(w)] * 2", rows_of_columns, ALL_X},
    {"take(X, c, axis=1) + 1", columns_of, COLUMNS_OF},
    {"Y[r] + 1", deep, DEEP},
    {"(x * 3)[i] * 2", of_product, EACH},
    {"(X - max(X, axis=1, keepdims=True))[r, c] * 2", of_row, EACH},
    {"z = X - max(X, axis=1, keepdims=True); sum(z * z, axis=1)[r] + z[r, c]", of_row_twice, EACH},
    {"(x + 3 * arange(n))[i] * 2", of_places, EACH},
    {"(X * 5)[::-1][r, c] - 1", of_view, EACH},
    {"x[i][j % m] * 2", nested, EACH},
    {"x[i * 3 % n] * 2", computed, EACH},
    {"x[i][:, None] + X[0]", broadcast, ROWS_OF},
    {"sum(x[i] * x[j])", dot, ONE},
    {"sum(X[r] * X[q], axis=1)", sum_of_rows, EACH_ROW},
    {"sum(X[r] + 1, axis=0)", sum_of_columns, EACH_COLUMN},
    {"sum(X[r, c])", diagonal, ONE},
};
enum { N_EXPRESSIONS = sizeof expressions / sizeof *expressions };

static int64_t size_of(enum space space)
{
    switch (space) {
    case EACH:
    case EACH_ROW: return o.m;
    case EACH_COLUMN: return o.columns;
    case ROWS_OF: return o.m * o.columns;
    case ALL_X: return o.rows * o.columns;
    case COLUMNS_OF: return o.m * o.rows;
    case DEEP: return o.m * o.columns * 3;
    case ONE: break;
    }
    return 1;
}

static heddle_array *evaluated(const char *text)
{
    const int64_t deep[] = {o.rows, o.columns, 3}, wider[] = {o.rows, o.columns + 1};
    const struct heddle_binding all[] = {
        {"x", numbers(1, &o.n)},       {"X", numbers(2, deep)},
        {"Y", numbers(3, deep)},       {"W", numbers(2, wider)},
        {"i", indices(o.i, 1, &o.m)},  {"j", indices(o.j, 1, &o.m)},
        {"r", indices(o.r, 1, &o.m)},  {"q", indices(o.q, 1, &o.m)},
        {"c", indices(o.c, 1, &o.m)},  {"k", indices(o.k, 2, deep)},
        {"g", indices(o.g, 2, wider)}, {"w", heddle_scalar_int(o.columns)},
        {"m", heddle_scalar_int(o.m)}, {"n", heddle_scalar_int(o.n)},
    };
    return heddle_expr(text, (int)(sizeof all / sizeof *all), all);
}

/* The number as the dtype has it. */
static int64_t wrapped(enum heddle_dtype dtype, int64_t x)
{
    switch (dtype) {
    case HEDDLE_INT32: return (int32_t)(uint32_t)(uint64_t)x;
    case HEDDLE_INT16: return (int16_t)(uint16_t)(uint64_t)x;
    case HEDDLE_UINT8: return (uint8_t)(uint64_t)x;
    default: return x;
    }
}

/* Whether the oracle's numbers mean what the expression means: those of a narrow dtype are left out where wrapping before a sum matters, and
 * indices that their dtype cannot compute. */
static bool applies(const struct expression *e)
{
    const bool narrow = o.index_dtype == HEDDLE_INT8;
    if (e->element == nested) return o.m > 0 && !(narrow && o.m > 127);
    if (e->element == computed) return !narrow;
    if (e->element == columns_of) return true;
    if (e->element == of_row || e->element == of_row_twice) /* complex numbers have no maximum */
        return heddle_dtype_kind(o.dtype) != 'C' && heddle_dtype_size(o.dtype) >= 4;
    const bool sums = e->space == ONE || e->space == EACH_ROW || e->space == EACH_COLUMN;
    return !sums || heddle_dtype_size(o.dtype) >= 4;
}

static void check_expression(const struct expression *e)
{
    static double got[MOST * 8];
    const int64_t size = size_of(e->space);
    if (!applies(e) || size > MOST * 4) return;
    heddle_scope scope = heddle_scope_open();
    heddle_array *y = evaluated(e->text);
    const enum heddle_dtype dtype = heddle_dtype_of(y);
    const bool is_complex = heddle_dtype_kind(dtype) == 'C';
    heddle_array *real = heddle_astype(is_complex ? heddle_real(y) : y, HEDDLE_FLOAT64);
    CHECK_EQ(heddle_size(real), size);
    CHECK(heddle_read(real, got, size * (int64_t)sizeof *got) == HEDDLE_OK, "%s: %s", e->text,
          heddle_error(real));
    int64_t bad = 0;
    for (int64_t at = 0; at < size; at++) bad += got[at] != (double)wrapped(dtype, e->element(at));
    CHECK(bad == 0, "%s of %s, indices %s, n %lld, (%lld, %lld), m %lld: %lld of %lld are wrong",
          e->text, heddle_dtype_name(o.dtype), heddle_dtype_name(o.index_dtype), (long long)o.n,
          (long long)o.rows, (long long)o.columns, (long long)o.m, (long long)bad, (long long)size);
    heddle_scope_close(scope);
}

/* ---- Bad indices -------------------------------------------------------------------------------------- */

static void check_bad(const char *text, int64_t *at, int64_t extent, const char *name)
{
    char message[64];
    const int64_t where = word_below(o.m), kept = at[where];
    at[where] = word_below(2) ? extent + word_below(3) : -extent - 1 - word_below(3);
    snprintf(message, sizeof message, "heddle_%s: index %lld is out of range", name,
             (long long)at[where]);
    heddle_scope scope = heddle_scope_open();
    heddle_array *y = evaluated(text);
    char room[8];
    CHECK(heddle_eval(y) == HEDDLE_EINDEX || heddle_read(y, room, 0) == HEDDLE_EINDEX ||
              heddle_wait(y) == HEDDLE_EINDEX,
          "%s: no error", text);
    check_error(y, HEDDLE_EINDEX, message);
    heddle_scope_close(scope);
    at[where] = kept;
}

/* Two results of one program have its error, others have not. */
static void check_bad_beside(void)
{
    const int64_t where = word_below(o.m), kept = o.i[where];
    o.i[where] = o.n;
    heddle_scope scope = heddle_scope_open();
    heddle_array *x = numbers(1, &o.n), *i = indices(o.i, 1, &o.m), *j = indices(o.j, 1, &o.m);
    heddle_array *taken = heddle_take(x, i), *good = heddle_take(x, j);
    heddle_array *all[] = {
        heddle_multiply(taken, heddle_scalar_int(2)), heddle_add(taken, heddle_scalar_int(1)),
        heddle_add(good, heddle_scalar_int(1)), heddle_multiply(x, heddle_scalar_int(2))};
    (void)heddle_eval_all(4, all);
    for (int k = 0; k < 4; k++) {
        (void)heddle_wait(all[k]);
        if (k < 2)
            check_error(all[k], HEDDLE_EINDEX, "heddle_take: index");
        else
            CHECK(heddle_status_of(all[k]) == HEDDLE_OK, "result %d: %s", k, heddle_error(all[k]));
    }
    heddle_scope_close(scope);
    o.i[where] = kept;
}

static void check_all_bad(void)
{
    if (o.m == 0 || o.index_dtype == HEDDLE_INT8) return;
    check_bad("x[i] * 2", o.i, o.n, "getitem");
    check_bad("sum(x[i] * x[j])", o.j, o.n, "getitem");
    check_bad("X[r, c] + 1", o.c, o.columns, "getitem");
    check_bad("take(X, r, axis=0) * 2", o.r, o.rows, "take");
    check_bad("sum(X[r] * X[q], axis=1)", o.q, o.rows, "getitem");
    check_bad_beside();
}

int main(void)
{
    const int no = check_devices_named();
    if (no) return no;
    for (int w = 0; w < N_WAYS; w++) {
        CHECK_EQ(heddle_shutdown(), HEDDLE_OK);
        CHECK_EQ(heddle_configure(&ways[w]), HEDDLE_OK);
        for (int round = 0; round < ROUNDS; round++) {
            draw_operands();
            for (int e = 0; e < N_EXPRESSIONS; e++) check_expression(&expressions[e]);
            check_all_bad();
        }
    }
    check_nothing_left();
    return check_done();
}
