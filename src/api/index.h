/* What basic indexing and indexing by arrays share. */
#ifndef HEDDLE_API_INDEX_H
#define HEDDLE_API_INDEX_H

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

/* Whether one of the indices is an array. */
bool heddle__has_array(int n, const struct heddle_index *index);
/* a[index...] where one is; the innermost scope's or the caller's. */
heddle_array *heddle__getitem_by(heddle_array *a, int n, const struct heddle_index *index);

#endif
