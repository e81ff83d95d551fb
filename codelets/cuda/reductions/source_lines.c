/* Generated source of reductions whose bits no order changes, of chunks of elements that lie together, whatever their number and
 * where they begin: `threads` of a warp go along a chunk by `unroll` vectors each. A chunk that begins within a vector is read from
 * that vector on; what is outside counts for nothing. Entry point: heddle__lines. */
#include "cuda/reductions/source_reduce.h"

#include <stdio.h>

enum { APART = 4 }; /* partial results of a thread */

static bool is_line(const struct heddle_source *s, const uint8_t loaded[], int k)
{
    return loaded[k] && s->c->walk[k] == HEDDLE_WALK_UNIT;
}

/* How many elements there are from the first operand's last border of a vector to the chunk; all have as many. */
static void put_skew(const struct heddle_source *s, const uint8_t loaded[])
{
    int k = 0;
    heddle__text_put(s->text, "const I skew = ");
    while (k < s->p->n_operands && !is_line(s, loaded, k)) k++;
    if (s->c->filled || k == s->p->n_operands)
        heddle__text_put(s->text, "0;\n");
    else
        heddle__text_put(s->text, "(I)((hd_uint64)(p%d + s%d) / sizeof *p%d & (V - 1));\n", k, k,
                         k);
}

/* The V elements from f on, all of which exist, or those that do. */
static void put_vector(const struct heddle_source *s, const uint8_t loaded[], bool is_edge)
{
    struct heddle_text *t = s->text;
    char w[24], e[24];
    if (is_edge)
        heddle__text_put(t, "bool ok[V];\n#pragma unroll\n"
                            "for (int t = 0; t < V; t++) ok[t] = f + t >= 0 && f + t < n;\n");
    heddle__text_put(t, "I r%d[V];\n#pragma unroll\nfor (int t = 0; t < V; t++) r%d[t] = f + t;\n",
                     s->c->n_kept, s->c->n_kept);
    for (int k = 0; k < s->p->n_operands; k++)
        if (is_line(s, loaded, k)) heddle__text_put(t, "const auto &l%d = z%d[u];\n", k, k);
    heddle__source_computed(s, s->c->vector, is_edge ? "ok[t]" : NULL);
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < V; t++) {\n");
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(w, sizeof w, "w%d[t %% %d]", r, APART);
        snprintf(e, sizeof e, "e%d[t]", r);
        if (is_edge) heddle__text_put(t, "if (ok[t]) ");
        heddle__source_take(s, r, w, e);
    }
    heddle__text_put(t, "}\n");
}

/* Declares room for U vectors of operand k: of small elements whole words, as they are loaded where there are some. */
static void put_vectors(const struct heddle_source *s, int k)
{
    const char *const type = heddle__source_type(s->p->operand_dtype[k]);
    if (heddle__source_packs(s, k, s->c->vector))
        heddle__text_put(s->text, "hd_packed<%s, V> z%d[U];\n", type, k);
    else
        heddle__text_put(s->text, "%s z%d[U][V];\n", type, k);
}

void heddle__lines(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    const struct heddle_program *p = s->p;
    uint8_t loaded[HEDDLE_MAX_OPERANDS];
    char type[32];
    heddle__source_loaded_before(p, loaded);
    heddle__runs_unit(s);
    heddle__source_unit(s, pass);
    heddle__source_chunk_start(s, pass);
    heddle__text_put(t, "constexpr int V = %d, T = %d, U = %d;\n", s->c->vector, s->c->threads,
                     s->c->unroll);
    put_skew(s, loaded);
    for (int r = 0; r < p->n_reductions; r++) {
        const char *const neutral = heddle__source_neutral(s, r);
        heddle__text_put(t, "%s w%d[%d] = {%s, %s, %s, %s};\n",
                         heddle__source_accumulator(s, r, type), r, APART, neutral, neutral,
                         neutral, neutral);
    }
    heddle__text_put(t, "for (I b = j * V - skew; b < n; b += T * V * U) {\n");
    for (int k = 0; k < p->n_operands; k++) {
        if (!is_line(s, loaded, k)) continue;
        put_vectors(s, k);
        heddle__text_put(t,
                         "#pragma unroll\nfor (int u = 0; u < U; u++)\n"
                         "if (b + u * (T * V) < n) hd_load(z%d[u], p%d + (s%d + b + u * "
                         "(T * V)));\n",
                         k, k, k);
    }
    heddle__text_put(t,
                     "#pragma unroll\nfor (int u = 0; u < U; u++) {\n"
                     "const I f = b + u * (T * V);\nif (%s) {\n",
                     s->c->filled ? "f < n" : "f >= 0 && f + V <= n");
    put_vector(s, loaded, false);
    if (!s->c->filled) {
        heddle__text_put(t, "} else if (f < n) {\n");
        put_vector(s, loaded, true);
    }
    heddle__text_put(t, "}\n}\n}\n");
    heddle__runs_any_order(s, APART);
    heddle__runs_results(s, pass);
}
