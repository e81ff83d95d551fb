/* Generated source of reductions by strips (strips.h): a thread has a strip of S neighbours for each of its lanes of the tree, loaded
 * by whole sectors, and combines each chunk's elements in the order of reduce_tree.h all the same. Entry points: source_reduce.h.
 *
 * Of chunks: w<r>[t * S + i] is what lane 256 t + thread of the strip's i-th chunk has; in the end a warp has one of the chunks. Of
 * rows: the strips are of one chunk, and w<r>[t] is its lane 256 t + thread. As rows have a multiple of 256 elements, all of a column
 * are of lanes of the same thread; C columns, in passes over those whose lanes are its own. */
#include "cuda/reductions/source_reduce.h"

#include "reduce_tree.h"
#include "strips.h"

#include <stdio.h>

static void put(const struct heddle_source *s, const char *line)
{
    heddle__text_put(s->text, "%s", line);
}

void heddle__strips_unit(const struct heddle_source *s)
{
    heddle__text_put(s->text,
                     "const I beside = (I)args.v[%d], columns = (I)args.v[%d];\n"
                     "const I over = hd_quotient(strip, columns, args.v[%d]);\n"
                     "const I high = hd_quotient(over, beside, args.v[%d]);\n"
                     "const I along = (strip - over * columns) * S;\n"
                     "const I extent = (I)args.v[%d];\n"
                     "const int count = extent - along < S ? (int)(extent - along) : S;\n"
                     "const I unit = (high * extent + along - high) * beside + over;\n",
                     HEDDLE_SLOT_BESIDE, HEDDLE_SLOT_COLUMNS, HEDDLE_SLOT_MAGIC_COLUMNS,
                     HEDDLE_SLOT_MAGIC_BESIDE, HEDDLE_SLOT_EXTENT + s->c->across);
}

/* w<r>[..], neutral where there is such a value. */
static void put_lanes(const struct heddle_source *s, int lanes)
{
    char type[32];
    for (int r = 0; r < s->p->n_reductions; r++) {
        const char *const neutral = heddle__source_neutral(s, r);
        heddle__text_put(s->text, "%s w%d[%d];\n", heddle__source_accumulator(s, r, type), r,
                         lanes);
        if (neutral)
            heddle__text_put(s->text, "#pragma unroll\nfor (int t = 0; t < %d; t++) w%d[t] = %s;\n",
                             lanes, r, neutral);
    }
}

/* Combines from<r>[at] with w<r>[into]; `first`: a condition under which nothing was before. */
static void put_taken(const struct heddle_source *s, const char *into, const char *from,
                      const char *at, const char *first, int edge)
{
    char w[32], e[32];
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(w, sizeof w, "w%d[%s]", r, into);
        snprintf(e, sizeof e, "%s%d[%s]", from, r, at);
        if (!heddle__source_neutral(s, r))
            heddle__text_put(s->text, "if (%s) %s = %s;\nelse ", first, w, e);
        if (edge) put(s, "if (ok[t]) ");
        heddle__source_take(s, r, w, e);
    }
}

/* ---- of chunks ------------------------------------------------------------------------------- */

/* Halves 512 and 256, of lanes that a thread has. */
static void put_first_halves(const struct heddle_source *s)
{
    static const struct {
        int lanes, into, from;
    } pairs[] = {{512, 0, 2}, {768, 1, 3}, {256, 0, 1}};
    char into[32], from[32];
    heddle__text_put(s->text, "if (n > %d) {\n#pragma unroll\nfor (int i = 0; i < S; i++) {\n",
                     HEDDLE_TREE_SHORT);
    for (int k = 0; k < 3; k++) {
        heddle__text_put(s->text, "if (lane + %d < n) {\n", pairs[k].lanes);
        for (int r = 0; r < s->p->n_reductions; r++) {
            snprintf(into, sizeof into, "w%d[%d * S + i]", r, pairs[k].into);
            snprintf(from, sizeof from, "w%d[%d * S + i]", r, pairs[k].from);
            heddle__source_combine(s, r, into, from);
        }
        put(s, "}\n");
    }
    put(s, "}\n}\n");
}

/* 256 lanes of each chunk, by a warp with eight in each thread. */
static void put_chunks_joined(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    char type[32];
    put(s, "__syncthreads();\n#pragma unroll\nfor (int i = 0; i < S; i++) {\n");
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text, "shared%d[i * 256 + lane] = w%d[i];\n", r, r);
    put(s, "}\n__syncthreads();\nconst I first = unit;\n"
           "for (int i = (int)threadIdx.x / 32; i < count; i += 8) {\n"
           "const I unit = first + i * beside;\nconst int lane = threadIdx.x & 31;\n");
    heddle__source_unit(s, pass);
    heddle__source_kept(s);
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text,
                         "%s w%d[8];\n#pragma unroll\nfor (int t = 0; t < 8; t++) "
                         "w%d[t] = shared%d[i * 256 + t * 32 + lane];\n",
                         heddle__source_accumulator(s, r, type), r, r, r);
    heddle__source_join(s, &(struct heddle_source_team){.threads = 32, .lanes = 8});
    put(s, "if (lane == 0) {\n");
    heddle__source_results(s, pass);
    put(s, "}\n}\n");
}

static void by_chunks(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    put_lanes(s, 4 * s->c->side);
    put(s, "I b = 0;\n");
    for (int edge = 0; edge < 2; edge++) {
        put(s, edge ? "for (; b < n; b += 1024) {\n"
                    : "for (; count == S && b + 1024 <= n; b += 1024) {\n");
        heddle__source_elements(s, pass, 4, "b + (I)(t * 256 + lane)", edge ? "false" : NULL, NULL);
        put(s, "#pragma unroll\nfor (int t = 0; t < 4 * S; t++) {\n");
        put_taken(s, "t", "e", "t", "b == 0", edge);
        put(s, "}\n}\n");
    }
    put_first_halves(s);
    put_chunks_joined(s, pass);
}

/* ---- of rows --------------------------------------------------------------------------------- */

/* w<r>[t] becomes w<r>[t + by]. */
static void put_turned(const struct heddle_source *s, const char *by)
{
    char type[32];
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(
            s->text,
            "#pragma unroll\nfor (int t = 0; t < %s; t++) {\nconst %s first = w%d[0];\n"
            "w%d[0] = w%d[1];\nw%d[1] = w%d[2];\nw%d[2] = w%d[3];\nw%d[3] = first;\n}\n",
            by, heddle__source_accumulator(s, r, type), r, r, r, r, r, r, r, r);
}

/* h<r>[u * S + i]: the elements of a pass, a few columns at a time, as what all load at once would not fit into the registers. */
static void put_held(const struct heddle_source *s, const struct heddle_source_pass *pass,
                     int columns, int edge)
{
    const int together = columns % 2 == 0 ? 2 : 1;
    char type[32];
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text, "%s h%d[%d * S];\n", heddle__source_accumulator(s, r, type), r,
                         columns);
    heddle__text_put(s->text, "#pragma unroll\nfor (int u = 0; u < %d; u += %d) {\n", columns,
                     together);
    heddle__source_elements(s, pass, together, "b + (I)(((u + t) * P + pass) * 256 + lane)",
                            edge ? "false" : NULL, NULL);
    heddle__text_put(s->text, "#pragma unroll\nfor (int t = 0; t < %d * S; t++) {\n", together);
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text, "h%d[u * S + t] = e%d[t];\n", r, r);
    put(s, "}\n}\n");
}

static void by_rows(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    const int passes = heddle__strips_passes(s->c->columns), columns = s->c->columns / passes;
    put_lanes(s, 4);
    heddle__text_put(s->text, "constexpr int C = %d, P = %d;\nI b = 0;\n", s->c->columns, passes);
    for (int edge = 0; edge < 2; edge++) {
        heddle__text_put(s->text, "for (; %s; b += S * C * 256) {\n",
                         edge ? "b < n" : "b + S * C * 256 <= n");
        if (edge) put(s, "const int count = (int)((n - b) / (C * 256));\n");
        put(s, "#pragma unroll 1\nfor (int pass = 0; pass < P; pass++) {\n");
        put_held(s, pass, columns, edge);
        heddle__text_put(s->text,
                         "#pragma unroll\nfor (int i = 0; i < S; i++)%s\n"
                         "#pragma unroll\nfor (int u = 0; u < %d; u++) {\n"
                         "const int at = i * C + u * P;\n",
                         edge ? " if (i < count)" : "", columns);
        put_taken(s, "at & 3", "h", "u * S + i", "at < 4 && b == 0", 0);
        put(s, "}\n");
        put_turned(s, "1");
        put(s, "}\n");
        put_turned(s, "4 - P");
        put(s, "}\n");
    }
    heddle__source_join(s, &(struct heddle_source_team){.threads = 256, .lanes = 4});
    put(s, "if (lane == 0) {\n");
    heddle__source_results(s, pass);
    put(s, "}\n");
}

void heddle__strips_tree(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    put(s, "const int lane = threadIdx.x;\n");
    if (s->c->columns > 0)
        by_rows(s, pass);
    else
        by_chunks(s, pass);
}
