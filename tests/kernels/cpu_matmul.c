/* Products of matrices against three loops: every dtype but bool, plain and transposed operands,
 * batches, accumulation, edges of size, no inner extent, long sums, integers that wrap, one thread and more, guards around C. */
#include "check.h"
#include "cpu/blocks.h"
#include "families/matmul/kernel.h"
#include "kernels.h"
#include "oracle.h"
#include "test_team.h"

#include <stdlib.h>

enum { MAX = 140000 };
_Alignas(64) static char a[16 * MAX], b[16 * MAX], c[16 * MAX], before[16 * MAX];

static int64_t gap = 2; /* between the rows of C */
static bool each_has_b; /* each result has a B of its own */
static bool
    all_bits; /* of integers: sums wrap from the first terms on, and values reach the limits of the dtype */

struct shape {
    int64_t m, n, k, batch;
};

/* Elements that a test uses of any of the arrays, and some after them. */
static int64_t extent_of(struct shape s)
{
    const int64_t x = (s.m + 1) * (s.k + 1) * s.batch, y = s.k * (s.n + 1) * s.batch,
                  z = s.m * (s.n + 2) * s.batch, xy = x > y ? x : y;
    return (xy > z ? xy : z) + 1000;
}

/* The same as bytes of C. */
static size_t bytes_of(enum heddle_dtype dtype, struct shape s)
{
    return (size_t)extent_of(s) * heddle_dtype_size(dtype);
}

/* sum + x[0] y[0] + x[x_step] y[y_step] + ..., of k terms. */
CHECK_ORACLE static struct number with_products(char kind, struct number sum,
                                                const struct number *x, int64_t x_step,
                                                const struct number *y, int64_t y_step, int64_t k)
{
    for (; k > 0; k--, x += x_step, y += y_step)
        if (kind == 'I' || kind == 'U') {
            sum.i = (__int128)((uint64_t)sum.i + (uint64_t)x->i * (uint64_t)y->i);
        } else if (kind == 'F') {
            sum.re += x->re * y->re;
        } else {
            sum.re += x->re * y->re - x->im * y->im;
            sum.im += x->re * y->im + x->im * y->re;
        }
    return sum;
}

static struct number x[2 * MAX],
    y[2 * MAX]; /* the elements of a and b, but of the widest dtype half as many */

/* Fills a and b, of whose products some need rounding, unless they are filled. */
CHECK_ORACLE static void fill(enum heddle_dtype dtype)
{
    static enum heddle_dtype filled;
    static bool filled_bits;
    if (filled == dtype && filled_bits == all_bits) return;
    filled = dtype;
    filled_bits = all_bits;
    const int64_t n = (int64_t)(sizeof a / heddle_dtype_size(dtype));
    for (int64_t i = 0; i < n && i < 2 * MAX; i++) {
        struct number v = {(__int128)((i * 7919 + 3) % 201) - 100, 0, 0}, w = v;
        v.re = (long double)((i * 7919 + 3) % 201 - 100) / 15, v.im = -v.re / 4 + 1;
        w.re = (long double)((i * 104729 + 3) % 211 - 100) / 15, w.im = w.re / 2 - 3;
        w.i = (__int128)((i * 104729 + 3) % 211) * 1000003 - 100;
        if (all_bits) {
            v.i = i % 13 == 0 ? -1 : (int64_t)((uint64_t)(i + 1) * 0x9e3779b97f4a7c15u);
            w.i = i % 11 == 0 ? (int64_t)((uint64_t)1 << (8 * heddle_dtype_size(dtype) - 1))
                              : (int64_t)((uint64_t)(i + 5) * 0xd1342543de82ef95u >> 7);
        }
        if (heddle_dtype_kind(dtype) == 'F') v.im = w.im = 0;
        oracle_set(dtype, a, i, v);
        oracle_set(dtype, b, i, w);
        x[i] = oracle_get(dtype, a, i);
        y[i] = oracle_get(dtype, b, i);
    }
}

/* C, which begins as A. */
static struct heddle_matmul compute(enum heddle_dtype dtype, struct shape s, bool ta, bool tb,
                                    bool accumulate, int n_threads)
{
    const struct heddle_matmul mm = {
        .dtype = (uint8_t)dtype,
        .accumulate = accumulate,
        .m = s.m,
        .n = s.n,
        .k = s.k,
        .batch = s.batch,
        .outer = 1,
        .a_offset = 3,
        .a_row = ta ? 1 : s.k + 1,
        .a_column = ta ? s.m + 1 : 1,
        .a_batch = (s.m + 1) * (s.k + 1),
        .b_offset = 1,
        .b_row = tb ? 1 : s.n,
        .b_column = tb ? s.k : 1,
        .b_batch = each_has_b ? s.k * (s.n + 1) : 0,
        .c_offset = 8,
        .c_row = s.n + gap,
        .c_batch = s.m * (s.n + gap),
        .buffer = {0, 1, 2},
    };
    fill(dtype);
    memcpy(c, a, bytes_of(dtype, s));
    memcpy(before, c, bytes_of(dtype, s));
    void *buffers[3] = {a, b, c}, *scratch = malloc(heddle__matmul_scratch(&mm, n_threads));
    CHECK_EQ(heddle__cpu_matmul(&mm, buffers, scratch, test_team(n_threads)), HEDDLE_OK);
    free(scratch);
    return mm;
}

static void test(enum heddle_dtype dtype, struct shape s, bool ta, bool tb, bool accumulate,
                 int n_threads)
{
    const struct heddle_matmul mm = compute(dtype, s, ta, tb, accumulate, n_threads);
    const int64_t used = extent_of(s);
    const char kind = heddle_dtype_kind(dtype);
    int n_bad = 0;
    int64_t next = 0; /* elements of C up to here are checked */
    for (int64_t t = 0; t < s.batch; t++)
        for (int64_t i = 0; i < s.m; i++) {
            for (int64_t j = 0; j < s.n; j++) {
                const int64_t at = mm.c_offset + t * mm.c_batch + i * mm.c_row + j;
                for (; next < at; next++) n_bad += !oracle_same(dtype, c, next, before, next);
                next = at + 1;
                struct number sum = {0, 0, 0};
                if (accumulate) sum = oracle_get(dtype, before, at);
                sum = with_products(kind, sum, x + mm.a_offset + t * mm.a_batch + i * mm.a_row,
                                    mm.a_column, y + mm.b_offset + t * mm.b_batch + j * mm.b_column,
                                    mm.b_row, s.k);
                struct number got = oracle_get(dtype, c, at);
                union heddle_scalar wrapped;
                oracle_set(dtype, &wrapped, 0, sum);
                const struct number want = oracle_get(dtype, &wrapped, 0);
                const long double scale = 300 * (1 + (long double)s.k);
                const long double eps =
                    heddle_dtype_size(heddle__real_dtype(dtype)) == 4 ? 1e-6L : 1e-15L;
                n_bad += got.i != want.i || !(fabsl(got.re - sum.re) <= eps * scale) ||
                         !(fabsl(got.im - sum.im) <= eps * scale);
            }
        }
    for (; next < used; next++) n_bad += !oracle_same(dtype, c, next, before, next);
    CHECK(n_bad == 0, "%s %lldx%lldx%lld, %lld times, transposed %d %d, accumulate %d, %d threads",
          heddle_dtype_name(dtype), (long long)s.m, (long long)s.n, (long long)s.k,
          (long long)s.batch, ta, tb, accumulate, n_threads);
}

/* Right by one thread, and the same bits by more. */
static void test_bits(enum heddle_dtype dtype, struct shape s, int form, bool accumulate)
{
    static char first[sizeof c];
    const size_t bytes = bytes_of(dtype, s);
    test(dtype, s, form & 1, form & 2, accumulate, 1);
    memcpy(first, c, bytes);
    for (int n_threads = 3; n_threads <= 16; n_threads += 13) {
        compute(dtype, s, form & 1, form & 2, accumulate, n_threads);
        CHECK(memcmp(first, c, bytes) == 0, "%s %lldx%lldx%lld, form %d, %d threads: bits",
              heddle_dtype_name(dtype), (long long)s.m, (long long)s.n, (long long)s.k, form,
              n_threads);
    }
}

/* Sums that are cut, at the borders of that. */
static void test_long(void)
{
    static const struct shape shapes[] = {{2, 3, 4095, 1},  {2, 3, 4096, 1},  {3, 2, 4097, 1},
                                          {4, 5, 12345, 1}, {3, 1, 32767, 1}, {3, 1, 32768, 1},
                                          {1, 3, 32769, 1}, {1, 1, 40000, 1}, {2, 2, 4100, 3}};
    for (int d = HEDDLE_FLOAT32; d <= HEDDLE_COMPLEX128; d++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int form = 0; form < 4; form++)
                test_bits((enum heddle_dtype)d, shapes[k], form, form == 1 || form == 2);
}

/* Results in tiles and quarters of tiles, that as many threads take in any order as so much is worth. */
static void test_tiles(void)
{
    static const struct shape shapes[] = {{203, 197, 201, 1}, {130, 77, 251, 1}, {61, 67, 70, 9},
                                          {1000, 16, 61, 1},  {9, 330, 400, 1},  {33, 31, 29, 70}};
    for (int d = HEDDLE_FLOAT32; d <= HEDDLE_COMPLEX128; d++)
        for (int k = 0; k < (int)(sizeof shapes / sizeof *shapes); k++)
            for (int n_threads = d > HEDDLE_FLOAT64 ? 16 : 3; n_threads <= 16;
                 n_threads += n_threads < 4 ? 1 : 12)
                test((enum heddle_dtype)d, shapes[k], (d ^ k) & 1, (n_threads ^ k) & 1,
                     k == n_threads % 3, n_threads);
}

/* Operands in panels: extents around the tiles of kernels, sums in pieces. */
static void test_packed(void)
{
    static const struct shape shapes[] = {{101, 100, 100, 1},
                                          {96, 144, 88, 1},
                                          {97, 49, 220, 1},
                                          {103, 143, 71, 1},
                                          {16, 300, 219, 1},
                                          {300, 16, 219, 1},
                                          {64, 65, 513, 1},
                                          {40, 41, 1030, 1},
                                          {159, 161, 512, 1},
                                          {1001, 31, 33, 1},
                                          {31, 1001, 37, 1},
                                          /* transposed, lines 4096 bytes apart */
                                          {511, 20, 515, 1},
                                          {1023, 31, 40, 1}};
    for (int d = HEDDLE_FLOAT32; d <= HEDDLE_FLOAT64; d++)
        for (int k = 0; k < (int)(sizeof shapes / sizeof *shapes); k++)
            for (int form = 0; form < 4; form++)
                if (heddle__cpu_blocks()->packed.multiply[HEDDLE_PACKED_FLOAT32])
                    test_bits((enum heddle_dtype)d, shapes[k], form, (form ^ k) & 1);
                else
                    test((enum heddle_dtype)d, shapes[k], form & 1, form & 2, (form ^ k) & 1, 3);
}

/* Fewer blocks of columns than threads: some of these need panels that others are making. */
static void test_waiting(void)
{
    const struct shape s = {257, 130, 1070, 1};
    if (!heddle__cpu_blocks()->packed.multiply[HEDDLE_PACKED_FLOAT32]) return;
    static char first[sizeof c];
    const size_t bytes = bytes_of(HEDDLE_FLOAT64, s);
    test(HEDDLE_FLOAT64, s, false, false, false, 1);
    memcpy(first, c, bytes);
    for (int i = 0; i < 40; i++) {
        compute(HEDDLE_FLOAT64, s, false, false, false, 16);
        CHECK(memcmp(first, c, bytes) == 0, "bits of run %d", i);
    }
}

/* Few columns and short sums, around the widths of vectors; rows of C apart, and one after the other. */
static void test_narrow(void)
{
    for (int d = HEDDLE_FLOAT32; d <= HEDDLE_FLOAT64; d++)
        for (int64_t n = 1; n <= 18; n++)
            for (int64_t k = 1; k <= 18; k += k % 3 + 1)
                for (gap = 0; gap <= 2; gap += 2) {
                    const struct shape few = {(n * k) % 7, n, k, 2}, some = {37 + n, n, k, 1},
                                       many = {603 - k, n, k, 3};
                    test((enum heddle_dtype)d, few, false, n & 1, false, 1);
                    test((enum heddle_dtype)d, some, n % 5 == 0, k & 1, n % 7 == 0, 1);
                    if (n <= 12) test((enum heddle_dtype)d, many, false, n & 2, false, 3);
                }
    gap = 2;
}

/* Many small matrices by a vector each, or by one; around what one kernel takes. */
static void test_vectors(void)
{
    gap = 0;
    for (int d = HEDDLE_FLOAT32; d <= HEDDLE_FLOAT64; d++)
        for (int64_t m = 1; m <= 17; m++)
            for (int64_t k = 1; k <= 17; k += k % 3 + 1) {
                const struct shape s = {m, 1, k, 7};
                each_has_b = (m + k) % 4 != 0;
                test((enum heddle_dtype)d, s, m & 1, k & 1, m % 5 == 0, k % 2 ? 3 : 1);
            }
    each_has_b = false;
    gap = 2;
}

/* All integers: extents around tiles and vectors, few rows and columns, sums in pieces, lines of A 4096 bytes apart. */
static void test_integers(void)
{
    static const struct shape shapes[] = {
        {1, 1, 1, 1},     {3, 3, 3, 5},     {2, 4, 4, 1},     {4, 3, 3, 7},     {1, 1, 700, 2},
        {65, 1, 130, 1},  {1, 130, 65, 1},  {3, 130, 17, 1},  {3, 70, 65, 3},   {2, 17, 600, 1},
        {8, 192, 40, 1},  {9, 193, 33, 2},  {15, 16, 17, 3},  {16, 15, 65, 1},  {17, 65, 3, 4},
        {65, 17, 15, 3},  {130, 65, 1, 1},  {65, 130, 65, 1}, {17, 50, 530, 1}, {10, 9, 1300, 1},
        {77, 97, 129, 1}, {511, 20, 70, 1}, {1023, 5, 40, 1}, {4095, 3, 9, 1},  {300, 193, 64, 1}};
    all_bits = true;
    for (int d = HEDDLE_INT8; d <= HEDDLE_UINT64; d++)
        for (int k = 0; k < (int)(sizeof shapes / sizeof *shapes); k++)
            for (int form = 0; form < 4; form++) {
                if (shapes[k].m * shapes[k].n * shapes[k].k > 500000 && (d + k + form) % 4)
                    continue;
                gap = shapes[k].n == 1 || (d ^ k ^ form) & 1 ? 0 : 2;
                each_has_b = (k + form) & 1;
                test_bits((enum heddle_dtype)d, shapes[k], form, (d ^ form) & 1);
                if (shapes[k].n > 1 || form == 3) continue;
                gap = 2; /* a column of others */
                test((enum heddle_dtype)d, shapes[k], form & 1, form & 2, form & 1, 3);
            }
    gap = 2;
    each_has_b = all_bits = false;
}

int main(void)
{
    static const struct shape shapes[] = {
        {1, 1, 1, 1}, {3, 5, 4, 1}, {1, 17, 9, 1}, {17, 1, 9, 1},      {64, 64, 64, 1},
        {5, 4, 0, 2}, {0, 4, 3, 1}, {7, 6, 5, 4},  {120, 130, 110, 1}, {9, 8, 7, 1}};
    for (int d = HEDDLE_INT8; d < HEDDLE_N_COMPUTED; d++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int form = 0; form < 4; form++)
                if (shapes[k].m < 100 || d == HEDDLE_FLOAT64 || d == HEDDLE_INT16)
                    for (int n_threads = 1 + CHECK_SOME(0, form / 2);
                         n_threads <= 1 + CHECK_SOME(1, form / 2); n_threads++)
                        test((enum heddle_dtype)d, shapes[k], form & 1, form & 2,
                             (form ^ n_threads) & 1, n_threads);
    test_long();
    test_tiles();
    test_packed();
    test_waiting();
    test_narrow();
    test_vectors();
    test_integers();
    test_teams_close();
    return check_done();
}
