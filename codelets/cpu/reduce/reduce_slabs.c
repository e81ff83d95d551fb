/* Reductions over axes that few kept elements follow, along a short kept axis: for all reduced elements of an index of the kept axes before
 * it, a slab, those few lie side by side, row after row. Blocks are parts of a slab, or several of them; of some slabs at a time rows go to
 * accumulators in their order (cpu/slabs.h). Runs inside loops on teams; allocates nothing.
 * Entry points: heddle__slabs_pay, _lie, _shape, _room, heddle__reduce_slabs. */
#include "cpu/reduce/reduce.h"

#include <base/team.h>

#include <string.h>

/* ---- Which, and in what blocks --------------------------------------------------------------------------- */

bool heddle__slabs_pay(const struct heddle__reduce_job *job, bool is_loaded)
{
    /* of a row: blocks or runs of longer ones take no longer */
    enum { MOST = 64, MOST_BYTES = 256, MOST_LOADED_BYTES = 128, LEAST_ROWS = 3 };
    const struct heddle_program *p = job->program;
    const int64_t m = job->kept.extent[job->kept.ndim - 1];
    bool pays = p->sequential && job->kept.ndim > 1 && m > 1 && m < MOST &&
                heddle__reduced_size(&job->launch->geometry) >= LEAST_ROWS;
    for (int r = 0; r < p->n_reductions && pays; r++) {
        const struct heddle_reduce_instr *instr = &p->reductions[r];
        const struct heddle__block_halving *h = job->blocks->halving[instr->dtype];
        const int64_t bytes = m * (int64_t)heddle__value_size(instr);
        pays = h && h->slabs[instr->op] && heddle__takes_all(instr) &&
               bytes < (is_loaded ? MOST_LOADED_BYTES : MOST_BYTES + 1);
    }
    return pays;
}

bool heddle__slabs_lie(const struct heddle__reduce_job *job)
{
    const struct heddle_program *p = job->program;
    const struct heddle__walk *walk = &job->walk;
    const int last = walk->ndim - 1;
    bool some = false;
    for (int i = 0; i < p->n_before; i++) {
        if (p->instrs[i].code != HEDDLE_CODE_LOAD) continue;
        const int64_t *const stride = walk->stride[p->instrs[i].a];
        if (stride[last] != 0 && stride[last] != 1) return false;
        some |= stride[last] == 1 && stride[last - 1] == walk->extent[last];
    }
    return some;
}

void heddle__slabs_shape(struct heddle__reduce_job *job, struct heddle_team *team, bool is_long)
{
    enum { ITEMS = 8, TILE = 32768, SLABS = 4, SOME = 2048, LONG = 8192 };
    struct heddle__walk *walk = &job->walk, *kept = &job->kept;
    const int along = kept->ndim - 2; /* slabs follow each other along it */
    const int64_t m = kept->extent[kept->ndim - 1], block = is_long ? LONG : SOME;
    int64_t slab = 1; /* its elements, of a chunk */
    for (int d = job->chunk; d < walk->ndim; d++)
        slab *= d == job->chunk ? job->chunk_rows : walk->extent[d];
    const int64_t n_slabs = kept->extent[along];
    job->lanes_pitch = 0; /* there are none */
    if (job->n_chunks == 1 && 2 * slab <= block) {
        walk->first = along;
        walk->inner = slab;
        walk->cut = block / slab < n_slabs ? block / slab : n_slabs;
        job->group = walk->cut;
    } else {
        const int64_t whole = walk->extent[job->chunk];
        walk->extent[job->chunk] = job->chunk_rows;
        heddle__walk_shape(walk, job->chunk, block);
        walk->extent[job->chunk] = whole;
        job->group = n_slabs < SLABS ? n_slabs : SLABS;
    }
    /* tiles are of whole slabs */
    int64_t target = heddle__kept_size(&job->launch->geometry) *
                     (job->to_partials ? job->n_chunks : 1) / (ITEMS * heddle__team_size(team));
    const int64_t most =
        TILE / heddle__reduced_size(&job->launch->geometry); /* near each other, for the chunks */
    if (target > most) target = most;
    if (target < job->group * m) target = job->group * m;
    heddle__walk_shape(kept, 0, target);
    if (kept->first <= along) return;
    kept->first = along;
    kept->inner = m;
    kept->cut = target / m < n_slabs ? target / m : n_slabs;
}

/* ---- A thread's values ------------------------------------------------------------------------------------ */

/* Whether blocks are parts of a slab; else they are whole slabs, one after the other. */
static bool are_parts(const struct heddle__reduce_job *job)
{
    return job->walk.first >= job->pre;
}

/* Whether each block writes reduction r's values to a register, which the next one would overwrite. */
static bool has_register(const struct heddle__code *code, int r)
{
    for (int s = 0; s < code->n_once; s++)
        if (code->once[s].out == code->roots[r]) return false;
    for (int f = 0; f < code->n_fixed; f++)
        if (code->fixed[f].ptr == code->roots[r]) return code->fixed[f].kind == FIXED_REGISTER;
    return false;
}

/* From the values of one slab's block to those of the next one, in elements: not a power of two, which would share few sets of a cache. */
static int64_t pitch_of(const struct heddle__reduce_job *job)
{
    return (job->walk.cut * job->walk.inner + HEDDLE_CACHE_LINE - 1) / HEDDLE_CACHE_LINE *
               HEDDLE_CACHE_LINE +
           HEDDLE_CACHE_LINE;
}

size_t heddle__slabs_room(const struct heddle__reduce_job *job, int r)
{
    if (!are_parts(job) || !has_register(&job->code, r)) return 0;
    return (size_t)(job->group * pitch_of(job)) * heddle__value_size(&job->program->reductions[r]);
}

/* ---- Folding ------------------------------------------------------------------------------------------------ */

/* To the tile's accumulators from place j on: n slabs of n_rows rows, the values of which are v[r] and, of the others, `step` elements on. */
static void fold(const struct heddle__reduce_job *job, const struct heddle__reduce_worker *w,
                 int64_t n, int64_t n_rows, int64_t j, const char *const v[], const int64_t step[],
                 bool begun)
{
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const struct heddle__slabs slabs = {.n = (size_t)n,
                                            .n_rows = (size_t)n_rows,
                                            .m = (size_t)job->walk.extent[job->walk.ndim - 1],
                                            .step = step[r],
                                            .acc = (char *)w->value[r] +
                                                   (size_t)j * heddle__value_size(instr),
                                            .v = v[r],
                                            .begun = begun};
        job->blocks->halving[instr->dtype]->slabs[instr->op](&slabs);
    }
}

/* n slabs from idx on, which make one block. */
static void fold_whole(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                       const int64_t *idx, int64_t n, int64_t j)
{
    const struct heddle__walk *walk = &job->walk;
    const char *v[HEDDLE_MAX_REDUCTIONS];
    int64_t step[HEDDLE_MAX_REDUCTIONS];
    heddle__run_block(&w->lane, &job->code, idx, n, true);
    for (int r = 0; r < job->program->n_reductions; r++) {
        v[r] = heddle__reduce_values(job, w, r);
        step[r] = walk->inner;
    }
    fold(job, w, n, walk->inner / walk->extent[walk->ndim - 1], j, v, step, false);
}

/* n slabs from idx on, side by side, of each a block after the other. */
static void fold_parts(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                       int64_t *idx, int64_t chunk_rows, int64_t n, int64_t j)
{
    const struct heddle__walk *walk = &job->walk;
    const int n_reductions = job->program->n_reductions, along = job->pre - 1;
    const int64_t start = idx[job->chunk], at = idx[along], pitch = pitch_of(job);
    struct heddle__walk part;
    heddle__reduce_chunk_walk(job, chunk_rows, &part);
    const int64_t n_blocks = heddle__walk_blocks(&part, job->chunk);
    for (int64_t b = 0; b < n_blocks; b++) {
        const char *v[HEDDLE_MAX_REDUCTIONS];
        int64_t step[HEDDLE_MAX_REDUCTIONS];
        const int64_t rows = heddle__walk_block(&part, job->chunk, b, idx);
        idx[job->chunk] += start;
        for (int64_t k = 0; k < n; k++) {
            idx[along] = at + k;
            for (int r = 0; r < n_reductions; r++)
                if (w->slabs[r])
                    w->lane.ptr[job->code.roots[r]] =
                        w->slabs[r] +
                        (size_t)(k * pitch) * heddle__value_size(&job->program->reductions[r]);
            heddle__run_block(&w->lane, &job->code, idx, rows, true);
            for (int r = 0; r < n_reductions; r++) {
                const char *const values = heddle__reduce_values(job, w, r);
                if (k == 0) v[r] = values;
                if (k < 2)
                    step[r] =
                        (values - v[r]) / (int64_t)heddle__value_size(&job->program->reductions[r]);
            }
        }
        idx[along] = at;
        fold(job, w, n, rows * walk->inner / walk->extent[walk->ndim - 1], j, v, step, b > 0);
    }
    idx[job->chunk] = start;
}

void heddle__reduce_slabs(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                          int64_t *idx, int64_t chunk_rows, const int64_t *kept, int64_t m)
{
    const struct heddle__walk *walk = &job->walk;
    const int along = job->pre - 1;
    const int64_t row = walk->extent[walk->ndim - 1];
    for (int d = 0; d <= along; d++) idx[d] = kept[d];
    for (int d = job->chunk + 1; d < walk->ndim; d++) idx[d] = 0;
    for (int64_t j = 0, n; j < m; j += n * row) {
        n = walk->extent[along] - idx[along];
        if (n > (m - j) / row) n = (m - j) / row;
        if (n > job->group) n = job->group;
        if (are_parts(job))
            fold_parts(job, w, idx, chunk_rows, n, j);
        else
            fold_whole(job, w, idx, n, j);
        idx[along] += n;
        for (int d = along; d > 0 && idx[d] == walk->extent[d]; d--) {
            idx[d] = 0;
            idx[d - 1]++;
        }
    }
}
