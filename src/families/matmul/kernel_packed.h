/* Which products CPUs compute from panels of their operands, and what these take. By extents and strides alone: scratch is asked for
 * before the instruction set is known. */
#ifndef HEDDLE_FAMILIES_MATMUL_KERNEL_PACKED_H
#define HEDDLE_FAMILIES_MATMUL_KERNEL_PACKED_H

#include "families/matmul/kernel.h"

enum {
    HEDDLE_PACKED_ROWS = 8,         /* of a tile, at most of all instruction sets */
    HEDDLE_PACKED_VECTOR = 64,      /* bytes, likewise; panels are aligned so */
    HEDDLE_PACKED_CACHE = 512 << 10 /* bytes of panels that a thread reads again and again */
};

/* How many of its columns are computed at once; 0: the product is none of these. */
int64_t heddle__packed_columns(const struct heddle_matmul *mm);
/* Whether threads may make panels for themselves alone, as few rows are multiplied by each; whether all of B's may lie there at once. If
 * neither, so many columns of them are. */
bool heddle__packs_alone(const struct heddle_matmul *mm);
bool heddle__packs_together(const struct heddle_matmul *mm);
/* Whether A is packed too, for tiles of `rows` rows: its columns are what lies close, and they share sets of the caches, or a tile
 * takes half of a cache line or less of each. */
bool heddle__packs_a(const struct heddle_matmul *mm, int64_t rows);
/* Of the panels, at most; 0: the product is none of these. */
size_t heddle__packed_bytes(const struct heddle_matmul *mm, int n_threads);

#endif
