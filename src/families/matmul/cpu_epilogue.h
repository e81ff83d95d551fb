/* Elementwise work on a product, on each tile while it is in a core's cache. */
#ifndef HEDDLE_FAMILIES_MATMUL_CPU_EPILOGUE_H
#define HEDDLE_FAMILIES_MATMUL_CPU_EPILOGUE_H

#include "families/matmul/kernel.h"

#include <stdatomic.h>

/* Elements of a tile, at least: to begin the work on it takes about as long as a thousand additions. */
enum { HEDDLE_EPILOGUE_TILE = 4096 };

struct heddle_epilogue {
    const struct heddle_matmul *mm;
    void *const *buffers;
    const union heddle_scalar *constants;
    bool done;         /* of all tiles, by whoever made these */
    atomic_int status; /* of any tile that failed; its text is on the thread that had it */
};

/* How many rows of `width` columns, and of A, stay in the cache until they are read again. */
int64_t heddle__epilogue_rows(const struct heddle_matmul *mm, int64_t width);
/* Whether tiles are large enough to begin the work on each; else it is for all at once. */
bool heddle__epilogue_in_tiles(const struct heddle_matmul *mm);
/* On results, rows and columns from lo[] on. By the calling thread. */
void heddle__epilogue_tile(struct heddle_epilogue *e, const int64_t lo[3], const int64_t size[3]);
/* What is left to do, and the error of the tiles. */
enum heddle_status heddle__epilogue_end(struct heddle_epilogue *e, struct heddle_team *team);

#endif
