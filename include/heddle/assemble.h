/* Arrays taken apart, put together and rearranged. Lazy and made of views, joins and index comparisons:
 * they fuse into what reads them. tile and repeat write their result once.
 *
 * A function with several results writes them to `out` and returns a status: each is new, as the result of
 * any other function. On an error of arguments (HEDDLE_EARG, HEDDLE_EAXIS, HEDDLE_ESHAPE, HEDDLE_EDTYPE)
 * `out` is untouched; if memory is gone some may be in error. */
#ifndef HEDDLE_ASSEMBLE_H
#define HEDDLE_ASSEMBLE_H

#include <heddle/manipulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of functions that work along one axis. */
struct heddle_along_options {
    size_t size;   /* call.h */
    int axis;      /* each function says what its default is */
    bool has_axis; /* whether it is given; set by the macros */
};

/* ---- Several results ------------------------------------------------------------------------------ */

/** The `n` arrays broadcast to their common shape. */
HEDDLE_API enum heddle_status heddle_broadcast_arrays(int n, heddle_array *const arrays[],
                                                      heddle_array *out[]);

/** The parts a[0], a[1], ... along .axis (default: the first), of which there are `n`. */
HEDDLE_API enum heddle_status heddle_unstack_with(heddle_array *a, int n, heddle_array *out[],
                                                  const struct heddle_along_options *o);
#define heddle_unstack(...)                                                                        \
    HEDDLE_CALL3_AXIS(heddle_unstack_with, heddle_along_options, __VA_ARGS__)

struct heddle_meshgrid_options {
    size_t size;          /* call.h */
    bool matrix_indexing; /* NumPy's indexing="ij": axis i is along arrays[i]; else the first two swap */
};

/** The coordinates of the points of a grid: of `n` arrays of one axis as many of `n` axes. */
HEDDLE_API enum heddle_status heddle_meshgrid_with(int n, heddle_array *const arrays[],
                                                   heddle_array *out[],
                                                   const struct heddle_meshgrid_options *o);
#define heddle_meshgrid(...)                                                                       \
    HEDDLE_CALL3(heddle_meshgrid_with, heddle_meshgrid_options, __VA_ARGS__)

/** `a` cut along .axis (default: the first) into `n` parts of one length (NumPy name). */
HEDDLE_API enum heddle_status heddle_split_with(heddle_array *a, int n, heddle_array *out[],
                                                const struct heddle_along_options *o);
/** The same, where the first parts may be longer by one. */
HEDDLE_API enum heddle_status heddle_array_split_with(heddle_array *a, int n, heddle_array *out[],
                                                      const struct heddle_along_options *o);
/** Cut before each of `n` positions, into n + 1 parts: NumPy's split with a list. */
HEDDLE_API enum heddle_status heddle_split_at_with(heddle_array *a, int n,
                                                   const int64_t *positions, heddle_array *out[],
                                                   const struct heddle_along_options *o);
#define heddle_split(...) HEDDLE_CALL3_AXIS(heddle_split_with, heddle_along_options, __VA_ARGS__)
#define heddle_array_split(...)                                                                    \
    HEDDLE_CALL3_AXIS(heddle_array_split_with, heddle_along_options, __VA_ARGS__)
#define heddle_split_at(...)                                                                       \
    HEDDLE_CALL4_AXIS(heddle_split_at_with, heddle_along_options, __VA_ARGS__)

/* ---- Axes ----------------------------------------------------------------------------------------- */

/** Axes from[i] moved to to[i]; the others keep their order. */
HEDDLE_API heddle_array *heddle_moveaxis(heddle_array *a, int n, const int *from, const int *to);
/** Two axes swapped (NumPy name). */
HEDDLE_API heddle_array *heddle_swapaxes(heddle_array *a, int axis1, int axis2);
/** At least `ndim` axes, 1 to 3, with NumPy's places for the new ones: atleast_1d ... */
HEDDLE_API heddle_array *heddle_atleast(heddle_array *a, int ndim);
/** Turned by 90 degrees `k` times, from the first of two axes towards the second (NumPy name). */
HEDDLE_API heddle_array *heddle_rot90(heddle_array *a, int k, int axis1, int axis2);

/* ---- Rearranged and repeated -------------------------------------------------------------------- */

/** Elements moved on by `shift` along .axis, or flat without; those at the end come round. */
HEDDLE_API heddle_array *heddle_roll_with(heddle_array *a, int64_t shift,
                                          const struct heddle_along_options *o);
#define heddle_roll(...) HEDDLE_CALL2_AXIS(heddle_roll_with, heddle_along_options, __VA_ARGS__)

/** `a` repeated reps[i] times along its axes, which align at the end: HEDDLE_SHAPE(2, 3). */
HEDDLE_API heddle_array *heddle_tile(heddle_array *a, int n, const int64_t *reps);

/** Each element repeated along .axis, or flat without. `repeats`: a scalar, or integers for each index of
 *  the axis, which are evaluated at the call, unless they are constants. */
HEDDLE_API heddle_array *heddle_repeat_with(heddle_array *a, heddle_array *repeats,
                                            const struct heddle_along_options *o);
#define heddle_repeat(...) HEDDLE_CALL2_AXIS(heddle_repeat_with, heddle_along_options, __VA_ARGS__)

/** The elements of `a` in C order, from the first one again when they end, in another shape; zeros if there are none
 *  (NumPy name). */
HEDDLE_API heddle_array *heddle_resize(heddle_array *a, int ndim, const int64_t *shape);
/** `a` without the elements at `n` positions along .axis (default: all elements, as one axis). Negative ones count from
 *  the end; duplicates count once (NumPy name). Errors: HEDDLE_EINDEX, HEDDLE_EAXIS. */
HEDDLE_API heddle_array *heddle_delete_with(heddle_array *a, int n, const int64_t *positions,
                                            const struct heddle_along_options *o);
/** `a` with `values` before the element at `position` along .axis (default: all elements, as one axis); the length goes
 *  behind the last. `values` become of a's dtype. Of as many axes as `a` the first goes along .axis, the others broadcast;
 *  of fewer they are one element of the axis (NumPy name). Errors: HEDDLE_EINDEX, HEDDLE_EAXIS, HEDDLE_ESHAPE. */
HEDDLE_API heddle_array *heddle_insert_with(heddle_array *a, int64_t position, heddle_array *values,
                                            const struct heddle_along_options *o);
#define heddle_delete(...) HEDDLE_CALL3_AXIS(heddle_delete_with, heddle_along_options, __VA_ARGS__)
#define heddle_insert(...) HEDDLE_CALL3_AXIS(heddle_insert_with, heddle_along_options, __VA_ARGS__)

enum heddle_pad_mode {
    HEDDLE_PAD_CONSTANT,
    HEDDLE_PAD_EDGE,    /* the element at the border */
    HEDDLE_PAD_REFLECT, /* mirrored at the border, which is not repeated */
    HEDDLE_PAD_WRAP,    /* from the other end */
    HEDDLE_PAD_SYMMETRIC, /* mirrored with the border */
};

struct heddle_pad_options {
    size_t size; /* call.h */
    enum heddle_pad_mode mode;
    heddle_array *value; /* of HEDDLE_PAD_CONSTANT: 0-d, or before and after, for all axes or for each; NULL: 0 */
};

/** `a` with elements around it. widths: before and after, for all axes (n is 2) or for each (n is twice
 *  their number): HEDDLE_SHAPE(1, 1). NumPy name. */
HEDDLE_API heddle_array *heddle_pad_with(heddle_array *a, int n, const int64_t *widths,
                                         const struct heddle_pad_options *o);
#define heddle_pad(...) HEDDLE_CALL3(heddle_pad_with, heddle_pad_options, __VA_ARGS__)

/** The windows of `a` that are window[i] long along axes[i]: as many as fit are along these axes, their elements along `n`
 *  new axes behind all others. axes NULL: all axes, in order (NumPy name). Errors: HEDDLE_ESHAPE a window that does not
 *  fit, or is not positive; HEDDLE_EAXIS. */
HEDDLE_API heddle_array *heddle_sliding_window_view(heddle_array *a, int n, const int64_t *window,
                                                    const int *axes);
/** For each element of `indices` that of choices[it] in the same place; all broadcast. Dtype: the common one of the choices.
 *  An index out of range, of which negative ones count from the end, is HEDDLE_EINDEX when the result is evaluated
 *  (NumPy name). Errors: HEDDLE_EARG, HEDDLE_ESHAPE, HEDDLE_EDTYPE. Cost: up to 16 choices are read side by side,
 *  all for each element, by what computes them; more are written, one after another. */
HEDDLE_API heddle_array *heddle_choose(heddle_array *indices, int n, heddle_array *const choices[]);

/** Arrays joined along the first axis, the second, the third, or as columns of a matrix, with axes added where
 *  there are too few (NumPy names). */
HEDDLE_API heddle_array *heddle_vstack(int n, heddle_array *const arrays[]);
HEDDLE_API heddle_array *heddle_hstack(int n, heddle_array *const arrays[]);
HEDDLE_API heddle_array *heddle_dstack(int n, heddle_array *const arrays[]);
HEDDLE_API heddle_array *heddle_column_stack(int n, heddle_array *const arrays[]);

/* ---- Diagonals and triangles ---------------------------------------------------------------------- */

/** Matrices (the last two axes) with zeros above diagonal `k`; k > 0 is above the main one. */
HEDDLE_API heddle_array *heddle_tril(heddle_array *a, int64_t k);
/** Zeros below diagonal `k`. */
HEDDLE_API heddle_array *heddle_triu(heddle_array *a, int64_t k);

struct heddle_diagonal_options {
    size_t size;    /* call.h */
    int64_t offset; /* of the diagonal: above the main one if > 0 */
    int axis1;      /* of rows and columns; both 0: the last two axes (NumPy: the first two) */
    int axis2;
};

/** A matrix with ones on and below diagonal `k`, and zeros (NumPy name). Errors: HEDDLE_ESHAPE. */
HEDDLE_API heddle_array *heddle_tri(int64_t rows, int64_t columns, int64_t k,
                                    enum heddle_dtype dtype);

/** A diagonal of matrices, as the last axis: a view. */
HEDDLE_API heddle_array *heddle_diagonal_with(heddle_array *a,
                                              const struct heddle_diagonal_options *o);
#define heddle_diagonal(...)                                                                       \
    HEDDLE_CALL1(heddle_diagonal_with, heddle_diagonal_options, __VA_ARGS__)
/** Of a vector the matrix that has it on diagonal `k`; of a matrix that diagonal (NumPy name). */
HEDDLE_API heddle_array *heddle_diag(heddle_array *a, int64_t k);

/** The indices of a grid: int64 of shape (ndim, shape...), element i is the index along axis i (NumPy name). */
HEDDLE_API heddle_array *heddle_indices(int ndim, const int64_t *shape);

#ifdef __cplusplus
}
#endif

#endif
