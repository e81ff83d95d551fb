/* Sets and order statistics of larger arrays than expr_values has, and their errors. Sets are put together again from
 * their parts; the oracle sorts with qsort. */
#include "check_heddle.h"
#include "families/order.h"
#include "random_words.h"

#include <math.h>
#include <stdlib.h>

enum { N = 5000 };

static int compare(const void *x, const void *y)
{
    return order_of(HEDDLE_FLOAT64, false, x, y);
}

static bool equal(double a, double b)
{
    return a == b || (a != a && b != b);
}

static void read_doubles(heddle_array *a, double *to, int64_t n)
{
    CHECK_EQ(heddle_size(a), n);
    CHECK(heddle_read_as(a, HEDDLE_FLOAT64, to, n * 8) == HEDDLE_OK, "%s", heddle_last_error());
}

/* ---- Sets ----------------------------------------------------------------------------------------------- */

static double x[N], sorted[N], values[N], counts[N], indices[N], inverse[N];

/* The values ascend, each is there as often as is said, and together they are x. */
static void test_unique(enum heddle_dtype dtype, bool equal_nan)
{
    const bool is_float = heddle_dtype_kind(dtype) == 'F';
    for (int i = 0; i < N; i++) {
        x[i] = (double)(random_word() % 600);
        if (is_float && random_word() % 50 == 0) x[i] = NAN;
        if (dtype == HEDDLE_UINT8) x[i] = fmod(x[i], 200);
    }
    memcpy(sorted, x, sizeof x);
    qsort(sorted, N, sizeof *sorted, compare);
    int64_t n = 0;
    for (int i = 0; i < N; i++)
        n += i == 0 || (equal_nan ? !equal(sorted[i], sorted[i - 1]) : sorted[i] != sorted[i - 1]);

    heddle_scope scope = heddle_scope_open();
    struct heddle_unique u;
    heddle_array *a =
        heddle_astype(heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(50, N / 50)), dtype);
    CHECK_EQ(heddle_unique_all(a, &u, .equal_nan = equal_nan), HEDDLE_OK);
    CHECK_EQ(heddle_dtype_of(u.values), dtype);
    CHECK_EQ(heddle_ndim(u.inverse), 2);
    read_doubles(u.values, values, n);
    read_doubles(u.counts, counts, n);
    read_doubles(u.indices, indices, n);
    read_doubles(u.inverse, inverse, N);
    double total = 0;
    int wrong = 0;
    for (int64_t k = 0, i = 0; k < n; i += (int64_t)counts[k++]) {
        wrong += !equal(values[k], sorted[i < N ? i : 0]) || counts[k] < 1;
        wrong += !equal(values[k], x[(int)indices[k]]) || inverse[(int)indices[k]] != (double)k;
        for (int64_t j = 0; j < (int64_t)indices[k]; j++) wrong += inverse[j] == (double)k;
        total += counts[k];
    }
    for (int i = 0; i < N; i++) wrong += !equal(values[(int)inverse[i]], x[i]);
    CHECK(wrong == 0 && total == N, "%s: %d wrong, %g elements", heddle_dtype_name(dtype), wrong,
          total);
    heddle_array *counted, *numbered, *again[2];
    CHECK_EQ(heddle_unique_counts(a, &again[0], &counted, .equal_nan = equal_nan), HEDDLE_OK);
    CHECK_EQ(heddle_unique_inverse(a, &again[1], &numbered, .equal_nan = equal_nan), HEDDLE_OK);
    read_doubles(counted, sorted, n);
    CHECK(memcmp(sorted, counts, (size_t)n * 8) == 0, "other counts");
    read_doubles(numbered, sorted, N);
    CHECK(memcmp(sorted, inverse, sizeof inverse) == 0, "other numbers");
    heddle_scope_close(scope);
}

static void test_members(void)
{
    double among[40];
    bool is[N], is_not[N];
    for (int i = 0; i < N; i++) x[i] = (double)(random_word() % 90);
    for (int i = 0; i < 40; i++) among[i] = i % 9 ? (double)(random_word() % 90) : NAN;
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(N)),
                 *m = heddle_asarray(among, HEDDLE_FLOAT64, HEDDLE_SHAPE(4, 10));
    CHECK_EQ(heddle_read(heddle_isin(a, m), is, sizeof is), HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_isin(a, m, .invert = true), is_not, sizeof is_not), HEDDLE_OK);
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        bool found = false;
        for (int k = 0; k < 40; k++) found |= x[i] == among[k];
        wrong += is[i] != found || is_not[i] == found;
    }
    CHECK(wrong == 0, "%d members", wrong);
    heddle_scope_close(scope);
}

/* ---- Order statistics ---------------------------------------------------------------------------------- */

static void test_topk(void)
{
    double largest[7], least[3];
    int64_t at[7];
    heddle_scope scope = heddle_scope_open();
    for (int i = 0; i < N; i++) x[i] = random_word() % 30 ? (double)(random_word() % 900) : NAN;
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, HEDDLE_SHAPE(N)), *v, *i, *none = NULL;
    CHECK_EQ(heddle_topk(a, 7, &v, &i), HEDDLE_OK);
    CHECK_EQ(heddle_read(v, largest, sizeof largest), HEDDLE_OK);
    CHECK_EQ(heddle_read(i, at, sizeof at), HEDDLE_OK);
    for (int k = 0; k < 7; k++) {
        int before = 0; /* larger ones, and equal ones that come first */
        for (int j = 0; j < N; j++) before += x[j] > x[at[k]] || (x[j] == x[at[k]] && j < at[k]);
        CHECK(before == k && x[at[k]] == largest[k], "element %d is the %d-th", k, before);
    }
    CHECK_EQ(heddle_topk(a, 3, &v, NULL, .axis = 0, .smallest = true), HEDDLE_OK);
    CHECK_EQ(heddle_read(v, least, sizeof least), HEDDLE_OK);
    memcpy(sorted, x, sizeof x);
    qsort(sorted, N, sizeof *sorted, compare);
    CHECK(memcmp(sorted, least, sizeof least) == 0, "the least are %g %g %g", least[0], least[1],
          least[2]);
    CHECK_EQ(heddle_topk(a, N + 1, &none, NULL), HEDDLE_ERANGE);
    CHECK_HAS(heddle_last_error(), "5001 elements of 5000 along axis 0");
    CHECK_EQ(heddle_topk(a, 1, &none, NULL, .axis = 1), HEDDLE_EAXIS);
    CHECK(!none, "an error gave a result");
    heddle_scope_close(scope);
}

static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(2, 3)), *z = heddle_astype(a, HEDDLE_COMPLEX64),
                 *q = heddle_scalar(0.5), *none = heddle_ones(HEDDLE_SHAPE(0, 3)),
                 *many = heddle_ones(HEDDLE_SHAPE(1, 1, 1, 1, 1, 1, 1, 1)), *out = NULL;
    check_error(heddle_median(z), HEDDLE_EDTYPE, "heddle_median: dtype complex64 has no order");
    check_error(heddle_median(a, .dtype = HEDDLE_FLOAT32), HEDDLE_EARG, ".dtype means nothing");
    check_error(heddle_median(a, .axis = 2), HEDDLE_EAXIS, "heddle_median");
    check_error(heddle_quantile(z, q), HEDDLE_EDTYPE, "heddle_quantile: dtype complex64");
    check_error(heddle_quantile(a, z), HEDDLE_EDTYPE, "complex64");
    check_error(heddle_quantile(a, heddle_scalar(1.5)), HEDDLE_ERANGE,
                "1.5 is not between 0 and 1");
    check_error(heddle_quantile(a, heddle_scalar(NAN)), HEDDLE_ERANGE, "nan is not between");
    check_error(heddle_percentile(a, heddle_scalar(101)), HEDDLE_ERANGE, "between 0 and 100");
    check_error(heddle_quantile(none, q, .axis = 0), HEDDLE_ESHAPE, "has no elements");
    check_error(heddle_quantile(a, q, .method = (enum heddle_quantile_method)9), HEDDLE_EARG,
                ".method is 9");
    check_error(heddle_quantile(many, a, .axis = 0), HEDDLE_ESHAPE, "give 9 axes");
    check_error(heddle_lexsort(0, NULL), HEDDLE_EARG, "heddle_lexsort");
    heddle_array *const keys[2] = {a, none};
    check_error(heddle_lexsort(2, keys), HEDDLE_ESHAPE, "shapes (2, 3) and (0, 3)");
    check_error(heddle_median(z), HEDDLE_EDTYPE, "heddle_median: dtype complex64");
    check_error(heddle_sort(z, .descending = true), HEDDLE_EDTYPE, "no descending order");
    CHECK_EQ(heddle_unique_all(a, NULL), HEDDLE_EARG);
    /* an error in the data shows at the call */
    heddle_array *far =
        heddle_take(a, heddle_full(HEDDLE_SHAPE(4), heddle_scalar_int(5)), .axis = 0);
    check_error(heddle_unique_values(far), HEDDLE_EINDEX,
                "heddle_unique_values: heddle_take: index 5");
    CHECK(!out, "an error gave a result");
    heddle_scope_close(scope);
}

/* Ordered by real parts, then by imaginary ones; 2 - 1j is there twice. */
static void test_complex(void)
{
    static const float numbers[] = {2, -1, 1, 5, 2, -3, 1, -5, 2, -1};
    static const float in_order[] = {1, -5, 1, 5, 2, -3, 2, -1};
    static const int64_t order[] = {3, 1, 2, 0, 4}, n_each[] = {1, 1, 1, 2},
                         place[] = {3, 1, 2, 0, 3};
    heddle_scope scope = heddle_scope_open();
    heddle_array *z = heddle_asarray(numbers, HEDDLE_COMPLEX64, HEDDLE_SHAPE(5));
    heddle_array *distinct = NULL, *number = NULL, *count = NULL;
    float got[10];
    int64_t at[5];
    CHECK_EQ(heddle_read(heddle_argsort(z), at, sizeof at), HEDDLE_OK);
    CHECK(memcmp(at, order, sizeof order) == 0, "argsort");
    CHECK_EQ(heddle_read(heddle_sort(z), got, sizeof got), HEDDLE_OK);
    CHECK(memcmp(got, in_order, sizeof in_order) == 0 && got[8] == 2 && got[9] == -1, "sort");
    CHECK_EQ(heddle_unique_inverse(z, &distinct, &number), HEDDLE_OK);
    CHECK_EQ(heddle_read(distinct, got, sizeof in_order), HEDDLE_OK);
    CHECK(memcmp(got, in_order, sizeof in_order) == 0, "values");
    CHECK_EQ(heddle_read(number, at, sizeof at), HEDDLE_OK);
    CHECK(memcmp(at, place, sizeof place) == 0, "inverse");
    CHECK_EQ(heddle_unique_counts(z, &distinct, &count), HEDDLE_OK);
    CHECK_EQ(heddle_read(count, at, sizeof n_each), HEDDLE_OK);
    CHECK(memcmp(at, n_each, sizeof n_each) == 0, "counts");
    bool is[5];
    heddle_array *in = heddle_isin(z, heddle_getitem(z, HEDDLE_INDEX(HEDDLE_SLICE(0, 2))));
    CHECK_EQ(heddle_read(in, is, sizeof is), HEDDLE_OK);
    for (int i = 0; i < 5; i++) CHECK_EQ(is[i], i == 0 || i == 1 || i == 4);
    heddle_scope_close(scope);
}

int main(void)
{
    test_unique(HEDDLE_FLOAT64, false);
    test_unique(HEDDLE_FLOAT32, true);
    test_unique(HEDDLE_INT64, false);
    test_unique(HEDDLE_UINT8, true);
    test_members();
    test_topk();
    test_complex();
    test_errors();
    check_nothing_left();
    return check_done();
}
