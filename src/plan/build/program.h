/* Builds one program: appends instructions, operands and constants, then interns it. */
#ifndef HEDDLE_PLAN_BUILD_PROGRAM_H
#define HEDDLE_PLAN_BUILD_PROGRAM_H

#include "array/map.h"
#include "plan/programs.h"

#include "program.h"

/* What an operand of the program under construction stands for. */
struct heddle_operand {
    int32_t array; /* of the plan */
    bool store;
    bool after;            /* loaded after the reductions: over kept axes only */
    bool at_indices;       /* read at computed places: all of it; the map says where it begins */
    bool broadcast;        /* stored, and something with more elements reads it */
    struct heddle_map map; /* from the iteration space to the array */
};

struct heddle_builder {
    struct heddle_program program;
    struct heddle_operand operands[HEDDLE_MAX_OPERANDS];
    uint16_t load[HEDDLE_MAX_OPERANDS];       /* instruction that loads the operand */
    uint32_t constants[HEDDLE_MAX_CONSTANTS]; /* their numbers among the evaluation's */
    uint16_t constant_instr[HEDDLE_MAX_CONSTANTS];
    uint16_t reduced; /* struct heddle_geometry */
};

void heddle__build_start(struct heddle_builder *b);
/* Each returns the index of the instruction; equal loads, constants and indices are made once. The
 * caller keeps within the limits (heddle__build_room). */
uint16_t heddle__build_load(struct heddle_builder *b, int32_t array, enum heddle_dtype dtype,
                            const struct heddle_map *map);
uint16_t heddle__build_constant(struct heddle_builder *b, uint32_t constant,
                                enum heddle_dtype dtype);
uint16_t heddle__build_index(struct heddle_builder *b, int axis);
uint16_t heddle__build_op(struct heddle_builder *b, int code, enum heddle_dtype dtype,
                          enum heddle_dtype result, uint16_t x, uint16_t y, uint16_t z);
/* HEDDLE_CODE_CHECKED and HEDDLE_CODE_LOAD_AT; `first`: where the array's first element is; `near`: struct heddle_instr. */
uint16_t heddle__build_checked(struct heddle_builder *b, uint16_t index, uint16_t extent,
                               enum heddle_dtype dtype, int function, bool near);
uint16_t heddle__build_load_at(struct heddle_builder *b, int32_t array, enum heddle_dtype dtype,
                               const struct heddle_map *first, uint16_t place, bool near);
void heddle__build_store(struct heddle_builder *b, uint16_t value, int32_t array,
                         enum heddle_dtype dtype, const struct heddle_map *map);
/* Ends the part before the reductions; returns reduction numbers for heddle__build_op(REDUCED). */
void heddle__build_reductions_start(struct heddle_builder *b, bool sequential, uint16_t reduced);
uint16_t heddle__build_reduction(struct heddle_builder *b, int op, enum heddle_dtype dtype,
                                 enum heddle_dtype result, uint16_t value);
/* Interns the program: a reference, equal programs being one. NULL when memory is gone. */
const struct heddle_program *heddle__build_finish(struct heddle_builder *b);

#endif
