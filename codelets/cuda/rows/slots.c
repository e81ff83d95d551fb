/* Generated source of the elements of a chain: where they are, how slots are gone through, and what is made anew. Entry points:
 * stage_source.h. */
#include "cuda/rows/stage_source.h"

#include <stdio.h>

static int operand_of(const struct heddle_source *s, int operand)
{
    const struct heddle_stage_source *stage = (const struct heddle_stage_source *)s;
    return stage->rows->of[stage->number][operand];
}

const char *heddle__rows_operand_type(const struct heddle_rows *rows, int u)
{
    return heddle__source_type(rows->operand[u].dtype);
}

void heddle__rows_put_place(const struct heddle_stage_source *stage, int u)
{
    if (stage->rows->kind[u] & HEDDLE_ROWS_IN_ROOM)
        heddle__text_put(stage->source.text, "x%d[f]", u);
    else
        heddle__rows_put_memory(stage, u);
}

void heddle__rows_put_memory(const struct heddle_stage_source *stage, int u)
{
    struct heddle_text *t = stage->source.text;
    const struct heddle_rows_class *c = stage->rows;
    if (c->kind[u] & HEDDLE_ROWS_IS_STAGED)
        heddle__text_put(t, "at%d[hd_spaced<%s>(own + t)]", u,
                         heddle__rows_operand_type(stage->chain, u));
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

static void load(const struct heddle_source *s, int operand)
{
    const struct heddle_stage_source *stage = (const struct heddle_stage_source *)s;
    const struct heddle_rows_class *c = stage->rows;
    const int u = operand_of(s, operand);
    if (c->kind[u] & HEDDLE_ROWS_IS_ROW) {
        heddle__text_put(s->text, "b%d", u);
    } else if (c->kind[u] & HEDDLE_ROWS_IS_HELD) {
        heddle__text_put(s->text, "x%d[t]", u);
    } else if (c->kind[u] & HEDDLE_ROWS_IS_REMADE) {
        heddle__text_put(s->text, "r%d", u);
    } else {
        heddle__text_put(s->text, "l%d[j]", u);
    }
}

static const struct heddle_source_names names = {.load = load};
static const struct heddle_source_names quick_names = {.load = load, .in_compute = 1};

/* f, the element in slot t, and ok: there is one. */
static void put_slot(const struct heddle_stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    if (c->parts > 1) {
        heddle__text_put(t, "const I f = (I)(part * %d + t);\nconst bool ok = %s;\n", c->slots,
                         c->full == c->slots ? "there" : "t < mine");
        return;
    }
    if (c->beside > 1)
        heddle__text_put(t, "const I f = (I)((t / %d * %d + lane) * %d + j %% %d);\n", c->beside,
                         c->threads, c->beside, c->beside);
    else
        heddle__text_put(t, "const I f = (I)(t * %d + %s);\n", c->threads,
                         c->threads > 1 ? "lane" : "0");
    heddle__text_put(t, "const bool ok = ");
    if (stage->to <= c->full)
        heddle__text_put(t, "true;\n");
    else
        heddle__text_put(t, "t < %d || f < n;\n", c->full);
}

/* The same for loads alone. Of several warps' rows the last element is read in place of those that there are not: with a condition for
 * each load, compilers put what is computed by it between the loads, each of which then waits for the one before. */
static void put_slot_of_loads(const struct heddle_stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    if (c->parts == 1)
        put_slot(stage);
    else if (c->full == c->slots)
        heddle__text_put(stage->source.text, "const I f = (I)(part * %d + t);\n", c->slots);
    else
        heddle__text_put(stage->source.text,
                         "const I of_run = (I)(part * %d + t), f = of_run < n ? of_run : n - 1;\n",
                         c->slots);
}

/* ---- Instructions ------------------------------------------------------------------------------------ */

void heddle__rows_put_constants(const struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    int slot = stage->first_constant;
    for (int k = 0; k < p->n_constants; k++) {
        heddle__source_constant(&stage->source, k, slot);
        slot += heddle__cuda_slots_of_constant(p, k);
    }
}

/* The index along an axis of the stage's launch, which may have them in another order than the box. */
static void put_index(const struct heddle_stage_source *stage, int axis)
{
    struct heddle_text *t = stage->source.text;
    const struct heddle_rows *chain = stage->chain;
    int d = 0;
    while (chain->axis[stage->number][d] != axis) d++;
    const uint8_t index = stage->rows->index[d];
    heddle__text_put(t, "args.v[%d]", HEDDLE_SLOT_ORIGIN + d);
    if (index == HEDDLE_ROWS_INDEX_IN_ROW)
        heddle__text_put(t, " + (hd_int64)f");
    else if (index != HEDDLE_ROWS_INDEX_NONE)
        heddle__text_put(t, " + (hd_int64)k[%d]", index - HEDDLE_ROWS_INDEX_KEPT);
}

static void put_computed(const struct heddle_stage_source *stage, int i, bool quick)
{
    const struct heddle_instr *in = &stage->source.p->instrs[i];
    if (in->code != HEDDLE_CODE_INDEX) {
        heddle__source_instr(&stage->source, i, quick ? &quick_names : &names);
        return;
    }
    heddle__text_put(stage->source.text, "const hd_int64 v%d = ", i);
    put_index(stage, in->a);
    heddle__text_put(stage->source.text, ";\n");
}

void heddle__rows_put_instr(const struct heddle_stage_source *stage, int i, bool quick)
{
    const struct heddle_shared_values *shared = stage->shared;
    for (int k = 0; k < shared->n; k++) {
        if (shared->instr[stage->number][k] != i) continue;
        if (shared->first[k] == stage->number) {
            put_computed(stage, i, quick);
            heddle__text_put(stage->source.text, "h%d[t] = v%d;\n", k, i);
        } else {
            heddle__text_put(stage->source.text, "const %s v%d = h%d[t];\n",
                             heddle__source_type(shared->dtype[k]), i, k);
        }
        return;
    }
    put_computed(stage, i, quick);
}

/* ---- Elements of stages that are made anew ----------------------------------------------------------- */

/* Whether the first n instructions of stage `number` load elements of operand u, or of one that is made anew out of them. */
static bool reads(const struct heddle_stage_source *stage, int number, int n, int u)
{
    const struct heddle_rows *chain = stage->chain;
    const struct heddle_program *p = chain->stage[number]->program;
    for (int i = 0; i < n; i++) {
        if (p->instrs[i].code != HEDDLE_CODE_LOAD) continue;
        const int of = stage->rows->of[number][p->instrs[i].a];
        if (of == u) return true;
        if (!(stage->rows->kind[of] & HEDDLE_ROWS_IS_REMADE)) continue;
        const int maker = chain->operand[of].maker;
        if (reads(stage, maker, chain->stage[maker]->program->n_instrs, u)) return true;
    }
    return false;
}

/* r<u>: what stage `maker` makes, and the stage's first n instructions read. */
static void put_remade_by(const struct heddle_stage_source *stage, int maker, int n, bool quick)
{
    const struct heddle_rows_class *c = stage->rows;
    const struct heddle_program *p = stage->chain->stage[maker]->program;
    struct heddle_text *t = stage->source.text;
    struct heddle_stage_source made = *stage;
    made.source.p = p;
    made.number = maker;
    made.first_constant = heddle__rows_first_constant(stage->chain, c, maker);
    bool any = false;
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[maker][p->stores[k].operand];
        if (!reads(stage, stage->number, n, u)) continue;
        heddle__text_put(t, "%s r%d;\n", heddle__rows_operand_type(stage->chain, u), u);
        any = true;
    }
    if (!any) return;
    heddle__text_put(t, "{\n");
    heddle__rows_put_constants(&made);
    for (int i = 0; i < p->n_instrs; i++) heddle__rows_put_instr(&made, i, quick);
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[maker][p->stores[k].operand];
        if (reads(stage, stage->number, n, u))
            heddle__text_put(t, "r%d = v%d;\n", u, p->stores[k].value);
    }
    heddle__text_put(t, "}\n");
}

static void put_remade(const struct heddle_stage_source *stage, int n, bool quick)
{
    for (int maker = 0; maker < stage->number && n > 0; maker++)
        if (heddle__rows_is_remade(stage->chain, stage->rows, maker))
            put_remade_by(stage, maker, n, quick);
}

/* ---- Slots ------------------------------------------------------------------------------------------- */

/* Whether elements of operand u are read for the stage's first n instructions, from memory. */
static bool reads_alone(const struct heddle_stage_source *stage, int u, int n)
{
    enum { ELSEWHERE = HEDDLE_ROWS_IS_ROW | HEDDLE_ROWS_IS_HELD | HEDDLE_ROWS_IS_REMADE };
    return !(stage->rows->kind[u] & ELSEWHERE) && reads(stage, stage->number, n, u);
}

void heddle__rows_put_load(const struct heddle_stage_source *stage, int u, const char *into)
{
    struct heddle_text *t = stage->source.text;
    if (heddle__rows_is_wide(stage->rows, u)) {
        heddle__text_put(t, "if (j %% %d == 0) hd_load_run<%d>(&%s, ok, &", stage->rows->beside,
                         stage->rows->beside, into);
        heddle__rows_put_place(stage, u);
        heddle__text_put(t, ");\n");
        return;
    }
    heddle__text_put(t, "%s = ", into);
    if (stage->rows->parts == 1)
        heddle__text_put(t, "!ok ? %s() : ", heddle__rows_operand_type(stage->chain, u));
    heddle__rows_put_place(stage, u);
    heddle__text_put(t, ";\n");
}

void heddle__rows_put_slots(const struct heddle_stage_source *stage, int n, bool quick)
{
    struct heddle_text *t = stage->source.text;
    const struct heddle_rows_class *c = stage->rows;
    char into[16];
    heddle__text_put(t, "#pragma unroll%s\nfor (int group = %d; group < %d; group += %d) {\n",
                     c->is_long ? " 1" : "", stage->from, stage->to, c->group);
    for (int u = 0; u < c->n_operands; u++) {
        if (!reads_alone(stage, u, n)) continue;
        heddle__text_put(t,
                         "%s l%d[%d];\n#pragma unroll\nfor (int j = 0; j < %d; j++) {\n"
                         "const int t = group + j;\n",
                         heddle__rows_operand_type(stage->chain, u), u, c->group, c->group);
        put_slot_of_loads(stage);
        snprintf(into, sizeof into, "l%d[j]", u);
        heddle__rows_put_load(stage, u, into);
        heddle__text_put(t, "}\n");
    }
    if (quick) heddle__text_put(t, HEDDLE_COMPUTE_BEGIN, "true");
    heddle__text_put(
        t, "#pragma unroll\nfor (int j = 0; j < %d; j++) {\nconst int t = group + j;\n", c->group);
    if (n == 0)
        put_slot_of_loads(stage);
    else
        put_slot(stage);
    put_remade(stage, n, quick);
}

void heddle__rows_put_slots_end(const struct heddle_stage_source *stage, bool quick)
{
    heddle__text_put(stage->source.text, quick ? "}\n" HEDDLE_COMPUTE_END "}\n" : "}\n}\n");
}

bool heddle__rows_next_slots(struct heddle_stage_source *stage)
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

/* ---- Stores ------------------------------------------------------------------------------------------ */

/* Value `value` of an element, or with it those of the neighbours before it. */
static void put_store(const struct heddle_stage_source *stage, int u, int value, bool in_room)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    const bool is_wide = heddle__rows_is_wide(c, u);
    const int last = c->beside - 1;
    if (is_wide)
        heddle__text_put(t, "y%d[j %% %d] = v%d;\nif (j %% %d == %d && ok", u, c->beside, value,
                         c->beside, last);
    else
        heddle__text_put(t, "if (ok");
    heddle__text_put(t, heddle__rows_share_warp(c) ? " && there) " : ") ");
    if (is_wide)
        heddle__text_put(t, "hd_store<%s, %d>(&", heddle__rows_operand_type(stage->chain, u),
                         c->beside);
    if (in_room)
        heddle__rows_put_place(stage, u);
    else
        heddle__rows_put_memory(stage, u);
    if (is_wide)
        heddle__text_put(t, " - %d, y%d);\n", last, u);
    else
        heddle__text_put(t, " = v%d;\n", value);
}

void heddle__rows_put_store_rooms(const struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[stage->number][p->stores[k].operand];
        if (heddle__rows_is_wide(c, u) &&
            (c->kind[u] & HEDDLE_ROWS_IN_ROOM || !(c->kind[u] & HEDDLE_ROWS_IS_PASSED)))
            heddle__text_put(stage->source.text, "%s y%d[%d];\n",
                             heddle__rows_operand_type(stage->chain, u), u, c->beside);
    }
}

void heddle__rows_put_stores(const struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[stage->number][p->stores[k].operand], value = p->stores[k].value;
        if (c->kind[u] & HEDDLE_ROWS_IS_HELD)
            heddle__text_put(stage->source.text, "x%d[t] = v%d;\n", u, value);
        if (c->kind[u] & HEDDLE_ROWS_IN_ROOM) put_store(stage, u, value, true);
        if (!(c->kind[u] & HEDDLE_ROWS_IS_PASSED)) put_store(stage, u, value, false);
    }
}
