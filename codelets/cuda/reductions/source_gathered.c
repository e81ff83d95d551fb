/* Generated source of reductions, left to right, of which a thread has R kept elements, neighbours along the
 * last kept axis (layout_gathered.c). Of elements at indices it first computes where the elements of all slots are, once for the R of them, then loads them
 * by a piece for each slot, or one by one where a piece is not aligned, then reduces each kept element as a thread that has it alone
 * does: the same bits. Entry point: heddle__gathered.
 *
 * In the text: h<i>[t] what instruction i is for all R; at<i>[t] where the elements that instruction i loads begin; g<i>[t] those. */
#include "cuda/reductions/source_reduce.h"

#include "cuda/reductions/gathered.h"

#include <string.h>

struct gathered {
    uint8_t kind[HEDDLE_MAX_INSTRS];
    uint8_t placed[HEDDLE_MAX_INSTRS];   /* needed to know the places, and for each check */
    uint8_t computed[HEDDLE_MAX_INSTRS]; /* for the values, once elements are loaded */
};

static bool is_kept_back(const struct heddle_source *s, const struct gathered *g, int i)
{
    const int code = s->p->instrs[i].code;
    return g->placed[i] && g->kind[i] == HEDDLE_GATHERED_ALIKE &&
           (code == HEDDLE_CODE_CHECKED || code == HEDDLE_CODE_LOAD_AT);
}

static struct gathered gathered_of(const struct heddle_source *s)
{
    const struct heddle_program *p = s->p;
    struct gathered g;
    memset(&g, 0, sizeof g);
    heddle__gathered_kinds(p, s->c, g.kind);
    for (int i = 0; i < p->n_before; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        if (in->code == HEDDLE_CODE_CHECKED) g.placed[i] = 1;
        if (g.kind[i] == HEDDLE_GATHERED_RUN) g.placed[in->a] = 1;
    }
    heddle__mark_needed(p, p->n_before, g.placed);
    for (int r = 0; r < p->n_reductions; r++) g.computed[p->reductions[r].value] = 1;
    for (int i = p->n_before - 1; i >= 0; i--) {
        const struct heddle_instr *in = &p->instrs[i];
        const uint16_t operand[3] = {in->a, in->b, in->c};
        if (g.kind[i] == HEDDLE_GATHERED_RUN || is_kept_back(s, &g, i)) continue;
        for (int k = 0; k < heddle__instr_arity(in) && g.computed[i]; k++)
            g.computed[operand[k]] = 1;
    }
    return g;
}

static const char *type_of(const struct heddle_source *s, int i)
{
    return heddle__source_type(s->p->instrs[i].result);
}

static bool is_run(const struct gathered *g, int i)
{
    return g->kind[i] == HEDDLE_GATHERED_RUN && g->computed[i];
}

/* Notes bad indices, where there are some: what was computed of them is computed again, which keeps all other threads from it. */
static void put_bad(const struct heddle_source *s, const struct gathered *g, int slots)
{
    const struct heddle_source_names names = heddle__source_element_names(0, "ok[t]");
    heddle__text_put(s->text, "if (!good) {\n#pragma unroll\nfor (int t = 0; t < %d; t++) {\n",
                     slots);
    for (int i = 0; i < s->p->n_before; i++)
        if (g->placed[i] && g->kind[i] == HEDDLE_GATHERED_ALIKE) heddle__source_instr(s, i, &names);
    heddle__text_put(s->text, "}\n}\n");
}

/* at<i> of all slots, and h<i> of what the values need, too. Indices are checked here. */
static void put_places(const struct heddle_source *s, const struct gathered *g, int slots)
{
    const struct heddle_source_names names = heddle__source_element_names(0, "ok[t]");
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    for (int i = 0; i < p->n_before; i++) {
        if (is_kept_back(s, g, i) && g->computed[i])
            heddle__text_put(t, "%s h%d[%d];\n", type_of(s, i), i, slots);
        if (is_run(g, i))
            heddle__text_put(t, "%s at%d[%d];\n%s g%d[%d][R];\n",
                             p->instrs[i].near ? "int" : "hd_int64", i, slots, type_of(s, i), i,
                             slots);
    }
    heddle__text_put(t,
                     "bool good = true;\n#pragma unroll\nfor (int t = 0; t < %d; t++) {\n"
                     "constexpr int i = 0;\n",
                     slots);
    for (int i = 0; i < p->n_before; i++) {
        const struct heddle_instr *in = &p->instrs[i];
        if (in->code == HEDDLE_CODE_CHECKED)
            heddle__text_put(t, "const hd_int64 v%d = hd_in_range<%s>(v%d, v%d, good);\n", i,
                             in->near ? "int" : "hd_int64", in->a, in->b);
        else if (g->placed[i])
            heddle__source_instr(s, i, &names);
        if (is_kept_back(s, g, i) && g->computed[i]) heddle__text_put(t, "h%d[t] = v%d;\n", i, i);
        if (is_run(g, i))
            heddle__text_put(t, in->near ? "at%d[t] = (int)v%d;\n" : "at%d[t] = v%d;\n", i, in->a);
    }
    heddle__text_put(t, "}\n");
    put_bad(s, g, slots);
}

/* g<i> of all slots. All pieces are aligned or hardly any, as the rows of most tables are: one branch, and all loads are under way. */
static void put_runs(const struct heddle_source *s, const struct gathered *g, int slots)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    heddle__text_put(t, "bool whole = true;\n");
    for (int i = 0; i < p->n_before; i++)
        if (is_run(g, i))
            heddle__text_put(t,
                             "{\nhd_int64 all = 0;\n#pragma unroll\nfor (int t = 0; t < %d; t++) "
                             "all |= at%d[t];\nwhole = whole && hd_are_pieces<R>(p%d, all);\n}\n",
                             slots, i, p->instrs[i].b);
    for (int apart = 0; apart < 2; apart++) {
        heddle__text_put(t, "%s {\n#pragma unroll\nfor (int t = 0; t < %d; t++) {\n",
                         apart ? "else" : "if (whole)", slots);
        for (int i = 0; i < p->n_before; i++)
            if (is_run(g, i))
                heddle__text_put(t,
                                 apart ? "hd_load_apart(g%d[t], p%d + at%d[t], 1);\n"
                                       : "hd_load(g%d[t], p%d + at%d[t]);\n",
                                 i, p->instrs[i].b, i);
        heddle__text_put(t, "}\n}\n");
    }
}

/* y<r>[i][t], of kept element i. */
static void put_values(const struct heddle_source *s, const struct gathered *g, int slots)
{
    const struct heddle_program *p = s->p;
    struct heddle_text *t = s->text;
    const int is_quick = heddle__source_is_quick(p, p->n_before);
    const struct heddle_source_names names = heddle__source_element_names(is_quick, "ok[t]");
    char type[32];
    for (int r = 0; r < p->n_reductions; r++)
        heddle__text_put(t, "%s y%d[R][%d];\n", heddle__source_accumulator(s, r, type), r, slots);
    if (is_quick) heddle__text_put(t, HEDDLE_COMPUTE_BEGIN, "true");
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", slots);
    for (int i = 0; i < p->n_before; i++) {
        if (!g->computed[i] || g->kind[i] != HEDDLE_GATHERED_ALIKE) continue;
        if (is_kept_back(s, g, i))
            heddle__text_put(t, "const %s v%d = h%d[t];\n", type_of(s, i), i, i);
        else
            heddle__source_instr(s, i, &names);
    }
    heddle__text_put(t, "#pragma unroll\nfor (int i = 0; i < R; i++) {\n");
    for (int i = 0; i < p->n_before; i++) {
        if (!g->computed[i] || g->kind[i] == HEDDLE_GATHERED_ALIKE) continue;
        if (is_run(g, i))
            heddle__text_put(t, "const %s v%d = g%d[t][i];\n", type_of(s, i), i, i);
        else
            heddle__source_instr(s, i, &names);
    }
    for (int r = 0; r < p->n_reductions; r++) heddle__text_put(t, "auto &e%d = y%d[i];\n", r, r);
    heddle__source_values(s);
    heddle__text_put(t, is_quick ? "}\n}\n" HEDDLE_COMPUTE_END : "}\n}\n");
}

/* x<r>[i]: what kept element i is reduced to. */
static void put_nothing(const struct heddle_source *s)
{
    char type[32];
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text, "%s x%d[R];\n", heddle__source_accumulator(s, r, type), r);
    heddle__text_put(s->text, "#pragma unroll\nfor (int i = 0; i < R; i++) {\n");
    heddle__source_nothing(s);
    for (int r = 0; r < s->p->n_reductions; r++) heddle__text_put(s->text, "x%d[i] = a%d;\n", r, r);
    heddle__text_put(s->text, "}\n");
}

static void put_taken(const struct heddle_source *s, int slots)
{
    heddle__text_put(s->text, "#pragma unroll\nfor (int i = 0; i < R; i++) {\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text, "auto &a%d = x%d[i];\nconst auto &e%d = y%d[i];\n", r, r, r, r);
    heddle__source_in_order(s, slots, "b == 0");
    heddle__text_put(s->text, "}\n");
}

static void put_results(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    const struct heddle_program *p = s->p;
    const int n_stores = pass->has_results ? p->n_stores : 0;
    struct heddle_text *t = s->text;
    for (int k = 0; k < n_stores; k++) {
        const int operand = p->stores[k].operand;
        heddle__text_put(t, "%s o%d[R];\n", heddle__source_type(p->operand_dtype[operand]),
                         operand);
    }
    heddle__text_put(t,
                     "#pragma unroll\nfor (int i = 0; i < R; i++) {\nconst I k%d = k[%d] + i;\n"
                     "const I kept = first_kept + i;\n",
                     s->c->n_kept - 1, s->c->n_kept - 1);
    for (int r = 0; r < p->n_reductions; r++)
        heddle__text_put(t, "const auto a%d = x%d[i];\n", r, r);
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n");
    for (int k = 0; k < n_stores; k++) {
        const int operand = p->stores[k].operand;
        heddle__text_put(t, "hd_store(p%d + (", operand);
        heddle__source_kept_offset(s, operand);
        heddle__text_put(t, "), o%d);\n", operand);
    }
}

/* R neighbours along the last axis: `kept`, and those after it. They are all there. */
static void put_unit(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    heddle__text_put(s->text,
                     "constexpr int R = %d, count = R;\nconst I first = unit * R;\n{\n"
                     "const I unit = first;\n",
                     s->c->together);
    heddle__source_unit(s, pass);
    heddle__source_kept(s);
    heddle__text_put(s->text, "const I first_kept = kept;\n");
}

/* For all slots that exist, without asking for each; then for what is left. */
static void put_loop(const struct heddle_source *s, const struct heddle_source_pass *pass,
                     const struct gathered *g, int edge)
{
    const int slots = pass->unroll;
    struct heddle_text *t = s->text;
    if (edge)
        heddle__text_put(t, "for (; b < n; b += %d) {\n", slots);
    else
        heddle__text_put(t,
                         "for (; b + %d <= n; b += %d) {\nbool ok[%d];\n"
                         "#pragma unroll\nfor (int t = 0; t < %d; t++) ok[t] = true;\n",
                         slots, slots, slots, slots);
    heddle__source_slots(s, pass, slots, "b + t", edge ? "false" : NULL, NULL);
    if (s->p->n_checked > 0) {
        put_places(s, g, slots);
        put_runs(s, g, slots);
    }
    put_values(s, g, slots);
    put_taken(s, slots);
    heddle__text_put(t, "}\n");
}

void heddle__gathered(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    const struct gathered g = gathered_of(s);
    put_unit(s, pass);
    heddle__source_still(s);
    put_nothing(s);
    heddle__text_put(s->text, "I b = 0;\n");
    put_loop(s, pass, &g, 0);
    put_loop(s, pass, &g, 1);
    put_results(s, pass);
    heddle__text_put(s->text, "}\n");
}
