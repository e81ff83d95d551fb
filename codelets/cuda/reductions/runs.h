/* Reductions whose elements lie together along the one reduced axis, by threads of a warp: which have them. */
#ifndef HEDDLE_CODELETS_CUDA_RUNS_H
#define HEDDLE_CODELETS_CUDA_RUNS_H

#include "cuda/layout.h"

/* Whether a thread that goes along neighbours can load `length` of them at once. */
int heddle__reductions_take_runs(const struct heddle_launch *launch, void *const buffers[],
                                 const struct heddle_cuda_layout *l, int length);

/* Lets threads of a warp load runs of 16 bytes, two runs each, so that less is exchanged, and a warp reduce several chunks, if these
 * are short. Of small elements a thread has more: the same bytes take more arithmetic. n: elements of a chunk. */
void heddle__runs_choose(const struct heddle_launch *launch, void *const buffers[],
                         struct heddle_cuda_layout *l, int64_t n);

/* Lets threads of a warp go along chunks of any length by vectors of 16 bytes, wherever these begin, if no order changes the bits of a
 * result, and there are chunks for all processors. */
void heddle__lines_choose(const struct heddle_launch *launch, void *const buffers[],
                          struct heddle_cuda_layout *l, int64_t n);

#endif
