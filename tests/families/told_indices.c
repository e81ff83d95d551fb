/* Proves that indices which the graph tells, numbers along axes that are added up, multiplied, turned, divided, bounded and put into another shape, read the elements
 * that NumPy's rules name: as views, as windows, beside indices that are data, negative ones, with numbers that overflow on the way, and beyond
 * the axis. On every way to run a plan. */
#include "check_heddle.h"
#include "property/random_machine.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 1 << 12, ELEMENTS = 1 << 14 };

static struct random r = {1};
static bool distributed; /* of this way */
static double data[ELEMENTS];

/* Indices as an expression, and as this test computes them. */
struct indices {
    heddle_array *a;
    int ndim;
    int64_t shape[3], size, of[MOST];
    bool is_narrow; /* int32 */
};

static int64_t between(int64_t least, int64_t most)
{
    return least + (int64_t)random_below(&r, most - least + 1);
}

static void cast_numbers(struct indices *x)
{
    for (int64_t i = 0; i < x->size && x->is_narrow; i++) x->of[i] = (int32_t)(uint32_t)x->of[i];
}

static void apply(struct indices *x)
{
    static const int64_t extremes[] = {INT32_MAX, (int64_t)1 << 40, (int64_t)1 << 62};
    const int64_t c = between(-4, 9), far = extremes[random_below(&r, x->is_narrow ? 1 : 3)];
    switch (random_below(&r, 13)) {
    case 0:
        x->a = heddle_add(x->a, heddle_scalar(c));
        for (int64_t i = 0; i < x->size; i++) x->of[i] += c;
        break;
    case 1:
        x->a = heddle_subtract(heddle_scalar(c), x->a);
        for (int64_t i = 0; i < x->size; i++) x->of[i] = c - x->of[i];
        break;
    case 2:
        if (c > 3) break;
        x->a = heddle_multiply(x->a, heddle_scalar(c));
        for (int64_t i = 0; i < x->size; i++) x->of[i] *= c;
        break;
    case 3:
        x->a = heddle_flip(x->a, .axis = x->ndim - 1);
        for (int64_t row = 0, n = x->shape[x->ndim - 1]; row < x->size / n; row++)
            for (int64_t i = 0; i < n / 2; i++) {
                const int64_t swapped = x->of[row * n + i];
                x->of[row * n + i] = x->of[row * n + n - 1 - i];
                x->of[row * n + n - 1 - i] = swapped;
            }
        break;
    case 4: { /* rows of two, or one axis again */
        const int64_t flat[1] = {x->size}, pairs[2] = {x->size / 2, 2};
        const bool is_flat = x->ndim > 1 || x->size % 2;
        x->a = heddle_reshape(x->a, is_flat ? 1 : 2, is_flat ? flat : pairs);
        x->ndim = is_flat ? 1 : 2;
        x->shape[0] = is_flat ? flat[0] : pairs[0];
        x->shape[1] = 2;
        break;
    }
    case 5:
        x->a = heddle_astype(x->a, HEDDLE_INT32);
        x->is_narrow = true;
        break;
    case 6: /* there and back: what is between does not fit, or is far */
        x->a = heddle_subtract(heddle_add(x->a, heddle_scalar(far)), heddle_scalar(far));
        break;
    case 7:
        x->a = heddle_negative(x->a);
        for (int64_t i = 0; i < x->size; i++) x->of[i] = -x->of[i];
        break;
    case 8:
    case 9: { /* it goes down to 0 again and again */
        const int64_t by = between(1, 16);
        x->a = heddle_remainder(x->a, heddle_scalar(by));
        for (int64_t i = 0; i < x->size; i++) x->of[i] = (x->of[i] % by + by) % by;
        break;
    }
    case 10:
        x->a = heddle_maximum(x->a, heddle_scalar(c));
        for (int64_t i = 0; i < x->size; i++) x->of[i] = x->of[i] < c ? c : x->of[i];
        break;
    case 11:
        x->a = heddle_minimum(x->a, heddle_scalar(c));
        for (int64_t i = 0; i < x->size; i++) x->of[i] = x->of[i] > c ? c : x->of[i];
        break;
    default: break;
    }
    cast_numbers(x);
}

static void start(struct indices *x, int64_t n)
{
    const int64_t from = between(-2, 3), step = between(1, 3);
    x->a = heddle_arange(heddle_scalar(from), heddle_scalar(from + step * n), heddle_scalar(step));
    x->ndim = 1;
    x->shape[0] = x->size = n;
    x->is_narrow = false;
    for (int64_t i = 0; i < n; i++) x->of[i] = from + step * i;
}

/* Numbers along one or two axes, or a table that no operation tells. */
static void make(struct indices *x, bool is_data)
{
    static int32_t tables[2][MOST];
    static int turn;
    static struct indices y;
    start(x, between(1, 24));
    for (int k = (int)random_below(&r, 4); k > 0; k--) apply(x);
    if (x->ndim == 1 && random_below(&r, 2)) { /* x[:, None] + y */
        start(&y, between(1, 12));
        for (int k = (int)random_below(&r, 3); k > 0; k--) apply(&y);
        if (y.ndim == 1) {
            x->a = heddle_add(heddle_expand_dims(x->a, 1), y.a);
            x->is_narrow = x->is_narrow && y.is_narrow;
            for (int64_t i = x->size - 1; i >= 0; i--)
                for (int64_t j = y.size - 1; j >= 0; j--)
                    x->of[i * y.size + j] = x->of[i] + y.of[j];
            x->ndim = 2;
            x->shape[1] = y.size;
            x->size *= y.size;
            cast_numbers(x);
            if (random_below(&r, 2)) apply(x);
        }
    }
    if (!is_data) return;
    int32_t *const table = tables[turn ^= 1]; /* a case has two at most */
    for (int64_t i = 0; i < x->size; i++) x->of[i] = table[i] = (int32_t)between(-5, 20);
    x->a = heddle_asarray(table, HEDDLE_INT32, x->ndim, x->shape);
}

/* The least extent of an axis that has all of them. */
static int64_t extent_for(const struct indices *x)
{
    int64_t n = 1;
    for (int64_t i = 0; i < x->size; i++) {
        const int64_t needs = x->of[i] < 0 ? -x->of[i] : x->of[i] + 1;
        if (needs > n) n = needs;
    }
    return n;
}

static int64_t at(const struct indices *x, int64_t i, int64_t n)
{
    return x->of[i] < 0 ? x->of[i] + n : x->of[i];
}

static void compare(int number, const char *what, heddle_array *got, int64_t n, const double *want)
{
    static double read[4 * ELEMENTS];
    CHECK(heddle_size(got) == n, "case %d, %s: %lld elements, not %lld", number, what,
          (long long)heddle_size(got), (long long)n);
    CHECK(heddle_read(got, read, n * (int64_t)sizeof *read) == HEDDLE_OK, "case %d, %s: %s", number,
          what, heddle_error(got));
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) wrong += !(read[i] == want[i]);
    CHECK(wrong == 0, "case %d, %s: %lld elements are wrong", number, what, (long long)wrong);
}

static heddle_array *numbers(int ndim, const int64_t *shape, double by)
{
    heddle_array *a = heddle_asarray(data, HEDDLE_FLOAT64, ndim, shape);
    if (distributed && random_below(&r, 2)) a = random_distribution(a, false);
    return by == 1 ? a : heddle_multiply(a, heddle_scalar(by));
}

/* x[i], its sums along the last axis, and an index too far. */
static void test_one(int number)
{
    static struct indices x;
    static double want[MOST], sums[MOST];
    heddle_scope scope = heddle_scope_open();
    make(&x, random_below(&r, 8) == 0);
    const int64_t n = extent_for(&x) + between(0, 3), last = x.shape[x.ndim - 1];
    const double by = random_below(&r, 2) ? 1 : 0.5;
    if (n <= ELEMENTS) {
        heddle_array *y = heddle_take(numbers(1, &n, by), x.a);
        for (int64_t i = 0; i < x.size; i++) want[i] = by * data[at(&x, i, n)];
        for (int64_t i = 0; i < x.size / last; i++) {
            sums[i] = 0;
            for (int64_t j = 0; j < last; j++) sums[i] += 2 * want[i * last + j];
        }
        heddle_array *s = heddle_sum(heddle_multiply(y, heddle_scalar(2)), .axis = -1);
        if (random_below(&r, 2)) compare(number, "elements", y, x.size, want);
        compare(number, "sums", s, x.size / last, sums);
        const int64_t less = extent_for(&x) - 1;
        if (less > 0) CHECK_EQ(heddle_wait(heddle_take(numbers(1, &less, 1), x.a)), HEDDLE_EINDEX);
    }
    heddle_scope_close(scope);
}

/* x[i, j], x[i, :, j], x[:, i, j]: each told, or data. */
static void test_two(int number)
{
    static struct indices x, y;
    static double want[4 * ELEMENTS];
    heddle_scope scope = heddle_scope_open();
    make(&x, random_below(&r, 4) == 0);
    make(&y, random_below(&r, 4) == 0);
    const int where = (int)random_below(&r, 3);
    const int64_t m = between(1, 4);
    int64_t shape[3] = {m, m, m};
    shape[where == 2] = extent_for(&x) + between(0, 2);
    shape[where == 0 ? 1 : 2] = extent_for(&y) + between(0, 2);
    /* together: of one shape, or i[..., None] and j */
    heddle_array *i = x.a;
    int64_t across = 1;
    const bool alike =
        x.ndim == y.ndim && x.shape[0] == y.shape[0] && (x.ndim == 1 || x.shape[1] == y.shape[1]);
    if (!alike) {
        for (int d = 0; d < y.ndim; d++) i = heddle_expand_dims(i, heddle_ndim(i));
        across = y.size;
    }
    const int64_t size = shape[0] * shape[1] * shape[2];
    if (size <= ELEMENTS && shape[0] < ELEMENTS && shape[1] < ELEMENTS && shape[2] < ELEMENTS &&
        x.size * across * m <= 4 * ELEMENTS) {
        heddle_array *a = numbers(where == 0 ? 2 : 3, shape, 1);
        heddle_array *v =
            where == 0 ? heddle_getitem(a, HEDDLE_INDEX(HEDDLE_BY(i), HEDDLE_BY(y.a)))
            : where == 1
                ? heddle_getitem(a, HEDDLE_INDEX(HEDDLE_BY(i), HEDDLE_ALL, HEDDLE_BY(y.a)))
                : heddle_getitem(a, HEDDLE_INDEX(HEDDLE_ALL, HEDDLE_BY(i), HEDDLE_BY(y.a)));
        const int64_t n = x.size * across, inner = where == 0 ? 1 : m;
        for (int64_t k = 0; k < n; k++)
            for (int64_t l = 0; l < inner; l++) {
                const int64_t p = k / across, q = alike ? k : k % across;
                const int64_t u = at(&x, p, shape[where == 2]),
                              w = at(&y, q, shape[where == 0 ? 1 : 2]);
                const int64_t from = where == 0   ? u * shape[1] + w
                                     : where == 1 ? (u * m + l) * shape[2] + w
                                                  : (l * shape[1] + u) * shape[2] + w;
                /* indices that a slice parts come first, others stand where they are */
                want[where == 2 ? l * n + k : k * inner + l] = data[from];
            }
        compare(number, "of two", random_below(&r, 2) ? v : heddle_abs(v), n * inner, want);
    }
    heddle_scope_close(scope);
}

/* x[i] = v, x[i] += v, x[:, i], x[..., i] and x[::2, ..., i] likewise. */
static void test_write(int number)
{
    static struct indices x;
    static double want[ELEMENTS], values[MOST * 4];
    static bool is_written[ELEMENTS];
    heddle_scope scope = heddle_scope_open();
    do {
        make(&x, random_below(&r, 8) == 0);
    } while (x.ndim != 1);
    const int where = (int)random_below(&r, 4);
    const bool adds = random_below(&r, 2), is_scalar = random_below(&r, 3) == 0;
    const int64_t m = where == 0 ? 1 : between(1, 4), n = extent_for(&x) + between(0, 2);
    const int64_t straight[2] = {n, m}, across[2] = {m, n};
    const int64_t rows = where == 3 ? (m + 1) / 2 : m; /* that are written */
    bool is_twice = false;
    if (n * m <= ELEMENTS) {
        const double *const old = data;
        for (int64_t i = 0; i < n * m; i++) want[i] = old[i];
        for (int64_t i = 0; i < n; i++) is_written[i] = false;
        for (int64_t i = 0; i < x.size * rows; i++) values[i] = (double)random_below(&r, 100);
        for (int64_t i = 0; i < x.size; i++) {
            const int64_t p = at(&x, i, n);
            is_twice |= is_written[p];
            is_written[p] = true;
            for (int64_t l = 0; l < rows; l++) {
                const double v = is_scalar ? 7 : values[where < 2 ? i * m + l : l * x.size + i];
                double *to = &want[where < 2 ? p * m + l : (where == 3 ? 2 * l : l) * n + p];
                *to = adds ? *to + v : v;
            }
        }
        const int64_t of_rows[2] = {x.size, m}, of_columns[2] = {rows, x.size};
        heddle_array *a =
            where == 0 ? numbers(1, &n, 1) : numbers(2, where == 1 ? straight : across, 1);
        heddle_array *v = is_scalar    ? heddle_scalar(7.0)
                          : where == 0 ? heddle_asarray(values, HEDDLE_FLOAT64, 1, &x.size)
                                       : heddle_asarray(values, HEDDLE_FLOAT64, 2,
                                                        where == 1 ? of_rows : of_columns);
        struct heddle_index all[] = {HEDDLE_ALL, HEDDLE_BY(x.a)};
        if (random_below(&r, 2)) all[0].kind = HEDDLE_INDEX_ELLIPSIS;
        const struct heddle_index one[] = {HEDDLE_BY(x.a)},
                                  some[] = {HEDDLE_STEP(2), HEDDLE_ELLIPSIS, HEDDLE_BY(x.a)};
        const struct heddle_index *const index = where < 2 ? one : where == 2 ? all : some;
        const int n_index = where < 2 ? 1 : where;
        if (adds || !is_twice)
            compare(number, "written",
                    adds ? heddle_add_at(a, n_index, index, v)
                         : heddle_set_item(a, n_index, index, v),
                    n * m, want);
    }
    heddle_scope_close(scope);
}

/* A number that int32 does not hold is another one, also if it would have come back as int64. */
static void test_border(void)
{
    for (int over = 0; over < 2; over++) {
        heddle_scope scope = heddle_scope_open();
        const int64_t n = 10, far = INT32_MAX - 3 + over; /* plus 3 */
        heddle_array *i =
            heddle_astype(heddle_arange(heddle_scalar(1), heddle_scalar(4), NULL), HEDDLE_INT32);
        i = heddle_astype(heddle_add(i, heddle_scalar(far)), HEDDLE_INT64);
        CHECK_EQ(
            heddle_wait(heddle_take(numbers(1, &n, 1), heddle_subtract(i, heddle_scalar(far)))),
            over ? HEDDLE_EINDEX : HEDDLE_OK);
        heddle_scope_close(scope);
    }
}

/* Tables by bytes: each of these has an element, or the greatest has none and is there, or not; and bytes with a sign. */
static void test_bytes(void)
{
    enum { N = 20000 };
    static uint8_t bytes[N];
    static double got[N];
    static const enum heddle_dtype dtypes[] = {HEDDLE_UINT8, HEDDLE_INT16, HEDDLE_FLOAT32,
                                               HEDDLE_FLOAT64};
    for (int k = 0; k < 32; k++) {
        heddle_scope scope = heddle_scope_open();
        const int64_t length = N, n = k % 4 == 0 ? 300 : k % 4 == 1 ? 256 : 255;
        const bool has_sign = k % 8 > 3, has_greatest = k % 4 != 2, is_work = k / 8 % 2;
        const enum heddle_dtype dtype = dtypes[k / 8];
        int64_t wrong = 0;
        for (int i = 0; i < N; i++) bytes[i] = (uint8_t)(i * 7919 % (has_greatest ? 256 : 255));
        heddle_array *x = heddle_asarray(bytes, has_sign ? HEDDLE_INT8 : HEDDLE_UINT8, 1, &length);
        heddle_array *t = heddle_astype(
            heddle_floor(heddle_multiply(numbers(1, &n, 1), heddle_scalar(1e-4))), dtype);
        CHECK_EQ(heddle_eval(t), HEDDLE_OK);
        heddle_array *y = heddle_astype(heddle_take(t, x), HEDDLE_FLOAT64);
        if (is_work) y = heddle_add(heddle_multiply(y, heddle_scalar(2)), heddle_scalar(1));
        if (!has_sign && n == 255 && has_greatest) {
            CHECK_EQ(heddle_wait(y), HEDDLE_EINDEX);
        } else {
            CHECK(heddle_read(y, got, sizeof got) == HEDDLE_OK, "bytes %d: %s", k, heddle_error(y));
            for (int i = 0; i < N; i++) {
                const int64_t from = has_sign && bytes[i] > 127 ? bytes[i] - 256 + n : bytes[i];
                const double want = floor(data[from] * 1e-4);
                wrong += !(got[i] == (is_work ? 2 * want + 1 : want));
            }
            CHECK(wrong == 0, "bytes %d: %lld are wrong", k, (long long)wrong);
        }
        heddle_scope_close(scope);
    }
}

/* A number alone beside windows: x[2, 3 * i + j]. */
static void test_number(void)
{
    enum { N = 5, M = 40, ROWS = 8, COLUMNS = 4 };
    double want[ROWS * COLUMNS];
    heddle_scope scope = heddle_scope_open();
    const int64_t shape[2] = {N, M};
    heddle_array *i = heddle_multiply(
        heddle_expand_dims(heddle_arange(heddle_scalar(ROWS), NULL, NULL), 1), heddle_scalar(3));
    i = heddle_add(i, heddle_arange(heddle_scalar(COLUMNS), NULL, NULL));
    heddle_array *const row = heddle_astype(heddle_scalar(2), HEDDLE_INT64);
    heddle_array *y =
        heddle_getitem(numbers(2, shape, 1), HEDDLE_INDEX(HEDDLE_BY(row), HEDDLE_BY(i)));
    for (int k = 0; k < ROWS * COLUMNS; k++)
        want[k] = data[2 * M + 3 * (k / COLUMNS) + k % COLUMNS];
    compare(0, "beside a number", y, ROWS * COLUMNS, want);
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    const int cases = CHECK_CASES(argc > 1 ? atoi(argv[1]) : 400);
    for (int i = 0; i < ELEMENTS; i++) data[i] = (double)random_below(&r, 1 << 20);
    for (size_t way = 0; way < N_RANDOM_WAYS; way++) {
        distributed = random_machine(way);
        test_border();
        test_bytes();
        test_number();
        for (int i = 0; i < cases; i++) {
            test_one(i);
            test_two(i);
            test_write(i);
        }
    }
    check_nothing_left();
    return check_done();
}
