/* Manipulation of shape. permute_dims, expand_dims, squeeze, flip and broadcast_to are access maps:
 * they fuse into whatever reads them and cost nothing. reshape of data that lie in one piece costs
 * nothing either. Errors: HEDDLE_ESHAPE, HEDDLE_EAXIS; the message has the shapes. */
#ifndef HEDDLE_MANIPULATE_H
#define HEDDLE_MANIPULATE_H

#include <heddle/create.h>
#include <heddle/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The elements in C order under a new shape; one extent may be -1: inferred. */
HEDDLE_API heddle_array *heddle_reshape(heddle_array *a, int ndim, const int64_t *shape);

/** Axis d of the result is axis axes[d] of `a`; `axes` is a permutation of ndim numbers. */
HEDDLE_API heddle_array *heddle_permute_dims(heddle_array *a, int n_axes, const int *axes);
#define HEDDLE_ORDER(...) HEDDLE_LIST_(int, __VA_ARGS__)

/** Swaps the last two axes. */
HEDDLE_API heddle_array *heddle_matrix_transpose(heddle_array *a);

/** A new axis of extent 1 at `axis`, -(ndim + 1) to ndim. */
HEDDLE_API heddle_array *heddle_expand_dims(heddle_array *a, int axis);

/** Removes axes of extent 1: HEDDLE_ORDER(0, 2). */
HEDDLE_API heddle_array *heddle_squeeze(heddle_array *a, int n_axes, const int *axes);

struct heddle_flip_options {
    size_t size;             /* call.h */
    int axis;                /* one axis */
    bool has_axis;           /* whether it is given; set by the macro */
    struct heddle_axes axes; /* several, instead of `axis` */
};

/** Reverses the elements along .axis, .axes, or all axes. */
HEDDLE_API heddle_array *heddle_flip_with(heddle_array *a, const struct heddle_flip_options *o);
#define heddle_flip(...) HEDDLE_CALL1_AXIS(heddle_flip_with, heddle_flip_options, __VA_ARGS__)

/** `a` repeated to a shape that it broadcasts to. */
HEDDLE_API heddle_array *heddle_broadcast_to(heddle_array *a, int ndim, const int64_t *shape);

/** Arrays joined along `axis`, equal in the other extents; dtype: their common one. */
HEDDLE_API heddle_array *heddle_concat(int n, heddle_array *const arrays[], int axis);

/** Arrays flattened and joined: the standard's concat with axis=None. */
HEDDLE_API heddle_array *heddle_concat_flat(int n, heddle_array *const arrays[]);

/** Arrays of one shape joined along a new axis at `axis`. */
HEDDLE_API heddle_array *heddle_stack(int n, heddle_array *const arrays[], int axis);

/* Arrays as two arguments: heddle_concat(HEDDLE_ARRAYS(a, b), 0). */
#define HEDDLE_ARRAYS(...) HEDDLE_LIST_(heddle_array *, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
