/* Maps by tiles: when some operands lie along one axis of the box and others along another one, a block takes a square of
 * the two axes, reads each operand along the axis that it lies along, and turns some of them over in shared memory
 * (docs/decisions/0047-tiles.md). Pure C, no device. */
#ifndef HEDDLE_CUDA_TILES_H
#define HEDDLE_CUDA_TILES_H

#include "cuda/source.h"

/* Of a map whose axes are merged: puts the axis that most bytes lie along last, and before it the axis that others lie along.
 * Whether there are two such axes: then it is a candidate for tiles, otherwise the box is only walked in another order. */
int heddle__tiles_order(const struct heddle_program *p, struct heddle_cuda_layout *l);

/* Chooses form, walks, side and vector of such a map, whose elements each have `weight`; 0 if no tile fits: then nothing
 * is chosen. `vector` is the most elements that should lie together. */
int heddle__tiles_choose(const struct heddle_launch *launch, void *const buffers[], double weight,
                         int vector, struct heddle_cuda_layout *l);

/* Tiles: `columns` side by side; rows of tiles in `bands` of `band` each, whose tiles are numbered downwards first, since
 * those that run together should be neighbours along both axes. The last band may have tiles that are not there. */
struct heddle_tiles_grid {
    int64_t columns, band, bands, tiles;
};
struct heddle_tiles_grid heddle__tiles_grid(const struct heddle_cuda_layout *l);

/* The kernel of a map by tiles. */
void heddle__tiles_source(const struct heddle_source *s);

#endif
