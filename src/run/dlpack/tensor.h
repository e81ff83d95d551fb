/* What DLPack's tensors say, in Heddle's terms. */
#ifndef HEDDLE_RUN_DLPACK_TENSOR_H
#define HEDDLE_RUN_DLPACK_TENSOR_H

#include "base/error.h"

#include <heddle/dlpack.h>

/* HEDDLE_DTYPE_NONE: none of Heddle's. */
enum heddle_dtype heddle__dl_to_dtype(struct heddle_dl_dtype dtype);
struct heddle_dl_dtype heddle__dl_from_dtype(enum heddle_dtype dtype);

/* How the elements of a tensor lie in memory that is used in place. The axes that lie there, of an extent other
 * than 1 and a stride other than 0, are those of an array in C order, `base`, from the slowest on; of the slowest
 * every step-th index is an element. */
struct heddle_dl_layout {
    bool fits; /* false: they do not lie so, and must be copied; nothing below is set */
    int ndim;
    int axis[HEDDLE_MAX_NDIM];      /* the tensor's axis of each */
    bool reversed[HEDDLE_MAX_NDIM]; /* whether its stride is negative */
    int64_t shape[HEDDLE_MAX_NDIM]; /* of base */
    int64_t step;
    int64_t first; /* of the elements in memory, less the tensor's first */
};

/* Of a tensor with elements and strides. */
struct heddle_dl_layout heddle__dl_layout(const struct heddle_dl_tensor *t);

/* The strides of C order; returns the number of elements. */
int64_t heddle__dl_c_strides(int ndim, const int64_t *shape, int64_t *strides);

/* An array of the same elements in host memory of their own; evaluates. */
heddle_array *heddle__dl_copied(const char *name, heddle_array *a);

#endif
