/* The layout of reductions: part of heddle__cuda_layout. */
#ifndef HEDDLE_CODELETS_CUDA_REDUCTIONS_H
#define HEDDLE_CODELETS_CUDA_REDUCTIONS_H

#include "cuda/layout.h"

/* Sets the layout's chunks of the reduction. */
void heddle__reductions_chunks(const struct heddle_geometry *g, struct heddle_cuda_layout *l);
/* Sets walks and forms of the class; axes are merged. */
void heddle__reductions_choose(const struct heddle_launch *launch, void *const buffers[],
                               struct heddle_cuda_layout *l);

/* Makes of a class whose blocks count each other, one for a stream of its own, one whose blocks do not. */
void heddle__reductions_apart(struct heddle_cuda_layout *l);

#endif
