/* Reductions of which a thread has several kept elements, `together` of the class: what the choice of the layout and the source both
 * have to know. */
#ifndef HEDDLE_CUDA_GATHERED_H
#define HEDDLE_CUDA_GATHERED_H

#include "cuda/layout.h"

/* What an instruction before the reductions is, of neighbours along the last kept axis. */
enum heddle_gathered_kind {
    HEDDLE_GATHERED_ALIKE, /* the same value for all */
    HEDDLE_GATHERED_ALONG, /* int64: one more for each */
    HEDDLE_GATHERED_RUN,   /* LOAD_AT of places ALONG: elements that lie together */
    HEDDLE_GATHERED_APART, /* anything else */
};
void heddle__gathered_kinds(const struct heddle_program *p, const struct heddle_cuda_class *c,
                            uint8_t kind[HEDDLE_MAX_INSTRS]);

/* Of a THREAD that has what is together: sets that, walks, fewer slots. Else nothing is changed. */
void heddle__gathered_choose(const struct heddle_launch *launch, void *const buffers[],
                             struct heddle_cuda_layout *l);

#endif
