/* Reductions on the CPU, by the tree of reduce_tree.h: work is cut into items, a tile of kept
 * elements times a chunk, that reduce_item.c makes. The order of visiting differs with the shape
 * (enum heddle__visit_order), the order of combining never does. Runs at most two loops on the team;
 * allocates only before them. Entry points: heddle__reduce_box; reduce_boxes.c has heddle__cpu_reduce. */
#include "cpu/reduce/reduce.h"

#include <base/memory.h>
#include <base/share.h>

enum { ITEMS_OF_THREAD = 4 };

/* ---- threads ----------------------------------------------------------------------------------- */

static void begin(const struct heddle__reduce_job *job, struct heddle__lane *lane,
                  const struct heddle__code *code, char *registers, void *const *results)
{
    heddle__lane_begin(lane, code, job->buffers, job->constants, registers, results);
}

/* Lays out a thread's scratch from `at` on, or with `at` NULL only measures it. */
static size_t lay_out(const struct heddle__reduce_job *job, struct heddle__reduce_worker *w,
                      char *at)
{
    size_t used = 0;
#define PLACE(pointer, bytes)                                                                      \
    do {                                                                                           \
        const size_t place = used;                                                                 \
        used += ((size_t)(bytes) + 63) / 64 * 64;                                                  \
        if (at) (pointer) = (void *)(at + place);                                                  \
    } while (0)
    const size_t m = (size_t)job->tile, lanes = (size_t)(job->group * job->lanes_pitch);
    size_t value_bytes = 0; /* of the largest */
    bool arg = false;
    for (int r = 0; r < job->program->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &job->program->reductions[r];
        const size_t size = heddle__value_size(instr);
        if (at) w->at[r] = NULL, w->lanes_at[r] = NULL;
        if (size > value_bytes) value_bytes = size;
        PLACE(w->value[r], m * size);
        if (at) w->result[r] = w->value[r];
        if (heddle__is_counted(job, r))
            PLACE(w->result[r], m * heddle__value_size(&job->launch->program->reductions[r]));
        if (heddle__is_arg(instr)) {
            arg = true;
            PLACE(w->result[r], m * 8);
            PLACE(w->at[r], m * sizeof(int32_t));
            PLACE(w->lanes_at[r], lanes * sizeof(int32_t));
        }
        PLACE(w->lanes[r], lanes * size);
        if (!job->combine && !job->empty && job->order == ORDER_TREE)
            PLACE(w->branch[r],
                  HEDDLE_BRANCHES * (job->fold.run ? (size_t)job->fold.strip : m) * size);
    }
    if (arg) PLACE(w->temporary, HEDDLE_TREE_LANES * 8);
    if (job->counted) PLACE(w->counts, m * sizeof(int64_t));
    if (!job->combine && !job->empty && job->order == ORDER_ROWS)
        PLACE(w->turned,
              (job->fold.run ? HEDDLE_TREE_LANES : (size_t)(job->walk.cut * job->walk.inner)) *
                  value_bytes);
    for (int r = 0; r < job->program->n_reductions; r++) {
        const bool slabs = !job->combine && !job->empty && job->order == ORDER_SLABS;
        const size_t bytes = slabs ? heddle__slabs_room(job, r) : 0;
        if (at) w->slabs[r] = NULL;
        if (bytes > 0) PLACE(w->slabs[r], bytes);
    }
#undef PLACE
    if (!job->combine && !job->empty && job->fold.run) {
        if (at) heddle__fold_begin(job, w, at + used);
        used += heddle__fold_room(job);
    }
    if (!job->combine && !job->empty) {
        if (at) begin(job, &w->lane, &job->code, at + used, NULL);
        used += heddle__register_bytes(&job->code);
    }
    if (!job->to_partials) {
        if (at) begin(job, &w->after, &job->after, at + used, w->result);
        used += heddle__register_bytes(&job->after);
    }
    return used;
}

struct items {
    const struct heddle__reduce_job *job;
    struct heddle__shares shares;
    char *scratch; /* of all threads; NULL: it fits on the stack */
    size_t bytes;
    struct heddle__bad_note bad;
};

/* One thread's. */
static void run_items(void *argument, int thread)
{
    struct items *items = argument;
    const struct heddle__reduce_job *job = items->job;
    _Alignas(64) char local[STACK_SCRATCH_BYTES];
    struct heddle__reduce_worker w;
    lay_out(job, &w, items->scratch ? items->scratch + (size_t)thread * items->bytes : local);
    const int64_t n = job->to_partials ? job->n_chunks : 1;
    int64_t from, to;
    struct heddle__taker taker = heddle__taker(&items->shares, thread);
    while (heddle__take(&taker, &from, &to))
        for (int64_t i = from; i < to; i++) heddle__reduce_item(job, &w, i / n, i % n);
    if (!job->to_partials && job->after.copy_streams) job->after.blocks->moves.settle();
    if (!job->combine && !job->empty) heddle__lane_end(&w.lane, &job->code, &items->bad);
}

static enum heddle_status run_job(const struct heddle__reduce_job *job, struct heddle_team *team)
{
    const struct heddle_geometry *g = &job->launch->geometry;
    const int64_t n_tiles = heddle__walk_blocks(&job->kept, 0);
    const int64_t n_items = n_tiles * (job->to_partials ? job->n_chunks : 1);
    double additions = (double)heddle__kept_size(g);
    if (job->combine)
        additions *= (double)job->n_chunks;
    else if (!job->empty)
        additions *=
            (double)heddle__reduced_size(g) * (job->fold.run ? job->fold.weight : job->code.weight);
    if (!job->combine && !job->empty && !job->fold.run) {
        struct heddle__form *const form = job->fold.form ? job->fold.form : job->code.form;
        if (form) heddle__form_count(form, additions);
    }
    const int n_threads =
        heddle__cpu_threads(team, additions * heddle__cpu_addition(job->launch->program), n_items);
    struct items items = {.job = job, .bytes = lay_out(job, NULL, NULL)};
    if (!job->to_partials && job->after.form)
        heddle__form_count(job->after.form, job->after.weight * (double)heddle__kept_size(g));
    if (items.bytes > STACK_SCRATCH_BYTES) {
        items.scratch = heddle__alloc_aligned(items.bytes * (size_t)n_threads);
        if (!items.scratch)
            return heddle__fail(HEDDLE_ENOMEM, "no memory for a reduction's values");
    }
    heddle__shares_begin(&items.shares, n_items, n_threads);
    heddle__team_run(team, n_threads, run_items, &items);
    heddle__free(items.scratch);
    return heddle__bad_status(&items.bad);
}

/* ---- blocks and tiles: kept.extent is known ----------------------------------------------------- */

static void shape_rows(struct heddle__reduce_job *job, int64_t target)
{
    struct heddle__walk *walk = &job->walk, *kept = &job->kept;
    heddle__walk_shape(walk, 0, target);
    if (walk->first >= kept->ndim) { /* blocks are of whole rows */
        walk->first = kept->ndim - 1;
        walk->inner = 1;
        for (int d = kept->ndim; d < walk->ndim; d++) walk->inner *= walk->extent[d];
        walk->cut = target / walk->inner;
        if (walk->cut > walk->extent[walk->first]) walk->cut = walk->extent[walk->first];
    }
    heddle__panels_choose(walk, job->program, job->program->n_before, UINT32_MAX);
    kept->first = walk->first;
    kept->cut = walk->cut;
    kept->near = walk->near;
    kept->strip = walk->strip;
    kept->columns = walk->columns;
    kept->sideways = walk->near >= 0 && walk->near < walk->first;
    kept->inner = 1;
    for (int d = kept->first + 1; d < kept->ndim; d++) kept->inner *= kept->extent[d];
}

static void shape_kept(struct heddle__reduce_job *job, struct heddle_team *team, int64_t kept_size,
                       int64_t target)
{
    struct heddle__walk *walk = &job->walk, *kept = &job->kept;
    const int64_t n = kept_size * (job->to_partials ? job->n_chunks : 1);
    const int64_t share = n / (2 * heddle__team_size(team)), some = share < 128 ? 128 : share;
    /* so that each thread has some: of partial results only where that cuts rows */
    if (some < target && (!job->to_partials || some < kept_size)) target = some;
    heddle__walk_shape(walk, job->chunk, target);
    const bool tiles = walk->first >= job->kept_axis;
    if (!tiles && walk->first == job->chunk && walk->cut > job->chunk_rows)
        walk->cut = job->chunk_rows;
    /* blocks of a tile follow each other along the last reduced axis that they cut */
    heddle__panels_choose(walk, job->program, job->program->n_before,
                          UINT32_C(1) << (tiles ? job->kept_axis - 1 : walk->first));
    kept->first = tiles ? walk->first - job->kept_axis : 0;
    kept->cut = tiles ? walk->cut : kept->extent[0];
    kept->inner = tiles ? walk->inner : kept_size / kept->extent[0];
}

static void shape_in_place(struct heddle__reduce_job *job, struct heddle_team *team,
                           int64_t kept_size)
{
    enum { LEAST = 128 };
    struct heddle__walk *walk = &job->walk;
    const bool lanes = job->order == ORDER_LANES;
    const int64_t n = kept_size * (job->to_partials ? job->n_chunks : 1);
    const int64_t most = lanes ? SHORT_BLOCK : HEDDLE_BLOCK, least = lanes ? 1 : LEAST;
    int64_t target = n / (ITEMS_OF_THREAD * heddle__team_size(team));
    if (target > most) target = most;
    heddle__walk_shape(&job->kept, 0, target > least ? target : least);
    heddle__walk_shape(walk, walk->ndim - 1, HEDDLE_BLOCK);
}

/* Whether a chunk is one run of values that are read where they lie: then longer blocks are fewer. */
static bool is_one_run(const struct heddle__reduce_job *job)
{
    const struct heddle_program *p = job->program;
    const int last = job->walk.ndim - 1;
    bool all = last == job->chunk;
    for (int i = 0; i < p->n_before; i++)
        all &= p->instrs[i].code == HEDDLE_CODE_LOAD && job->walk.stride[p->instrs[i].a][last] == 1;
    return all;
}

/* Lines of an operand that lies across hold neighbours of several kept elements, whose chunks are then visited
 * together, or of several rows of a chunk, which panels then hold as a whole. */
static void shape_lanes(struct heddle__reduce_job *job, struct heddle_team *team, int64_t kept_size)
{
    enum { ROWS_BYTES = 1 << 19, LEAST_ROWS = 8, LONG_BLOCK = 8192 };
    struct heddle__walk *walk = &job->walk, *kept = &job->kept;
    const int last_kept = job->kept_axis + kept->ndim - 1, chunk = job->chunk;
    const int64_t whole = walk->extent[chunk];
    walk->extent[chunk] = job->chunk_rows;
    heddle__walk_shape(walk, chunk, is_one_run(job) ? LONG_BLOCK : HEDDLE_BLOCK);
    const int64_t cut = walk->cut;
    const bool rows = walk->first == chunk + 1;
    heddle__panels_choose(walk, job->program, job->program->n_before,
                          UINT32_C(1) << last_kept | UINT32_C(1) << walk->first |
                              (uint32_t)rows << chunk);
    if (walk->near == last_kept) {
        const int64_t items = kept_size * (job->to_partials ? job->n_chunks : 1);
        const int64_t share = items / (2 * heddle__team_size(team)); /* two for each thread */
        int64_t n = 1;
        for (int d = chunk; d < walk->ndim; d++) n *= walk->extent[d];
        const int64_t most = share > LEAST_ROWS ? share : LEAST_ROWS;
        if (walk->strip > most) walk->strip = most;
        job->group = walk->strip;
        /* not a power of two, which would share few sets of a cache */
        job->lanes_pitch = (n < HEDDLE_TREE_LANES ? n : HEDDLE_TREE_LANES) + HEDDLE_CACHE_LINE;
    } else if (walk->near == chunk && rows) {
        walk->cut = cut;
        walk->columns = walk->extent[walk->first];
        const int64_t row_bytes = walk->columns * walk->inner * 8;
        if (walk->strip > ROWS_BYTES / row_bytes) walk->strip = ROWS_BYTES / row_bytes;
        if (walk->strip < LEAST_ROWS) walk->near = -1;
    }
    walk->extent[chunk] = whole;
    int64_t target = job->to_partials ? 1 : kept_size / (4 * heddle__team_size(team));
    if (target > SHORT_BLOCK) target = SHORT_BLOCK;
    heddle__walk_shape(kept, 0, target < job->group ? job->group : target);
}

/* Blocks of rows that are read where they lie may as well be larger, if there are some for each thread. */
static void use_large_rows(struct heddle__reduce_job *job, struct heddle_team *team,
                           int64_t kept_size)
{
    /* not a power of two: rows of 16 turned over would lie 4096 bytes apart, and share few sets of a cache */
    enum { LARGE_BLOCK = 8192 - 128, BLOCKS_OF_THREAD = 8 };
    const struct heddle__code *code = &job->code;
    const int64_t blocks = kept_size * heddle__reduced_size(&job->launch->geometry) / LARGE_BLOCK;
    const int n_threads = heddle__team_size(team);
    if (code->n_steps > 0 || code->n_registers > 0 || code->n_panels > 0 ||
        blocks < (n_threads > 1 ? BLOCKS_OF_THREAD * n_threads : 1))
        return;
    shape_rows(job, LARGE_BLOCK);
    heddle__decode(&job->code, &job->code_room, &job->walk, job->elements, job->buffers,
                   job->program->n_before, true);
}

/* Blocks of elements that are read where they lie, and that have all kept elements of a chunk, may as well be a whole one. */
static void use_large_blocks(struct heddle__reduce_job *job, struct heddle_team *team,
                             int64_t kept_size)
{
    enum { LARGE_BLOCK = 16384 };
    const struct heddle__code *code = &job->code;
    if (code->n_steps > 0 || code->n_registers > 0 || code->n_panels > 0 || !job->to_partials ||
        job->walk.first >= job->kept_axis)
        return;
    shape_kept(job, team, kept_size, LARGE_BLOCK);
    heddle__decode(&job->code, &job->code_room, &job->walk, job->elements, job->buffers,
                   job->program->n_before, true);
}

static int64_t tile_of(const struct heddle__walk *kept)
{
    return kept->cut * kept->inner;
}

/* The same of slabs, of which a block is followed by another one's. */
static void use_long_parts(struct heddle__reduce_job *job, struct heddle_team *team)
{
    if (job->code.n_steps == 0 && job->code.n_registers == 0) {
        heddle__slabs_shape(job, team, true);
        heddle__decode(&job->code, &job->code_room, &job->walk, job->elements, job->buffers,
                       job->program->n_before, true);
    }
    job->code.fetches_next = false;
}

/* Decodes one pass: from elements, or (`combine`, `empty`) without them. */
static void decode(struct heddle__reduce_job *job, struct heddle_team *team)
{
    const struct heddle_launch *launch = job->launch;
    const struct heddle_geometry *g = &launch->geometry;
    const struct heddle_program *p = launch->program;
    const int64_t kept_size = heddle__kept_size(g);
    const uint8_t phase = g->phase;
    job->elements = launch;
    job->program = p;
    job->counted = 0;
    job->group = 1;
    job->lanes_pitch = HEDDLE_TREE_LANES;
    uint32_t operands = 0; /* that this launch has */
    if (phase != HEDDLE_PHASE_COMBINE)
        operands |= heddle__reduce_operands(p, 0, p->n_before, false);
    if (phase != HEDDLE_PHASE_PARTIAL)
        operands |= heddle__reduce_operands(p, p->n_before, p->n_instrs, true);
    heddle__walk_begin(&job->kept);
    heddle__walk_add(&job->kept, launch, operands, 0, g->n_kept);
    if (job->combine || job->empty) {
        heddle__walk_shape(&job->kept, 0, SHORT_BLOCK);
    } else {
        heddle__reduce_choose_order(job, team, operands);
        if (job->by_blocks && !job->fold.run) {
            struct heddle__form *const form = job->fold.form; /* the other counts for it, too */
            job->launch = job->by_blocks;
            job->by_blocks = NULL;
            decode(job, team);
            if (form) job->fold.form = form;
            return;
        }
        if (job->fold.run && job->order != ORDER_LANES)
            heddle__fold_shape(job, (int64_t)ITEMS_OF_THREAD * heddle__team_size(team));
        else if (job->order == ORDER_SLABS)
            heddle__slabs_shape(job, team, false);
        else if (job->order == ORDER_ROWS)
            shape_rows(job, HEDDLE_BLOCK);
        else if (job->in_place)
            shape_in_place(job, team, kept_size);
        else if (heddle__is_across(job->order))
            shape_kept(job, team, kept_size, HEDDLE_BLOCK);
        else
            shape_lanes(job, team, kept_size);
        if (job->fold.run) job->group = 1;
        heddle__decode(&job->code, &job->code_room, &job->walk, job->elements, job->buffers,
                       p->n_before, true);
        if (job->order == ORDER_KEPT && !job->in_place && !job->fold.run)
            use_large_blocks(job, team, kept_size);
        if (job->order == ORDER_SLABS) use_long_parts(job, team);
        if (job->order == ORDER_ROWS && !job->fold.run) use_large_rows(job, team, kept_size);
        while (job->order == ORDER_LANES && job->walk.cut > 1 &&
               job->walk.cut * job->walk.inner > SHORT_BLOCK &&
               heddle__value_bytes(&job->code) > REGISTERS_BYTES)
            job->walk.cut = (job->walk.cut + 1) / 2;
    }
    if (!job->to_partials)
        heddle__decode(&job->after, &job->after_room, &job->kept, launch, job->buffers, p->n_instrs,
                       false);
    job->tile = tile_of(&job->kept);
}

static enum heddle_status reduce(struct heddle__reduce_job *job, struct heddle_team *team)
{
    decode(job, team);
    return run_job(job, team);
}

static void set_job(struct heddle__reduce_job *job, const struct heddle_launch *launch,
                    void *const buffers[], const union heddle_scalar constants[])
{
    const struct heddle_geometry *g = &launch->geometry;
    job->launch = launch;
    job->by_blocks = NULL;
    job->blocks = heddle__cpu_blocks();
    job->buffers = buffers;
    job->constants = constants;
    job->n_chunks = g->n_chunks;
    job->combine = g->phase == HEDDLE_PHASE_COMBINE;
    job->to_partials = g->phase == HEDDLE_PHASE_PARTIAL;
    job->empty = g->n_chunks == 0 || (!job->combine && heddle__reduced_size(g) == 0);
}

void heddle__reduce_begin(struct heddle__reduce_job *job, const struct heddle_launch *launch,
                          void *const buffers[], const union heddle_scalar constants[],
                          struct heddle_team *team)
{
    set_job(job, launch, buffers, constants);
    decode(job, team);
}

enum heddle_status heddle__reduce_run(const struct heddle__reduce_job *job,
                                      struct heddle_team *team)
{
    return run_job(job, team);
}

enum heddle_status heddle__reduce_box(const struct heddle_launch *launch, void *const buffers[],
                                      const union heddle_scalar constants[],
                                      struct heddle_team *team)
{
    const struct heddle_geometry *g = &launch->geometry;
    const struct heddle_program *p = launch->program;
    struct heddle__reduce_job job; /* large: only what is used is set */
    struct heddle_launch exchanged;
    struct heddle_access access[HEDDLE_MAX_OPERANDS];
    const enum heddle__exchange better = heddle__reduce_exchange(launch, &exchanged, access);
    set_job(&job, better == EXCHANGE_NONE ? launch : &exchanged, buffers, constants);
    if (better == EXCHANGE_TO_FOLD) job.by_blocks = launch;
    if (job.empty && job.to_partials) return HEDDLE_OK;
    /* element numbers of argmax, within a chunk and among chunks, are 32 bits wide */
    for (int r = 0; r < p->n_reductions; r++)
        HEDDLE_REQUIRE(g->n_chunks <= INT32_MAX || !heddle__is_arg(&p->reductions[r]),
                       HEDDLE_ERANGE, "%s: too many elements",
                       heddle__reductions[p->reductions[r].op].name);
    if (g->phase != HEDDLE_PHASE_WHOLE) {
        for (int r = 0; r < p->n_reductions; r++)
            job.partial[r] = buffers[launch->buffer[p->n_operands + r]];
        return reduce(&job, team);
    }
    if (job.empty || job.n_chunks == 1) return reduce(&job, team);

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
    enum heddle_status status = reduce(&job, team);
    if (status == HEDDLE_OK) {
        job.to_partials = false;
        job.combine = true;
        status = reduce(&job, team);
    }
    heddle__free(scratch);
    return status;
}
