/* Generated source of chains over the same rows: a thread, a warp or a block has a row in registers, and goes
 * through all stages. Reductions follow reduce_tree.h. Entry point: heddle__rows_source.
 *
 * Names in the text: unit, the row; k<a> its indices; s<u> where it begins in operand u; x<u>[t] held elements;
 * b<u> one element for the row; within a stage those of source_reduce.h; of staged operands those of staged.h.
 *
 * Where a warp has several rows: team, the first of the row's threads in it; there, whether the row is not the last one once more, of which
 * nothing is stored. Where several warps have the same rows, each has a run of their elements: part, the warp; there, whether the thread has a row of its own; count, the
 * run's elements; mine, how many of them the thread stores; q<r>[t], those that are reduced. A condition of t alone costs less than one of
 * f: there are few predicates, and in want of them loads wait for each other. */
#include "cuda/rows/row_kernels.h"
#include "cuda/rows/shared_values.h"
#include "cuda/rows/stage_source.h"
#include "cuda/rows/staged.h"
#include "cuda/reductions/source_reduce.h"
#include "reduce_tree.h"

#include <stdio.h>

static bool of_parts(const struct heddle_rows_class *c)
{
    return c->parts > 1;
}

/* Who stores what a row has one of. */
static const char *lead(const struct heddle_rows_class *c)
{
    return of_parts(c)                  ? "if (part == 0 && there) "
           : heddle__rows_share_warp(c) ? "if (lane == 0 && there) "
           : c->threads > 1             ? "if (lane == 0) "
                                        : "";
}

/* ---- Stages ---------------------------------------------------------------------------------------- */

static void put_map(struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    /* beside the registers of a row, those of several doubles cost more than they save */
    const bool may = c->threads >= 32 && !heddle__source_has_quick_doubles(p, p->n_instrs);
    const bool quick =
        (c->is_long || of_parts(c) || may) && heddle__source_is_quick(p, p->n_instrs);
    heddle__rows_put_store_rooms(stage);
    while (heddle__rows_next_slots(stage)) {
        heddle__rows_put_slots(stage, p->n_instrs, quick);
        for (int i = 0; i < p->n_instrs; i++) heddle__rows_put_instr(stage, i, quick);
        heddle__rows_put_stores(stage);
        heddle__rows_put_slots_end(stage, quick);
    }
}

/* One element for each row, by each of its threads. */
static void put_row_map(const struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    for (int i = 0; i < p->n_instrs; i++) heddle__rows_put_instr(stage, i, false);
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[stage->number][p->stores[k].operand];
        heddle__text_put(t, "b%d = v%d;\n", u, p->stores[k].value);
        if (c->kind[u] & HEDDLE_ROWS_IS_PASSED) continue;
        heddle__text_put(t, "%sp%d[s%d] = v%d;\n", lead(c), u, u, p->stores[k].value);
    }
}

/* e<r> of an element, from the values of the instructions before the reductions. */
static void put_element(const struct heddle_stage_source *stage, int r)
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
static void put_elements(struct heddle_stage_source *stage)
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
    while (heddle__rows_next_slots(stage)) {
        heddle__rows_put_slots(stage, p->n_before, false);
        for (int i = 0; i < p->n_before; i++) heddle__rows_put_instr(stage, i, false);
        for (int r = 0; r < p->n_reductions; r++) {
            put_element(stage, r);
            snprintf(e, sizeof e, "e%d", r);
            if (c->threads == 1)
                snprintf(into, sizeof into, "a%d", r);
            else
                snprintf(into, sizeof into, "w%d[%s %% %d]", r, c->is_long ? "j" : "t", lanes);
            heddle__text_put(t, "if (t < %d) %s = %s;\n", lanes, into, e);
            if (lanes == c->slots) continue;
            heddle__text_put(t, "else if (ok) ");
            heddle__source_combine(&stage->source, r, into, e);
        }
        heddle__rows_put_slots_end(stage, false);
    }
}

/* The code after the reductions, by the threads that have the results; others get them by put_spread. */
static void put_results(const struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    uint8_t needed[HEDDLE_MAX_INSTRS];
    heddle__source_needed(p, needed);
    for (int i = 0; i < p->n_instrs; i++)
        if (needed[i]) heddle__rows_put_instr(stage, i, false);
    for (int k = 0; k < p->n_stores; k++) {
        const int u = c->of[stage->number][p->stores[k].operand];
        heddle__text_put(t, "b%d = v%d;\n", u, p->stores[k].value);
        if (c->kind[u] & HEDDLE_ROWS_IS_PASSED) continue;
        heddle__text_put(t, "%sp%d[s%d] = v%d;\n", c->threads == 32 ? "" : lead(c), u, u,
                         p->stores[k].value);
    }
}

/* From the first thread of each warp, or of each team in it, to its others. */
static void put_spread(const struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    for (int k = 0; k < p->n_stores; k++) {
        const int u = stage->rows->of[stage->number][p->stores[k].operand];
        heddle__text_put(stage->source.text, "b%d = hd_from_lane(b%d, %s);\n", u, u,
                         heddle__rows_share_warp(stage->rows) ? "team" : "0");
    }
}

/* The elements of each thread's run: q<r>[t]. */
static void put_run(struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    char type[32];
    for (int r = 0; r < p->n_reductions; r++)
        heddle__text_put(stage->source.text, "%s q%d[%d];\n",
                         heddle__source_accumulator(&stage->source, r, type), r,
                         stage->rows->slots);
    while (heddle__rows_next_slots(stage)) {
        heddle__rows_put_slots(stage, p->n_before, false);
        for (int i = 0; i < p->n_before; i++) heddle__rows_put_instr(stage, i, false);
        for (int r = 0; r < p->n_reductions; r++) {
            put_element(stage, r);
            heddle__text_put(stage->source.text, "q%d[t] = e%d;\n", r, r);
        }
        heddle__rows_put_slots_end(stage, false);
    }
}

/* Combines a<r> with the elements of the thread's run from slot `from` on, but the row's first. */
static void put_along_run(const struct heddle_stage_source *stage, int r, int from)
{
    const struct heddle_rows_class *c = stage->rows;
    char into[16], run[16];
    snprintf(into, sizeof into, "a%d", r);
    snprintf(run, sizeof run, "q%d[t]", r);
    heddle__text_put(stage->source.text,
                     "#pragma unroll\nfor (int t = %d; t < %d; t++) {\nif (%s(t > 0 || part > 0)) ",
                     from, c->slots, c->full == c->slots ? "" : "t < count && ");
    heddle__source_combine(&stage->source, r, into, run);
    heddle__text_put(stage->source.text, "}\n");
}

/* a<r>, of all runs of a row: each warp reduces its own, and then what all have. */
static void put_runs_at_once(const struct heddle_stage_source *stage, int r)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    char type[32], into[16], run[32];
    heddle__source_accumulator(&stage->source, r, type);
    snprintf(into, sizeof into, "a%d", r);
    snprintf(run, sizeof run, "runs%d[w][lane]", r);
    heddle__text_put(t, "__shared__ %s runs%d[%d][32];\na%d = q%d[0];\n", type, r, c->parts, r, r);
    put_along_run(stage, r, 1);
    heddle__text_put(t, "runs%d[part][lane] = a%d;\n__syncthreads();\na%d = runs%d[0][lane];\n", r,
                     r, r, r);
    heddle__text_put(t, "#pragma unroll\nfor (int w = 1; w < %d; w++)\nif (w * %d < n) ", c->parts,
                     c->slots);
    heddle__source_combine(&stage->source, r, into, run);
}

/* The same of sums that round, in turn: one warp after the other takes what those before it have, and goes on. */
static void put_turns(const struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    char type[32];
    int of_turns[HEDDLE_MAX_REDUCTIONS], n = 0;
    for (int r = 0; r < p->n_reductions; r++) {
        heddle__text_put(t, "%s a%d;\n", heddle__source_accumulator(&stage->source, r, type), r);
        if (heddle__is_associative(&p->reductions[r]))
            put_runs_at_once(stage, r);
        else
            of_turns[n++] = r;
    }
    for (int i = 0; i < n; i++)
        heddle__text_put(t, "__shared__ %s turns%d[32];\n",
                         heddle__source_accumulator(&stage->source, of_turns[i], type),
                         of_turns[i]);
    if (n == 0) return;
    heddle__text_put(t,
                     "#pragma unroll 1\nfor (int turn = 0; turn < %d; turn++) {\n"
                     "if (turn == part) {\n",
                     c->parts);
    for (int i = 0; i < n; i++) {
        const int r = of_turns[i];
        heddle__text_put(t, "a%d = part > 0 ? turns%d[lane] : q%d[0];\n", r, r, r);
        put_along_run(stage, r, 0);
        heddle__text_put(t, "turns%d[lane] = a%d;\n", r, r);
    }
    heddle__text_put(t, "}\n__syncthreads();\n}\n");
    for (int i = 0; i < n; i++)
        heddle__text_put(t, "a%d = turns%d[lane];\n", of_turns[i], of_turns[i]);
}

static void put_reduction(struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    char type[32];
    if (of_parts(c)) {
        put_run(stage);
        put_turns(stage);
        put_results(stage);
        return;
    }
    for (int r = 0; r < p->n_reductions && c->threads > 32; r++)
        heddle__text_put(t, "__shared__ %s shared%d[%d];\n",
                         heddle__source_accumulator(&stage->source, r, type), r,
                         c->threads * c->beside);
    put_elements(stage);
    if (c->threads == 1) {
        put_results(stage);
        return;
    }
    heddle__source_join(&stage->source, &(struct heddle_source_team){.threads = c->threads,
                                                                     .lanes = n_lanes(c),
                                                                     .full = c->full,
                                                                     .beside = c->beside,
                                                                     .is_long = 1});
    heddle__text_put(t, "if (of_warp == 0) {\n");
    put_results(stage);
    heddle__text_put(t, "}\n");
    put_spread(stage);
}

/* ---- The kernel ------------------------------------------------------------------------------------ */

/* Warps that wait for their turn are many, so registers of each are few, and other blocks compute meanwhile. Fewer warps have longer runs, and
 * so fewer turns, in more registers. Without parts compilers choose better. */
static void put_bounds(const struct heddle_stage_source *stage)
{
    enum { THREADS = 1024, LONG_RUNS = 768, BLOCK = 256 }; /* of a multiprocessor */
    const int block = heddle__rows_block(stage->rows);
    const bool has_long_runs = block <= BLOCK && heddle__rows_are_left(stage->chain);
    if (of_parts(stage->rows))
        heddle__text_put(stage->source.text, "__launch_bounds__(%d, %d) ", block,
                         (has_long_runs ? LONG_RUNS : THREADS) / block);
    else
        heddle__text_put(stage->source.text, "__launch_bounds__(%d) ", block);
}

static void put_head(const struct heddle_stage_source *stage, int n_slots)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    heddle__text_put(t,
                     "#include \"heddle.cuh\"\ntypedef %s I;\n"
                     "struct hd_args {\nhd_int64 v[%d];\n};\n",
                     c->wide ? "hd_int64" : "int", n_slots);
    heddle__text_put(t, "extern \"C\" __global__ void ");
    put_bounds(stage);
    heddle__text_put(t, HEDDLE_KERNEL_MAIN "(const __grid_constant__ hd_args args)\n{\n");
    for (int u = 0; u < c->n_operands; u++) {
        const char *type = heddle__rows_operand_type(stage->chain, u);
        heddle__text_put(t, "%s *const p%d = (%s *)args.v[%d];\n", type, u, type,
                         heddle__rows_slot(c, u));
    }
    heddle__text_put(t, "const I n = (I)args.v[%d];\n", HEDDLE_SLOT_CHUNK);
    if (c->threads > 32)
        heddle__text_put(t, "const int lane = threadIdx.x;\n");
    else
        heddle__text_put(t, "const int lane = threadIdx.x & %d;\n",
                         heddle__rows_share_warp(c) ? c->threads - 1 : 31);
    if (heddle__rows_share_warp(c))
        heddle__text_put(t, "const int team = threadIdx.x & %d;\n", 32 - c->threads);
    if (of_parts(c)) heddle__text_put(t, "const int part = threadIdx.x / 32;\n");
}

/* The loop over the rows of a warp's threads, of one row in each, or of a warp or a block together. */
static void put_rows_begin(const struct heddle_stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    if (of_parts(c)) {
        /* threads without a row of their own read the last one, too, and store nothing */
        heddle__text_put(t,
                         "for (I first = (I)blockIdx.x * 32; first < (I)args.v[%d]; first += "
                         "(I)gridDim.x * 32) {\n"
                         "const bool there = first + lane < (I)args.v[%d];\n"
                         "const I unit = there ? first + lane : (I)args.v[%d] - 1;\n"
                         "const int count = (int)n - part * %d, mine = there ? count : 0;\n",
                         HEDDLE_SLOT_N, HEDDLE_SLOT_N, HEDDLE_SLOT_N, c->slots);
        return;
    }
    if (c->threads > 32) {
        heddle__text_put(t,
                         "for (I unit = (I)blockIdx.x; unit < (I)args.v[%d]; unit += "
                         "(I)gridDim.x) {\n",
                         HEDDLE_SLOT_N);
        return;
    }
    const int warps = heddle__rows_block(c) / 32, of_warp = heddle__rows_per_block(c) / warps;
    const char *const first = c->threads == 32 ? "unit" : "first";
    heddle__text_put(t,
                     "for (I %s = ((I)blockIdx.x * %d + (I)threadIdx.x / 32) * %d; %s < "
                     "(I)args.v[%d]; %s += (I)gridDim.x * %d) {\n",
                     first, warps, of_warp, first, HEDDLE_SLOT_N, first, warps * of_warp);
    if (heddle__rows_share_warp(c))
        heddle__text_put(t,
                         "const I of_team = first + team / %d;\n"
                         "const bool there = of_team < (I)args.v[%d];\n"
                         "const I unit = there ? of_team : (I)args.v[%d] - 1;\n",
                         c->threads, HEDDLE_SLOT_N, HEDDLE_SLOT_N);
    if (c->threads > 1) return;
    heddle__rows_stage_in(t, stage->chain, c);
    heddle__text_put(t,
                     "#pragma unroll 1\nfor (int r = 0; r < %d; r++) {\n"
                     "const I unit = first + r * 32 + lane;\n"
                     "if (unit >= (I)args.v[%d]) break;\nconst int own = (r * 32 + lane) * %d;\n",
                     c->rows, HEDDLE_SLOT_N, c->slots);
}

static void put_rows_end(const struct heddle_stage_source *stage)
{
    /* what the next rows' turns overwrite has been read */
    heddle__text_put(stage->source.text, of_parts(stage->rows) ? "__syncthreads();\n}\n" : "}\n");
    if (stage->rows->threads > 1 || of_parts(stage->rows)) return;
    heddle__rows_stage_out(stage->source.text, stage->chain, stage->rows);
    heddle__text_put(stage->source.text, "}\n");
}

char *heddle__rows_source(const struct heddle_rows *rows, const struct heddle_rows_class *c)
{
    struct heddle_text text = {0};
    const struct heddle_cuda_class none = {0};
    struct heddle_shared_values shared;
    struct heddle_stage_source stage = {
        .source = {&text, NULL, &none}, .rows = c, .chain = rows, .shared = &shared};
    heddle__shared_values(rows, c, &shared);
    put_head(&stage, heddle__rows_n_slots(rows, c));
    heddle__rows_stage_rooms(&text, rows, c);
    put_rows_begin(&stage);
    heddle__rows_put_row(&stage);
    bool is_first = true;
    for (; stage.number < rows->n_stages; stage.number++) {
        if (heddle__rows_is_remade(rows, c, stage.number)) continue;
        const struct heddle_program *p = stage.source.p = rows->stage[stage.number]->program;
        stage.first_constant = heddle__rows_first_constant(rows, c, stage.number);
        heddle__text_put(&text, "{\n");
        heddle__rows_put_constants(&stage);
        if (p->n_reductions > 0)
            put_reduction(&stage);
        else if (rows->is_row_map[stage.number])
            put_row_map(&stage);
        else if (p->scan)
            heddle__rows_put_scan(&stage);
        else
            put_map(&stage);
        heddle__text_put(&text, "}\n");
        if (is_first && c->is_long) heddle__rows_fetch_ahead(&stage.source, rows, c);
        is_first = false;
    }
    put_rows_end(&stage);
    heddle__text_put(&text, "}\n");
    return heddle__text_take(&text);
}
