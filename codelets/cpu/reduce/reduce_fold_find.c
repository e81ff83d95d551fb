/* Whether a reduction is folded by what is compiled, and in what tiles: which of its values change along a run or from row to row
 * (compiled/plan.h), and which operands are turned over. Entry points: heddle__fold_pays, _pays_rows, _find, _shape. */
#include "cpu/reduce/reduce.h"

#include <string.h>

enum {
    LEAST_RUN = 64, /* elements; blocks take several shorter ones at once */
    LONG_STRIP =
        512, /* elements of a run that all rows are folded to: the first cache keeps them */
    LEAST_LANES = 4 * HEDDLE_TREE_LANES, /* elements of a chunk that goes to lanes */
    LEAST_SHARED = 3,                    /* rows that read what is turned over */
    TURNED_BYTES = 1 << 17,              /* of them, read again and again */
    RECORD_BYTES = 1 << 13, /* those that are read once: the first cache has their records, too */
};

/* ---- The form ---------------------------------------------------------------------------------------- */

static bool is_computed(const struct heddle_instr *in)
{
    return in->code < HEDDLE_N_OPS || in->code == HEDDLE_CODE_CAST;
}

/* Which values change, and which of them do not along a run. False: there are values that folds do not have. */
static bool find_section(const struct heddle__reduce_job *job, struct heddle__section *section)
{
    const struct heddle_program *p = job->program;
    const struct heddle__walk *walk = &job->walk;
    uint8_t needed[HEDDLE_MAX_INSTRS] = {0};
    for (int r = 0; r < p->n_reductions; r++) needed[p->reductions[r].value] = 1;
    heddle__mark_needed(p, p->n_before, needed);
    memset(section, 0, sizeof *section);
    section->program = p;
    section->end = p->n_before;
    section->reduce = section->folds = true;
    section->tree = job->order == ORDER_TREE;
    section->lanes = job->order == ORDER_ROWS;
    for (int i = 0; i < p->n_before; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        const uint64_t bit = UINT64_C(1) << (i % 64);
        bool moves = false;
        if (!needed[i] || in->code == HEDDLE_CODE_CONSTANT) continue;
        if (in->code == HEDDLE_CODE_LOAD) {
            moves = heddle__walk_moves(walk, in->a, 0, walk->ndim);
            if (moves && walk->stride[in->a][walk->ndim - 1] == 0) section->flat[i / 64] |= bit;
        } else if (is_computed(in)) {
            const uint16_t operand[3] = {in->a, in->b, in->c};
            for (int k = 0; k < heddle__instr_arity(in); k++)
                moves |= heddle__bit(section->moving, operand[k]);
        } else {
            return false;
        }
        if (moves) section->moving[i / 64] |= bit;
    }
    return true;
}

/* Whether accumulators can begin with what changes nothing. */
static bool has_identity(const struct heddle_reduce_instr *r)
{
    const enum heddle_dtype dtype = (enum heddle_dtype)r->dtype;
    const char kind = heddle_dtype_kind(dtype);
    if (!heddle__takes_all(r) || heddle__is_half(dtype)) return false;
    if (kind == 'B') return r->op == HEDDLE_REDUCE_ANY || r->op == HEDDLE_REDUCE_ALL;
    if (kind == 'F' && (r->op == HEDDLE_REDUCE_NANMAX || r->op == HEDDLE_REDUCE_NANMIN))
        return false; /* there are many numbers that are none */
    return kind != 'C' || r->op == HEDDLE_REDUCE_SUM;
}

/* Whether reduced elements are along one axis, `chunk`. */
static bool is_one_axis(const struct heddle__reduce_job *job)
{
    bool one = job->chunk == job->kept_axis - 1;
    for (int d = job->pre; d < job->chunk; d++) one &= job->walk.extent[d] == 1;
    return one;
}

/* Bytes of the operands that are turned over, for one element of a run: those that many rows read, and short rows that lie one after the
 * other. -1: that does not pay. */
static int64_t find_turned(const struct heddle__reduce_job *job, struct heddle__fold *fold,
                           const struct heddle__section *section)
{
    const struct heddle_program *p = job->program;
    const struct heddle__walk *walk = &job->walk;
    const int last = walk->ndim - 1;
    int64_t bytes = 0;
    fold->n_turned = 0;
    fold->records = false;
    for (int i = 0; i < p->n_before; i++) {
        if (!heddle__bit(section->moving, i) || p->instrs[i].code != HEDDLE_CODE_LOAD) continue;
        const int o = p->instrs[i].a;
        const int64_t stride = walk->stride[o][last];
        if (stride == 0 || stride == 1) continue;
        if (job->order == ORDER_LANES) return -1;
        const bool is_shared = job->kept.ndim > 1 && walk->stride[o][last - 1] == 0 &&
                               walk->extent[last - 1] >= LEAST_SHARED;
        const bool is_record = stride > 0 && walk->stride[o][job->chunk] == 1 &&
                               walk->extent[job->chunk] <= HEDDLE_TREE_SHORT;
        if (!(is_shared || is_record) || !is_one_axis(job) || fold->n_turned == HEDDLE_TURNED)
            return -1;
        fold->records = fold->records || !is_shared;
        fold->turned[fold->n_turned++] = (uint8_t)o;
        bytes += walk->extent[job->chunk] *
                 (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[o]);
    }
    /* blocks of two such operands, which lie as the operands do, take half the time */
    if (fold->records && fold->n_turned > 1) return -1;
    return bytes * LEAST_RUN > TURNED_BYTES ? -1 : bytes;
}

bool heddle__fold_pays(const struct heddle__reduce_job *job)
{
    const struct heddle__walk *walk = &job->walk;
    bool pays = job->order == ORDER_LANES
                    ? job->chunk == walk->ndim - 1 && job->chunk_rows >= LEAST_LANES &&
                          !heddle__has_arg(job->launch->program)
                    : walk->extent[walk->ndim - 1] >= LEAST_RUN;
    for (int r = 0; r < job->launch->program->n_reductions; r++)
        pays &= has_identity(&job->launch->program->reductions[r]);
    return pays && (job->order != ORDER_TREE || is_one_axis(job));
}

bool heddle__fold_pays_rows(const struct heddle__reduce_job *job)
{
    enum { LEAST_ROWS = 16 };
    const struct heddle__walk *walk = &job->walk;
    const struct heddle_program *p = job->program;
    const int64_t n = walk->extent[walk->ndim - 1];
    bool pays = n == heddle__reduced_size(&job->launch->geometry) && n > HEDDLE_ROW_LANES &&
                n <= HEDDLE_ROW_MOST && heddle__kept_size(&job->launch->geometry) >= LEAST_ROWS &&
                !heddle__has_arg(p);
    for (int r = 0; r < p->n_reductions; r++)
        pays &= heddle__takes_all(&p->reductions[r]) &&
                !heddle__is_half((enum heddle_dtype)p->reductions[r].dtype);
    return pays;
}

bool heddle__fold_find(struct heddle__reduce_job *job)
{
    struct heddle__fold *fold = &job->fold;
    struct heddle__section section;
    fold->run = NULL;
    fold->form = NULL;
    if (!find_section(job, &section)) return false;
    const int64_t turned = find_turned(job, fold, &section);
    if (turned < 0) return false;
    fold->form = heddle__form_find(&section, job->blocks->isa);
    if (!fold->form) return false;
    heddle__run_function *const *functions;
    fold->plan = heddle__form_ready(fold->form, &functions);
    if (!fold->plan) return false;
    fold->run = functions[0];
    fold->joins = section.tree ? functions[1] : NULL;
    fold->strip = LONG_STRIP;
    const int64_t most = fold->records ? RECORD_BYTES : TURNED_BYTES;
    while (turned * fold->strip > most && fold->strip > LEAST_RUN) fold->strip /= 2;
    fold->weight = 0.5;
    for (int k = 0; k < fold->plan->n_items; k++) {
        const int op = job->program->instrs[fold->plan->items[k]].code;
        fold->weight += 0.3 * (op < HEDDLE_N_OPS ? (double)heddle__ops[op].flops : 1);
    }
    return true;
}

/* ---- Tiles ------------------------------------------------------------------------------------------- */

void heddle__fold_shape(struct heddle__reduce_job *job, int64_t items)
{
    enum { LEAST = 128, MOST = 4096, SHARED_MOST = 32768 };
    struct heddle__walk *kept = &job->kept;
    if (job->order == ORDER_ROWS) {
        const int64_t rows = heddle__kept_size(&job->launch->geometry) / items + 1;
        heddle__walk_shape(&job->walk, job->walk.ndim - 1, HEDDLE_BLOCK);
        heddle__walk_shape(kept, 0, rows < HEDDLE_FOLDED_ROWS ? rows : HEDDLE_FOLDED_ROWS);
        return;
    }
    const bool shares = job->fold.n_turned > 0 && !job->fold.records;
    int64_t target = heddle__kept_size(&job->launch->geometry) / items;
    if (target > (shares ? SHARED_MOST : MOST)) target = shares ? SHARED_MOST : MOST;
    heddle__walk_shape(&job->walk, job->walk.ndim - 1, HEDDLE_BLOCK);
    heddle__walk_shape(kept, 0, target > LEAST ? target : LEAST);
    if (!shares || kept->first < kept->ndim - 1) return;
    /* a strip of the last axis, for all rows that read it, one item after the other */
    if (kept->cut > job->fold.strip) kept->cut = job->fold.strip;
    kept->near = kept->ndim - 2;
    kept->strip = kept->extent[kept->near];
    kept->columns = kept->cut;
    kept->sideways = true;
}
