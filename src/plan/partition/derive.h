/* Partitions that follow from another array's. NULL when memory is gone, unless said otherwise. */
#ifndef HEDDLE_PLAN_PARTITION_DERIVE_H
#define HEDDLE_PLAN_PARTITION_DERIVE_H

#include "plan/build/planner.h"

/* Whether each axis that is cut corresponds to one axis of the reader, index by index or in steps. */
bool heddle__grid_carries_over(const struct heddle_grid *grid, const struct heddle_map *map);
/* The partition of an iteration space that reads, by `map`, an array cut by `like`, which carries over:
 * cut and placed like what is read. */
struct heddle_grid *heddle__grid_over(struct heddle_planner *p, const struct heddle_grid *like,
                                      const struct heddle_map *map, int ndim,
                                      const int64_t *extent);
/* The partition of an iteration space whose parts read one part each of two arrays, where these carry
 * over: cut where either is; placed like the first of the two that is placed. */
struct heddle_grid *heddle__grid_over_both(struct heddle_planner *p, const struct heddle_grid *a,
                                           const struct heddle_map *a_map,
                                           const struct heddle_grid *b,
                                           const struct heddle_map *b_map, int ndim,
                                           const int64_t *extent);
/* The other way round: the partition of an array in which a part of iteration space `like` reads one
 * part by `map`, where axes correspond index by index. */
struct heddle_grid *heddle__grid_under(struct heddle_planner *p, const struct heddle_grid *like,
                                       const struct heddle_map *map, const int64_t *shape);

/* `grid`, whose reference it takes over, with the bounds of each axis moved to the nearest multiples of
 * unit[axis]; 0: the axis is not cut; 1: it stays as it is. */
struct heddle_grid *heddle__grid_rounded(struct heddle_planner *p, struct heddle_grid *grid,
                                         const int64_t unit[]);

/* The first axis that is longer than 1, or the last. */
int heddle__row_axis(int ndim, const int64_t *shape);
/* The elements of an array for each index of its first axis that is longer than 1. */
int64_t heddle__row_size(int ndim, const int64_t *shape);
/* Whether the first axis that is longer than 1 is the only one that is cut, so that parts follow each other in C order. */
bool heddle__grid_in_runs(const struct heddle_grid *grid);
/* `grid`, whose reference it takes over, cut where rows of `row` elements end, in C order, and where possible where
 * chunks of reductions over these rows do. It stays as it is if it is cut along several axes, or parts are shorter. */
struct heddle_grid *heddle__grid_in_rows(struct heddle_planner *p, struct heddle_grid *grid,
                                         int64_t row);

/* `cut`, whose reference it takes over, with places: each part where `like` has the element to which
 * `map` leads its middle one. */
struct heddle_grid *heddle__grid_placed_as(struct heddle_planner *p, struct heddle_grid *cut,
                                           const struct heddle_grid *like,
                                           const struct heddle_map *map);
/* The partition of the first `n_kept` axes, placed where the first parts along the others are. */
struct heddle_grid *heddle__grid_kept(struct heddle_planner *p, const struct heddle_grid *iteration,
                                      int n_kept);
/* The same parts for a reshaped array. NULL also if they are not whole rows of it. */
struct heddle_grid *heddle__grid_reshaped(struct heddle_planner *p, const struct heddle_grid *grid,
                                          int ndim, const int64_t *shape);

#endif
