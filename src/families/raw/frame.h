/* The frame of a call of the user's kernel: the index space whose parts the launches are for, and how arrays are cut as it
 * is. */
#ifndef HEDDLE_FAMILIES_RAW_FRAME_H
#define HEDDLE_FAMILIES_RAW_FRAME_H

#include "families/raw/raw.h"
#include "plan/build/planner.h"

struct heddle_raw_frame {
    struct heddle_grid *grid;                                /* a reference of its own */
    int64_t before[HEDDLE_MAX_NDIM], after[HEDDLE_MAX_NDIM]; /* the halo along its axes */
};

/* Chooses the frame's parts; false: memory is gone. */
bool heddle__raw_frame(struct heddle_planner *p, int32_t at, const struct heddle_raw_params *params,
                       struct heddle_raw_frame *frame);
/* The partition of an operand under the frame; NULL: memory is gone. */
struct heddle_grid *heddle__raw_grid(struct heddle_planner *p, const struct heddle_raw_frame *frame,
                                     const struct heddle_raw_operand *o);
/* The operand's part for a part of the frame. */
int64_t heddle__raw_part(const struct heddle_raw_frame *frame, const struct heddle_raw_operand *o,
                         int64_t part);

#endif
