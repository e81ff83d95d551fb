/* Generated source of chains over the same rows: a thread, a warp or a block has a row in registers, and goes
 * through all stages. Reductions follow reduce_tree.h. Entry point: heddle__rows_source.
 *
 * Names in the text: unit, the row; k<a> its indices; s<u> where it begins in operand u; x<u>[t] held elements;
 * b<u> one element for the row; within a stage those of source_reduce.h; of staged operands those of staged.h. */
#include "cuda/rows/row_kernels.h"
#include "cuda/rows/shared_values.h"
#include "cuda/rows/staged.h"
#include "cuda/reductions/source_reduce.h"
#include "reduce_tree.h"

#include <stdio.h>

/* A stage, as the emitter of instructions sees it. */
struct stage_source {
    struct heddle_source source; /* first: the emitter's callbacks get it */
    const struct heddle_rows_class *rows;
    const struct heddle_rows *chain;
    const struct heddle_shared_values *shared;
    int number, first_constant;
    int from,
        to; /* slots that are gone through, in groups: of long rows first those that all threads have */
};

static int operand_of(const struct heddle_source *s, int operand)
{
    const struct stage_source *stage = (const struct stage_source *)s;
    return stage->rows->of[stage->number][operand];
}

static const char *operand_type(const struct heddle_rows *rows, int u)
{
    return heddle__source_type(rows->operand[u].dtype);
}

/* Where element f, in slot t, of the row is in operand u. */
static void put_place(const struct stage_source *stage, int u)
{
    struct heddle_text *t = stage->source.text;
    const struct heddle_rows_class *c = stage->rows;
    if (c->kind[u] & HEDDLE_ROWS_IS_STAGED)
        heddle__text_put(t, "at%d[hd_spaced<%s>(own + t)]", u, operand_type(stage->chain, u));
    else if (c->kind[u] & HEDDLE_ROWS_IS_ROW)
        heddle__text_put(t, "p%d[s%d]", u, u);
    else if (c->kind[u] & HEDDLE_ROWS_IS_UNIT)
        heddle__text_put(t, "p%d[s%d + f]", u, u);
    else if (c->kind[u] & HEDDLE_ROWS_LEAPS)
        heddle__text_put(t,
                         "p%d[s%d + hd_leaps((int)f, (int)args.v[%d], args.v[%d], (I)args.v[%d], "
                         "(I)args.v[%d])]",
                         u, u, heddle__rows_slot(c, u) + 2, heddle__rows_slot(c, u) + 3,
                         heddle__rows_slot(c, u) + 1, heddle__rows_slot(c, u) + 4);
    else
        heddle__text_put(t, "p%d[s%d + f * (I)args.v[%d]]", u, u, heddle__rows_slot(c, u) + 1);
}

/* Element f of the row in operand u, or none. */
static void put_read(const struct stage_source *stage, int u)
{
    heddle__text_put(stage->source.text, "!ok ? %s() : ", operand_type(stage->chain, u));
    put_place(stage, u);
}

static void load(const struct heddle_source *s, int operand)
{
    const struct stage_source *stage = (const struct stage_source *)s;
    const struct heddle_rows_class *c = stage->rows;
    const int u = operand_of(s, operand);
    if (c->kind[u] & HEDDLE_ROWS_IS_ROW) {
        heddle__text_put(s->text, "b%d", u);
    } else if (c->kind[u] & HEDDLE_ROWS_IS_HELD) {
        heddle__text_put(s->text, "x%d[t]", u);
    } else {
        heddle__text_put(s->text, "l%d[j]", u);
    }
}

static void index_along(const struct heddle_source *s, int axis)
{
    const uint8_t index = ((const struct stage_source *)s)->rows->index[axis];
    if (index == HEDDLE_ROWS_INDEX_IN_ROW)
        heddle__text_put(s->text, "(hd_int64)f");
    else
        heddle__text_put(s->text, "(hd_int64)k[%d]", index - HEDDLE_ROWS_INDEX_KEPT);
}

static const struct heddle_source_names names = {load, index_along, 0, NULL},
                                        quick_names = {load, index_along, 1, NULL};

/* f, the element in slot t, and ok: there is one. */
static void put_slot(const struct stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    heddle__text_put(stage->source.text,
                     "const I f = (I)(t * %d + %s);\nconst bool ok = ", c->threads,
                     c->threads > 1 ? "lane" : "0");
    if (stage->to <= c->full)
        heddle__text_put(stage->source.text, "true;\n");
    else
        heddle__text_put(stage->source.text, "t < %d || f < n;\n", c->full);
}

/* Whether one of the stage's first n instructions loads elements that no other stage reads. */
static bool reads_alone(const struct stage_source *stage, int u, int n)
{
    const struct heddle_program *p = stage->source.p;
    if (stage->rows->kind[u] & (HEDDLE_ROWS_IS_ROW | HEDDLE_ROWS_IS_HELD)) return false;
    for (int i = 0; i < n; i++)
        if (p->instrs[i].code == HEDDLE_CODE_LOAD &&
            operand_of(&stage->source, p->instrs[i].a) == u)
            return true;
    return false;
}

/* "for each slot {", for the stage's first n instructions. Slots come in groups: l<u>[j], what the stage alone reads for a group,
 * is under way together. Compilers do not move a load over the stores before it, nor over a quotient's branches. `quick`: the
 * values of a group share a check. */
static void put_slots(const struct stage_source *stage, int n, bool quick)
{
    struct heddle_text *t = stage->source.text;
    const struct heddle_rows_class *c = stage->rows;
    int group = 8;
    while (c->slots % group != 0) group--;
    if (group < 4) group = c->slots;
    heddle__text_put(t, "#pragma unroll%s\nfor (int group = %d; group < %d; group += %d) {\n",
                     c->is_long ? " 1" : "", stage->from, stage->to, group);
    for (int u = 0; u < c->n_operands; u++) {
        if (!reads_alone(stage, u, n)) continue;
        heddle__text_put(t,
                         "%s l%d[%d];\n#pragma unroll\nfor (int j = 0; j < %d; j++) {\n"
                         "const int t = group + j;\n",
                         operand_type(stage->chain, u), u, group, group);
        put_slot(stage);
        heddle__text_put(t, "l%d[j] = ", u);
        put_read(stage, u);
        heddle__text_put(t, ";\n}\n");
    }
    if (quick) heddle__text_put(t, HEDDLE_COMPUTE_BEGIN, "true");
    heddle__text_put(
        t, "#pragma unroll\nfor (int j = 0; j < %d; j++) {\nconst int t = group + j;\n", group);
    put_slot(stage);
}

static void put_slots_end(const struct stage_source *stage, bool quick)
{
    heddle__text_put(stage->source.text, quick ? "}\n" HEDDLE_COMPUTE_END "}\n" : "}\n}\n");
}

/* The next slots that are gone through, from -1 on; false: there are none left. */
static bool next_slots(struct stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    const bool in_two = c->is_long && c->full > 0 && c->full < c->slots;
    if (stage->to == c->slots) {
        stage->to = 0;
        return false;
    }
    stage->from = stage->to;
    stage->to = in_two && stage->from == 0 ? c->full : c->slots;
    return true;
}

/* ---- Stages ---------------------------------------------------------------------------------------- */

static void put_constants(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    int slot = stage->first_constant;
    for (int k = 0; k < p->n_constants; k++) {
        heddle__source_constant(&stage->source, k, slot);
        slot += heddle__cuda_slots_of_constant(p, k);
    }
}

/* Instruction i of an element: computed, or kept by an earlier stage, or to be kept. */
static void put_instr(const struct stage_source *stage, int i, bool quick)
{
    const struct heddle_source_names *by = quick ? &quick_names : &names;
    const struct heddle_shared_values *shared = stage->shared;
    for (int k = 0; k < shared->n; k++) {
        if (shared->instr[stage->number][k] != i) continue;
        if (shared->first[k] == stage->number) {
            heddle__source_instr(&stage->source, i, by);
            heddle__text_put(stage->source.text, "h%d[t] = v%d;\n", k, i);
        } else {
            heddle__text_put(stage->source.text, "const %s v%d = h%d[t];\n",
                             heddle__source_type(shared->dtype[k]), i, k);
        }
        return;
    }
    heddle__source_instr(&stage->source, i, by);
}

static void put_map(struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    const bool quick = c->is_long && heddle__source_is_quick(p, p->n_instrs);
    while (next_slots(stage)) {
        put_slots(stage, p->n_instrs, quick);
        for (int i = 0; i < p->n_instrs; i++) put_instr(stage, i, quick);
        for (int k = 0; k < p->n_stores; k++) {
            const int u = c->of[stage->number][p->stores[k].operand];
            if (c->kind[u] & HEDDLE_ROWS_IS_HELD)
                heddle__text_put(t, "x%d[t] = v%d;\n", u, p->stores[k].value);
            if (c->kind[u] & HEDDLE_ROWS_IS_PASSED) continue;
            heddle__text_put(t, "if (ok) ");
            put_place(stage, u);
            heddle__text_put(t, " = v%d;\n", p->stores[k].value);
        }
        put_slots_end(stage, quick);
    }
}

/* One element for each row, by each of its threads. */
static void put_row_map(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    for (int i = 0; i < p->n_instrs; i++) heddle__source_instr(&stage->source, i, &names);
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[stage->number][p->stores[k].operand];
        heddle__text_put(t, "b%d = v%d;\n", u, p->stores[k].value);
        if (c->kind[u] & HEDDLE_ROWS_IS_PASSED) continue;
        if (c->threads > 1) heddle__text_put(t, "if (lane == 0) ");
        heddle__text_put(t, "p%d[s%d] = v%d;\n", u, u, p->stores[k].value);
    }
}

/* e<r> of an element, from the values of the instructions before the reductions. */
static void put_element(const struct stage_source *stage, int r)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_reduce_instr *in = &p->reductions[r];
    const char *type = heddle__source_type(in->dtype);
    struct heddle_text *t = stage->source.text;
    char accumulator[32], value[16];
    heddle__source_accumulator(&stage->source, r, accumulator);
    snprintf(value, sizeof value, "v%d", in->value);
    if (heddle__is_arg(in))
        heddle__text_put(t, "const %s e%d = {(%s)(", accumulator, r, type);
    else
        heddle__text_put(t, "const %s e%d = (%s)(", accumulator, r, type);
    heddle__source_expression(&stage->source, heddle__reductions[in->op].element, "", value, "");
    heddle__text_put(t, heddle__is_arg(in) ? "), (hd_int64)f};\n" : ");\n");
}

/* Lanes of the tree that a thread has. */
static int n_lanes(const struct heddle_rows_class *c)
{
    const int most = HEDDLE_TREE_LANES / c->threads;
    return c->threads == 1 ? 1 : c->slots < most ? c->slots : most;
}

/* All elements to accumulators: w<r>[lane] of a team's threads, a<r> of a thread's own. */
static void put_elements(struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    const int lanes = n_lanes(c);
    char type[32], into[32], e[16];
    for (int r = 0; r < p->n_reductions; r++) {
        heddle__source_accumulator(&stage->source, r, type);
        if (c->threads == 1)
            heddle__text_put(t, "%s a%d;\n", type, r);
        else
            heddle__text_put(t, "%s w%d[%d];\n", type, r, lanes);
    }
    while (next_slots(stage)) {
        put_slots(stage, p->n_before, false);
        for (int i = 0; i < p->n_before; i++) put_instr(stage, i, false);
        for (int r = 0; r < p->n_reductions; r++) {
            put_element(stage, r);
            snprintf(e, sizeof e, "e%d", r);
            if (c->threads == 1)
                snprintf(into, sizeof into, "a%d", r);
            else
                snprintf(into, sizeof into, "w%d[t %% %d]", r, lanes);
            heddle__text_put(t, "if (t < %d) %s = %s;\n", lanes, into, e);
            if (lanes == c->slots) continue;
            heddle__text_put(t, "else if (ok) ");
            heddle__source_combine(&stage->source, r, into, e);
        }
        put_slots_end(stage, false);
    }
}

/* The code after the reductions, by the threads that have the results; others get them by put_spread. */
static void put_results(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    uint8_t needed[HEDDLE_MAX_INSTRS];
    heddle__source_needed(p, needed);
    for (int i = 0; i < p->n_instrs; i++)
        if (needed[i]) heddle__source_instr(&stage->source, i, &names);
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[stage->number][p->stores[k].operand];
        heddle__text_put(t, "b%d = v%d;\n", u, p->stores[k].value);
        if (c->kind[u] & HEDDLE_ROWS_IS_PASSED) continue;
        if (c->threads > 32) heddle__text_put(t, "if (lane == 0) ");
        heddle__text_put(t, "p%d[s%d] = v%d;\n", u, u, p->stores[k].value);
    }
}

/* From the first thread of each warp to its others. */
static void put_spread(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    for (int k = 0; k < p->n_stores; k++) {
        const int u = stage->rows->of[stage->number][p->stores[k].operand];
        heddle__text_put(stage->source.text, "b%d = hd_from_lane(b%d, 0);\n", u, u);
    }
}

static void put_reduction(struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    char type[32];
    for (int r = 0; r < p->n_reductions && c->threads > 32; r++)
        heddle__text_put(t, "__shared__ %s shared%d[%d];\n",
                         heddle__source_accumulator(&stage->source, r, type), r, c->threads);
    put_elements(stage);
    if (c->threads == 1) {
        put_results(stage);
        return;
    }
    heddle__source_join(&stage->source, &(struct heddle_source_team){.threads = c->threads,
                                                                     .lanes = n_lanes(c),
                                                                     .full = c->full,
                                                                     .is_long = 1});
    heddle__text_put(t, "if (of_warp == 0) {\n");
    put_results(stage);
    heddle__text_put(t, "}\n");
    put_spread(stage);
}

/* ---- The kernel ------------------------------------------------------------------------------------ */

/* Where the row begins in each operand, and what is read of it before the first stage. */
static void put_row(struct stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    heddle__text_put(t, "I k[%d];\n{\n", c->n_kept > 0 ? c->n_kept : 1);
    heddle__source_indices(&stage->source, "unit", 0, c->n_kept, "k[", "]", "");
    heddle__text_put(t, "}\n");
    for (int u = 0; u < c->n_operands; u++) {
        heddle__text_put(t, "const I s%d = 0", u);
        for (int d = 0; d < c->n_kept; d++)
            heddle__text_put(t, " + k[%d] * (I)args.v[%d]", d,
                             heddle__rows_slot(c, u) + HEDDLE_ROWS_OPERAND_SLOTS + d);
        heddle__text_put(t, ";\n");
        const char *type = operand_type(stage->chain, u);
        const int is_made = c->kind[u] & HEDDLE_ROWS_IS_MADE;
        if (c->kind[u] & HEDDLE_ROWS_IS_ROW && is_made)
            heddle__text_put(t, "%s b%d = %s();\n", type, u, type);
        else if (c->kind[u] & HEDDLE_ROWS_IS_ROW)
            heddle__text_put(t, "const %s b%d = p%d[s%d];\n", type, u, u, u);
        else if (c->kind[u] & HEDDLE_ROWS_IS_HELD)
            heddle__text_put(t, "%s x%d[%d];\n", type, u, c->slots);
    }
    for (int k = 0; k < stage->shared->n; k++)
        heddle__text_put(t, "%s h%d[%d];\n", heddle__source_type(stage->shared->dtype[k]), k,
                         c->slots);
    bool any = false;
    for (int u = 0; u < c->n_operands; u++)
        any |= c->kind[u] & HEDDLE_ROWS_IS_HELD && !(c->kind[u] & HEDDLE_ROWS_IS_MADE);
    if (!any) return;
    while (next_slots(stage)) {
        put_slots(stage, 0, false);
        for (int u = 0; u < c->n_operands; u++) {
            if (!(c->kind[u] & HEDDLE_ROWS_IS_HELD) || c->kind[u] & HEDDLE_ROWS_IS_MADE) continue;
            heddle__text_put(t, "x%d[t] = ", u);
            put_read(stage, u);
            heddle__text_put(t, ";\n");
        }
        put_slots_end(stage, false);
    }
}

static void put_head(const struct stage_source *stage, int n_slots)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    heddle__text_put(t,
                     "#include \"heddle.cuh\"\ntypedef %s I;\n"
                     "struct hd_args {\nhd_int64 v[%d];\n};\n",
                     c->wide ? "hd_int64" : "int", n_slots);
    heddle__text_put(t,
                     "extern \"C\" __global__ void __launch_bounds__(%d)\n" HEDDLE_KERNEL_MAIN
                     "(const __grid_constant__ hd_args args)\n{\n",
                     heddle__rows_block(c));
    for (int u = 0; u < c->n_operands; u++) {
        const char *type = operand_type(stage->chain, u);
        heddle__text_put(t, "%s *const p%d = (%s *)args.v[%d];\n", type, u, type,
                         heddle__rows_slot(c, u));
    }
    heddle__text_put(t, "const I n = (I)args.v[%d];\n", HEDDLE_SLOT_CHUNK);
    heddle__text_put(t, "const int lane = threadIdx.x%s;\n", c->threads <= 32 ? " & 31" : "");
}

/* The loop over the rows of a warp's threads, of one row in each, or of a warp or a block together. */
static void put_rows_begin(const struct stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    if (c->threads > 32) {
        heddle__text_put(t,
                         "for (I unit = (I)blockIdx.x; unit < (I)args.v[%d]; unit += "
                         "(I)gridDim.x) {\n",
                         HEDDLE_SLOT_N);
        return;
    }
    const int of_warp = heddle__rows_per_block(c) / 8;
    const char *const first = c->threads > 1 ? "unit" : "first";
    heddle__text_put(t,
                     "for (I %s = ((I)blockIdx.x * 8 + (I)threadIdx.x / 32) * %d; %s < "
                     "(I)args.v[%d]; %s += (I)gridDim.x * %d) {\n",
                     first, of_warp, first, HEDDLE_SLOT_N, first, 8 * of_warp);
    if (c->threads > 1) return;
    heddle__rows_stage_in(t, stage->chain, c);
    heddle__text_put(t,
                     "#pragma unroll 1\nfor (int r = 0; r < %d; r++) {\n"
                     "const I unit = first + r * 32 + lane;\n"
                     "if (unit >= (I)args.v[%d]) break;\nconst int own = (r * 32 + lane) * %d;\n",
                     c->rows, HEDDLE_SLOT_N, c->slots);
}

static void put_rows_end(const struct stage_source *stage)
{
    heddle__text_put(stage->source.text, "}\n");
    if (stage->rows->threads > 1) return;
    heddle__rows_stage_out(stage->source.text, stage->chain, stage->rows);
    heddle__text_put(stage->source.text, "}\n");
}

char *heddle__rows_source(const struct heddle_rows *rows, const struct heddle_rows_class *c)
{
    struct heddle_text text = {0};
    struct heddle_cuda_class none = {0};
    for (int d = 0; d < HEDDLE_MAX_NDIM; d++)
        none.axis[d] = (int8_t)(c->index[d] == HEDDLE_ROWS_INDEX_NONE ? -1 : d);
    struct heddle_shared_values shared;
    struct stage_source stage = {
        .source = {&text, NULL, &none}, .rows = c, .chain = rows, .shared = &shared};
    heddle__shared_values(rows, c, &shared);
    stage.first_constant = heddle__rows_slot(c, c->n_operands);
    put_head(&stage, heddle__rows_n_slots(rows, c));
    heddle__rows_stage_rooms(&text, rows, c);
    put_rows_begin(&stage);
    put_row(&stage);
    for (; stage.number < rows->n_stages; stage.number++) {
        const struct heddle_program *p = stage.source.p = rows->stage[stage.number]->program;
        heddle__text_put(&text, "{\n");
        put_constants(&stage);
        if (p->n_reductions > 0)
            put_reduction(&stage);
        else if (rows->is_row_map[stage.number])
            put_row_map(&stage);
        else
            put_map(&stage);
        heddle__text_put(&text, "}\n");
        if (c->is_long && stage.number == 0) heddle__rows_fetch_ahead(&stage.source, rows, c);
        for (int k = 0; k < p->n_constants; k++)
            stage.first_constant += heddle__cuda_slots_of_constant(p, k);
    }
    put_rows_end(&stage);
    heddle__text_put(&text, "}\n");
    return heddle__text_take(&text);
}
