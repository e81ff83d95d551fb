/* What a chain of launches over the same rows has in common. Entry points: rows.h. */
#include "rows.h"

#include "reduce_tree.h"

#include <string.h>

/* ---- One box ------------------------------------------------------------------------------------- */

static bool same_axis(const struct heddle_geometry *a, int d, const struct heddle_geometry *b,
                      int e)
{
    return a->extent[d] == b->extent[e] && a->origin[d] == b->origin[e] &&
           a->whole[d] == b->whole[e];
}

/* axis[d]: which of b's axes axis d of the reduction's box `a` is. A map has them in the order that they had before the kept ones
 * were put first. */
static bool same_box(const struct heddle_geometry *a, const struct heddle_geometry *b, bool is_map,
                     uint8_t axis[])
{
    if (a->ndim != b->ndim) return false;
    for (int e = 0, kept = 0, reduced = a->n_kept; e < a->ndim; e++) {
        const int d = !is_map ? e : a->reduced >> e & 1 ? reduced++ : kept++;
        axis[d] = (uint8_t)e;
    }
    for (int d = 0; d < a->ndim; d++)
        if (!same_axis(a, d, b, axis[d])) return false;
    return true;
}

/* Whether `b` is the box of the rows alone: a's kept axes, where those of extent 1 do not count. */
static bool is_row_box(const struct heddle_geometry *a, const struct heddle_geometry *b,
                       uint8_t axis[])
{
    int d = 0, e = 0;
    for (;; d++, e++) {
        while (d < a->n_kept && a->extent[d] == 1) d++;
        while (e < b->ndim && b->extent[e] == 1) e++;
        if (d == a->n_kept || e == b->ndim) return d == a->n_kept && e == b->ndim;
        if (!same_axis(a, d, b, e)) return false;
        axis[d] = (uint8_t)e;
    }
}

static const struct heddle_launch *first_reduction(const struct heddle_launch *first)
{
    while (first && first->program->n_reductions == 0) first = first->next;
    return first;
}

/* A reduction over the row, a map over all axes, or one over the rows alone; values of the first two may depend on indices. Adds it to the
 * chain. */
static bool add_stage(struct heddle_rows *rows, const struct heddle_launch *l)
{
    const struct heddle_geometry *g = &l->geometry, *all = rows->box;
    const int stage = rows->n_stages;
    const bool is_map = l->program->n_reductions == 0;
    if (stage == HEDDLE_ROWS_STAGES || g->phase != HEDDLE_PHASE_WHOLE || l->program->n_checked > 0)
        return false;
    uint8_t *const axis = rows->axis[stage];
    const bool over_all = same_box(all, g, is_map, axis);
    if (!over_all && l->program->index_axes) return false;
    if (is_map && (g->n_kept != g->ndim || !(over_all || is_row_box(all, g, axis)))) return false;
    if (!is_map && (!over_all || g->n_kept != all->n_kept || g->n_chunks != 1 ||
                    (l->program->sequential != 0) != rows->in_sequence))
        return false;
    rows->is_row_map[stage] = is_map && !over_all;
    for (int d = 0; d < all->ndim; d++)
        rows->index_axes |= (uint16_t)((l->program->index_axes >> axis[d] & 1) << d);
    rows->stage[rows->n_stages++] = l;
    return true;
}

/* ---- Operands ------------------------------------------------------------------------------------ */

/* How an operand walks: its step over the reduced axes together, or over the inner ones and then the outer ones, and its strides over the
 * kept ones that are longer than 1. A map of rows has no reduced ones. */
static bool walk_of(const struct heddle_rows *rows, int stage, int k,
                    struct heddle_rows_operand *out)
{
    const struct heddle_launch *l = rows->stage[stage];
    const struct heddle_geometry *box = rows->box;
    const struct heddle_access *access = &l->access[k];
    const uint8_t *axis = rows->axis[stage];
    int64_t next = 0; /* what the stride of the next axis outwards must be */
    int64_t elements = 1;
    for (int d = box->ndim - 1; d >= box->n_kept && !rows->is_row_map[stage]; d--) {
        const int64_t stride = access->stride[axis[d]];
        if (box->extent[d] == 1) continue;
        if (elements == 1)
            out->step = stride;
        else if (stride != next && out->period == 0) {
            out->period = elements;
            out->leap = stride;
        } else if (stride != next)
            return false;
        next = stride * box->extent[d];
        elements *= box->extent[d];
    }
    int n = 0;
    for (int d = 0; d < box->n_kept; d++)
        if (box->extent[d] > 1) out->stride[n++] = access->stride[axis[d]];
    out->offset = access->offset;
    out->buffer = l->buffer[k];
    out->dtype = l->program->operand_dtype[k];
    out->is_row = out->step == 0 && out->leap == 0;
    return true;
}

static bool same_walk(const struct heddle_rows_operand *a, const struct heddle_rows_operand *b)
{
    return a->dtype == b->dtype && a->offset == b->offset && a->step == b->step &&
           a->period == b->period && a->leap == b->leap &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

static bool is_stored(const struct heddle_program *p, int operand)
{
    for (int s = 0; s < p->n_stores; s++)
        if (p->stores[s].operand == operand) return true;
    return false;
}

/* Operands of a stage. An array that a stage stores is read by later ones at the same places only. */
static bool add_operands(struct heddle_rows *rows, int stage, int readers[])
{
    const struct heddle_launch *l = rows->stage[stage];
    const bool of_rows = l->program->n_reductions > 0 || rows->is_row_map[stage];
    const int before = rows->n_operands;
    for (int k = 0; k < l->program->n_operands; k++) {
        const bool stored = is_stored(l->program, k);
        struct heddle_rows_operand o = {0};
        if (!walk_of(rows, stage, k, &o)) return false;
        if (stored && o.is_row != of_rows) return false;
        o.is_made = stored;
        o.maker = (uint8_t)stage;
        o.is_passed = stored && l->passed >> k & 1;
        int u = 0;
        for (; u < rows->n_operands; u++) {
            const struct heddle_rows_operand *other = &rows->operand[u];
            if (other->buffer != o.buffer) continue;
            const bool same = same_walk(other, &o);
            if (stored || (other->is_made && (!same || u >= before))) return false;
            if (same) break;
        }
        if (u == HEDDLE_MAX_OPERANDS) return false;
        if (u == rows->n_operands) {
            rows->operand[rows->n_operands++] = o;
            readers[u] = 0;
        }
        rows->of[stage][k] = (uint8_t)u;
        readers[u]++;
        rows->operand[u].is_held = readers[u] > 1 && !rows->operand[u].is_row;
    }
    return true;
}

/* Kept axes whose neighbours all operands walk as one become one, if no value depends on an index along one. */
static void merge_kept(struct heddle_rows *rows, const struct heddle_geometry *g)
{
    const bool needs_index = rows->index_axes & ((1u << g->n_kept) - 1);
    rows->n_rows = 1;
    for (int d = 0, axis = 0; d < g->n_kept; d++) {
        if (g->extent[d] == 1) continue;
        const int last = rows->n_kept - 1;
        bool joins = last >= 0 && !needs_index;
        for (int u = 0; u < rows->n_operands && joins; u++)
            joins = rows->operand[u].stride[last] == rows->operand[u].stride[axis] * g->extent[d];
        const int at = joins ? last : rows->n_kept++;
        rows->extent[at] = joins ? rows->extent[at] * g->extent[d] : g->extent[d];
        for (int u = 0; u < rows->n_operands; u++)
            rows->operand[u].stride[at] = rows->operand[u].stride[axis];
        rows->n_rows *= g->extent[d];
        axis++;
    }
}

bool heddle__rows_of(const struct heddle_launch *first, struct heddle_rows *rows)
{
    const struct heddle_launch *const reduction = first_reduction(first);
    int readers[HEDDLE_MAX_OPERANDS];
    if (!reduction) return false;
    memset(rows, 0, sizeof *rows);
    rows->box = &reduction->geometry;
    rows->in_sequence = reduction->program->sequential;
    for (const struct heddle_launch *l = first; l; l = l->next)
        if (!add_stage(rows, l) || !add_operands(rows, rows->n_stages - 1, readers)) return false;
    rows->length = heddle__reduced_size(&reduction->geometry);
    merge_kept(rows, &reduction->geometry);
    return rows->n_rows > 0 && rows->length > 1;
}

/* ---- GPUs ------------------------------------------------------------------------------------------ */

/* The model. To keep up with its memory a multiprocessor needs some 40 KB under way, while other rows are computed on:
 * about 80 KB of rows in its 256 KB of registers. A thread needs about 160 bytes of them beside what it holds, so 64 to
 * 128 bytes of elements in each do; with more, too few warps are left to hide the latency of arithmetic. So a row has as few
 * threads as that allows: within a warp no thread waits at a barrier, and many short rows go on independently where
 * few long ones would wait together. Where there are too few rows to fill a GPU so, they have more threads. */
enum {
    GOOD_BYTES = 128, /* of elements, in a thread */
    MOST_BYTES = 256, /* where a row has all the threads that it can */
    SLOT_BYTES = 4,   /* a register each, even of small elements */
    MOST_SLOTS = 64,
    MOST_THREADS = 256,
    MOST_TOGETHER = 4,
    THREAD_LOADS = 32,      /* bytes: with less a thread takes several rows */
    BUSY_THREADS = 1 << 17, /* fill a large GPU by half */
    LEAST_TEAM = 8,
    TEAM_BYTES = 40, /* of elements, in a thread of a part of a warp */
    SECTOR_BYTES = 32,
    FEW_THREADS = 1 << 15,
    SLOTS_OF_FEW = 4, /* where rows are few: fewer are not worth a barrier */
    LONG_THREADS = HEDDLE_TREE_LANES,
    LONG_GROUP = 8, /* slots of a long row that are loaded together */
    MOST_PARTS = 16,
    SHARED_BYTES = 48 << 10 /* that a kernel may name */
};

static int64_t held_bytes(const struct heddle_rows *rows)
{
    int64_t bytes = 0;
    for (int u = 0; u < rows->n_operands; u++)
        if (rows->operand[u].is_held)
            bytes += (int64_t)heddle_dtype_size((enum heddle_dtype)rows->operand[u].dtype);
    return bytes < SLOT_BYTES ? SLOT_BYTES : bytes;
}

/* The widest element that threads read of a row. */
static int64_t bytes_of_element(const struct heddle_rows *rows)
{
    int64_t bytes = 1;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        const int64_t size = (int64_t)heddle_dtype_size((enum heddle_dtype)o->dtype);
        if (!o->is_row && !o->is_made && size > bytes) bytes = size;
    }
    return bytes;
}

static bool wants_more_threads(const struct heddle_rows *rows, int64_t bytes, int64_t threads)
{
    const int64_t n = rows->length;
    if (threads == MOST_THREADS || n <= 2 * threads) return false;
    return (n + threads - 1) / threads * bytes > GOOD_BYTES ||
           (rows->n_rows * threads < BUSY_THREADS && n >= 2 * threads * SLOTS_OF_FEW);
}

/* Whether a kernel knows the indices that values depend on: in a row those along its only axis. */
static bool knows_indices(const struct heddle_rows *rows)
{
    int n_of_row = 0;
    bool of_row = false;
    for (int d = rows->box->n_kept; d < rows->box->ndim; d++) {
        n_of_row += rows->box->extent[d] > 1;
        of_row = of_row || rows->index_axes >> d & 1;
    }
    return !of_row || n_of_row <= 1;
}

/* What the lanes of all reductions take in shared memory. */
static int64_t bytes_of_lanes(const struct heddle_rows *rows)
{
    int64_t bytes = 0;
    for (int i = 0; i < rows->n_stages; i++) {
        const struct heddle_program *p = rows->stage[i]->program;
        for (int r = 0; r < p->n_reductions; r++)
            bytes += HEDDLE_TREE_LANES * (int64_t)heddle__partial_size(&p->reductions[r]);
    }
    return bytes;
}

/* Bytes of a row that several stages read from memory. */
int64_t heddle__rows_reread(const struct heddle_rows *rows)
{
    int64_t bytes = 0;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        if (o->is_reread)
            bytes += rows->length * (int64_t)heddle_dtype_size((enum heddle_dtype)o->dtype);
    }
    return bytes;
}

/* What a stage costs an element where it is made anew, in operations, with what it is made of. */
static double cost_anew(const struct heddle_rows *rows, int maker, const double cost[])
{
    enum { OF_DOUBLES = 4 }; /* functions of float64 take more operations, at half the rate */
    const struct heddle_program *p = rows->stage[maker]->program;
    double flops = heddle__program_flops(p);
    for (int k = 0; k < p->n_stores; k++)
        if (heddle_dtype_size((enum heddle_dtype)p->operand_dtype[p->stores[k].operand]) >= 8) {
            flops *= OF_DOUBLES;
            break;
        }
    for (int k = 0; k < p->n_operands; k++) flops += cost[rows->of[maker][k]];
    return flops;
}

/* How many stages read what stage `maker` makes; -1: others do, too, or it is no map over all axes. */
static int readers_in_chain(const struct heddle_rows *rows, int maker)
{
    const struct heddle_program *p = rows->stage[maker]->program;
    int n = 0;
    if (p->n_reductions > 0 || rows->is_row_map[maker]) return -1;
    for (int k = 0; k < p->n_stores; k++)
        if (!rows->operand[rows->of[maker][p->stores[k].operand]].is_passed) return -1;
    for (int stage = maker + 1; stage < rows->n_stages; stage++) {
        bool reads = false;
        for (int k = 0; k < rows->stage[stage]->program->n_operands; k++) {
            const struct heddle_rows_operand *o = &rows->operand[rows->of[stage][k]];
            reads = reads || (o->is_made && o->maker == maker);
        }
        n += reads;
    }
    return n;
}

/* What is made anew, as that is cheap, and what is read again, in a form in which nothing is held. */
static void find_remade(struct heddle_rows *rows)
{
    enum { MOST_COST = 64 };
    double cost[HEDDLE_MAX_OPERANDS] = {0}; /* of what is made anew */
    for (int u = 0; u < rows->n_operands; u++)
        rows->operand[u].is_reread = rows->operand[u].is_held;
    for (int i = 0; i < rows->n_stages; i++) {
        const int n_readers = readers_in_chain(rows, i);
        const double flops = cost_anew(rows, i, cost);
        if (n_readers < 0 || flops * n_readers > MOST_COST) continue;
        for (int k = 0; k < rows->stage[i]->program->n_operands; k++) {
            const int u = rows->of[i][k];
            struct heddle_rows_operand *o = &rows->operand[u];
            if (o->is_made && o->maker == i) {
                o->is_remade = true;
                cost[u] = flops;
            }
            o->is_reread = !o->is_remade && !o->is_row;
        }
    }
}

/* A row that registers have no room for is read by each stage. A block of as many threads as the tree has lanes has it, so that few rows, of
 * 256 KB at most, are under way at once and only the first stage reads memory: the others find the row in the second-level cache. What
 * a stage makes for others is stored, if it is not cheap to make. */
static bool long_form(struct heddle_rows *rows, struct heddle_rows_form *form)
{
    enum { MOST = 64 * LONG_THREADS, MOST_ROW_BYTES = 256 << 10 };
    const int64_t n = rows->length, each = LONG_THREADS * LONG_GROUP;
    find_remade(rows);
    if (n > MOST || heddle__rows_reread(rows) > MOST_ROW_BYTES ||
        bytes_of_lanes(rows) > SHARED_BYTES)
        return false;
    const int64_t count = (n + each - 1) / each * LONG_GROUP;
    *form = (struct heddle_rows_form){
        .threads = LONG_THREADS,
        .parts = 1,
        .slots = (int)count,
        .full = (int)(n == LONG_THREADS * count ? count : count - LONG_GROUP),
        .group = LONG_GROUP,
        .rows = 1,
        .is_long = true,
    };
    return true;
}

/* Slots of a row that is held, which are loaded in groups of up to 8. */
static int group_of(int64_t slots)
{
    int group = 8;
    while (slots % group != 0) group--;
    return group < 4 ? (int)slots : group;
}

/* Counts of slots are rounded up, so that rows of about the same length share a kernel, and groups are large. */
static int64_t step_of(int64_t count)
{
    return count <= 8 ? 1 : count <= 16 ? 2 : count <= 32 ? 4 : 8;
}
static int64_t rounded(int64_t count)
{
    const int64_t step = step_of(count);
    return (count + step - 1) / step * step;
}

/* Whether the rows of a warp's threads, which go from left to right, want more warps: reductions wait for one warp after the
 * other, so no more than registers need, or than keep a GPU busy. */
static bool wants_more_parts(const struct heddle_rows *rows, int64_t bytes, int64_t parts)
{
    const int64_t count = (rows->length + parts - 1) / parts;
    const int64_t most = parts == 1 ? MOST_BYTES : GOOD_BYTES;
    if (parts == MOST_PARTS || !rows->in_sequence || rows->length <= HEDDLE_TREE_SHORT)
        return false;
    return count > MOST_SLOTS || count * bytes > most ||
           (rows->n_rows * parts < BUSY_THREADS && count > 2 * SLOTS_OF_FEW);
}

/* Rows in each thread, or in the same lane of several warps. */
static void form_of_threads(const struct heddle_rows *rows, int64_t bytes,
                            struct heddle_rows_form *form)
{
    const int64_t n = rows->length;
    int64_t together = 1, parts = 1;
    while (n <= HEDDLE_TREE_SHORT && together < MOST_TOGETHER &&
           together * n * bytes < THREAD_LOADS && rows->n_rows >= 2 * together * BUSY_THREADS)
        together *= 2;
    while (wants_more_parts(rows, bytes, parts)) parts *= 2;
    int64_t count = (n + parts - 1) / parts;
    if (parts > 1) count = rounded(count);
    *form = (struct heddle_rows_form){
        .threads = 1,
        .parts = (int)parts,
        .slots = (int)count,
        .full = (int)(n == parts * count ? count : 0),
        .group = group_of(count),
        .rows = (int)together,
    };
}

/* The fewest neighbours of a warp that do for a short row: they find its elements in whole sectors of memory, and each has some to compute on
 * at a time. Reductions take fewer steps where more of the tree is in each thread. */
static int64_t least_team(const struct heddle_rows *rows, int64_t bytes)
{
    int64_t threads = 32;
    while (threads > LEAST_TEAM && threads / 2 * bytes_of_element(rows) >= SECTOR_BYTES &&
           (rows->length + threads / 2 - 1) / (threads / 2) * bytes <= TEAM_BYTES &&
           rows->n_rows * threads / 2 >= FEW_THREADS)
        threads /= 2;
    return threads;
}

/* Rows in some threads of a warp, a warp or a block each. */
static void form_of_teams(const struct heddle_rows *rows, int64_t bytes,
                          struct heddle_rows_form *form)
{
    const int64_t n = rows->length;
    int64_t threads = least_team(rows, bytes);
    while (threads >= 32 && wants_more_threads(rows, bytes, threads)) threads *= 2;
    const int64_t exact = (n + threads - 1) / threads, count = rounded(exact);
    *form = (struct heddle_rows_form){
        .threads = (int)threads,
        .parts = 1,
        .slots = (int)count,
        .full = (int)(n == threads * count ? count : count - step_of(exact)),
        .group = group_of(count),
        .rows = 1,
    };
}

bool heddle__rows_form(struct heddle_rows *rows, struct heddle_rows_form *form)
{
    if (!knows_indices(rows)) return false;
    const int64_t bytes = held_bytes(rows);
    const bool of_threads = rows->in_sequence || rows->length <= HEDDLE_TREE_SHORT;
    if (of_threads)
        form_of_threads(rows, bytes, form);
    else
        form_of_teams(rows, bytes, form);
    if (form->parts > 1 &&
        bytes_of_lanes(rows) / (HEDDLE_TREE_LANES / 32) * form->parts > SHARED_BYTES)
        return false;
    if (form->slots <= MOST_SLOTS && form->slots * bytes <= MOST_BYTES) return true;
    return !of_threads && long_form(rows, form);
}

double heddle__rows_bytes(const struct heddle_rows *rows)
{
    double bytes = 0;
    for (int u = 0; u < rows->n_operands; u++) {
        const struct heddle_rows_operand *o = &rows->operand[u];
        double elements = o->is_row ? 1 : (double)rows->length;
        for (int d = 0; d < rows->n_kept; d++)
            if (o->stride[d] != 0) elements *= (double)rows->extent[d];
        if (!o->is_passed)
            bytes += elements * (double)heddle_dtype_size((enum heddle_dtype)o->dtype);
    }
    return bytes;
}
