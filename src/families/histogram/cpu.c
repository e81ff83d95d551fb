/* Counts by bin on the CPU: the threads share the chunks, each of which has a row of its own. The bins of some elements
 * are found first, then counted. */
#include "families/histogram/kernel.h"

#include "base/share.h"
#include "kernels.h"

#include <heddle/dtype.h>
#include <string.h>

enum {
    BLOCK = 512, /* elements whose bins are found together */
    /* Up to FEW bins are counted in TABLES tables in turn, so that equal elements in sequence wait less for each other. */
    FEW = 511,
    TABLES = 4,
};

struct job;
/* The bins of n elements from `from` on; h->bins stands for none. */
typedef void find_function(const struct job *j, int64_t from, int64_t n, int64_t *bin);

struct job {
    const struct heddle_histogram *h;
    find_function *find;
    const void *in, *edges;
    const double *weights;
    void *out;
};

/* ---- Integers --------------------------------------------------------------------------------------- */

#define FIND_INTEGER(name, type)                                                                   \
    static void name(const struct job *j, int64_t from, int64_t n, int64_t *bin)                   \
    {                                                                                              \
        const type *x = (const type *)j->in + from;                                                \
        const uint64_t bins = (uint64_t)j->h->bins;                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            bin[i] = (int64_t)((uint64_t)x[i] < bins ? (uint64_t)x[i] : bins);                     \
    }
FIND_INTEGER(find_i32, int32_t)
FIND_INTEGER(find_i64, int64_t)

/* ---- Edges ------------------------------------------------------------------------------------------ */

/* A guess, from which steps lead to where the edges say. What is not a number has no bin. */
#define FIND_UNIFORM(name, type)                                                                   \
    static void name(const struct job *j, int64_t from, int64_t n, int64_t *bin)                   \
    {                                                                                              \
        const type *x = (const type *)j->in + from, *e = j->edges;                                 \
        const int32_t bins = (int32_t)j->h->bins, last = bins - 1;                                 \
        const type low = e[0], high = e[bins];                                                     \
        const type scale = (type)bins / (high - low), most = (type)last;                           \
        int32_t guess[BLOCK];                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                          \
            type g = (x[i] - low) * scale;                                                         \
            g = g > 0 ? g : 0; /* of NaN, too */                                                   \
            guess[i] = (int32_t)(g < most ? g : most);                                             \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                          \
            int32_t k = guess[i] < last ? guess[i] : last;                                         \
            if (!(x[i] >= low && x[i] <= high)) {                                                  \
                bin[i] = bins;                                                                     \
                continue;                                                                          \
            }                                                                                      \
            while (x[i] < e[k]) k--;                                                               \
            while (k < last && x[i] >= e[k + 1]) k++;                                              \
            bin[i] = k;                                                                            \
        }                                                                                          \
    }
FIND_UNIFORM(uniform_f32, float)
FIND_UNIFORM(uniform_f64, double)

/* Inner edges that are not above x are halved in until one is left. */
#define FIND_BETWEEN(name, type)                                                                   \
    static void name(const struct job *j, int64_t from, int64_t n, int64_t *bin)                   \
    {                                                                                              \
        const type *x = (const type *)j->in + from, *e = j->edges;                                 \
        const int64_t bins = j->h->bins;                                                           \
        const type low = e[0], high = e[bins];                                                     \
        for (int64_t i = 0; i < n; i++) bin[i] = 0;                                                \
        for (int64_t rest = bins; rest > 1; rest -= rest / 2) {                                    \
            const int64_t half = rest / 2;                                                         \
            for (int64_t i = 0; i < n; i++) bin[i] += e[bin[i] + half] <= x[i] ? half : 0;         \
        }                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            if (!(x[i] >= low && x[i] <= high)) bin[i] = bins;                                     \
    }
FIND_BETWEEN(between_f32, float)
FIND_BETWEEN(between_f64, double)

static find_function *function_of(const struct heddle_histogram *h)
{
    switch ((enum heddle_dtype)h->dtype) {
    case HEDDLE_INT32: return h->by_edges ? NULL : find_i32;
    case HEDDLE_INT64: return h->by_edges ? NULL : find_i64;
    case HEDDLE_FLOAT32: return !h->by_edges ? NULL : h->uniform ? uniform_f32 : between_f32;
    case HEDDLE_FLOAT64: return !h->by_edges ? NULL : h->uniform ? uniform_f64 : between_f64;
    default: return NULL;
    }
}

/* ---- Chunks ----------------------------------------------------------------------------------------- */

static void add_weights(const struct job *j, int64_t begin, int64_t end, double *row)
{
    const int64_t bins = j->h->bins;
    int64_t bin[BLOCK];
    for (int64_t from = begin; from < end; from += BLOCK) {
        const int64_t n = end - from < BLOCK ? end - from : BLOCK;
        j->find(j, from, n, bin);
        for (int64_t i = 0; i < n; i++)
            if (bin[i] < bins) row[bin[i]] += j->weights[from + i];
    }
}

static void count_many(const struct job *j, int64_t begin, int64_t end, int64_t *row)
{
    const int64_t bins = j->h->bins;
    int64_t bin[BLOCK];
    for (int64_t from = begin; from < end; from += BLOCK) {
        const int64_t n = end - from < BLOCK ? end - from : BLOCK;
        j->find(j, from, n, bin);
        for (int64_t i = 0; i < n; i++)
            if (bin[i] < bins) row[bin[i]]++;
    }
}

static void count_few(const struct job *j, int64_t begin, int64_t end, int64_t *row)
{
    uint32_t count[TABLES][FEW + 1] = {{0}}; /* a chunk of few bins has few elements */
    int64_t bin[BLOCK];
    for (int64_t from = begin; from < end; from += BLOCK) {
        const int64_t n = end - from < BLOCK ? end - from : BLOCK;
        int64_t i = 0;
        j->find(j, from, n, bin);
        for (; i + TABLES <= n; i += TABLES)
            for (int t = 0; t < TABLES; t++) count[t][bin[i + t]]++;
        for (; i < n; i++) count[0][bin[i]]++;
    }
    for (int64_t k = 0; k < j->h->bins; k++)
        for (int t = 0; t < TABLES; t++) row[k] += count[t][k];
}

static void do_chunks(void *argument, int64_t from, int64_t to)
{
    const struct job *j = argument;
    const struct heddle_histogram *h = j->h;
    for (int64_t chunk = from; chunk < to; chunk++) {
        const int64_t begin = chunk * h->chunk < h->n ? chunk * h->chunk : h->n,
                      end = begin + h->chunk < h->n ? begin + h->chunk : h->n;
        int64_t *row = (int64_t *)j->out + chunk * h->bins; /* or doubles: as wide, and 0 is 0 */
        memset(row, 0, (size_t)h->bins * sizeof *row);
        if (h->weighted)
            add_weights(j, begin, end, (double *)row);
        else if (h->bins <= FEW && h->chunk <= UINT32_MAX)
            count_few(j, begin, end, row);
        else
            count_many(j, begin, end, row);
    }
}

static enum heddle_status run(const void *arguments, struct heddle_kernel_context *k)
{
    const struct heddle_histogram *h = arguments;
    const struct job j = {.h = h,
                          .find = function_of(h),
                          .in = k->buffers[h->in],
                          .edges = h->by_edges ? k->buffers[h->edges] : NULL,
                          .weights = h->weighted ? k->buffers[h->weights] : NULL,
                          .out = k->buffers[h->out]};
    HEDDLE_REQUIRE(j.find && (!h->by_edges || h->bins <= INT32_MAX), HEDDLE_EINTERNAL,
                   "histogram: no kernel for %s", heddle_dtype_name((enum heddle_dtype)h->dtype));
    heddle__share(k->team, heddle__team_size(k->team), h->rows, do_chunks, (void *)&j);
    return HEDDLE_OK;
}

const struct heddle_cpu_kernel heddle__histogram_cpu = {.run = run};
