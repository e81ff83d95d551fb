/* Generated source of the trees of reduce_tree.h, by a thread, a warp or a block for each chunk, and
 * the same over the partials of the chunks. Entry point: heddle__source_tree. */
#include "cuda/source_reduce.h"

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

const char *heddle__source_neutral(const struct heddle_source *s, int r)
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    const char kind = heddle_dtype_kind((enum heddle_dtype)in->dtype);
    if (heddle__is_arg(in) || kind == 'C') return NULL;
    switch (in->op) {
    case HEDDLE_REDUCE_SUM: return kind == 'F' ? "-0.0" : "0";
    case HEDDLE_REDUCE_PROD:
    case HEDDLE_REDUCE_ALL: return "1";
    case HEDDLE_REDUCE_ANY: return "0";
    default: return NULL;
    }
}

static void put_identity(const struct heddle_source *s, int r)
{
    const struct heddle_reduce_instr *in = &s->p->reductions[r];
    const char *type = heddle__source_type(in->dtype);
    const char *value = heddle__reductions[in->op].identity == 1 ? "1" : "0";
    if (heddle__is_arg(in))
        heddle__text_put(s->text, "hd_at<%s>{(%s)0, 0}", type, type);
    else if (heddle_dtype_kind((enum heddle_dtype)in->dtype) == 'C')
        heddle__text_put(s->text, "%s{%s, 0}", type, value);
    else
        heddle__text_put(s->text, "(%s)%s", type, value);
}

/* ---- forms ----------------------------------------------------------------------------------- */

static void by_thread(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    char type[32], full[48], a[16], e[24];
    for (int r = 0; r < s->p->n_reductions; r++) {
        heddle__text_put(t, "%s a%d = ", heddle__source_accumulator(s, r, type), r);
        put_identity(s, r);
        heddle__text_put(t, ";\n");
    }
    heddle__text_put(t, "for (I b = 0; b < n; b += %d) {\n", pass->unroll);
    snprintf(full, sizeof full, "b + %d <= n", pass->unroll);
    heddle__source_elements(s, pass, pass->unroll, "b + t", full);
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\nif (!ok[t]) continue;\n",
                     pass->unroll);
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(a, sizeof a, "a%d", r);
        snprintf(e, sizeof e, "e%d[t]", r);
        heddle__text_put(t, "if (t == 0 && b == 0) a%d = e%d[t];\nelse ", r, r);
        heddle__source_combine(s, r, a, e);
    }
    heddle__text_put(t, "}\n}\n");
    heddle__source_results(s, pass);
}

/* Halves 16, 8, 4, 2, 1 of a warp's 32 lanes, in a<r>. */
static void put_shuffles(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    char type[32], a[16];
    heddle__text_put(t, "#pragma unroll\nfor (int half = 16; half > 0; half /= 2) {\n");
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(a, sizeof a, "a%d", r);
        heddle__text_put(t,
                         "{\nconst %s y = hd_from_lane(a%d, (lane + half) & 31);\n"
                         "if (lane < half && lane + half < n) ",
                         heddle__source_accumulator(s, r, type), r);
        heddle__source_combine(s, r, a, "y");
        heddle__text_put(t, "}\n");
    }
    heddle__text_put(t, "}\n");
}

void heddle__source_join_warp(const struct heddle_source *s, int lanes)
{
    struct heddle_text *t = s->text;
    char type[32], a[24];
    /* each half by itself: a loop over halves stays a loop, and the lanes leave the registers */
    heddle__text_put(t, "if (n > %d) {\n", HEDDLE_TREE_SHORT);
    for (int half = lanes / 2; half > 0; half /= 2) {
        heddle__text_put(t,
                         "#pragma unroll\nfor (int t = 0; t < %d; t++)\n"
                         "if (lane + 32 * (t + %d) < n) {\n",
                         half, half);
        snprintf(a, sizeof a, "[t + %d]", half);
        put_combines(s, "w", "[t]", "w", a);
        heddle__text_put(t, "}\n");
    }
    heddle__text_put(t, "}\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t, "%s a%d = w%d[0];\n", heddle__source_accumulator(s, r, type), r, r);
    heddle__text_put(t, "if (n > %d) {\n", HEDDLE_TREE_SHORT);
    put_shuffles(s);
    heddle__text_put(t, "} else {\n");
    for (int r = 0; r < s->p->n_reductions; r++) { /* left to right; only lane 0's result counts */
        snprintf(a, sizeof a, "a%d", r);
        heddle__text_put(t,
                         "for (int j = 1; j < n; j++) {\nconst %s y = hd_from_lane(w%d[0], j);\n",
                         heddle__source_accumulator(s, r, type), r);
        heddle__source_combine(s, r, a, "y");
        heddle__text_put(t, "}\n");
    }
    heddle__text_put(t, "}\n");
}

static void by_warp(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    const int together = pass->lanes < 8 ? pass->lanes : 8;
    char type[32], full[48];
    heddle__text_put(t, "const int lane = threadIdx.x & 31;\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t, "%s w%d[%d];\n", heddle__source_accumulator(s, r, type), r,
                         pass->lanes);
    heddle__text_put(t, "#pragma unroll\nfor (int b = 0; b < %d; b += %d) {\n", pass->lanes,
                     together);
    snprintf(full, sizeof full, "(I)(32 * (b + %d)) <= n", together);
    heddle__source_elements(s, pass, together, "(I)(lane + 32 * (b + t))", full);
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", together);
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t, "w%d[b + t] = e%d[t];\n", r, r);
    heddle__text_put(t, "}\n}\n");
    heddle__source_join_warp(s, pass->lanes);
    heddle__text_put(t, "if (lane == 0) {\n");
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n");
}

/* Halves 512 and 256. Lanes 256 apart are in one thread. */
static void put_first_halves(const struct heddle_source *s)
{
    static const struct {
        int lanes; /* apart */
        const char *into, *from;
    } pairs[3] = {{512, "[0]", "[2]"}, {768, "[1]", "[3]"}, {256, "[0]", "[1]"}};
    struct heddle_text *t = s->text;
    heddle__text_put(t, "if (n > %d) {\n", HEDDLE_TREE_SHORT);
    for (int k = 0; k < 3; k++) {
        heddle__text_put(t, "if (lane + %d < n) {\n", pairs[k].lanes);
        put_combines(s, "w", pairs[k].into, "w", pairs[k].from);
        heddle__text_put(t, "}\n");
    }
    heddle__text_put(t, "}\n");
}

/* The same where a thread has lanes 2i, 2i + 1 and those 512 after them; then lane i is in thread i. */
static void put_first_halves_of_pairs(const struct heddle_source *s)
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

void heddle__source_join_block(const struct heddle_source *s, int in_pairs)
{
    struct heddle_text *t = s->text;
    const int n_reductions = s->p->n_reductions;
    char type[32];
    if (in_pairs)
        put_first_halves_of_pairs(s);
    else
        put_first_halves(s);
    /* 128, 64, 32 go through shared memory */
    heddle__text_put(t, "__syncthreads();\n");
    for (int r = 0; r < n_reductions; r++) heddle__text_put(t, "shared%d[lane] = w%d[0];\n", r, r);
    heddle__text_put(t,
                     "__syncthreads();\nif (n > %d) {\n#pragma unroll\n"
                     "for (int half = 128; half >= 64; half /= 2) {\n"
                     "if (lane < half && lane + half < n) {\n",
                     HEDDLE_TREE_SHORT);
    put_combines(s, "shared", "[lane]", "shared", "[lane + half]");
    heddle__text_put(t, "}\n__syncthreads();\n}\n}\nif (lane < 32) {\n");
    for (int r = 0; r < n_reductions; r++)
        heddle__text_put(t, "%s a%d = shared%d[lane];\n", heddle__source_accumulator(s, r, type), r,
                         r);
    heddle__text_put(t, "if (n > %d) {\nif (lane + 32 < n) {\n", HEDDLE_TREE_SHORT);
    put_combines(s, "a", "", "shared", "[lane + 32]");
    heddle__text_put(t, "}\n");
    put_shuffles(s);
    heddle__text_put(t, "} else {\nfor (int j = 1; j < n; j++) {\n");
    put_combines(s, "a", "", "shared", "[j]");
    heddle__text_put(t, "}\n}\n");
}

static void by_block(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    const int slots = 4 * pass->unroll, n_reductions = s->p->n_reductions;
    const int in_pairs = s->c->even && !pass->is_finish;
    char type[32], full[48], a[32], b[32];
    heddle__text_put(t, "const int lane = threadIdx.x;\n");
    for (int r = 0; r < n_reductions; r++) {
        heddle__source_accumulator(s, r, type);
        heddle__text_put(t, "%s w%d[4]", type, r);
        if (heddle__source_neutral(s, r))
            heddle__text_put(t, " = {%s, %s, %s, %s}", heddle__source_neutral(s, r),
                             heddle__source_neutral(s, r), heddle__source_neutral(s, r),
                             heddle__source_neutral(s, r));
        heddle__text_put(t, ";\n");
    }
    snprintf(full, sizeof full, "b + %d <= n", 256 * slots);
    heddle__text_put(t, "I b = 0;\n");
    /* Draws take a block's time, not memory's: what full steps need not ask is left out of a loop of their own. */
    for (int edge = !in_pairs; edge < 2; edge++) {
        heddle__text_put(t, "for (; %s; b += %d) {\n", edge ? "b < n" : full, 256 * slots);
        heddle__source_elements(s, pass, slots,
                                in_pairs ? "b + (I)((t >> 1) * 512 + 2 * lane + (t & 1))"
                                         : "b + (I)(t * 256 + lane)",
                                edge ? full : NULL);
        heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", slots);
        for (int r = 0; r < n_reductions; r++) {
            snprintf(a, sizeof a, "w%d[t & 3]", r);
            snprintf(b, sizeof b, "e%d[t]", r);
            if (!heddle__source_neutral(s, r))
                heddle__text_put(t, "if (t < 4 && b == 0) w%d[t & 3] = e%d[t];\nelse ", r, r);
            if (edge) heddle__text_put(t, "if (ok[t]) ");
            heddle__source_combine(s, r, a, b);
        }
        heddle__text_put(t, "}\n}\n");
    }
    heddle__source_join_block(s, in_pairs);
    heddle__text_put(t, "if (lane == 0) {\n");
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n}\n");
}

void heddle__source_tree(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    if (pass->form == HEDDLE_FORM_THREAD)
        by_thread(s, pass);
    else if (pass->form == HEDDLE_FORM_WARP)
        by_warp(s, pass);
    else if (s->c->side > 0 && !pass->is_finish)
        heddle__strips_tree(s, pass);
    else
        by_block(s, pass);
}
