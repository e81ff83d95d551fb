/* Partitions that follow from another array's. NULL when memory is gone, unless said otherwise. */
#ifndef HEDDLE_PLAN_PARTITION_DERIVE_H
#define HEDDLE_PLAN_PARTITION_DERIVE_H

#include "plan/build/planner.h"

/* Whether each axis that is cut corresponds to one axis of the reader, step by step. */
bool heddle__grid_carries_over(const struct heddle_grid *grid, const struct heddle_map *map);
/* The partition of an iteration space over an array cut by `like`, read by `map`, to which it
 * carries over: cut and placed as what is read. */
struct heddle_grid *heddle__grid_over(struct heddle_planner *p, const struct heddle_grid *like,
                                      const struct heddle_map *map, int ndim,
                                      const int64_t *extent);
/* The partition of an iteration space whose parts each read one part of two arrays, where these carry
 * over: cut as both; placed as the first that is placed. */
struct heddle_grid *heddle__grid_over_both(struct heddle_planner *p, const struct heddle_grid *a,
                                           const struct heddle_map *a_map,
                                           const struct heddle_grid *b,
                                           const struct heddle_map *b_map, int ndim,
                                           const int64_t *extent);
/* The other way round: that of an array, so that what a part of iteration space `like` reads of it
 * by `map` is in one part, where axes correspond step by step. */
struct heddle_grid *heddle__grid_under(struct heddle_planner *p, const struct heddle_grid *like,
                                       const struct heddle_map *map, const int64_t *shape);

/* `grid`, whose reference is taken over, cut along each axis at multiples of unit[axis] only, each bound
 * at the nearest, and each once; 0: not at all; 1: as it is. */
struct heddle_grid *heddle__grid_rounded(struct heddle_planner *p, struct heddle_grid *grid,
                                         const int64_t unit[]);

/* `cut`, whose reference is taken over, with the places of `like` where `map` leads the element
 * in the middle of each part. */
struct heddle_grid *heddle__grid_placed_as(struct heddle_planner *p, struct heddle_grid *cut,
                                           const struct heddle_grid *like,
                                           const struct heddle_map *map);
/* That of the first `n_kept` axes, where the first parts along the others are. */
struct heddle_grid *heddle__grid_kept(struct heddle_planner *p, const struct heddle_grid *iteration,
                                      int n_kept);
/* The same parts, of an array reshaped: NULL (also) when they are not whole rows of it. */
struct heddle_grid *heddle__grid_reshaped(struct heddle_planner *p, const struct heddle_grid *grid,
                                          int ndim, const int64_t *shape);

#endif
