/* The launches for a line that is cut into runs, for the host file, and the memory that they need. */
#ifndef HEDDLE_FAMILIES_SORT_CUDA_LINE_H
#define HEDDLE_FAMILIES_SORT_CUDA_LINE_H

#include "families/sort/kernel.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Elements that a block merges: an odd number for each of its 256 threads, so that these do not meet in one bank of
 * shared memory. */
enum { HEDDLE_SORT_TILE = 256 * 11 };

/* With addresses of buffers: NULL where the call has none. MERGE overwrites `in`. */
struct heddle_sort_line_kernel {
    struct heddle_sort_line call;
    const int64_t *windows;
    const void *other;
    void *in, *out, *scratch;
    const int64_t *other_positions;
    int64_t *in_positions, *out_positions;
};

/* A cudaError_t. */
int heddle__sort_line_launch(const struct heddle_sort_line_kernel *p, void *stream);
int heddle__sort_merge_launch(const struct heddle_sort_line_kernel *p,
                              void *stream); /* PAIR, MERGE */

/* PAIR, MERGE: where tiles begin. */
static inline size_t heddle__sort_tiles_bytes(const struct heddle_sort_line *s)
{
    const int64_t tiles = (s->sort.n + HEDDLE_SORT_TILE - 1) / HEDDLE_SORT_TILE;
    return (size_t)(s->sort.rows * tiles) * sizeof(int64_t);
}

#ifdef __cplusplus
}
#endif

#endif
