/* Reductions on the CPU, by the tree of reduce_tree.h: work is cut into items, a tile of kept
 * elements times a chunk; the tile's results, or partials, are made by blocks of the program. The
 * order of visiting differs with the shape (enum order), the order of combining never does.
 * Opens at most two OpenMP regions; allocates only before them. Entry point: heddle__cpu_reduce. */
#include "cpu/interpreter.h"

#include <base/memory.h>
#include <omp.h>
#include <string.h>

enum order {
    ORDER_ROWS,  /* a block holds whole rows: several kept elements, all that each reduces */
    ORDER_LANES, /* a block is a part of one chunk of one kept element */
    ORDER_KEPT,  /* SEQUENTIAL: kept axes innermost */
};

enum { ROW_MAX = 512 }; /* reduced elements, at most, for ORDER_ROWS */

struct job {
    const struct heddle_launch *launch;
    const struct heddle_program *program;
    const struct heddle__blocks *blocks;
    enum order order;
    struct heddle__walk walk; /* of the elements; not when combining */
    struct heddle__code code;
    struct heddle__walk kept; /* of the tiles: a block is a tile */
    struct heddle__code after;
    int n_pre, pre;     /* walk axes before the split axis: how many, the first */
    int chunk;          /* walk axis that chunks cut; those of the chunk go on from it */
    int kept_axis;      /* first kept axis of the walk */
    int64_t n_split;    /* chunks along the split axis */
    int64_t chunk_rows; /* indices of axis `chunk` in a chunk, at most */
    int64_t n_chunks;
    int64_t tile; /* elements of a tile, at most */
    char *partial[HEDDLE_MAX_REDUCTIONS];
    bool to_partials, combine, empty;
};

/* A thread's buffers. */
struct worker {
    struct heddle__lane lane, after;
    void *result[HEDDLE_MAX_REDUCTIONS]; /* [tile] as REDUCED gives them */
    void *value[HEDDLE_MAX_REDUCTIONS];  /* [tile] of the reduction's dtype: result, unless arg */
    int32_t *at[HEDDLE_MAX_REDUCTIONS];  /* [tile] element numbers, of arg */
    void *lanes[HEDDLE_MAX_REDUCTIONS];  /* [HEDDLE_TREE_LANES] */
    int32_t *lanes_at[HEDDLE_MAX_REDUCTIONS];
    char *temporary; /* [HEDDLE_TREE_LANES] of 8 bytes */
};

static bool is_arg(const struct heddle_reduce_instr *r)
{
    return r->op == HEDDLE_REDUCE_ARGMAX || r->op == HEDDLE_REDUCE_ARGMIN;
}

static size_t value_size(const struct heddle_reduce_instr *r)
{
    return heddle_dtype_size((enum heddle_dtype)r->dtype);
}

static const struct heddle__block_reducer *reducer_of(const struct job *job, int r)
{
    const struct heddle_reduce_instr *instr = &job->program->reductions[r];
    return &job->blocks->types[instr->dtype].reducers[instr->op];
}

/* ---- lanes: a chunk that arrives in pieces ------------------------------------------------------ */

/* Takes `n` values, the elements first.. of the chunk; at: their numbers are the same. */
static void lanes_take(const struct job *job, struct worker *w, int r, int64_t first, int64_t n,
                       const char *v)
{
    const size_t size = value_size(&job->program->reductions[r]);
    const struct heddle__block_reducer *reducer = reducer_of(job, r);
    const bool arg = is_arg(&job->program->reductions[r]);
    while (n > 0) {
        const int64_t lane = first % HEDDLE_TREE_LANES;
        const int64_t m = n < HEDDLE_TREE_LANES - lane ? n : HEDDLE_TREE_LANES - lane;
        char *acc = (char *)w->lanes[r] + (size_t)lane * size;
        int32_t *at = arg ? w->lanes_at[r] + lane : NULL;
        if (first >= HEDDLE_TREE_LANES) {
            reducer->accumulate((size_t)m, acc, at, v, (int32_t)first);
        } else {
            memcpy(acc, v, (size_t)m * size);
            for (int64_t i = 0; arg && i < m; i++) at[i] = (int32_t)(first + i);
        }
        first += m;
        n -= m;
        v += (size_t)m * size;
    }
}

/* The result of the chunk's n elements, to place j of the tile. */
static void lanes_end(const struct job *job, struct worker *w, int r, int64_t n, int64_t j)
{
    const size_t lanes = n < HEDDLE_TREE_LANES ? (size_t)n : HEDDLE_TREE_LANES;
    char *to = (char *)w->value[r] + (size_t)j * value_size(&job->program->reductions[r]);
    int32_t *to_at = w->at[r] ? w->at[r] + j : NULL;
    reducer_of(job, r)->rows(1, lanes, to, to_at, w->lanes[r], w->lanes_at[r]);
}

/* ---- chunks ------------------------------------------------------------------------------------ */

/* Sets idx to the start of chunk c; returns its count of indices of axis `chunk`. */
static int64_t chunk_start(const struct job *job, int64_t c, int64_t *idx)
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
static int64_t chunk_base(const struct job *job, int64_t c)
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

static const char *values_of(const struct job *job, const struct worker *w, int r)
{
    return w->lane.ptr[job->code.roots[r]];
}

/* ORDER_ROWS: the whole tile is one block. */
static void reduce_rows(const struct job *job, struct worker *w, int64_t *idx, int64_t rows)
{
    const int64_t m = rows * job->kept.inner, n = rows * job->walk.inner / m;
    heddle__run_block(&w->lane, &job->code, idx, rows, true);
    for (int r = 0; r < job->program->n_reductions; r++)
        reducer_of(job, r)->rows((size_t)m, (size_t)n, w->value[r], w->at[r], values_of(job, w, r),
                                 NULL);
}

/* ORDER_LANES: one kept element after the other. idx: the chunk's start; kept: the tile's. */
static void reduce_lanes(const struct job *job, struct worker *w, int64_t *idx, int64_t chunk_rows,
                         const int64_t *kept, int64_t m)
{
    const struct heddle__walk *walk = &job->walk;
    const int64_t start = idx[job->chunk];
    for (int d = job->kept_axis; d < job->kept_axis + job->kept.ndim; d++)
        idx[d] = kept[d - job->kept_axis];
    struct heddle__walk part; /* the chunk alone */
    part.ndim = walk->ndim;
    part.first = walk->first;
    part.cut = walk->cut;
    part.sideways = false;
    memcpy(part.extent, walk->extent, sizeof part.extent);
    part.extent[job->chunk] = chunk_rows;
    const int64_t n_blocks = heddle__walk_blocks(&part, job->chunk);
    for (int64_t j = 0; j < m; j++) {
        int64_t n = 0;
        for (int64_t b = 0; b < n_blocks; b++) {
            const int64_t rows = heddle__walk_block(&part, job->chunk, b, idx);
            const bool new_row = b == 0 || idx[walk->first] == 0;
            idx[job->chunk] += start;
            heddle__run_block(&w->lane, &job->code, idx, rows, new_row);
            for (int r = 0; r < job->program->n_reductions; r++)
                lanes_take(job, w, r, n, rows * walk->inner, values_of(job, w, r));
            n += rows * walk->inner;
        }
        for (int r = 0; r < job->program->n_reductions; r++) lanes_end(job, w, r, n, j);
        for (int d = job->kept_axis + job->kept.ndim - 1; d >= job->kept_axis; d--) {
            if (++idx[d] < walk->extent[d]) break;
            idx[d] = 0;
        }
    }
}

/* ORDER_KEPT: m kept elements side by side, `rows` as in a block of `kept`. */
static void reduce_kept(const struct job *job, struct worker *w, int64_t *idx, int64_t chunk_rows,
                        const int64_t *kept, int64_t kept_rows, int64_t m)
{
    const struct heddle__walk *walk = &job->walk;
    const int64_t start = idx[job->chunk];
    struct heddle__walk part; /* the chunk alone */
    part.ndim = walk->ndim;
    part.first = walk->first;
    part.cut = walk->cut;
    part.sideways = false;
    memcpy(part.extent, walk->extent, sizeof part.extent);
    part.extent[job->chunk] = chunk_rows;
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
            const size_t bytes = (size_t)m * value_size(&job->program->reductions[r]);
            const struct heddle__block_reducer *reducer = reducer_of(job, r);
            const char *v = values_of(job, w, r);
            int64_t i = 0;
            if (e == 0) {
                memcpy(w->value[r], v, bytes);
                if (w->at[r]) memset(w->at[r], 0, (size_t)m * sizeof(int32_t));
                i = 1;
            }
            for (; i < n; i++) {
                /* all m elements have number e + i, not first + place */
                if (!w->at[r]) {
                    reducer->accumulate((size_t)m, w->value[r], NULL, v + (size_t)i * bytes, 0);
                    continue;
                }
                int32_t *now = (int32_t *)(void *)w->temporary;
                for (int64_t k = 0; k < m; k++) now[k] = -1;
                reducer->accumulate((size_t)m, w->value[r], now, v + (size_t)i * bytes, 0);
                for (int64_t k = 0; k < m; k++)
                    if (now[k] >= 0) w->at[r][k] = (int32_t)(e + i);
            }
        }
        e += n;
    }
}

/* ---- tiles ------------------------------------------------------------------------------------- */

/* Values and element numbers of a tile become results: of arg, indices, base being that of element
 * number 0. */
static void finish_values(const struct job *job, struct worker *w, int64_t m, int64_t base)
{
    for (int r = 0; r < job->program->n_reductions; r++) {
        if (!is_arg(&job->program->reductions[r])) continue;
        int64_t *result = w->result[r];
        for (int64_t j = 0; j < m; j++) result[j] = base + w->at[r][j];
    }
}

static void put_partials(const struct job *job, const struct worker *w, int64_t flat, int64_t m,
                         int64_t c)
{
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const size_t size = value_size(instr), step = heddle__partial_size(instr);
        for (int64_t j = 0; j < m; j++) {
            char *to = job->partial[r] + (size_t)((flat + j) * job->n_chunks + c) * step;
            if (is_arg(instr)) {
                memset(to, 0, 8);
                memcpy(to + 8, (char *)w->result[r] + 8 * j, 8);
            }
            memcpy(to, (char *)w->value[r] + (size_t)j * size, size);
        }
    }
}

/* Partials of the tile's elements to results. */
static void combine(const struct job *job, struct worker *w, int64_t flat, int64_t m)
{
    const int64_t n = job->n_chunks;
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const size_t size = value_size(instr), step = heddle__partial_size(instr);
        const char *partial = job->partial[r] + (size_t)(flat * n) * step;
        if (!is_arg(instr) && n <= HEDDLE_TREE_LANES) {
            reducer_of(job, r)->rows((size_t)m, (size_t)n, w->value[r], NULL, partial, NULL);
            continue;
        }
        for (int64_t j = 0; j < m; j++, partial += (size_t)n * step) {
            for (int64_t c = 0; c < n; c += HEDDLE_TREE_LANES) {
                const int64_t k = n - c < HEDDLE_TREE_LANES ? n - c : HEDDLE_TREE_LANES;
                const char *v = partial + (size_t)c * step;
                if (is_arg(instr)) {
                    job->blocks->moves.gather[heddle__log2_size(size)]((size_t)k, w->temporary, v,
                                                                       (int64_t)(step / size));
                    v = w->temporary;
                }
                lanes_take(job, w, r, c, k, v);
            }
            lanes_end(job, w, r, n, j);
            if (is_arg(instr))
                memcpy((char *)w->result[r] + 8 * j, partial + (size_t)w->at[r][j] * step + 8, 8);
        }
    }
}

static void put_identities(const struct job *job, struct worker *w, int64_t m)
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

/* One item: tile t, chunk c. */
static void run_item(const struct job *job, struct worker *w, int64_t t, int64_t c)
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
        if (job->order == ORDER_ROWS) {
            for (int d = 0; d < job->walk.ndim; d++) idx[d] = 0;
            for (int d = 0; d < job->kept.ndim; d++) idx[d] = kept[d];
            reduce_rows(job, w, idx, rows);
        } else if (job->order == ORDER_LANES) {
            reduce_lanes(job, w, idx, chunk_rows, kept, m);
        } else {
            reduce_kept(job, w, idx, chunk_rows, kept, rows, m);
        }
        finish_values(job, w, m, chunk_base(job, c));
    }
    if (job->to_partials)
        put_partials(job, w, flat, m, c);
    else
        heddle__run_block(&w->after, &job->after, kept, rows, true);
}

/* ---- threads ----------------------------------------------------------------------------------- */

/* Lays out a thread's scratch from `at` on, or with `at` NULL only measures it. */
static size_t lay_out(const struct job *job, struct worker *w, char *at)
{
    size_t used = 0;
#define PLACE(pointer, bytes)                                                                      \
    do {                                                                                           \
        const size_t place = used;                                                                 \
        used += ((size_t)(bytes) + 63) / 64 * 64;                                                  \
        if (at) (pointer) = (void *)(at + place);                                                  \
    } while (0)
    const size_t m = (size_t)job->tile;
    bool arg = false;
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const size_t size = value_size(instr);
        if (at) w->at[r] = NULL, w->lanes_at[r] = NULL;
        PLACE(w->value[r], m * size);
        if (at) w->result[r] = w->value[r];
        if (is_arg(instr)) {
            arg = true;
            PLACE(w->result[r], m * 8);
            PLACE(w->at[r], m * sizeof(int32_t));
            PLACE(w->lanes_at[r], HEDDLE_TREE_LANES * sizeof(int32_t));
        }
        PLACE(w->lanes[r], HEDDLE_TREE_LANES * size);
    }
    if (arg) PLACE(w->temporary, HEDDLE_TREE_LANES * 8);
#undef PLACE
    if (!job->combine && !job->empty) {
        if (at) heddle__lane_begin(&w->lane, &job->code, at + used, NULL);
        used += heddle__register_bytes(&job->code);
    }
    if (!job->to_partials) {
        if (at) heddle__lane_begin(&w->after, &job->after, at + used, w->result);
        used += heddle__register_bytes(&job->after);
    }
    return used;
}

static void run_items(const struct job *job, int64_t from, int64_t to, char *scratch)
{
    _Alignas(64) char local[STACK_SCRATCH_BYTES];
    struct worker w;
    lay_out(job, &w, scratch ? scratch : local);
    const int64_t n = job->to_partials ? job->n_chunks : 1;
    for (int64_t i = from; i < to; i++) run_item(job, &w, i / n, i % n);
}

static enum heddle_status run_job(const struct job *job, const struct heddle_cpu_team *team)
{
    const struct heddle_geometry *g = &job->launch->geometry;
    const int64_t n_tiles = heddle__walk_blocks(&job->kept, 0);
    const int64_t n_items = n_tiles * (job->to_partials ? job->n_chunks : 1);
    double additions = (double)heddle__kept_size(g);
    if (job->combine)
        additions *= (double)job->n_chunks;
    else if (!job->empty)
        additions *= (double)heddle__reduced_size(g) * job->code.weight;
    const int n_threads = heddle__cpu_threads(team, additions, n_items);
    const size_t bytes = lay_out(job, NULL, NULL);
    char *scratch = NULL;
    if (bytes > STACK_SCRATCH_BYTES) {
        scratch = heddle__alloc_aligned(bytes * (size_t)n_threads);
        if (!scratch) return heddle__fail(HEDDLE_ENOMEM, "no memory for a reduction's values");
    }
    if (n_threads == 1) {
        run_items(job, 0, n_items, scratch);
    } else {
#pragma omp parallel num_threads(n_threads)
        {
            const int64_t t = omp_get_thread_num(), n = omp_get_num_threads();
            run_items(job, n_items * t / n, n_items * (t + 1) / n,
                      scratch ? scratch + (size_t)t * bytes : NULL);
        }
    }
    heddle__free(scratch);
    return HEDDLE_OK;
}

/* ---- set-up ------------------------------------------------------------------------------------ */

/* Operands loaded by instructions from..to-1, and the stored ones. */
static uint32_t operands_of(const struct heddle_program *p, int from, int to, bool stored)
{
    uint32_t bits = 0;
    for (int i = from; i < to; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD) bits |= UINT32_C(1) << p->instrs[i].a;
    for (int s = 0; stored && s < p->n_stores; s++) bits |= UINT32_C(1) << p->stores[s].operand;
    return bits;
}

/* The walk over the elements and what of it chunks are. */
static void set_walk(struct job *job, uint32_t kept_operands)
{
    const struct heddle_launch *launch = job->launch;
    const struct heddle_geometry *g = &launch->geometry;
    const uint32_t loaded = operands_of(job->program, 0, job->program->n_before, false);
    const int split =
        g->split_axis < g->n_kept || g->split_axis > g->ndim ? g->n_kept : g->split_axis;
    const bool kept_last = job->order == ORDER_KEPT;
    struct heddle__walk *walk = &job->walk;
    heddle__walk_begin(walk);
    job->kept_axis = 0;
    if (!kept_last) heddle__walk_add(walk, launch, kept_operands, 0, g->n_kept);
    job->pre = walk->ndim;
    job->n_pre = heddle__walk_add(walk, launch, loaded, g->n_kept, split);
    job->chunk = walk->ndim;
    heddle__walk_add(walk, launch, loaded, split, g->ndim);
    if (kept_last) {
        job->kept_axis = walk->ndim;
        heddle__walk_add(walk, launch, kept_operands, 0, g->n_kept);
    }
    const int64_t extent = split < g->ndim ? g->extent[split] : 1, whole = walk->extent[job->chunk];
    job->chunk_rows = extent > 1 ? whole / extent * g->split_rows : whole;
    if (job->chunk_rows > whole) job->chunk_rows = whole;
    job->n_split = (whole + job->chunk_rows - 1) / job->chunk_rows;
}

/* Chooses blocks and tiles; kept.extent is known. */
static void set_shapes(struct job *job, const struct heddle_cpu_team *team, int64_t kept_size)
{
    struct heddle__walk *walk = &job->walk, *kept = &job->kept;
    int64_t target = HEDDLE_BLOCK;
    if (job->order == ORDER_ROWS) {
        heddle__walk_shape(walk, 0, HEDDLE_BLOCK);
        if (walk->first >= kept->ndim) { /* blocks are of whole rows */
            walk->first = kept->ndim - 1;
            walk->inner = 1;
            for (int d = kept->ndim; d < walk->ndim; d++) walk->inner *= walk->extent[d];
            walk->cut = HEDDLE_BLOCK / walk->inner;
            if (walk->cut > walk->extent[walk->first]) walk->cut = walk->extent[walk->first];
        }
        kept->first = walk->first;
        kept->cut = walk->cut;
        kept->inner = 1;
        for (int d = kept->first + 1; d < kept->ndim; d++) kept->inner *= kept->extent[d];
        return;
    }
    if (job->order == ORDER_KEPT) {
        const int64_t share = kept_size / (2 * team->n_threads);
        if (!job->to_partials && share < target) target = share < 128 ? 128 : share;
        heddle__walk_shape(walk, job->chunk, target);
        if (walk->first < job->kept_axis) {
            if (walk->first == job->chunk && walk->cut > job->chunk_rows)
                walk->cut = job->chunk_rows;
            kept->first = 0;
            kept->cut = kept->extent[0];
            kept->inner = kept_size / kept->extent[0];
        } else {
            kept->first = walk->first - job->kept_axis;
            kept->cut = walk->cut;
            kept->inner = walk->inner;
        }
        return;
    }
    const int64_t whole = walk->extent[job->chunk];
    walk->extent[job->chunk] = job->chunk_rows;
    heddle__walk_shape(walk, job->chunk, HEDDLE_BLOCK);
    walk->extent[job->chunk] = whole;
    target = job->to_partials ? 1 : kept_size / (4 * team->n_threads);
    heddle__walk_shape(kept, 0, target < 1 ? 1 : target > SHORT_BLOCK ? SHORT_BLOCK : target);
}

static int64_t tile_of(const struct heddle__walk *kept)
{
    return kept->cut * kept->inner;
}

/* One pass: from elements, or (`combine`, `empty`) without them. */
static enum heddle_status reduce(struct job *job, void *const buffers[],
                                 const union heddle_scalar constants[],
                                 const struct heddle_cpu_team *team)
{
    const struct heddle_launch *launch = job->launch;
    const struct heddle_geometry *g = &launch->geometry;
    const struct heddle_program *p = job->program;
    const int64_t kept_size = heddle__kept_size(g);
    const uint8_t phase = g->phase;
    uint32_t operands = 0; /* that this launch has */
    if (phase != HEDDLE_PHASE_COMBINE) operands |= operands_of(p, 0, p->n_before, false);
    if (phase != HEDDLE_PHASE_PARTIAL) operands |= operands_of(p, p->n_before, p->n_instrs, true);
    heddle__walk_begin(&job->kept);
    heddle__walk_add(&job->kept, launch, operands, 0, g->n_kept);
    if (job->combine || job->empty) {
        heddle__walk_shape(&job->kept, 0, SHORT_BLOCK);
    } else {
        const bool rows = job->n_chunks == 1 && heddle__reduced_size(g) <= ROW_MAX;
        job->order = p->sequential ? ORDER_KEPT : rows ? ORDER_ROWS : ORDER_LANES;
        set_walk(job, operands);
        set_shapes(job, team, kept_size);
        heddle__decode(&job->code, &job->walk, launch, buffers, constants, p->n_before, true);
        while (job->order == ORDER_LANES && job->walk.cut > 1 &&
               job->walk.cut * job->walk.inner > SHORT_BLOCK &&
               heddle__register_bytes(&job->code) > REGISTERS_BYTES)
            job->walk.cut = (job->walk.cut + 1) / 2;
    }
    if (!job->to_partials)
        heddle__decode(&job->after, &job->kept, launch, buffers, constants, p->n_instrs, false);
    job->tile = tile_of(&job->kept);
    return run_job(job, team);
}

enum heddle_status heddle__cpu_reduce(const struct heddle_launch *launch, void *const buffers[],
                                      const union heddle_scalar constants[],
                                      const struct heddle_cpu_team *team)
{
    const struct heddle_geometry *g = &launch->geometry;
    const struct heddle_program *p = launch->program;
    struct job job; /* large: only what is used is set */
    job.launch = launch;
    job.program = p;
    job.blocks = heddle__cpu_blocks();
    job.n_chunks = g->n_chunks;
    job.combine = g->phase == HEDDLE_PHASE_COMBINE;
    job.to_partials = g->phase == HEDDLE_PHASE_PARTIAL;
    job.empty = g->n_chunks == 0 || (!job.combine && heddle__reduced_size(g) == 0);
    if (job.empty && job.to_partials) return HEDDLE_OK;
    if (g->phase != HEDDLE_PHASE_WHOLE) {
        for (int r = 0; r < p->n_reductions; r++)
            job.partial[r] = buffers[launch->buffer[p->n_operands + r]];
        return reduce(&job, buffers, constants, team);
    }
    if (job.empty || job.n_chunks == 1) return reduce(&job, buffers, constants, team);

    /* several chunks: partials to scratch, then combine */
    char *scratch = heddle__alloc_aligned(heddle__launch_scratch_bytes(launch));
    if (!scratch) return heddle__fail(HEDDLE_ENOMEM, "no memory for a reduction's partials");
    char *next = scratch;
    for (int r = 0; r < p->n_reductions; r++) {
        job.partial[r] = next;
        const size_t n = (size_t)heddle__kept_size(g) * (size_t)g->n_chunks;
        next += (n * heddle__partial_size(&p->reductions[r]) + 63) / 64 * 64;
    }
    job.to_partials = true;
    enum heddle_status status = reduce(&job, buffers, constants, team);
    if (status == HEDDLE_OK) {
        job.to_partials = false;
        job.combine = true;
        status = reduce(&job, buffers, constants, team);
    }
    heddle__free(scratch);
    return status;
}
