/* Reductions from text whose first round is one kernel of loops, since there is much data, beside plain loops in C: extents
 * around the thresholds, rows, several accumulators and inputs, orders, the same bits over any partition and with a C
 * compiler or without. */
#include "reduction_forms.h"

enum { MUCH = 1 << 20, MOST = 7300000 };
static float x[MOST], y[MOST];
static uint32_t words[2][MOST];

/* ---- Values ---------------------------------------------------------------------------------------------- */

/* What all arrays begin with. */
static void fill(void)
{
    for (int64_t i = 0; i < MOST; i++) {
        x[i] = (float)(random_word() % 100000);
        y[i] = (float)(random_word() % 3);
        words[0][i] = (uint32_t)random_word() | 1;
        words[1][i] = (uint32_t)random_word();
    }
}

/* Rows of `length` elements, which are the innermost axes of the shape. */
static int64_t rows_of(int ndim, const int64_t *shape, int n_kept, int64_t *length)
{
    int64_t rows = 1;
    *length = 1;
    for (int d = 0; d < ndim; d++) *(d < n_kept ? &rows : length) *= shape[d];
    return rows;
}

static struct heddle_axes axes_from(int n_kept, int ndim)
{
    struct heddle_axes axes = {.count = 0};
    for (int d = n_kept; d < ndim; d++) axes.at[axes.count++] = d;
    return axes;
}

/* The least, where it is first, the count of what is above it by a number, over two inputs; with n and i. */
static void check_places(int ndim, const int64_t *shape, int n_kept, bool commutative)
{
    int64_t length;
    const int64_t rows = rows_of(ndim, shape, n_kept, &length), size = rows * length;
    heddle_scope scope = heddle_scope_open();
    heddle_array *const a = heddle_asarray(x, HEDDLE_FLOAT32, ndim, shape), *const b =
                                                                                heddle_asarray(
                                                                                    y,
                                                                                    HEDDLE_FLOAT32,
                                                                                    ndim, shape);
    heddle_kernel *const k = heddle_kernel_reduction(
        "T at, T end, T block", "T value, int64 place, int64 count, int64 size",
        "at + end, i, at > block, n",
        "min(a0, b0), b0 < a0 || (b0 == a0 && b1 < a1) ? b1 : a1, a2 + b2, max(a3, b3)",
        "value = a0; place = a1; count = a2; size = a3", .type = "T, int64, int64, int64",
        .commutative = commutative);
    CHECK_STR(heddle_kernel_error(k), "");
    heddle_array *out[4] = {NULL};
    CHECK(heddle_kernel_reduce_call(k, HEDDLE_ARRAYS(a, b, heddle_scalar(500)), 4, out,
                                    .axes = axes_from(n_kept, ndim)) == HEDDLE_OK,
          "%s", heddle_last_error());
    float *const least = malloc((size_t)rows * sizeof *least);
    int64_t *const found = malloc((size_t)rows * 3 * sizeof *found);
    CHECK(heddle_read(out[0], least, rows * 4) == HEDDLE_OK, "%s", heddle_error(out[0]));
    for (int j = 0; j < 3; j++)
        CHECK_EQ(heddle_read(out[1 + j], found + j * rows, rows * 8), HEDDLE_OK);
    for (int64_t r = 0; r < rows; r++) {
        int64_t place = r * length, count = 0;
        for (int64_t i = r * length; i < (r + 1) * length; i++) {
            if (x[i] + y[i] < x[place] + y[place]) place = i;
            count += x[i] > 500;
        }
        CHECK(least[r] == x[place] + y[place] && found[r] == place && found[rows + r] == count &&
                  found[2 * rows + r] == size,
              "(%lld, %lld), row %lld: %g at %lld, %lld of %lld; not %g at %lld, %lld",
              (long long)rows, (long long)length, (long long)r, (double)least[r],
              (long long)found[r], (long long)found[rows + r], (long long)found[2 * rows + r],
              (double)(x[place] + y[place]), (long long)place, (long long)count);
    }
    free(least);
    free(found);
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

/* Affine maps one after the other, modulo 2^32: an order. */
static void check_order(int ndim, const int64_t *shape, int n_kept)
{
    int64_t length;
    const int64_t rows = rows_of(ndim, shape, n_kept, &length);
    heddle_scope scope = heddle_scope_open();
    heddle_array *const in[2] = {heddle_asarray(words[0], HEDDLE_UINT32, ndim, shape),
                                 heddle_asarray(words[1], HEDDLE_UINT32, ndim, shape)};
    heddle_kernel *const k = heddle_kernel_reduction("T x, T y", "T p, T q", "x, y",
                                                     "a0 * b0, a1 * b0 + b1", "p = a0; q = a1");
    heddle_array *out[2] = {NULL};
    CHECK(heddle_kernel_reduce_call(k, 2, in, 2, out, .axes = axes_from(n_kept, ndim)) == HEDDLE_OK,
          "%s", heddle_last_error());
    uint32_t *const p = malloc((size_t)rows * 4), *const q = malloc((size_t)rows * 4);
    CHECK_EQ(heddle_read(out[0], p, rows * 4), HEDDLE_OK);
    CHECK_EQ(heddle_read(out[1], q, rows * 4), HEDDLE_OK);
    for (int64_t r = 0; r < rows; r++) {
        uint32_t a = 1, b = 0;
        for (int64_t i = r * length; i < (r + 1) * length; i++) {
            a *= words[0][i];
            b = b * words[0][i] + words[1][i];
        }
        CHECK(p[r] == a && q[r] == b, "(%lld, %lld), row %lld: %u, %u; not %u, %u", (long long)rows,
              (long long)length, (long long)r, p[r], q[r], a, b);
    }
    free(p);
    free(q);
    heddle_kernel_release(k);
    heddle_scope_close(scope);
}

static bool
    some; /* in other ways to cut and share what is reduced, each case has one kind of reductions, beyond the ends of blocks */

/* All kinds of reductions; where addresses are checked one of them, as above. */
static void check_all(int ndim, const int64_t *shape, int n_kept)
{
    static int n;
    const bool all = !CHECK_SOME(some, true) || (ndim == 1 && shape[0] <= MUCH + 256);
    const int kind = (n + n / 3) % 3; /* each with each n_kept */
    if (all || kind == 0) check_places(ndim, shape, n_kept, true);
    if (all || kind == 1) check_places(ndim, shape, n_kept, false);
    if (all || kind == 2) check_order(ndim, shape, n_kept);
    n++;
}

static void check_values(void)
{
    static const int64_t extents[] = {MUCH - 1,     MUCH,         MUCH + 1,         MUCH + 31,
                                      MUCH + 32,    MUCH + 33,    MUCH + 255,       MUCH + 256,
                                      MUCH * 2 - 1, MUCH * 2 + 1, MUCH * 4 + 12345, 7217000};
    fill();
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) check_all(1, &extents[e], 0);
    static const int64_t shapes[][3] = {{3, 400001, 1}, {1000, 1031, 7}, {4100, 256, 1},
                                        {4100, 257, 1}, {4100, 511, 1},  {33000, 32, 1},
                                        {33000, 33, 1}, {2, 1, 524289},  {1, 1100000, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int n_kept = 0; n_kept < 3; n_kept++) check_all(3, shapes[s], n_kept);
}

/* ---- Bits ------------------------------------------------------------------------------------------------ */

static uint64_t hash_of(const float *values, int64_t n)
{
    uint64_t hash = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, &values[i], sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Rounded sums: the same bits however the argument is cut, and in each way that the test is run. */
static uint64_t check_bits(int64_t rows, int64_t columns, int n_kept, bool commutative)
{
    static float right[MOST / 256], found[MOST / 256];
    const int64_t n = n_kept ? rows : 1;
    heddle_scope scope = heddle_scope_open();
    for (int64_t i = 0; i < rows * columns; i++) x[i] = (float)(random_part() - 0.25);
    heddle_array *const a = heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(rows, columns));
    heddle_array *const line = heddle_reshape(a, HEDDLE_SHAPE(rows * columns));
    heddle_kernel *const k = heddle_kernel_reduction("T x", "T y", "x * x", "a + b * 1.0f", "y = a",
                                                     .commutative = commutative);
    for (int round = 0; round < 25; round++) {
        struct heddle_distribution cut = {.size = sizeof cut};
        for (int d = 0; d < 2; d++)
            cut.cut[d] = (struct heddle_cut){.kind = HEDDLE_CUT_PARTS,
                                             .n = 1 + (int64_t)(random_word() % 6)};
        if (round >= CHECK_SOME(25, 5)) continue; /* drawn all the same: the next ones are alike */
        const bool flat = !n_kept && round % 2;
        if (flat) cut.cut[1] = (struct heddle_cut){.kind = HEDDLE_CUT_WHOLE};
        heddle_array *const whole = flat ? line : a;
        heddle_array *const in = round == 0 ? whole : heddle_distribute(whole, &cut);
        heddle_array *const r =
            heddle_kernel_reduce(k, HEDDLE_ARRAYS(in), .axes = axes_from(n_kept, flat ? 1 : 2));
        CHECK(heddle_read(r, round == 0 ? right : found, n * 4) == HEDDLE_OK, "%s",
              heddle_error(r));
        CHECK(round == 0 || !memcmp(right, found, (size_t)n * 4), "round %d", round);
    }
    heddle_kernel_release(k);
    heddle_scope_close(scope);
    return hash_of(right, n);
}

/* A view and the same elements in memory have the same bits. */
static void check_views(void)
{
    enum { ROWS = 1200, COLUMNS = 1000 };
    float one = 0, other = 0;
    heddle_kernel *k = heddle_kernel_reduction("T x", "T y", "x * 0.37f", "a + b * 1", "y = a",
                                               .commutative = true);
    heddle_scope scope = heddle_scope_open();
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) x[i] = (float)(i * 7919 % 10007) / 7;
    heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT32, HEDDLE_SHAPE(COLUMNS, ROWS));
    heddle_array *view = heddle_matrix_transpose(a);
    heddle_array *stored = heddle_add(view, heddle_scalar_float(0));
    CHECK_EQ(heddle_wait(stored), HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_kernel_reduce(k, HEDDLE_ARRAYS(view)), &one, sizeof one),
             HEDDLE_OK);
    CHECK_EQ(heddle_read(heddle_kernel_reduce(k, HEDDLE_ARRAYS(stored)), &other, sizeof other),
             HEDDLE_OK);
    CHECK(one == other, "%.9g of a view, %.9g of its elements", (double)one, (double)other);
    heddle_scope_close(scope);
    heddle_kernel_release(k);
}

/* Argument: "some". */
int main(int argc, char **argv)
{
    some = argc > 1 && !strcmp(argv[1], "some");
    const int no = check_started();
    if (no) return no;
    uint64_t hash = 0; /* first: of numbers that all ways draw alike */
    for (int commutative = 0; commutative < 2; commutative++) {
        hash = hash * 31 + check_bits(1031, 1031, 0, commutative);
        hash = hash * 31 + check_bits(1031, 1031, 1, commutative);
        hash = hash * 31 + check_bits(5, 400001, 1, commutative);
    }
    /* what the loops gave when this test was written: interpreted, compiled, in tasks */
    CHECK(hash == UINT64_C(0x49432873c4bb8c24), "hash 0x%llx", (unsigned long long)hash);
    check_values();
    check_views();
    check_nothing_left();
    return check_done();
}
