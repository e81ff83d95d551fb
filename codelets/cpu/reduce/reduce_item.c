/* One item of a reduction: a tile's results, or partials, made by blocks of the program. Runs inside
 * loops on teams; allocates nothing. Entry points: heddle__reduce_item, heddle__reduce_lanes_end. */
#include "cpu/reduce/reduce.h"

#include <string.h>

/* out[j] of each row of n accumulators of reduction r, with the numbers of their elements, of arg. */
static void make_rows(const struct heddle__reduce_job *job, int r, int64_t n_rows, int64_t n,
                      void *out, int32_t *out_at, const void *v, const int32_t *v_at)
{
    const struct heddle_reduce_instr *instr = &job->program->reductions[r];
    const struct heddle__block_halving *h = job->blocks->halving[instr->dtype];
    if (h && !v_at && (size_t)n >= h->lanes && h->find[instr->op])
        h->find[instr->op]((size_t)n_rows, (size_t)n, out, out_at, v);
    else if (h && n > HEDDLE_TREE_SHORT && (size_t)n >= h->least && h->rows[instr->op])
        h->rows[instr->op]((size_t)n_rows, (size_t)n, out, v);
    else if (h && n > 1 && n <= HEDDLE_TREE_SHORT && n_rows > 1 && h->short_rows[instr->op])
        h->short_rows[instr->op]((size_t)n_rows, (size_t)n, out, v);
    else
        heddle__reducer_of(job, r)->rows((size_t)n_rows, (size_t)n, out, out_at, v, v_at);
}

/* ---- lanes: a chunk that arrives in pieces ------------------------------------------------------ */

/* Whether one lane is enough: the best of a chunk is found block by block, without an accumulator for each lane. */
static bool has_one_lane(const struct heddle__reduce_job *job, int r)
{
    const struct heddle_reduce_instr *instr = &job->program->reductions[r];
    const struct heddle__block_halving *h = job->blocks->halving[instr->dtype];
    return h && h->find[instr->op];
}

/* As lanes_take, to the one lane. */
static void find_best(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w, int r,
                      int64_t member, int64_t first, int64_t n, const char *v)
{
    const size_t size = heddle__value_size(&job->program->reductions[r]);
    const int64_t place = member * job->lanes_pitch;
    char *best = (char *)w->lanes[r] + (size_t)place * size;
    int32_t *at = w->lanes_at[r] + place, found_at = 0;
    union heddle_scalar found;
    if (first == 0) {
        make_rows(job, r, 1, n, best, at, v, NULL);
        return;
    }
    make_rows(job, r, 1, n, &found, &found_at, v, NULL);
    heddle__reducer_of(job, r)->merge(1, best, at, &found, (int32_t)first + found_at);
}

/* Takes `n` values, number first.. of the chunk: elements, or (`merge`) accumulators; to the lanes of element
 * `member` of a group. */
static void lanes_take(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w, int r,
                       int64_t member, int64_t first, int64_t n, const char *v, bool merge)
{
    const size_t size = heddle__value_size(&job->program->reductions[r]);
    const struct heddle__block_reducer *reducer = heddle__reducer_of(job, r);
    const bool arg = heddle__is_arg(&job->program->reductions[r]);
    if (has_one_lane(job, r)) {
        find_best(job, w, r, member, first, n, v);
        return;
    }
    while (n > 0) {
        const int64_t lane = first % HEDDLE_TREE_LANES, place = member * job->lanes_pitch + lane;
        const int64_t m = n < HEDDLE_TREE_LANES - lane ? n : HEDDLE_TREE_LANES - lane;
        char *acc = (char *)w->lanes[r] + (size_t)place * size;
        int32_t *at = arg ? w->lanes_at[r] + place : NULL;
        if (first >= HEDDLE_TREE_LANES) {
            (merge ? reducer->merge : reducer->accumulate)((size_t)m, acc, at, v, (int32_t)first);
        } else {
            if (merge)
                memcpy(acc, v, (size_t)m * size);
            else
                reducer->begin((size_t)m, acc, v);
            for (int64_t i = 0; arg && i < m; i++) at[i] = (int32_t)(first + i);
        }
        first += m;
        n -= m;
        v += (size_t)m * size;
    }
}

/* The result of the chunk's n elements, to place j of the tile. */
void heddle__reduce_lanes_end(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                              int r, int64_t member, int64_t n, int64_t j)
{
    const int64_t all = n < HEDDLE_TREE_LANES ? n : HEDDLE_TREE_LANES;
    const int64_t lanes = has_one_lane(job, r) ? 1 : all;
    const size_t size = heddle__value_size(&job->program->reductions[r]);
    const int64_t place = member * job->lanes_pitch;
    make_rows(job, r, 1, lanes, (char *)w->value[r] + (size_t)j * size,
              w->at[r] ? w->at[r] + j : NULL, (char *)w->lanes[r] + (size_t)place * size,
              w->at[r] ? w->lanes_at[r] + place : NULL);
}

/* ---- chunks ------------------------------------------------------------------------------------ */

/* Sets idx to the start of chunk c; returns its count of indices of axis `chunk`. */
static int64_t chunk_start(const struct heddle__reduce_job *job, int64_t c, int64_t *idx)
{
    int64_t pre = c / job->n_split;
    for (int d = job->pre + job->n_pre - 1; d >= job->pre; d--) {
        idx[d] = pre % job->walk.extent[d];
        pre /= job->walk.extent[d];
    }
    const int64_t start = c % job->n_split * job->chunk_rows;
    idx[job->chunk] = start;
    const int64_t left = job->walk.extent[job->chunk] - start;
    return left < job->chunk_rows ? left : job->chunk_rows;
}

/* Flat index over the reduced axes of the whole space of chunk c's first element. */
static int64_t chunk_base(const struct heddle__reduce_job *job, int64_t c)
{
    const struct heddle_geometry *g = &job->launch->geometry;
    if (g->n_kept == g->ndim) return 0;
    int64_t pre = c / job->n_split, weight = 1, base = 0;
    for (int d = g->ndim - 1; d >= g->n_kept; d--) {
        int64_t index = g->origin[d];
        if (d == g->split_axis) {
            index += c % job->n_split * g->split_rows;
        } else if (d < g->split_axis) {
            index += pre % g->extent[d];
            pre /= g->extent[d];
        }
        base += index * weight;
        weight *= g->whole[d];
    }
    return base;
}

void heddle__reduce_chunk_walk(const struct heddle__reduce_job *job, int64_t chunk_rows,
                               struct heddle__walk *part)
{
    part->ndim = job->walk.ndim;
    part->first = job->walk.first;
    part->cut = job->walk.cut;
    part->sideways = false;
    memcpy(part->extent, job->walk.extent, sizeof part->extent);
    part->extent[job->chunk] = chunk_rows;
}

/* Whether rows of a tile go left to right, and are so many that it is done to all of them at once, turned over. */
static bool goes_across(const struct heddle__reduce_job *job, const struct heddle_reduce_instr *r,
                        int64_t m, int64_t n)
{
    enum { LEAST = 16, VECTORS = 4 };
    const struct heddle__block_halving *h = job->blocks->halving[r->dtype];
    const int64_t most = !heddle__is_arg(r)    ? HEDDLE_TREE_SHORT
                         : h && h->find[r->op] ? VECTORS * (int64_t)h->lanes
                                               : HEDDLE_TREE_LANES;
    return m >= LEAST && n > 1 && n <= most && !(h && h->short_rows[r->op]);
}

/* ORDER_ROWS: the whole tile is one block, and its elements are accumulators as they are. */
static void reduce_rows(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                        int64_t *idx, int64_t rows)
{
    const int64_t m = rows * job->kept.inner, n = rows * job->walk.inner / m;
    heddle__run_block(&w->lane, &job->code, idx, rows, true);
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const struct heddle__block_reducer *reducer = heddle__reducer_of(job, r);
        const char *v = heddle__reduce_values(job, w, r);
        if (!goes_across(job, instr, m, n)) {
            make_rows(job, r, m, n, w->value[r], w->at[r], v, NULL);
            continue;
        }
        const size_t size = heddle__value_size(instr);
        job->blocks->moves.turn[heddle__log2_size(size)]((size_t)n, (size_t)m, w->turned, m, v, n);
        reducer->begin((size_t)m, w->value[r], w->turned);
        if (w->at[r]) memset(w->at[r], 0, (size_t)m * sizeof(int32_t));
        reducer->fold((size_t)(n - 1), (size_t)m, w->value[r], w->at[r],
                      w->turned + (size_t)m * size, m, 1);
    }
}

/* ORDER_LANES: values number first.. of a chunk go to the lanes of `member`; if they are all of it, to place j of the tile. */
static void take_block(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                       int64_t member, int64_t first, int64_t n, bool is_all, int64_t j)
{
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const char *v = heddle__reduce_values(job, w, r);
        if (is_all && heddle__takes_all(instr)) { /* its elements are accumulators as they are */
            make_rows(job, r, 1, n, (char *)w->value[r] + (size_t)j * heddle__value_size(instr),
                      w->at[r] ? w->at[r] + j : NULL, v, NULL);
            continue;
        }
        lanes_take(job, w, r, member, first, n, v, false);
        if (is_all) heddle__reduce_lanes_end(job, w, r, member, n, j);
    }
}

/* ORDER_LANES: one group of kept elements after the other. idx: the chunk's start; kept: the tile's. */
static void reduce_lanes(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t *idx, int64_t chunk_rows, const int64_t *kept, int64_t m)
{
    const struct heddle__walk *walk = &job->walk;
    const int64_t start = idx[job->chunk];
    const int last = job->kept_axis + job->kept.ndim - 1;
    for (int d = job->kept_axis; d <= last; d++) idx[d] = kept[d - job->kept_axis];
    struct heddle__walk part;
    heddle__reduce_chunk_walk(job, chunk_rows, &part);
    const int64_t n_blocks = heddle__walk_blocks(&part, job->chunk);
    for (int64_t j = 0, g; j < m; j += g) {
        const int64_t at = idx[last];
        g = walk->extent[last] - at < m - j ? walk->extent[last] - at : m - j;
        if (g > job->group) g = job->group;
        int64_t n = 0;
        bool is_all = false;
        for (int64_t b = 0; b < n_blocks; b++) {
            const int64_t rows = heddle__walk_block(&part, job->chunk, b, idx);
            const bool new_row = b == 0 || g > 1 || idx[walk->first] == 0;
            idx[job->chunk] += start;
            for (int64_t k = 0; k < g; k++) {
                idx[last] = at + k;
                heddle__run_block(&w->lane, &job->code, idx, rows, new_row);
                is_all = n_blocks == 1 && rows * walk->inner <= HEDDLE_TREE_LANES;
                take_block(job, w, k, n, rows * walk->inner, is_all, j + k);
            }
            n += rows * walk->inner;
        }
        for (int64_t k = 0; k < g && !is_all; k++)
            for (int r = 0; r < job->program->n_reductions; r++)
                heddle__reduce_lanes_end(job, w, r, k, n, j + k);
        idx[last] = at + g;
        for (int d = last; d > job->kept_axis && idx[d] == walk->extent[d]; d--) {
            idx[d] = 0;
            idx[d - 1]++;
        }
    }
}

/* ---- tiles ------------------------------------------------------------------------------------- */

/* Values and element numbers of a tile become results: of arg, indices, base being that of element
 * number 0. */
static void finish_values(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                          int64_t m, int64_t base)
{
    for (int r = 0; r < job->program->n_reductions; r++) {
        if (!heddle__is_arg(&job->program->reductions[r])) continue;
        int64_t *result = w->result[r];
        for (int64_t j = 0; j < m; j++) result[j] = base + w->at[r][j];
    }
}

static void put_partials(const struct heddle__reduce_job *job,
                         const struct heddle__reduce_worker *w, int64_t flat, int64_t m, int64_t c)
{
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->launch->program->reductions[r];
        const size_t size = heddle__value_size(instr), step = heddle__partial_size(instr);
        const char *value = heddle__is_counted(job, r) ? w->result[r] : w->value[r];
        for (int64_t j = 0; j < m; j++) {
            char *to = job->partial[r] + (size_t)((flat + j) * job->n_chunks + c) * step;
            if (heddle__is_arg(instr)) {
                memset(to, 0, 8);
                memcpy(to + 8, (char *)w->result[r] + 8 * j, 8);
            }
            memcpy(to, value + (size_t)j * size, size);
        }
    }
}

/* Partials of the tile's elements to results. */
static void combine(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                    int64_t flat, int64_t m)
{
    const int64_t n = job->n_chunks;
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const size_t size = heddle__value_size(instr), step = heddle__partial_size(instr);
        const char *partial = job->partial[r] + (size_t)(flat * n) * step;
        if (!heddle__is_arg(instr) && n <= HEDDLE_TREE_LANES) {
            make_rows(job, r, m, n, w->value[r], NULL, partial, NULL);
            continue;
        }
        for (int64_t j = 0; j < m; j++, partial += (size_t)n * step) {
            for (int64_t c = 0; c < n; c += HEDDLE_TREE_LANES) {
                const int64_t k = n - c < HEDDLE_TREE_LANES ? n - c : HEDDLE_TREE_LANES;
                const char *v = partial + (size_t)c * step;
                if (heddle__is_arg(instr)) {
                    job->blocks->moves.gather[heddle__log2_size(size)]((size_t)k, w->temporary, v,
                                                                       (int64_t)(step / size));
                    v = w->temporary;
                }
                lanes_take(job, w, r, 0, c, k, v, true);
            }
            heddle__reduce_lanes_end(job, w, r, 0, n, j);
            if (heddle__is_arg(instr))
                memcpy((char *)w->result[r] + 8 * j, partial + (size_t)w->at[r][j] * step + 8, 8);
        }
    }
}

static void put_identities(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                           int64_t m)
{
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const size_t size = heddle_dtype_size((enum heddle_dtype)instr->result);
        const union heddle_scalar one = {.i64 = heddle__reductions[instr->op].identity == 1};
        const union heddle_scalar v =
            heddle__convert(one, HEDDLE_INT64, (enum heddle_dtype)instr->result);
        for (int64_t j = 0; j < m; j++) memcpy((char *)w->result[r] + (size_t)j * size, &v, size);
    }
}

void heddle__reduce_item(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                         int64_t t, int64_t c)
{
    int64_t kept[WALK_MAX_NDIM], idx[WALK_MAX_NDIM];
    const int64_t rows = heddle__walk_block(&job->kept, 0, t, kept);
    const int64_t m = rows * job->kept.inner;
    int64_t flat = kept[0];
    for (int d = 1; d < job->kept.ndim; d++) flat = flat * job->kept.extent[d] + kept[d];
    if (job->empty) {
        put_identities(job, w, m);
    } else if (job->combine) {
        combine(job, w, flat, m);
    } else {
        const int64_t chunk_rows = chunk_start(job, c, idx);
        if (job->in_place) {
            heddle__reduce_in_place(job, w, idx, chunk_rows, kept, rows, m);
        } else if (job->fold.run && job->order == ORDER_ROWS) {
            heddle__reduce_fold_rows(job, w, kept, m);
        } else if (job->fold.run) {
            heddle__reduce_fold(job, w, idx, chunk_rows, kept, rows, m);
        } else if (job->order == ORDER_ROWS) {
            for (int d = 0; d < job->walk.ndim; d++) idx[d] = 0;
            for (int d = 0; d < job->kept.ndim; d++) idx[d] = kept[d];
            reduce_rows(job, w, idx, rows);
        } else if (job->order == ORDER_SLABS) {
            heddle__reduce_slabs(job, w, idx, chunk_rows, kept, m);
        } else if (job->order == ORDER_LANES) {
            reduce_lanes(job, w, idx, chunk_rows, kept, m);
        } else if (job->order == ORDER_TREE) {
            heddle__reduce_tree(job, w, idx, kept, rows, m);
        } else {
            heddle__reduce_kept(job, w, idx, chunk_rows, kept, rows, m);
        }
        finish_values(job, w, m, chunk_base(job, c));
    }
    if (job->to_partials)
        put_partials(job, w, flat, m, c);
    else
        heddle__run_block(&w->after, &job->after, kept, rows, true);
}
