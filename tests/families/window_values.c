/* Proves sums over windows: the kernel for all dtypes, numbers of results and taps about those of vectors and blocks, rows that begin and end
 * everywhere; convolutions of all dtypes and modes, with infinite taps at the ends, of views; the same bits in parts, on all
 * places. The oracle is in windows.h. */
#include "check_heddle.h"
#include "families/windows.h"
#include "property/random_machine.h"

#include "base/team.h"
#include "kernels.h"

#include <stdlib.h>

extern const struct heddle_cpu_kernel heddle__window_cpu;

enum { MOST = 5000, MOST_TAPS = 700, GUARD = 64 };

static struct random r = {1};

/* ---- The kernel ---------------------------------------------------------------------------------------- */

static _Alignas(64) unsigned char x[MOST * 16], taps[MOST_TAPS * 16], before[MOST * 16],
    y[MOST * 16 + GUARD], scratch[MOST_TAPS * 16];

static void test_kernel(struct heddle_team *team, struct heddle_window w)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)w.dtype;
    const size_t size = heddle_dtype_size(dtype), bytes = (size_t)w.n * size,
                 offset = (size_t)w.y_offset * size;
    void *buffers[3] = {x, taps, y};
    w.x = 0, w.taps = 1, w.y = 2;
    windows_fill(dtype, x, w.x_offset + w.n_x);
    windows_fill(dtype, taps, w.m);
    windows_fill(dtype, before, w.n);
    memset(y, 0x5a, sizeof y);
    memcpy(y + offset, before, bytes);
    struct heddle_kernel_context context = {.buffers = buffers, .team = team, .scratch = scratch};
    CHECK_EQ(heddle__window_cpu.run(&w, &context), HEDDLE_OK);
    windows_check(&w, x + (size_t)w.x_offset * size, taps, before, y + offset);
    bool touched = false;
    for (size_t i = 0; i < GUARD; i++) touched |= y[offset + bytes + i] != 0x5a;
    for (size_t i = 0; i < offset; i++) touched |= y[i] != 0x5a;
    CHECK(!touched, "%s: bytes beside %lld results", heddle_dtype_name(dtype), (long long)w.n);
}

/* Each window has an element of the row. */
static void test_random_kernel(struct heddle_team *team, enum heddle_dtype dtype)
{
    static const int64_t counts[] = {1, 2, 3, 7, 8, 31, 64, 65, 255, 257, 1000, 2049, 4500},
                         windows[] = {1, 2, 3, 5, 16, 33, 64, 130, 300, MOST_TAPS};
    struct heddle_window w = {.dtype = (uint8_t)dtype,
                              .turned = random_below(&r, 2) != 0,
                              .adds = random_below(&r, 3) == 0,
                              .m = windows[random_below(&r, 10)],
                              .n_x = counts[random_below(&r, 13)],
                              .x_offset = random_below(&r, 5),
                              .y_offset = random_below(&r, 5)};
    const int64_t all = w.n_x + w.m - 1; /* windows that meet the row */
    const int64_t from = random_below(&r, 2) ? 0 : random_below(&r, all);
    w.first = from - (w.m - 1);
    w.n = random_below(&r, 2) ? all - from : 1 + random_below(&r, all - from);
    if (w.n <= MOST - 10) test_kernel(team, w);
}

/* ---- Convolutions --------------------------------------------------------------------------------------- */

static bool distributed; /* of this way */

/* Elements from..from+n-1 of those that there are, as an array, a view of all of them, or an expression. */
static heddle_array *given(enum heddle_dtype dtype, const void *data, int64_t all, int64_t from,
                           int64_t n)
{
    heddle_array *a = heddle_asarray(data, dtype, 1, &all);
    if (random_below(&r, 4) == 0) a = heddle_multiply(a, heddle_ones_like(a));
    if (distributed) a = random_distribution(a, false);
    return n < all ? heddle_getitem(a, HEDDLE_INDEX(HEDDLE_SLICE(from, from + n))) : a;
}

static void test_convolution(int number)
{
    static unsigned char row[(MOST + 50) * 16], window[MOST_TAPS * 16], turned[MOST_TAPS * 16],
        got[2 * MOST * 16];
    static const enum heddle_convolution modes[] = {
        HEDDLE_CONVOLUTION_FULL, HEDDLE_CONVOLUTION_SAME, HEDDLE_CONVOLUTION_VALID};
    const enum heddle_dtype dtype =
        (enum heddle_dtype)(HEDDLE_BOOL + random_below(&r, HEDDLE_N_COMPUTED - HEDDLE_BOOL));
    const int64_t m = 1 + random_below(&r, random_below(&r, 2) ? 20 : MOST_TAPS),
                  n = m + random_below(&r, random_below(&r, 2) ? 20 : MOST - MOST_TAPS);
    const bool correlates = random_below(&r, 2),
               swapped = !correlates && n > m && random_below(&r, 2);
    const int mode = (int)random_below(&r, 3);
    const size_t size = heddle_dtype_size(dtype);
    const int64_t skipped = random_below(&r, 3) ? 0 : random_below(&r, 30), more = skipped / 2;
    windows_fill(dtype, row, skipped + n + more);
    windows_fill(dtype, window, m);
    struct heddle_window w = {.dtype = (uint8_t)dtype, .turned = !correlates, .m = m, .n_x = n};
    w.first = mode == 0 ? -(m - 1) : mode == 1 ? (m - 1) / 2 - (m - 1) : 0;
    w.n = mode == 0 ? n + m - 1 : mode == 1 ? n : n - m + 1;

    heddle_scope scope = heddle_scope_open();
    heddle_array *a = given(dtype, row, skipped + n + more, skipped, n),
                 *v = given(dtype, window, m, 0, m), *c;
    memcpy(turned, window, (size_t)m * size);
    if (correlates &&
        heddle_dtype_kind(dtype) == 'C') /* the oracle's taps are what products have */
        for (int64_t i = 0; i < m; i++) {
            if (size == 8) ((float *)(void *)turned)[2 * i + 1] *= -1;
            if (size == 16) ((double *)(void *)turned)[2 * i + 1] *= -1;
        }
    c = correlates ? heddle_correlate(a, v, .mode = modes[mode])
                   : heddle_convolve(swapped ? v : a, swapped ? a : v, .mode = modes[mode]);
    CHECK_EQ(heddle_dtype_of(c), dtype);
    CHECK(heddle_read(c, got, w.n * (int64_t)size) == HEDDLE_OK, "case %d: %s", number,
          heddle_error(c));
    const int64_t wrong = windows_wrong(&w, row + (size_t)skipped * size, turned, NULL, got);
    CHECK(wrong < 0, "case %d, %s: result %lld of %lld, %lld by %lld elements%s%s, mode %d", number,
          heddle_dtype_name(dtype), (long long)wrong, (long long)w.n, (long long)n, (long long)m,
          correlates ? ", correlated" : "", distributed ? ", in parts" : "", mode);
    heddle_scope_close(scope);
}

/* What is beyond the ends is nothing, not 0 times an element that is infinite. */
static void test_infinite(void)
{
    double got[9];
    heddle_scope scope = heddle_scope_open();
    const double three[3] = {INFINITY, 1, NAN}, ones[5] = {1, 2, 3, 4, 5};
    heddle_array *v = heddle_asarray(three, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)),
                 *a = heddle_asarray(ones, HEDDLE_FLOAT64, HEDDLE_SHAPE(5));
    CHECK_EQ(heddle_read(heddle_convolve(a, v), got, 7 * 8), HEDDLE_OK);
    CHECK(got[0] == INFINITY && got[1] == INFINITY, "%g %g", got[0], got[1]);
    for (int i = 2; i < 7; i++) CHECK(isnan(got[i]), "%d: %g", i, got[i]);
    heddle_array *last = heddle_asarray(three, HEDDLE_FLOAT64, HEDDLE_SHAPE(2));
    CHECK_EQ(heddle_read(heddle_convolve(a, last), got, 6 * 8), HEDDLE_OK);
    for (int i = 0; i < 5; i++) CHECK(got[i] == INFINITY, "%d: %g", i, got[i]);
    CHECK(got[5] == 5, "%g", got[5]);
    /* halves are summed wide: 2048 + 1 - 2048 */
    const double large[3] = {2048, 1, -2048}, all[3] = {1, 1, 1};
    heddle_array *half = heddle_convolve(
        heddle_astype(heddle_asarray(large, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)), HEDDLE_FLOAT16),
        heddle_astype(heddle_asarray(all, HEDDLE_FLOAT64, HEDDLE_SHAPE(3)), HEDDLE_FLOAT16),
        .mode = HEDDLE_CONVOLUTION_VALID);
    CHECK_EQ(heddle_dtype_of(half), HEDDLE_FLOAT16);
    CHECK_EQ(heddle_read(heddle_astype(half, HEDDLE_FLOAT64), got, 8), HEDDLE_OK);
    CHECK(got[0] == 1, "%g", got[0]);
    heddle_scope_close(scope);
}

/* Few windows of many elements: in the order of a sum. */
static void test_few(void)
{
    enum { N = 4900, M = 4898 };
    static unsigned char row[N * 8], window[N * 8];
    int16_t narrow[3];
    double wide[3];
    const int64_t n = N, m = M;
    heddle_scope scope = heddle_scope_open();
    windows_fill(HEDDLE_INT16, row, N);
    windows_fill(HEDDLE_INT16, window, M);
    CHECK_EQ(heddle_read(heddle_convolve(heddle_asarray(row, HEDDLE_INT16, 1, &n),
                                         heddle_asarray(window, HEDDLE_INT16, 1, &m),
                                         .mode = HEDDLE_CONVOLUTION_VALID),
                         narrow, sizeof narrow),
             HEDDLE_OK);
    struct heddle_window w = {.dtype = HEDDLE_INT16, .turned = 1, .m = M, .n_x = N, .n = 3};
    CHECK_EQ(windows_wrong(&w, row, window, NULL, narrow), -1);
    windows_fill(HEDDLE_FLOAT64, row, N);
    windows_fill(HEDDLE_FLOAT64, window, M);
    CHECK_EQ(heddle_read(heddle_correlate(heddle_asarray(row, HEDDLE_FLOAT64, 1, &n),
                                          heddle_asarray(window, HEDDLE_FLOAT64, 1, &m)),
                         wide, sizeof wide),
             HEDDLE_OK);
    for (int i = 0; i < 3; i++) {
        long double sum = 0, magnitude = 0;
        for (int64_t j = 0; j < M; j++) {
            const long double term =
                (long double)((double *)(void *)row)[i + j] * ((double *)(void *)window)[j];
            sum += term;
            magnitude += fabsl(term);
        }
        CHECK(fabsl(sum - wide[i]) <= magnitude * 100 * DBL_EPSILON, "%d: %g", i, wide[i]);
    }
    heddle_scope_close(scope);
}

int main(int argc, char **argv)
{
    const int n = CHECK_CASES(argc > 1 ? atoi(argv[1]) : 60);
    for (int threads = 1; threads < 4; threads += 2) {
        struct heddle_team *team = heddle__team_open(threads, NULL);
        for (int i = 0; i < n; i++)
            for (int d = HEDDLE_BOOL; d < HEDDLE_N_COMPUTED; d++)
                test_random_kernel(team, (enum heddle_dtype)d);
        heddle__team_close(team);
    }
    for (size_t way = 0; way < N_RANDOM_WAYS; way++) {
        distributed = random_machine(way);
        for (int i = 0; i < n; i++) test_convolution(i);
        test_infinite();
        test_few();
    }
    check_nothing_left();
    return check_done();
}
