/* Counts by bin: integers and edges, few bins and many, chunks and pieces of them, weights in order; against loops. Entry
 * point: test_histograms. */
#include "check.h"
#include "cuda/families.h"
#include "families/bins.h"
#include "families/histogram/kernel.h"
#include "random_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct heddle_cuda_kernel heddle__histogram_cuda;

enum { MOST = 40000, MOST_BINS = 5000 };

static double x[MOST], weights[MOST], edges[MOST_BINS + 1];
static char in[MOST * 8], bounds[(MOST_BINS + 1) * 8];

static void fill(const struct heddle_histogram *h)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)h->dtype;
    for (int64_t k = 0; k <= h->bins; k++) {
        const double step = h->uniform ? 0.125 : (double)(random_word() >> 62);
        edges[k] = !h->by_edges ? (double)k : k == 0 ? -3 : edges[k - 1] + step;
        put_number(dtype, bounds, k, edges[k]);
    }
    if (!h->by_edges) edges[h->bins] -= 0.5; /* the last integer is below it */
    for (int64_t i = 0; i < h->n; i++) {
        x[i] = random_part() * 1.1 * (edges[h->bins] - edges[0]) + edges[0] - 1;
        if (random_word() >> 62 == 0) x[i] = edges[random_word() % (uint64_t)(h->bins + 1)];
        if (h->by_edges && random_word() >> 60 == 0) x[i] = NAN;
        x[i] = h->by_edges ? (double)(float)x[i] : floor(x[i]);
        put_number(dtype, in, i, x[i]);
        weights[i] = h->weighted ? random_part() - 0.3 : 1;
    }
}

static void test_histogram(struct heddle_histogram h)
{
    const int64_t rows = (h.n + h.chunk - 1) / h.chunk + (h.weighted ? 0 : h.bins % 3);
    h.rows = rows;
    const size_t bytes = (size_t)(rows * h.bins) * 8,
                 size = heddle_dtype_size((enum heddle_dtype)h.dtype);
    double *got = malloc(bytes), *want = calloc(bytes, 1);
    h.in = 0, h.edges = 1, h.weights = 2, h.out = 3;
    fill(&h);
    memset(got, 0xa5, bytes);
    void *buffers[4] = {families_to_gpu(in, (size_t)h.n * size),
                        families_to_gpu(bounds, (size_t)(h.bins + 1) * size),
                        families_to_gpu(weights, (size_t)h.n * 8), families_to_gpu(got, bytes)};
    struct heddle_kernel_context k = {.buffers = buffers, .stream = gpu_stream()};
    CHECK(heddle__histogram_cuda.run(&h, &k) == HEDDLE_OK, "%s", heddle_last_error());
    families_from_gpu(got, buffers[3], bytes);
    gpu_free_all();
    for (int64_t i = 0; i < h.n; i++) {
        const int64_t bin = bin_of(x[i], edges, h.bins);
        if (bin >= 0) want[i / h.chunk * h.bins + bin] += weights[i];
    }
    int64_t bad = -1;
    for (int64_t i = 0; i < rows * h.bins && bad < 0; i++)
        if (h.weighted ? got[i] != want[i] : (double)((int64_t *)got)[i] != want[i]) bad = i;
    CHECK(bad < 0, "%s, %lld bins%s%s%s, %lld elements by %lld: %lld",
          heddle_dtype_name((enum heddle_dtype)h.dtype), (long long)h.bins,
          h.by_edges ? ", edges" : "", h.uniform ? ", uniform" : "", h.weighted ? ", weighted" : "",
          (long long)h.n, (long long)h.chunk, (long long)bad);
    free(got);
    free(want);
}

void test_histograms(void)
{
    static const enum heddle_dtype dtypes[] = {HEDDLE_INT32, HEDDLE_INT64, HEDDLE_FLOAT32,
                                               HEDDLE_FLOAT64};
    static const int64_t bins[] = {1, 10, MOST_BINS}, sizes[] = {1, 3000, MOST};
    for (int d = 0; d < 4; d++)
        for (int b = 0; b < 3; b++)
            for (int s = 0; s < 3; s++)
                test_histogram((struct heddle_histogram){.dtype = (uint8_t)dtypes[d],
                                                         .by_edges = d >= 2,
                                                         .uniform = d >= 2 && (b + s) % 2 != 0,
                                                         .weighted = s == 1,
                                                         .n = sizes[s],
                                                         .bins = bins[b],
                                                         .chunk = s == 1 ? 700 : 20000});
}
