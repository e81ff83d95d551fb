/* What the files of this folder share: the values of a section that is being decoded. */
#ifndef HEDDLE_CODELETS_CPU_DECODE_H
#define HEDDLE_CODELETS_CPU_DECODE_H

#include "cpu/interpreter.h"

/* How long a value stays the same. */
enum level { BOX, ROW, ELEMENT };

enum { DEAD = 0, END = 0xffff, NO_REGISTER = -1, HOME = -2, NOT_PAIRED = -1 };

struct value {
    uint16_t at;    /* when it is computed: its number or, with runs, its run's */
    uint16_t last;  /* when it is used last */
    uint16_t uses;  /* how often it is used */
    int16_t reg;    /* its register, HOME or NO_REGISTER */
    int16_t first;  /* the value that is computed with this one in one pass, or NOT_PAIRED; ... */
    bool is_inside; /* ... whether it is such a one itself */
    int8_t direct;  /* store that it is written to at once, or -1 */
    uint8_t level;  /* enum level */
    bool placed;    /* a step writes it to its store or register */
    bool broadcast; /* PTR_BROADCAST of it exists */
    bool is_dense;  /* with runs: other steps than these read or write it */
};

struct decoder {
    struct heddle__code *code;
    const struct heddle_launch *launch;
    const struct heddle_instr *instrs;
    struct heddle_instr own[HEDDLE_MAX_INSTRS]; /* if they are not the program's */
    void *const *buffers;
    struct value value[HEDDLE_MAX_INSTRS];
    uint16_t free[2 * HEDDLE_MAX_INSTRS]; /* registers */
    int n_free, now;
    bool reduce;
    const struct heddle__plan *plan;        /* of runs that are compiled, or NULL; ... */
    heddle__run_function *const *functions; /* ... and these */
    bool is_heavy;                          /* functions of loops are in it (compiled/plan.h) */
    bool counts;  /* runs have indices that count along a row (compiled/plan.h) */
    bool columns; /* with runs: all loads and stores jump from element to element */
    /* A store's elements serve as a register until its value is written to them: */
    int home;       /* the store, or -1 */
    int home_begin; /* first instruction that may write there */
    bool home_free;
};

int heddle__decode_arity(const struct heddle_instr *in);
void heddle__decode_instr(struct decoder *d, int i);
/* Where value i, which changes with the element, is written: its store, the home, or a register; gives that up. */
void heddle__decode_place(struct decoder *d, int i);
void heddle__decode_release(struct decoder *d, int value);
/* Whether load i is stored as it is while its buffer is written to: it must be read before. */
bool heddle__decode_is_overwritten(const struct decoder *d, int i);

/* Gives each value that is used its level. */
void heddle__decode_levels(struct decoder *d, int end);
/* Finds operations that are computed in one pass: of the values of the first one's operands the last use is then that of the
 * second one. After uses are known, before stores are. */
void heddle__decode_pair_up(struct decoder *d, int end);
/* Whether the section is compiled: then sets when each value is computed and used, by runs. After levels are known. */
void heddle__decode_find_plan(struct decoder *d, int end);
void heddle__decode_plan(struct decoder *d, int end);
/* Whether value i may lie as it does in the operand, with gaps; whether all that the section reads and writes does. */
bool heddle__decode_is_in_rows(const struct decoder *d, int i, int operand);
/* Whether compiled runs read load i where it is, each element some others after the one before. */
bool heddle__decode_has_step(const struct decoder *d, int i);
/* How index i is written: as compiled runs read it, if they alone do. */
enum index_form heddle__decode_index_form(const struct decoder *d, int i);
bool heddle__decode_is_in_columns(const struct decoder *d);

/* Has operations on float16 and bfloat16 done at once on what is stored so: conversions to float32 and back are then part of them. Whether
 * there are such; d->instrs is then d->own. After levels are known; uses are as of before. */
bool heddle__decode_in_halves(struct decoder *d, int end);

/* Has loads of columns of the same records done together, where they follow each other; when all steps are there. */
void heddle__decode_join_loads(const struct decoder *d);

/* The function of a pair, and its three operands. */
heddle__block_fn *heddle__decode_pair(const struct decoder *d, int second, uint16_t operand[3]);

#endif
