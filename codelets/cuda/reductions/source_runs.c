/* Generated source of reductions of short rows whose elements lie together: each of `threads` of a warp loads runs of them, which are
 * neighbouring lanes of the tree (reduce_tree.h), and the warp has several rows. A chunk has no more elements than the tree has lanes,
 * so that a lane has one, or none. Entry point: heddle__runs. */
#include "cuda/reductions/source_reduce.h"

#include <stdio.h>

/* "if (exists) into = into (op) y" for all reductions, from element `from` on; lane: the one that must have an element. */
static void put_combine(const struct heddle_source *s, int into, const char *from, const char *lane,
                        bool is_sure)
{
    char x[24], y[32];
    if (!is_sure) heddle__text_put(s->text, "if (%s < n) {\n", lane);
    for (int r = 0; r < s->p->n_reductions; r++) {
        snprintf(x, sizeof x, "w%d[%d]", r, into);
        snprintf(y, sizeof y, from, r);
        heddle__source_combine(s, r, x, y);
    }
    if (!is_sure) heddle__text_put(s->text, "}\n");
}

/* Halves of lanes that other threads have: thread j takes what j + apart has, if that exists. */
static void put_exchange(const struct heddle_source *s, int apart)
{
    const int vector = s->c->vector;
    struct heddle_text *t = s->text;
    char type[32], lane[48];
    for (int i = 0; i < vector; i++) {
        heddle__text_put(t, "{\n");
        for (int r = 0; r < s->p->n_reductions; r++)
            heddle__text_put(t, "const %s y%d = hd_from_lane(w%d[%d], (lane + %d) & 31);\n",
                             heddle__source_accumulator(s, r, type), r, r, i, apart);
        heddle__text_put(t, "if (j < %d) {\n", apart);
        snprintf(lane, sizeof lane, "(j + %d) * %d + %d", apart, vector, i);
        put_combine(s, i, "y%d", lane, false);
        heddle__text_put(t, "}\n}\n");
    }
}

/* `count` lanes of each, where all have as many; only what threads without the bit `apart` then have counts. */
static void put_meeting(const struct heddle_source *s, int apart, int count)
{
    char type[32];
    for (int i = 0; i < count; i++) {
        heddle__text_put(s->text, "{\n");
        for (int r = 0; r < s->p->n_reductions; r++)
            heddle__text_put(s->text, "const %s y%d = hd_from_lane(w%d[%d], lane ^ %d);\n",
                             heddle__source_accumulator(s, r, type), r, r, i, apart);
        put_combine(s, i, "y%d", "", true);
        heddle__text_put(s->text, "}\n");
    }
}

/* `count` lanes of each, of which thread j keeps the first half and j + apart the second: so half as much is exchanged, and no thread
 * is idle. The lane that is first in the tree is the left operand. */
static void put_split(const struct heddle_source *s, int apart, int count)
{
    struct heddle_text *t = s->text;
    char type[32], left[16], right[16];
    for (int i = 0; i < count / 2; i++) {
        const int other = i + count / 2;
        for (int r = 0; r < s->p->n_reductions; r++) {
            heddle__source_accumulator(s, r, type);
            heddle__text_put(
                t,
                "{\nconst bool is_second = j & %d;\n"
                "const %s y = hd_from_lane(is_second ? w%d[%d] : w%d[%d], lane ^ %d);\n"
                "%s left%d = is_second ? y : w%d[%d];\n"
                "const %s right%d = is_second ? w%d[%d] : y;\n",
                apart, type, r, i, r, other, apart, type, r, r, i, type, r, r, other);
            snprintf(left, sizeof left, "left%d", r);
            snprintf(right, sizeof right, "right%d", r);
            heddle__source_combine(s, r, left, right);
            heddle__text_put(t, "w%d[%d] = left%d;\n}\n", r, i, r);
        }
    }
}

/* `count` neighbouring lanes of a thread to the first. */
static void put_neighbours(const struct heddle_source *s, int count)
{
    char from[24];
    for (int half = count / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) {
            snprintf(from, sizeof from, "w%%d[%d]", k + half);
            put_combine(s, k, from, "", true);
        }
}

/* From `vector` neighbouring lanes in each thread to one in thread 0, where each lane has an element or what changes nothing. A split
 * leaves the higher half of neighbours to threads whose number has that bit; in the end these lanes come together. */
static void put_split_tree(const struct heddle_source *s)
{
    const int vector = s->c->vector, threads = s->c->threads;
    int count = vector;
    for (int apart = threads / 2; apart > 0; apart /= 2) {
        if (count == 1) {
            put_meeting(s, apart, 1);
            continue;
        }
        put_split(s, apart, count);
        count /= 2;
    }
    for (int apart = threads / 2, half = vector / 2; half >= count; apart /= 2, half /= 2)
        put_meeting(s, apart, count);
    put_neighbours(s, count);
}

/* Neighbours first: of these less is exchanged. */
void heddle__runs_any_order(const struct heddle_source *s, int count)
{
    put_neighbours(s, count);
    for (int apart = s->c->threads / 2; apart > 0; apart /= 2) put_meeting(s, apart, 1);
}

static void put_tree(const struct heddle_source *s, bool is_sure)
{
    const int vector = s->c->vector, across = s->c->threads * vector, lanes = s->c->lanes;
    char from[24], lane[48];
    for (int slots = lanes / 2; slots >= vector; slots /= 2)
        for (int k = 0; k < slots; k++) {
            const int other = k + slots;
            snprintf(from, sizeof from, "w%%d[%d]", other);
            snprintf(lane, sizeof lane, "%d + j * %d", other / vector * across + other % vector,
                     vector);
            put_combine(s, k, from, lane, is_sure);
        }
    if (is_sure && heddle__all_in_any_order(s->p)) {
        heddle__runs_any_order(s, vector);
        return;
    }
    if (is_sure) {
        put_split_tree(s);
        return;
    }
    for (int apart = s->c->threads / 2; apart > 0; apart /= 2) put_exchange(s, apart);
    for (int half = vector / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++) {
            snprintf(from, sizeof from, "w%%d[%d]", k + half);
            snprintf(lane, sizeof lane, "%d", k + half);
            put_combine(s, k, from, lane, is_sure);
        }
}

void heddle__runs_unit(const struct heddle_source *s)
{
    const int threads = s->c->threads;
    heddle__text_put(s->text,
                     "const int lane = threadIdx.x & 31, j = lane & %d;\n"
                     "const bool here = first + (I)(lane / %d) < (I)args.v[%d];\n"
                     "const I unit = here ? first + (I)(lane / %d) : first;\n",
                     threads - 1, threads, HEDDLE_SLOT_UNITS, threads);
}

void heddle__runs_results(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    char type[32];
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(s->text, "const %s a%d = w%d[0];\n",
                         heddle__source_accumulator(s, r, type), r, r);
    heddle__text_put(s->text, "if (j == 0 && here) {\n");
    heddle__source_results(s, pass);
    heddle__text_put(s->text, "}\n");
}

void heddle__runs(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    const int vector = s->c->vector, threads = s->c->threads, lanes = s->c->lanes;
    struct heddle_text *t = s->text;
    char type[32], number[80];
    bool is_sure = true; /* a lane without an element has what changes nothing */
    heddle__runs_unit(s);
    heddle__source_unit(s, pass);
    heddle__source_chunk_start(s, pass);
    snprintf(number, sizeof number, "(I)(t / %d * %d + j * %d + t %% %d)", vector, threads * vector,
             vector, vector);
    heddle__source_elements(s, pass, lanes, number, s->c->filled ? NULL : "false", NULL);
    for (int r = 0; r < s->p->n_reductions; r++)
        heddle__text_put(t, "%s w%d[%d];\n", heddle__source_accumulator(s, r, type), r, lanes);
    heddle__text_put(t, "#pragma unroll\nfor (int t = 0; t < %d; t++) {\n", lanes);
    for (int r = 0; r < s->p->n_reductions; r++) {
        const char *const neutral = heddle__source_neutral(s, r);
        heddle__text_put(t, "w%d[t] = ", r);
        if (!s->c->filled && neutral)
            heddle__text_put(t, "ok[t] ? e%d[t] : (%s)%s;\n", r,
                             heddle__source_accumulator(s, r, type), neutral);
        else
            heddle__text_put(t, "e%d[t];\n", r);
        is_sure = is_sure && (s->c->filled || neutral);
    }
    heddle__text_put(t, "}\n");
    put_tree(s, is_sure);
    heddle__runs_results(s, pass);
}
