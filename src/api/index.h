/* What basic indexing and indexing by arrays share. */
#ifndef HEDDLE_API_INDEX_H
#define HEDDLE_API_INDEX_H

#include "families/scatter/scatter.h"
#include "graph/infer.h"
#include "graph/node.h"

#include <heddle/index.h>

/* What a basic index selects on each axis of the array, and the axes of the result. */
struct heddle__selection {
    int64_t start[HEDDLE_MAX_NDIM], step[HEDDLE_MAX_NDIM], count[HEDDLE_MAX_NDIM];
    int axis_of[HEDDLE_MAX_NDIM]; /* of the array, that axis d of the result walks; -1: new */
    struct heddle_shape shape;    /* of the result */
    bool empty;
};

/* Understands integers, slices, ellipses and newaxis, for the public function `name`. */
enum heddle_status heddle__select(const char *name, const heddle_array *a, int n,
                                  const struct heddle_index *index, struct heddle__selection *s);
/* The view of what is selected; owned. NULL: memory is gone. */
heddle_array *heddle__selected(heddle_array *a, const struct heddle__selection *s);

/* The value in the dtype of what it is written to, of a shape that broadcasts to the target; owned. NULL: it does not,
 * or memory is gone. */
heddle_array *heddle__fitted(const char *name, heddle_array *value, enum heddle_dtype dtype,
                             const struct heddle_shape *target);
/* The array to return at once when `value`, argument 4, cannot be written to `a`; NULL. */
heddle_array *heddle__bad_update(const char *name, heddle_array *a, heddle_array *value);

/* ---- Arrays among the indices (items.c) ----------------------------------------------------------- */

enum { HEDDLE_MAX_ITEMS = 4 * HEDDLE_MAX_NDIM };

/* An index of one axis, or of a new one: no mask but that of a new axis, no ellipsis. `by`: of integers. */
struct heddle__items {
    int n;
    struct heddle_index of[HEDDLE_MAX_ITEMS];
    int n_axes;   /* of `a`, so far */
    int in_front; /* slices and new axes before the first array or integer */
    bool begun,
        ended;  /* arrays and integers: whether some were, and whether others followed them */
    bool apart; /* they are not next to each other */
};

/* Checks kinds, dtypes, ellipses and how many axes of `a` the indices take. Their arrays are good. */
enum heddle_status heddle__check_index(const char *name, const heddle_array *a, int n,
                                       const struct heddle_index *index, int *n_taken);
/* Whether one of the indices is an array. */
bool heddle__has_array(int n, const struct heddle_index *index);
/* The array to return at once when one of them is none; NULL. */
heddle_array *heddle__bad_index(const char *name, int n, const struct heddle_index *index);
/* Understands all kinds. It evaluates masks. For an open scope. */
enum heddle_status heddle__itemise(const char *name, const heddle_array *a, int n,
                                   const struct heddle_index *index, struct heddle__items *s);
/* Whether it is all of its axes. */
bool heddle__is_all(const struct heddle_index *x);
/* Whether it is a[mask] or a[mask, ...]: elements or rows where they lie. Checks the mask if it is. */
bool heddle__is_mask_alone(int n, const struct heddle_index *index);
enum heddle_status heddle__check_mask_alone(const char *name, const heddle_array *a, int n,
                                            const struct heddle_index *index);

/* a[index...] where one is an array; the innermost scope's or the caller's. */
heddle_array *heddle__getitem_by(heddle_array *a, int n, const struct heddle_index *index);
/* `a` with a[index...] replaced by the value, or with it added. */
heddle_array *heddle__update_by(enum heddle_indexing function, heddle_array *a, int n,
                                const struct heddle_index *index, heddle_array *value);

#endif
