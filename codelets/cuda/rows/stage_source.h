/* Shared by the parts of the generated source of chains: source.c (stages and the kernel), scans.c (scans), slots.c (elements). */
#ifndef HEDDLE_CUDA_STAGE_SOURCE_H
#define HEDDLE_CUDA_STAGE_SOURCE_H

#include "cuda/rows/row_kernels.h"
#include "cuda/rows/shared_values.h"
#include "cuda/source.h"

/* A stage, as the emitter of instructions sees it. */
struct heddle_stage_source {
    struct heddle_source source; /* first: the emitter's callbacks get it */
    const struct heddle_rows_class *rows;
    const struct heddle_rows *chain;
    const struct heddle_shared_values *shared;
    int number, first_constant;
    int from,
        to; /* slots that are gone through, in groups: of long rows first those that all threads have */
};

/* The type of an operand's elements. */
const char *heddle__rows_operand_type(const struct heddle_rows *rows, int u);
/* Where element f, in slot t, of the row is in operand u; and where stages read it, which may be shared memory. */
void heddle__rows_put_memory(const struct heddle_stage_source *stage, int u);
void heddle__rows_put_place(const struct heddle_stage_source *stage, int u);
/* Element f of the row in operand u, or none, into what is in slot t of a variable, or that with its neighbours. */
void heddle__rows_put_load(const struct heddle_stage_source *stage, int u, const char *into);

/* Where the row begins in each operand, and what is read of it before the first stage. */
void heddle__rows_put_row(struct heddle_stage_source *stage);

/* "for each slot {", for the stage's first n instructions; 0: for loads of the row, HEDDLE_ROWS_ONLY_STORES: for stores. Slots come in groups: l<u>[j], what the stage alone reads for a group,
 * is under way together; r<u>, what is made anew. Compilers do not move a load over the stores before it, nor over a quotient's branches. `quick`: the
 * values of a group share a check. */
enum { HEDDLE_ROWS_ONLY_STORES = -1 };
void heddle__rows_put_slots(const struct heddle_stage_source *stage, int n, bool quick);
void heddle__rows_put_slots_end(const struct heddle_stage_source *stage, bool quick);
/* The next slots that are gone through, from -1 on; false: there are none left. */
bool heddle__rows_next_slots(struct heddle_stage_source *stage);

/* y<u>, before slots whose elements are stored by several neighbours; and the values of an element to where they are held, and to memory. */
void heddle__rows_put_store_rooms(const struct heddle_stage_source *stage);
void heddle__rows_put_stores(const struct heddle_stage_source *stage);

/* All of the row's values that a thread has, scan[t], then the scan of the row in their place (cuda/scan.cuh). */
void heddle__rows_put_scan(struct heddle_stage_source *stage);

/* c<k>, the constants of the stage. */
void heddle__rows_put_constants(const struct heddle_stage_source *stage);
/* Instruction i of an element: computed, or kept by an earlier stage, or to be kept. */
void heddle__rows_put_instr(const struct heddle_stage_source *stage, int i, bool quick);

#endif
