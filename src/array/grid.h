/* Rectilinear partitions: an array cut along each axis at given bounds into a grid of parts.
 * Immutable, reference counted values; no arrays, no devices. */
#ifndef HEDDLE_ARRAY_GRID_H
#define HEDDLE_ARRAY_GRID_H

#include "array/map.h"
#include "array/place.h"

#include <heddle/distribute.h>
#include <stdatomic.h>

enum {
    HEDDLE_MAX_PARTS = 1 << 16,     /* of an array that a program distributes */
    HEDDLE_MAX_PARTS_MADE = 1 << 24 /* of one that Heddle cuts; numbers of parts are 32 bits wide */
};

struct heddle_grid {
    atomic_int refs;
    int32_t ndim;
    int64_t n_parts;                 /* product of n[] */
    int64_t shape[HEDDLE_MAX_NDIM];  /* of the array */
    int64_t n[HEDDLE_MAX_NDIM];      /* intervals on each axis, >= 1 */
    int64_t *bound[HEDDLE_MAX_NDIM]; /* n[d] + 1 of them: 0 = first, shape[d] = last */
    heddle_place *place;             /* [n_parts]: where each part lives; NULL: anywhere */
    bool asked;                      /* by the user: results computed of it follow it */
    bool overlaps;                   /* views of its parts see elements of their neighbours: */
    int64_t before[HEDDLE_MAX_NDIM],
        after[HEDDLE_MAX_NDIM]; /* how many on each axis; only if it overlaps */
    uint64_t hash;              /* of all fields above but `asked` */
};

/* One part. Like all that return a grid: NULL when memory is gone, or for more than HEDDLE_MAX_PARTS_MADE. */
struct heddle_grid *heddle__grid_one(int ndim, const int64_t *shape);
/* n[d] intervals on axis d, ended by bounds[d][0..n[d]] (copied). */
struct heddle_grid *heddle__grid_make(int ndim, const int64_t *shape, const int64_t *n,
                                      const int64_t *const *bounds);
/* n intervals on one axis alone, ended by bounds[0..n], part i at places[i]; NULL: they may be anywhere. */
struct heddle_grid *heddle__grid_along(int ndim, const int64_t *shape, int axis, int64_t n,
                                       const int64_t *bounds, const heddle_place *places);
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

/* Bytes of memory that a grid takes. */
int64_t heddle__grid_bytes(const struct heddle_grid *grid);

/* Part numbers are row-major. */
struct heddle_box heddle__grid_part(const struct heddle_grid *grid, int64_t part);
/* The part that holds an index. */
int64_t heddle__grid_locate(const struct heddle_grid *grid, const int64_t *index);
/* Elements of a part. */
int64_t heddle__grid_part_size(const struct heddle_grid *grid, int64_t part);
/* A copy with this overlap; grid_overlap.c. */
struct heddle_grid *heddle__grid_overlap(const struct heddle_grid *grid, const int64_t *before,
                                         const int64_t *after);
/* A part with its overlap, clipped at the ends of the array; a part without elements has none. */
struct heddle_box heddle__grid_wide_part(const struct heddle_grid *grid, int64_t part);
/* The partition of an array that holds all parts side by side, each with its overlap. */
struct heddle_grid *heddle__grid_widened(const struct heddle_grid *grid);
/* Whether a part is contiguous in the C order of the whole array, and if so at which element. */
bool heddle__grid_part_contiguous(const struct heddle_grid *grid, int64_t part, int64_t *first);
bool heddle__grid_is_contiguous(const struct heddle_grid *grid); /* all parts are */

#endif
