/* Rows of a reduction that are folded one after the other (compiled/plan.h: lanes): each to a few lanes, which for many rows at once become
 * one value each. Runs inside loops on teams; allocates nothing. reduce_fold_find.c has which do.
 * Entry point: heddle__reduce_fold_rows. */
#include "cpu/ahead.h"
#include "cpu/reduce/reduce.h"

#include <string.h>

/* The lanes of m rows to their values: lane k of all rows lies together, so that each round of the tree is one operation. */
static void end_rows(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w, int r,
                     int64_t m)
{
    const size_t size = heddle__value_size(&job->program->reductions[r]);
    job->blocks->moves.turn[heddle__log2_size(size)](HEDDLE_ROW_LANES, (size_t)m, w->turned, m,
                                                     w->lanes[r], HEDDLE_ROW_LANES);
    for (size_t half = HEDDLE_ROW_LANES / 2; half > 0; half /= 2) {
        const size_t n = half * (size_t)m;
        heddle__reducer_of(job, r)->merge(n, w->turned, NULL, w->turned + n * size, 0);
    }
    memcpy(w->value[r], w->turned, (size_t)m * size);
}

void heddle__reduce_fold_rows(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                              const int64_t *kept, int64_t m)
{
    const struct heddle__walk *walk = &job->walk;
    const int n_kept = job->kept.ndim, near = n_kept - 1;
    const int n_inputs = job->fold.plan->runs[0].n_inputs;
    const int64_t n = walk->extent[walk->ndim - 1], low[WALK_MAX_NDIM] = {0};
    int64_t idx[WALK_MAX_NDIM] = {0}, pitch[HEDDLE_MAX_INSTRS];
    void *ptr[HEDDLE_MAX_INSTRS + HEDDLE_MAX_REDUCTIONS];
    memcpy(idx, kept, (size_t)n_kept * sizeof *idx);
    for (int64_t j = 0, rows; j < m; j += rows) {
        rows = walk->extent[near] - idx[near] < m - j ? walk->extent[near] - idx[near] : m - j;
        heddle__fold_inputs(job, w, idx, near, 1, ptr, pitch);
        for (int r = 0; r < job->program->n_reductions; r++)
            ptr[n_inputs + r] =
                (char *)w->lanes[r] +
                (size_t)j * HEDDLE_ROW_LANES * heddle__value_size(&job->program->reductions[r]);
        if (job->code.ahead) heddle__ahead_fetch(job->code.ahead, n * rows);
        job->fold.run((size_t)n, (size_t)rows, ptr, pitch, NULL);
        idx[near] += rows - 1;
        heddle__reduce_next(idx, 0, n_kept, low, walk->extent);
    }
    for (int r = 0; r < job->program->n_reductions; r++) end_rows(job, w, r, m);
}
