/* Kernels of chains of launches over the same rows (rows.h): how a chain looks to one, and its source. */
#ifndef HEDDLE_CUDA_ROW_KERNELS_H
#define HEDDLE_CUDA_ROW_KERNELS_H

#include "cuda/layout.h"
#include "rows.h"

enum { /* of an operand, in struct heddle_rows_class */
       HEDDLE_ROWS_IS_ROW = 1,
       HEDDLE_ROWS_IS_MADE = 2,
       HEDDLE_ROWS_IS_PASSED = 4,
       HEDDLE_ROWS_IS_HELD = 8,
       HEDDLE_ROWS_IS_UNIT = 16,    /* the step is 1 */
       HEDDLE_ROWS_IS_STAGED = 32,  /* warps move it through shared memory */
       HEDDLE_ROWS_LEAPS = 64,      /* it has a period */
       HEDDLE_ROWS_IS_REMADE = 128, /* never stored: whoever reads it makes it anew */
       HEDDLE_ROWS_IN_ROOM = 256    /* a block holds it in shared memory */
};

enum {                         /* k[0], k[1], ... follow the last */
       HEDDLE_ROWS_INDEX_NONE, /* or an axis of one element */
       HEDDLE_ROWS_INDEX_IN_ROW,
       HEDDLE_ROWS_INDEX_KEPT
};

/* All that the source depends on beside the programs. Compared as bytes. */
struct heddle_rows_class {
    uint64_t program[HEDDLE_ROWS_STAGES]; /* hashes */
    uint64_t constants;                   /* which of the stages' constants are the same ones */
    uint16_t threads;                     /* this and the next seven: struct heddle_rows_form */
    uint16_t slots, full;
    uint8_t parts, group, beside, rows, is_long;
    uint8_t wide; /* 64-bit indices */
    uint8_t n_stages, n_kept, n_operands;
    uint8_t index[HEDDLE_MAX_NDIM]; /* HEDDLE_ROWS_INDEX_: along an axis of the box */
    uint8_t axis[HEDDLE_MAX_NDIM];  /* of maps, if values depend on indices: struct heddle_rows */
    uint8_t unused[1];
    uint16_t kind[HEDDLE_MAX_OPERANDS];
    uint8_t room[HEDDLE_MAX_OPERANDS]; /* staged.c: of staged operands; of those in a room: which */
    uint8_t of[HEDDLE_ROWS_STAGES][HEDDLE_MAX_OPERANDS];
};

/* Parameter slots: those of layout.h up to HEDDLE_SLOT_OPERAND (N: rows, CHUNK: elements of one, GROUP: bytes that are fetched ahead), then for each
 * operand its pointer, step, period, the period's magic number, leap and strides, then the constants of all stages. */
enum { HEDDLE_ROWS_OPERAND_SLOTS = 5 /* and the strides */ };
static inline int heddle__rows_slot(const struct heddle_rows_class *c, int operand)
{
    return HEDDLE_SLOT_OPERAND + operand * (HEDDLE_ROWS_OPERAND_SLOTS + c->n_kept);
}
/* The first constant of a stage; of the stage after the last one: how many there are. */
int heddle__rows_first_constant(const struct heddle_rows *rows, const struct heddle_rows_class *c,
                                int stage);
static inline int heddle__rows_n_slots(const struct heddle_rows *rows,
                                       const struct heddle_rows_class *c)
{
    return heddle__rows_first_constant(rows, c, rows->n_stages);
}
enum {
    HEDDLE_ROWS_MAX_SLOTS = HEDDLE_SLOT_OPERAND +
                            HEDDLE_MAX_OPERANDS * (HEDDLE_ROWS_OPERAND_SLOTS + HEDDLE_MAX_NDIM) +
                            2 * HEDDLE_MAX_CONSTANTS
};

/* False: a kernel cannot hold a row, or has no room for its parameters. `buffers`: NULL as long as it is not known where they are; then
 * they are aligned. */
bool heddle__rows_class(struct heddle_rows *rows, void *const buffers[],
                        struct heddle_rows_class *c);

/* Whether an operand's elements are what stages of a long row find in the second-level cache: several read them, and they lie together. */
static inline bool heddle__rows_is_fetched(const struct heddle_rows *rows, int u)
{
    const struct heddle_rows_operand *o = &rows->operand[u];
    return (o->is_reread || o->room > 0) && !o->is_made && o->step == 1 && o->period == 0;
}

/* Whether a stage is never run, as all that it makes is made anew by whoever reads it. */
static inline bool heddle__rows_is_remade(const struct heddle_rows *rows,
                                          const struct heddle_rows_class *c, int stage)
{
    const struct heddle_program *p = rows->stage[stage]->program;
    return p->n_reductions == 0 && p->n_stores > 0 &&
           c->kind[c->of[stage][p->stores[0].operand]] & HEDDLE_ROWS_IS_REMADE;
}

/* Whether a warp has several rows, in some of its threads each. */
static inline bool heddle__rows_share_warp(const struct heddle_rows_class *c)
{
    return c->threads > 1 && c->threads < 32;
}

/* Whether a thread moves several neighbours of operand u's by one access. */
static inline bool heddle__rows_is_wide(const struct heddle_rows_class *c, int u)
{
    enum { ONE_BY_ONE = HEDDLE_ROWS_IS_ROW | HEDDLE_ROWS_IS_REMADE };
    return c->beside > 1 && c->kind[u] & HEDDLE_ROWS_IS_UNIT && !(c->kind[u] & ONE_BY_ONE);
}

/* Threads of a block, and rows that one has at a time. */
static inline int heddle__rows_block(const struct heddle_rows_class *c)
{
    if (c->parts > 1) return 32 * c->parts;
    return c->threads <= 32 ? 256 : c->threads;
}
static inline int heddle__rows_per_block(const struct heddle_rows_class *c)
{
    return heddle__rows_block(c) / c->parts / c->threads * c->rows;
}

/* Text of a kernel of long rows: the block's next one, as much of it as HEDDLE_SLOT_GROUP has bytes, goes to the second-level cache while
 * this one is computed on. */
struct heddle_source;
void heddle__rows_fetch_ahead(const struct heddle_source *s, const struct heddle_rows *rows,
                              const struct heddle_rows_class *c);

/* The text of HEDDLE_KERNEL_MAIN. NULL when memory is gone; free with heddle__free. */
char *heddle__rows_source(const struct heddle_rows *rows, const struct heddle_rows_class *c);

#endif
