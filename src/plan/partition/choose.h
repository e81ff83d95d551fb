/* Choosers of partitions: for what is computed elementwise, reduced, assembled, and for what follows
 * nothing. NULL when memory is gone, unless said otherwise. Families have their own. */
#ifndef HEDDLE_PLAN_PARTITION_CHOOSE_H
#define HEDDLE_PLAN_PARTITION_CHOOSE_H

#include "plan/build/planner.h"

/* That of what a program computes elementwise, of a group of that (choose.c); the builder has its loads, and `more` has the
 * partitions of `n_more` values of the same shape that it reads though they are not stored. */
struct heddle_grid *heddle__map_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                     int32_t group, int n_more, struct heddle_grid *const more[]);
/* How what follows an array is cut: like it, or like the rows that it sees in parts of others. */
static inline struct heddle_grid *heddle__grid_to_follow(const struct heddle_plan_array *a)
{
    return a->like ? a->like : a->grid;
}
/* The operand with the most parts among those that the user (`asked`) or Heddle placed, if axes fit; or NULL. */
const struct heddle_operand *heddle__operand_like(const struct heddle_planner *p,
                                                  const struct heddle_builder *b, bool asked);
/* Whether no place has more than twice its share of the elements. */
bool heddle__grid_is_balanced(const struct heddle_planner *p, const struct heddle_grid *grid);
/* That of a reduction's iteration space (reduction.c): cut like what it reads, where chunks allow. */
struct heddle_grid *heddle__reduce_grid(struct heddle_planner *p, const struct heddle_builder *b,
                                        const struct heddle_group *g);
/* Bytes of files that a program over a space of `extent` reads, by the page. */
double heddle__file_bytes(const struct heddle_planner *p, const struct heddle_builder *b,
                          const int64_t *extent);
/* The same for one array, of shape `shape`: what a box of extents `extent` reads of it by `map`. */
double heddle__map_file_bytes(const struct heddle_map *map, const int64_t *shape,
                              int64_t element_bytes, const int64_t *extent);
/* That of an assembled array which is not made in its base: what the user asked for; an update stays where
 * its base is or, if that is computed as it is read, where an operand of it is; of arrays joined along an axis
 * each is cut along it, and lives, as before, and along the other axes all are cut like the first that the user
 * distributed, or the first. NULL: it follows no partition, or memory is gone (p->failed). */
struct heddle_grid *heddle__assembled_grid(struct heddle_planner *p, const struct heddle_value *v);
/* The same of inputs that lie alike, of which each part shall have all, if the user has not asked for another. */
struct heddle_grid *heddle__stacked_grid(struct heddle_planner *p, const struct heddle_value *v);
/* Whether inputs `i` and `k` of an assembly without base have the same shape, and no part of it (`grid`, or NULL: whatever its parts are) ends between them. */
bool heddle__lie_alike(const heddle_array *a, const struct heddle_grid *grid, int i, int k);

/* The partition of an assembly without a base in which its inputs stay where they are, which are cut by `grids` ([n_in]; NULL: may be
 * anywhere) (beside.c). NULL also if there is none, its parts were too many, or one GPU had too much. */
struct heddle_grid *heddle__beside_grid(struct heddle_planner *p, const heddle_array *whole,
                                        struct heddle_grid *const grids[]);

/* Chooses how arrays without a partition are spread over the machine, by where most of the data are
 * that are read: sets p->spread and p->share (spread.c). */
void heddle__choose_spread(struct heddle_planner *p);

#endif
