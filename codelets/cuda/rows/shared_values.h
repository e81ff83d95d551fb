/* Values of a chain that several stages compute from the same elements, as the exponentials of a softmax: the first one
 * keeps them, as h<n>[t]. */
#ifndef HEDDLE_CUDA_SHARED_VALUES_H
#define HEDDLE_CUDA_SHARED_VALUES_H

#include "cuda/rows/row_kernels.h"

enum { HEDDLE_SHARED_VALUES = 4 };

struct heddle_shared_values {
    int n;
    uint8_t dtype[HEDDLE_SHARED_VALUES];
    /* of each stage: the instruction that is value k; -1: none is */
    int16_t instr[HEDDLE_ROWS_STAGES][HEDDLE_SHARED_VALUES];
    uint8_t first[HEDDLE_SHARED_VALUES]; /* the stage that computes it */
};

/* Which are worth their registers. */
void heddle__shared_values(const struct heddle_rows *rows, const struct heddle_rows_class *c,
                           struct heddle_shared_values *out);
/* A hash of which constants of the stages are the same ones: what is shared depends on it. */
uint64_t heddle__shared_constants(const struct heddle_rows *rows);

#endif
