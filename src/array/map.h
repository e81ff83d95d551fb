/* Access maps in index space: which element of a source each element of a view is. Slices, flips,
 * transposes, broadcasts, new axes and diagonals are all of this form, and so are their
 * compositions. Pure arithmetic; no arrays. */
#ifndef HEDDLE_ARRAY_MAP_H
#define HEDDLE_ARRAY_MAP_H

#include <heddle/array.h>

/* Source index on axis d: offset[d] + step[d] * view index on axis[d]; axis[d] < 0: offset[d]. */
struct heddle_map {
    int8_t n; /* axes of the source */
    int8_t axis[HEDDLE_MAX_NDIM];
    int64_t offset[HEDDLE_MAX_NDIM];
    int64_t step[HEDDLE_MAX_NDIM];
};

/* Half-open: lo[d] <= index < hi[d]. */
struct heddle_box {
    int64_t lo[HEDDLE_MAX_NDIM + 1], hi[HEDDLE_MAX_NDIM + 1]; /* matmul walks one axis more */
};

struct heddle_map heddle__map_identity(int ndim);
/* The map of a view of a view: `inner` walks the source, `outer` walks inner's view. */
struct heddle_map heddle__map_compose(const struct heddle_map *inner,
                                      const struct heddle_map *outer);
/* Broadcast of `ndim` extents `shape` to `to_ndim` axes: axes align at the end; an extent of 1 is read
 * at index 0. */
struct heddle_map heddle__map_broadcast(int ndim, const int64_t *shape, int to_ndim);
bool heddle__map_equal(const struct heddle_map *a, const struct heddle_map *b);
bool heddle__map_is_identity(const struct heddle_map *m, int ndim);
/* The first index whose source index, offset + step * index, is beyond `bound` in the direction of the step: at it or after it, or
 * before it if step < 0. It may be negative. */
int64_t heddle__map_beyond(int64_t offset, int64_t step, int64_t bound);
/* The source elements that a box of the view reads, as their bounding box. The box is not empty. */
struct heddle_box heddle__map_region(const struct heddle_map *m, const struct heddle_box *view);

int64_t heddle__box_size(const struct heddle_box *box, int ndim);
bool heddle__box_contains(const struct heddle_box *outer, const struct heddle_box *inner, int ndim);
/* False when the intersection is empty. */
bool heddle__box_intersect(const struct heddle_box *a, const struct heddle_box *b, int ndim,
                           struct heddle_box *out);

#endif
