/* Tiles of kept elements side by side: an element of each, or of some, at a time. Entry points: heddle__reduce_kept, heddle__reduce_tree. */
#include "cpu/reduce/reduce.h"

#include <string.h>

/* ---- ORDER_KEPT ---------------------------------------------------------------------------------- */

void heddle__reduce_put_counts(const struct heddle__reduce_job *job,
                               const struct heddle__reduce_worker *w, int r, int64_t at, int64_t n,
                               bool first)
{
    const enum heddle_dtype from = (enum heddle_dtype)job->count_dtype,
                            to = (enum heddle_dtype)job->launch->program->reductions[r].dtype;
    const char *const counts = (char *)w->value[r] + (size_t)at * heddle_dtype_size(from);
    char *const numbers = (char *)w->result[r] + (size_t)at * heddle_dtype_size(to);
    heddle__block_fn *const cast = job->blocks->types[from].casts[to];
    cast((size_t)n, first ? numbers : w->counts, counts, NULL, NULL);
    if (first) return;
    job->blocks->types[to].ops[HEDDLE_OP_ADD].vector((size_t)n, numbers, numbers, w->counts, NULL);
}

/* Adds n rows of bytes to a tile's counts, element `e` of the chunk being the first. */
static void count_rows(const struct heddle__reduce_job *job, const struct heddle__reduce_worker *w,
                       int r, int64_t m, int64_t e, int64_t n, const char *v)
{
    const struct heddle__block_reducer *reducer = heddle__reducer_of(job, r);
    while (n > 0) {
        const int64_t most = job->most_counted, held = e % most;
        const int64_t some = n < most - held ? n : most - held;
        if (held == 0 && e > 0) heddle__reduce_put_counts(job, w, r, 0, m, e == most);
        if (held == 0) memcpy(w->value[r], v, (size_t)m);
        const int64_t begun = held == 0;
        reducer->fold((size_t)(some - begun), (size_t)m, w->value[r], NULL, v + begun * m, m, 0);
        e += some;
        n -= some;
        v += some * m;
    }
}

void heddle__reduce_kept(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t *idx, int64_t chunk_rows, const int64_t *kept, int64_t kept_rows,
                         int64_t m)
{
    const struct heddle__walk *walk = &job->walk;
    const int64_t start = idx[job->chunk];
    struct heddle__walk part;
    heddle__reduce_chunk_walk(job, chunk_rows, &part);
    const bool tiles = walk->first >= job->kept_axis; /* the kept axes are cut */
    if (tiles) {
        part.first = job->kept_axis - 1; /* one reduced element a block */
        part.cut = 1;
    }
    const int64_t n_blocks = heddle__walk_blocks(&part, job->chunk);
    int64_t e = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t rows = heddle__walk_block(&part, job->chunk, b, idx);
        idx[job->chunk] += start;
        for (int d = job->kept_axis; d < walk->ndim; d++) idx[d] = kept[d - job->kept_axis];
        if (tiles) rows = kept_rows;
        heddle__run_block(&w->lane, &job->code, idx, rows, true);
        const int64_t n = rows * walk->inner / m; /* reduced elements in this block */
        for (int r = 0; r < job->program->n_reductions; r++) {
            const size_t bytes = (size_t)m * heddle__value_size(&job->program->reductions[r]);
            const struct heddle__block_reducer *reducer = heddle__reducer_of(job, r);
            const char *v = heddle__reduce_values(job, w, r);
            int64_t begun = 0;
            if (heddle__is_counted(job, r)) {
                count_rows(job, w, r, m, e, n, v);
                continue;
            }
            if (e == 0) {
                reducer->begin((size_t)m, w->value[r], v);
                if (w->at[r]) memset(w->at[r], 0, (size_t)m * sizeof(int32_t));
                begun = 1;
            }
            reducer->fold((size_t)(n - begun), (size_t)m, w->value[r], w->at[r],
                          v + (size_t)begun * bytes, m, (int32_t)(e + begun));
        }
        e += n;
    }
    for (int r = 0; r < job->program->n_reductions; r++)
        if (heddle__is_counted(job, r))
            heddle__reduce_put_counts(job, w, r, 0, m, e <= job->most_counted);
}

/* ---- ORDER_TREE ---------------------------------------------------------------------------------- */

struct across {
    const struct heddle__reduce_job *job;
    struct heddle__reduce_worker *w;
    int64_t *idx, rows, m, length;
};

static char *branch_of(const struct across *a, int r, int depth)
{
    const size_t bytes = (size_t)a->m * heddle__value_size(&a->job->program->reductions[r]);
    return depth == 0 ? a->w->value[r] : a->w->branch[r] + (size_t)(depth - 1) * bytes;
}

/* Element `l` of the tile's rows: becomes what the branches at `depth` have, or (`joins`) is combined with that. */
static void take_leaf(const struct across *a, int64_t l, int depth, bool joins)
{
    const struct heddle__reduce_job *job = a->job;
    for (int d = job->kept_axis - 1; d >= job->pre; d--) {
        a->idx[d] = l % job->walk.extent[d];
        l /= job->walk.extent[d];
    }
    heddle__run_block(&a->w->lane, &job->code, a->idx, a->rows, true);
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle__block_reducer *reducer = heddle__reducer_of(job, r);
        if (joins)
            reducer->accumulate((size_t)a->m, branch_of(a, r, depth), NULL,
                                heddle__reduce_values(job, a->w, r), 0);
        else
            reducer->begin((size_t)a->m, branch_of(a, r, depth),
                           heddle__reduce_values(job, a->w, r));
    }
}

/* The lanes `l`, l + step, l + 2 step, ... of the tile's rows, as the tree combines them: first those that are two steps apart. A lane has one element. */
static void take_branch(const struct across *a, int64_t l, int64_t step, int depth)
{
    const int64_t right = l + step;
    if (right >= a->length) {
        take_leaf(a, l, depth, false);
        return;
    }
    take_branch(a, l, 2 * step, depth);
    if (right + 2 * step >= a->length) {
        take_leaf(a, right, depth, true);
        return;
    }
    take_branch(a, right, 2 * step, depth + 1);
    for (int r = 0; r < a->job->program->n_reductions; r++)
        heddle__reducer_of(a->job, r)->merge((size_t)a->m, branch_of(a, r, depth), NULL,
                                             branch_of(a, r, depth + 1), 0);
}

void heddle__reduce_tree(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t *idx, const int64_t *kept, int64_t rows, int64_t m)
{
    for (int d = job->kept_axis; d < job->walk.ndim; d++) idx[d] = kept[d - job->kept_axis];
    const struct across a = {job, w, idx, rows, m, heddle__reduced_size(&job->launch->geometry)};
    take_branch(&a, 0, 1, 0);
}
