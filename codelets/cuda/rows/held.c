/* Generated source of what a chain holds of a row from its beginning on: in registers, or in shared memory. Entry point:
 * heddle__rows_put_row. */
#include "cuda/rows/stage_source.h"

#include <stdio.h>

/* Rooms of shared memory one after the other, and what is in them. A thread reads what it has copied or made itself, so that none
 * waits for others. */
static void put_rooms(const struct heddle_stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    heddle__text_put(t, "HD_ROOMS;\nchar *const room1 = (char *)hd_rooms;\n");
    for (int room = 1, next = 2; next > room; room++)
        for (int u = 0; u < c->n_operands; u++) {
            const char *type = heddle__rows_operand_type(stage->chain, u);
            if (c->room[u] != room) continue;
            heddle__text_put(t, "%s *const x%d = (%s *)room%d;\n", type, u, type, room);
            if (next > room + 1) continue;
            next = room + 2;
            heddle__text_put(
                t, "char *const room%d = room%d + (n * (int)sizeof(%s) + 15) / 16 * 16;\n",
                room + 1, room, type);
        }
}

/* Whether an operand is held from the beginning of a row on. */
static bool is_loaded_first(const struct heddle_rows_class *c, int u)
{
    return c->kind[u] & (HEDDLE_ROWS_IS_HELD | HEDDLE_ROWS_IN_ROOM) &&
           !(c->kind[u] & HEDDLE_ROWS_IS_MADE);
}

/* Element f of operand u, or it and its neighbours, to its room. */
static void put_copy(const struct heddle_stage_source *stage, int u)
{
    const int beside = heddle__rows_is_wide(stage->rows, u) ? stage->rows->beside : 1;
    heddle__text_put(stage->source.text, "if (j %% %d == 0 && ok) hd_copy_ahead<%d>(&x%d[f], &",
                     beside, beside, u);
    heddle__rows_put_memory(stage, u);
    heddle__text_put(stage->source.text, ");\n");
}

/* What is held from the beginning on. */
static void put_loads(struct heddle_stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    char into[16];
    while (heddle__rows_next_slots(stage)) {
        heddle__rows_put_slots(stage, 0, false);
        for (int u = 0; u < c->n_operands; u++) {
            if (!is_loaded_first(c, u)) continue;
            snprintf(into, sizeof into, "x%d[t]", u);
            if (c->kind[u] & HEDDLE_ROWS_IN_ROOM)
                put_copy(stage, u);
            else
                heddle__rows_put_load(stage, u, into);
        }
        heddle__rows_put_slots_end(stage, false);
    }
    if (c->is_long) heddle__text_put(stage->source.text, "hd_copies_arrive();\n");
}

void heddle__rows_put_row(struct heddle_stage_source *stage)
{
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    bool loads = false, rooms = false;
    heddle__text_put(t, "I k[%d];\n{\n", c->n_kept > 0 ? c->n_kept : 1);
    heddle__source_indices(&stage->source, "unit", 0, c->n_kept, "k[", "]", "");
    heddle__text_put(t, "}\n");
    for (int u = 0; u < c->n_operands; u++) {
        heddle__text_put(t, "const I s%d = 0", u);
        for (int d = 0; d < c->n_kept; d++)
            heddle__text_put(t, " + k[%d] * (I)args.v[%d]", d,
                             heddle__rows_slot(c, u) + HEDDLE_ROWS_OPERAND_SLOTS + d);
        heddle__text_put(t, ";\n");
        const char *type = heddle__rows_operand_type(stage->chain, u);
        const int is_made = c->kind[u] & HEDDLE_ROWS_IS_MADE;
        if (c->kind[u] & HEDDLE_ROWS_IS_ROW && is_made)
            heddle__text_put(t, "%s b%d = %s();\n", type, u, type);
        else if (c->kind[u] & HEDDLE_ROWS_IS_ROW)
            heddle__text_put(t, "const %s b%d = p%d[s%d];\n", type, u, u, u);
        else if (c->kind[u] & HEDDLE_ROWS_IS_HELD)
            heddle__text_put(t, "%s x%d[%d];\n", type, u, c->slots);
    }
    for (int k = 0; k < stage->shared->n; k++)
        heddle__text_put(t, "%s h%d[%d];\n", heddle__source_type(stage->shared->dtype[k]), k,
                         c->slots);
    for (int u = 0; u < c->n_operands; u++) {
        loads |= is_loaded_first(c, u);
        rooms |= c->kind[u] & HEDDLE_ROWS_IN_ROOM;
    }
    if (rooms) put_rooms(stage);
    if (loads) put_loads(stage);
}
