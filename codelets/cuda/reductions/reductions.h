/* The layout of reductions: part of heddle__cuda_layout. */
#ifndef HEDDLE_CODELETS_CUDA_REDUCTIONS_H
#define HEDDLE_CODELETS_CUDA_REDUCTIONS_H

#include "cuda/layout.h"

/* Sets the layout's chunks of the reduction. */
void heddle__reductions_chunks(const struct heddle_geometry *g, struct heddle_cuda_layout *l);
/* Sets walks and forms of the class; axes are merged. */
void heddle__reductions_choose(const struct heddle_launch *launch, void *const buffers[],
                               struct heddle_cuda_layout *l);

/* Whether the launch's class has runs (HEDDLE_FORM_RUNS), and is then as fast as a chain over rows (rows.h) of this launch alone: where each lane has an
 * element or, of sums, most have, and little is done to each. Measured on an H200. */
bool heddle__reductions_have_runs(const struct heddle_launch *launch, void *const buffers[]);

/* What changes no value that it is combined with, not even -0.0's sign, in the source; NULL: there is no such value. */
const char *heddle__neutral_of(const struct heddle_reduce_instr *r);

/* Makes of a class whose blocks count each other, one for a stream of its own, one whose blocks do not. */
void heddle__reductions_apart(struct heddle_cuda_layout *l);

#endif
