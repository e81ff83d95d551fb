/* Reductions that a C compiler has made folds of give the bits of blocks: over operands that are broadcast, lie across or along, in
 * any order and in that of the tree, with one thread and two; counts at the borders of what holds them. That they were folds is
 * checked, too. Arguments: share, from 0, and number of shares, of what is tested in all shapes. */
#include "build.h"
#include "check.h"
#include "cpu/compiled/forms.h"
#include "cpu/compiled/object.h"
#include "cpu/reduce/reduce.h"
#include "oracle.h"
#include "test_team.h"

#include <base/memory.h>
#include <stdlib.h>

/* Rows i, columns j, reduced elements k. */
struct shape {
    int64_t i, j, k;
};

enum { MOST = 1 << 23, MOST_RESULTS = 1 << 17 };

/* x[i, k], y[j, k], across[k, j], row[i], scalar: `length` values each. */
static _Alignas(64) char x_data[MOST * 2], y_data[MOST * 2], mask_data[MOST];

enum lies { X, Y, ACROSS, ROW, SCALAR };

static int load(struct build *b, enum heddle_dtype dtype, enum lies lies, const struct shape *s)
{
    const int64_t strides[][3] = {[X] = {s->k, 0, 1},
                                  [Y] = {0, s->k, 1},
                                  [ACROSS] = {0, 1, s->j},
                                  [ROW] = {1, 0, 0},
                                  [SCALAR] = {0}};
    const void *data = dtype == HEDDLE_BOOL       ? mask_data
                       : lies == X || lies == ROW ? x_data
                                                  : y_data;
    return build_load(b, dtype, data, strides[lies], lies == ROW || lies == SCALAR ? 5 : 0);
}

/* Values come before all reductions. */
static void reduce(struct build *b, enum heddle_reduction op, enum heddle_dtype dtype, int value)
{
    CHECK(b->program.n_reductions == 0 || value < b->program.n_before);
    build_reduce(b, op, dtype, value);
}

static int cast(struct build *b, enum heddle_dtype from, enum heddle_dtype to, int value)
{
    return build_instr(b, HEDDLE_CODE_CAST, from, to, value, 0, 0);
}

/* What is computed and how it is reduced. */
typedef void section_fn(struct build *b, enum heddle_dtype dtype, const struct shape *s);

static void largest_difference(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int d =
        build_op(b, HEDDLE_OP_SUBTRACT, dtype, load(b, dtype, X, s), load(b, dtype, Y, s));
    reduce(b, HEDDLE_REDUCE_MAX, dtype, d);
    reduce(b, HEDDLE_REDUCE_MIN, dtype, d);
}

static void squares(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int d =
        build_op(b, HEDDLE_OP_SUBTRACT, dtype, load(b, dtype, X, s), load(b, dtype, Y, s));
    reduce(b, HEDDLE_REDUCE_SUM, dtype, build_op(b, HEDDLE_OP_MULTIPLY, dtype, d, d));
}

static void products_across(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int y = load(b, dtype, ACROSS, s);
    const int v = build_op(b, HEDDLE_OP_MULTIPLY, dtype, load(b, dtype, X, s), y);
    reduce(b, HEDDLE_REDUCE_SUM, dtype, v);
    reduce(b, HEDDLE_REDUCE_MAX, dtype, y); /* a load as it is */
}

static void complex_sums(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    reduce(b, HEDDLE_REDUCE_SUM, dtype,
           build_op(b, HEDDLE_OP_ADD, dtype, load(b, dtype, ACROSS, s), load(b, dtype, X, s)));
}

static void counts(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int x = load(b, dtype, X, s), y = load(b, dtype, Y, s);
    const int above = build_op(b, HEDDLE_OP_GREATER_EQUAL, dtype, x, y);
    reduce(b, HEDDLE_REDUCE_SUM, HEDDLE_INT64, cast(b, HEDDLE_BOOL, HEDDLE_INT64, above));
    reduce(b, HEDDLE_REDUCE_MAX, dtype, y);
}

/* All elements count, and some. */
static void full_counts(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int y = load(b, dtype, ACROSS, s), x = load(b, dtype, ROW, s);
    const int same = build_op(b, HEDDLE_OP_EQUAL, dtype, y, y),
              less = build_op(b, HEDDLE_OP_LESS, dtype, x, y);
    const int one = cast(b, HEDDLE_BOOL, HEDDLE_INT64, same),
              other = cast(b, HEDDLE_BOOL, HEDDLE_FLOAT64, less);
    reduce(b, HEDDLE_REDUCE_SUM, HEDDLE_INT64, one);
    reduce(b, HEDDLE_REDUCE_SUM, HEDDLE_FLOAT64, other);
}

static void any_all(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int x = load(b, dtype, X, s), y = load(b, dtype, Y, s),
              m = load(b, HEDDLE_BOOL, ACROSS, s);
    const int same = build_op(b, HEDDLE_OP_EQUAL, dtype, x, y),
              v = build_op(b, HEDDLE_OP_LOGICAL_OR, HEDDLE_BOOL, same, m);
    reduce(b, HEDDLE_REDUCE_ANY, HEDDLE_BOOL, same);
    reduce(b, HEDDLE_REDUCE_ALL, HEDDLE_BOOL, v);
}

/* Two operands that lie row after row. */
static void masked(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int x = load(b, dtype, X, s), y = load(b, dtype, Y, s), m = load(b, HEDDLE_BOOL, Y, s);
    const int less = build_op(b, HEDDLE_OP_LESS, dtype, x, y);
    reduce(b, HEDDLE_REDUCE_ANY, HEDDLE_BOOL,
           build_op(b, HEDDLE_OP_LOGICAL_AND, HEDDLE_BOOL, less, m));
}

static void places(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int across = load(b, dtype, ACROSS, s), x = load(b, dtype, X, s),
              y = load(b, dtype, Y, s);
    const int d = build_op(b, HEDDLE_OP_SUBTRACT, dtype, x, y);
    reduce(b, HEDDLE_REDUCE_ARGMIN, dtype, d);
    reduce(b, HEDDLE_REDUCE_ARGMAX, dtype, across);
    reduce(b, HEDDLE_REDUCE_MAX, dtype, d);
}

/* More operations than what is done to several rows at once; a number for all, one for a row. */
static void many(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int x = load(b, dtype, X, s), y = load(b, dtype, Y, s), one = load(b, dtype, SCALAR, s),
              row = load(b, dtype, ROW, s);
    int v = build_op(b, HEDDLE_OP_ADD, dtype, y, one);
    for (int k = 0; k < 6; k++) {
        v = build_op(b, HEDDLE_OP_MULTIPLY, dtype, v, k % 2 ? x : row);
        v = build_op(b, HEDDLE_OP_MAXIMUM, dtype, v, one);
    }
    reduce(b, HEDDLE_REDUCE_SUM, dtype, v);
}

/* A division by what is prepared before the loop. */
static void remainders(struct build *b, enum heddle_dtype dtype, const struct shape *s)
{
    const int v = build_op(b, HEDDLE_OP_ADD, dtype, load(b, dtype, X, s), load(b, dtype, Y, s));
    const int m = build_op(b, HEDDLE_OP_REMAINDER, dtype, v, load(b, dtype, SCALAR, s));
    reduce(b, HEDDLE_REDUCE_PROD, dtype, m);
    reduce(b, HEDDLE_REDUCE_SUM, dtype, m);
}

static _Alignas(64) char out[2][HEDDLE_MAX_REDUCTIONS][MOST_RESULTS * 16];

/* Whether the launch is a fold, now that all that can be is compiled. */
static bool is_fold(const struct build *b, int n_threads)
{
    static struct heddle__reduce_job job;
    heddle__reduce_begin(&job, &b->launch, (void *const *)b->buffers, b->constants,
                         test_team(n_threads));
    return job.fold.run != NULL;
}

static void test(section_fn *section, enum heddle_dtype dtype, struct shape s, bool sequential,
                 bool folds, uint64_t hash, const char *name)
{
    struct build b;
    build_begin(&b, 2, 3, (const int64_t[]){s.i, s.j, s.k});
    section(&b, dtype, &s);
    const int n = b.program.n_reductions;
    int value[HEDDLE_MAX_REDUCTIONS];
    b.program.sequential = sequential;
    heddle__reduce_chunks(&b.launch.geometry, sequential);
    for (int r = 0; r < n; r++) value[r] = build_reduced(&b, r);
    for (int r = 0; r < n; r++)
        build_store(&b, value[r], (enum heddle_dtype)b.program.reductions[r].result, out[0][r],
                    (const int64_t[]){s.j, 1, 0}, 0);
    b.program.hash = 0;
    CHECK_EQ(build_run(&b, 1), HEDDLE_OK); /* by blocks */
    CHECK(!is_fold(&b, 1), "%s: a program without a hash is compiled", name);
    const size_t used = (size_t)(s.i * s.j) * 16;
    for (int r = 0; r < n; r++) memcpy(out[1][r], out[0][r], used);
    b.program.hash = hash * 2 + sequential;
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        for (int r = 0; r < n; r++) memset(out[0][r], 0xcd, used);
        CHECK_EQ(build_run(&b, n_threads), HEDDLE_OK);
        CHECK(is_fold(&b, n_threads) == folds, "%s, %s, %lld x %lld x %lld: a fold %d", name,
              heddle_dtype_name(dtype), (long long)s.i, (long long)s.j, (long long)s.k, !folds);
        for (int r = 0; r < n; r++) {
            const enum heddle_dtype result = (enum heddle_dtype)b.program.reductions[r].result;
            const size_t bytes = (size_t)(s.i * s.j) * heddle_dtype_size(result);
            int64_t i = memcmp(out[0][r], out[1][r], bytes) ? 0 : s.i * s.j;
            while (i < s.i * s.j && oracle_same(result, out[0][r], i, out[1][r], i)) i++;
            CHECK(
                i == s.i * s.j,
                "%s, %s, %lld x %lld x %lld, sequential %d, reduction %d, %d threads: element %lld",
                name, heddle_dtype_name(dtype), (long long)s.i, (long long)s.j, (long long)s.k,
                sequential, r, n_threads, (long long)i);
        }
    }
}

static void fill(enum heddle_dtype dtype, int64_t x_length, int64_t y_length)
{
    uint64_t seed = dtype;
    for (int64_t k = 0; k < x_length || k < y_length; k++) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        const uint64_t special = seed >> 60 ? 99 : seed >> 33; /* one of 16 is any value */
        if (k < x_length)
            oracle_set(dtype, x_data, k, oracle_value(dtype, special + (seed >> 40) % 1000));
        if (k < y_length)
            oracle_set(dtype, y_data, k, oracle_value(dtype, special + (seed >> 50) % 1000));
        if (k < y_length) mask_data[k] = seed >> 35 & 1;
    }
    oracle_set(dtype, y_data, 5, (struct number){.i = 7, .re = 7});
}

static const struct shape shapes[] = {{8, 64, 2},     {9, 64, 16},  {8, 65, 17},  {11, 513, 33},
                                      {30, 130, 48},  {8, 512, 64}, {9, 511, 31}, {64, 1100, 5},
                                      {10, 200, 100}, {16, 80, 129}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static int share, n_shares, n_sections; /* of what TEST tests, each n_shares-th */

#define TEST(SECTION, DTYPE, SEQUENTIAL)                                                           \
    do {                                                                                           \
        if (n_sections++ % n_shares != share) break;                                               \
        fill(DTYPE, 1 << 15, 1 << 15);                                                             \
        for (int t = 0; t < N_SHAPES; t++)                                                         \
            test(SECTION, DTYPE, shapes[t], SEQUENTIAL, true, 100 + __LINE__, #SECTION);           \
    } while (0)

/* All of K elements that are equal to themselves. */
static void check_full(int64_t k, int64_t n_results)
{
    const int64_t *const got = (const int64_t *)(const void *)out[0][0];
    for (int64_t i = 0; i < n_results; i++) CHECK_EQ(got[i], k);
}

/* Rows that go to lanes: of one chunk, of several, with a part of a row of lanes at the end and without. */
static void test_lanes(void)
{
    static const struct shape long_ones[] = {
        {1, 1, 4096}, {3, 1, 4097}, {2, 3, 5119}, {1, 2, 40000}, {1, 1, 1300000}};
    for (int t = 0; t < 5; t++) {
        const struct shape s = long_ones[t];
        fill(HEDDLE_FLOAT64, s.i * s.k + 8, s.j * s.k + 8);
        test(squares, HEDDLE_FLOAT64, s, false, true, 10, "squares");
        test(largest_difference, HEDDLE_FLOAT64, s, false, true, 11, "largest_difference");
        test(counts, HEDDLE_FLOAT64, s, false, true, 12, "counts");
        test(many, HEDDLE_FLOAT64, s, false, true, 13, "many");
        fill(HEDDLE_FLOAT32, s.i * s.k + 8, s.j * s.k + 8);
        test(squares, HEDDLE_FLOAT32, s, false, true, 14, "squares");
        test(counts, HEDDLE_FLOAT32, s, false, true, 15, "counts");
        fill(HEDDLE_INT8, s.i * s.k + 8, s.j * s.k + 8);
        test(largest_difference, HEDDLE_INT8, s, false, true, 16, "largest_difference");
        if (s.j > 1) continue; /* what lies across is along then */
        test(full_counts, HEDDLE_INT8, s, false, true, 17, "full_counts");
        check_full(s.k, s.i);
        test(any_all, HEDDLE_INT8, s, false, true, 18, "any_all");
    }
}

/* Short rows one after the other, which are turned over strip by strip: each element size, with a part of a register at the end. */
static void test_records(void)
{
    static const struct {
        enum heddle_dtype dtype;
        section_fn *section;
    } tests[] = {{HEDDLE_INT8, any_all},
                 {HEDDLE_UINT16, places},
                 {HEDDLE_FLOAT32, counts},
                 {HEDDLE_INT64, largest_difference},
                 {HEDDLE_COMPLEX128, complex_sums}};
    static const int64_t rows[] = {512, 600, 1031};
    for (uint64_t t = 0; t < sizeof tests / sizeof *tests; t++) {
        fill(tests[t].dtype, 1 << 15, 1 << 15);
        for (int64_t k = 2; k <= HEDDLE_TREE_SHORT; k++)
            test(tests[t].section, tests[t].dtype, (struct shape){1 + k % 2, rows[k % 3], k}, false,
                 true, 20 + t, "records"); /* a hash is of one program */
    }
}

/* What holds counts is as wide as what is compared. */
static void test_borders(void)
{
    static const int64_t bytes[] = {254, 255, 256, 509, 510, 511, 766},
                         words[] = {65534, 65535, 65536}; /* a chunk has no more */
    fill(HEDDLE_INT8, 1 << 10, 1 << 17);
    for (int t = 0; t < 7; t++) {
        test(full_counts, HEDDLE_INT8, (struct shape){8, 70, bytes[t]}, false, true, 1, "bytes");
        check_full(bytes[t], 8 * 70);
    }
    fill(HEDDLE_INT16, 1 << 10, 1 << 22);
    for (int t = 0; t < 3; t++) {
        test(full_counts, HEDDLE_INT16, (struct shape){8, 64, words[t]}, false, true, 2, "words");
        check_full(words[t], 8 * 64);
    }
}

/* Sums of negative zeros are negative zeros. */
static void test_zeros(void)
{
    for (int64_t k = 0; k < 1 << 15; k++) {
        oracle_set(HEDDLE_FLOAT64, x_data, k, (struct number){.re = -0.0L});
        oracle_set(HEDDLE_FLOAT64, y_data, k, (struct number){.re = 1});
    }
    test(products_across, HEDDLE_FLOAT64, (struct shape){8, 100, 20}, true, true, 4, "zeros");
    test(products_across, HEDDLE_FLOAT64, (struct shape){8, 100, 20}, false, true, 4, "zeros");
    test(products_across, HEDDLE_FLOAT64, (struct shape){1, 800, 20}, false, true, 4, "zeros");
    const double *const got = (const double *)(const void *)out[0][0];
    for (int i = 0; i < 800; i++) CHECK(got[i] == 0 && 1 / got[i] < 0);
}

int main(int argc, char **argv)
{
    share = argc > 2 ? atoi(argv[1]) : 0;
    n_shares = argc > 2 ? atoi(argv[2]) : 1;
    heddle__object_folder = NULL; /* nothing is on disk */
    heddle__forms_allow(true);
    heddle__forms_hurry(true);
    TEST(largest_difference, HEDDLE_FLOAT32, false);
    TEST(largest_difference, HEDDLE_FLOAT64, false);
    TEST(largest_difference, HEDDLE_INT8, false);
    TEST(largest_difference, HEDDLE_UINT16, false);
    TEST(squares, HEDDLE_FLOAT32, false);
    TEST(squares, HEDDLE_FLOAT64, false);
    TEST(squares, HEDDLE_INT64, false);
    TEST(products_across, HEDDLE_FLOAT32, true);
    TEST(products_across, HEDDLE_FLOAT64, false);
    TEST(complex_sums, HEDDLE_COMPLEX64, true);
    TEST(complex_sums, HEDDLE_COMPLEX128, false);
    TEST(counts, HEDDLE_FLOAT64, false);
    TEST(counts, HEDDLE_UINT8, false);
    TEST(any_all, HEDDLE_INT32, false);
    TEST(places, HEDDLE_FLOAT32, false);
    TEST(places, HEDDLE_FLOAT64, true);
    TEST(places, HEDDLE_INT8, false);
    TEST(places, HEDDLE_UINT32, false);
    TEST(many, HEDDLE_FLOAT32, false);
    TEST(remainders, HEDDLE_INT32, false);
    /* runs that are too short; too few rows to turn two operands over for, and enough */
    fill(HEDDLE_FLOAT32, 1 << 18, 1 << 18);
    test(squares, HEDDLE_FLOAT32, (struct shape){9, 63, 10}, false, false, 3, "short");
    test(masked, HEDDLE_FLOAT32, (struct shape){2, 300, 10}, false, false, 8, "few");
    test(masked, HEDDLE_FLOAT32, (struct shape){3, 200, 10}, false, true, 8, "enough");
    test(squares, HEDDLE_FLOAT32, (struct shape){3, 200, 10}, false, true, 3, "enough");
    /* rows that nothing else reads */
    test(squares, HEDDLE_FLOAT32, (struct shape){1, 40, 100}, false, true, 5, "rows");
    test(many, HEDDLE_FLOAT32, (struct shape){2, 130, 1024}, false, true, 6, "rows");
    test(squares, HEDDLE_FLOAT32, (struct shape){1, 40, 16}, false, false, 7, "rows");
    /* those that go to the tree's lanes first */
    static const int64_t lengths[] = {1025, 1039, 1040, 1041, 2047, 2048,
                                      2049, 2065, 3000, 3072, 3073, 4095};
    for (int k = 0; k < 12; k++) {
        test(squares, HEDDLE_FLOAT32, (struct shape){2, 20, lengths[k]}, false, true, 9, "rows");
        test(many, HEDDLE_FLOAT32, (struct shape){1, 17, lengths[k]}, false, true, 10, "rows");
    }
    test_lanes();
    test_records();
    test_borders();
    test_zeros();
    CHECK_EQ(heddle__forms_counters().failed, 0);
    test_teams_close();
    CHECK_EQ(heddle__alloc_live(), 0);
    return check_done();
}
