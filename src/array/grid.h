/* Rectilinear partitions: an array cut along each axis at given bounds into a grid of parts.
 * Immutable, reference counted values; no arrays, no devices. */
#ifndef HEDDLE_ARRAY_GRID_H
#define HEDDLE_ARRAY_GRID_H

#include "array/map.h"
#include "array/place.h"

#include <heddle/distribute.h>
#include <stdatomic.h>

struct heddle_grid {
    atomic_int refs;
    int32_t ndim;
    int64_t n_parts;                 /* product of n[] */
    int64_t shape[HEDDLE_MAX_NDIM];  /* of the array */
    int64_t n[HEDDLE_MAX_NDIM];      /* intervals on each axis, >= 1 */
    int64_t *bound[HEDDLE_MAX_NDIM]; /* n[d] + 1 of them: 0 = first, shape[d] = last */
    heddle_place *place;             /* [n_parts]: where each lives; NULL: anywhere */
    bool asked;                      /* the user said so: what is computed of it follows it */
    bool overlaps;                   /* views of its parts have elements of their neighbours: */
    int64_t before[HEDDLE_MAX_NDIM],
        after[HEDDLE_MAX_NDIM]; /* so many on each axis, if there are */
    uint64_t hash;              /* of all above but `asked` */
};

/* One part. NULL when memory is gone, as all that return a grid. */
struct heddle_grid *heddle__grid_one(int ndim, const int64_t *shape);
/* n[d] intervals on axis d, ended by bounds[d][0..n[d]] (copied). */
struct heddle_grid *heddle__grid_make(int ndim, const int64_t *shape, const int64_t *n,
                                      const int64_t *const *bounds);
/* Cuts at multiples of block[d]. */
struct heddle_grid *heddle__grid_blocks(int ndim, const int64_t *shape, const int64_t *block);

/* The same cuts with other places: places[i % n_places] for part i; n_places = 0: anywhere. */
struct heddle_grid *heddle__grid_place(const struct heddle_grid *grid, int64_t n_places,
                                       const heddle_place *places);

struct heddle_grid *heddle__grid_retain(struct heddle_grid *grid);
void heddle__grid_release(struct heddle_grid *grid); /* NULL is ignored */
/* Cuts, places and overlap. */
bool heddle__grid_equal(const struct heddle_grid *a, const struct heddle_grid *b);
bool heddle__grid_same_cuts(const struct heddle_grid *a, const struct heddle_grid *b);
static inline heddle_place heddle__grid_place_of(const struct heddle_grid *grid, int64_t part)
{
    return grid->place ? grid->place[part] : HEDDLE_ANYWHERE;
}

static inline bool heddle__grid_is_divided(const struct heddle_grid *grid)
{
    return grid->n_parts > 1 || grid->place;
}

/* Part numbers are row-major. */
struct heddle_box heddle__grid_part(const struct heddle_grid *grid, int64_t part);
/* The part that holds an index. */
int64_t heddle__grid_locate(const struct heddle_grid *grid, const int64_t *index);
/* Elements of a part. */
int64_t heddle__grid_part_size(const struct heddle_grid *grid, int64_t part);
/* A copy with that overlap; grid_overlap.c. */
struct heddle_grid *heddle__grid_overlap(const struct heddle_grid *grid, const int64_t *before,
                                         const int64_t *after);
/* A part with its overlap, clipped at the ends of the array; a part of no elements has none. */
struct heddle_box heddle__grid_wide_part(const struct heddle_grid *grid, int64_t part);
/* The partition of an array that has each part with its overlap, one beside the other. */
struct heddle_grid *heddle__grid_widened(const struct heddle_grid *grid);
/* Whether a part is contiguous in the C order of the whole array, and if so at which element. */
bool heddle__grid_part_contiguous(const struct heddle_grid *grid, int64_t part, int64_t *first);

#endif
