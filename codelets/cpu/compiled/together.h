/* Rows of a run that one loop takes at once: rows of loads that are other loads' rows further down are read once, and what is computed of
 * equal values is computed once. */
#ifndef HEDDLE_CODELETS_CPU_COMPILED_TOGETHER_H
#define HEDDLE_CODELETS_CPU_COMPILED_TOGETHER_H

#include "cpu/compiled/plan.h"

enum { HEDDLE_TOGETHER = 4 /* rows */ };

/* Value v of row r: the value `value` of row `row`, which comes before it, or itself. */
struct heddle__same {
    uint16_t value, row;
};
struct heddle__together {
    struct heddle__same of[HEDDLE_TOGETHER][HEDDLE_MAX_INSTRS];
    uint16_t base
        [HEDDLE_MAX_INSTRS]; /* number in the run's map of the first load that has load v's rows */
};

/* What the rows of the run share; how many values they have that differ. */
int heddle__find_together(struct heddle__together *t, const struct heddle__section *section,
                          const struct heddle__plan *plan, const struct heddle__run *run);
/* Whether a plan's loop had better take rows together. */
bool heddle__is_together(const struct heddle__section *section, const struct heddle__plan *plan);

#endif
