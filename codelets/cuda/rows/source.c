/* Generated source of chains over the same rows: a thread, a warp or a block has a row in registers, and goes
 * through all stages. Reductions follow reduce_tree.h. Entry point: heddle__rows_source.
 *
 * Names in the text: unit, the row; k<a> its indices; s<u> where it begins in operand u; x<u>[t] held elements;
 * b<u> one element for the row; within a stage those of source_reduce.h. */
#include "cuda/rows/row_kernels.h"
#include "cuda/rows/shared_values.h"
#include "cuda/source_reduce.h"

#include <stdio.h>

/* A stage, as the emitter of instructions sees it. */
struct stage_source {
    struct heddle_source source; /* first: the emitter's callbacks get it */
    const struct heddle_rows_class *rows;
    const struct heddle_rows *chain;
    const struct heddle_shared_values *shared;
    int number, first_constant;
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

/* Where element f of the row is in operand u. */
static void put_place(struct heddle_text *t, const struct heddle_rows_class *c, int u)
{
    if (c->kind[u] & HEDDLE_ROWS_IS_ROW)
        heddle__text_put(t, "p%d[s%d]", u, u);
    else if (c->kind[u] & HEDDLE_ROWS_IS_UNIT)
        heddle__text_put(t, "p%d[s%d + f]", u, u);
    else
        heddle__text_put(t, "p%d[s%d + f * (I)args.v[%d]]", u, u, heddle__rows_slot(c, u) + 1);
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
        if (!c->exact) heddle__text_put(s->text, "!ok ? %s() : ", operand_type(stage->chain, u));
        put_place(s->text, c, u);
    }
}

static void no_index(const struct heddle_source *s, int axis)
{
    (void)axis; /* programs of a chain read none */
    heddle__text_put(s->text, "0");
}

static const struct heddle_source_names names = {load, no_index, 0};

/* "for each slot {", with f, its element, and ok: there is one. */
static void put_slots(const struct stage_source *stage)
{
    struct heddle_text *t = stage->source.text;
    const struct heddle_rows_class *c = stage->rows;
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\nconst I f = (I)(",
                     c->slots);
    if (c->form == HEDDLE_ROWS_THREAD)
        heddle__text_put(t, "t");
    else
        heddle__text_put(t, "t * %d + lane", c->form == HEDDLE_ROWS_WARP ? 32 : 256);
    heddle__text_put(t, ");\n");
    if (!c->exact) heddle__text_put(t, "const bool ok = f < n;\n");
}

/* ---- Stages ---------------------------------------------------------------------------------------- */

static void put_constants(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    int slot = stage->first_constant;
    for (int k = 0; k < p->n_constants; k++) {
        const char *type = heddle__source_type(p->constant_dtype[k]);
        heddle__text_put(stage->source.text, "const %s c%d = hd_slot<%s>(args.v + %d);\n", type, k,
                         type, slot);
        slot += p->constant_dtype[k] == HEDDLE_COMPLEX128 ? 2 : 1;
    }
}

/* Instruction i of an element: computed, or kept by an earlier stage, or to be kept. */
static void put_instr(const struct stage_source *stage, int i)
{
    const struct heddle_shared_values *shared = stage->shared;
    for (int k = 0; k < shared->n; k++) {
        if (shared->instr[stage->number][k] != i) continue;
        if (shared->first[k] == stage->number) {
            heddle__source_instr(&stage->source, i, &names);
            heddle__text_put(stage->source.text, "h%d[t] = v%d;\n", k, i);
        } else {
            heddle__text_put(stage->source.text, "const %s v%d = h%d[t];\n",
                             heddle__source_type(shared->dtype[k]), i, k);
        }
        return;
    }
    heddle__source_instr(&stage->source, i, &names);
}

static void put_map(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    put_slots(stage);
    for (int i = 0; i < p->n_instrs; i++) put_instr(stage, i);
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[stage->number][p->stores[k].operand];
        if (c->kind[u] & HEDDLE_ROWS_IS_HELD)
            heddle__text_put(t, "x%d[t] = v%d;\n", u, p->stores[k].value);
        if (c->kind[u] & HEDDLE_ROWS_IS_PASSED) continue;
        if (!c->exact) heddle__text_put(t, "if (ok) ");
        put_place(t, c, u);
        heddle__text_put(t, " = v%d;\n", p->stores[k].value);
    }
    heddle__text_put(t, "}\n");
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
        if (c->form != HEDDLE_ROWS_THREAD) heddle__text_put(t, "if (lane == 0) ");
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

/* All elements to accumulators: w<r>[lane] of a warp's or block's threads, a<r> of a thread's own. */
static void put_elements(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    const int lanes = c->form == HEDDLE_ROWS_WARP ? c->slots : 4;
    char type[32], into[32], e[16];
    for (int r = 0; r < p->n_reductions; r++) {
        heddle__source_accumulator(&stage->source, r, type);
        if (c->form == HEDDLE_ROWS_THREAD)
            heddle__text_put(t, "%s a%d;\n", type, r);
        else
            heddle__text_put(t, "%s w%d[%d];\n", type, r, lanes);
    }
    put_slots(stage);
    for (int i = 0; i < p->n_before; i++) put_instr(stage, i);
    for (int r = 0; r < p->n_reductions; r++) {
        put_element(stage, r);
        snprintf(e, sizeof e, "e%d", r);
        if (c->form == HEDDLE_ROWS_THREAD)
            snprintf(into, sizeof into, "a%d", r);
        else
            snprintf(into, sizeof into, c->form == HEDDLE_ROWS_WARP ? "w%d[t]" : "w%d[t & 3]", r);
        const int first = c->form == HEDDLE_ROWS_THREAD ? 1 : lanes;
        heddle__text_put(t, "if (t < %d) %s = %s;\n", first, into, e);
        if (c->form == HEDDLE_ROWS_WARP) continue;
        heddle__text_put(t, c->exact ? "else " : "else if (ok) ");
        heddle__source_combine(&stage->source, r, into, e);
    }
    heddle__text_put(t, "}\n");
}

/* The code after the reductions, by the thread that has the results; others get them by put_spread. */
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
        heddle__text_put(t, "%s%d = v%d;\n", c->form == HEDDLE_ROWS_BLOCK ? "row" : "b", u,
                         p->stores[k].value);
        if (!(c->kind[u] & HEDDLE_ROWS_IS_PASSED))
            heddle__text_put(t, "p%d[s%d] = v%d;\n", u, u, p->stores[k].value);
    }
}

static void put_spread(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    if (c->form == HEDDLE_ROWS_BLOCK) heddle__text_put(t, "__syncthreads();\n");
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[stage->number][p->stores[k].operand];
        if (c->form == HEDDLE_ROWS_BLOCK)
            heddle__text_put(t, "b%d = row%d;\n", u, u);
        else if (c->form == HEDDLE_ROWS_WARP)
            heddle__text_put(t, "b%d = hd_from_lane(b%d, 0);\n", u, u);
    }
}

static void put_reduction(const struct stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    char type[32];
    if (c->form == HEDDLE_ROWS_BLOCK) {
        for (int r = 0; r < p->n_reductions; r++)
            heddle__text_put(t, "__shared__ %s shared%d[256];\n",
                             heddle__source_accumulator(&stage->source, r, type), r);
        for (int k = 0; k < p->n_stores; k++) {
            const int u = c->of[stage->number][p->stores[k].operand];
            heddle__text_put(t, "__shared__ %s row%d;\n", operand_type(stage->chain, u), u);
        }
    }
    put_elements(stage);
    if (c->form == HEDDLE_ROWS_WARP) {
        heddle__source_join_warp(&stage->source, c->slots);
        heddle__text_put(t, "if (lane == 0) {\n");
        put_results(stage);
        heddle__text_put(t, "}\n");
    } else if (c->form == HEDDLE_ROWS_BLOCK) {
        heddle__source_join_block(&stage->source, 0);
        heddle__text_put(t, "if (lane == 0) {\n");
        put_results(stage);
        heddle__text_put(t, "}\n}\n");
    } else {
        put_results(stage);
    }
    put_spread(stage);
}

/* ---- The kernel ------------------------------------------------------------------------------------ */

/* Where the row begins in each operand, and what is read of it before the first stage. */
static void put_row(const struct stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    heddle__text_put(t, "I k[%d];\n{\n", c->n_kept > 0 ? c->n_kept : 1);
    heddle__source_indices(&stage->source, "unit", 0, c->n_kept, "k[", "]", "");
    heddle__text_put(t, "}\n");
    for (int u = 0; u < c->n_operands; u++) {
        heddle__text_put(t, "const I s%d = 0", u);
        for (int d = 0; d < c->n_kept; d++)
            heddle__text_put(t, " + k[%d] * (I)args.v[%d]", d, heddle__rows_slot(c, u) + 2 + d);
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
    put_slots(stage);
    for (int u = 0; u < c->n_operands; u++) {
        if (!(c->kind[u] & HEDDLE_ROWS_IS_HELD) || c->kind[u] & HEDDLE_ROWS_IS_MADE) continue;
        heddle__text_put(t, "x%d[t] = ", u);
        if (!c->exact) heddle__text_put(t, "!ok ? %s() : ", operand_type(stage->chain, u));
        put_place(t, c, u);
        heddle__text_put(t, ";\n");
    }
    heddle__text_put(t, "}\n");
}

static void put_head(const struct stage_source *stage, int n_slots)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    heddle__text_put(t,
                     "#include \"heddle.cuh\"\ntypedef %s I;\n"
                     "struct hd_args {\nhd_int64 v[%d];\n};\n" HEDDLE_KERNEL_HEAD,
                     c->wide ? "hd_int64" : "int", n_slots);
    for (int u = 0; u < c->n_operands; u++) {
        const char *type = operand_type(stage->chain, u);
        heddle__text_put(t, "%s *const p%d = (%s *)args.v[%d];\n", type, u, type,
                         heddle__rows_slot(c, u));
    }
    heddle__text_put(t, "const I n = (I)args.v[%d];\n", HEDDLE_SLOT_CHUNK);
    if (c->form != HEDDLE_ROWS_THREAD)
        heddle__text_put(t, "const int lane = threadIdx.x%s;\n",
                         c->form == HEDDLE_ROWS_WARP ? " & 31" : "");
    static const char *const first[] = {
        [HEDDLE_ROWS_THREAD] = "(I)blockIdx.x * (I)blockDim.x + (I)threadIdx.x",
        [HEDDLE_ROWS_WARP] = "(I)blockIdx.x * 8 + (I)threadIdx.x / 32",
        [HEDDLE_ROWS_BLOCK] = "(I)blockIdx.x"};
    static const char *const step[] = {[HEDDLE_ROWS_THREAD] = "(I)blockDim.x",
                                       [HEDDLE_ROWS_WARP] = "8",
                                       [HEDDLE_ROWS_BLOCK] = "1"};
    heddle__text_put(t, "for (I unit = %s; unit < (I)args.v[%d]; unit += (I)gridDim.x * %s) {\n",
                     first[c->form], HEDDLE_SLOT_N, step[c->form]);
}

char *heddle__rows_source(const struct heddle_rows *rows, const struct heddle_rows_class *c)
{
    struct heddle_text text = {0};
    const struct heddle_cuda_class none = {0};
    struct heddle_shared_values shared;
    struct stage_source stage = {
        .source = {&text, NULL, &none}, .rows = c, .chain = rows, .shared = &shared};
    heddle__shared_values(rows, c, &shared);
    stage.first_constant = heddle__rows_slot(c, c->n_operands);
    put_head(&stage, heddle__rows_n_slots(rows, c));
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
        for (int k = 0; k < p->n_constants; k++)
            stage.first_constant += p->constant_dtype[k] == HEDDLE_COMPLEX128 ? 2 : 1;
    }
    heddle__text_put(&text, "}\n}\n");
    return heddle__text_take(&text);
}
