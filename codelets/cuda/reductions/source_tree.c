/* Generated source of the trees of reduce_tree.h, by a thread, a warp or a block for each chunk, and
 * the same over the partials of the chunks. Entry point: heddle__source_tree. */
#include "cuda/reductions/source_reduce.h"

#include "reduce_tree.h"

#include <stdio.h>

/* "into = into (op) y;" for reduction r. */
void heddle__source_combine(const struct heddle_source *s, int r, const char *into, const char *y)
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    heddle__text_put(s->text, "%s = ", into);
    if (heddle__is_arg(in)) {
        heddle__text_put(s->text, "hd_%s(%s, %s)", heddle__reductions[in->op].name, into, y);
    } else {
        heddle__text_put(s->text, "(%s)(", heddle__source_type(in->dtype));
        heddle__source_expression(s, heddle__reductions[in->op].expression, into, y, "");
        heddle__text_put(s->text, ")");
    }
    heddle__text_put(s->text, ";\n");
}

void heddle__source_take(const struct heddle_source *s, int r, const char *into, const char *y)
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    if (heddle__is_arg(in))
        heddle__text_put(s->text, "%s = hd_%s_later(%s, %s);\n", into,
                         heddle__reductions[in->op].name, into, y);
    else
        heddle__source_combine(s, r, into, y);
}

/* "into<r>into_at = ... (op) from<r>from_at;" for each reduction. */
static void put_combines(const struct heddle_source *s, const char *into, const char *into_at,
                         const char *from, const char *from_at)
{
    char x[48], y[48];
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(x, sizeof x, "%s%d%s", into, r, into_at);
        snprintf(y, sizeof y, "%s%d%s", from, r, from_at);
        heddle__source_combine(s, r, x, y);
    }
}

const char *heddle__neutral_of(const struct heddle_reduce_instr *in)
{
    const char kind = heddle_dtype_kind((enum heddle_dtype)in->dtype);
    const bool is_number = kind != 'B' && !heddle__is_half((enum heddle_dtype)in->dtype);
    if (heddle__is_arg(in) || kind == 'C') return NULL;
    switch (in->op) {
    case HEDDLE_REDUCE_SUM: return kind == 'F' ? "-0.0" : "0";
    case HEDDLE_REDUCE_PROD:
    case HEDDLE_REDUCE_ALL: return "1";
    case HEDDLE_REDUCE_ANY: return "0";
    case HEDDLE_REDUCE_MAX: return is_number ? "hd_least()" : NULL;
    case HEDDLE_REDUCE_MIN: return is_number ? "hd_greatest()" : NULL;
    default: return NULL;
    }
}

const char *heddle__source_neutral(const struct heddle_source *s, int r)
{
    return heddle__neutral_of(&s->p->reductions[r]);
}

static void put_identity(const struct heddle_source *s, int r)
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    const char *type = heddle__source_type(in->dtype);
    const char *value = heddle__reductions[in->op].identity == 1 ? "1" : "0";
    char accumulator[32];
    if (heddle__is_arg(in))
        heddle__text_put(s->text, "%s{(%s)0, 0}", heddle__source_accumulator(s, r, accumulator),
                         type);
    else if (heddle_dtype_kind((enum heddle_dtype)in->dtype) == 'C')
        heddle__text_put(s->text, "%s{%s, 0}", type, value);
    else
        heddle__text_put(s->text, "(%s)%s", type, value);
}

/* ---- forms ----------------------------------------------------------------------------------- */

void heddle__source_nothing(const struct heddle_source *s)
{
    char type[32];
    for (int r = 0; r < s->p->n_reductions; r++) {
        heddle__text_put(s->text, "%s a%d = ", heddle__source_accumulator(s, r, type), r);
        put_identity(s, r);
        heddle__text_put(s->text, ";\n");
    }
}

void heddle__source_in_order(const struct heddle_source *s, int slots, const char *first)
{
    struct heddle_text *t = s->text;
    char a[16], e[24];
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\nif (!ok[t]) continue;\n",
                     slots);
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(a, sizeof a, "a%d", r);
        snprintf(e, sizeof e, "e%d[t]", r);
        heddle__text_put(t, "if (t == 0 && %s) a%d = e%d[t];\nelse ", first, r, r);
        heddle__source_take(s, r, a, e);
    }
    heddle__text_put(t, "}\n");
}

static void by_thread(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    char full[48];
    heddle__source_nothing(s);
    heddle__text_put(t, "for (I b = 0; b < n; b += %d) {\n", pass->unroll);
    snprintf(full, sizeof full, "b + %d <= n", pass->unroll);
    heddle__source_elements(s, pass, pass->unroll, "b + t", full, NULL);
    heddle__source_in_order(s, pass->unroll, "b == 0");
    heddle__text_put(t, "}\n");
    heddle__source_results(s, pass);
}

/* Lanes that one thread has, <name><r>[..], `apart` threads in the tree, `beside` of them next to each other there: to the first `beside` of
 * them. `of` is the thread's number, `full` as in a team. Each half by itself: a loop over halves stays a loop, and the lanes leave the registers. */
static void put_fold(const struct heddle_source *s, const char *name, const char *of, int apart,
                     int beside, int lanes, int full)
{
    int half = 1;
    char into[24], from[24];
    while (half < lanes) half *= 2;
    while ((half /= 2) >= beside)
        for (int k = 0; k < half && k + half < lanes; k++) {
            const int other = k + half, number = other / beside * apart * beside + other % beside;
            snprintf(into, sizeof into, "[%d]", k);
            snprintf(from, sizeof from, "[%d]", other);
            if (other >= full && beside > 1)
                heddle__text_put(s->text, "if (%s * %d + %d < n) {\n", of, beside, number);
            else if (other >= full)
                heddle__text_put(s->text, "if (%s + %d < n) {\n", of, number);
            put_combines(s, name, into, name, from);
            if (other >= full) heddle__text_put(s->text, "}\n");
        }
}

/* Lane k of the last ones that a thread has: a<r>, <name><r>[1], ... */
static void name_last(char into[24], const char *name, int r, int k)
{
    if (k == 0)
        snprintf(into, 24, "a%d", r);
    else
        snprintf(into, 24, "%s%d[%d]", name, r, k);
}

/* The last halves: `beside` lanes of each of a warp's threads, or of some of them, to a<r>. */
static void put_shuffles(const struct heddle_source *s, const char *name, int threads, int beside,
                         int full)
{
    struct heddle_text *t = s->text;
    char type[32], into[24], from[24];
    heddle__text_put(t, "#pragma unroll\nfor (int half = %d; half > 0; half /= 2) {\n",
                     threads < 32 ? threads / 2 : 16);
    for (int r = 0; r < s->p->n_reductions; r++)
        for (int k = 0; k < beside; k++) {
            name_last(into, name, r, k);
            heddle__text_put(t,
                             "{\nconst %s y = hd_from_lane(%s, ((int)threadIdx.x + half) & 31);\n"
                             "if (of_warp < half%s) ",
                             heddle__source_accumulator(s, r, type), into,
                             full > 0 ? "" : " && of_warp + half < n");
            heddle__source_combine(s, r, into, "y");
            heddle__text_put(t, "}\n");
        }
    heddle__text_put(t, "}\n");
    for (int half = beside / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            for (int r = 0; r < s->p->n_reductions; r++) {
                name_last(into, name, r, k);
                name_last(from, name, r, k + half);
                heddle__source_combine(s, r, into, from);
            }
}

/* Left to right, where the lanes of a short chunk are: only lane 0's result counts. */
static void put_in_turn(const struct heddle_source *s, const char *first)
{
    struct heddle_text *t = s->text;
    char type[32], a[16];
    heddle__text_put(t, "for (int j = 1; j < n; j++) {\n");
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(a, sizeof a, "a%d", r);
        heddle__text_put(t, "{\nconst %s y = hd_from_lane(%s%d[0], j);\n",
                         heddle__source_accumulator(s, r, type), first, r);
        heddle__source_combine(s, r, a, "y");
        heddle__text_put(t, "}\n");
    }
    heddle__text_put(t, "}\n");
}

/* The last lanes of all threads, w<r>[..], `beside` of each, to u<r>[..] of each warp's. So all warps have the rest of the tree, at the price of one barrier:
 * a half at a time would take one for each. The first barrier is for who still reads what was shared before. */
static void put_share(const struct heddle_source *s, int threads, int beside)
{
    const int n_lanes = threads * beside / 32;
    struct heddle_text *t = s->text;
    char type[32];
    heddle__text_put(t, "__syncthreads();\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        for (int k = 0; k < beside; k++)
            heddle__text_put(t, "shared%d[lane * %d + %d] = w%d[%d];\n", r, beside, k, r, k);
    heddle__text_put(t, "__syncthreads();\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t,
                         "%s u%d[%d];\n#pragma unroll\nfor (int k = 0; k < %d; k++) u%d[k] = "
                         "shared%d[of_warp + 32 * k];\n",
                         heddle__source_accumulator(s, r, type), r, n_lanes, n_lanes, r, r);
}

/* Halves 512 and 256, where a thread has lanes 2i, 2i + 1 and those 512 after them; then lane i is in thread i. */
static void put_halves_of_pairs(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    const int n_reductions = s->p->n_reductions;
    heddle__text_put(t, "if (n > %d) {\n", HEDDLE_TREE_SHORT);
    for (int k = 0; k < 2; k++) {
        heddle__text_put(t, "if (2 * lane + %d < n) {\n", 512 + k);
        put_combines(s, "w", k ? "[1]" : "[0]", "w", k ? "[3]" : "[2]");
        heddle__text_put(t, "}\n");
    }
    heddle__text_put(t, "}\n__syncthreads();\n");
    for (int r = 0; r < n_reductions; r++)
        heddle__text_put(t, "shared%d[2 * lane] = w%d[0];\nshared%d[2 * lane + 1] = w%d[1];\n", r,
                         r, r, r);
    heddle__text_put(t, "__syncthreads();\n");
    for (int r = 0; r < n_reductions; r++) heddle__text_put(t, "w%d[0] = shared%d[lane];\n", r, r);
    heddle__text_put(t, "if (n > %d && lane + 256 < n) {\n", HEDDLE_TREE_SHORT);
    put_combines(s, "w", "[0]", "shared", "[lane + 256]");
    heddle__text_put(t, "}\n");
}

/* Lanes 4i..4i + 3 of thread i become i, i + 256, i + 512 and i + 768. */
static void put_quads(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    const int n_reductions = s->p->n_reductions;
    heddle__text_put(t, "__syncthreads();\n#pragma unroll\nfor (int k = 0; k < 4; k++) {\n");
    for (int r = 0; r < n_reductions; r++)
        heddle__text_put(t, "shared%d[4 * lane + k] = w%d[k];\n", r, r);
    heddle__text_put(t, "}\n__syncthreads();\n#pragma unroll\nfor (int k = 0; k < 4; k++) {\n");
    for (int r = 0; r < n_reductions; r++)
        heddle__text_put(t, "w%d[k] = shared%d[lane + 256 * k];\n", r, r);
    heddle__text_put(t, "}\n");
}

void heddle__source_join(const struct heddle_source *s, const struct heddle_source_team *team)
{
    struct heddle_text *t = s->text;
    const bool is_warp = team->threads <= 32;
    const char *const last = is_warp ? "w" : "u";
    const int beside = team->beside > 1 ? team->beside : 1, of_warp = team->threads * beside / 32;
    char type[32], if_long[32];
    snprintf(if_long, sizeof if_long, team->is_long ? "{\n" : "if (n > %d) {\n", HEDDLE_TREE_SHORT);
    if (team->in_quads) put_quads(s);
    if (team->in_pairs) {
        put_halves_of_pairs(s);
    } else {
        heddle__text_put(t, "%s", if_long);
        put_fold(s, "w", "lane", team->threads, beside, team->lanes, team->full);
        heddle__text_put(t, "}\n");
    }
    heddle__text_put(t, "const int of_warp = lane & 31;\n");
    if (!is_warp) {
        put_share(s, team->threads, beside);
        heddle__text_put(t, "%s", if_long);
        put_fold(s, "u", "of_warp", 32, 1, of_warp, team->full > 0 ? of_warp : 0);
        heddle__text_put(t, "}\n");
    }
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t, "%s a%d = %s%d[0];\n", heddle__source_accumulator(s, r, type), r, last,
                         r);
    heddle__text_put(t, "%s", if_long);
    put_shuffles(s, last, team->threads, is_warp ? beside : 1, team->full);
    heddle__text_put(t, "}\n");
    if (team->is_long) return;
    heddle__text_put(t, "else {\n");
    put_in_turn(s, last);
    heddle__text_put(t, "}\n");
}

/* A thread's lanes lane + 32 k come in groups k = b, b + groups, b + 2 groups, ..., which the tree folds to one before it brings
 * groups together: only the lanes of one group, and what became of others, are in registers. */
static void by_warp(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    const int together = pass->lanes < 8 ? pass->lanes : 8, groups = pass->lanes / together;
    char type[32], element[64], full[64];
    heddle__text_put(t, "const int lane = threadIdx.x & 31;\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t, "%s w%d[%d];\n", heddle__source_accumulator(s, r, type), r, groups);
    heddle__text_put(t, "#pragma unroll\nfor (int b = 0; b < %d; b++) {\n", groups);
    snprintf(element, sizeof element, "(I)(lane + 32 * (b + %d * t))", groups);
    snprintf(full, sizeof full, "(I)(32 * (b + %d)) <= n", groups * (together - 1) + 1);
    heddle__source_elements(s, pass, together, element, full, NULL);
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(
            t, "%s g%d[%d];\n#pragma unroll\nfor (int t = 0; t < %d; t++) g%d[t] = e%d[t];\n",
            heddle__source_accumulator(s, r, type), r, together, together, r, r);
    put_fold(s, "g", "lane + 32 * b", 32 * groups, 1, together, 0);
    for (int r = 0; r < s->p->n_reductions; r++) heddle__text_put(t, "w%d[b] = g%d[0];\n", r, r);
    heddle__text_put(t, "}\n");
    heddle__source_join(s, &(struct heddle_source_team){.threads = 32, .lanes = groups});
    heddle__text_put(t, "if (lane == 0) {\n");
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n");
}

static int has_quads(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    return !pass->is_finish && heddle__source_has_quads(s);
}

void heddle__source_block_loop(const struct heddle_source *s, const struct heddle_source_pass *pass,
                               const char *w)
{
    enum { FEW_INSTRS = 2 }; /* loads that memory takes longer for */
    struct heddle_text *t = s->text;
    const int slots = 4 * pass->unroll;
    const int in_pairs = s->c->even && !pass->is_finish, in_quads = has_quads(s, pass);
    const int is_busy =
        !pass->is_finish && (heddle__source_is_quick(s->p, s->p->n_before) || s->c->together ||
                             (heddle__has_arg(s->p) && s->p->n_before > FEW_INSTRS));
    const int apart = in_pairs || in_quads || is_busy,
              has_pointers = is_busy && !in_pairs && !in_quads;
    char full[48], a[32], b[32];
    snprintf(full, sizeof full, "b + %d <= n", 256 * slots);
    if (has_pointers) heddle__source_pointers(s, "lane");
    heddle__text_put(t, "I b = 0;\n");
    /* Draws, quotients, roots, places of extremes and what several kept elements load once take a block's time, not memory's: what full steps need not ask is left out of a loop
     * of their own. */
    for (int edge = !apart; edge < 2; edge++) {
        heddle__text_put(t, "for (; %s; b += %d) {\n", edge ? "b < n" : full, 256 * slots);
        heddle__source_elements(s, pass, slots,
                                in_pairs   ? "b + (I)((t >> 1) * 512 + 2 * lane + (t & 1))"
                                : in_quads ? "b + (I)((t >> 2) * 1024 + 4 * lane + (t & 3))"
                                           : "b + (I)(t * 256 + lane)",
                                !edge   ? NULL
                                : apart ? "false"
                                        : full,
                                !edge && has_pointers ? "b + t * 256" : NULL);
        heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", slots);
        for (int r = 0; r < s->p->n_reductions; r++) {
            snprintf(a, sizeof a, w, r);
            snprintf(b, sizeof b, "e%d[t]", r);
            if (!heddle__source_neutral(s, r))
                heddle__text_put(t, "if (t < 4 && b == 0) %s = %s;\nelse ", a, b);
            if (edge) heddle__text_put(t, "if (ok[t]) ");
            heddle__source_take(s, r, a, b);
        }
        heddle__text_put(t, s->c->together && !pass->is_finish ? "}\n}\n}\n" : "}\n}\n");
    }
}

static void by_block(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    char type[32];
    heddle__text_put(t, "const int lane = threadIdx.x;\n");
    for (int r = 0; r < s->p->n_reductions; r++) {
        const char *const neutral = heddle__source_neutral(s, r);
        heddle__text_put(t, "%s w%d[4]", heddle__source_accumulator(s, r, type), r);
        if (neutral) heddle__text_put(t, " = {%s, %s, %s, %s}", neutral, neutral, neutral, neutral);
        heddle__text_put(t, ";\n");
    }
    heddle__source_block_loop(s, pass, "w%d[t & 3]");
    heddle__source_join(s, &(struct heddle_source_team){.threads = 256,
                                                        .lanes = 4,
                                                        .in_pairs = s->c->even && !pass->is_finish,
                                                        .in_quads = has_quads(s, pass)});
    heddle__text_put(t, "if (lane == 0) {\n");
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n");
}

void heddle__source_tree(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    if (pass->form == HEDDLE_FORM_THREAD)
        by_thread(s, pass);
    else if (pass->form == HEDDLE_FORM_WARP)
        by_warp(s, pass);
    else if (s->c->side > 0 && !pass->is_finish)
        heddle__strips_tree(s, pass);
    else if (s->c->shares > 0 && !pass->is_finish)
        heddle__shares(s, pass);
    else
        by_block(s, pass);
}
