/* Generated source of a stage that is a scan. Entry point: heddle__rows_put_scan. */
#include "cuda/rows/stage_source.h"
#include "scan_order.h"

void heddle__rows_put_scan(struct heddle_stage_source *stage)
{
    const struct heddle_program *p = stage->source.p;
    const struct heddle_rows_class *c = stage->rows;
    struct heddle_text *t = stage->source.text;
    const char *type = heddle__source_type(p->operand_dtype[p->stores[0].operand]);
    const int value = p->stores[0].value;
    heddle__rows_put_store_rooms(stage);
    heddle__text_put(t, "%s scan[%d];\n", type, c->slots);
    if (c->threads > 32)
        heddle__text_put(t, "__shared__ %s lane_totals[%d];\n", type,
                         c->threads * c->slots / HEDDLE_SCAN_ITEMS);
    while (heddle__rows_next_slots(stage)) {
        heddle__rows_put_slots(stage, p->n_instrs, false);
        for (int i = 0; i < p->n_instrs; i++) heddle__rows_put_instr(stage, i, false);
        heddle__text_put(t, "scan[t] = v%d;\n", value);
        heddle__rows_put_slots_end(stage, false);
    }
    heddle__text_put(t, "typedef scan_%s<%s> operation;\n", heddle__scan_names[p->scan - 1], type);
    if (c->parts > 1)
        heddle__text_put(t, "scan_column_runs<operation, %s, %d>(scan, part, (int)n);\n",
                         heddle__scan_rounds(p) ? "true" : "false", c->parts);
    else if (p->sequential)
        heddle__text_put(t, "scan_own_column<operation>(scan);\n");
    else
        heddle__text_put(t, "scan_held_row<operation, %d, %d>(scan, lane, %s);\n", c->threads,
                         c->beside, c->threads > 32 ? "lane_totals" : "scan");
    while (heddle__rows_next_slots(stage)) {
        heddle__rows_put_slots(stage, HEDDLE_ROWS_ONLY_STORES, false);
        heddle__text_put(t, "const %s v%d = scan[t];\n", type, value);
        heddle__rows_put_stores(stage);
        heddle__rows_put_slots_end(stage, false);
    }
}
