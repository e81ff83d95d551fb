/* What a chain of launches over the same rows has in common. Entry points: rows.h. */
#include "rows.h"

#include "reduce_tree.h"
#include "scan_order.h"

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

const char *const heddle__scan_names[] = {[HEDDLE_SCAN_ADD] = "sum",
                                          [HEDDLE_SCAN_MULTIPLY] = "product",
                                          [HEDDLE_SCAN_MAXIMUM] = "maximum",
                                          [HEDDLE_SCAN_MINIMUM] = "minimum"};

int64_t heddle__scan_most(bool in_sequence)
{
    return in_sequence ? HEDDLE_TREE_SEQUENTIAL_CHUNK : HEDDLE_SCAN_CHUNK;
}

/* The first launch that says what the rows are. */
static const struct heddle_launch *first_along(const struct heddle_launch *first)
{
    while (first && first->program->n_reductions == 0 && !first->program->scan) first = first->next;
    return first;
}

/* Whether a launch that is a scan along the box's rows can be a stage: these have one axis, of as many elements as threads hold. Rows of lanes lie
 * along. */
static bool takes_scan(const struct heddle_rows *rows, const struct heddle_launch *l)
{
    const struct heddle_geometry *g = &l->geometry;
    int64_t longest = 1;
    for (int d = g->n_kept; d < g->ndim; d++)
        if (g->extent[d] > longest) longest = g->extent[d];
    for (int k = 0; k < l->program->n_operands && !rows->in_sequence; k++)
        for (int d = g->n_kept; d < g->ndim; d++)
            if (g->extent[d] > 1 && l->access[k].stride[d] != 1) return false;
    return longest == heddle__reduced_size(g) && longest <= heddle__scan_most(rows->in_sequence);
}

/* A reduction or a scan over the row, a map over all axes, or one over the rows alone; values of all but the last may depend on indices. Adds it to
 * the chain. */
static bool add_stage(struct heddle_rows *rows, const struct heddle_launch *l)
{
    const struct heddle_geometry *g = &l->geometry, *all = rows->box;
    const int stage = rows->n_stages;
    const bool is_scan = l->program->scan > 0, is_map = l->program->n_reductions == 0 && !is_scan;
    if (stage == HEDDLE_ROWS_STAGES || g->phase != HEDDLE_PHASE_WHOLE || l->program->n_checked > 0)
        return false;
    uint8_t *const axis = rows->axis[stage];
    const bool over_all = same_box(all, g, is_map, axis);
    if (!over_all && l->program->index_axes) return false;
    if (is_map && (g->n_kept != g->ndim || !(over_all || is_row_box(all, g, axis)))) return false;
    if (!is_map && (!over_all || g->n_kept != all->n_kept || g->n_chunks != 1 ||
                    (l->program->sequential != 0) != rows->in_sequence))
        return false;
    if (is_scan && !takes_scan(rows, l)) return false;
    rows->has_scans = rows->has_scans || is_scan;
    rows->rounds = rows->rounds || heddle__scan_rounds(l->program);
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
    const struct heddle_launch *const along = first_along(first);
    int readers[HEDDLE_MAX_OPERANDS];
    if (!along) return false;
    memset(rows, 0, sizeof *rows);
    rows->box = &along->geometry;
    rows->in_sequence = along->program->sequential;
    for (const struct heddle_launch *l = first; l; l = l->next)
        if (!add_stage(rows, l) || !add_operands(rows, rows->n_stages - 1, readers)) return false;
    rows->length = heddle__reduced_size(rows->box);
    merge_kept(rows, rows->box);
    return rows->n_rows > 0 && rows->length > 1;
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

bool heddle__rows_are_left(const struct heddle_rows *rows)
{
    bool is_read_last = false;
    for (int i = 0; i < rows->n_stages; i++) {
        const struct heddle_program *p = rows->stage[i]->program;
        if (rows->is_row_map[i]) continue;
        if (is_read_last || p->n_reductions != 1) return false;
        is_read_last = p->n_before > 1;
    }
    return true;
}

/* What the lanes of all reductions and scans take in shared memory. */
int64_t heddle__rows_lane_bytes(const struct heddle_rows *rows)
{
    int64_t bytes = 0;
    for (int i = 0; i < rows->n_stages; i++) {
        const struct heddle_program *p = rows->stage[i]->program;
        for (int r = 0; r < p->n_reductions; r++)
            bytes += HEDDLE_TREE_LANES * (int64_t)heddle__partial_size(&p->reductions[r]);
        if (p->scan)
            bytes += HEDDLE_SCAN_CHUNK / HEDDLE_SCAN_ITEMS *
                     (int64_t)heddle_dtype_size((enum heddle_dtype)p->operand_dtype[0]);
    }
    return bytes;
}
