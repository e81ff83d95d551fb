/* Rectilinear partitions: an array cut along each axis at given bounds into a grid of parts.
 * Immutable, reference counted values; no arrays, no devices. */
#ifndef HEDDLE_PLAN_GRID_H
#define HEDDLE_PLAN_GRID_H

#include "graph/map.h"

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

/* Places as numbers: 0 is anywhere. */
enum { HEDDLE_PLACE_CPU = 1, HEDDLE_PLACE_GPU = 1 << 16 };

/* A place that automatic partitions share arrays among. */
struct heddle_policy_place {
    heddle_place place;
    double bandwidth; /* bytes/s: shares are in proportion */
};

enum { HEDDLE_POLICY_PLACES = 80 };

/* How automatic partitions are made: of the machine and the configuration. */
struct heddle_policy {
    int32_t n_workers; /* CPU teams if there is no GPU, else GPUs: each is to have a part */
    int32_t n_places;  /* GPUs that arrays are spread over, when there are several */
    struct heddle_policy_place places[HEDDLE_POLICY_PLACES];
    int64_t stream_bytes; /* GPUs, data in host memory: aim for one part; 0: as part_bytes */
    int32_t force_n;      /* > 0: force[] parts on the leading axes of every array */
    int32_t force[HEDDLE_MAX_NDIM];
    int64_t part_bytes;   /* aim for one part, at 8 bytes an element */
    int64_t inline_bytes; /* work below it is for the caller's thread; 0: none is */
    bool fusion;          /* false: each operation its own program */
};

/* One part. NULL when memory is gone, as all that return a grid. */
struct heddle_grid *heddle__grid_one(int ndim, const int64_t *shape);
/* n[d] intervals on axis d, ended by bounds[d][0..n[d]] (copied). */
struct heddle_grid *heddle__grid_make(int ndim, const int64_t *shape, const int64_t *n,
                                      const int64_t *const *bounds);
/* The automatic partition: parts of about policy->part_bytes and at least one a worker when that
 * leaves them large; cut on leading axes, so that each part is contiguous in C order; cuts at
 * multiples of 256 rows and of 65536 elements where they can be, where reductions are cut too. The
 * same for all dtypes, so that arrays of one shape fit. Over several GPUs each has a contiguous share
 * in proportion to its bandwidth. `streams`: the data come from host memory, so parts are small,
 * that transfers and work overlap, and go to whoever is free. */
struct heddle_grid *heddle__grid_auto(int ndim, const int64_t *shape,
                                      const struct heddle_policy *policy, bool streams);

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

/* Part numbers are row-major. */
struct heddle_box heddle__grid_part(const struct heddle_grid *grid, int64_t part);
/* The part that holds an index. */
int64_t heddle__grid_locate(const struct heddle_grid *grid, const int64_t *index);
/* Elements of a part. */
int64_t heddle__grid_part_size(const struct heddle_grid *grid, int64_t part);
/* A copy with that overlap; overlap.c. */
struct heddle_grid *heddle__grid_overlap(const struct heddle_grid *grid, const int64_t *before,
                                         const int64_t *after);
/* A part with its overlap, clipped at the ends of the array; a part of no elements has none. */
struct heddle_box heddle__grid_wide_part(const struct heddle_grid *grid, int64_t part);
/* The partition of an array that has each part with its overlap, one beside the other. */
struct heddle_grid *heddle__grid_widened(const struct heddle_grid *grid);
/* Whether a part is contiguous in the C order of the whole array, and if so at which element. */
bool heddle__grid_part_contiguous(const struct heddle_grid *grid, int64_t part, int64_t *first);

#endif
