/* What the files of the source of runs share: source.c has the functions of dtypes and runs, source_fold.c has folds. */
#ifndef HEDDLE_CODELETS_CPU_COMPILED_SOURCE_H
#define HEDDLE_CODELETS_CPU_COMPILED_SOURCE_H

#include "base/text.h"
#include "cpu/compiled/plan.h"

/* A dtype in C: its name in ours, its type, bytes and kind. */
struct heddle__c_type {
    const char *id, *type;
    int bytes;
    char kind[2];
};
extern const struct heddle__c_type heddle__c_types[HEDDLE_N_DTYPES];

/* The dtypes of an operation and of its value in a loop of small integers (narrow.h): of 16 bits in place of more.
 * HEDDLE_DTYPE_NONE: it is as in any loop. */
struct heddle__narrow {
    uint8_t in, out;
};

struct heddle__writer {
    struct heddle_text text;
    const struct heddle__plan *plan;
    const struct heddle__section *section;
    bool near;     /* the loop expects that conversions to narrower integers fit in an int32 */
    bool is_small; /* the loop has what `narrow` says */
    uint16_t number[HEDDLE_MAX_INSTRS];              /* of a value in its run's function */
    bool flat[HEDDLE_MAX_INSTRS];                    /* a run's value is one number for a row */
    struct heddle__narrow narrow[HEDDLE_MAX_INSTRS]; /* of an item of a run that has such a loop */
};

static inline const struct heddle_instr *instr_of(const struct heddle__writer *w, int value)
{
    return &w->section->program->instrs[value];
}

static inline const char *type_of(const struct heddle__writer *w, int value)
{
    return heddle__c_types[instr_of(w, value)->result].type;
}

/* Whether the run's value map[k] changes with the element. */
static inline bool is_moving(const struct heddle__writer *w, const struct heddle__run *run, int k)
{
    return heddle__bit(w->section->moving, w->plan->map[run->map + k]);
}

/* The text, with the dtype in each of our names. */
void heddle__put_text(struct heddle_text *t, const char *text, int dtype);
/* The same expression as in a block function, of operands of the same names and types. */
void heddle__put_operation(struct heddle__writer *w, int value);
/* Input k of the run, element i of the row at `at`; output k's element i of the row that is `row` after the first. */
void heddle__put_input(struct heddle__writer *w, const struct heddle__run *run, int k,
                       const char *at, const char *i);
void heddle__put_output(struct heddle__writer *w, const struct heddle__run *run, int k, int row,
                        const char *i);
/* The loop over rows by HEDDLE_TOGETHER, as long as there are so many, if loads lie as the section says: a form serves
 * loads that lie otherwise, too. `has_small`: a loop for small integers, too. */
void heddle__put_rows_together(struct heddle__writer *w, const struct heddle__run *run,
                               bool has_small);
/* What is made of numbers once for all elements; of loops of small integers with w->is_small. */
void heddle__put_prepared(struct heddle__writer *w, const struct heddle__run *run);
/* Function `number` of a fold. */
void heddle__put_fold(struct heddle__writer *w, const struct heddle__run *run, int number);

#endif
