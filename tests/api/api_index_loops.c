/* Numbers along axes in compiled loops: masks and distances from a diagonal, beside arrays that lie in order, jump, are turned over or are one number
 * for a row or a column, along rows of all lengths. The values are those of a loop, before the loops are compiled and by them. */
#include "check_heddle.h"
#include "cpu/compiled/forms.h"

enum { MOST = 1 << 17 };

static double s_at[4 * MOST]; /* what `s` is made of */

enum layout {
    IN_ORDER,
    TURNED,
    EVERY_SECOND,
    BACKWARDS,
    OF_ROWS,
    OF_COLUMNS,
    LONG_STEPS,
    N_LAYOUTS
};

/* An array of n rows of m, and in *offset and strides which elements of the data it has. */
static heddle_array *array_of(enum layout layout, int64_t n, int64_t m, enum heddle_dtype dtype,
                              int64_t *offset, int64_t *along_rows, int64_t *along)
{
    const int64_t step = layout == EVERY_SECOND ? 2 : layout == LONG_STEPS ? 16 : 1;
    const int64_t rows = layout == OF_COLUMNS ? 1 : n, columns = layout == OF_ROWS ? 1 : m * step;
    const int64_t turned[2] = {columns, rows}, straight[2] = {rows, columns}, all[2] = {n, m};
    *offset = 0;
    *along_rows = layout == OF_COLUMNS ? 0 : layout == TURNED ? 1 : columns;
    *along = layout == OF_ROWS ? 0 : layout == TURNED ? rows : step;
    heddle_array *a = heddle_asarray(s_at, HEDDLE_FLOAT64, 2, layout == TURNED ? turned : straight);
    a = heddle_astype(a, dtype);
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    if (layout == TURNED) return heddle_matrix_transpose(a);
    if (step > 1) a = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_STEP(step)));
    if (layout == BACKWARDS) {
        a = heddle_flip(a, .axis = 1);
        *offset = m - 1;
        *along = -1;
    }
    return heddle_broadcast_to(a, 2, all);
}

static double wanted(int what, double s, int64_t i, int64_t j)
{
    switch (what) {
    case 0: return i >= j ? s : -7;
    case 1: return s - 0.5 * (double)(i - j);
    case 2: return (double)(3 * j - i) + 2 * s;
    case 3: return (i + j) % 3 == 0 ? s : (double)j;
    case 4: return (j > 2 && j < 40 ? s : 0) + (double)i;
    default: return 2 * s + 3 * (double)j;
    }
}

/* i, j: int64 arrays of shapes (n, 1) and (m,) */
static heddle_array *expression(int what, heddle_array *s, heddle_array *i, heddle_array *j)
{
    const enum heddle_dtype dtype = heddle_dtype_of(s);
    heddle_array *const zero = heddle_scalar(0.0);
    switch (what) {
    case 0: return heddle_where(heddle_greater_equal(i, j), s, heddle_scalar(-7.0));
    case 1:
        return heddle_subtract(
            s, heddle_multiply(heddle_scalar(0.5), heddle_astype(heddle_subtract(i, j), dtype)));
    case 2:
        return heddle_add(
            heddle_astype(heddle_subtract(heddle_multiply(heddle_scalar(3), j), i), dtype),
            heddle_multiply(heddle_scalar(2.0), s));
    case 3:
        return heddle_where(
            heddle_equal(heddle_remainder(heddle_add(i, j), heddle_scalar(3)), heddle_scalar(0)), s,
            heddle_astype(j, dtype));
    case 4:
        return heddle_add(heddle_where(heddle_logical_and(heddle_greater(j, heddle_scalar(2)),
                                                          heddle_less(j, heddle_scalar(40))),
                                       s, zero),
                          heddle_astype(i, dtype));
    default:
        return heddle_add(heddle_multiply(heddle_scalar(2.0), s),
                          heddle_astype(heddle_multiply(heddle_scalar(3), j), dtype));
    }
}

static void test(int64_t n, int64_t m, enum layout layout, enum heddle_dtype dtype)
{
    static double got[MOST];
    heddle_scope scope = heddle_scope_open();
    int64_t offset, along_rows, along, wrong = 0;
    heddle_array *s = array_of(layout, n, m, dtype, &offset, &along_rows, &along);
    for (int what = 0; what < 6; what++) {
        heddle_array *i = heddle_expand_dims(heddle_arange(heddle_scalar(n), NULL, NULL), 1);
        heddle_array *y = expression(what, s, i, heddle_arange(heddle_scalar(m), NULL, NULL));
        heddle_array *d = heddle_astype(y, HEDDLE_FLOAT64);
        CHECK(heddle_eval(y) == HEDDLE_OK, "%s", heddle_error(y));
        CHECK(heddle_read(d, got, n * m * (int64_t)sizeof *got) == HEDDLE_OK, "%s",
              heddle_error(d));
        for (int64_t k = 0; k < n * m; k++) {
            const double x = s_at[offset + k / m * along_rows + k % m * along];
            wrong += !(got[k] == wanted(what, x, k / m, k % m));
        }
        CHECK(wrong == 0, "%lld x %lld, layout %d, expression %d, %s: %lld are wrong", (long long)n,
              (long long)m, layout, what, heddle_dtype_name(dtype), (long long)wrong);
    }
    heddle_scope_close(scope);
}

/* A column of long rows: its elements are computed where they lie, far from each other. */
static void test_column(int64_t n)
{
    enum { M = 16 };
    static double got[MOST];
    heddle_scope scope = heddle_scope_open();
    const int64_t shape[2] = {n, M};
    int64_t wrong = 0;
    heddle_array *a =
        heddle_multiply(heddle_asarray(s_at, HEDDLE_FLOAT64, 2, shape), heddle_scalar(1.0));
    CHECK_EQ(heddle_eval(a), HEDDLE_OK);
    heddle_array *const column = heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(3)));
    heddle_array *j = heddle_astype(heddle_arange(heddle_scalar(n), NULL, NULL), HEDDLE_FLOAT64);
    heddle_array *v = heddle_subtract(heddle_multiply(column, heddle_scalar(2.0)),
                                      heddle_multiply(j, heddle_scalar(3.0)));
    a = heddle_set_item(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_AT(3)), v);
    CHECK(heddle_read(a, got, n * M * (int64_t)sizeof *got) == HEDDLE_OK, "%s", heddle_error(a));
    for (int64_t row = 0; row < n; row++)
        for (int64_t k = row * M; k < row * M + M; k++)
            wrong += !(got[k] == (k % M == 3 ? 2 * s_at[k] - 3 * (double)row : s_at[k]));
    CHECK(wrong == 0, "a column of %lld: %lld are wrong", (long long)n, (long long)wrong);
    heddle_scope_close(scope);
}

int main(void)
{
    static const int64_t shapes[][2] = {{3, 1000}, {200, 17}, {70, 33},  {40, 64},   {30, 100},
                                        {9, 256},  {5, 512},  {100, 40}, {1, 40000}, {2, 6001},
                                        {1000, 3}, {60, 1},   {33, 300}};
    for (int i = 0; i < 4 * MOST; i++) s_at[i] = i * 37 % 101 - 50;
    for (int compiled = 0; compiled < 2; compiled++) {
        heddle__forms_allow(compiled);
        heddle__forms_hurry(compiled);
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int layout = 0; layout < N_LAYOUTS; layout++) {
                if (layout == LONG_STEPS && shapes[k][0] * shapes[k][1] * 16 > 4 * MOST) continue;
                test(shapes[k][0], shapes[k][1], (enum layout)layout,
                     (k + (size_t)layout) % 2 ? HEDDLE_FLOAT32 : HEDDLE_FLOAT64);
            }
        test_column(700);
        test_column(5000);
    }
    CHECK(heddle__forms_counters().ready > 10, "%d loops", (int)heddle__forms_counters().ready);
    CHECK_EQ(heddle__forms_counters().failed, 0);
    return check_done();
}
