/* Proves searches: every dtype, lengths about the powers of 2, special values, rows that are not sorted, sorters,
 * errors. The oracle counts what stands before a value. */
#include "check_heddle.h"
#include "families/order.h"
#include "random_words.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 300, VALUES = 9000 };

static enum heddle_dtype dtype;
static unsigned char row[MOST * 8], values[VALUES * 8];
static int64_t got[VALUES];

static int compare(const void *x, const void *y)
{
    return order_of(dtype, false, x, y);
}

static void fill(unsigned char *to, int64_t n)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 5e-324, 1e300};
    const size_t size = heddle_dtype_size(dtype);
    for (int64_t i = 0; i < n; i++, to += size) {
        uint64_t word = random_word();
        word = random_word() % 2 ? word % 40 : word % 5 ? word << 60 : word;
        if (dtype == HEDDLE_BOOL) word &= 1;
        const double x = random_word() % 8 ? (double)(int64_t)word : special[random_word() % 8];
        put_element(dtype, to, word, x);
    }
}

static void test(int64_t n, int64_t m, bool right)
{
    const size_t size = heddle_dtype_size(dtype);
    fill(row, n);
    fill(values, m);
    qsort(row, (size_t)n, size, compare);
    heddle_scope scope = heddle_scope_open();
    heddle_array *r =
        heddle_searchsorted(heddle_asarray(row, dtype, 1, &n), heddle_asarray(values, dtype, 1, &m),
                            .side = right ? HEDDLE_SIDE_RIGHT : HEDDLE_SIDE_LEFT);
    CHECK_EQ(heddle_dtype_of(r), HEDDLE_INT64);
    CHECK(heddle_read(r, got, m * 8) == HEDDLE_OK, "%s", heddle_error(r));
    int64_t bad = -1;
    for (int64_t i = 0; i < m && bad < 0; i++) {
        int64_t before = 0;
        for (int64_t k = 0; k < n; k++) {
            const int order = compare(row + (size_t)k * size, values + (size_t)i * size);
            before += order < 0 || (right && order == 0);
        }
        if (got[i] != before) bad = i;
    }
    CHECK(bad < 0, "%s, %s side, %lld of %lld elements: value %lld is at %lld",
          heddle_dtype_name(dtype), right ? "right" : "left", (long long)n, (long long)m,
          (long long)bad, (long long)got[bad < 0 ? 0 : bad]);
    heddle_scope_close(scope);
}

/* Some number in range, the same each time. */
static void test_unsorted(void)
{
    double x[MOST];
    int64_t again[VALUES];
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < MOST; i++) x[i] = (double)(int64_t)random_word();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(MOST));
    heddle_array *v = heddle_linspace(heddle_scalar(-1e19), heddle_scalar(1e19), VALUES);
    CHECK_EQ(heddle_read(heddle_searchsorted(a, v), got, sizeof got), HEDDLE_OK);
    for (int i = 0; i < VALUES; i++)
        CHECK(got[i] >= 0 && got[i] <= MOST, "%lld", (long long)got[i]);
    heddle_array *some = heddle_getitem(v, HEDDLE_INDEX(HEDDLE_FROM(100)));
    CHECK_EQ(heddle_read(heddle_searchsorted(a, some), again, (VALUES - 100) * 8), HEDDLE_OK);
    CHECK(memcmp(got + 100, again, (VALUES - 100) * 8) == 0, "other places");
    heddle_scope_close(scope);
}

static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(3)), *m = heddle_ones(HEDDLE_SHAPE(2, 3)),
                 *z = heddle_astype(a, HEDDLE_COMPLEX64);
    check_error(heddle_searchsorted(m, a), HEDDLE_ESHAPE, "has shape (2, 3); it has one axis");
    check_error(heddle_searchsorted(a, z), HEDDLE_EDTYPE, "complex64 has no order");
    check_error(heddle_searchsorted(z, a), HEDDLE_EDTYPE, "complex64 has no order");
    check_error(heddle_searchsorted(a, a, .side = (enum heddle_side)2), HEDDLE_EARG, ".side is 2");
    check_error(heddle_searchsorted(a, a, .sorter = m), HEDDLE_ESHAPE, ".sorter has shape (2, 3)");
    check_error(heddle_searchsorted(a, a, .sorter = a), HEDDLE_EDTYPE, "they are integers");
    check_error(heddle_searchsorted(a, heddle_sum(m, .axis = 7)), HEDDLE_EAXIS, "axis 7");
    check_error(heddle_searchsorted(heddle_astype(a, HEDDLE_INT8), heddle_scalar(300)),
                HEDDLE_ERANGE, "heddle_searchsorted");
    int64_t place;
    const int64_t wrong[3] = {0, 1, 3};
    heddle_array *order = heddle_asarray(wrong, HEDDLE_INT64, HEDDLE_SHAPE(3));
    CHECK_EQ(heddle_read(heddle_searchsorted(a, a, .sorter = order), got, 24), HEDDLE_EINDEX);
    CHECK_EQ(heddle_item_int(heddle_searchsorted(a, heddle_scalar(2.5)), &place), HEDDLE_OK);
    CHECK_EQ(place, 3);
    heddle_scope_close(scope);
}

int main(void)
{
    static const int64_t lengths[] = {1, 2, 3, 4, 7, 8, 9, 31, 100, MOST};
    for (int d = HEDDLE_BOOL; d < HEDDLE_N_DTYPES; d++) {
        dtype = (enum heddle_dtype)d;
        if (heddle_dtype_kind(dtype) == 'C') continue;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            for (int right = 0; right < 2; right++) test(lengths[i], 33 + (int64_t)i, right);
        test(20, VALUES, d % 2);
    }
    test_unsorted();
    test_errors();
    check_nothing_left();
    return check_done();
}
