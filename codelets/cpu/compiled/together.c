/* What rows of a run share. Values are equal if they are the same element, or the same operation on equal values. */
#include "cpu/compiled/together.h"

#include <assert.h>

/* Where load v of row r is read, from the first row of all loads that have its rows. */
static bool is_same_element(const struct heddle__section *s, int v, int r, int u, int q)
{
    const struct heddle__shift *a = &s->shift[v], *b = &s->shift[u];
    return a->of == b->of && r + a->down == q + b->down && a->along == b->along;
}

static bool is_same_operation(const struct heddle__together *t, const struct heddle_program *p,
                              int v, int r, int u, int q)
{
    const struct heddle_instr *a = &p->instrs[v], *b = &p->instrs[u];
    if (a->code != b->code || a->dtype != b->dtype || a->result != b->result) return false;
    const uint16_t x[3] = {a->a, a->b, a->c}, y[3] = {b->a, b->b, b->c};
    for (int k = 0; k < heddle__instr_arity(a); k++) {
        const struct heddle__same m = t->of[r][x[k]], n = t->of[q][y[k]];
        if (m.value != n.value || m.row != n.row) return false;
    }
    return true;
}

static bool is_load(const struct heddle__section *s, int v)
{
    return heddle__bit(s->moving, v) && s->program->instrs[v].code == HEDDLE_CODE_LOAD;
}

/* What load number k of the map is in row r. */
static struct heddle__same same_load(const struct heddle__together *t,
                                     const struct heddle__section *s, const uint16_t *map, int n,
                                     int k, int r)
{
    for (int q = 0; q <= r; q++)
        for (int j = 0; j < (q < r ? n : k); j++)
            if (is_load(s, map[j]) && is_same_element(s, map[k], r, map[j], q))
                return t->of[q][map[j]];
    return (struct heddle__same){map[k], (uint16_t)r};
}

/* What item number k is in row r. */
static struct heddle__same same_item(const struct heddle__together *t,
                                     const struct heddle__section *s, const uint16_t *items, int n,
                                     int k, int r)
{
    for (int q = 0; q <= r; q++)
        for (int j = 0; j < (q < r ? n : k); j++)
            if (is_same_operation(t, s->program, items[k], r, items[j], q))
                return t->of[q][items[j]];
    return (struct heddle__same){items[k], (uint16_t)r};
}

int heddle__find_together(struct heddle__together *t, const struct heddle__section *section,
                          const struct heddle__plan *plan, const struct heddle__run *run)
{
    const uint16_t *map = plan->map + run->map, *items = plan->items + run->first;
    int n = 0;
    for (int k = 0; k < run->n_inputs; k++) {
        int base = 0;
        while (is_load(section, map[k]) &&
               !(is_load(section, map[base]) &&
                 section->shift[map[base]].of == section->shift[map[k]].of))
            base++;
        t->base[map[k]] = (uint16_t)base;
    }
    for (int r = 0; r < HEDDLE_TOGETHER; r++) {
        for (int k = 0; k < run->n_inputs; k++) {
            struct heddle__same *const same = &t->of[r][map[k]];
            *same = (struct heddle__same){map[k], 0}; /* one for all rows */
            if (!heddle__bit(section->moving, map[k])) continue;
            *same = same_load(t, section, map, run->n_inputs, k, r);
            n += same->value == map[k] && same->row == r;
        }
        for (int k = 0; k < run->n; k++) {
            struct heddle__same *const same = &t->of[r][items[k]];
            *same = same_item(t, section, items, run->n, k, r);
            n += same->value == items[k] && same->row == r;
        }
    }
    return n;
}

/* How many rows in memory the loop reads and writes. */
static int count_streams(const struct heddle__section *s, const struct heddle__plan *plan,
                         const struct heddle__run *run)
{
    static_assert(2 * HEDDLE_MOST_DOWN + HEDDLE_TOGETHER <= 32, "a bit for each row");
    const uint16_t *map = plan->map + run->map;
    uint32_t read[HEDDLE_MAX_INSTRS] = {0}; /* of the loads that have the rows of this one */
    int n = HEDDLE_TOGETHER * run->n_outputs;
    for (int k = 0; k < run->n_inputs; k++) {
        if (!is_load(s, map[k])) continue;
        const struct heddle__shift *shift = &s->shift[map[k]];
        read[shift->of] |= ((1U << HEDDLE_TOGETHER) - 1) << (shift->down + HEDDLE_MOST_DOWN);
    }
    for (int i = 0; i < s->end; i++) n += __builtin_popcount(read[i]);
    return n;
}

bool heddle__is_together(const struct heddle__section *section, const struct heddle__plan *plan)
{
    enum { MOST_VALUES = 160, MOST_STREAMS = 16 };
    const struct heddle__run *run = &plan->runs[0];
    const struct heddle_program *p = section->program;
    if (!section->has_shifts || section->folds || plan->n_runs != 1 || !run->compiled) return false;
    int n_moving = 0;
    for (int k = 0; k < run->n_inputs; k++) {
        const int v = plan->map[run->map + k];
        if (!heddle__bit(section->moving, v)) continue;
        n_moving++;
        if (p->instrs[v].code != HEDDLE_CODE_LOAD || heddle__bit(section->flat, v)) return false;
    }
    /* strips of one row are computed once more where something is far */
    for (int k = 0; k < run->n; k++) {
        const struct heddle_instr *in = &p->instrs[plan->items[run->first + k]];
        if (heddle__narrows(in) || heddle__function_in_loops(in).has_far) return false;
    }
    const int all = HEDDLE_TOGETHER * (run->n + n_moving);
    if (all > MOST_VALUES || count_streams(section, plan, run) > MOST_STREAMS) return false;
    struct heddle__together t;
    return heddle__find_together(&t, section, plan, run) * 10 <= all * 9;
}
