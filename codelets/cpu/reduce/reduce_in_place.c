/* Reductions of values that nothing is computed of, where they lie: whole runs along the innermost axis, without blocks. Runs
 * inside loops on teams; allocates nothing. Entry point: heddle__reduce_in_place. */
#include "cpu/reduce/reduce.h"

#include <string.h>

/* The start of reduction r's values at idx. */
static const char *values_at(const struct heddle__reduce_job *job,
                             const struct heddle__reduce_worker *w, int r, const int64_t *idx)
{
    const struct heddle__walk *walk = &job->walk;
    const int o = job->operand[r];
    int64_t at = 0;
    for (int d = 0; d < walk->ndim; d++) at += idx[d] * walk->stride[o][d];
    return w->lane.base[o] + at * (int64_t)heddle__value_size(&job->program->reductions[r]);
}

/* Values of `n` reduced elements, number e.. of the chunk, from idx on along the last reduced axis, to m accumulators from place
 * j of the tile on. */
static void fold_in_place(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                          const int64_t *idx, int64_t n, int64_t m, int64_t j, int64_t e)
{
    enum { NEAR_BYTES = 16384 }; /* that stay in the nearest cache for the next reduction */
    const int n_reductions = job->program->n_reductions;
    int64_t some = n_reductions == 1 ? n : NEAR_BYTES / 8 / m;
    if (some < 4) some = 4;
    for (int64_t i = 0; i < n; i += some)
        for (int r = 0; r < n_reductions; r++) {
            const struct heddle__block_reducer *reducer = heddle__reducer_of(job, r);
            const int64_t step = job->walk.stride[job->operand[r]][job->kept_axis - 1];
            const int64_t size = (int64_t)heddle__value_size(&job->program->reductions[r]);
            int64_t left = n - i < some ? n - i : some, number = e + i;
            const char *v = values_at(job, w, r, idx) + i * step * size;
            char *acc = (char *)w->value[r] + j * size;
            int32_t *acc_at = w->at[r] ? w->at[r] + j : NULL;
            if (number == 0) {
                reducer->begin((size_t)m, acc, v);
                if (acc_at) memset(acc_at, 0, (size_t)m * sizeof *acc_at);
                v += step * size;
                number++;
                left--;
            }
            reducer->fold((size_t)left, (size_t)m, acc, acc_at, v, step, (int32_t)number);
        }
}

/* `n` runs, number `row`.. of the chunk, of as many elements as `period` of them have lanes, to the lanes: every period-th one has
 * the same. */
static void fold_lanes(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                       const int64_t *idx, int64_t n, int64_t row)
{
    const struct heddle__walk *walk = &job->walk;
    const int last = walk->ndim - 1;
    const int64_t m = walk->extent[last], period = HEDDLE_TREE_LANES / m;
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle__block_reducer *reducer = heddle__reducer_of(job, r);
        const int64_t size = (int64_t)heddle__value_size(&job->program->reductions[r]);
        const int64_t step = walk->stride[job->operand[r]][last - 1];
        const char *v = values_at(job, w, r, idx);
        for (int64_t i = 0; i < n && i < period; i++, v += step * size) {
            char *acc = (char *)w->lanes[r] + (row + i) % period * m * size;
            const int64_t is_first = row + i < period, all = (n - i + period - 1) / period;
            if (is_first) reducer->begin((size_t)m, acc, v);
            reducer->fold((size_t)(all - is_first), (size_t)m, acc, NULL,
                          v + is_first * period * step * size, period * step, 0);
        }
    }
}

/* What the order asks of m kept elements side by side, or of one. */
static void reduce_run(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                       int64_t *idx, const int64_t *low, const int64_t *high, int fast, int64_t m,
                       int64_t j)
{
    const int64_t n = high[fast] - low[fast];
    int64_t n_folds = 1;
    for (int d = job->chunk; d < fast; d++) n_folds *= high[d] - low[d];
    for (int64_t f = 0; f < n_folds; f++) {
        if (job->order == ORDER_KEPT)
            fold_in_place(job, w, idx, n, m, j, f * n);
        else
            fold_lanes(job, w, idx, n, f * n);
        heddle__reduce_next(idx, job->chunk, fast, low, high);
    }
    if (job->order == ORDER_KEPT) return;
    const int64_t n_elements = n_folds * n * job->walk.extent[job->walk.ndim - 1];
    for (int r = 0; r < job->program->n_reductions; r++)
        heddle__reduce_lanes_end(job, w, r, 0, n_elements, j);
}

void heddle__reduce_in_place(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                             int64_t *idx, int64_t chunk_rows, const int64_t *kept,
                             int64_t kept_rows, int64_t m)
{
    const struct heddle__walk *walk = &job->walk;
    const bool kept_last = job->order == ORDER_KEPT;
    const int first = job->kept_axis, end = first + job->kept.ndim, last = walk->ndim - 1;
    const int fast = kept_last ? first - 1 : last - 1; /* reduced: runs lie along it */
    int64_t low[WALK_MAX_NDIM] = {0}, high[WALK_MAX_NDIM], run = 1;
    memcpy(high, walk->extent, sizeof high);
    low[job->chunk] = idx[job->chunk];
    high[job->chunk] = idx[job->chunk] + chunk_rows;
    if (kept_last) run = job->kept.first == job->kept.ndim - 1 ? kept_rows : walk->extent[last];
    for (int d = job->chunk; d < walk->ndim; d++) idx[d] = low[d];
    for (int d = first; d < end; d++) idx[d] = kept[d - first];
    for (int64_t j = 0; j < m; j += run) {
        reduce_run(job, w, idx, low, high, fast, run, j);
        heddle__reduce_next(idx, first, kept_last ? last : end, low, high);
    }
}
