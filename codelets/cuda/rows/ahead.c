/* Generated source that fetches rows ahead. Entry point: heddle__rows_fetch_ahead. */
#include "cuda/rows/row_kernels.h"
#include "cuda/source.h"

void heddle__rows_fetch_ahead(const struct heddle_source *s, const struct heddle_rows *rows,
                              const struct heddle_rows_class *c)
{
    struct heddle_text *t = s->text;
    heddle__text_put(
        t, "{\nconst I next = unit + (I)gridDim.x;\nif (next < (I)args.v[%d]) {\nI k[%d];\n{\n",
        HEDDLE_SLOT_N, c->n_kept > 0 ? c->n_kept : 1);
    heddle__source_indices(s, "next", 0, c->n_kept, "k[", "]", "");
    heddle__text_put(t, "}\n");
    for (int u = 0; u < c->n_operands; u++) {
        if (!heddle__rows_is_fetched(rows, u)) continue;
        heddle__text_put(t, "{\nconst char *const row = (const char *)(p%d", u);
        for (int d = 0; d < c->n_kept; d++)
            heddle__text_put(t, " + k[%d] * (hd_int64)args.v[%d]", d,
                             heddle__rows_slot(c, u) + HEDDLE_ROWS_OPERAND_SLOTS + d);
        heddle__text_put(
            t,
            ");\nconst I most = (I)args.v[%d], all = n * (I)sizeof(%s), bytes = most < all ? most "
            ": all;\n"
            "for (I at = lane * 128; at < bytes; at += %d * 128) hd_fetch_ahead(row + at);\n}\n",
            HEDDLE_SLOT_GROUP, heddle__source_type(rows->operand[u].dtype), c->threads);
    }
    heddle__text_put(t, "}\n}\n");
}
