/* The loop of a run that takes several rows at once (together.h). */
#include "cpu/compiled/source.h"
#include "cpu/compiled/together.h"

#include <stdio.h>
#include <string.h>

struct rows {
    struct heddle__writer *w;
    const struct heddle__run *run;
    struct heddle__together together;
    uint16_t number[HEDDLE_TOGETHER][HEDDLE_MAX_INSTRS]; /* of the value in a row */
    uint16_t next;
};

/* Where load v of row r begins, in C. Loads that have the same rows are read from where the first of them is: processors have few
 * registers for addresses. */
struct place {
    char text[80];
};
static struct place place_of(const struct rows *t, int v, int r)
{
    const struct heddle__shift *shift = t->w->section->shift;
    const int base = t->together.base[v], first = t->w->plan->map[t->run->map + base];
    const int bytes = heddle__c_types[instr_of(t->w, v)->result].bytes;
    struct place p;
    snprintf(p.text, sizeof p.text, "(at%d + %d * step%d + %d)", base,
             r + shift[v].down - shift[first].down, base,
             (shift[v].along - shift[first].along) * bytes);
    return p;
}

/* Gives value v of row r its number; whether no value before is equal. */
static bool is_new(struct rows *t, int v, int r)
{
    const struct heddle__same same = t->together.of[r][v];
    const bool is = same.value == v && same.row == r;
    t->number[r][v] = is ? t->next++ : t->number[same.row][same.value];
    t->w->number[v] = t->number[r][v];
    return is;
}

/* The operations on element i of the rows. */
static void put_elements(struct rows *t)
{
    struct heddle__writer *w = t->w;
    const struct heddle__run *run = t->run;
    const uint16_t *map = w->plan->map + run->map, *items = w->plan->items + run->first;
    t->next = (uint16_t)(run->n_inputs + run->n);
    for (int r = 0; r < HEDDLE_TOGETHER; r++) {
        for (int k = 0; k < run->n_inputs; k++)
            if (is_moving(w, run, k) && is_new(t, map[k], r))
                heddle__put_input(w, run, k, place_of(t, map[k], r).text, "i");
        for (int k = 0; k < run->n; k++)
            if (is_new(t, items[k], r)) heddle__put_operation(w, items[k]);
        for (int k = run->n_inputs; k < run->n_inputs + run->n_outputs; k++)
            heddle__put_output(w, run, k, r, "i");
    }
}

void heddle__put_rows_together(struct heddle__writer *w, const struct heddle__run *run,
                               bool has_small)
{
    struct rows t = {.w = w, .run = run};
    enum { ROWS = HEDDLE_TOGETHER };
    const uint16_t *map = w->plan->map + run->map;
    uint16_t number[HEDDLE_MAX_INSTRS];
    memcpy(number, w->number, sizeof number);
    heddle__find_together(&t.together, w->section, w->plan, run);
    heddle__text_put_all(&w->text, "    _Bool together = 1;\n");
    for (int k = 0; k < run->n_inputs; k++) {
        const int base = t.together.base[map[k]];
        if (is_moving(w, run, k) && base != k)
            heddle__text_put(&w->text, "    together &= step%d == step%d && at%d == %s;\n", k, base,
                             k, place_of(&t, map[k], 0).text);
    }
    /* rows so far apart that they have the same lines of a cache, and of a processor's stores, take turns */
    for (int k = run->n_inputs; k < run->n_inputs + run->n_outputs; k++)
        heddle__text_put(&w->text, "    together &= step%d %% 4096 != 0;\n", k);
    heddle__text_put(&w->text, "    for (; together && rows >= %d; rows -= %d) {\n", ROWS, ROWS);
    for (int small = has_small; small >= 0; small--) {
        if (has_small) heddle__text_put(&w->text, "    if (small == %d)\n", small);
        w->is_small = small;
        heddle__text_put_all(&w->text, "    {\n    VECTOR\n    for (size_t i = 0; i < n; i++) {\n");
        put_elements(&t);
        heddle__text_put_all(&w->text, "    }\n    }\n");
    }
    for (int k = 0; k < run->n_inputs + run->n_outputs; k++)
        if (is_moving(w, run, k))
            heddle__text_put(&w->text, "    at%d += %d * step%d;\n", k, ROWS, k);
    heddle__text_put_all(&w->text, "    }\n    if (rows == 0) return;\n");
    memcpy(w->number, number, sizeof number);
}
