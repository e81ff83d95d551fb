/* Short rows that lie together. Each thread has one, so neighbouring threads would read and write with the row's length for
 * a step, and touch each sector of memory several times. Instead the threads of a warp move the rows of all of them together,
 * by neighbouring elements, through shared memory.
 *
 * Names in the text: first, the first of the warp's rows; at<u>, operand u's elements of these rows in shared memory, element
 * e at hd_spaced(e); own, the element with which a thread's row begins. */
#ifndef HEDDLE_CUDA_ROWS_STAGED_H
#define HEDDLE_CUDA_ROWS_STAGED_H

#include "cuda/rows/row_kernels.h"

#include <base/text.h>

/* Which operands are staged, and in which room: what a stage stores may take the place of what was loaded, which is in registers
 * by then. */
void heddle__rows_stage(const struct heddle_rows *rows, struct heddle_rows_class *c);

/* Whether any that is loaded is. */
bool heddle__rows_staged(const struct heddle_rows_class *c);

void heddle__rows_stage_rooms(struct heddle_text *t, const struct heddle_rows *rows,
                              const struct heddle_rows_class *c);
void heddle__rows_stage_in(struct heddle_text *t, const struct heddle_rows *rows,
                           const struct heddle_rows_class *c);
void heddle__rows_stage_out(struct heddle_text *t, const struct heddle_rows *rows,
                            const struct heddle_rows_class *c);

#endif
