/* Proves counts by bin: dtypes, borders of bins, numbers of bins about every threshold, many chunks; weights have the same
 * bits for any team and any parts; errors. The oracle looks at each edge. */
#include "check_heddle.h"
#include "families/bins.h"
#include "random_words.h"

#include "base/team.h"
#include "families/histogram/kernel.h"
#include "kernels.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 70000, MOST_BINS = 5000 };

extern const struct heddle_cpu_kernel heddle__histogram_cpu;

/* ---- The kernel ---------------------------------------------------------------------------------------- */

static double x[MOST], weights[MOST], edges[MOST_BINS + 1], want[MOST_BINS];
static char in[MOST * 8], bounds[(MOST_BINS + 1) * 8];

/* Elements on edges, between, outside, and no numbers. */
static void fill(const struct heddle_histogram *h)
{
    const bool is_float = heddle_dtype_kind((enum heddle_dtype)h->dtype) == 'F';
    const bool single = h->dtype == HEDDLE_FLOAT32;
    const double step = is_float ? 0.1 : 0.125; /* edges that are rounded, where they can be */
    for (int64_t k = 0; k <= h->bins; k++) {
        edges[k] = !h->by_edges ? (double)k
                   : h->uniform ? -3 + (double)k * step
                                : floor(random_part() * 100);
        if (!h->uniform && h->by_edges && k > 0)
            edges[k] = edges[k - 1] + (double)(random_word() % 3);
        if (single) edges[k] = (double)(float)edges[k];
        put_number((enum heddle_dtype)h->dtype, bounds, k, edges[k]);
    }
    if (!h->by_edges) edges[h->bins] -= 0.5; /* the last integer is below it */
    for (int64_t i = 0; i < h->n; i++) {
        const double low = edges[0], width = edges[h->bins] - low;
        x[i] = random_word() % 3 ? edges[random_word() % (uint64_t)(h->bins + 1)]
                                 : low + random_part() * width;
        if (is_float && random_word() % 4 == 0) /* the number before */
            x[i] = single ? (double)nextafterf((float)x[i], -INFINITY) : nextafter(x[i], -INFINITY);
        if (random_word() % 20 == 0) x[i] = low - 1;
        if (random_word() % 20 == 0) x[i] = low + width + 1;
        if (is_float && random_word() % 20 == 0) x[i] = random_word() % 2 ? NAN : INFINITY;
        x[i] = single ? (double)(float)x[i] : is_float ? x[i] : floor(x[i]);
        put_number((enum heddle_dtype)h->dtype, in, i, x[i]);
        weights[i] = h->weighted ? random_part() - 0.3 : 1;
    }
}

static void test_kernel(struct heddle_team *team, struct heddle_histogram h)
{
    const int64_t rows = (h.n + h.chunk - 1) / h.chunk + (h.weighted ? 0 : h.bins % 3);
    h.in = 0, h.edges = 1, h.weights = 2, h.out = 3, h.rows = rows;
    double *sums = malloc((size_t)(rows * h.bins + 1) * 8);
    int64_t *counts = (int64_t *)sums;
    void *buffers[4] = {in, bounds, weights, sums};
    struct heddle_kernel_context context = {.buffers = buffers, .team = team};
    memset(sums, 0xa5, (size_t)(rows * h.bins) * 8);
    fill(&h);
    CHECK_EQ(heddle__histogram_cpu.run(&h, &context), HEDDLE_OK);
    int wrong = 0;
    for (int64_t row = 0; row < rows; row++) {
        memset(want, 0, sizeof want);
        for (int64_t i = row * h.chunk; i < (row + 1) * h.chunk && i < h.n; i++) {
            const int64_t k = bin_of(x[i], edges, h.bins);
            if (k >= 0) want[k] += weights[i];
        }
        for (int64_t k = 0; k < h.bins; k++) {
            const int64_t at = row * h.bins + k;
            wrong += h.weighted ? sums[at] != want[k] : (double)counts[at] != want[k];
        }
    }
    CHECK(wrong == 0, "%d wrong: %s, %lld bins%s%s%s, %lld elements by %lld", wrong,
          heddle_dtype_name((enum heddle_dtype)h.dtype), (long long)h.bins,
          h.by_edges ? ", edges" : "", h.uniform ? ", uniform" : "", h.weighted ? ", weighted" : "",
          (long long)h.n, (long long)h.chunk);
    free(sums);
}

static void test_kernels(struct heddle_team *team)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT32, HEDDLE_INT64, HEDDLE_FLOAT32,
                                               HEDDLE_FLOAT64};
    static const int64_t bins[] = {1, 2, 7, 511, 512, MOST_BINS}, sizes[] = {1, 511, 513, 4000};
    for (int d = 0; d < 4; d++)
        for (int b = 0; b < 6; b++)
            for (int s = 0; s < 4; s++)
                test_kernel(team, (struct heddle_histogram){.dtype = (uint8_t)dtypes[d],
                                                            .by_edges = d >= 2,
                                                            .uniform = d >= 2 && s % 2,
                                                            .weighted = (b + s / 2) % 2 != 0,
                                                            .n = sizes[s],
                                                            .bins = bins[b],
                                                            .chunk = s == 3 ? 700 : 5000});
}

/* ---- Through the library -------------------------------------------------------------------------------- */

/* Weights are added in one order, for any parts. */
static void test_order(void)
{
    const int64_t n = MOST, bins = 5;
    double got[3][5];
    for (int64_t i = 0; i < n; i++) {
        x[i] = random_part() * 6 - 0.5;
        weights[i] = random_part() * exp(40 * random_part());
    }
    for (int way = 0; way < 3; way++) {
        heddle_scope scope = heddle_scope_open();
        struct heddle_distribution parts = {.n_places = 0};
        parts.cut[0].kind = HEDDLE_CUT_BLOCKS;
        parts.cut[0].n = way == 1 ? 1000 : 30011;
        heddle_array *a = heddle_asarray(x, HEDDLE_FLOAT64, 1, &n),
                     *w = heddle_asarray(weights, HEDDLE_FLOAT64, 1, &n), *counts;
        if (way) a = heddle_distribute(a, &parts);
        CHECK_EQ(heddle_histogram(a, &counts, NULL, .bins = bins, .low = 0, .high = 5,
                                  .has_range = true, .weights = w),
                 HEDDLE_OK);
        CHECK_EQ(heddle_read(counts, got[way], sizeof got[way]), HEDDLE_OK);
        heddle_scope_close(scope);
    }
    CHECK(memcmp(got[0], got[1], sizeof *got) == 0 && memcmp(got[0], got[2], sizeof *got) == 0,
          "other bits in parts");
}

/* Counts of parts that end anywhere, some of them too small for chunks of their own. */
static void test_parts(int64_t n, int64_t block, int64_t bins)
{
    int64_t *v = malloc((size_t)n * sizeof *v), *counted = calloc((size_t)bins, sizeof *counted),
            *got = malloc((size_t)bins * sizeof *got);
    for (int64_t i = 0; i < n; i++) counted[v[i] = (int64_t)(random_word() % (uint64_t)bins)]++;
    heddle_scope scope = heddle_scope_open();
    struct heddle_distribution parts = {.n_places = 0};
    parts.cut[0].kind = HEDDLE_CUT_BLOCKS;
    parts.cut[0].n = block;
    heddle_array *a = heddle_asarray(v, HEDDLE_INT64, 1, &n), *counts;
    a = heddle_distribute(a, &parts);
    CHECK_EQ(heddle_read(heddle_bincount(a, .minlength = bins), got, bins * 8), HEDDLE_OK);
    CHECK(memcmp(got, counted, (size_t)bins * 8) == 0, "bincount of %lld in parts of %lld",
          (long long)n, (long long)block);
    CHECK_EQ(heddle_histogram(a, &counts, NULL, .bins = bins, .low = 0, .high = (double)bins,
                              .has_range = true),
             HEDDLE_OK);
    CHECK_EQ(heddle_read(counts, got, bins * 8), HEDDLE_OK);
    CHECK(memcmp(got, counted, (size_t)bins * 8) == 0, "histogram of %lld in parts of %lld",
          (long long)n, (long long)block);
    heddle_scope_close(scope);
    free(v);
    free(counted);
    free(got);
}

static void check_status(enum heddle_status status, enum heddle_status want_status,
                         const char *text)
{
    CHECK_EQ(status, want_status);
    CHECK_HAS(heddle_last_error(), text);
}

static void test_errors(void)
{
    heddle_scope scope = heddle_scope_open();
    heddle_array *a = heddle_ones(HEDDLE_SHAPE(3)), *m = heddle_ones(HEDDLE_SHAPE(2, 3)),
                 *i = heddle_astype(a, HEDDLE_INT64), *z = heddle_astype(a, HEDDLE_COMPLEX64),
                 *none = heddle_full(HEDDLE_SHAPE(3), heddle_scalar(NAN)),
                 *wave = heddle_sin(heddle_arange(heddle_scalar(9), NULL, NULL));
    heddle_array *out = NULL;
    check_status(heddle_histogram(z, &out, NULL), HEDDLE_EDTYPE, "complex64 has no order");
    check_status(heddle_histogram(a, &out, NULL, .bins = -1), HEDDLE_EARG, "-1 bins");
    check_status(heddle_histogram(a, &out, NULL, .high = 1), HEDDLE_EARG, ".has_range");
    check_status(heddle_histogram(a, &out, NULL, .low = 2, .high = 1, .has_range = true),
                 HEDDLE_ERANGE, "ends before it begins");
    check_status(heddle_histogram(none, &out, NULL), HEDDLE_ERANGE, "is not finite");
    check_status(heddle_histogram(a, &out, NULL, .low = -1e308, .high = 1e308, .has_range = true),
                 HEDDLE_ERANGE, "from -1e+308 to 1e+308 has no 10 bins of float64");
    check_status(heddle_histogram(a, &out, NULL, .low = 1, .high = 1 + 0x1p-52, .has_range = true),
                 HEDDLE_ERANGE, "has no 10 bins");
    check_status(heddle_histogram(heddle_astype(a, HEDDLE_FLOAT32), &out, NULL, .bins = 3, .low = 1,
                                  .high = 1 + 0x1p-23, .has_range = true),
                 HEDDLE_ERANGE, "has no 3 bins of float32");
    check_status(heddle_histogram(a, &out, NULL, .low = 1e300, .high = 1e300, .has_range = true),
                 HEDDLE_ERANGE, "has no 10 bins");
    check_status(heddle_histogram(a, &out, NULL, .edges = wave), HEDDLE_ERANGE, "no order");
    check_status(heddle_histogram(a, &out, NULL, .edges = heddle_flip(i, .axis = 0), .bins = 3),
                 HEDDLE_EARG, ".edges beside .bins");
    check_status(heddle_histogram(a, &out, NULL, .edges = m), HEDDLE_ESHAPE, "shape (2, 3)");
    check_status(heddle_histogram(a, &out, NULL, .weights = m), HEDDLE_ESHAPE, "weights of shape");
    check_status(heddle_histogram(a, &out, NULL, .weights = z), HEDDLE_EDTYPE, "they are real");
    check_status(heddle_histogram(a, NULL, NULL), HEDDLE_EARG, "no place");
    CHECK(!out, "an error gave a result");
    check_status(heddle_wait(heddle_bincount(a)), HEDDLE_EDTYPE, "it counts integers");
    check_status(heddle_wait(heddle_bincount(heddle_astype(m, HEDDLE_INT8))), HEDDLE_ESHAPE,
                 "it has one axis");
    check_status(heddle_wait(heddle_bincount(heddle_negative(i))), HEDDLE_ERANGE, "-1 is negative");
    check_status(
        heddle_wait(heddle_bincount(heddle_full(HEDDLE_SHAPE(2), heddle_scalar_int(INT64_MAX)))),
        HEDDLE_ERANGE, "too many elements");
    check_status(heddle_wait(heddle_bincount(i, .minlength = -1)), HEDDLE_EARG, ".minlength is -1");
    check_status(heddle_wait(heddle_digitize(a, wave)), HEDDLE_ERANGE, "no order");
    check_status(heddle_wait(heddle_digitize(a, m)), HEDDLE_ESHAPE, "they have one axis");
    heddle_scope_close(scope);
}

int main(void)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        struct heddle_team *team = heddle__team_open(threads, NULL);
        test_kernels(team);
        heddle__team_close(team);
    }
    test_order();
    static const int64_t blocks[] = {65536, 65537, 300011, 1000001, 70000, 2000000};
    for (int b = 0; b < 6; b++)
        for (int64_t bins = 3; bins < 1000; bins *= 17) test_parts(2100007, blocks[b], bins);
    test_parts(10000019, 3333331, 100); /* enough rows for the chunks of the sum */
    test_errors();
    check_nothing_left();
    return check_done();
}
