/* In which order a reduction's elements are visited, and what is added up. Entry points: heddle__reduce_choose_order,
 * heddle__reduce_operands. */
#include "cpu/reduce/reduce.h"

#include <base/hash.h>
#include <base/team.h>

/* Reduced elements, at most, for ORDER_ROWS; of values that are loaded alone, which may come in blocks of many rows. */
enum { ROW_MAX = 512, LOADED_ROW_MAX = HEDDLE_TREE_LANES };

/* Operands loaded by instructions from..to-1, and the stored ones. */
uint32_t heddle__reduce_operands(const struct heddle_program *p, int from, int to, bool stored)
{
    uint32_t bits = 0;
    for (int i = from; i < to; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD) bits |= UINT32_C(1) << p->instrs[i].a;
    for (int s = 0; stored && s < p->n_stores; s++) bits |= UINT32_C(1) << p->stores[s].operand;
    return bits;
}

/* Kept axes of the launch that are not part of the last one of several of the walk over them. */
static int before_slabs(const struct heddle__reduce_job *job)
{
    int d = 0;
    while (job->kept.axis[d] != job->kept.ndim - 1) d++;
    return d;
}

/* The walk over the elements and what of it chunks are. */
static void set_walk(struct heddle__reduce_job *job, uint32_t kept_operands)
{
    const struct heddle_launch *launch = job->launch;
    const struct heddle_geometry *g = &launch->geometry;
    const uint32_t loaded = heddle__reduce_operands(job->program, 0, job->program->n_before, false);
    const int split =
        g->split_axis < g->n_kept || g->split_axis > g->ndim ? g->n_kept : g->split_axis;
    const bool kept_last = heddle__is_across(job->order) || job->order == ORDER_SLABS;
    const int outer = job->order == ORDER_SLABS ? before_slabs(job) : kept_last ? 0 : g->n_kept;
    struct heddle__walk *walk = &job->walk;
    heddle__walk_begin(walk);
    job->kept_axis = 0;
    if (!kept_last || outer > 0) heddle__walk_add(walk, launch, kept_operands, 0, outer);
    job->pre = walk->ndim;
    job->n_pre = heddle__walk_add(walk, launch, loaded, g->n_kept, split);
    job->chunk = walk->ndim;
    heddle__walk_add(walk, launch, loaded, split, g->ndim);
    if (kept_last) {
        job->kept_axis = walk->ndim;
        heddle__walk_add(walk, launch, kept_operands, outer, g->n_kept);
    }
    const int64_t extent = split < g->ndim ? g->extent[split] : 1, whole = walk->extent[job->chunk];
    job->chunk_rows = extent > 1 ? whole / extent * g->split_rows : whole;
    if (job->chunk_rows > whole) job->chunk_rows = whole;
    job->n_split = (whole + job->chunk_rows - 1) / job->chunk_rows;
}

/* Whether values are in runs along the last axis that need no blocks: nothing is computed, and runs are long enough. Those of
 * reduced axes that are a whole chunk, or have other lanes each time, are better in blocks. */
static bool find_in_place(struct heddle__reduce_job *job)
{
    enum { LEAST_BYTES = 128, LEAST_OF_LANES = 256 };
    const struct heddle_program *p = job->program;
    const struct heddle__walk *walk = &job->walk;
    const int last = walk->ndim - 1;
    const int64_t n = walk->extent[last];
    const bool lanes = job->order == ORDER_LANES;
    const size_t least = lanes ? LEAST_OF_LANES : LEAST_BYTES;
    if (job->order == ORDER_ROWS || job->order == ORDER_TREE ||
        (lanes && (last == job->chunk || n >= HEDDLE_TREE_LANES || HEDDLE_TREE_LANES % n != 0)))
        return false;
    for (int r = 0; r < p->n_reductions; r++) {
        const struct heddle_reduce_instr *instr = &p->reductions[r];
        const struct heddle_instr *value = &p->instrs[instr->value];
        if (value->code != HEDDLE_CODE_LOAD || walk->stride[value->a][last] != 1 ||
            (size_t)n * heddle__value_size(instr) < least || (lanes && heddle__is_arg(instr)))
            return false;
        job->operand[r] = (uint8_t)value->a;
    }
    return true;
}

/* Whether every element is an accumulator as it is. */
static bool takes_all(const struct heddle_program *p)
{
    bool all = true;
    for (int r = 0; r < p->n_reductions; r++) all &= heddle__takes_all(&p->reductions[r]);
    return all;
}

/* Whether nothing is computed before the reductions. */
static bool loads_alone(const struct heddle_program *p)
{
    bool all = true;
    for (int i = 0; i < p->n_before; i++) all &= p->instrs[i].code == HEDDLE_CODE_LOAD;
    return all;
}

/* Whether the neighbours of every element that is loaded are those of the next row, or all rows have the same. */
static bool lie_across(const struct heddle__reduce_job *job)
{
    enum { LEAST_ROWS = 64 };
    const struct heddle_launch *launch = job->launch;
    const struct heddle_program *p = job->program;
    const int inner = launch->geometry.n_kept - 1;
    if (inner < 0 || launch->geometry.extent[inner] < LEAST_ROWS) return false;
    for (int i = 0; i < p->n_before; i++) {
        if (p->instrs[i].code != HEDDLE_CODE_LOAD) continue;
        const int64_t stride = launch->access[p->instrs[i].a].stride[inner];
        if (stride != 0 && stride != 1) return false;
    }
    return true;
}

/* Whether elements may go from left to right, for the bits of the tree; of -0.0 and 0.0 either may be an extreme (heddle/reduce.h). */
static bool go_in_order(const struct heddle__reduce_job *job)
{
    const struct heddle_program *p = job->program;
    bool all = true;
    for (int r = 0; r < p->n_reductions; r++)
        all &= heddle__is_associative(&p->reductions[r]) || heddle__is_count(p, r);
    return all;
}

/* Whether there are no places, and every element counts: branches of the tree are then values alone. */
static bool sums_all(const struct heddle_program *p)
{
    return takes_all(p) && !heddle__has_arg(p);
}

/* The order of one element of each of many rows at a time, if that is better than all of one row: rows lie across, or are short and in several places, as
 * the pixels are that a pooling layer brings together. */
static enum heddle__visit_order across_or(const struct heddle__reduce_job *job,
                                          struct heddle_team *team)
{
    enum { ROWS_OF_THREAD = 256 };
    const struct heddle__walk *walk = &job->walk;
    const struct heddle_geometry *g = &job->launch->geometry;
    const int64_t length = heddle__reduced_size(g);
    const int64_t enough = (int64_t)ROWS_OF_THREAD * heddle__team_size(team);
    int n = 0; /* reduced axes that do not go on where the next one ends */
    for (int d = job->kept.ndim; d < walk->ndim; d++) n += walk->extent[d] > 1;
    if (job->n_chunks > 1 || job->order == ORDER_KEPT) return job->order;
    if (length <= HEDDLE_TREE_SHORT)
        return job->order == ORDER_ROWS && (n > 1 || lie_across(job)) ? ORDER_KEPT : job->order;
    if (!lie_across(job) || heddle__kept_size(g) < enough) return job->order;
    if (go_in_order(job)) return ORDER_KEPT;
    return length <= HEDDLE_TREE_ACROSS && heddle__kept_size(g) > HEDDLE_BLOCK &&
                   sums_all(job->program)
               ? ORDER_TREE
               : job->order;
}

/* Adds truth values up as short numbers, of which a vector has many. */
static void count_bools(struct heddle__reduce_job *job, enum heddle_dtype as)
{
    const struct heddle_program *p = job->launch->program;
    const int bits = 8 * (int)heddle_dtype_size(as);
    for (int r = 0; r < p->n_reductions; r++)
        if (heddle__is_count(p, r)) job->counted |= UINT32_C(1) << r;
    if (!job->counted) return;
    job->count_dtype = (uint8_t)as;
    job->most_counted = bits == 64 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    job->counting_program = *p;
    if (p->hash != 0) /* that of a program which has none stays so */
        job->counting_program.hash =
            heddle__hash_word(p->hash, (uint64_t)job->counted << 8 | (uint64_t)as);
    for (int r = 0; r < p->n_reductions; r++) {
        struct heddle_reduce_instr *instr = &job->counting_program.reductions[r];
        if (!heddle__is_counted(job, r)) continue;
        instr->value = p->instrs[instr->value].a;
        instr->dtype = (uint8_t)as;
    }
    job->counting = *job->launch;
    job->counting.program = job->program = &job->counting_program;
    job->elements = &job->counting;
}

static void count_no_bools(struct heddle__reduce_job *job)
{
    job->counted = 0;
    job->program = job->launch->program;
    job->elements = job->launch;
}

/* Unsigned integers as large as what truth values are made of: a comparison gives a lane of each. */
static enum heddle_dtype widest(const struct heddle_program *p)
{
    size_t most = 1;
    for (int i = 0; i < p->n_before; i++) {
        if (p->instrs[i].code == HEDDLE_CODE_CAST && p->instrs[i].dtype == HEDDLE_BOOL) continue;
        const size_t size = heddle_dtype_size((enum heddle_dtype)p->instrs[i].dtype);
        if (size > most) most = size;
    }
    return most == 1   ? HEDDLE_UINT8
           : most == 2 ? HEDDLE_UINT16
           : most == 4 ? HEDDLE_UINT32
                       : HEDDLE_UINT64;
}

/* Whether the job, in the order that it has, is a fold that is compiled. */
static bool becomes_fold(struct heddle__reduce_job *job)
{
    if (!heddle__fold_pays(job)) return false;
    const enum heddle_dtype as = widest(job->launch->program);
    const bool is_narrow = heddle_dtype_size(as) < 4;
    /* lanes are added up as they are, to what a whole chunk has */
    if (job->order != ORDER_TREE)
        count_bools(job, job->order == ORDER_LANES && is_narrow ? HEDDLE_UINT32 : as);
    if (heddle__fold_find(job)) return true;
    count_no_bools(job);
    return false;
}

/* Whether rows are folded many at a time, in the order in which they may be combined. */
static bool rows_become_fold(struct heddle__reduce_job *job, uint32_t operands)
{
    enum { LEAST_ROWS = 512 };
    const struct heddle_geometry *g = &job->launch->geometry;
    const int64_t length = heddle__reduced_size(g);
    if (job->order != ORDER_ROWS || loads_alone(job->program) || length < 2 ||
        heddle__kept_size(g) < LEAST_ROWS)
        return false;
    if (length <= HEDDLE_TREE_SHORT || go_in_order(job))
        job->order = ORDER_KEPT;
    else if (length <= HEDDLE_TREE_ACROSS && sums_all(job->program))
        job->order = ORDER_TREE;
    else
        return false;
    set_walk(job, operands);
    if (becomes_fold(job)) return true;
    job->order = ORDER_ROWS;
    set_walk(job, operands);
    return false;
}

/* Whether rows are folded one by one, in ORDER_ROWS: those that are a chunk, too. What is loaded alone is in vectors at once, by blocks of rows,
 * which the next reduction finds in the cache. */
static bool becomes_rows_fold(struct heddle__reduce_job *job)
{
    const enum heddle__visit_order order = job->order;
    const bool is_chunk = order == ORDER_LANES && job->n_chunks == 1;
    if ((order != ORDER_ROWS && !is_chunk) || job->fold.form || loads_alone(job->program))
        return false;
    job->order = ORDER_ROWS; /* whose walk is the same */
    if (heddle__fold_pays_rows(job) && heddle__fold_find(job)) return true;
    job->order = order;
    return false;
}

/* Whether elements are visited slab by slab. */
static bool becomes_slabs(struct heddle__reduce_job *job, uint32_t operands)
{
    if (!heddle__slabs_pay(job, loads_alone(job->program))) return false;
    job->order = ORDER_SLABS;
    set_walk(job, operands);
    return heddle__slabs_lie(job);
}

void heddle__reduce_choose_order(struct heddle__reduce_job *job, struct heddle_team *team,
                                 uint32_t operands)
{
    const struct heddle_program *p = job->program;
    const int64_t most = loads_alone(p) ? LOADED_ROW_MAX : ROW_MAX,
                  n = heddle__reduced_size(&job->launch->geometry);
    const bool rows = job->n_chunks == 1 && n <= most && takes_all(p);
    job->fold.run = NULL;
    job->fold.form = NULL;
    job->in_place = false;
    if (becomes_slabs(job, operands)) return;
    job->order = p->sequential ? ORDER_KEPT : rows ? ORDER_ROWS : ORDER_LANES;
    set_walk(job, operands);
    const enum heddle__visit_order by_rows = job->order;
    job->order = across_or(job, team);
    if (job->order != by_rows) set_walk(job, operands);
    if (rows_become_fold(job, operands)) return;
    if (becomes_rows_fold(job)) return;
    if (job->order == ORDER_KEPT) {
        if (!find_in_place(job) && becomes_fold(job)) return;
        count_bools(job, HEDDLE_UINT8);
    } else if (job->order != ORDER_ROWS && !loads_alone(p) && becomes_fold(job)) {
        return;
    }
    job->in_place = job->counted == 0 && find_in_place(job);
}
