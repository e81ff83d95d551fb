/* A launch that runs on box after box of one size, on the caller's thread alone: decoded once. For maps, and for reductions
 * of phase WHOLE in one chunk. */
#ifndef HEDDLE_CODELETS_CPU_BOXES_H
#define HEDDLE_CODELETS_CPU_BOXES_H

#include "cpu/interpreter.h"

struct heddle__boxes;
size_t heddle__boxes_bytes(void);
/* Decodes `box`, which is not empty. Its program is needed as long as the boxes are, and so is what blocks fetch `ahead`, if that
 * is not NULL; nothing else of it is. */
void heddle__boxes_begin(struct heddle__boxes *boxes, const struct heddle_launch *box,
                         void *const buffers[], const union heddle_scalar constants[],
                         struct heddle__ahead *ahead);
/* `box`: one of the same size; the same buffers and constants. Errors: HEDDLE_ENOMEM. */
enum heddle_status heddle__boxes_run(struct heddle__boxes *boxes, const struct heddle_launch *box,
                                     void *const buffers[], const union heddle_scalar constants[]);

#endif
