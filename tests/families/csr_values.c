/* Sparse matrices: all dtypes beside dense products, coordinates with duplicates, transposes, the order of additions, the
 * same bits for any number of threads and parts, errors.
 *
 *   csr_values    on the devices that HEDDLE_DEVICES names; skipped (77) where these are not there */
#include "check_heddle.h"
#include "random_words.h"

#include <stdlib.h>

/* Integers or exact sums. */
#define CHECK_READ(array, ...)                                                                     \
    do {                                                                                           \
        const double want[] = {__VA_ARGS__};                                                       \
        double got[sizeof want / sizeof *want];                                                    \
        heddle_array *const read = array;                                                          \
        CHECK_EQ(heddle_read_as(read, HEDDLE_FLOAT64, got, sizeof got), HEDDLE_OK);                \
        CHECK(memcmp(got, want, sizeof got) == 0, "%s: other values", #array);                     \
    } while (0)

/* A random matrix of small integers, about a third of them not zero. */
static heddle_array *random_dense(int64_t rows, int64_t columns, enum heddle_dtype dtype)
{
    double *x = malloc((size_t)(rows * columns) * sizeof *x);
    for (int64_t i = 0; i < rows * columns; i++)
        x[i] = random_word() % 3 ? 0 : (double)(random_word() % 9) - 4;
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(rows, columns));
    free(x);
    if (dtype == HEDDLE_COMPLEX64 || dtype == HEDDLE_COMPLEX128)
        a = heddle_multiply(a, heddle_scalar_complex(2, -1));
    return heddle_astype(a, dtype);
}

#define CHECK_SAME(x, y)                                                                           \
    do {                                                                                           \
        bool same = false;                                                                         \
        CHECK_EQ(heddle_item_bool(heddle_array_equal(x, y), &same), HEDDLE_OK);                    \
        CHECK(same &&heddle_dtype_of(x) == heddle_dtype_of(y), "%s: other values", #x);            \
    } while (0)

static void like_dense(enum heddle_dtype dtype)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *d = random_dense(31, 17, dtype), *x = random_dense(17, 3, dtype),
                 *v = heddle_reshape(random_dense(17, 1, dtype), HEDDLE_SHAPE(17));
    const struct heddle_csr a = heddle_csr_from_dense(d), t = heddle_csr_transpose(&a);
    CHECK_EQ(a.rows, 31);
    CHECK_EQ(t.columns, 31);
    CHECK_SAME(heddle_csr_to_dense(&a), d);
    CHECK_SAME(heddle_csr_to_dense(&t), heddle_matrix_transpose(d));
    CHECK_SAME(heddle_csr_matmul(&a, v), heddle_matmul(d, v));
    CHECK_SAME(heddle_csr_matmul(&a, x), heddle_matmul(d, x));
    CHECK_SAME(heddle_csr_matmul(&t, heddle_csr_matmul(&a, x)),
               heddle_matmul(heddle_matrix_transpose(d), heddle_matmul(d, x)));
    heddle_array *const factors[] = {heddle_astype(heddle_scalar(3), dtype),
                                     random_dense(31, 1, dtype), v, random_dense(31, 17, dtype)};
    for (int i = 0; i < 4; i++) {
        const struct heddle_csr scaled = heddle_csr_multiply(&a, factors[i]);
        CHECK_SAME(heddle_csr_to_dense(&scaled), heddle_multiply(d, factors[i]));
    }
    heddle_scope_close(scope);
}

static void coordinates(void)
{
    heddle_scope scope = heddle_scope_open();
    const int64_t row[] = {2, 0, 2, 0, 2, 1}, column[] = {1, 3, 0, 3, 1, 2};
    const double data[] = {1, 2, 3, 4, 1e17, -1};
    heddle_array *const r = heddle_asarray(row, HEDDLE_INT64, HEDDLE_SHAPE(6)),
                        *const c = heddle_asarray(column, HEDDLE_INT64, HEDDLE_SHAPE(6)),
                        *const v = heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(6));
    const struct heddle_csr a = heddle_csr_from_coordinates(v, r, c, 4, 4);
    CHECK_READ(a.data, 6, -1, 3, 1 + 1e17);
    CHECK_READ(a.indices, 3, 2, 0, 1);
    CHECK_READ(a.indptr, 0, 1, 2, 4, 4);
    CHECK_READ(heddle_csr_rows(&a), 0, 1, 2, 2);
    check_error(heddle_csr_from_coordinates(v, r, c, 2, 4).data, HEDDLE_EINDEX,
                "heddle_csr_from_coordinates: row 2 is out of range for 2");
    check_error(heddle_csr_from_coordinates(v, heddle_negative(r), c, 4, 4).indptr, HEDDLE_EINDEX,
                "heddle_csr_from_coordinates: row -2 is out of range for 4");
    const struct heddle_csr none = heddle_csr_from_dense(heddle_zeros(HEDDLE_SHAPE(2, 3)));
    CHECK_READ(heddle_csr_matmul(&none, heddle_ones(HEDDLE_SHAPE(3))), 0, 0);
    heddle_scope_close(scope);
}

/* ---- Order ------------------------------------------------------------------------------------------- */

enum { ROWS = 400, COLUMNS = 500, LONG = 5000 };

/* Rows of very different lengths, values whose sums depend on the order. */
static double x[COLUMNS];

static struct heddle_csr uneven(double sums[ROWS])
{
    static int64_t start[ROWS + 1], index[ROWS * 8 + LONG];
    static double value[ROWS * 8 + LONG];
    int64_t n = 0;
    for (int64_t c = 0; c < COLUMNS; c++) x[c] = random_part();
    for (int64_t r = 0; r < ROWS; r++) {
        const int64_t length = r == 77 ? LONG : (int64_t)(random_word() % 8);
        start[r] = n;
        for (int64_t k = 0; k < length; k++, n++) {
            index[n] = (int64_t)(random_word() % COLUMNS);
            value[n] = (random_part() - 0.5) * (k % 5 ? 1 : 1e9);
        }
    }
    start[ROWS] = n;
    const int64_t average = n / ROWS, lanes = average < 3    ? 1
                                              : average < 5  ? 2
                                              : average < 16 ? 4
                                                             : 8;
    for (int64_t r = 0; r < ROWS; r++) /* as families/csr/kernel.h says */
        for (int64_t chunk = start[r]; chunk < start[r + 1]; chunk += 1024) {
            double lane[8] = {0};
            for (int64_t k = chunk; k < start[r + 1] && k < chunk + 1024; k++)
                lane[(k - chunk) % lanes] += value[k] * x[index[k]];
            for (int64_t half = lanes / 2; half; half /= 2)
                for (int64_t l = 0; l < half; l++) lane[l] += lane[l + half];
            sums[r] += lane[0];
        }
    heddle_array *const data = heddle_asarray(value, HEDDLE_FLOAT64, HEDDLE_SHAPE(n)),
                        *const at = heddle_asarray(index, HEDDLE_INT64, HEDDLE_SHAPE(n)),
                        *const from = heddle_asarray(start, HEDDLE_INT64, HEDDLE_SHAPE(ROWS + 1));
    return heddle_csr_make(data, at, from, ROWS, COLUMNS);
}

static void order(void)
{
    double want[ROWS] = {0}, got[ROWS];
    int n_cpus = 0, n_gpus = 0;
    CHECK_EQ(heddle_count_places(&n_cpus, &n_gpus), HEDDLE_OK);
    const heddle_place place = n_cpus > 0 ? heddle_cpu(0) : heddle_gpu(0);
    heddle_scope scope = heddle_scope_open();
    const struct heddle_csr a = uneven(want);
    heddle_array *const v = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(COLUMNS));
    for (int n = 0; n < 4; n++) {
        const heddle_place here[3] = {place, place, place};
        const struct heddle_csr m = n ? heddle_csr_distribute(&a, n, here) : a;
        CHECK_EQ(heddle_read(heddle_csr_matmul(&m, v), got, sizeof got), HEDDLE_OK);
        CHECK(memcmp(got, want, sizeof got) == 0, "other bits in %d parts", n);
        for (int i = 0; i < n; i++)
            CHECK(m.row[i] <= m.row[i + 1] && m.entry[i] <= m.entry[i + 1], "part %d of %d", i, n);
    }
    heddle_scope_close(scope);
}

/* ---- Errors ------------------------------------------------------------------------------------------ */

/* Three rows of two entries, but for one number. */
static void wrong(int which, int64_t at, int64_t number, const char *message)
{
    int64_t numbers[2][6] = {{0, 2, 4, 6}, {0, 1, 1, 2, 0, 3}};
    const double data[6] = {1, 2, 3, 4, 5, 6};
    double got[3];
    numbers[which][at] = number;
    for (int width = 0; width < 2; width++)
        for (int bytes = 0; bytes < 2; bytes++) {
            heddle_scope scope = heddle_scope_open();
            const enum heddle_dtype dtype = bytes ? HEDDLE_INT64 : HEDDLE_INT32;
            heddle_array *const indptr = heddle_asarray(numbers[0], HEDDLE_INT64, HEDDLE_SHAPE(4)),
                                *const indices =
                                    heddle_asarray(numbers[1], HEDDLE_INT64, HEDDLE_SHAPE(6));
            const struct heddle_csr a =
                heddle_csr_make(heddle_asarray(data, HEDDLE_FLOAT64, HEDDLE_SHAPE(6)),
                                heddle_astype(indices, dtype), heddle_astype(indptr, dtype), 3, 4);
            heddle_array *const y = heddle_csr_matmul(&a, width ? heddle_ones(HEDDLE_SHAPE(4, 2))
                                                                : heddle_ones(HEDDLE_SHAPE(4)));
            CHECK_EQ(heddle_read(heddle_sum(y), got, 8), HEDDLE_EINDEX);
            CHECK_HAS(heddle_error(y), message);
            heddle_scope_close(scope);
        }
}

static void errors(void)
{
    wrong(1, 3, 4, "heddle_csr_matmul: index 4 is out of range for 4 columns");
    wrong(1, 0, -1, "heddle_csr_matmul: index -1 is out of range for 4 columns");
    wrong(0, 0, -1, "heddle_csr_matmul: indptr of row 0 does not fit the entries");
    wrong(0, 1, 5, "heddle_csr_matmul: indptr of row 1 does not fit the entries");
    wrong(0, 3, 7, "heddle_csr_matmul: indptr of row 2 does not fit the entries");

    heddle_scope scope = heddle_scope_open();
    const int64_t numbers[4] = {0, 1, 2, 9};
    heddle_array *const at = heddle_asarray(numbers, HEDDLE_INT64, HEDDLE_SHAPE(4)),
                        *const ones = heddle_ones(HEDDLE_SHAPE(4)),
                        *const five = heddle_ones(HEDDLE_SHAPE(5));
    const struct heddle_csr a = heddle_csr_make(ones, at, at, 3, 5);
    check_error(heddle_csr_matmul(&a, ones), HEDDLE_ESHAPE,
                "heddle_csr_matmul: shapes (3, 5) and (4,) do not fit");
    check_error(heddle_csr_matmul(NULL, ones), HEDDLE_EARG,
                "heddle_csr_matmul: the matrix is NULL");
    check_error(heddle_csr_make(ones, ones, at, 3, 5).data, HEDDLE_EDTYPE,
                "heddle_csr_make: indices of dtype float64; they are integers");
    check_error(heddle_csr_make(ones, at, at, 4, 5).data, HEDDLE_ESHAPE,
                "heddle_csr_make: indptr has shape (4,), not (5,)");
    const struct heddle_csr bad = heddle_csr_make(five, at, at, 3, 5);
    check_error(heddle_csr_matmul(&bad, five), HEDDLE_ESHAPE,
                "heddle_csr_make: indices has shape (4,), not (5,)");
    check_error(heddle_csr_multiply(&a, ones).data, HEDDLE_ESHAPE,
                "heddle_csr_multiply: shape (4,) does not broadcast to (3, 5)");
    const struct heddle_csr transposed = heddle_csr_transpose(&a);
    CHECK_EQ(heddle_wait(heddle_csr_matmul(&transposed, heddle_ones(HEDDLE_SHAPE(3)))),
             HEDDLE_EINDEX);
    const heddle_place here = heddle_cpu(0);
    check_error(heddle_csr_distribute(&a, 1, &here).data, HEDDLE_EINDEX,
                "heddle_csr_distribute: indptr of row 3 does not fit the entries");
    check_error(heddle_csr_distribute(&a, 17, &here).data, HEDDLE_EARG,
                "heddle_csr_distribute: 17 places, not 1 to 16");
    heddle_scope_close(scope);
}

int main(void)
{
    const int no = check_started();
    if (no) return no;
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT8,      HEDDLE_INT32,     HEDDLE_INT64,
                                               HEDDLE_FLOAT16,   HEDDLE_FLOAT32,   HEDDLE_FLOAT64,
                                               HEDDLE_COMPLEX64, HEDDLE_COMPLEX128};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) like_dense(dtypes[i]);
    coordinates();
    order();
    errors();
    check_nothing_left();
    return check_done();
}
