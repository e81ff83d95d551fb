/* Generated source of reductions of which a block does several at once: R kept elements, neighbours along the last kept axis, that
 * all load the same operands. These are loaded once for all, where each reduction alone would read them through the caches again. The
 * lanes of each element are those of a block that has it alone: the same bits. Entry point: heddle__together. */
#include "cuda/reductions/source_reduce.h"

/* The unit's first kept element, first along the last axis, and how many there are: `count`. */
static void put_unit(const struct heddle_source *s)
{
    struct heddle_text *t = s->text;
    const int last = s->c->n_kept - 1;
    heddle__text_put(t,
                     "constexpr int R = %d;\n"
                     "const I columns = (I)args.v[%d];\n"
                     "const I over = hd_quotient(unit, columns, args.v[%d]);\n"
                     "const I first = (unit - over * columns) * R;\n"
                     "const I left = (I)args.v[%d] - first;\n"
                     "const int count = left < R ? (int)left : R;\n"
                     "const I start = 0, n = (I)args.v[%d];\n"
                     "I k[%d];\n{\n",
                     s->c->together, HEDDLE_SLOT_COLUMNS, HEDDLE_SLOT_MAGIC_COLUMNS,
                     HEDDLE_SLOT_EXTENT + last, HEDDLE_SLOT_CHUNK, last + 1);
    heddle__source_indices(s, "over", 0, last, "k[", "]", "");
    heddle__text_put(t, "}\n");
    for (int d = 0; d < last; d++) heddle__text_put(t, "const I k%d = k[%d];\n", d, d);
    heddle__text_put(t, "const I k%d = first;\n", last);
}

void heddle__together(const struct heddle_source *s, const struct heddle_source_pass *pass)
{
    struct heddle_text *t = s->text;
    const int n_reductions = s->p->n_reductions;
    char type[32];
    put_unit(s);
    heddle__source_still(s);
    heddle__text_put(t, "const int lane = threadIdx.x;\n");
    for (int r = 0; r < n_reductions; r++) {
        const char *const neutral = heddle__source_neutral(s, r);
        heddle__text_put(t, "%s x%d[R][4];\n", heddle__source_accumulator(s, r, type), r);
        if (neutral)
            heddle__text_put(
                t, "#pragma unroll\nfor (int i = 0; i < 4 * R; i++) x%d[i / 4][i %% 4] = %s;\n", r,
                neutral);
    }
    heddle__source_block_loop(s, pass, "x%d[i][t & 3]");
    heddle__text_put(t, "#pragma unroll\nfor (int i = 0; i < R; i++) {\n");
    for (int r = 0; r < n_reductions; r++)
        heddle__text_put(t, "%s w%d[4] = {x%d[i][0], x%d[i][1], x%d[i][2], x%d[i][3]};\n",
                         heddle__source_accumulator(s, r, type), r, r, r, r, r);
    heddle__source_join(s, &(struct heddle_source_team){.threads = 256, .lanes = 4});
    heddle__text_put(t, "if (lane == 0 && i < count) {\nconst I k%d = first + i;\n",
                     s->c->n_kept - 1);
    heddle__source_results(s, pass);
    heddle__text_put(t, "}\n}\n");
}
